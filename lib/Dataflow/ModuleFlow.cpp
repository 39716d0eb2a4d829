// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dataflow/LocationGraph.h"
#include "Program/PartOrigins.h"

using namespace hlobuf;

namespace {
/// Links locations by one table for all releases. Where releases differ, what
/// the dump states decides, if its date does not.
struct ModuleFlow {
  void run();

  void link(Part At);
  bool isValue(Part At) const;
  Part movedSlice(Part At) const;
  bool isSince(Release Row, bool Shown) const {
    return Window.since(Row) || (!Window.until(Row) && Shown);
  }
  bool hasValue(Part At) const {
    NameId Name = P[At.Id].Name;
    return Name && (DumpFacts.findValue(Name, index(At)) ||
                    DumpFacts.rangeRow(Name, index(At)));
  }
  /// The dump says that \p At is at what \p Defined defines.
  bool isListedOf(HloId Defined, Part At) const {
    UsedId U = DumpFacts.valueAt(P[At.Id].Name, index(At));
    return U && DumpFacts.dump()[U].Tag.Name == P[Defined].Name;
  }
  ShapeIndex index(Part At) const {
    return P.trees().index(P[At.Id].Shape, At.Ordinal);
  }
  bool isTuple(Part At) const {
    return P.trees().isTuple(P[At.Id].Shape, At.Ordinal);
  }

  LocationGraph &Graph;
  const ReleaseWindow &Window;
  const Program &P = Graph.program();
  const Facts &DumpFacts = P.facts();
};
} // namespace

/// No release has a value at \p At, which comes from nowhere: the part of an
/// instruction that only forwards, what a computation gets or returns that is
/// not printed, or the table of several permuted operands.
static bool isNothing(const Program &P, Part At) {
  Opcode Op = P[At.Id].Op;
  ComputationId C = P[At.Id].Parent;
  if (Op == Opcode::Parameter)
    return !P.callers(C).empty() && !P.isEmbedded(C);
  auto Steps = P.steps(At);
  if (isAsync(Op))
    return Op == Opcode::AsyncDone || Steps.empty() || Steps[0] < 2;
  return definesNothing(Op) || isControlFlow(Op) ||
         (Op == Opcode::CollectivePermuteStart && Steps.size() == 1 &&
          Steps[0] == 0);
}

/// \p At is a value of its own in some releases, and in that of the dump.
bool ModuleFlow::isValue(Part At) const {
  switch (P[At.Id].Op) {
  case Opcode::SetDimensionSize:
    return isSince(Release::SetDimensionSizeForwards, hasValue(At));
  case Opcode::CustomCall:
    return isSince(Release::CustomCallForwards, hasValue(At));
  case Opcode::AsyncUpdate:
    return DumpFacts.dump().Indices.isAsyncContext(index(At)) &&
           isSince(Release::AsyncContextForwards, hasValue(At));
  default:
    return false;
  }
}

/// A chain that moves a slice may begin outside of its loop, and the bytes of a
/// dynamic-update-slice are those of the operand: what \p At, of such a chain,
/// is but the result of the wrapped instruction. Invalid if it is that.
Part ModuleFlow::movedSlice(Part At) const {
  ComputationId Body = wrappedComputation(P, At.Id);
  if (!Body || P.operands(At.Id).empty())
    return {};
  auto Steps = P.steps(At);
  HloId Before = P.operands(At.Id)[0];
  bool Updates = P[P.root(Body)].Op == Opcode::DynamicUpdateSlice;
  if (P[At.Id].Op == Opcode::AsyncStart) {
    bool Forwards = isSince(Release::AsyncUpdateSliceForwards,
                            !isListedOf(P.root(Body), At));
    return Updates && Forwards && Steps.size() == 1 && Steps[0] == 1
               ? Part{Before, 0}
               : Part();
  }
  Opcode From = P[Before].Op;
  if ((From != Opcode::GetTupleElement && From != Opcode::Tuple &&
       From != Opcode::While && From != Opcode::Parameter) ||
      (!Updates && P[P.root(Body)].Op != Opcode::DynamicSlice))
    return {};
  if (P[At.Id].Op == Opcode::AsyncDone)
    Steps.insert(Steps.begin(), 1);
  return Steps.empty() || Steps[0] == 0 ? Part() : P.partAt(Before, Steps);
}

void ModuleFlow::link(Part At) {
  uint32_t Location = Graph.location(At.Id, At.Ordinal);
  SmallVector<Part, 2> Origins;
  if (isAsync(P[At.Id].Op)) {
    if (isTuple(At) || isValue(At))
      return Graph.define(Location);
    if (Graph.isLateToken(At.Id, At.Ordinal))
      return Graph.join(Location, {});
    if (Part Slice = movedSlice(At))
      Origins = {Slice};
  }
  if (Origins.empty())
    Origins = originsOf(P, At, isValue(At));
  if (Origins.empty() && !isNothing(P, At))
    return Graph.define(Location);
  // Branches may share a computation, and a body may return its parameter.
  llvm::sort(Origins);
  Origins.erase(std::unique(Origins.begin(), Origins.end()), Origins.end());
  SmallVector<uint32_t, 2> Sources;
  for (Part Origin : Origins)
    if (Origin && Origin != At && Graph.hasLocations(Origin.Id))
      Sources.push_back(Graph.location(Origin.Id, Origin.Ordinal));
  Graph.join(Location, std::move(Sources));
}

void ModuleFlow::run() {
  P.forEachSlot([&](HloId Id) {
    for (uint32_t K = 0;
         Graph.hasLocations(Id) && K != P.trees().parts(P[Id].Shape); ++K)
      link({Id, K});
  });
  Graph.settlePhis(
      [&](HloId Id, uint32_t Ordinal) { return hasValue({Id, Ordinal}); });
}

void hlobuf::linkModuleFlow(LocationGraph &Graph, const ReleaseWindow &Window) {
  ModuleFlow{Graph, Window}.run();
}
