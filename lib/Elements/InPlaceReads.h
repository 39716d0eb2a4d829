//===- Elements/InPlaceReads.h - Reads of overwritten elements --*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether an instruction whose result has the bytes of an operand reads an
// element there that another element has overwritten, for some value of the
// scalars that nothing is known of: decided with integer sets, never by trying
// values. No header of isl is needed here.
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_ELEMENTS_INPLACEREADS_H
#define HLOBUF_ELEMENTS_INPLACEREADS_H

#include "Elements/InPlaceChain.h"
#include <memory>

namespace hlobuf {

/// Half-open range of elements.
struct ElementSpan {
  int64_t Begin = 0;
  int64_t End = 0;
};

/// What a read of an operand means where the result has its bytes.
enum class ReadVerdict : uint8_t {
  /// An element at a higher address reads one at a lower address that is
  /// overwritten, so that ascending order is wrong.
  Behind,
  /// The other way round only: wrong in every order but ascending.
  Ahead,
  /// Overwritten elements may be read by definition of an opcode, such as
  /// gather; which ones depends on data.
  Anywhere,
  /// It was not decided.
  Undecided,
};

/// A read that is not sound, or not known to be.
struct ElementHazard {
  ReadVerdict Verdict = ReadVerdict::Undecided;
  /// Of Undecided, why.
  const char *Reason = "";
  /// An element that is written, the element of the operand that it is computed
  /// from; for Behind, the first that goes wrong in ascending order. Numbers
  /// are those of memory order, tiles aside.
  int64_t Written = 0;
  int64_t Read = 0;
  ElementSpan Writes;
  ElementSpan Reads;
  /// The update that overwrites what is read; invalid if all is overwritten.
  HloId Writer;
  /// The instruction that last moved what is read; invalid if none did.
  HloId Reader;
  /// For which values of which scalars.
  std::vector<std::pair<HloId, int64_t>> Scalars;
};

/// A part of an operand.
struct ReadOperand {
  uint32_t Operand = 0;
  uint32_t Part = 0;
  auto operator<=>(const ReadOperand &) const = default;
};

/// Answers for the instructions of one program.
class InPlaceReads {
public:
  explicit InPlaceReads(const Program &P);
  ~InPlaceReads();

  /// How part \p Part of \p Id comes from an operand.
  InPlaceChain chain(HloId Id, uint32_t Part);

  /// The reads of \p Operand by \p Id that are not proved to be sound where its
  /// result \p Part has that operand's bytes: the worst that is certain, and
  /// one for each reason why others are not decided. \p Chain says what is
  /// overwritten there; \p Operands are all that will be asked about.
  std::vector<ElementHazard> find(HloId Id, uint32_t Part, ReadOperand Operand,
                                  const InPlaceChain &Chain,
                                  llvm::ArrayRef<ReadOperand> Operands);

  /// The reason where a fusion has results of other sizes.
  static constexpr const char *OtherLoop =
      "another result may be computed in a loop of its own";

  /// Operations of isl for one question. Reached, it is not decided; tests set
  /// it.
  static unsigned long MaxOperations;

private:
  struct State;
  const Program &P;
  size_t Budget;
  Scalars All;
  std::unique_ptr<State> Now;
};

} // namespace hlobuf

#endif // HLOBUF_ELEMENTS_INPLACEREADS_H
