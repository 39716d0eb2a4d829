// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Memory/Donations.h"
#include "Support/Format.h"
#include "llvm/ADT/DenseSet.h"

using namespace hlobuf;

/// Donations that are looked at one by one, the largest first: each costs a
/// walk over all temps.
static constexpr size_t MaxSingle = 32;

namespace {
struct DonationFinder {
  DonationTable run();

  DenseSet<uint32_t> takenTemps(HloValueId Argument, Part Result,
                                const CopyRow *&Row) const;
  DenseSet<uint32_t> displaced(HloValueId Argument, ValueId Line,
                               const DenseSet<uint32_t> &Temps) const;
  /// Of the \p Bytes of results, what is saved where \p Temps would go and
  /// \p Added would need another place.
  uint64_t savedOf(uint64_t Bytes, const DenseSet<uint32_t> &Temps,
                   const DenseSet<uint32_t> &Added) const {
    uint64_t Most = Memory.mostLive(Temps, Added);
    return Most >= MostLive ? Bytes + std::min(Bytes, Most - MostLive)
                            : Bytes - std::min(Bytes, MostLive - Most);
  }

  const MemoryUse &Memory;
  const SpaceUse &Main;
  const ModuleAnalysis &Module;
  const ValueNames &Names;
  const CopyFinder &Finder;
  const CopyTable &Copies;
  const Dump &D = Module.facts().dump();
  const Program &P = Module.program();
  uint64_t MostLive = Memory.mostLive({}, {});
};
} // namespace

/// The values in temps that would go away without the pair, and the row of the
/// copies among them: those on the way to the result, and copies that keep what
/// the argument held.
DenseSet<uint32_t> DonationFinder::takenTemps(HloValueId Argument, Part Result,
                                              const CopyRow *&Row) const {
  SmallVector<HloId, 8> Path;
  Part Start = Finder.walkBack(Result, Path);
  SmallVector<HloValueId, 8> Values;
  auto Add = [&](Part At) {
    if (HloValueId V = At ? Module.flow().at(At.Id, At.Ordinal) : HloValueId())
      Values.push_back(V);
  };
  Add(Start);
  for (HloId Id : Path) {
    Add({Id, 0});
    if (copiedPart(P, Id))
      Add({P.operands(Id)[0], 0});
  }
  for (const CopyRow &Each : Copies.Rows) {
    bool Keeps = Each.From == Argument && Each.To &&
                 !Module.aliases().same(Each.To, Argument);
    bool OnWay = llvm::any_of(
        Path, [&](HloId Id) { return llvm::is_contained(Each.Copies, Id); });
    if (Keeps)
      Values.push_back(Each.To);
    if ((Keeps || OnWay) && !Row)
      Row = &Each;
  }
  DenseSet<uint32_t> Temps;
  for (HloValueId V : Values)
    for (HloValueId Member : Finder.conflicts().members(V))
      if (ValueId Line = Module.lineOf(Member);
          Line && Memory.kind(Line) == MemoryKind::Temp &&
          D[D[Line].Owner].color() == Main.Color)
        Temps.insert(Line.index());
  return Temps;
}

/// What loops have in the argument's memory, and would not have in that of its
/// result, which \p Temps would move to. Others find room in other results.
DenseSet<uint32_t>
DonationFinder::displaced(HloValueId Argument, ValueId Line,
                          const DenseSet<uint32_t> &Temps) const {
  DenseSet<uint32_t> Out;
  ArrayRef<HloValueId> Set = Finder.conflicts().members(Argument);
  for (ValueId V : Dump::valueIds(D[D[Line].Owner])) {
    HloValueId Flow = Module.find(D[V].Tag.Name, D[V].Tag.Index);
    std::optional<StepRange> Range = Memory.range(V);
    if (!Range || !Flow || llvm::is_contained(Set, Flow) ||
        P[Module.flow()[Flow].Definition].Parent == P.module().Entry)
      continue;
    if (llvm::any_of(Temps, [&](uint32_t I) {
          std::optional<StepRange> Other = Memory.range(ValueId(I));
          return Other && Other->Start <= Range->End &&
                 Range->Start <= Other->End;
        }))
      Out.insert(V.index());
  }
  return Out;
}

DonationTable DonationFinder::run() {
  struct Pair {
    Donation Item;
    DenseSet<uint32_t> Temps;
    DenseSet<uint32_t> Added;
  };
  DonationTable Table;
  std::vector<Pair> Pairs;
  DenseSet<uint32_t> All, AllAdded;
  HloId Root = P.root(P.module().Entry);
  for (const HloAlias &Alias : P.module().Aliases) {
    HloId Parameter = P.parameter(P.module().Entry, Alias.Parameter);
    auto From = Parameter ? P.trees().ordinal(P[Parameter].Shape, Alias.Index)
                          : std::nullopt;
    auto To = P.trees().ordinal(P[Root].Shape, Alias.Output);
    HloValueId Argument =
        From ? Module.flow().at(Parameter, *From) : HloValueId();
    ValueId Line = Argument ? Module.lineOf(Argument) : ValueId();
    if (!Line || !To || D[D[Line].Owner].color() != Main.Color)
      continue;
    const CopyRow *Row = nullptr;
    ValueName Called = Names[Line];
    Pair New{{Called.ReadBy.empty() ? Called.Operation : Called.text(), Line,
              D[Line].Size, D[Line].Size, "", ""},
             takenTemps(Argument, {Root, *To}, Row),
             {}};
    New.Added = displaced(Argument, Line, New.Temps);
    if (Row) {
      New.Item.Why = Row->Why;
      New.Item.Change = Row->Change;
    }
    ++Table.Count;
    Table.Bytes += New.Item.Bytes;
    All.insert(New.Temps.begin(), New.Temps.end());
    AllAdded.insert(New.Added.begin(), New.Added.end());
    if (!New.Temps.empty())
      Pairs.push_back(std::move(New));
  }
  Table.Saved = All.empty() ? Table.Bytes : savedOf(Table.Bytes, All, AllAdded);
  Table.Exact = MostLive == 0;
  std::ranges::stable_sort(Pairs, std::greater(),
                           [](const Pair &X) { return X.Item.Bytes; });
  for (Pair &Each : llvm::MutableArrayRef<Pair>(Pairs).take_front(MaxSingle)) {
    Each.Item.Saved = savedOf(Each.Item.Bytes, Each.Temps, Each.Added);
    if (Each.Item.Saved < Each.Item.Bytes)
      Table.Lossy.push_back(std::move(Each.Item));
  }
  std::ranges::stable_sort(Table.Lossy, std::greater(),
                           [](const Donation &X) { return X.Bytes - X.Saved; });
  return Table;
}

DonationTable hlobuf::findDonationSavings(const MemoryUse &Memory,
                                          const SpaceUse &Main,
                                          const ModuleAnalysis &Module,
                                          const ValueNames &Names,
                                          const CopyFinder &Finder,
                                          const CopyTable &Copies) {
  return DonationFinder{Memory, Main, Module, Names, Finder, Copies}.run();
}
