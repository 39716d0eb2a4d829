// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dataflow/LiveRanges.h"

using namespace hlobuf;

LiveRanges::LiveRanges(const DataflowAnalysis &Flow,
                       const AliasAnalysis &Groups, const Schedule &Order,
                       const ReleaseRules &Rules)
    : Flow(Flow), P(Flow.program()), Groups(Groups), Order(Order), Rules(Rules),
      Donated(donatedValues(Flow)) {
  Ranges.reserve(Flow.values().size());
  for (HloValueId V : ids<HloValueId>(Flow.values().size()))
    Ranges.push_back(P.isFromTexts() ? findStated(V) : find(V));
  if (!P.isFromTexts())
    normalize();
}

int32_t LiveRanges::startOf(HloValueId V) const {
  HloId Definition = Flow[V].Definition;
  ComputationId C = P[Definition].Parent;
  int32_t Start = P[Definition].Op == Opcode::Parameter
                      ? Order.span(C).Start
                      : Order.time(Definition);
  auto IsResult = [&](const Part &Pos) {
    return P[Pos.Id].Root && P[Pos.Id].Parent == C;
  };
  if (Rules.AsyncRootStart && Order.asyncBody(C) == C &&
      llvm::any_of(Flow.positions(V), IsResult))
    for (HloId Caller : P.callers(C))
      if (P[Caller].Op == Opcode::AsyncStart)
        Start = std::max(Start, Order.time(Caller));
  return Start;
}

/// What an async body touches is kept until its async-done.
int32_t LiveRanges::endOfAsync(ComputationId C, int32_t End) const {
  for (HloId Caller : P.callers(Order.asyncBody(C))) {
    if (!isAsync(P[Caller].Op))
      continue;
    HloId Done =
        P[Caller].Op == Opcode::AsyncDone ? Caller : P.chains().end(Caller);
    bool InScope = P[Done].Op == Opcode::AsyncDone && Order.time(Done) >= 0;
    End = std::max(End, InScope ? Order.time(Done) : Order.span(C).End);
  }
  return End;
}

/// The last step where \p V is; of older releases, where a computation returns
/// it. -1 if there is none.
int32_t LiveRanges::lastPosition(HloValueId V) const {
  int32_t Last = -1;
  for (const Part &Pos : Flow.positions(V)) {
    ComputationId C = P[Pos.Id].Parent;
    if (P[Pos.Id].Root && Order.isFlattened(C))
      Last = std::max(Last, Order.span(C).End);
    else if (!P[Pos.Id].Root && Rules.PositionsCount)
      Last = std::max(Last, Order.time(Pos.Id));
  }
  return Last;
}

int32_t LiveRanges::lastUse(HloValueId V) const {
  int32_t Last = -1;
  Flow.forEachUse(V, [&](HloId User, uint32_t, const Part &) {
    if (P[User].Op == Opcode::Call && !Rules.CallUses)
      return;
    HloId Reader = User;
    if (P[User].Op == Opcode::While)
      if (ComputationId Body = P.callee(User, CallRole::Body))
        if (HloId Parameter = P.parameter(Body, 0))
          Reader = Parameter;
    Last = std::max(Last, Order.time(Reader));
  });
  return Last;
}

StepRange LiveRanges::find(HloValueId Id) const {
  const HloValue &V = Flow[Id];
  ComputationId C = P[V.Definition].Parent;
  if (Order.time(V.Definition) < 0 || !Order.isFlattened(C))
    return {-1, -1};
  StepRange Range = {startOf(Id), 0};
  bool IsReadOnly = P[V.Definition].Op == Opcode::Parameter &&
                    C == P.module().Entry && !Donated[Id.index()];
  if (IsReadOnly)
    return {Range.Start, Order.steps()};
  int32_t Use = lastUse(Id);
  Range.End = std::max(lastPosition(Id), Use);
  if (Rules.PositionsCount && Order.asyncBody(C))
    Range.End = endOfAsync(C, Range.End);
  if (!Rules.PositionsCount && Use < 0)
    Range.End = std::max(Range.End, Range.Start);
  return Range;
}

/// True if \p Pos is a result, `{1..}`, of an asynchronous start at \p Step.
/// The sugar collective-permute-start is spelled like an opcode of its own.
bool LiveRanges::isAsyncResult(const Position &Pos, int32_t Step) const {
  const Facts &DumpFacts = P.facts();
  auto Steps = DumpFacts.dump().Indices.steps(Pos.Index);
  if (Steps.empty() || Steps[0] != 1 || DumpFacts.time(Pos.Name) != Step)
    return false;
  const Instruction *I = DumpFacts.instruction(Pos.Name);
  StringRef Text = I ? opcodeText(I->Op.Op) : DumpFacts.dump().Names[Pos.Name];
  return Text.contains("-start") || (I && isAsync(I->Op.Op));
}

