// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Proof/Interpreter.h"
#include "Program/PartOrigins.h"
#include "Proof/SameBytes.h"
#include "Proof/TypeRules.h"
#include "Support/Format.h"

using namespace hlobuf;
using namespace hlobuf::proof;
using llvm::SparseBitVector;

/// Instructions that are executed, all rounds of loops together.
static constexpr size_t MaxInstructions = 3'000'000;
/// Computations that are entered at a time: no program nests as deeply.
static constexpr unsigned MaxNesting = 1000;

Interpreter::Interpreter(const ProofModel &X, Ledger &L)
    : X(X), P(X.P), L(L), Reads(X) {}

bool Interpreter::run() {
  State S(X, Sets);
  fillInputs(S);
  if (!compute(S, P.module().Entry))
    return false;
  checkEnd(S);
  assumeCarried();
  return runLocal(S);
}

/// The lines of \p Id, which \p Source becomes.
void Interpreter::addPhis(HloId Id, HloId Source, Bindings &All) const {
  for (uint32_t Leaf : X.Lines.leaves(Id)) {
    ValueId Line = X.Lines.line({Id, Leaf});
    Part From =
        Line ? X.Lines.partAt(Source, X.Lines.steps({Id, Leaf})) : Part();
    if (From)
      All.emplace_back(Line, X.Home.of(From));
  }
}

void Interpreter::fillInputs(State &S) {
  for (const Ledger::Row &R : L.rows(Topic::AtStart))
    S.fill(X.Lines.line({R.At, R.Part}));
  L.decide(Topic::AtStart, [&](const Obligation &O) -> Outcome {
    ValueId Line = X.Lines.line({O.At, O.Part});
    if (!S.holds(Line))
      return {Breach::OtherInputThere, S.lost(Line, "start")};
    if (!X.Lines.isGivenThere({O.At, O.Part}))
      return {Breach::NotGiven, Evidence{X.Lines.spell(Line), Line, {}}};
    return Rule::AloneInBytes;
  });
}

/// What \p C, which is embedded, gets from its caller.
void Interpreter::fillParameters(State &S, ComputationId C) {
  for (uint32_t N = 0; N != P.numParameters(C); ++N)
    if (HloId Id = P.parameter(C, N))
      for (uint32_t Leaf : X.Lines.leaves(Id))
        if (ValueId Line = X.Lines.line({Id, Leaf}))
          S.write(Line);
}

bool Interpreter::compute(State &S, ComputationId C) {
  if (++Depth > MaxNesting)
    return false;
  for (HloId Id : P.order(C))
    if (++Steps > MaxInstructions || !dispatch(S, Id))
      return false;
  if (C != P.module().Entry)
    checkResult(S, P.root(C));
  --Depth;
  return true;
}

void Interpreter::checkResult(const State &S, HloId Root) {
  for (uint32_t Leaf : X.Lines.leaves(Root)) {
    ValueId Line = X.Home.of({Root, Leaf});
    L.visit({Topic::Returned, Root, Leaf},
            !Line ? Outcome(Reason::SourceWithoutLine)
            : S.holds(Line)
                ? Outcome(Rule::BytesHoldIt)
                : Outcome(Breach::Overwritten, S.lost(Line, P.spell(Root))));
  }
}

bool Interpreter::dispatch(State &S, HloId Id) {
  switch (X.op(Id)) {
  case Opcode::While:
    return runLoop(S, Id);
  case Opcode::Conditional:
    return runBranches(S, Id);
  case Opcode::Call:
    if (!runCallee(S, Id, P.calls(Id)[0].Callee, P.operands(Id)))
      return false;
    bindResult(S, Id, P.calls(Id)[0].Callee);
    return true;
  default:
    if (X.From.startedAt(Id) && !runBody(S, Id))
      return false;
    step(S, Id);
    return true;
  }
}

bool Interpreter::runLoop(State &S, HloId Id) {
  ComputationId Condition = P.callee(Id, CallRole::Condition);
  ComputationId Body = P.callee(Id, CallRole::Body);
  HloId Heads[] = {Id, P.parameter(Condition, 0), P.parameter(Body, 0)};
  Bindings First, Again;
  for (HloId Head : Heads) {
    addPhis(Head, P.operands(Id)[0], First);
    addPhis(Head, P.root(Body), Again);
  }
  S.bind(First);
  SparseBitVector<> Needed = Reads.of(Condition);
  Needed |= Reads.of(Body);
  for (bool Stable = false; !Stable;) {
    State Round = S;
    if (!compute(Round, Condition) || !compute(Round, Body))
      return false;
    Round.bind(Again);
    SmallVector<uint32_t, 8> Lost;
    S.meet(Round, Lost);
    Stable = llvm::none_of(Lost, [&](uint32_t V) { return Needed.test(V); });
  }
  return compute(S, Condition);
}

