// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A result takes the memory of an argument where input_output_alias says so: of
// the same shape, and the argument is not read after the result is written
// (xla/hlo/ir/hlo_input_output_alias_config.h, 2019). JAX finds the pairs by
// shape (jax/_src/interpreters/mlir.py, _set_up_aliases).

#include "Dataflow/ModuleAnalysis.h"
#include "Memory/Instructions.h"
#include "Memory/MemoryTree.h"
#include "Memory/WasteContext.h"
#include "Support/Format.h"
#include <list>
#include <map>
#include <set>

using namespace hlobuf;

/// Arguments of its size that a result asks, at most: programs have as many as
/// layers, and each result finds its own among the first.
static constexpr unsigned MaxTried = 64;
/// The first step at which \p Result, or loop state that becomes it, is
/// written.
static std::optional<int32_t> firstWrite(const WasteContext &Ctx,
                                         const EntryResult &Result) {
  std::optional<int32_t> First;
  for (ValueId V : Dump::valueIds(Ctx.D[Result.Owner])) {
    std::optional<StepRange> Range = Ctx.Memory.range(V);
    if (Range && (!First || Range->Start < *First) &&
        Ctx.sameSet(V, Result.Value))
      First = Range->Start;
  }
  return First;
}

/// Nothing but the root reads \p V.
static bool isOnlyReturned(const WasteContext &Ctx, ValueId V) {
  NameId Root = Ctx.D.Module[Ctx.D.Module[Ctx.D.Module.Entry].Root].Name;
  return llvm::all_of(Ctx.DumpFacts.readers(V),
                      [&](const Use &Reader) { return Reader.Name == Root; });
}

/// The bytes of \p P are free when \p Result is written, or the instruction
/// that writes it at \p Written may do so in place.
static bool mayTake(const WasteContext &Ctx, const EntryResult &Result,
                    int32_t Written, const EntryParameter &P) {
  const Value &Argument = Ctx.D[P.Value];
  const Value &Returned = Ctx.D[Result.Value];
  if (P.IsTaken || !Argument.Shape || !Returned.Shape ||
      Argument.Size != Returned.Size ||
      !Ctx.D.Shapes.equalIgnoringLayout(Argument.Shape, Returned.Shape) ||
      Argument.Tag.Name == Returned.Tag.Name)
    return false;
  std::optional<StepRange> Last = Ctx.Memory.range(Result.Value);
  if (!Last)
    return false;
  // Later readers can be scheduled earlier where they do not need the result,
  // but not before a loop that works in its memory all the time.
  if (Ctx.lastUse(P.Value) > Written &&
      (Written != Last->Start || !isOnlyReturned(Ctx, Result.Value)))
    return false;
  NameId Reader = Ctx.readerAt(P.Value, Written);
  const Program &Graph = Ctx.Module->program();
  return !Reader ||
         readsInPlace(Graph, Graph.find(Reader), Graph.find(Argument.Tag.Name));
}

namespace {
/// Arguments with names that differ in numbers only become one entry.
struct ArgumentWaste {
  void add(Waste Item);
  /// Of the bytes that those of \p Kind have, \p Plan saves a part.
  void scale(WasteKind Kind, const ResultPlan &Plan);
  /// Adds all to the context.
  void finish();

  WasteContext &Ctx;
  /// By kind, shape and name without numbers.
  std::map<std::tuple<WasteKind, ShapeId, std::string>, Waste> Groups = {};
};
} // namespace

void ArgumentWaste::add(Waste Item) {
  std::string Name = Ctx.Names[Item.Value].OpName;
  auto [Entry, New] = Groups.try_emplace(
      std::tuple(Item.Kind, Ctx.D[Item.Value].Shape, withoutIndices(Name)),
      Item);
  if (New)
    return;
  Entry->second.Saved += Item.Saved;
  ++Entry->second.Count;
}

void ArgumentWaste::scale(WasteKind Kind, const ResultPlan &Plan) {
  double Share = Plan.share();
  for (auto &[Key, Item] : Groups)
    if (std::get<WasteKind>(Key) == Kind)
      Item.Saved = uint64_t(Share * double(Item.Saved));
}

void ArgumentWaste::finish() {
  for (auto &[Key, Item] : Groups) {
    const auto &[Kind, Shape, Name] = Key;
    std::string Spelled = Ctx.describe(Item.Value);
    if (Item.Count > 1)
      Spelled =
          fmt::format("{} arguments {}", Item.Count,
                      Name.empty() ? "like " + Ctx.D.spell(Item.Value) : Name);
    std::string Text = Shape ? Ctx.D.Shapes.plainText(Shape) : "";
    if (Kind == WasteKind::UnusedDonation)
      Item.Message = fmt::format(
          "{} {} donated, but no result of the program takes the memory ({})",
          Spelled, Item.Count > 1 ? "are" : "is", Text);
    else if (Item.Count > 1)
      Item.Message = fmt::format(
          "{} are not donated, but as many results have their shape {}",
          Spelled, Text);
    else
      Item.Message =
          fmt::format("{} is not donated, but result {} has its shape {}",
                      Spelled, Ctx.D.spell(Item.Other), Text);
    Ctx.add(std::move(Item));
  }
}