/// True if values of \p Name may start at \p Step, where an async-start is: as
/// its results (newer than 2026-08-22), or as the dynamic-update-slice of its
/// body, the operand of which the start holds (since 2026-08-03).
bool LiveRanges::startsWithAsync(NameId Name, int32_t Step) const {
  const Facts &DumpFacts = P.facts();
  const Dump &D = DumpFacts.dump();
  auto IsResult = [&](UsedId U) {
    return U && llvm::any_of(D.positions(D[U]), [&](const Position &Pos) {
             return isAsyncResult(Pos, Step);
           });
  };
  const ReleaseWindow &Window = DumpFacts.release();
  if (!Window.until(Release::AsyncRootStart) &&
      llvm::any_of(DumpFacts.usedOfInstruction(Name),
                   [&](uint32_t U) { return IsResult(UsedId(U)); }))
    return true;
  return !Window.until(Release::AsyncUpdateSliceForwards) &&
         DumpFacts.opcode(Name) == Opcode::DynamicUpdateSlice &&
         llvm::any_of(DumpFacts.usesBy(Name), [&](uint32_t Row) {
           return D.Uses[Row].Operand == 0 &&
                  IsResult(DumpFacts.ownerOfUse(Row));
         });
}

/// Where a value starts for which \p Stated is stated. A parameter of another
/// computation than the entry starts with that, at or before its own step.
int32_t LiveRanges::statedStart(const HloValue &V, ShapeIndex Index,
                                int32_t Stated) const {
  const Facts &DumpFacts = P.facts();
  const HloNode &N = P[V.Definition];
  int32_t Step = Order.time(V.Definition);
  ValueId Line = DumpFacts.findValue(N.Name, Index);
  if (N.Op == Opcode::Parameter && Line && !DumpFacts.dump()[Line].Tag.Phi &&
      DumpFacts.dump()[DumpFacts.dump()[Line].Owner].isParameter())
    return 0;
  if (Stated > Step && startsWithAsync(N.Name, Stated))
    return Stated;
  return N.Opaque || N.Op == Opcode::Parameter ? std::clamp(Stated, 0, Step)
                                               : Step;
}

/// The last step where \p U is or is read, as far as that surely prolongs its
/// range; -1 if there is none. A loop reads its state in its body, and a call
/// does not count, which never has a text: then the callee's parameter holds
/// the value earlier, and has none either.
int32_t LiveRanges::lastStatedRead(UsedId U) const {
  const Facts &DumpFacts = P.facts();
  const Dump &D = DumpFacts.dump();
  int32_t Last = -1;
  int32_t Unknown = Order.steps();
  for (const Position &Pos : D.positions(D[U])) {
    int32_t Step = DumpFacts.time(Pos.Name);
    if (DumpFacts.release().since(Release::PositionsCount))
      Last = std::max(Last, Step);
    if (!DumpFacts.hasText(Pos.Name))
      Unknown = std::min(Unknown, Step);
  }
  bool Full = D.complete(Section::Texts) && DumpFacts.isFull();
  for (const Use &Row : D.uses(D[U])) {
    Opcode Op = DumpFacts.opcode(Row.Name);
    int32_t Step = DumpFacts.time(Row.Name);
    // A call defines nothing, and a loop phis alone.
    bool Defines =
        llvm::any_of(DumpFacts.usedOfInstruction(Row.Name),
                     [&](uint32_t Value) { return !D.Used[Value].Tag.Phi; });
    bool Known =
        DumpFacts.hasText(Row.Name) || Defines || (Full && Step <= Unknown);
    if (Known && Op != Opcode::While)
      Last = std::max(Last, Step);
  }
  return Last;
}

/// True if the range of \p Line may end early because another member of its
/// alias set, which has the same place, starts there.
bool LiveRanges::isCut(ValueId Line, StepRange Stated) {
  const Facts &DumpFacts = P.facts();
  const Dump &D = DumpFacts.dump();
  auto Key = [](const PlacedStart &S) {
    return std::tuple(S.Owner.index(), S.Offset, S.Step);
  };
  if (Starts.empty()) {
    for (size_t I = 0; I != D.Values.size(); ++I)
      if (auto Range = DumpFacts.range(ValueId(I)))
        Starts.push_back(
            {D.Values[I].Owner, D.Values[I].Offset, Range->Start, ValueId(I)});
    std::ranges::sort(Starts, {}, Key);
  }
  auto StartsAt = [&](int32_t Step, std::optional<int32_t> End = {}) {
    PlacedStart Expected = {D[Line].Owner, D[Line].Offset, Step, Line};
    auto [First, Last] =
        std::equal_range(Starts.begin(), Starts.end(), Expected,
                         [&](const PlacedStart &X, const PlacedStart &Y) {
                           return Key(X) < Key(Y);
                         });
    return std::any_of(First, Last, [&](const PlacedStart &S) {
      return S.Line != Line && (!End || DumpFacts.range(S.Line)->End == *End);
    });
  };
  return StartsAt(Stated.End) ||
         (!DumpFacts.release().since(Release::OldNormalization) &&
          (StartsAt(Stated.End + 1) || StartsAt(Stated.Start, Stated.End)));
}