/// Runs \p Callee with \p Arguments; an embedded caller's computations define
/// their own.
bool Interpreter::runCallee(State &S, HloId Caller, ComputationId Callee,
                            ArrayRef<HloId> Arguments) {
  Bindings In;
  if (X.Lines.isLocal(P[Caller].Parent))
    fillParameters(S, Callee);
  else
    for (uint32_t N = 0; N != P.numParameters(Callee); ++N)
      if (N < Arguments.size())
        addPhis(P.parameter(Callee, N), Arguments[N], In);
  S.bind(In);
  return compute(S, Callee);
}

/// The result of \p Caller is that of \p Callee.
void Interpreter::bindResult(State &S, HloId Caller, ComputationId Callee) {
  Bindings Out;
  addPhis(Caller, P.root(Callee), Out);
  S.bind(Out);
}

bool Interpreter::runBranches(State &S, HloId Id) {
  doReads(S, Id);
  std::optional<State> Joined;
  SmallVector<uint32_t, 8> Lost;
  for (auto [K, Call] : llvm::enumerate(P.calls(Id))) {
    State Branch = S;
    if (!runCallee(Branch, Id, Call.Callee, P.operands(Id)[K + 1]))
      return false;
    bindResult(Branch, Id, Call.Callee);
    if (Joined)
      Joined->meet(Branch, Lost);
    else
      Joined = std::move(Branch);
  }
  if (Joined)
    S = std::move(*Joined);
  return true;
}

/// The computation of an async chain, at the first element that has all that
/// it needs. Until the done, what it writes is unfinished.
bool Interpreter::runBody(State &S, HloId Id) {
  ComputationId Body = X.From.startedAt(Id);
  if (!runCallee(S, Id, Body, X.From.bound(Id)))
    return false;
  HloId Start = P.chains().start(Id);
  for (ComputationId C : X.From.inside(Body))
    for (HloId Inner : P.order(C))
      for (const PartWrite &W : X.Does.of(Inner).Writes) {
        if (Start)
          S.setPending(W.Line, Start);
        S.mark(W.Line, Body);
      }
  return true;
}

void Interpreter::step(State &S, HloId Id) {
  doReads(S, Id);
  if (isDone(X.op(Id)))
    finish(S, Id);
  if (joinsSlices(X, Id)) {
    joinSlices(S, Id);
    return;
  }
  doWrites(S, Id);
  Bindings All;
  if (X.op(Id) != Opcode::Parameter)
    for (const PartBinding &B : X.Does.of(Id).Bindings)
      All.emplace_back(B.Line, X.Home.of(B.Sources[0]));
  S.bind(All);
  if (isStart(X.op(Id)) && X.Does.of(Id).Writes.empty() && !X.From.wrapped(Id))
    L.visit({Topic::NotReadBefore, Id}, Rule::WritesNothing);
}

void Interpreter::doReads(const State &S, HloId Id) {
  Topic What = isDone(X.op(Id)) ? Topic::Awaited : Topic::Read;
  for (const PartRead &R : X.Does.of(Id).Reads) {
    L.visit({What, Id, 0, R.Operand, R.Ordinal}, read(S, Id, R));
    if (R.Home && What == Topic::Read)
      checkPending(S, Id, R);
  }
}

Outcome Interpreter::read(const State &S, HloId Id, const PartRead &R) {
  if (!R.Home)
    return {Reason::OperandWithoutLine, P.spell(Id)};
  bool Done = isDone(X.op(Id));
  if (X.From.isSparseCoreContext(X.operandPart(Id, R.Operand, R.Ordinal)))
    return Gate::SparseCoreContext;
  ComputationId Body = Done ? X.From.wrapped(Id) : ComputationId();
  bool Held = S.holds(R.Home);
  auto IsResult = [&](uint32_t Leaf) {
    return X.Home.of({P.root(Body), Leaf}) == R.Home;
  };
  // The computation may write on its own arguments, but not on its results.
  bool Own = !Held && Body && S.isOverwrittenBy(R.Home, Body) &&
             llvm::none_of(X.Lines.leaves(P.root(Body)), IsResult);
  if (!Held && !Own)
    return {
        Breach::Overwritten,
        S.lost(R.Home, fmt::format("{} operand {}", P.spell(Id), R.Operand))};
  if (X.op(Id) == Opcode::Unknown)
    return {Reason::UnknownOpcode, P.spell(Id)};
  return Own ? Rule::OverwrittenByOwn : Rule::BytesHoldIt;
}

