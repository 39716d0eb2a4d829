// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a value is called by those who wrote the program.
//
// Every tool shows values in these words: by the operation that computes them
// and its own source line, arguments by their paths.

#ifndef HLOBUF_MEMORY_VALUENAME_H
#define HLOBUF_MEMORY_VALUENAME_H

#include "HLO/Opcode.h"
#include "Support/Ids.h"
#include <cstdint>
#include <optional>
#include <string>

namespace hlobuf {

/// What a program was written with: whose words a user knows.
enum class Frontend : uint8_t { Unknown, JAX, PyTorch, TensorFlow };

/// What a value is to its user.
enum class ValueRole : uint8_t {
  /// An argument, or one that is updated in place.
  Argument,
  Constant,
  /// An operation computes it.
  Computed,
  /// A loop adds one part of it in each trip: residuals that the backward pass
  /// needs, outputs of a scan, gradients of stacked weights.
  Collected,
  /// Memory that something else is written to.
  Blank,
};

/// `argument`, `constant`, `computed`, `collected`, `blank`.
StringRef roleName(ValueRole Role);

/// What a value is called. All texts are printable.
struct ValueName {
  ValueRole Role = ValueRole::Computed;
  /// `dot_general`; of an argument its path: `p['w']`, or `argument 3`. Where
  /// neither is known, the instruction that computes it.
  std::string Operation;
  /// With its scopes: `jit(step)/jvp()/dot_general`; of an argument its path.
  /// Empty if it is not known.
  std::string OpName;
  /// `train.py:12`, the first frame outside of installed packages, of the
  /// operation; empty if it is not known.
  std::string Source;
  /// Of the instruction that computes it, which may be inside of a fusion;
  /// nothing if it is not known.
  std::optional<Opcode> ComputedBy;
  /// Of a collected value: the loop, invalid else.
  NameId Loop;
  /// `scan at train.py:32`, or `loop while.7`.
  std::string LoopText;
  /// How many parts a collected value has, 1 else.
  uint64_t Parts = 1;
  /// It is computed in the forward pass, and the backward pass reads it.
  bool ForBackward = false;
  /// Copied on its way from the operation.
  bool Copied = false;
  /// The copy is one from memory of the host, to which it was offloaded.
  bool FromHost = false;
  /// Of an argument of which a loop collects slices.
  bool Sliced = false;
  /// The operation has no metadata: these are those of an operand.
  bool Inherited = false;

  /// Who keeps it, and for what: `kept for the backward pass by the scan at
  /// train.py:32`; where else it was: `from the host`; empty if it is just
  /// computed.
  std::string keeper() const;
  /// One clause: `kept for the backward pass by the scan at train.py:32: sub
  /// train.py:23`, `argument p['w']`, `copy of dot_general train.py:7`.
  std::string text() const;
};

} // namespace hlobuf

#endif // HLOBUF_MEMORY_VALUENAME_H
