// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Memory/StoredInvariants.h"

using namespace hlobuf;

/// Smaller ones are counters.
static constexpr uint64_t MinStored = 64;

/// The update that \p Id, or the fusion that it is, writes into an array;
/// invalid if there is none or more than one.
static Part storedBy(const Program &P, HloId Id) {
  Part At{Id, 0};
  if (P[Id].Op == Opcode::Fusion) {
    HloId Root = P.root(P.callee(Id, CallRole::Calls));
    if (!Root || P.trees().isTuple(P[Root].Shape, 0))
      return {};
    At = lookThroughLayouts(P, {Root, 0});
  }
  if (!At || P[At.Id].Op != Opcode::DynamicUpdateSlice ||
      P.operands(At.Id).size() < 2)
    return {};
  return {P.operands(At.Id)[1], 0};
}

std::vector<StoredInvariant>
hlobuf::findStoredInvariants(const ModuleAnalysis &Module,
                             const CopyFinder &Finder,
                             const ValueNames &Names) {
  const Program &P = Module.program();
  std::vector<StoredInvariant> Out;
  for (const InstructionTraffic &Row : Finder.traffic().rows()) {
    ComputationId In = P[Row.Id].Parent;
    HloId Loop = callerOf(P, In);
    RunCount Runs = Finder.traffic().runs(In);
    if (Row.Written <= MinStored || Runs.Most < 2 ||
        roleOf(P, In) != CallRole::Body || !Loop)
      continue;
    auto Updates = Finder.traffic().updates(Row.Id);
    if (Updates.size() != 1 || !Updates[0].InPlace)
      continue;
    Part Stored = storedBy(P, Row.Id);
    if (!Stored || !Finder.isInvariant(Stored, In, Row.Id))
      continue;
    HloValueId V = Module.flow().at(Row.Id, 0);
    ValueId Array = V ? Module.lineOf(V) : ValueId();
    Out.push_back({P.spell(Row.Id), Array,
                   Array ? Names[Array].Operation : Finder.spell(Row.Id, false),
                   withoutFolders(Names.loopText(P[Loop].Name)), Row.Written,
                   Runs.Most});
  }
  std::ranges::stable_sort(Out, std::greater(), [](const StoredInvariant &S) {
    return S.Bytes * S.Trips;
  });
  return Out;
}
