//===- Checks/RangeEnd.cpp ----------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A live range ends at the last step that holds or reads its value
// (hlo_live_range.cc CalculateBufferStartEndMap, since 2021-04-07), unless one
// of these explains the end:
//   - the value is part of the ENTRY root: the end of the program;
//   - a later value of the same place begins there: ranges of values that must
//     alias are cut and joined (NormalizeAliasedBuffers, since 2022-06-24);
//   - it took over the end of an earlier value of the same place (the same);
//   - it is part of the root of a loop's or branch's computation, which ends
//     one step later;
//   - it belongs to an asynchronous computation, which lasts to its done.
// The last four need control flow or declared aliasing; without, only the
// first one holds. Which computation an instruction belongs to is told by the
// module alone, hence a warning. Rules before 2022-06-24 were others.
//
//===----------------------------------------------------------------------===//

#include "Checks/Check.h"
#include "llvm/ADT/DenseSet.h"

using namespace hlobuf;
using llvm::StringRef;

namespace {
/// Whether the step of a reader itself counts as a read.
enum class Reads : uint8_t { Yes, No, Maybe };

class RangeEnd {
public:
  RangeEnd(const Analysis &A, Reporter &R)
      : A(A), R(R), D(A.dump()), Plain(A.isPlain()), Kinds(D.Sequence.size()) {}

  void run();

private:
  /// What the instruction of a step tells about ends.
  struct StepKind {
    Reads Read = Reads::Yes;
    /// May end a computation: a loop, conditional or call, or an instruction
    /// that the dump does not describe.
    bool Control = false;
    /// May end an asynchronous computation.
    bool Done = false;
    /// The first step of a computation with a parameter.
    bool Begins = false;
  };
  /// A value with a live range. Sorted by place, then by range.
  struct Entry {
    ValueId V;
    UsedId U;
    uint32_t Row;
    /// The last step that holds or reads the value, and the same without
    /// readers that may read it elsewhere.
    int32_t Last;
    int32_t Sure;
    /// The last step that holds it.
    int32_t Held;
  };
  using Group = llvm::ArrayRef<Entry>;

  void findKinds();
  bool collect();
  /// False if a position or reader is not in the sequence.
  bool findSteps(Entry &E) const;
  const LiveRangeRow &row(const Entry &E) const { return D.Ranges[E.Row]; }
  bool samePlace(const Entry &E, const Entry &F) const;
  bool lessByPlace(const Entry &E, const Entry &F) const;
  void checkGroup(Group Same);
  void checkPhis(Group Same);
  bool mayEndComputation(const Entry &E, Group Later) const;
  bool isUnreadRoot(const Entry &E) const;
  void reportRoot(const Entry &E);
  void report(const Entry &E, Group Later);

  const Analysis &A;
  Reporter &R;
  const Dump &D;
  bool Plain;
  bool AnyAsync = false;
  std::vector<StepKind> Kinds;
  std::vector<Entry> Entries;
};
} // namespace

/// Loops read their operand through their parameter, calls through what they
/// call. A reader without text that has several operands is a call or a
/// conditional: nothing else defines no value. A name tells little: elements
/// are named after what they come from (jax 0.10.2, `closed_call.0`).
static Reads readsItself(const Analysis &A, NameId Name) {
  if (A.hasText(Name)) {
    Opcode Op = A.opcode(Name);
    return Op == Opcode::While || Op == Opcode::Call ? Reads::No : Reads::Yes;
  }
  const Dump &D = A.dump();
  bool MayCall = D.Names[Name].contains("call") ||
                 llvm::any_of(A.usesBy(Name), [&](uint32_t I) {
                   return D.Uses[I].Operand > 0;
                 });
  return MayCall ? Reads::Maybe : Reads::Yes;
}

/// Dones of copies and transfers end no computation.
static bool isWrappedDone(StringRef Text) {
  return Text.contains("done") && !Text.contains("copy") &&
         !Text.contains("send") && !Text.contains("recv");
}

