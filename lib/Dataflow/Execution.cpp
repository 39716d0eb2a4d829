// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dataflow/Execution.h"
#include "Dataflow/ExecutionPlan.h"
#include "Facts/Occupancy.h"
#include "llvm/ADT/DenseSet.h"

using namespace hlobuf;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace hlobuf {
/// The walk keeps its own stack: computations may be nested as deeply as they
/// are many.
class ExecutionWalk {
public:
  ExecutionWalk(const DataflowAnalysis &Flow, const AliasAnalysis &Groups,
                const Schedule &Order, Execution &Out);
  void run();

private:
  static constexpr size_t MaxSet = 8;

  /// Something that is under way, of which callees are walked in between.
  struct Task {
    enum class Kind : uint8_t { Computation, Round, Branch, Async };
    Kind Action;
    /// Of Computation: what is walked.
    ComputationId C = {};
    /// Of the others: the instruction.
    HloId Id = {};
    /// The next instruction of C; the number of the branch.
    size_t Next = 0;
    /// Where the round or branch began.
    size_t Mark = 0;
    /// What finished branches did.
    std::vector<std::vector<ExecutionPiece>> Paths = {};
  };

  void fill();
  void walk(ComputationId C) { Stack.push_back({Task::Kind::Computation, C}); }
  void resume();
  void step(HloId Id);
  void beginLoop(HloId Id);
  void beginRound(HloId Id);
  void endRound(const Task &Round);
  void beginBranch(Task Current);
  void endBranch(Task Current);
  void bindArgument(HloId Id, ComputationId Callee, uint32_t K);
  void beginAsync(HloId Id);
  void finish(HloId Id);
  void read(HloId Reader, const ExecutionRead &Read);
  ComputationId bodyEndingAt(HloId Id) const;
  HloValueId lockOf(ComputationId Body) const {
    return HloValueId(Flow.values().size() + Body.index());
  }
  bool isLock(HloValueId V) const { return V.index() >= Flow.values().size(); }
  void lock(ComputationId Body);
  void forEachWrite(ComputationId Body,
                    llvm::function_ref<void(HloValueId)> Visit) const;
  void readLocked(HloId Done, ComputationId Body);
  bool isThere(HloId Id, HloValueId V);
  void write(HloId Id);
  void nameOperands(HloId Id, HloValueId V);
  void keep(HloId Id, HloValueId V);
  void bind(ArrayRef<ExecutionBinding> Bindings);
  bool wroteItself(HloId Reader, HloValueId Read, HloValueId Written) const;
  void report(HloId Reader, const ExecutionRead &Read, HloValueId Written,
              const AllocationBytes &Damage);
  void stop(const char *Reason);

  const DataflowAnalysis &Flow;
  const Program &P;
  const AliasAnalysis &Groups;
  const Schedule &Order;
  Execution &Out;
  ExecutionPlan Plan;
  ExecutionMemory Memory;
  std::vector<Task> Stack;
  /// Pairs (reader, value).
  llvm::DenseSet<IdPair> Reported;
  uint64_t Limit;
  uint64_t Steps = 0;
  bool Stopped = false;
  /// So far each ConcatBitcast was one of slices.
  bool ConcatsSlices = true;
};
} // namespace hlobuf

ExecutionWalk::ExecutionWalk(const DataflowAnalysis &Flow,
                             const AliasAnalysis &Groups, const Schedule &Order,
                             Execution &Out)
    : Flow(Flow), P(Flow.program()), Groups(Groups), Order(Order), Out(Out),
      Plan(Flow, Order), Memory(P.facts().dump().Allocations.size()),
      Limit(64 * (Plan.size() + 1000)) {}

void ExecutionWalk::stop(const char *Reason) {
  if (!Stopped)
    Out.Reasons.push_back(Reason);
  Stopped = true;
}

