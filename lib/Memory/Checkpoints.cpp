// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Memory/Checkpoints.h"
#include "Dataflow/ModuleAnalysis.h"
#include "Memory/Instructions.h"
#include "Memory/SetConflicts.h"
#include "Support/Format.h"
#include "Support/HumanBytes.h"
#include "Support/UnionFind.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/Path.h"
#include <map>

using namespace hlobuf;

static constexpr StringLiteral Mark = "rematted_computation";

namespace {

/// What one checkpoint computes again: instructions of one scope that depend on
/// each other.
struct Checkpoint {
  /// The calls that lead to all of it, the outermost first.
  std::optional<std::vector<SourceFrame>> Calls;
  uint64_t Products = 0;
  uint64_t Held = 0;
  /// By shape: how many products of that shape one run computes.
  std::map<uint32_t, uint64_t> Alike;
  /// What it reads, and does not compute.
  std::vector<HloId> Given;
  /// A loop is computed again.
  bool HasLoop = false;

  uint64_t layers() const;
};

class Finder {
public:
  Finder(const MemoryUse &Memory, const SpaceUse &Main,
         const ModuleAnalysis &Module, const Traffic &Bytes)
      : Memory(Memory), Main(Main), Module(Module), P(Module.program()),
        Bytes(Bytes), Scopes(P.size()), Sets(P.size()) {}

  std::vector<Recomputation> find();

private:
  StringRef opName(HloId Id) const {
    return readMetadata(attributesOf(P, Id)).OpName.value_or("");
  }
  SmallVector<HloId, 4> sources(HloId Id) const;
  void joinLoops(HloId Id);
  uint64_t runs(HloId Id) const;
  void add(HloId Id);
  void addHeld();
  void suggest(Recomputation &Row, const Checkpoint &C) const;

  const MemoryUse &Memory;
  const SpaceUse &Main;
  const ModuleAnalysis &Module;
  const Program &P;
  const Traffic &Bytes;
  /// By instruction: its op_name up to the mark; empty without one.
  std::vector<StringRef> Scopes;
  UnionFind Sets;
  /// By the smallest instruction of each.
  std::map<uint32_t, Checkpoint> Found;
};

} // namespace

/// As often as the rarest product of the usual ones: a tenth of all may be of
/// something else.
uint64_t Checkpoint::layers() const {
  std::map<uint64_t, uint64_t> ByCount;
  for (auto [Shape, Times] : Alike)
    ByCount[Times] += Times;
  uint64_t Seen = 0;
  for (auto [Times, All] : ByCount)
    if (Times > 1 && (Seen += All) * 10 > Products)
      return Times;
  return 0;
}

/// What \p Id is computed from, through what the compiler made, whose op_name
/// has no scopes.
SmallVector<HloId, 4> Finder::sources(HloId Id) const {
  SmallVector<HloId, 4> Sources;
  SmallVector<HloId, 8> Work(P.operands(Id));
  for (unsigned Steps = 0; !Work.empty() && Steps != 16; ++Steps) {
    HloId Operand = Work.pop_back_val();
    HloId From = Operand ? traceOperation(P, Operand, 0).Computed : HloId();
    if (!From || P[From].Op == Opcode::Constant)
      continue;
    bool IsMade = !opName(From).contains('/') && !isGiven(P[From].Op);
    if (IsMade)
      llvm::append_range(Work, P.operands(From));
    else
      Sources.push_back(From);
  }
  return Sources;
}

/// A loop that is computed again is so with all of its body.
void Finder::joinLoops(HloId Id) {
  for (HloId Caller = callerOf(P, P[Id].Parent); Caller;
       Caller = callerOf(P, P[Caller].Parent))
    if (P[Caller].Op != Opcode::Fusion &&
        Scopes[Caller.index()] == Scopes[Id.index()])
      Sets.join(Id.index(), Caller.index());
}

/// How often one run executes \p Id, which may be in a fusion.
uint64_t Finder::runs(HloId Id) const {
  ComputationId In = P[Id].Parent;
  while (P.isFusionBody(In) && callerOf(P, In))
    In = P[callerOf(P, In)].Parent;
  return Bytes.runs(In).Most;
}

void Finder::add(HloId Id) {
  Checkpoint &C = Found[Sets.find(Id.index())];
  std::vector<SourceFrame> Calls = Module.facts().calls(attributesOf(P, Id));
  llvm::erase_if(
      Calls, [](const SourceFrame &F) { return F.Owner != FileOwner::User; });
  std::reverse(Calls.begin(), Calls.end());
  if (!Calls.empty() && C.Calls)
    C.Calls->resize(static_cast<size_t>(
        std::ranges::mismatch(*C.Calls, Calls).in1 - C.Calls->begin()));
  else if (!Calls.empty())
    C.Calls = std::move(Calls);
  C.HasLoop |= P[Id].Op == Opcode::While;
  for (HloId From : sources(Id))
    if (Scopes[From.index()].empty())
      C.Given.push_back(From);
  if (!isProduct(P, Id))
    return;
  C.Products += runs(Id);
  C.Alike[P[Id].Shape.index()] += runs(Id);
}

