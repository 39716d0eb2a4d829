//===- Dataflow/ElementConflict.h - Reads after overwriting -----*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_DATAFLOW_ELEMENTCONFLICT_H
#define HLOBUF_DATAFLOW_ELEMENTCONFLICT_H

#include "Dataflow/ElementReads.h"

namespace hlobuf {

/// What a read of an operand means where the result has its bytes.
enum class ReadVerdict : uint8_t {
  /// Only what the same element overwrites, or what is never overwritten.
  Sound,
  /// An element at a higher address reads one at a lower address that is
  /// overwritten, so that ascending order is wrong.
  Behind,
  /// The other way round only: wrong in every order but ascending.
  Ahead,
  /// Overwritten elements may be read, which ones is not known.
  Anywhere,
  /// It cannot be determined.
  Unknown,
};

/// The worst read of an operand that is overwritten in place.
struct ElementHazard {
  ReadVerdict Verdict = ReadVerdict::Sound;
  /// An element that is written, the element of the operand that it is computed
  /// from; for Behind, the first that goes wrong in ascending order.
  int64_t Written = 0;
  int64_t Read = 0;
  /// In memory order.
  ElementSpan Writes;
  ElementSpan Reads;
  /// The update that overwrites what is read; invalid if all is overwritten.
  HloId Writer;
  /// For which values of which scalars.
  StartIndices::Unknowns Names;
  llvm::SmallVector<int64_t, 4> Values;
};

/// One digit of a box with numbers only.
struct BoxDigit {
  int64_t Count;
  int64_t Write;
  int64_t Read;
};

/// Base + sum of Factor * digit, each digit below Count.
struct ElementImage {
  int64_t Base = 0;
  /// Count and factor, largest factor first, all factors positive.
  llvm::SmallVector<std::pair<int64_t, int64_t>, 4> Digits;

  void add(int64_t Count, int64_t Factor);
  void finish() {
    llvm::sort(Digits, [](auto &A, auto &B) { return A.second > B.second; });
  }
  int64_t last() const;
  bool contains(int64_t Number) const;
};

/// Reads and writes with all start indices known.
class ElementConflict {
public:
  int64_t WriteBase = 0;
  int64_t ReadBase = 0;
  llvm::SmallVector<BoxDigit, 6> Digits;
  std::vector<std::pair<ElementImage, HloId>> Changed;

  /// No element is changed but by what is read here, which is only moved.
  bool OnlyMoves = false;

  /// \p Exact: the digits are those of one element; else any may be read.
  ElementHazard solve(bool Exact);

private:
  /// An element of the result and one of the operand that it is computed from.
  struct Pair {
    int64_t Written;
    int64_t Read;
  };
  ElementImage reads() const;
  void consider(int64_t Written, int64_t Read);
  bool staysTheSame(int64_t Number) const;
  void tryAll();
  void tryBounds(const ElementImage &Window);
  void tryRead(int64_t Wanted, bool Last);

  const ElementImage *Window = nullptr;
  std::optional<Pair> Behind;
  std::optional<Pair> Ahead;
};

} // namespace hlobuf

#endif // HLOBUF_DATAFLOW_ELEMENTCONFLICT_H
