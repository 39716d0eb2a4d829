// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The allocation of parameter N at index I holds exactly that value of that
// parameter, and every parameter has one allocation for each index of its shape
// (buffer_assignment.cc AssignSpecialHloBuffer, 2017). Read both ways: from the
// header to its value, and from each value of an entry parameter to its header.
// Parameters of other computations have no value of their own, or one that is
// thread-local, or a phi.
//
// A parameter that shares its group with a constant or with an earlier
// parameter would be placed there. No dump shows one, but a value that sits
// with another parameter or with a constant, and a number that is left out, are
// warnings.

#include "Checks/Check.h"
#include "llvm/ADT/STLExtras.h"

using namespace hlobuf;
using llvm::ArrayRef;

namespace {
/// What the headers say: parameter, index, allocation.
struct Header {
  uint32_t Number;
  ShapeIndex Index;
  AllocationId Id;
};

class ParameterChecker {
public:
  ParameterChecker(const CheckContext &Ctx, Reporter &Diags)
      : Ctx(Ctx), Diags(Diags), D(Ctx.dump()) {}

  void run();

private:
  const Instruction *parameter(const Value &V) const;
  void checkValues(AllocationId Id);
  void reportMismatch(AllocationId Id, ValueId Wrong);
  void reportMisplaced(ValueId Wrong, bool Housed);
  void collectHeaders();
  void checkUnique();
  void checkNumbers();
  void checkIndices(ArrayRef<Header> OfOne);

  const CheckContext &Ctx;
  Reporter &Diags;
  const Dump &D;
  std::vector<Header> Headers;
};
} // namespace

/// The entry parameter that defines \p V; null if none does.
const Instruction *ParameterChecker::parameter(const Value &V) const {
  if (V.Tag.Phi || D[V.Owner].ThreadLocal)
    return nullptr;
  const Instruction *I = Ctx.instruction(V.Tag.Name);
  return I && I->Op.Op == Opcode::Parameter ? I : nullptr;
}

void ParameterChecker::reportMismatch(AllocationId Id, ValueId Wrong) {
  const Allocation &Alloc = D[Id];
  const Value &V = D[Wrong];
  uint32_t Number = parameter(V)->ParameterNumber;
  AllocationTexts Texts = Ctx.places().header(Alloc);
  Diags
      .report(
          Number == *Alloc.Parameter ? Texts.ParameterIndex : Texts.Parameter,
          "allocation {} is for parameter {} at index {}, but its value {} is "
          "parameter {} at index {}",
          Alloc.Index, *Alloc.Parameter, D.Indices.text(Alloc.ParameterIndex),
          D.spell(V.Tag), Number, D.Indices.text(V.Tag.Index))
      .note(Ctx.places().value(V).Tag.Whole, "the value is here")
      .about(Id)
      .about(Wrong);
}

void ParameterChecker::reportMisplaced(ValueId Wrong, bool Housed) {
  const Value &V = D[Wrong];
  Finding F =
      Diags.reportAs(Housed ? Severity::Warning : Severity::Error,
                     Ctx.places().value(V).Tag.Whole,
                     "value {} is parameter {} at index {}, but allocation "
                     "{} is not for that parameter",
                     D.spell(V.Tag), parameter(V)->ParameterNumber,
                     D.Indices.text(V.Tag.Index), D[V.Owner].Index);
  F.note(Ctx.places().line(D[V.Owner]), "the allocation is here").about(Wrong);
  // A header that lost its kind is wrong itself.
  if (!D[V.Owner].PreallocatedTemp)
    F.about(V.Owner);
}

void ParameterChecker::checkValues(AllocationId Id) {
  const Allocation &Alloc = D[Id];
  ValueId Own, Wrong;
  bool Unknown = false;
  for (uint32_t I = Alloc.Values.Begin; I != Alloc.Values.End; ++I) {
    const Value &V = D.Values[I];
    Unknown |= !Ctx.hasText(V.Tag.Name);
    const Instruction *P = parameter(V);
    if (!P)
      continue;
    if (Alloc.isParameter() && P->ParameterNumber == *Alloc.Parameter &&
        V.Tag.Index.canonical() == Alloc.ParameterIndex.canonical())
      Own = ValueId(I);
    else if (!Wrong)
      Wrong = ValueId(I);
  }
  bool Expected = Alloc.isParameter() && !Own && !Unknown;
  if (Wrong && Expected)
    reportMismatch(Id, Wrong);
  else if (Wrong)
    reportMisplaced(Wrong, Own || Alloc.Constant);
  else if (Expected && !Alloc.Values.empty())
    Diags
        .report(Ctx.places().header(Alloc).Parameter,
                "allocation {} is for parameter {} at index {}, but holds no "
                "value of that parameter",
                Alloc.Index, *Alloc.Parameter,
                D.Indices.text(Alloc.ParameterIndex))
        .note(Ctx.places().value(D.values(Alloc).front()).Tag.Whole,
              "its first value is here")
        .about(Id);
}

