// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HLO/VerifierContext.h"

using namespace hlobuf;

ShapeId VerifierContext::operandShape(const HloInstruction &I, size_t K) const {
  HloOperand Operand = M.operand(I, K);
  ShapeId Whole = M[Operand.Source].Shape;
  return Operand.Path.isRoot() ? Whole
                               : at(Whole, Tables.Indices.steps(Operand.Path));
}

static bool isFloat(const Shape &S) {
  return S.Element.starts_with("f") || S.Element.starts_with("bf");
}

/// Precision may change where no pass looks at it (ShapeVerifier with
/// allow_mixed_precision, which TPU uses), and dynamic sizes are bounds.
bool VerifierContext::compatible(ShapeId A, ShapeId B) const {
  if (!A || !B)
    return false;
  if (A == B)
    return true;
  const Shape &X = shape(A), &Y = shape(B);
  if (X.Kind != Y.Kind || X.Elements.size() != Y.Elements.size() ||
      X.Dimensions.size() != Y.Dimensions.size() ||
      (X.Element != Y.Element && !(isFloat(X) && isFloat(Y))))
    return false;
  for (size_t D = 0; D != X.Dimensions.size(); ++D)
    if (X.Dimensions[D].Size != Y.Dimensions[D].Size &&
        !X.Dimensions[D].unbounded() && !Y.Dimensions[D].unbounded())
      return false;
  for (size_t K = 0; K != X.Elements.size(); ++K)
    if (!compatible(X.Elements[K], Y.Elements[K]))
      return false;
  return true;
}

StringRef VerifierContext::opcodePlace(const HloInstruction &I) const {
  StringRef Head = M.head(I);
  return Head.drop_front(Head.rfind(' ') + 1);
}

std::string VerifierContext::spell(const HloInstruction &I) const {
  return fmt::format("{} {}", opcodePlace(I), name(I));
}

std::string VerifierContext::text(ShapeId Id) const {
  return Id ? Tables.Shapes.plainText(Id) : "none";
}
