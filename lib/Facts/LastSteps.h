//===- Facts/LastSteps.h - Where live ranges may end ------------*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_FACTS_LASTSTEPS_H
#define HLOBUF_FACTS_LASTSTEPS_H

#include "Facts/Facts.h"

namespace hlobuf {

/// The last steps of a value, as far as the dump shows them; -1 if it does not.
struct LastStepsOf {
  /// The last that holds or reads it.
  int32_t Last = -1;
  /// The same without readers that may read it elsewhere.
  int32_t Sure = -1;
  /// The last that holds it.
  int32_t Held = -1;
  /// All positions and readers are in the sequence.
  bool AllKnown = true;
};

/// Tells from positions, uses and instruction texts where live ranges may end.
/// Needs a sound sequence.
class LastSteps {
public:
  explicit LastSteps(const Facts &A);

  LastStepsOf operator[](UsedId U) const;

  /// A computation may end just before \p Step: there is a loop, conditional or
  /// call, or a computation with a parameter begins.
  bool mayEndComputation(int32_t Step) const {
    const StepKind &Kind = Kinds[static_cast<size_t>(Step)];
    return Kind.Control || Kind.Begins;
  }
  /// An asynchronous computation may end at \p Step.
  bool mayEndAsync(int32_t Step) const {
    return AnyAsync && Kinds[static_cast<size_t>(Step)].Done;
  }

private:
  /// Whether the step of a reader itself counts as a read.
  enum class Reads : uint8_t { Yes, No, Maybe };
  struct StepKind {
    Reads Read = Reads::Yes;
    bool Control = false;
    bool Done = false;
    bool Begins = false;
  };

  Reads readsItself(NameId Name) const;

  const Facts &A;
  const Dump &D;
  bool AnyAsync = false;
  std::vector<StepKind> Kinds;
};

} // namespace hlobuf

#endif // HLOBUF_FACTS_LASTSTEPS_H
