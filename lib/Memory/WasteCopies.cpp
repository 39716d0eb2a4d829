// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copy insertion copies a value whose bytes are written in place while somebody
// still reads it (xla/service/copy_insertion.cc, 2017). Arguments that are not
// donated must not change, so that each that is updated in place is copied.

#include "Dataflow/ModuleAnalysis.h"
#include "Memory/Instructions.h"
#include "Memory/WasteContext.h"
#include "Support/Format.h"

using namespace hlobuf;

/// Copies in one place that are looked at, at most.
static constexpr size_t MaxShared = 16;
/// Of the alias set of \p V, the member that is written next; invalid if none
/// is.
static ValueId nextInPlace(const WasteContext &Ctx, ValueId V) {
  std::optional<StepRange> Own = Ctx.Memory.range(V);
  ValueId Next;
  int32_t First = 0;
  for (ValueId Other : Dump::valueIds(Ctx.D[Ctx.D[V].Owner])) {
    std::optional<StepRange> Range = Ctx.Memory.range(Other);
    if (!Own || !Range || Range->Start <= Own->Start ||
        Ctx.D[Other].Offset != Ctx.D[V].Offset ||
        (Next && Range->Start >= First) || !Ctx.sameSet(V, Other))
      continue;
    Next = Other;
    First = Range->Start;
  }
  return Next;
}

/// The value that \p V is a copy of, with the same layout; invalid if it is no
/// copy.
static ValueId copiedFrom(const WasteContext &Ctx, ValueId V) {
  if (findOpcode(Ctx.DumpFacts, Ctx.D[V].Tag.Name) != Opcode::Copy ||
      !Ctx.D[V].Shape)
    return ValueId();
  ValueId Source = Ctx.operand(Ctx.D[V].Tag.Name, 0);
  if (!Source || Ctx.D[Source].Size != Ctx.D[V].Size || !Ctx.D[Source].Shape ||
      Ctx.D.Shapes.text(Ctx.D[Source].Shape) !=
          Ctx.D.Shapes.text(Ctx.D[V].Shape))
    return ValueId();
  return Source;
}

namespace {
/// A copy, and what copy insertion made it for.
struct ForcedCopy {
  ValueId Copy;
  ValueId Source;
  /// Of the copy and its source, the one that stays as it is, and what is
  /// written over the other one.
  ValueId Unchanged;
  ValueId Changed;
  /// The copy is what is written over.
  bool Moved = false;
  /// Reads Unchanged last, after Changed is written; may be invalid.
  NameId Reader;
  int32_t Last = -1;
};
} // namespace
/// What writes \p V, for people: the state of a loop is the loop's.
static std::string describeWriter(const WasteContext &Ctx, ValueId V) {
  NameId Name = Ctx.D[V].Tag.Name;
  if (ComputationId Parent = Ctx.parentOf(Name);
      Parent && findOpcode(Ctx.DumpFacts, Name) == Opcode::Parameter)
    if (ArrayRef<HloId> Callers = Ctx.Module->program().callers(Parent);
        !Callers.empty() &&
        Ctx.Module->program()[Callers.front()].Op == Opcode::While) {
      NameId Loop = Ctx.D.Module[Callers.front()].Name;
      return "the " + Ctx.Names.loopText(Loop);
    }
  return Ctx.Names.spellInstruction(Name);
}

