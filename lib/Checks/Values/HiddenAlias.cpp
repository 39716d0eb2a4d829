//===- Checks/Values/HiddenAlias.cpp --------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An instruction that defines no value has no text in a dump, but its uses and
// positions tell what it does (HloDataflowAnalysis::Update*ValueSet,
// hlo_dataflow_analysis.cc, 2017 on). One that reads an array forwards it
// (bitcast, all-reduce-done, opt-barrier). One that reads a tuple forwards all
// of it, part by part, or one element with all parts: get-tuple-element any,
// copy-done {0}, done of a collective {1}. So there is a tuple among the
// positions of the value that it reads, and an element of it, where exactly
// its own values are. One that reads nothing is a parameter of a computation,
// and what is there is read by its caller.
//
// Exceptions: a call or a conditional gives what its computations return. It
// shows by a parameter: an instruction without text and uses, at which a value
// is that the call reads. Async computations on SparseCore (libtpu 0.0.51 on
// v6e) hold calls whose parameters are values of their own: the rule is off in
// dumps with them. An async-done or -update gives what its computation returns.
// Before 2021-10-05 a custom-call could forward any of its operands.
//
//===----------------------------------------------------------------------===//

#include "Checks/Values/UsedRows.h"
#include "Dataflow/ModuleAnalysis.h"

using namespace hlobuf;
using llvm::ArrayRef;
using llvm::StringRef;

namespace {
class Hidden {
public:
  Hidden(const CheckContext &A, Reporter &R)
      : A(A), D(A.dump()), R(R), ByOwner(D.Positions.size()),
        Budget(1u << 16 | 64 * D.Positions.size()) {
    for (uint32_t I = 0; I != ByOwner.size(); ++I)
      ByOwner[I] = I;
    for (const UsedValue &U : D.Used)
      std::sort(ByOwner.begin() + U.Positions.Begin,
                ByOwner.begin() + U.Positions.End, [&](uint32_t X, uint32_t Y) {
                  return D.Positions[X].Name < D.Positions[Y].Name;
                });
    Parameters.resize(D.Used.size(), Unasked);
  }

  void check(NameId X);
  /// Async computations may hold calls.
  /// The search for tuples was given up.
  bool gaveUp() const { return Budget == 0; }
  bool hasAsyncCalls() const {
    return llvm::any_of(D.Instructions, [&](const Instruction &I) {
      StringRef Head = D.text(I).take_front(I.OperandsOffset);
      return I.Op.Op == Opcode::AsyncStart &&
             (!I.Op.Sugar || Head.ends_with(" call-start"));
    });
  }

private:
  enum : uint8_t { Unasked, No, Yes };

  /// Rows of \p U at instruction \p Name.
  ArrayRef<uint32_t> rowsAt(UsedId U, NameId Name) const {
    ArrayRef<uint32_t> All = ArrayRef<uint32_t>(ByOwner).slice(
        D[U].Positions.Begin, D[U].Positions.size());
    return ArrayRef<uint32_t>(
        llvm::partition_point(
            All, [&](uint32_t P) { return D.Positions[P].Name < Name; }),
        llvm::partition_point(
            All, [&](uint32_t P) { return D.Positions[P].Name <= Name; }));
  }

  size_t countFitting(ArrayRef<uint32_t> Rows, NameId Table,
                      std::optional<uint32_t> Element, uint32_t &Misfit) const;
  bool fits(ArrayRef<uint32_t> Rows, NameId Table, size_t &Best,
            uint32_t &Misfit);
  bool explainedByTuple(NameId X, UsedId Read);
  bool mayCall(NameId X);
  bool entersCall(UsedId U, ShapeIndex Index);
  UsedId tableOf(UsedId U, int32_t Time) const;
  void checkUnread(NameId X);
  bool holdsParameter(UsedId U);
  void report(NameId X, uint32_t Row, uint32_t UseNumber, UsedId Read);

  const CheckContext &A;
  const Dump &D;
  Reporter &R;
  /// Numbers of positions, of each value by name.
  std::vector<uint32_t> ByOwner;
  std::vector<uint8_t> Parameters;
  /// Of each value that was asked for, the indices at which something reads
  /// it that may forward it to a parameter.
  llvm::DenseMap<uint32_t, llvm::SmallVector<uint32_t, 2>> Entered;
  /// Positions that may still be compared in the search for tuples: one value
  /// may be at many, and many instructions may read it.
  size_t Budget;
  /// The row that does not fit the best explanation of the instruction at hand.
  uint32_t Odd = 0;
};
} // namespace