void RangeEnd::findKinds() {
  for (size_t Step = 0; Step != D.Sequence.size(); ++Step) {
    NameId Name = D.Sequence[Step].Name;
    const Instruction *I = A.instruction(Name);
    Opcode Op = I ? I->Op.Op : Opcode::Unknown;
    StepKind &Kind = Kinds[Step];
    bool Async = I ? isAsync(Op) || I->Op.Sugar : false;
    AnyAsync |= Async;
    Kind.Read = Plain ? Reads::Yes : readsItself(A, Name);
    Kind.Control = Async || Op == Opcode::Conditional ||
                   Kind.Read != Reads::Yes;
    Kind.Done = Async || isWrappedDone(I ? opcodeText(Op) : D.Names[Name]);
  }
  for (const LiveRangeRow &Row : D.Ranges)
    if (A.opcode(Row.Name) == Opcode::Parameter && Row.Start >= 0 &&
        Row.Start < A.steps())
      Kinds[static_cast<size_t>(Row.Start)].Begins = true;
}

bool RangeEnd::findSteps(Entry &E) const {
  E.Held = A.time(D[E.U].Tag.Name);
  bool AllKnown = E.Held >= 0;
  for (const Position &P : D.positions(D[E.U])) {
    int32_t Step = A.time(P.Name);
    AllKnown &= Step >= 0;
    E.Held = std::max(E.Held, Step);
  }
  E.Last = E.Sure = E.Held;
  for (const Use &Read : D.uses(D[E.U])) {
    int32_t Step = A.time(Read.Name);
    AllKnown &= Step >= 0;
    if (Step <= E.Sure)
      continue;
    Reads Kind = Kinds[static_cast<size_t>(Step)].Read;
    if (Kind == Reads::Yes)
      E.Sure = Step;
    if (Kind != Reads::No)
      E.Last = std::max(E.Last, Step);
  }
  return AllKnown;
}

bool RangeEnd::samePlace(const Entry &E, const Entry &F) const {
  const Value &V = D[E.V];
  const Value &W = D[F.V];
  return V.Owner == W.Owner && V.Offset == W.Offset && V.Size == W.Size;
}

bool RangeEnd::lessByPlace(const Entry &E, const Entry &F) const {
  auto Key = [&](const Entry &Of) {
    const Value &V = D[Of.V];
    const LiveRangeRow &Row = row(Of);
    return std::tuple(V.Owner, V.Offset, V.Size, Row.Start, Row.End, Of.Row);
  };
  return Key(E) < Key(F);
}

bool RangeEnd::collect() {
  Entries.reserve(D.Ranges.size());
  for (uint32_t I = 0; I != D.Ranges.size(); ++I) {
    UsedId U = A.findUsed(D.Ranges[I].Name, D.Ranges[I].Index);
    ValueId V = U ? A.valueOf(U) : ValueId();
    if (!V)
      continue;
    Entries.push_back({V, U, I, -1, -1, -1});
    if (!findSteps(Entries.back()))
      return false;
  }
  llvm::sort(Entries, [&](const Entry &E, const Entry &F) {
    return lessByPlace(E, F);
  });
  return true;
}

/// The value may be part of the root of a computation that ends at the step
/// behind its last.
bool RangeEnd::mayEndComputation(const Entry &E, Group Later) const {
  const StepKind &Kind = Kinds[static_cast<size_t>(row(E).End)];
  if (Kind.Control || Kind.Begins)
    return true;
  // A branch may be followed by any instruction of the next branch, but the
  // conditional's result has the place of each branch's.
  return llvm::any_of(Later, [&](const Entry &F) {
    return A.opcode(row(F).Name) == Opcode::Conditional;
  });
}

void RangeEnd::checkGroup(Group Same) {
  // Last steps that later values of this place may have taken over.
  llvm::SmallDenseSet<int32_t, 16> LastBefore, HeldBefore;
  for (size_t I = 0; I != Same.size(); ++I) {
    const Entry &E = Same[I];
    int32_t End = row(E).End;
    Group Later = Same.drop_front(I + 1);
    LastBefore.insert(E.Last);
    LastBefore.insert(E.Sure);
    HeldBefore.insert(E.Held);
    const Allocation &Owner = D[D[E.V].Owner];
    bool OfCaller = Owner.isParameter() && !Owner.MaybeLiveOut;
    if (End == A.steps() || OfCaller)
      continue;
    if (End == E.Last || End == E.Sure) {
      if (isUnreadRoot(E))
        reportRoot(E);
      continue;
    }
    // Ranges are sorted by start: the first that starts at End, if any.
    const Entry *Next = llvm::partition_point(
        Later, [&](const Entry &F) { return row(F).Start < End; });
    bool Cut = Next != Later.end() && row(*Next).Start == End;
    if (Cut && (!Plain || End < E.Last))
      continue;
    if (!Plain && End > E.Last &&
        (LastBefore.contains(End) ||
         (HeldBefore.contains(End - 1) && mayEndComputation(E, Later)) ||
         (AnyAsync && Kinds[static_cast<size_t>(End)].Done)))
      continue;
    report(E, Later);
  }
}