/// How \p V gets what was an argument before.
static std::string describeUpdate(const WasteContext &Ctx, ValueId V) {
  if (isSynchronousCall(findOpcode(Ctx.DumpFacts, Ctx.D[V].Tag.Name)))
    return fmt::format("result {} is either it or another value",
                       Ctx.D.spell(V));
  return describeWriter(Ctx, V) + " updates it in place";
}
/// The waste where \p Result is an argument as it came in, or one that was
/// copied to be updated in place; it saves all bytes. Nothing if it is neither.
static std::optional<Waste> findCopiedArgument(const WasteContext &Ctx,
                                               const EntryResult &Result) {
  const Allocation &Alloc = Ctx.D[Result.Owner];
  for (ValueId Copy : Dump::valueIds(Alloc)) {
    ValueId Source = copiedFrom(Ctx, Copy);
    if (!Source || !Ctx.isEntryParameter(Source) ||
        !Ctx.sameSet(Copy, Result.Value))
      continue;
    if (Copy == Result.Value)
      return Waste{
          WasteKind::ReturnedArgument,
          Copy,
          Result.Owner,
          Source,
          Alloc.Size,
          fmt::format("result {} is a copy of {}", Ctx.D.spell(Copy),
                      Ctx.describe(Source)),
          "do not return the argument, its caller has it, or donate it"};
    ValueId Next = nextInPlace(Ctx, Copy);
    std::optional<StepRange> Written =
        Next ? Ctx.Memory.range(Next) : std::nullopt;
    if (!Written || Ctx.lastUse(Source) > Written->Start ||
        Ctx.isDonated(Source))
      continue;
    return Waste{WasteKind::ArgumentCopy,
                 Copy,
                 Result.Owner,
                 Source,
                 Alloc.Size,
                 fmt::format("{} is copied, because it is not donated and {}",
                             Ctx.describe(Source), describeUpdate(Ctx, Next)),
                 Ctx.donationHint()};
  }
  return std::nullopt;
}

static void addCopiedArguments(WasteContext &Ctx) {
  ResultPlan Returned(Ctx);
  ResultPlan Copied(Ctx);
  std::vector<Waste> All;
  for (const EntryResult &Result : Ctx.Results) {
    if (Ctx.D[Result.Owner].Size < Ctx.Threshold)
      continue;
    std::optional<Waste> Item = findCopiedArgument(Ctx, Result);
    if (!Item)
      continue;
    Ctx.Reported[Result.Owner.index()] = true;
    (Item->Kind == WasteKind::ArgumentCopy ? Copied : Returned).add(Result);
    if (Item->Kind == WasteKind::ArgumentCopy)
      Ctx.Donations.push_back({Item->Other, Result});
    All.push_back(std::move(*Item));
  }
  double OfCopied = Copied.share();
  double OfReturned = Returned.share();
  for (Waste &Item : All) {
    double Share = Item.Kind == WasteKind::ArgumentCopy ? OfCopied : OfReturned;
    Item.Saved = static_cast<uint64_t>(Share * static_cast<double>(Item.Saved));
    Ctx.add(std::move(Item));
  }
}

/// Callers of callers that are asked, at most.
static constexpr unsigned MaxDepth = 64;

/// \p Name is in a computation for which \p Is is true, or in one that is
/// called from there.
static bool isInside(const WasteContext &Ctx, NameId Name,
                     function_ref<bool(ComputationId)> Is) {
  ComputationId Parent = Ctx.parentOf(Name);
  for (unsigned Depth = 0; Parent && Depth != MaxDepth; ++Depth) {
    if (Is(Parent))
      return true;
    ArrayRef<HloId> Callers = Ctx.Module->program().callers(Parent);
    Parent = Callers.empty() ? ComputationId()
                             : Ctx.D.Module[Callers.front()].Parent;
  }
  return false;
}

/// \p Name is in what \p Caller calls.
static bool isRunBy(const WasteContext &Ctx, NameId Name, HloId Caller) {
  return isInside(Ctx, Name, [&](ComputationId C) {
    return llvm::is_contained(Ctx.Module->program().callers(C), Caller);
  });
}

static bool hasOperand(const WasteContext &Ctx, NameId Name, NameId Source) {
  NameId Operand;
  for (uint32_t I = 0; (Operand = findOperand(Ctx.DumpFacts, Name, I)); ++I)
    if (Operand == Source)
      return true;
  return false;
}

