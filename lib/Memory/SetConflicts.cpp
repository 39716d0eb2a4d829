// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Memory/SetConflicts.h"
#include "Memory/FusionReads.h"
#include "llvm/ADT/DenseSet.h"

using namespace hlobuf;

/// Members of a set that are looked at, copies that are looked through, and
/// callers of callers.
static constexpr size_t MaxCompared = 512;
static constexpr unsigned MaxCopied = 64;
static constexpr unsigned MaxNesting = 64;

HloId hlobuf::callerOf(const Program &P, ComputationId C) {
  ArrayRef<HloId> Callers = P.callers(C);
  return Callers.empty() ? HloId() : Callers.front();
}

CallRole hlobuf::roleOf(const Program &P, ComputationId C) {
  if (HloId Caller = callerOf(P, C))
    for (const HloCall &Call : P.calls(Caller))
      if (Call.Callee == C)
        return Call.Role;
  return CallRole::Calls;
}

HloValueId SetConflicts::origin(HloValueId V) const {
  for (unsigned I = 0; V && I != MaxCopied; ++I) {
    HloId Id = Module.flow()[V].Definition;
    if (!copiedPart(P, Id))
      break;
    HloValueId From = Module.flow().at(P.operands(Id)[0], 0);
    if (!From)
      break;
    V = From;
  }
  return V;
}

HloId SetConflicts::lastReader(HloValueId V) const {
  HloId Last;
  Module.flow().forEachUse(V, [&](HloId User, uint32_t, Part) {
    if (!accessesNoMemory(P[User].Op) &&
        (!Last || Module.schedule().time(User) > Module.schedule().time(Last)))
      Last = User;
  });
  return Last;
}

HloId SetConflicts::writer(HloValueId V) const {
  HloId Id = Module.flow()[V].Definition;
  HloId Caller = callerOf(P, P[Id].Parent);
  return P[Id].Op == Opcode::Parameter && Caller ? Caller : Id;
}

HloId SetConflicts::runner(HloId Id, ComputationId C) const {
  for (unsigned Depth = 0; Id && P[Id].Parent != C; ++Depth) {
    if (Depth == MaxNesting)
      return {};
    Id = callerOf(P, P[Id].Parent);
  }
  return Id;
}

/// One conditional runs either the one or the other.
bool SetConflicts::excludeEachOther(HloId A, HloId B) const {
  DenseMap<uint32_t, ComputationId> Branches;
  auto Climb = [&](HloId Id, function_ref<bool(HloId, ComputationId)> Visit) {
    for (unsigned Depth = 0; Id && Depth != MaxNesting; ++Depth) {
      ComputationId C = P[Id].Parent;
      Id = callerOf(P, C);
      if (Id && P[Id].Op == Opcode::Conditional && Visit(Id, C))
        return true;
    }
    return false;
  };
  Climb(A, [&](HloId Id, ComputationId C) {
    Branches[Id.index()] = C;
    return false;
  });
  return Climb(B, [&](HloId Id, ComputationId C) {
    auto Other = Branches.find(Id.index());
    return Other != Branches.end() && Other->second != C;
  });
}

namespace {
struct Lifetime {
  HloValueId V;
  StepRange Range;
};
} // namespace

std::optional<Conflict> SetConflicts::find(ArrayRef<HloValueId> Values) const {
  const DataflowAnalysis &Flow = Module.flow();
  const AliasAnalysis &Sets = Module.aliases();
  std::vector<Lifetime> All;
  DenseSet<uint32_t> Seen;
  for (HloValueId Of : Values)
    if (Of && Seen.insert(Sets.group(Of).index()).second)
      for (HloValueId V : Members[Of].take_front(MaxCompared))
        if (auto Range = Module.ranges()[V];
            Range &&
            !P.trees().isTuple(P[Flow[V].Definition].Shape, Flow[V].Ordinal))
          All.push_back({V, *Range});
  std::ranges::stable_sort(All, {},
                           [](const Lifetime &L) { return L.Range.Start; });
  std::optional<Conflict> Best;
  int32_t Longest = -1;
  std::vector<Lifetime> Live;
  for (const Lifetime &Newer : All) {
    std::erase_if(Live, [&](const Lifetime &Older) {
      return Older.Range.End < Newer.Range.Start;
    });
    for (const Lifetime &Older : Live) {
      int32_t Both =
          std::min(Older.Range.End, Newer.Range.End) - Newer.Range.Start;
      if (Both <= Longest || Sets.same(Older.V, Newer.V) ||
          Older.Range.Start == Newer.Range.Start ||
          origin(Older.V) == origin(Newer.V) ||
          excludeEachOther(Flow[Older.V].Definition, Flow[Newer.V].Definition))
        continue;
      Longest = Both;
      Best = {Older.V,         Newer.V,         HloId(),
              writer(Newer.V), Older.Range.End, Newer.Range.Start};
      if (HloId Reader = lastReader(Older.V);
          Reader && Module.schedule().time(Reader) >= Older.Range.End)
        Best->Reader = Reader;
    }
    Live.push_back(Newer);
  }
  return Best;
}
