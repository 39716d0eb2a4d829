//===- Memory/WasteCopies.cpp
//--------------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copy insertion copies a value whose bytes are written in place while somebody
// still reads it (xla/service/copy_insertion.cc, 2017). Arguments that are not
// donated must not change, so that each that is updated in place is copied.
//
//===----------------------------------------------------------------------===//

#include "Dataflow/ModuleAnalysis.h"
#include "Memory/Origin.h"
#include "Memory/WasteFinder.h"
#include "Support/Format.h"

using namespace hlobuf;

/// Copies in one place that are looked at, at most.
static constexpr size_t MaxShared = 16;

bool WasteFinder::sameSet(ValueId X, ValueId Y) const {
  if (!W || X == Y)
    return X == Y;
  HloValueId FlowX = W->find(D[X].Tag.Name, D[X].Tag.Index);
  HloValueId FlowY = W->find(D[Y].Tag.Name, D[Y].Tag.Index);
  return FlowX && FlowY && W->aliases().same(FlowX, FlowY);
}

/// Of the alias set of \p V, the member that is written next; invalid if none
/// is.
ValueId WasteFinder::nextInPlace(ValueId V) const {
  std::optional<StepRange> Own = Use.range(V);
  ValueId Next;
  int32_t First = 0;
  const Allocation &Alloc = D[D[V].Owner];
  for (uint32_t I = Alloc.Values.Begin; Own && I != Alloc.Values.End; ++I) {
    ValueId Other(I);
    std::optional<StepRange> Range = Use.range(Other);
    if (!Range || Range->Start <= Own->Start ||
        D[Other].Offset != D[V].Offset || (Next && Range->Start >= First) ||
        !sameSet(V, Other))
      continue;
    Next = Other;
    First = Range->Start;
  }
  return Next;
}

/// The value that \p V is a copy of, with the same layout; invalid if it is no
/// copy.
ValueId WasteFinder::copiedFrom(ValueId V) const {
  if (findOpcode(A, D[V].Tag.Name) != Opcode::Copy || !D[V].Shape)
    return ValueId();
  ValueId Source = operand(D[V].Tag.Name, 0);
  if (!Source || D[Source].Size != D[V].Size || !D[Source].Shape ||
      D.Shapes.text(D[Source].Shape) != D.Shapes.text(D[V].Shape))
    return ValueId();
  return Source;
}

/// \p R is an argument as it came in, or one that was copied to be updated in
/// place.
bool WasteFinder::isCopiedArgument(const EntryResult &R) {
  const Allocation &Alloc = D[R.Owner];
  for (uint32_t I = Alloc.Values.Begin; I != Alloc.Values.End; ++I) {
    ValueId Copy(I);
    ValueId Source = copiedFrom(Copy);
    if (!Source || !isEntryParameter(Source) || !sameSet(Copy, R.Value))
      continue;
    if (Copy == R.Value) {
      add({WasteKind::ReturnedArgument, Copy, R.Owner, Source, Alloc.Size, 1,
           false,
           fmt::format("result {} is a copy of {}", spell(Copy),
                       describe(Source)),
           "do not return the argument, its caller has it, or donate it"});
      return true;
    }
    ValueId Next = nextInPlace(Copy);
    std::optional<StepRange> Written = Next ? Use.range(Next) : std::nullopt;
    if (!Written || lastUse(Source) > Written->Start)
      continue;
    add({WasteKind::ArgumentCopy, Copy, R.Owner, Source, Alloc.Size, 1, false,
         fmt::format("{} is copied, because it is not donated and {} updates "
                     "it in place",
                     describe(Source), spell(Next)),
         "where the caller does not need it afterwards, donate it: "
         "jax.jit(f, donate_argnames=...)"});
    return true;
  }
  return false;
}

void WasteFinder::addPeakCopy(ValueId Copy, ValueId Source) {
  std::optional<StepRange> Range = Use.range(Copy);
  if (!Range)
    return;
  ValueId Next = nextInPlace(Copy);
  ValueId Kept = Next ? Source : Copy;
  ValueId Changed = Next ? Next : nextInPlace(Source);
  int32_t Last = lastUse(Kept);
  std::optional<StepRange> Written =
      Changed ? Use.range(Changed) : std::nullopt;
  NameId Reader =
      Written && Last >= Written->Start ? readerAt(Kept, Last) : NameId();
  std::string Message;
  std::string Hint;
  if (Changed && Reader == D[Changed].Tag.Name) {
    Message = fmt::format("{} copies {}, because {} writes its result over it "
                          "while it reads it",
                          spell(Copy), describe(Source), describe(Changed));
    Hint = "update it element by element, or keep both the old and the new "
           "value: without donation where it is an argument";
  } else if (Changed && Reader) {
    Message = fmt::format("{} copies {}, because {} overwrites it in place "
                          "before {} reads it",
                          spell(Copy), describe(Source), describe(Changed),
                          D.Names[Reader]);
    Hint = "read the old value before it is updated, or do not use it after "
           "the update";
  } else if (Changed && isEntryParameter(Source)) {
    Message = fmt::format("{} copies {}, because it is not donated and {} "
                          "updates it in place",
                          spell(Copy), describe(Source), describe(Changed));
    Hint = "return the updated array and donate the argument";
  } else {
    return;
  }
  if (Next && Last > Range->Start)
    Range->End = Last;
  add({WasteKind::PeakCopy, Copy, D[Copy].Owner, Source,
       Use.savedWithout(Main, *Range, D[Copy].Size), 1, false,
       std::move(Message), std::move(Hint)});
}

void WasteFinder::findCopies() {
  if (!W || !Use.isTimed())
    return;
  for (const EntryResult &R : Results)
    if (D[R.Owner].Size >= Threshold)
      Told[R.Owner.index()] = isCopiedArgument(R);
  for (const HeldValue &V : Held) {
    if (V.Kind != MemoryKind::Temp)
      continue;
    // The copy itself may have been written over in place by now.
    const Allocation &Alloc = D[D[V.Value].Owner];
    unsigned Seen = 0;
    for (uint32_t I = Alloc.Values.Begin; I != Alloc.Values.End; ++I) {
      ValueId Copy(I);
      if (D[Copy].Offset != D[V.Value].Offset ||
          findOpcode(A, D[Copy].Tag.Name) != Opcode::Copy ||
          !sameSet(Copy, V.Value) || ++Seen > MaxShared)
        continue;
      if (ValueId Source = copiedFrom(Copy))
        addPeakCopy(Copy, Source);
    }
  }
}