namespace {
/// What arguments a result asks for their memory, the best first.
enum class Giver : uint8_t {
  /// Nothing but what writes the result reads it.
  ReadOnce,
  /// What writes the result reads it.
  Read,
  Any,
};

/// Arguments by their bytes and the steps at which they are read.
class Givers {
public:
  explicit Givers(WasteContext &Ctx);
  /// The argument that can give its memory to \p Result, which is written from
  /// step \p Written on; null if none can.
  EntryParameter *find(const EntryResult &Result, int32_t Written, Giver Kind);

private:
  const WasteContext &Ctx;
  /// By bytes and step, -1 for Giver::Any, in the order of arguments. Those
  /// that gave their memory are removed when they are seen.
  std::map<std::pair<uint64_t, int32_t>, std::list<EntryParameter *>> Lists;
};
} // namespace

Givers::Givers(WasteContext &Ctx) : Ctx(Ctx) {
  std::vector<EntryParameter *> All;
  for (EntryParameter &P : Ctx.Parameters)
    if (!P.IsTaken && Ctx.D[P.Owner].Size >= MinWaste)
      All.push_back(&P);
  std::ranges::stable_sort(
      All, {}, [&](const auto *X) { return Ctx.D[X->Owner].ParameterNumber; });
  for (EntryParameter *P : All) {
    std::set<int32_t> Steps = {-1};
    for (const Use &Reader : Ctx.DumpFacts.readers(P->Value))
      Steps.insert(Ctx.Memory.stepOf(Reader.Name));
    for (int32_t Step : Steps)
      Lists[{Ctx.D[P->Value].Size, Step}].push_back(P);
  }
}

EntryParameter *Givers::find(const EntryResult &Result, int32_t Written,
                             Giver Kind) {
  std::list<EntryParameter *> &Known =
      Lists[{Ctx.D[Result.Value].Size, Kind == Giver::Any ? -1 : Written}];
  unsigned Tried = 0;
  for (auto Candidate = Known.begin();
       Candidate != Known.end() && Tried != MaxTried;) {
    if ((*Candidate)->IsTaken) {
      Candidate = Known.erase(Candidate);
      continue;
    }
    ArrayRef<Use> Readers = Ctx.DumpFacts.readers((*Candidate)->Value);
    bool Once = llvm::all_of(Readers, [&](const Use &Reader) {
      return Reader.Name == Readers.front().Name;
    });
    ++Tried;
    if ((Once || Kind != Giver::ReadOnce) &&
        mayTake(Ctx, Result, Written, **Candidate))
      return *Candidate;
    ++Candidate;
  }
  return nullptr;
}

static void findPossible(WasteContext &Ctx, ArgumentWaste &Out) {
  if (!Ctx.Module || !Ctx.Memory.isTimed())
    return;
  Givers Known(Ctx);
  ResultPlan Plan(Ctx);
  std::vector<bool> Done(Ctx.Results.size());
  for (Giver Kind : {Giver::ReadOnce, Giver::Read, Giver::Any})
    for (const auto &[I, Result] : llvm::enumerate(Ctx.Results)) {
      if (Done[I] || Ctx.Reported[Result.Owner.index()])
        continue;
      std::optional<int32_t> Written = firstWrite(Ctx, Result);
      EntryParameter *P =
          Written ? Known.find(Result, *Written, Kind) : nullptr;
      if (!P)
        continue;
      P->IsTaken = Done[I] = true;
      Plan.add(Result);
      Plan.give(*P, Result, *Written);
      Ctx.Donations.push_back({P->Value, Result});
      Out.add({WasteKind::PossibleDonation, P->Value, Result.Owner,
               Result.Value, Ctx.D[Result.Owner].Size, "",
               donationHint(Ctx.Names.frontend(), Ctx.Names[P->Value].OpName)});
    }
  Out.scale(WasteKind::PossibleDonation, Plan);
}

/// A result of its own could be in the memory of a donated argument if it had
/// its shape: each result for one argument, the largest first.
static void findUnused(const WasteContext &Ctx, ArgumentWaste &Out) {
  std::vector<const EntryParameter *> Unused;
  for (const EntryParameter &P : Ctx.Parameters)
    if (P.Donor || (P.IsDeclared && !Ctx.D[P.Owner].MaybeLiveOut))
      Unused.push_back(&P);
  auto Own = llvm::to_vector(llvm::make_pointer_range(Ctx.Results));
  auto BytesOf = [&](const auto *X) { return Ctx.D[X->Owner].Size; };
  std::ranges::stable_sort(Own, std::greater(), BytesOf);
  std::ranges::stable_sort(Unused, std::greater(), BytesOf);
  ResultPlan Plan(Ctx);
  for (size_t I = 0; I != std::min(Unused.size(), Own.size()); ++I) {
    Plan.add(*Own[I]);
    Out.add({WasteKind::UnusedDonation, Unused[I]->Value, Unused[I]->Owner,
             ValueId(), Ctx.D[Own[I]->Owner].Size, "",
             "return an array of the same shape, type and sharding instead of "
             "one of another shape or type, or do not donate it"});
  }
  Out.scale(WasteKind::UnusedDonation, Plan);
}

void hlobuf::findDonations(WasteContext &Ctx) {
  ArgumentWaste Arguments{Ctx};
  findPossible(Ctx, Arguments);
  findUnused(Ctx, Arguments);
  Arguments.finish();
}