/// How many of \p Rows hold what \p Table holds at the same index, below
/// \p Element if there is one; \p Misfit is the first that does not.
size_t Hidden::countFitting(ArrayRef<uint32_t> Rows, NameId Table,
                            std::optional<uint32_t> Element,
                            uint32_t &Misfit) const {
  size_t Fitting = 0;
  for (uint32_t Row : Rows) {
    llvm::SmallVector<uint32_t, 4> Path;
    if (Element)
      Path.push_back(*Element);
    Path.append(D.Indices.steps(D.Positions[Row].Index));
    if (isPositionOf(A, A.ownerOfPosition(Row), Table, D.Indices.get(Path)))
      ++Fitting;
    else if (Misfit == ~0U)
      Misfit = Row;
  }
  return Fitting;
}

/// True if all of \p Rows come from \p Table, whole or by one element.
bool Hidden::fits(ArrayRef<uint32_t> Rows, NameId Table, size_t &Best,
                  uint32_t &Misfit) {
  auto Try = [&](std::optional<uint32_t> Element) {
    Budget -= std::min(Budget, Rows.size());
    uint32_t Wrong = ~0U;
    size_t Fitting = countFitting(Rows, Table, Element, Wrong);
    if (Fitting > Best) {
      Best = Fitting;
      Misfit = Wrong;
    }
    return Fitting == Rows.size();
  };
  if (Try(std::nullopt))
    return true;
  // The elements that hold the value of the first or the last row.
  for (uint32_t Row : {Rows.front(), Rows.back()})
    for (uint32_t There : rowsAt(A.ownerOfPosition(Row), Table)) {
      auto Path = D.Indices.steps(D.Positions[There].Index);
      if (!Path.empty() && Try(Path[0]))
        return true;
    }
  return false;
}

/// True if a tuple among the positions of \p Read explains \p X.
bool Hidden::explainedByTuple(NameId X, UsedId Read) {
  ArrayRef<uint32_t> Rows = A.positionsAt(X);
  size_t Best = 0;
  Odd = Rows.front();
  for (const Position &P : D.positions(D[Read])) {
    if (!P.Index.isRoot() || P.Name == X)
      continue;
    if (isAsync(A.opcode(P.Name))) {
      R.exempt("async-tuple");
      return true;
    }
    if (gaveUp() || fits(Rows, P.Name, Best, Odd))
      return true;
  }
  return false;
}

/// True if \p U reaches an instruction that neither has a text nor reads: a
/// parameter.
bool Hidden::holdsParameter(UsedId U) {
  uint8_t &Known = Parameters[U.index()];
  if (Known == Unasked)
    Known =
        llvm::any_of(D.positions(D[U]),
                     [&](const Position &P) {
                       return !A.hasText(P.Name) && A.usesBy(P.Name).empty();
                     })
            ? Yes
            : No;
  return Known == Yes;
}

bool Hidden::mayCall(NameId X) {
  bool Calls = llvm::any_of(A.usesBy(X), [&](uint32_t Number) {
    return holdsParameter(A.ownerOfUse(Number));
  });
  R.exempt("call", Calls);
  return Calls;
}

static bool mayHaveBody(Opcode Op) {
  return Op == Opcode::Unknown || isAsync(Op) || Op == Opcode::While ||
         Op == Opcode::Conditional || (startedBy(Op) && mayBeSugar(Op));
}

/// True if something that may have a computation of its own reads \p U at
/// \p Index, as printed.
bool Hidden::entersCall(UsedId U, ShapeIndex Index) {
  auto [Found, New] = Entered.try_emplace(U.index());
  llvm::SmallVector<uint32_t, 2> &Indices = Found->second;
  if (New) {
    for (const Use &Row : D.uses(D[U])) {
      const Instruction *I = A.instruction(Row.Name);
      if (!I || mayHaveBody(I->Op.Op))
        Indices.push_back(Row.Index.canonical().bits());
    }
    llvm::sort(Indices);
    Indices.erase(std::unique(Indices.begin(), Indices.end()), Indices.end());
  }
  return std::binary_search(Indices.begin(), Indices.end(),
                            Index.canonical().bits());
}