void ExecutionWalk::run() {
  Out.Lines = Plan.lines();
  if (Plan.lacksPlaces())
    Out.Reasons.push_back("values that the assignment has no place for");
  if (!P.isTimed()) {
    stop("the module is not scheduled");
    return;
  }
  fill();
  walk(P.module().Entry);
  while (!Stack.empty() && !Stopped)
    resume();
  if (!Stopped)
    Plan.forEachReadAtEnd([&](const ExecutionRead &Read) {
      this->read(Read.Input ? Flow[Read.Value].Definition
                            : P.root(P.module().Entry),
                 Read);
    });
  llvm::stable_sort(
      Out.Clobbered, [&](const ClobberedRead &X, const ClobberedRead &Y) {
        auto Key = [&](const ClobberedRead &R) {
          return std::tuple(R.Operand ? Order.time(R.Reader) : Order.steps(),
                            R.Input, R.Operand, R.Value);
        };
        return Key(X) < Key(Y);
      });
}

/// What is there before the first step: constants, and what the entry
/// computation is given.
void ExecutionWalk::fill() {
  auto Name = [&](HloValueId V) { return P[Flow[V].Definition].Name; };
  for (size_t I = 0; I != Flow.values().size(); ++I) {
    HloValueId V(I);
    std::optional<AllocationBytes> Place = Plan.place(V);
    if (Place && P.isInput(Flow[V].Definition))
      Memory.fill(*Place, V, [&](HloValueId Old) {
        return Plan.place(Old) == Place &&
               haveSameLiteral(P.facts(), Name(V), Name(Old));
      });
  }
}

/// Goes on with what was begun last.
void ExecutionWalk::resume() {
  Task &Current = Stack.back();
  if (Current.Action == Task::Kind::Computation) {
    HloId Id = P.inOrder(Current.C, Current.Next++);
    if (!Id)
      return Stack.pop_back();
    if (++Steps + Memory.work() > Limit)
      return stop("paths through loops and calls are too many");
    return step(Id);
  }
  Task Done = std::move(Current);
  Stack.pop_back();
  switch (Done.Action) {
  case Task::Kind::Round:
    return endRound(Done);
  case Task::Kind::Branch:
    return endBranch(std::move(Done));
  default:
    return finish(Done.Id);
  }
}

void ExecutionWalk::step(HloId Id) {
  if (isAsync(P[Id].Op))
    return beginAsync(Id);
  switch (P[Id].Op) {
  case Opcode::While:
    return beginLoop(Id);
  case Opcode::Conditional:
    Plan.forEachRead(Id, [&](const ExecutionRead &Read) { read(Id, Read); });
    return beginBranch({Task::Kind::Branch, {}, Id});
  case Opcode::Call:
    for (const HloCall &Call : llvm::reverse(P.calls(Id)))
      walk(Call.Callee);
    return;
  default:
    return finish(Id);
  }
}

/// The body of an async chain that runs right before \p Id; invalid if none.
ComputationId ExecutionWalk::bodyEndingAt(HloId Id) const {
  ArrayRef<HloCall> Calls = P.calls(Id);
  bool Ends = isAsync(P[Id].Op) && !Calls.empty() &&
              Order.isFlattened(Calls[0].Callee) &&
              Order.span(Calls[0].Callee).End == Order.time(Id);
  return Ends ? Calls[0].Callee : ComputationId();
}

void ExecutionWalk::finish(HloId Id) {
  ComputationId Ending = bodyEndingAt(Id);
  if (ArrayRef<HloCall> Calls = P.calls(Id); P[Id].Op == Opcode::AsyncDone &&
                                             !Calls.empty() && !Ending &&
                                             Order.isFlattened(Calls[0].Callee))
    readLocked(Id, Calls[0].Callee);
  Plan.forEachRead(Id, [&](const ExecutionRead &Read) { read(Id, Read); });
  write(Id);
  if (Ending)
    lock(Ending);
}

void ExecutionWalk::beginLoop(HloId Id) {
  ComputationId Body = P.callee(Id, CallRole::Body);
  if (!Body || !P.callee(Id, CallRole::Condition) || P.operands(Id).empty() ||
      !P.root(Body))
    return stop("a loop has no condition, body or state");
  SmallVector<ExecutionBinding> Init;
  for (HloId Phis : Plan.loopPhis(Id))
    Plan.bind(Phis, P.operands(Id)[0], Init);
  bind(Init);
  beginRound(Id);
}

