// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dataflow/ModuleAnalysis.h"
#include "Memory/WasteContext.h"

using namespace hlobuf;

/// Instructions that are asked for what they depend on, at most.
static constexpr size_t MaxAsked = 1 << 22;

ResultPlan::ResultPlan(const WasteContext &Ctx)
    : Ctx(Ctx), Budget(MaxAsked), Displaced(size_t(Ctx.Memory.steps()) + 2),
      Copies(Displaced.size()), Idle(Displaced.size()) {}

/// What \p Writer computes depends on all that read \p P: no schedule can have
/// a reader after it.
bool ResultPlan::isReadBefore(const EntryParameter &P, HloId Writer) {
  const Program &Graph = Ctx.Module->program();
  HloId Root = Graph.root(Ctx.D.Module.Entry);
  DenseSet<uint32_t> Missing;
  int32_t First = Ctx.Memory.steps();
  for (const Use &Reader : Ctx.DumpFacts.readers(P.Value)) {
    HloId Id = Graph.find(Reader.Name);
    if (!Id || Id == Writer || Id == Root ||
        Graph[Id].Parent != Ctx.D.Module.Entry)
      continue;
    Missing.insert(Id.index());
    First = std::min(First, Ctx.Memory.stepOf(Reader.Name));
  }
  DenseSet<uint32_t> Seen;
  SmallVector<HloId, 16> Work{Writer};
  while (!Work.empty() && !Missing.empty() && Budget != 0) {
    --Budget;
    for (HloId Operand : Graph.operands(Work.pop_back_val())) {
      if (!Operand || !Seen.insert(Operand.index()).second)
        continue;
      Missing.erase(Operand.index());
      if (Ctx.Memory.stepOf(Graph[Operand].Name) > First)
        Work.push_back(Operand);
    }
  }
  return Missing.empty() || Budget == 0;
}

void ResultPlan::add(const EntryResult &Result) {
  const Allocation &Alloc = Ctx.D[Result.Owner];
  Bytes += Alloc.Size;
  Gone.insert(Result.Owner.index());
  Ctx.Memory.addLive(
      Alloc, [&](ValueId V) { return !Ctx.sameSet(V, Result.Value); },
      Displaced);
}

/// An update is run as soon as its gradient is there, where that needs no more
/// memory.
void ResultPlan::addOperands(HloId Writer) {
  const Program &Graph = Ctx.Module->program();
  for (uint32_t I = 0; I != Graph.operands(Writer).size(); ++I) {
    ValueId V = Ctx.operand(Graph[Writer].Name, I);
    auto Readers = Ctx.DumpFacts.readers(V);
    if (!Readers.empty() && llvm::all_of(Readers, [&](const Use &Reader) {
          return Reader.Name == Graph[Writer].Name;
        }))
      Gradients.insert(V.index());
  }
}

void ResultPlan::give(const EntryParameter &P, const EntryResult &Result,
                      int32_t Written) {
  uint64_t Size = Ctx.D[P.Value].Size;
  int32_t First = std::max(0, Ctx.useAfter(P.Value, -1));
  int32_t Last = Ctx.lastUse(P.Value);
  HloId Writer = Ctx.D.Module.find(Ctx.D[Result.Value].Tag.Name);
  if (Writer && Ctx.D.Module[Writer].Parent != Ctx.D.Module.Entry)
    Writer = HloId();
  if (Ctx.DumpFacts.isTPU()) {
    addChange(Copies, {Written, Last}, Last > Written ? Size : 0);
    addChange(Idle, {Last + 1, Written - 1}, Size);
    return;
  }
  // It may write many results.
  if (Writer && Writers.insert(Writer.index()).second)
    addOperands(Writer);
  if (!Writer || isReadBefore(P, Writer)) {
    addChange(Idle, {Last + 1, Written - 1}, Size);
    return;
  }
  addChange(Copies, {First, std::max(Last, Written)}, Size);
  addChange(Idle, {First, Written - 1}, Size);
  LargestCopy = std::max(LargestCopy, Size);
}

uint64_t ResultPlan::saved() const {
  uint64_t Moved = 0;
  uint64_t Copied = 0;
  uint64_t Free = 0;
  uint64_t Most = 0;
  std::vector<uint64_t> Earlier(Displaced.size());
  for (uint32_t I : Gradients)
    if (std::optional<StepRange> Range = Ctx.Memory.range(ValueId(I));
        Range && (Ctx.Memory.kind(ValueId(I)) == MemoryKind::Temp ||
                  Gone.contains(Ctx.D.Values[I].Owner.index())))
      addChange(Earlier, {Range->Start + 2, Range->End}, Ctx.D.Values[I].Size);
  uint64_t Ended = 0;
  for (int32_t Step = 0; Step <= Ctx.Memory.steps(); ++Step) {
    size_t I = static_cast<size_t>(Step);
    Moved += Displaced[I];
    Copied += Copies[I];
    Free += Idle[I];
    Ended += Earlier[I];
    // Each copy but the first can have the memory of another argument.
    uint64_t More = std::max(Moved + Copied - std::min(Moved + Copied, Free),
                             std::min(Copied, LargestCopy));
    uint64_t Occupied = Ctx.Main.heldAt(Step) + More;
    Most = std::max(Most, Occupied - std::min(Occupied, Ended));
  }
  return Bytes - std::min(Bytes, Most - std::min(Most, Ctx.Main.Peak));
}

double ResultPlan::share() const {
  return Bytes == 0 ? 0 : double(saved()) / double(Bytes);
}