/// The value of a tuple that holds \p U before step \p Time; invalid if there
/// is none.
UsedId Hidden::tableOf(UsedId U, int32_t Time) const {
  for (const Position &P : D.positions(D[U])) {
    int32_t At = A.time(P.Name);
    if (!P.Index.isRoot() && At >= 0 && At < Time)
      return A.valueAt(P.Name, ShapeIndex::root());
  }
  return UsedId();
}

/// An instruction that neither reads nor defines is a parameter, so its caller
/// reads what is there, or a call without operands (CUDA's command buffers),
/// which makes values of its own or a tuple of them.
void Hidden::checkUnread(NameId X) {
  for (uint32_t Row : A.positionsAt(X)) {
    const Position &P = D.Positions[Row];
    UsedId U = A.ownerOfPosition(Row);
    if (P.Index.printed() || entersCall(U, P.Index))
      continue;
    UsedId Table = tableOf(U, A.time(X));
    if (!Table && A.opcode(D[U].Tag.Name) == Opcode::Parameter)
      Table = U;
    if (!Table)
      continue;
    Finding F = R.report(A.places().line(P).ltrim(),
                         "{} is a position of {}, but no value has a use by {}",
                         D.spell(P.Name, P.Index), A.places().tag(D[U]).Whole,
                         D.Names[X]);
    F.note(lastUseRow(A, Table), "{} contains it, but has no use by {}",
           A.places().tag(D[Table]).Whole, D.Names[X])
        .about(X);
    aboutUsed(A, F, Table);
    aboutUsed(A, F, U);
    return;
  }
}

void Hidden::report(NameId X, uint32_t Row, uint32_t UseNumber, UsedId Read) {
  const Position &P = D.Positions[Row];
  UsedId U = A.ownerOfPosition(Row);
  bool Tuple = D.Uses[UseNumber].Index.printed();
  Finding F =
      R.report(A.places().line(P).ltrim(),
               "{} is a position of {}, which is not {} {} reads",
               D.spell(P.Name, P.Index), A.places().tag(D[U]).Whole,
               Tuple ? "part of the tuple that" : "the value that", D.Names[X]);
  F.note(A.places().line(D.Uses[UseNumber]).ltrim(), "it reads {}",
         A.places().tag(D[Read]).Whole)
      .about(X);
  aboutUsed(A, F, U);
}

void Hidden::check(NameId X) {
  ArrayRef<uint32_t> Rows = A.positionsAt(X);
  ArrayRef<uint32_t> Reads = A.usesBy(X);
  if (Rows.empty())
    return;
  if (Reads.empty())
    return checkUnread(X);
  // Rows are sorted by index: the first use of operand 0 is that of its top.
  const uint32_t *Top = llvm::find_if(
      Reads, [&](uint32_t Number) { return D.Uses[Number].Operand == 0; });
  if (Top == Reads.end() || !D.Uses[*Top].Index.isRoot())
    return;
  UsedId Read = A.ownerOfUse(*Top);
  if (D.Uses[*Top].Index.printed()) {
    if (!explainedByTuple(X, Read) && !mayCall(X))
      report(X, Odd, *Top, Read);
    return;
  }
  for (uint32_t Row : Rows) {
    UsedId U = A.ownerOfPosition(Row);
    if (U == Read || mayCall(X) ||
        (!A.release().since(20211005) &&
         llvm::any_of(Reads, [&](uint32_t Number) {
           return A.ownerOfUse(Number) == U;
         })))
      continue;
    report(X, Row, *Top, Read);
    return;
  }
}

/// With the module, module-positions compares all positions.
static bool confirmed(const CheckContext &A) {
  const ModuleAnalysis *W = A.moduleAnalysis();
  return W && W->confirms(DerivedPart::Positions);
}

namespace hlobuf {
void checkHiddenAlias(const CheckContext &A, Reporter &R) {
  const Dump &D = A.dump();
  Hidden All(A, R);
  if (All.hasAsyncCalls()) {
    if (!confirmed(A))
      R.notChecked("calls inside async computations are not visible");
    return;
  }
  for (uint32_t Name = 0; Name != D.Names.size(); ++Name)
    if (!A.hasText(NameId(Name)))
      All.check(NameId(Name));
  if (All.gaveUp() && !confirmed(A))
    R.notChecked("a value is part of too many tuples");
}
} // namespace hlobuf
