// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements that are read.
//
// The arithmetic of indices of each opcode that has rules of its own, as
// relations between an index of the result and those of an operand.

#ifndef HLOBUF_ELEMENTS_ACCESSMAPS_H
#define HLOBUF_ELEMENTS_ACCESSMAPS_H

#include "Elements/ArrayPlaces.h"
#include "Elements/OperandAccesses.h"
#include "Elements/StartIndices.h"

namespace hlobuf {

/// Makes the relations of one instruction, and of those in its computations;
/// what is null is not understood.
class AccessMaps {
public:
  AccessMaps(Scalars &All, IntegerSets &Sets)
      : All(All), Sets(Sets), Starts(All, Sets), P(All.program()) {}

  Scalars &All;
  IntegerSets &Sets;
  /// The start indices of this instruction.
  StartIndices Starts;

  /// From an index of part \p Part of \p Inst to those of operand \p Operand
  /// that it reads, which is AccessKind::Mapped or Indexed.
  IntegerMap map(ScopedId Inst, uint32_t Part, uint32_t Operand);
  /// The indices of the result that dynamic-update-slice or scatter \p Inst
  /// replaces; null where they are not known.
  IntegerSet window(ScopedId Inst);

private:
  struct Step {
    ScopedId Inst;
    uint32_t Operand;
    const Shape &Result;
    const Shape &Source;
    StringRef Attributes;
    unsigned rank() const { return Result.Dimensions.size(); }
    unsigned sourceRank() const { return Source.Dimensions.size(); }
  };

  IntegerMap dispatch(Opcode Op, const Step &S);
  IntegerMap scalar(const Step &S);
  IntegerMap reinterpreted(const Step &S);
  IntegerMap moved(const Step &S);
  IntegerMap slicedAtStart(const Step &S);
  IntegerMap updated(const Step &S);
  IntegerMap padded(const Step &S);
  IntegerMap reduced(const Step &S);
  IntegerMap windowed(const Step &S);
  IntegerMap multiplied(const Step &S);
  SymbolicIndex start(ScopedId Inst, size_t First, unsigned D, int64_t Max);
  RelationBuilder build(const Step &S) {
    return {Sets, S.rank(), S.sourceRank()};
  }
  const Program &P;
};

} // namespace hlobuf

#endif // HLOBUF_ELEMENTS_ACCESSMAPS_H
