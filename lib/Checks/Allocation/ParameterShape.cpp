//===- Checks/Allocation/ParameterShape.cpp -------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shape between the bars of a parameter's header is that of its value,
// without layouts (buffer_assignment.cc BufferAllocation::ToString). For a part
// of a tuple it is the shape of that part since 2025-08-20, and before it was
// the shape of the whole parameter (TensorFlow 2.1 on). `<unknown shape>` says
// that XLA found no parameter's value in the allocation (2021-03-30 on).
// Headers have no shape before 2019-12-13.
//
//===----------------------------------------------------------------------===//

#include "Checks/Check.h"

using namespace hlobuf;
using llvm::StringRef;

/// Tuples can have thousands of elements.
static std::string shortened(StringRef Shape) {
  constexpr size_t Limit = 60;
  if (Shape.size() <= Limit)
    return Shape.str();
  return (Shape.take_front(Limit) + "..").str();
}

/// The value that the parameter header of \p Alloc describes; invalid if it
/// cannot be identified.
static ValueId parameterValue(const CheckContext &A, const Allocation &Alloc) {
  const Dump &D = A.dump();
  ValueId Found;
  for (uint32_t I = Alloc.Values.Begin; I != Alloc.Values.End; ++I) {
    const Value &V = D.Values[I];
    if (V.Tag.Phi ||
        V.Tag.Index.canonical() != Alloc.ParameterIndex.canonical())
      continue;
    if (A.opcode(V.Tag.Name) == Opcode::Parameter)
      return ValueId(I);
    // Without texts, only a value that is alone can be identified.
    if (!A.hasText(V.Tag.Name) && Alloc.Values.size() == 1)
      Found = ValueId(I);
  }
  return Found;
}

/// True if \p Printed is the shape of \p V, or the whole parameter's.
static bool fits(const CheckContext &A, const Allocation &Alloc,
                 const Value &V) {
  const Dump &D = A.dump();
  ShapeId Printed = Alloc.ParameterShape;
  if (D.Shapes.equalIgnoringLayout(Printed, V.Shape))
    return true;
  bool PartsOnly = A.release().since(20250820) && !A.release().impossible();
  if (Alloc.ParameterIndex.isRoot() || PartsOnly)
    return false;
  ShapeId Part = D.Shapes.at(Printed, D.Indices.steps(Alloc.ParameterIndex));
  if (!Part || !D.Shapes.equalIgnoringLayout(Part, V.Shape))
    return false;
  const Instruction *I = A.instruction(V.Tag.Name);
  return !I || !I->Result || D.Shapes.equalIgnoringLayout(Printed, I->Result);
}

namespace hlobuf {
void checkParameterShape(const CheckContext &A, Reporter &R) {
  const Dump &D = A.dump();
  for (uint32_t K = 0; K != D.Allocations.size(); ++K) {
    const Allocation &Alloc = D.Allocations[K];
    if (!Alloc.isParameter() ||
        (!Alloc.ParameterShape && !Alloc.UnknownParameterShape))
      continue;
    ValueId Id = parameterValue(A, Alloc);
    if (!Id)
      continue;
    const Value &V = D[Id];
    if (Alloc.ParameterShape && fits(A, Alloc, V))
      continue;
    StringRef Printed = A.places().header(Alloc).ParameterShape;
    R.report(Printed,
             "allocation {} has parameter shape {}, but the parameter's value "
             "has {}",
             Alloc.Index, shortened(Printed),
             shortened(D.Shapes.plainText(V.Shape)))
        .note(A.places().value(V).Shape, "the parameter's value is here")
        .about(AllocationId(K))
        .about(Id);
  }
}
} // namespace hlobuf
