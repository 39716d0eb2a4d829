// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fit/Flops.h"
#include "Facts/Facts.h"
#include "HLO/AttributeNumbers.h"
#include <cmath>

using namespace hlobuf;
using llvm::StringRef;

/// A multiplication and an addition.
static constexpr double PerElement = 2;

Flops::Flops(const Program &P) : P(P), ById(P.size()) {
  // Callees come before their callers in the text (HloModule::ToString).
  for (size_t I = 0; I != P.size(); ++I) {
    HloId Id(I);
    switch (P[Id].Op) {
    case Opcode::Dot:
      ById[I] = ofDot(Id);
      break;
    case Opcode::Convolution:
      if (P.operands(Id).size() > 1)
        ById[I] = ofConvolution(Id, P[Id].Shape, P[P.operands(Id)[1]].Shape);
      break;
    case Opcode::CustomCall:
      ById[I] = ofCall(Id);
      break;
    case Opcode::Fusion:
    case Opcode::AsyncStart:
    case Opcode::Call:
    case Opcode::While:
      for (const HloCall &Call : P.calls(Id))
        for (HloId Inner : P.order(Call.Callee))
          ById[I] += ById[Inner.index()];
      break;
    default:
      break;
    }
  }
}

double Flops::elements(ShapeId Shape) const {
  double Count = 1;
  for (Dimension D : P.trees().shape(Shape).Dimensions)
    Count *= static_cast<double>(D.Size);
  return Count;
}

double Flops::ofDot(HloId Id) const {
  if (P.operands(Id).size() < 2)
    return 0;
  const HloModule &M = P.module();
  std::optional<AttributeNumbers> Contracted =
      numbersIn(findAttribute(M.attributes(M[Id]), "lhs_contracting_dims"));
  const Shape &Left = P.trees().shape(P[P.operands(Id)[0]].Shape);
  double Count = PerElement * elements(P[Id].Shape);
  for (int64_t Number : Contracted.value_or(AttributeNumbers()))
    if (Number >= 0 && static_cast<size_t>(Number) < Left.Dimensions.size())
      Count *= static_cast<double>(
          Left.Dimensions[static_cast<size_t>(Number)].Size);
  return Count;
}

/// Each element of the output is a sum over all of the kernel but its output
/// features; TPU computes dots so, too.
double Flops::ofConvolution(HloId Id, ShapeId Output, ShapeId Kernel) const {
  StringRef Labels =
      findAttribute(P.module().attributes(P.module()[Id]), "dim_labels")
          .value_or("");
  size_t Features = Labels.split('_').second.split("->").first.find('o');
  const auto &Dimensions = P.trees().shape(Kernel).Dimensions;
  if (Features >= Dimensions.size() || Dimensions[Features].Size <= 0)
    return 0;
  return PerElement * elements(Output) * elements(Kernel) /
         static_cast<double>(Dimensions[Features].Size);
}

/// Of the output, the input and the kernel of a convolution, one is the result
/// and the others are operands.
double Flops::ofCudnn(HloId Id, StringRef Target) const {
  if (P.operands(Id).size() < 2 || !P.trees().shape(P[Id].Shape).isTuple())
    return 0;
  ShapeId Result = P.trees().part(P[Id].Shape, 1);
  ShapeId First = P[P.operands(Id)[0]].Shape;
  ShapeId Second = P[P.operands(Id)[1]].Shape;
  if (Target.ends_with("BackwardFilter"))
    return ofConvolution(Id, Second, Result);
  return ofConvolution(Id, Target.ends_with("BackwardInput") ? First : Result,
                       Second);
}

/// A product of an m x k and a k x n matrix: (mk)(kn)(mn) is (mkn)^2.
double Flops::ofCall(HloId Id) const {
  StringRef Target = P.customCallTarget(Id);
  if (Target.starts_with("__cudnn$conv"))
    return ofCudnn(Id, Target);
  if (!Target.contains("gemm") && !Target.contains("matmul"))
    return 0;
  ShapeId Result = P.trees().shape(P[Id].Shape).isTuple()
                       ? P.trees().part(P[Id].Shape, 1)
                       : P[Id].Shape;
  double Product = elements(Result);
  for (HloId Operand : P.operands(Id).take_front(2))
    Product *= elements(P[Operand].Shape);
  return PerElement * std::sqrt(Product);
}
