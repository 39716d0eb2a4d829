// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Memory/StoredInvariants.h"

using namespace hlobuf;

/// Smaller ones are counters.
static constexpr uint64_t MinStored = 64;

/// The dynamic-update-slice by which \p Id, or the fusion that it is, writes
/// into an array; invalid if there is none or more than one.
static HloId storedBy(const Program &P, HloId Id) {
  Part At{Id, 0};
  if (P[Id].Op == Opcode::Fusion) {
    HloId Root = P.root(P.callee(Id, CallRole::Calls));
    if (!Root || P.trees().isTuple(P[Root].Shape, 0))
      return {};
    At = lookThroughLayouts(P, {Root, 0});
  }
  return At && P[At.Id].Op == Opcode::DynamicUpdateSlice &&
                 P.operands(At.Id).size() >= 2
             ? At.Id
             : HloId();
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
    HloId Store = storedBy(P, Row.Id);
    auto IsSame = [&](HloId Operand) {
      return Finder.isInvariant({Operand, 0}, In, Row.Id);
    };
    // What is written to one place again and again is there once.
    if (!Store || !IsSame(P.operands(Store)[1]) ||
        llvm::all_of(P.operands(Store).drop_front(2), IsSame))
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
