// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Memory/WasteContext.h"
#include "Dataflow/ModuleAnalysis.h"
#include "Memory/Instructions.h"
#include <map>

using namespace hlobuf;

StringRef hlobuf::checkOf(WasteKind Kind) {
  static constexpr StringRef Checks[] = {
#define HLOBUF_WASTE(Kind, Id, When, Needs, Summary) Id,
#include "Memory/Waste.def"
  };
  return Checks[static_cast<size_t>(Kind)];
}

WasteContext::WasteContext(const MemoryUse &Memory, const ValueNames &Names,
                           const SpaceUse &Main, const ModuleAnalysis *Module)
    : Memory(Memory), Names(Names), DumpFacts(Memory.facts()),
      D(DumpFacts.dump()), Main(Main), Module(Module),
      Threshold(std::max(MinWaste, Main.Allocated / WasteShare)),
      Reported(D.Allocations.size(), false) {
  // Smaller ones save less than the threshold.
  if (Memory.isTimed())
    llvm::copy_if(Memory.heldAtPeak(Main), std::back_inserter(PeakValues),
                  [&](const HeldValue &V) { return V.Bytes >= Threshold; });
  findEntry();
}

void WasteContext::add(Waste Item) {
  Item.Small = Item.Saved < Threshold;
  if (Item.Small && Item.Kind != WasteKind::PossibleDonation &&
      Item.Kind != WasteKind::UnusedDonation)
    return;
  if (!Item.Owner && Item.Value)
    Item.Owner = D[Item.Value].Owner;
  Items.push_back(std::move(Item));
}

std::string WasteContext::describe(ValueId V) const {
  return isEntryParameter(V) ? Names[V].text() : Names.spell(V);
}

ValueId WasteContext::operand(NameId Name, uint32_t Number) const {
  return findValue(DumpFacts, findOperand(DumpFacts, Name, Number));
}

bool WasteContext::isEntryParameter(ValueId V) const {
  // The state of a loop is in the allocation of a donated argument, too.
  ComputationId Parent = parentOf(D[V].Tag.Name);
  return D[D[V].Owner].isParameter() && (!Parent || Parent == D.Module.Entry) &&
         findOpcode(DumpFacts, D[V].Tag.Name) == Opcode::Parameter;
}

int32_t WasteContext::useAfter(ValueId V, int32_t Step) const {
  int32_t First = -1;
  for (const Use &Reader : DumpFacts.readers(V))
    if (int32_t T = Memory.stepOf(Reader.Name);
        T > Step && (First < 0 || T < First))
      First = T;
  return First;
}

int32_t WasteContext::lastUse(ValueId V) const {
  NameId Last = Memory.lastReader(V);
  return Last ? Memory.stepOf(Last) : -1;
}

NameId WasteContext::readerAt(ValueId V, int32_t Step) const {
  for (const Use &Reader : DumpFacts.readers(V))
    if (Step >= 0 && Memory.stepOf(Reader.Name) == Step)
      return Reader.Name;
  return NameId();
}

ComputationId WasteContext::parentOf(NameId Name) const {
  HloId Id = D.Module.find(Name);
  return Id ? D.Module[Id].Parent : ComputationId();
}

bool WasteContext::sameSet(ValueId X, ValueId Y) const {
  if (!Module || X == Y)
    return X == Y;
  HloValueId FlowX = Module->find(D[X].Tag.Name, D[X].Tag.Index);
  HloValueId FlowY = Module->find(D[Y].Tag.Name, D[Y].Tag.Index);
  return FlowX && FlowY && Module->aliases().same(FlowX, FlowY);
}

void WasteContext::findEntry() {
  for (uint32_t I = 0; I != D.Allocations.size(); ++I) {
    const Allocation &Alloc = D.Allocations[I];
    if (Alloc.color() != Main.Color || !Alloc.isParameter())
      continue;
    auto Values = Dump::valueIds(Alloc);
    auto Parameter =
        llvm::find_if(Values, [&](ValueId V) { return isEntryParameter(V); });
    if (Parameter != Values.end())
      Parameters.push_back({AllocationId(I), *Parameter});
  }
  markDonated();
  if (Module)
    for (HloValueId V : findOwnResults(*Module, D, Main.Color))
      if (ValueId Line = Module->lineOf(V); D[D[Line].Owner].MaybeLiveOut)
        Results.push_back({D[Line].Owner, Line});
}

/// Marks what input_output_alias and buffer_donor name.
void WasteContext::markDonated() {
  std::map<std::pair<uint32_t, uint32_t>, EntryParameter *> ByNumber;
  for (EntryParameter &P : Parameters) {
    const Allocation &Alloc = D[P.Owner];
    ByNumber.try_emplace(std::pair(Alloc.ParameterNumber,
                                   Alloc.ParameterIndex.canonical().bits()),
                         &P);
    P.IsTaken = Alloc.MaybeLiveOut;
  }
  auto Find = [&](const auto &Item) -> EntryParameter * {
    auto Entry = ByNumber.find({Item.Parameter, Item.Index.canonical().bits()});
    return Entry == ByNumber.end() ? nullptr : Entry->second;
  };
  for (const HloAlias &Item : D.Module.Aliases)
    if (EntryParameter *P = Find(Item))
      P->IsTaken = P->IsDeclared = true;
  for (const HloDonor &Item : D.Module.Donors)
    if (EntryParameter *P = Find(Item))
      P->Donor = !P->IsTaken;
}

MemoryAnswers hlobuf::findAnswers(const MemoryUse &Memory,
                                  const ValueNames &Names,
                                  const ModuleAnalysis *Module) {
  const SpaceUse *Main = Memory.space(0);
  if (!Main)
    return {};
  if (Module && !Module->obstacle().empty())
    Module = nullptr;
  WasteContext Ctx(Memory, Names, *Main, Module);
  findCopies(Ctx);
  findDonations(Ctx);
  findPadding(Ctx);
  std::ranges::stable_sort(Ctx.Items, {}, [](const Waste &Item) {
    return std::pair(Item.Kind, ~Item.Saved);
  });
  return {std::move(Ctx.Items), std::move(Ctx.Copies), std::move(Ctx.Donated),
          std::move(Ctx.Stored), std::move(Ctx.Recomputed)};
}