void ExecutionWalk::beginRound(HloId Id) {
  Stack.push_back({Task::Kind::Round, {}, Id, 0, Memory.mark()});
  walk(P.callee(Id, CallRole::Body));
  walk(P.callee(Id, CallRole::Condition));
}

/// The state becomes what is valid at the loop's head before and after the
/// round, and where that takes something that the loop reads, there is another
/// round. The state at the head is S, one round makes f(S) of it, and S' is the
/// part of S that f(S) holds too:
/// - It ends: S' is less than S, or the last round was this one, and there are
///   finitely many pieces and values.
/// - It is right: the last S is part of what there is when the loop begins, and
///   of f(S). More held before a round is never less held after it, so that by
///   induction bytes hold all of S each time round. What S lacks is missing on
///   some path: after as many rounds as it took to lose it.
/// - It is quick: a write takes the same from every state, so that all that
///   writes take is lost in the first round. From then on a phi is lost because
///   the one that it takes its value from was, one such step a round, so that
///   rounds are at most as many as the loop has phis, and two. Loops without
///   damage take one, or two.
/// What the loop defines itself does not count: it is defined again
/// before it is read.
void ExecutionWalk::endRound(const Task &Round) {
  ComputationId Body = P.callee(Round.Id, CallRole::Body);
  ComputationId Condition = P.callee(Round.Id, CallRole::Condition);
  SmallVector<ExecutionBinding> Next;
  for (HloId Phis : Plan.loopPhis(Round.Id))
    Plan.bind(Phis, P.root(Body), Next);
  bind(Next);
  std::vector<ExecutionPiece> Changes = Memory.takeBack(Round.Mark);
  int32_t Begin = Order.span(Condition).Start;
  int32_t End = Order.span(Body).End;
  bool Matters = false;
  Memory.merge(Changes, true, [&](HloValueId V) {
    if (isLock(V)) {
      Matters = true;
      return;
    }
    HloId Def = Flow[V].Definition;
    ComputationId C = P[Def].Parent;
    bool IsState =
        P[Def].Op == Opcode::Parameter && (C == Body || C == Condition);
    bool IsInner =
        !IsState && Order.time(Def) >= Begin && Order.time(Def) < End;
    Matters |= !IsInner && Plan.isReadIn(V, Begin, End);
  });
  if (Matters)
    beginRound(Round.Id);
  else
    walk(Condition);
}

/// A branch that is listed twice has phis for its parameters.
void ExecutionWalk::bindArgument(HloId Id, ComputationId Callee, uint32_t K) {
  SmallVector<ExecutionBinding> Bindings;
  if (HloId Parameter = P.parameter(Callee, 0); Parameter)
    if (K < P.operands(Id).size())
      Plan.bind(Parameter, P.operands(Id)[K], Bindings);
  bind(Bindings);
}

/// Enters branch number Next; after the last one the paths meet.
void ExecutionWalk::beginBranch(Task Current) {
  ArrayRef<HloCall> Branches = P.calls(Current.Id);
  if (Current.Next == Branches.size())
    return Memory.merge(Current.Paths, false, [](HloValueId) {});
  ComputationId Callee = Branches[Current.Next].Callee;
  Current.Mark = Memory.mark();
  bindArgument(Current.Id, Callee, static_cast<uint32_t>(Current.Next) + 1);
  Stack.push_back(std::move(Current));
  walk(Callee);
}

void ExecutionWalk::endBranch(Task Current) {
  SmallVector<ExecutionBinding> Result;
  Plan.bind(Current.Id, P.root(P.calls(Current.Id)[Current.Next].Callee),
            Result);
  bind(Result);
  Current.Paths.push_back(Memory.takeBack(Current.Mark));
  ++Current.Next;
  beginBranch(std::move(Current));
}

/// The body runs where the schedule has it, and may go on until the done.
void ExecutionWalk::beginAsync(HloId Id) {
  Stack.push_back({Task::Kind::Async, {}, Id});
  if (ComputationId Body = bodyEndingAt(Id))
    walk(Body);
}