void Finder::addHeld() {
  for (const HeldValue &V : Memory.heldAtPeak(Main)) {
    HloValueId Value = Module.find(Memory.facts().dump()[V.Value].Tag.Name,
                                   Memory.facts().dump()[V.Value].Tag.Index);
    if (!Value)
      continue;
    const HloValue &Defined = Module.flow()[Value];
    TracedOperation Traced =
        traceOperation(P, Defined.Definition, Defined.Ordinal);
    for (HloId Id :
         {Traced.Computed, Traced.Loop, Traced.Buffered, Defined.Definition,
          callerOf(P, P[Defined.Definition].Parent)})
      if (Id && !Scopes[Id.index()].empty()) {
        Found[Sets.find(Id.index())].Held += V.Bytes;
        break;
      }
  }
}

/// With V bytes of what is computed again, and B of what goes from one layer to
/// the next, g checkpoints hold V / g + (g - 1) * B.
void Finder::suggest(Recomputation &Row, const Checkpoint &C) const {
  uint64_t Count = C.layers();
  uint64_t Between = 0;
  for (HloId Id : C.Given)
    if (C.Alike.count(P[Id].Shape.index()))
      if (uint64_t Size = Bytes.bytes({Id, 0}); Between == 0 || Size < Between)
        Between = Size;
  if (Between == 0 || Count < 2)
    return;
  uint64_t Best = Row.Held;
  for (uint64_t Group : llvm::seq<uint64_t>(1, Count)) {
    uint64_t Number = Count / Group;
    if (Count % Group != 0 || (C.HasLoop && Group != 1))
      continue;
    uint64_t Needed =
        llvm::SaturatingAdd(Row.Held / Number, (Number - 1) * Between);
    if (Needed >= Best)
      continue;
    Best = Needed;
    Row.Layers = Group;
  }
  Row.Predicted = Main.Peak - Row.Held + Best;
  Row.Peak = Main.Peak;
  Row.InLoop = C.HasLoop;
  if (Row.Predicted > Main.Peak / 10 * 9)
    Row.Layers = Row.Predicted = 0;
}

std::vector<Recomputation> Finder::find() {
  std::vector<HloId> Again;
  for (HloId Id : ids<HloId>(P.size()))
    if (StringRef Name = opName(Id); Name.contains(Mark)) {
      Scopes[Id.index()] = Name.take_front(Name.find(Mark));
      Again.push_back(Id);
    }
  for (HloId Id : Again) {
    for (HloId From : sources(Id))
      if (Scopes[From.index()] == Scopes[Id.index()])
        Sets.join(Id.index(), From.index());
    joinLoops(Id);
  }
  for (HloId Id : Again)
    add(Id);
  if (Again.empty())
    return {};
  addHeld();
  bool HasProducts = llvm::any_of(
      Found, [](const auto &Each) { return Each.second.Products != 0; });
  std::map<std::string, std::pair<Recomputation, const Checkpoint *>> Rows;
  for (const auto &[Set, C] : Found) {
    std::string Source;
    if (C.Calls && !C.Calls->empty())
      Source =
          fmt::format("{}:{}", llvm::sys::path::filename(C.Calls->back().File),
                      C.Calls->back().Line);
    auto &[Row, Only] = Rows[Source];
    Row.Source = Source;
    Row.Products += C.Products;
    Row.Held += C.Held;
    if (HasProducts ? C.Products == 0 : C.Held == 0)
      continue;
    Only = ++Row.Checkpoints == 1 ? &C : nullptr;
  }
  std::vector<Recomputation> Out;
  for (auto &[Source, Each] : Rows) {
    auto &[Row, Only] = Each;
    if (Only)
      suggest(Row, *Only);
    if (Row.Checkpoints != 0)
      Out.push_back(std::move(Row));
  }
  std::ranges::stable_sort(Out, std::greater(), &Recomputation::Held);
  return Out;
}

std::vector<Recomputation>
hlobuf::findRecomputations(const MemoryUse &Memory, const SpaceUse &Main,
                           const ModuleAnalysis &Module, const Traffic &Bytes) {
  return Finder(Memory, Main, Module, Bytes).find();
}

std::string Recomputation::title() const {
  // Where products are kept, one checkpoint is in parts.
  std::string By = Products == 0 ? "checkpoints"
                                 : counted(Checkpoints, "checkpoint") +
                                       (Checkpoints == 1 ? "" : " or parts");
  return fmt::format(
      "of these are computed again by {}{}{}", By,
      Source.empty() ? "" : " at " + Source,
      Products == 0 ? "" : ": " + counted(Products, "matrix product"));
}

std::string Recomputation::why() const {
  return Layers == 0
             ? ""
             : "one checkpoint covers all of it, so it is held at once, "
               "like what it replaced";
}

std::string Recomputation::change() const {
  if (Layers == 0)
    return "";
  return fmt::format("{}: about {} instead of {}, if computed one "
                     "after the other",
                     InLoop ? "a checkpoint of what the loop calls"
                     : Layers == 1
                         ? "one checkpoint for each layer"
                         : fmt::format("one for each {} layers", Layers),
                     humanBytes(Predicted), humanBytes(Peak));
}