/// True if nothing reads or holds \p E, and its instruction would have been
/// removed for that, were it not the root of a computation.
bool RangeEnd::isUnreadRoot(const Entry &E) const {
  const UsedValue &U = D[E.U];
  Opcode Op = A.opcode(U.Tag.Name);
  return (Op == Opcode::Tuple || Op == Opcode::Fusion ||
          Op == Opcode::Compare) &&
         U.Tag.Index.isRoot() && !U.Tag.Phi && U.Uses.empty() &&
         !U.UsesUninitialized && U.Positions.size() == 1;
}

void RangeEnd::reportRoot(const Entry &E) {
  const LiveRangeRow &Row = row(E);
  R.report(A.places().row(Row).Second,
           "live range of {} ends at step {}, but nothing reads the value, so "
           "'{}' is a computation's root, and its value lives longer",
           D.spell(D[E.V].Tag), Row.End, D.Names[Row.Name])
      .note(A.places().line(D[E.U]), "{} has no uses", D.spell(D[E.V].Tag))
      .about(E.V);
}

/// A phi takes over the place of what enters it: a value there ends where the
/// phi starts.
void RangeEnd::checkPhis(Group Same) {
  // Sorted ends, only built where there is a phi.
  llvm::SmallVector<int32_t, 16> Ends;
  for (const Entry &E : Same) {
    const LiveRangeRow &Phi = row(E);
    if (!D[E.V].Tag.Phi)
      continue;
    if (Ends.empty()) {
      for (const Entry &F : Same)
        Ends.push_back(row(F).End);
      llvm::sort(Ends);
    }
    auto [First, Last] = std::equal_range(Ends.begin(), Ends.end(), Phi.Start);
    if (Last - First > (Phi.End == Phi.Start))
      continue;
    // The range that was meant to reach it: the last one that begins before.
    const Entry *Before = nullptr;
    for (const Entry &F : R.count() < Reporter::MaxKept ? Same : Group())
      if (&F != &E && row(F).Start <= Phi.Start &&
          (!Before || row(F).End > row(*Before).End))
        Before = &F;
    Finding F = R.report(A.places().row(Phi).First,
                         "live range of {} starts at step {}, where no range "
                         "of a value at the same place ends",
                         D.spell(D[E.V].Tag), Phi.Start);
    F.about(E.V);
    if (!Before)
      continue;
    F.note(A.places().row(row(*Before)).Second, "the one before it, of {}, ends at step {}",
           D.spell(D[Before->V].Tag), row(*Before).End)
        .about(Before->V);
  }
}

void RangeEnd::report(const Entry &E, Group Later) {
  const LiveRangeRow &Row = row(E);
  Finding F = R.report(A.places().row(Row).Second,
                       "live range of {} ends at step {}, but the value is "
                       "last held or read at step {}",
                       D.spell(D[E.V].Tag), Row.End, E.Last);
  F.note(A.places().line(D.Sequence[static_cast<size_t>(E.Last)]),
         "step {} is '{}'", E.Last,
         D.Names[D.Sequence[static_cast<size_t>(E.Last)].Name]);
  F.about(E.V);
  // If the next one should have cut this one, its start is the wrong number.
  if (!Later.empty())
    F.about(Later.front().V);
}

void RangeEnd::run() {
  findKinds();
  if (!collect())
    return R.notChecked("a position or reader is not in the sequence");
  for (size_t I = 0; I != Entries.size();) {
    size_t End = I;
    while (End != Entries.size() && samePlace(Entries[I], Entries[End]))
      ++End;
    checkGroup(Group(Entries).slice(I, End - I));
    checkPhis(Group(Entries).slice(I, End - I));
    I = End;
  }
}

namespace hlobuf {
void checkRangeEnd(const Analysis &A, Reporter &R) {
  constexpr uint32_t Normalisation = 20220624;
  if (!A.era().since(Normalisation))
    return R.notChecked("the dump may be older than 2022-06-24");
  if (!A.areRangesSound())
    return R.notChecked("the live ranges are incomplete");
  RangeEnd(A, R).run();
}
} // namespace hlobuf