/// The bytes that \p Body may write, on whatever path, belong to it until its
/// done: they hold its lock, as if that was a value, until somebody else writes
/// there.
void ExecutionWalk::lock(ComputationId Body) {
  forEachWrite(Body, [&](HloValueId V) {
    Memory.update(*Plan.place(V),
                  [&](ExecutionBytes &Bytes) { Bytes.add(lockOf(Body)); });
  });
}

void ExecutionWalk::readLocked(HloId Done, ComputationId Body) {
  forEachWrite(Body, [&](HloValueId V) {
    Memory.visit(*Plan.place(V), [&](const AllocationBytes &Place,
                                     const ExecutionBytes &Bytes) {
      if (!Bytes.holds(lockOf(Body)))
        report(Done, {V, 0}, Bytes.Writer, Place);
    });
  });
  forEachWrite(Body, [&](HloValueId V) {
    Memory.update(*Plan.place(V),
                  [&](ExecutionBytes &Bytes) { Bytes.remove(lockOf(Body)); });
  });
}

/// Calls \p Visit for each value that \p Body, or what it calls, writes.
void ExecutionWalk::forEachWrite(
    ComputationId Body, llvm::function_ref<void(HloValueId)> Visit) const {
  StepRange Span = Order.span(Body);
  for (int32_t Step = Span.Start; Step < Span.End; ++Step)
    Plan.forEachWrite(Order.sequence()[static_cast<size_t>(Step)],
                      [&](HloValueId V, bool) { Visit(V); });
}

/// True if it is the body of async-done \p Reader itself that wrote \p Written
/// over \p Read: in place of an operand, or after its last read in the body.
bool ExecutionWalk::wroteItself(HloId Reader, HloValueId Read,
                                HloValueId Written) const {
  ArrayRef<HloCall> Calls = P.calls(Reader);
  if (P[Reader].Op != Opcode::AsyncDone || !Written || Calls.empty())
    return false;
  StepRange Span = Order.span(Calls[0].Callee);
  auto IsInside = [&](HloValueId V) {
    int32_t Step = Order.time(Flow[V].Definition);
    return Step >= Span.Start && Step < Span.End;
  };
  if (!IsInside(Written))
    return false;
  if (!IsInside(Read))
    return Groups.same(Read, Written);
  bool IsResult = false;
  Plan.forEachLeaf(Reader, [&](HloValueId V) { IsResult |= V == Read; });
  return !IsResult;
}

void ExecutionWalk::read(HloId Reader, const ExecutionRead &Read) {
  AllocationBytes Damage;
  HloValueId Written;
  Memory.visit(*Plan.place(Read.Value), [&](const AllocationBytes &Place,
                                            const ExecutionBytes &Bytes) {
    if (Bytes.holds(Read.Value) ||
        wroteItself(Reader, Read.Value, Bytes.Writer))
      return;
    if (!Damage.Owner) {
      Damage = Place;
      Written = Bytes.Writer;
    } else if (Damage.End == Place.Begin && Written == Bytes.Writer) {
      Damage.End = Place.End;
    }
  });
  if (Damage.Owner)
    report(Reader, Read, Written, Damage);
}

void ExecutionWalk::report(HloId Reader, const ExecutionRead &Read,
                           HloValueId Written, const AllocationBytes &Damage) {
  if (!Reported.insert({Reader.index(), Read.Value.index()}).second)
    return;
  Out.Clobbered.push_back(
      {Reader, Read.Operand, Read.Value, Written, Damage, Read.Input});
}

/// True if the bytes of \p V, which copy \p Id defines, hold what it copies
/// already: from a copy of it elsewhere the same bytes are written again (a
/// conditional that two branches give one value, CUDA, jaxlib 0.12.0).
bool ExecutionWalk::isThere(HloId Id, HloValueId V) {
  constexpr size_t MostCompared = 8;
  if (P[Id].Op != Opcode::Copy)
    return false;
  bool IsIntact = true;
  Memory.visit(*Plan.place(V), [&](const AllocationBytes &,
                                   const ExecutionBytes &Bytes) {
    IsIntact = IsIntact &&
               llvm::any_of(
                   ArrayRef<HloValueId>(Bytes.Intact).take_front(MostCompared),
                   [&](HloValueId Old) {
                     return !isLock(Old) && Plan.isCopyInPlace(V, Old);
                   });
  });
  return IsIntact;
}

