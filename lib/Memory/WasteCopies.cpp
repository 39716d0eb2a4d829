// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies as waste at the peak.

#include "Memory/WasteContext.h"
#include "Support/Format.h"
#include "Support/HumanBytes.h"

using namespace hlobuf;

namespace {
/// The results that copies of one cause are in.
struct CopiedResults {
  ResultPlan Plan;
  std::vector<Waste> Items;

  void add(Waste Item, const EntryResult &Result) {
    Plan.add(Result);
    Items.push_back(std::move(Item));
  }
  /// Adds all to \p Ctx, each with its part of what they save together.
  void finish(WasteContext &Ctx) {
    double Share = Plan.share();
    for (Waste &Item : Items) {
      Item.Saved =
          static_cast<uint64_t>(Share * double(Ctx.D[Item.Owner].Size));
      Ctx.add(std::move(Item));
    }
  }
};
} // namespace

/// The bytes that are live at the peak because of \p Row.
static uint64_t savedAtPeak(const WasteContext &Ctx, const CopyRow &Row,
                            ValueId Copy) {
  std::optional<StepRange> Range = Ctx.Memory.range(Copy);
  if (!Range || Ctx.Memory.kind(Copy) != MemoryKind::Temp)
    return 0;
  // What is written over the copy needs its bytes anyhow, and the old value
  // need not stay.
  if (ValueId Source = Row.From ? Ctx.Module->lineOf(Row.From) : ValueId();
      Source && Ctx.lastUse(Source) > Range->Start)
    Range->End = std::max(Range->End, Ctx.lastUse(Source));
  return Ctx.Memory.savedWithout(Ctx.Main, {{*Range, Ctx.D[Copy].Size}});
}

static void addLossyDonations(WasteContext &Ctx) {
  for (const Donation &Item : Ctx.Donated.Lossy)
    Ctx.add({WasteKind::UnusedDonation, Item.Value, AllocationId(), ValueId(),
             Item.Bytes - Item.Saved,
             fmt::format("argument {} is donated, and saves {} of {}{}",
                         Item.Argument, humanBytes(Item.Saved),
                         humanBytes(Item.Bytes),
                         Item.Why.empty() ? "" : ": " + Item.Why),
             (Item.Change.empty() ? "" : Item.Change + "; or ") +
                 "do not donate it: the same memory, no copy"});
}

/// The bytes of the array beyond those of one trip, where it is live at the
/// peak.
static void addStored(WasteContext &Ctx) {
  if (Ctx.Stored.empty())
    return;
  AliasMembers Members(Ctx.Module->flow(), Ctx.Module->aliases());
  for (const StoredInvariant &S : Ctx.Stored) {
    if (!S.Array)
      continue;
    std::optional<StepRange> Range = Ctx.Memory.range(S.Array);
    HloValueId Array =
        Ctx.Module->find(Ctx.D[S.Array].Tag.Name, Ctx.D[S.Array].Tag.Index);
    if (!Array)
      continue;
    for (HloValueId Member : Members[Array])
      if (ValueId Line = Ctx.Module->lineOf(Member))
        if (auto Other = Ctx.Memory.range(Line); Other && Range)
          Range = {std::min(Range->Start, Other->Start),
                   std::max(Range->End, Other->End)};
    if (!Range)
      continue;
    uint64_t Bytes = Ctx.D[S.Array].Size / S.Trips * (S.Trips - 1);
    Ctx.add({WasteKind::StoredInvariant, S.Array, AllocationId(), ValueId(),
             Ctx.Memory.savedWithout(Ctx.Main, {{*Range, Bytes}}),
             fmt::format("{} is stored {} times by the {}, and no trip changes "
                         "it",
                         S.What, S.Trips, S.Loop),
             "return it once, and broadcast it where it is read"});
  }
}

void hlobuf::findCopies(WasteContext &Ctx) {
  if (!Ctx.Module || !Ctx.Module->derivesTime() || !Ctx.Memory.isTimed())
    return;
  CopyFinder Finder(*Ctx.Module, Ctx.Names);
  Ctx.Copies = Finder.find(Ctx.Threshold);
  Ctx.Donated = findDonationSavings(Ctx.Memory, Ctx.Main, *Ctx.Module,
                                    Ctx.Names, Finder, *Ctx.Copies);
  Ctx.Stored = findStoredInvariants(*Ctx.Module, Finder, Ctx.Names);
  Ctx.Recomputed =
      findRecomputations(Ctx.Memory, Ctx.Main, *Ctx.Module, Finder.traffic());
  addLossyDonations(Ctx);
  addStored(Ctx);
  CopiedResults Undonated{ResultPlan(Ctx), {}}, Returned{ResultPlan(Ctx), {}};
  for (const CopyRow &Row : Ctx.Copies->Rows) {
    ValueId Copy = Row.To ? Ctx.Module->lineOf(Row.To) : ValueId();
    ValueId From = Row.From ? Ctx.Module->lineOf(Row.From) : ValueId();
    if (!Copy || Row.Bytes < MinWaste)
      continue;
    Waste Item{WasteKind::Copy,
               Copy,
               Ctx.D[Copy].Owner,
               From,
               0,
               fmt::format("copy of {} ({}, {} in one run): {}", Row.What,
                           causeName(Row.Cause), humanBytes(Row.sum()),
                           Row.Why),
               Row.Change};
    auto Result = llvm::find_if(Ctx.Results, [&](const EntryResult &R) {
      return R.Owner == Item.Owner && Ctx.sameSet(Copy, R.Value);
    });
    bool Gives = Row.Cause == CopyCause::Undonated;
    if (Result == Ctx.Results.end() ||
        (!Gives && Row.Cause != CopyCause::Returned)) {
      Item.Saved = savedAtPeak(Ctx, Row, Copy);
      Ctx.add(std::move(Item));
      continue;
    }
    if (Ctx.Reported[Item.Owner.index()])
      continue;
    Ctx.Reported[Item.Owner.index()] = true;
    Item.ByDonation = Gives;
    if (Gives && From)
      Ctx.Donations.push_back({From, *Result});
    (Gives ? Undonated : Returned).add(std::move(Item), *Result);
  }
  Undonated.finish(Ctx);
  Returned.finish(Ctx);
}
