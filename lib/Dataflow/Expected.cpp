// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dataflow/Expected.h"
#include "Facts/Sizes.h"

using namespace hlobuf;

ExpectedFlags hlobuf::statedFlags(const Allocation &Alloc) {
  ExpectedFlags Flags;
  Flags.Constant = Alloc.Constant;
  Flags.ThreadLocal = Alloc.ThreadLocal;
  Flags.MaybeLiveOut = Alloc.MaybeLiveOut;
  if (Alloc.Parameter)
    Flags.Parameter = {Alloc.ParameterNumber, Alloc.ParameterIndex.canonical()};
  return Flags;
}

/// What texts tell of \p Alloc: it is that of the entry's parameter in it.
/// Parameters of other computations have no value of their own, or one that is
/// thread-local, or a phi. One that aliases a constant or another parameter
/// would be with that.
static ExpectedFlags flagsByTexts(const Facts &DumpFacts,
                                  const Allocation &Alloc) {
  const Dump &D = DumpFacts.dump();
  ExpectedFlags Flags = statedFlags(Alloc);
  if (DumpFacts.entryRoot() && !Alloc.Values.empty())
    Flags.MaybeLiveOut = llvm::any_of(D.values(Alloc), [&](const Value &V) {
      UsedId U = DumpFacts.findUsed(V.Tag.Name, V.Tag.Index);
      return U && DumpFacts.isLiveOut(U);
    });
  if (Alloc.ThreadLocal || Alloc.Constant || Alloc.Values.empty())
    return Flags;
  std::optional<std::pair<uint32_t, ShapeIndex>> Result;
  bool Unknown = false;
  for (const Value &V : D.values(Alloc)) {
    const Instruction *I = DumpFacts.instruction(V.Tag.Name);
    Unknown |= !I;
    if (!I || I->Op.Op != Opcode::Parameter || V.Tag.Phi)
      continue;
    std::pair Own(D.parameterNumber(*I), V.Tag.Index.canonical());
    if (!Result || Own == Flags.Parameter)
      Result = Own;
  }
  if (Result || !Unknown)
    Flags.Parameter = Result;
  return Flags;
}

static std::vector<ExpectedFlags> flagsByModule(const Derivation &Derived) {
  const Dump &D = Derived.facts().dump();
  const Program &P = Derived.program();
  const DataflowAnalysis &Flow = Derived.flow();
  struct SetFacts {
    HloValueId Parameter;
    bool Constant = false;
    bool AllLocal = true;
    bool LiveOut = false;
  };
  std::vector<SetFacts> Sets(Flow.values().size());
  HloId Root = P.root(P.module().Entry);
  for (HloValueId I : ids<HloValueId>(Flow.values().size())) {
    const HloValue &V = Flow[I];
    const HloNode &N = P[V.Definition];
    if (!P.hasBuffers(V.Definition))
      continue;
    SetFacts &Set = Sets[Derived.aliases().group(I).index()];
    Set.Constant |= N.Op == Opcode::Constant;
    if (N.Op == Opcode::Parameter && N.Parent == P.module().Entry &&
        !Set.Parameter)
      Set.Parameter = I;
    Set.AllLocal &= P.classOf(N.Parent) == ComputationClass::ThreadLocal;
  }
  for (uint32_t K = 0; K != P.trees().parts(P[Root].Shape); ++K)
    if (HloValueId V = Flow.at(Root, K))
      Sets[Derived.aliases().group(V).index()].LiveOut = true;
  std::vector<ExpectedFlags> All(D.Allocations.size());
  for (HloValueId I : ids<HloValueId>(Flow.values().size())) {
    ValueId Line =
        P.hasBuffers(Flow[I].Definition) ? Derived.lineOf(I) : ValueId();
    if (!Line)
      continue;
    const SetFacts &Set = Sets[Derived.aliases().group(I).index()];
    ExpectedFlags &Flags = All[D[Line].Owner.index()];
    if (Set.Constant) {
      Flags.Constant = true;
    } else if (Set.Parameter) {
      const HloValue &V = Flow[Set.Parameter];
      Flags.Parameter = {P[V.Definition].number(),
                         P.trees().index(P[V.Definition].Shape, V.Ordinal)};
    } else if (Set.AllLocal) {
      Flags.ThreadLocal = true;
      continue;
    }
    Flags.MaybeLiveOut |= Set.LiveOut;
  }
  return All;
}

ExpectedFlags HeaderFlags::operator[](AllocationId Id) const {
  const Facts &DumpFacts = Derived.facts();
  return Derived.program().isFromTexts()
             ? flagsByTexts(DumpFacts, DumpFacts.dump()[Id])
             : OfModule[Id.index()];
}

HeaderFlags::HeaderFlags(const Derivation &Derived) : Derived(Derived) {
  if (!Derived.program().isFromTexts())
    OfModule = flagsByModule(Derived);
}

std::vector<std::optional<uint64_t>>
hlobuf::expectedSizes(const Derivation &Derived) {
  const DataflowAnalysis &Flow = Derived.flow();
  const Program &P = Derived.program();
  const Dump &D = Derived.facts().dump();
  std::vector<std::optional<uint64_t>> Sizes(Flow.values().size(), 0);
  for (HloValueId I : ids<HloValueId>(Flow.values().size())) {
    const HloValue &V = Flow[I];
    if (!P.hasBuffers(V.Definition))
      continue;
    auto Own =
        ownBytes(D.Shapes, P.trees().part(P[V.Definition].Shape, V.Ordinal),
                 Derived.facts().backend(), 0);
    std::optional<uint64_t> &Set = Sizes[Derived.aliases().group(I).index()];
    if (!Own || !Set)
      Set.reset();
    else
      Set = std::max(*Set, *Own);
  }
  for (size_t I = 0; I != Flow.values().size(); ++I)
    Sizes[I] = Sizes[Derived.aliases().group(HloValueId(I)).index()];
  return Sizes;
}
