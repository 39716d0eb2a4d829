//===- Memory/WasteCopies.cpp -------------------------------------------===//
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
    if (!Written || lastUse(Source) > Written->Start || isDonated(Source))
      continue;
    add({WasteKind::ArgumentCopy, Copy, R.Owner, Source, Alloc.Size, 1, false,
         fmt::format("{} is copied, because it is not donated and {}",
                     describe(Source), describeUpdate(Next)),
         "where the caller does not need it afterwards, donate it: "
         "jax.jit(f, donate_argnames=...)"});
    return true;
  }
  return false;
}

/// A copy, and what copy insertion made it for.
struct WasteFinder::ForcedCopy {
  ValueId Copy;
  ValueId Source;
  /// Of the copy and its source, the one that stays as it is, and what is
  /// written over the other one.
  ValueId Kept;
  ValueId Changed;
  /// The copy is what is written over.
  bool Moved = false;
  /// Reads Kept last, after Changed is written; may be invalid.
  NameId Reader;
  int32_t Last = -1;
};

bool WasteFinder::isDonated(ValueId V) const {
  return llvm::any_of(Parameters, [&](const EntryParameter &P) {
    return P.Owner == D[V].Owner && (P.Aliased || P.Donor);
  });
}

/// What writes \p V, for people: the state of a loop is the loop's.
std::string WasteFinder::describeWriter(ValueId V) const {
  NameId Name = D[V].Tag.Name;
  if (ComputationId Parent = parentOf(Name);
      Parent && findOpcode(A, Name) == Opcode::Parameter)
    if (llvm::ArrayRef<HloId> Callers = W->program().callers(Parent);
        !Callers.empty() && W->program()[Callers.front()].Op == Opcode::While) {
      NameId Loop = D.Module[Callers.front()].Name;
      std::string Source = findOrigin(A, Loop).Source;
      return fmt::format("loop {}{}", D.Names[Loop],
                         Source.empty() ? "" : " (" + Source + ")");
    }
  return describe(V);
}

/// How \p V gets what was an argument before.
std::string WasteFinder::describeUpdate(ValueId V) const {
  if (isSynchronousCall(findOpcode(A, D[V].Tag.Name)))
    return fmt::format("result {} is either it or another value", spell(V));
  return describeWriter(V) + " updates it in place";
}

bool WasteFinder::hasOperand(NameId Name, NameId Source) const {
  NameId Operand;
  for (uint32_t I = 0; (Operand = findOperand(A, Name, I)); ++I)
    if (Operand == Source)
      return true;
  return false;
}

/// Fills in the rest of \p C; false where nobody needs to read what is written
/// over, or it is needed next to what is written: the branches of a
/// conditional, and a loop that changes what it also reads as it was.
bool WasteFinder::isForced(ForcedCopy &C) const {
  ValueId Next = nextInPlace(C.Copy);
  C.Moved = static_cast<bool>(Next);
  C.Kept = Next ? C.Source : C.Copy;
  C.Changed = Next ? Next : nextInPlace(C.Source);
  std::optional<StepRange> Written =
      C.Changed ? Use.range(C.Changed) : std::nullopt;
  if (!Written)
    return false;
  NameId Writer = D[C.Changed].Tag.Name;
  if (!isInside(Writer, parentOf(D[C.Copy].Tag.Name)))
    return false;
  C.Last = lastUse(C.Kept);
  if (C.Last < Written->Start)
    return C.Moved && isEntryParameter(C.Source) && !isDonated(C.Source);
  C.Reader = readerAt(C.Kept, C.Last);
  HloId Reader = C.Reader ? D.Module.find(C.Reader) : HloId();
  if (!Reader)
    return false;
  if (endedBy(W->program()[Reader].Op))
    if (HloId Start = W->program().asyncStart(Reader);
        Start && isRunBy(Writer, Start)) {
      C.Reader = Writer;
      return true;
    }
  if (C.Reader == Writer)
    return !isSynchronousCall(W->program()[Reader].Op) &&
           hasOperand(Writer, D[C.Kept].Tag.Name) &&
           !readsInPlace(Writer, D[C.Kept].Tag.Name);
  return !isRunBy(Writer, Reader);
}

/// A clause, and a hint.
std::pair<std::string, std::string>
WasteFinder::explain(const ForcedCopy &C) const {
  std::string Start =
      fmt::format("{} copies {}, because", spell(C.Copy), describe(C.Source));
  std::string Writer = describeWriter(C.Changed);
  if (C.Moved && isEntryParameter(C.Source) && !isDonated(C.Source))
    return {fmt::format("{} it is not donated and {} updates it in place",
                        Start, Writer),
            C.Reader ? "read the argument before it is updated, return the "
                       "updated array, and donate the argument"
                     : "return the updated array and donate the argument"};
  if (C.Reader == D[C.Changed].Tag.Name)
    return {
        fmt::format("{} {} writes its result over it while it reads it", Start,
                    Writer),
        "update it element by element, or keep both the old and the new value: "
        "without donation where it is an argument"};
  return {fmt::format("{} {} overwrites it in place before {} reads it", Start,
                      Writer, D.Names[C.Reader]),
          "read the old value before it is updated, or do not use it after the "
          "update"};
}

void WasteFinder::addPeakCopy(ValueId Copy, ValueId Source) {
  std::optional<StepRange> Range = Use.range(Copy);
  ForcedCopy C{Copy, Source, {}, {}, false, {}, -1};
  if (!Range || !isForced(C) || (C.Moved && Copied.contains(Source.index())))
    return;
  auto [Message, Hint] = explain(C);
  if (C.Moved)
    Copied.insert(Source.index());
  if (C.Moved && C.Last > Range->Start)
    Range->End = C.Last;
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