/// True if \p Line, for which \p End is stated, lives as long as the program:
/// it is the last one in the allocation of an output, or alone in that of a
/// parameter, which is not donated then.
bool LiveRanges::isKept(ValueId Line, int32_t End) const {
  const Dump &D = P.facts().dump();
  const Allocation &Alloc = D[D[Line].Owner];
  if (!Alloc.MaybeLiveOut && !(Alloc.Parameter && Alloc.Values.size() == 1))
    return false;
  // Most often one of the last ones lives to the end.
  for (uint32_t I = Alloc.Values.End; I-- != Alloc.Values.Begin;) {
    auto Other = P.facts().range(ValueId(I));
    if (!Other || Other->End > End || (Other->End == End && I > Line.index()))
      return false;
  }
  return true;
}

StepRange LiveRanges::findStated(HloValueId Id) {
  const HloValue &V = Flow[Id];
  const Facts &DumpFacts = P.facts();
  int32_t Step = Order.time(V.Definition);
  if (Step < 0)
    return {-1, -1};
  NameId Name = P[V.Definition].Name;
  ShapeIndex Index = P.trees().index(P[V.Definition].Shape, V.Ordinal);
  auto Stated = DumpFacts.range(Name, Index);
  StepRange Range = Stated.value_or(StepRange{Step, Step});
  Range.Start = statedStart(V, Index, Range.Start);
  Range.End = std::clamp(Range.End, Range.Start, Order.steps());
  UsedId U = DumpFacts.findUsed(Name, Index);
  ValueId Line = DumpFacts.findValue(Name, Index);
  int32_t Last = U && Line ? lastStatedRead(U) : -1;
  if (Last > Range.End && !(Stated && isCut(Line, *Stated)))
    Range.End = Last;
  if (!U || !Line || !Stated)
    return Range;
  if (isKept(Line, Stated->End))
    Range.End = Order.steps();
  // Others than outputs and parameters end before the program does.
  const Allocation &Alloc = DumpFacts.dump()[DumpFacts.dump()[Line].Owner];
  bool MayBeKept = Alloc.Parameter || Alloc.MaybeLiveOut;
  Range.End = std::min(Range.End, Order.steps() - !MayBeKept);
  return Range;
}

void LiveRanges::normalize() {
  const Facts &DumpFacts = P.facts();
  // Ids of the dump decide between equal ranges, as in the compiler.
  auto IdOf = [&](uint32_t V) -> uint32_t {
    const HloValue &Value = Flow[HloValueId(V)];
    const HloNode &N = P[Value.Definition];
    if (!N.Name)
      return 0;
    ValueId Line =
        DumpFacts.findValue(N.Name, P.trees().index(N.Shape, Value.Ordinal));
    return Line ? DumpFacts.dump()[Line].Tag.Id : 0;
  };
  std::vector<uint32_t> Members;
  std::vector<uint32_t> Sizes(Ranges.size(), 0);
  for (uint32_t V = 0; V != Ranges.size(); ++V)
    if (Ranges[V].Start >= 0)
      ++Sizes[Groups.group(HloValueId(V)).index()];
  for (uint32_t V = 0; V != Ranges.size(); ++V)
    if (Ranges[V].Start >= 0 && Sizes[Groups.group(HloValueId(V)).index()] > 1)
      Members.push_back(V);
  auto Group = [&](uint32_t V) { return Groups.group(HloValueId(V)).index(); };
  llvm::sort(Members, [&](uint32_t X, uint32_t Y) {
    auto Key = [&](uint32_t V) {
      return std::tuple(Group(V), Ranges[V].Start, Ranges[V].End);
    };
    auto KeyX = Key(X);
    auto KeyY = Key(Y);
    return KeyX != KeyY ? KeyX < KeyY
                        : std::pair(IdOf(X), X) < std::pair(IdOf(Y), Y);
  });
  for (size_t I = 1; I < Members.size(); ++I) {
    if (Group(Members[I - 1]) != Group(Members[I]))
      continue;
    StepRange &Before = Ranges[Members[I - 1]];
    StepRange &After = Ranges[Members[I]];
    if (!Rules.OldNormalization) {
      After.End = std::max(Before.End, After.End);
      Before.End = std::min(Before.End, After.Start);
    } else if (Before.Start == After.Start) {
      Before.End = After.End;
    } else if (Before.End >= After.Start) {
      After.End = std::max(Before.End, After.End);
      Before.End = After.Start - 1;
    }
  }
}