/// A ConcatBitcast \p Id names what its operands have left in its place: where
/// the slice that belongs there is not, \p V is not. The order of the operands
/// says nothing.
void ExecutionWalk::nameOperands(HloId Id, HloValueId V) {
  SmallVector<HloValueId, 8> Slices;
  SmallVector<AllocationBytes, 8> Places;
  llvm::SmallDenseSet<uint32_t> Arrays;
  Plan.forEachRead(Id, [&](const ExecutionRead &Read) {
    Slices.push_back(Read.Value);
    std::optional<AllocationBytes> Place = Plan.sliceIn(V, Read.Value);
    if (!Place)
      return;
    Places.push_back(*Place);
    HloId Array = P.operands(Flow[Read.Value].Definition)[0];
    Arrays.insert(Flow.at(Array, 0).index());
  });
  bool AreSlices = Places.size() == Slices.size() && Arrays.size() == 1;
  if (!AreSlices && std::exchange(ConcatsSlices, false))
    Out.Reasons.push_back("a ConcatBitcast of other arrays than slices of one");
  Memory.update(*Plan.place(V), [&](ExecutionBytes &Bytes) {
    bool IsUsed = !AreSlices && llvm::any_of(Slices, [&](HloValueId Slice) {
      return Bytes.holds(Slice);
    });
    if (IsUsed)
      Bytes.add(V);
    else
      Bytes.remove(V);
  });
  for (size_t K = 0; AreSlices && K != Slices.size(); ++K)
    Memory.update(Places[K], [&](ExecutionBytes &Bytes) {
      if (Bytes.holds(Slices[K]))
        Bytes.add(V);
    });
}

void ExecutionWalk::write(HloId Id) {
  Plan.forEachWrite(Id, [&](HloValueId V, bool Keeps) {
    if (isConcatBitcast(P, Id))
      nameOperands(Id, V);
    else if (Keeps || isThere(Id, V))
      keep(Id, V);
    else
      Memory.write(*Plan.place(V), V);
  });
}

/// Adds \p V to what its bytes hold. Long chains of such values would make the
/// sets grow: each time one has doubled, values that nothing reads any more are
/// left out.
void ExecutionWalk::keep(HloId Id, HloValueId V) {
  Memory.update(*Plan.place(V), [&](ExecutionBytes &Bytes) {
    size_t Size = Bytes.Intact.size();
    if (Size >= MaxSet && llvm::isPowerOf2_64(Size))
      llvm::erase_if(Bytes.Intact, [&](HloValueId Old) {
        return !isLock(Old) && P[Flow[Old].Definition].Parent == P[Id].Parent &&
               Plan.lastRead(Old) <= Order.time(Id);
      });
    Bytes.add(V);
  });
}

/// All phis take over their inputs at once.
void ExecutionWalk::bind(ArrayRef<ExecutionBinding> Bindings) {
  struct Piece {
    AllocationBytes Place;
    HloValueId Phi;
    bool Holds;
  };
  SmallVector<Piece> Changes;
  for (const ExecutionBinding &B : Bindings)
    Memory.visit(*Plan.place(B.Phi), [&](const AllocationBytes &Place,
                                         const ExecutionBytes &Bytes) {
      bool Holds = !Plan.place(B.Input) || Bytes.holds(B.Input);
      if (Holds != Bytes.holds(B.Phi))
        Changes.push_back({Place, B.Phi, Holds});
    });
  for (const Piece &Change : Changes)
    Memory.update(Change.Place, [&](ExecutionBytes &Bytes) {
      if (Change.Holds)
        Bytes.add(Change.Phi);
      else
        Bytes.remove(Change.Phi);
    });
}

Execution::Execution(const DataflowAnalysis &Flow, const AliasAnalysis &Groups,
                     const Schedule &Order) {
  ExecutionWalk(Flow, Groups, Order, *this).run();
}