void ParameterChecker::collectHeaders() {
  for (uint32_t I = 0; I != D.Allocations.size(); ++I)
    if (D.Allocations[I].isParameter())
      Headers.push_back({*D.Allocations[I].Parameter,
                         D.Allocations[I].ParameterIndex, AllocationId(I)});
  llvm::sort(Headers, [&](const Header &X, const Header &Y) {
    if (X.Number != Y.Number)
      return X.Number < Y.Number;
    if (X.Index != Y.Index)
      return D.Indices.less(X.Index, Y.Index);
    return X.Id < Y.Id;
  });
}

void ParameterChecker::checkUnique() {
  for (size_t K = 1; K < Headers.size(); ++K) {
    const Header &X = Headers[K - 1];
    const Header &Y = Headers[K];
    if (X.Number != Y.Number || X.Index != Y.Index)
      continue;
    AllocationTexts Texts = Ctx.places().header(D[Y.Id]);
    Diags
        .report(Y.Index.isRoot() ? Texts.Parameter : Texts.ParameterIndex,
                "allocation {} is for parameter {} at index {}, and so is "
                "allocation {}",
                D[Y.Id].Index, Y.Number, D.Indices.text(Y.Index), D[X.Id].Index)
        .note(Ctx.places().header(D[X.Id]).Parameter,
              "the other allocation is here")
        .about(Y.Id)
        .about(X.Id);
  }
}

/// Numbers are 0, 1, .. without a gap.
void ParameterChecker::checkNumbers() {
  uint64_t Expected = 0;
  for (const Header &H : Headers) {
    if (H.Number > Expected) {
      Diags
          .reportAs(Severity::Warning, Ctx.places().header(D[H.Id]).Parameter,
                    "parameter {} has an allocation, but parameter {} has none",
                    H.Number, Expected)
          .about(H.Id);
      return;
    }
    Expected = uint64_t(H.Number) + 1;
  }
}

/// The allocations \p OfOne of one parameter are for all indices of its shape.
void ParameterChecker::checkIndices(ArrayRef<Header> OfOne) {
  const Header &First = OfOne.front();
  const Instruction *P = nullptr;
  for (const Value &V : D.values(D[First.Id]))
    if ((P = parameter(V)))
      break;
  if (!P || !P->Result)
    return;
  size_t Next = 0;
  llvm::SmallVector<uint32_t, 8> Path;
  auto Visit = [&](auto &Self, ShapeId Shape) -> bool {
    ShapeIndex Here = D.Indices.get(Path);
    if (Next == OfOne.size() || OfOne[Next].Index.canonical() != Here) {
      Diags
          .report(Ctx.places().header(D[First.Id]).Parameter,
                  "parameter {} has no allocation at index {}, expected {} "
                  "allocations, one for each part of its shape",
                  First.Number, D.Indices.text(Here), D.Shapes[P->Result].Nodes)
          .about(First.Id);
      return false;
    }
    ++Next;
    for (uint32_t K = 0; K != D.Shapes[Shape].Elements.size(); ++K) {
      Path.push_back(K);
      bool Fine = Self(Self, D.Shapes[Shape].Elements[K]);
      Path.pop_back();
      if (!Fine)
        return false;
    }
    return true;
  };
  Visit(Visit, P->Result);
}

void ParameterChecker::run() {
  for (uint32_t I = 0; I != D.Allocations.size(); ++I)
    checkValues(AllocationId(I));
  collectHeaders();
  checkUnique();
  if (D.state(Section::Texts) != SectionState::Complete)
    Diags.notCheckedWithout(Ctx, Section::Texts);
  // What follows would only repeat what was said.
  if (Diags.count() != 0)
    return;
  checkNumbers();
  for (size_t Begin = 0; Begin != Headers.size();) {
    size_t End = Begin;
    while (End != Headers.size() &&
           Headers[End].Number == Headers[Begin].Number)
      ++End;
    checkIndices(ArrayRef<Header>(Headers).slice(Begin, End - Begin));
    Begin = End;
  }
}

void hlobuf::checkParameterAllocation(const CheckContext &Ctx,
                                      Reporter &Diags) {
  ParameterChecker(Ctx, Diags).run();
}