/// Fills in the rest of \p C; false where nobody needs to read what is written
/// over, or it is needed next to what is written: the branches of a
/// conditional, and a loop that changes what it also reads as it was.
static bool isForced(const WasteContext &Ctx, ForcedCopy &C) {
  ValueId Next = nextInPlace(Ctx, C.Copy);
  C.Moved = static_cast<bool>(Next);
  C.Unchanged = Next ? C.Source : C.Copy;
  C.Changed = Next ? Next : nextInPlace(Ctx, C.Source);
  std::optional<StepRange> Written =
      C.Changed ? Ctx.Memory.range(C.Changed) : std::nullopt;
  if (!Written)
    return false;
  NameId Writer = Ctx.D[C.Changed].Tag.Name;
  ComputationId Outer = Ctx.parentOf(Ctx.D[C.Copy].Tag.Name);
  if (!isInside(Ctx, Writer, [&](ComputationId In) { return In == Outer; }))
    return false;
  C.Last = Ctx.lastUse(C.Unchanged);
  if (C.Last < Written->Start)
    return C.Moved && Ctx.isEntryParameter(C.Source) &&
           !Ctx.isDonated(C.Source);
  C.Reader = Ctx.readerAt(C.Unchanged, C.Last);
  HloId Reader = C.Reader ? Ctx.D.Module.find(C.Reader) : HloId();
  if (!Reader)
    return false;
  if (endedBy(Ctx.Module->program()[Reader].Op))
    if (HloId Start = Ctx.Module->program().chains().start(Reader);
        Start && isRunBy(Ctx, Writer, Start)) {
      C.Reader = Writer;
      return true;
    }
  if (C.Reader == Writer)
    return !isSynchronousCall(Ctx.Module->program()[Reader].Op) &&
           hasOperand(Ctx, Writer, Ctx.D[C.Unchanged].Tag.Name) &&
           !readsInPlace(Ctx, Writer, Ctx.D[C.Unchanged].Tag.Name);
  return !isRunBy(Ctx, Writer, Reader);
}

/// A clause, and a hint.
static std::pair<std::string, std::string> explain(const WasteContext &Ctx,
                                                   const ForcedCopy &C) {
  std::string Start = fmt::format("{} copies {}, because", Ctx.D.spell(C.Copy),
                                  Ctx.describe(C.Source));
  std::string Writer = describeWriter(Ctx, C.Changed);
  if (C.Moved && Ctx.isEntryParameter(C.Source) && !Ctx.isDonated(C.Source))
    return {fmt::format("{} it is not donated and {} updates it in place",
                        Start, Writer),
            C.Reader ? "read the argument before it is updated, return the "
                       "updated array, and donate the argument"
                     : "return the updated array and donate the argument"};
  if (C.Reader == Ctx.D[C.Changed].Tag.Name)
    return {fmt::format("{} {} writes its result over it while it reads it",
                        Start, Writer),
            "update it element by element, or keep both the old and the new "
            "value: without donation where it is an argument"};
  return {fmt::format("{} {} overwrites it in place before {} reads it", Start,
                      Writer, Ctx.D.Names[C.Reader]),
          "read the old value before it is updated, or do not use it after the "
          "update"};
}
static void addPeakCopy(WasteContext &Ctx, DenseSet<uint32_t> &Copied,
                        ValueId Copy, ValueId Source) {
  std::optional<StepRange> Range = Ctx.Memory.range(Copy);
  ForcedCopy C{Copy, Source, {}, {}, false, {}, -1};
  if (!Range || !isForced(Ctx, C) ||
      (C.Moved && Copied.contains(Source.index())))
    return;
  auto [Message, Hint] = explain(Ctx, C);
  if (C.Moved)
    Copied.insert(Source.index());
  if (C.Moved && C.Last > Range->Start)
    Range->End = C.Last;
  Ctx.add({WasteKind::PeakCopy, Copy, Ctx.D[Copy].Owner, Source,
           Ctx.Memory.savedWithout(Ctx.Main, {{*Range, Ctx.D[Copy].Size}}),
           std::move(Message), std::move(Hint)});
}

void hlobuf::findCopies(WasteContext &Ctx) {
  if (!Ctx.Module || !Ctx.Memory.isTimed())
    return;
  addCopiedArguments(Ctx);
  // Copies of these that are written over have been told about: at most one of
  // several could be left out.
  DenseSet<uint32_t> Copied;
  for (const HeldValue &V : Ctx.PeakValues) {
    if (V.Kind != MemoryKind::Temp)
      continue;
    // The copy itself may have been written over in place by now.
    unsigned Seen = 0;
    for (ValueId Copy : Dump::valueIds(Ctx.D[Ctx.D[V.Value].Owner])) {
      if (Ctx.D[Copy].Offset != Ctx.D[V.Value].Offset ||
          findOpcode(Ctx.DumpFacts, Ctx.D[Copy].Tag.Name) != Opcode::Copy ||
          !Ctx.sameSet(Copy, V.Value) || ++Seen > MaxShared)
        continue;
      if (ValueId Source = copiedFrom(Ctx, Copy))
        addPeakCopy(Ctx, Copied, Copy, Source);
    }
  }
}