/// What \p Id reads may be what another operation still writes.
void Interpreter::checkPending(const State &S, HloId Id, const PartRead &R) {
  ValueId Line = R.Home;
  HloId Start = S.pendingStart(Line);
  if (!Start)
    return;
  L.visit({Topic::NotReadBefore, Start},
          Outcome(Breach::ReadBeforeDone,
                  Evidence{fmt::format("{} reads {} of {}", P.spell(Id),
                                       X.Lines.spell(Line), P.spell(Start)),
                           Line,
                           {},
                           Id,
                           R.Operand}));
}

/// What \p Done waits for is finished.
void Interpreter::finish(State &S, HloId Done) {
  SmallVector<HloId, 2> Finished;
  auto Add = [&](HloId Start) {
    if (Start && !llvm::is_contained(Finished, Start))
      Finished.push_back(Start);
  };
  for (const PartRead &R : X.Does.of(Done).Reads)
    if (R.Home)
      Add(S.pendingStart(R.Home));
  if (ComputationId Body = X.From.wrapped(Done)) {
    for (HloId Start : P.callers(Body))
      if (S.isPending(Start))
        Add(Start);
    checkBody(S, Done, Body);
    Add(P.chains().start(Done));
  }
  for (HloId Start : Finished) {
    L.visit({Topic::NotReadBefore, Start}, Rule::NothingReadsBefore);
    S.finish(Start);
  }
}

void Interpreter::checkBody(const State &S, HloId Done, ComputationId Body) {
  for (ComputationId C : X.From.inside(Body))
    for (HloId Inner : P.order(C))
      for (const PartWrite &W : X.Does.of(Inner).Writes) {
        Obligation Owed = {Topic::BodyKept, Done, 0, Inner.index(), W.Ordinal};
        if (S.isOverwrittenBy(W.Line, Body))
          L.visit(Owed, Rule::UntouchedUntilDone);
        else
          L.visit(Owed, {Breach::OverwrittenBeforeDone,
                         S.lost(W.Line, P.spell(Done))});
      }
}

/// Nothing moves: the bytes are there if those of the operands are.
void Interpreter::joinSlices(State &S, HloId Id) {
  std::optional<bool> InPlace = areSlicesInPlace(X, Id);
  for (const PartWrite &W : X.Does.of(Id).Writes) {
    if (InPlace.value_or(false))
      S.add(W.Line);
    else
      S.write(W.Line);
    Obligation Owed = {Topic::Written, Id, W.Ordinal};
    if (!InPlace)
      L.visit(Owed, {Reason::NotSlices, P.spell(Id)});
    else if (!*InPlace)
      L.visit(Owed, {Breach::SlicesApart, P.spell(Id)});
    else
      L.visit(Owed, Rule::SlicesSideBySide);
  }
}

/// What keeps its bytes is there before the others write, and lost where they
/// do, but where a collective has written what is forwarded.
void Interpreter::doWrites(State &S, HloId Id) {
  ArrayRef<PartWrite> Writes = X.Does.of(Id).Writes;
  enum { Filled, Kept, Made, Handed };
  SmallVector<uint8_t, 4> Hows;
  for (const PartWrite &W : Writes)
    Hows.push_back(isFilledBuffer({Id, W.Ordinal}) ? Filled
                   : keeps(S, Id, W)               ? Kept
                   : mayForward(Id, W)             ? Handed
                                                   : Made);
  for (uint8_t How : {Filled, Kept, Made, Handed})
    for (auto [W, Own] : llvm::zip_equal(Writes, Hows))
      if (Own == How)
        How == Filled || How == Made ? S.write(W.Line) : S.add(W.Line);
  for (auto [W, Own] : llvm::zip_equal(Writes, Hows)) {
    L.visit({Topic::Written, Id, W.Ordinal}, written(S, Id, W, Own == Kept));
    if (isStart(X.op(Id)))
      S.setPending(W.Line, Id);
  }
}

/// True if a collective that a fusion of TPU runs makes \p Written, in the
/// buffer of an operand that another result is declared to be, too.
bool Interpreter::isFilledBuffer(Part Written) const {
  HloId Id = Written.Id;
  if (!P.facts().isTPU() || X.op(Id) != Opcode::Fusion)
    return false;
  Part Made =
      X.Lines.partAt(P.root(P.calls(Id)[0].Callee), X.Lines.steps(Written));
  auto From = Made ? P.forwardedPart(Made.Id, Made.Ordinal) : std::nullopt;
  if (!From || !isCollective(X.op(P.operands(Made.Id)[From->Operand])))
    return false;
  auto Buffer = declaredPart(P, Id, Written.Ordinal);
  return Buffer && llvm::any_of(X.Lines.leaves(Id), [&](uint32_t Leaf) {
           return Leaf != Written.Ordinal &&
                  declaredPart(P, Id, Leaf) == Buffer;
         });
}

/// An opcode that is not known may hand an operand on.
bool Interpreter::mayForward(HloId Id, const PartWrite &W) const {
  return X.op(Id) == Opcode::Unknown &&
         llvm::any_of(X.Does.of(Id).Reads, [&](const PartRead &R) {
           return R.Home && X.place(R.Home).beginsLike(X.place(W.Line));
         });
}

Outcome Interpreter::written(const State &S, HloId Id, const PartWrite &W,
                             bool Kept) {
  if (!S.holds(W.Line))
    return {Breach::TwoResults, S.lost(W.Line, P.spell(Id))};
  if (!Kept && !X.place(W.Line).empty() && X.Lines.isReadOnly(W.Line))
    return {Breach::ReadOnly, Evidence{X.Lines.spell(W.Line), W.Line, {}}};
  if (X.op(Id) == Opcode::Unknown)
    return {Reason::UnknownOpcode, P.spell(Id)};
  auto Fills = [&](const PartWrite &Other) {
    return Other.Ordinal != W.Ordinal &&
           X.place(Other.Line).meets(X.place(W.Line)) &&
           isFilledBuffer({Id, Other.Ordinal});
  };
  if (Kept && llvm::any_of(X.Does.of(Id).Writes, Fills))
    return Gate::CollectiveBuffer;
  return Kept ? Rule::Kept : Rule::OwnPlace;
}

/// \p Id writes the bytes that are there: an operand in its own place, as it
/// is, or a copy of what they are a copy of.
bool Interpreter::keeps(State &S, HloId Id, const PartWrite &W) {
  bool StartsCopy = X.op(Id) == Opcode::CopyStart && W.Ordinal == 1;
  if (X.op(Id) == Opcode::Copy || StartsCopy)
    return keepsCopy(S, Id, W);
  return forwardedOperand(X, {Id, W.Ordinal}).has_value();
}

bool Interpreter::keepsCopy(State &S, HloId Id, const PartWrite &W) {
  Part From = X.operandPart(Id, 0, 0);
  ValueId Home = X.Home.of(From);
  BytePlace Place = X.place(W.Line);
  if (!Home || !isSameType(X.Lines.shape(From), X.Lines.shape({Id, W.Ordinal})))
    return false;
  if (X.place(Home) == Place)
    return true;
  CopyOrigin Origin = copyOrigin(X, From);
  // A phi stands for another value in each round of a loop.
  return S.keepSame(W.Line, [&](ValueId Other) {
    return !X.Lines.dump()[Other].Tag.Phi &&
           copyOrigin(X, X.Lines.part(Other)) == Origin;
  });
}

Outcome Interpreter::output(const State &S, Part At) {
  ValueId Line = X.Home.of(At);
  if (!Line)
    return Reason::OutputWithoutLine;
  if (!S.holds(Line))
    return {Breach::OutputOverwritten, S.lost(Line, "end")};
  const Dump &D = X.Lines.dump();
  Evidence Shown = {X.Lines.spell(Line), Line, {}};
  if (S.pendingStart(Line))
    return {Breach::StillWritten, Shown};
  if (!X.place(Line).empty() && !D[D[Line].Owner].MaybeLiveOut)
    return {Breach::NotLiveOut, Shown};
  if (!X.place(Line).empty() && D[Line].Offset != 0)
    return {Breach::OutputAside, Shown};
  return Rule::OutputThere;
}

void Interpreter::checkEnd(const State &S) {
  L.decide(Topic::Output,
           [&](const Obligation &O) { return output(S, {O.At, O.Part}); });
  L.decide(Topic::InputKept, [&](const Obligation &O) -> Outcome {
    ValueId Line = X.Lines.line({O.At, O.Part});
    if (S.holds(Line))
      return Rule::InputUnchanged;
    return {Breach::InputOverwritten, S.lost(Line, "end")};
  });
}

/// Embedded computations, one after the other, each with the arguments of its
/// caller: a value that one finds there without having written it is not its
/// own.
bool Interpreter::runLocal(State &S) {
  for (ComputationId C : X.Lines.computations()) {
    ArrayRef<HloId> Callers = P.callers(C);
    bool Alone = Callers.empty() || llvm::any_of(Callers, [&](HloId Caller) {
                   return !isControlFlow(X.op(Caller));
                 });
    if (!X.Lines.isLocal(C) || X.Lines.isCarried(C) || !Alone)
      continue;
    fillParameters(S, C);
    if (!compute(S, C))
      return false;
  }
  return true;
}

void Interpreter::assumeCarried() {
  for (Topic What : {Topic::Read, Topic::Written, Topic::NotReadBefore,
                     Topic::Awaited, Topic::BodyKept, Topic::Returned})
    L.assume(What, Gate::CompiledElsewhere, [&](const Obligation &O) {
      return X.Lines.isCarried(P[O.At].Parent);
    });
}
