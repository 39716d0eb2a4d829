// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A use `x, operand k {i}` of a value says that operand k of x is an
// instruction where the value is at index i (HloValue::ComputeUses,
// hlo_value.cc, 2017 on; the text of x is the same instruction). Where x has no
// text, some position of the value still has that very index, printed or not:
// braces are printed in both if and only if the instruction's shape is a
// tuple. No exception is known.
//
// Every instruction that reads an operand shows up as a use of each value
// which that operand holds (HloValue::ComputeUses and MayUseOperandValue,
// hlo_value.cc, 2017 on). get-tuple-element and copy read only the top of
// their operand, tuple and domain nothing (`module-uses` has roots). Operands
// that no value is positioned at are reported only where the live ranges prove
// that every value is listed. Since 2026-06-02 a value without uses prints
// `(none)`. No exception is known.
//
// The text of an instruction that defines no value is not printed, but its
// uses must agree with each other (HloValue::ComputeUses, hlo_value.cc, 2017
// on). One operand is one instruction: at one index of it there is one value,
// and braces are printed for all of its values or for none. Operands are
// numbered from 0 without gap, because each holds some value; and the user
// itself is a position of some value. Who reads an inner part of a tuple that
// it does not forward is not a get-tuple-element, and reads all parts.
//
// Where the live ranges do not prove that every value is listed, an operand
// may hold none, and from 2026-07-22 on (views without allocation) a user may.
// Where two values share a position an operand may hold one
// of several. No other exception is known.

#include "Checks/Values/UsedRows.h"

using namespace hlobuf;
using llvm::ArrayRef;
using llvm::StringRef;

/// True if \p U is positioned at (\p Name, \p Index), printed like that.
static bool isAt(const CheckContext &Ctx, UsedId U, NameId Name,
                 ShapeIndex Index) {
  const Dump &D = Ctx.dump();
  return llvm::any_of(Ctx.positionsAt(Name, Index), [&](uint32_t Number) {
    return Number >= D[U].Positions.Begin && Number < D[U].Positions.End &&
           D.Positions[Number].Index == Index;
  });
}

/// Reports a use whose operand \p P is not a position of \p U.
static void reportOperand(const CheckContext &Ctx, Reporter &Diags, UsedId U,
                          const Use &Row, const Instruction &I, NameId P) {
  const Dump &D = Ctx.dump();
  RowTexts Texts = Ctx.places().row(Row);
  StringRef Where = Texts.Name;
  std::string Hint;
  for (uint32_t K = 0; K != D.operands(I).size() && Hint.empty(); ++K)
    if (isAt(Ctx, U, D.operands(I)[K], Row.Index)) {
      Where = Texts.First;
      Hint = fmt::format("; operand {} is", K);
    }
  if (Hint.empty() && !Texts.Index.empty() &&
      llvm::any_of(Ctx.positionsAt(P), [&](uint32_t Number) {
        return Ctx.ownerOfPosition(Number) == U;
      }))
    Where = Texts.Index;
  Finding F = Diags.report(
      Where, "operand {} of {} is {}, which is not a position of {}{}",
      Row.Operand, D.Names[Row.Name], D.spell(P, Row.Index),
      Ctx.places().tag(D[U]).Whole, Hint);
  F.note(Ctx.places().operand(I, Row.Operand), "the operand").about(Row.Name);
  // The row that may be wrong, or the one after which a row may be missing.
  llvm::ArrayRef<Position> All = D.positions(D[U]);
  const Position *Near =
      llvm::find_if(All, [&](const Position &At) { return At.Name == P; });
  F.note(Near == All.end() ? lastPositionRow(Ctx, U)
                           : Ctx.places().line(*Near).ltrim(),
         "a position of the value");
  aboutUsed(Ctx, F, U);
}

/// Checks one use against the text of its instruction.
static void checkText(const CheckContext &Ctx, Reporter &Diags, UsedId U,
                      const Use &Row, const Instruction &I) {
  const Dump &D = Ctx.dump();
  llvm::ArrayRef<NameId> Operands = D.operands(I);
  if (Row.Operand < Operands.size()) {
    if (!isAt(Ctx, U, Operands[Row.Operand], Row.Index))
      reportOperand(Ctx, Diags, U, Row, I, Operands[Row.Operand]);
    return;
  }
  Finding F = Diags.report(
      Ctx.places().row(Row).First,
      "{} is listed as operand {} of {}, whose operand count is {}",
      Ctx.places().tag(D[U]).Whole, Row.Operand, D.Names[Row.Name],
      Operands.size());
  F.note(opcodeIn(Ctx, I), "the instruction").about(Row.Name);
  aboutUsed(Ctx, F, U);
}

/// Checks that some position has the index of \p Row.
static void checkIndex(const CheckContext &Ctx, Reporter &Diags, UsedId U,
                       const Use &Row, llvm::ArrayRef<uint32_t> Known) {
  if (std::binary_search(Known.begin(), Known.end(), Row.Index.bits()))
    return;
  const Dump &D = Ctx.dump();
  RowTexts Texts = Ctx.places().row(Row);
  bool Printed = Row.Index.printed();
  Finding F = Diags.report(Printed ? Texts.Index : Texts.First,
                           "{} is used {}{}, but has no position {}{}",
                           Ctx.places().tag(D[U]).Whole,
                           Printed ? "at " : "without an index",
                           Printed ? D.Indices.text(Row.Index) : "",
                           Printed ? "there" : "without one", "");
  F.note(lastPositionRow(Ctx, U), "its last position").about(Row.Name);
  aboutUsed(Ctx, F, U);
}

static void checkListed(const CheckContext &Ctx, Reporter &Diags) {
  const Dump &D = Ctx.dump();
  std::vector<uint32_t> Known;
  for (uint32_t I = 0; I != D.Used.size(); ++I) {
    Known.clear();
    for (const Position &P : D.positions(D.Used[I]))
      if (Known.empty() || Known.back() != P.Index.bits())
        Known.push_back(P.Index.bits());
    llvm::sort(Known);
    for (const Use &Row : D.uses(D.Used[I])) {
      if (const Instruction *User = Ctx.instruction(Row.Name))
        checkText(Ctx, Diags, UsedId(I), Row, *User);
      else
        checkIndex(Ctx, Diags, UsedId(I), Row, Known);
    }
  }
}

static void reportUse(const CheckContext &Ctx, Reporter &Diags,
                      const Instruction &I, uint32_t Operand,
                      uint32_t PositionNumber) {
  const Dump &D = Ctx.dump();
  const Position &P = D.Positions[PositionNumber];
  UsedId U = Ctx.ownerOfPosition(PositionNumber);
  Finding F = Diags.report(lastUseRow(Ctx, U),
                           "{} has no use by {}, whose operand {} is {}",
                           Ctx.places().tag(D[U]).Whole, D.Names[I.Name],
                           Operand, D.spell(P.Name, P.Index));
  F.note(Ctx.places().operand(I, Operand), "the operand")
      .note(Ctx.places().line(P).ltrim(), "the value's position is here")
      .about(I.Name);
  aboutUsed(Ctx, F, U);
}

static void reportUnknown(const CheckContext &Ctx, Reporter &Diags,
                          const Instruction &I, uint32_t Operand) {
  const Dump &D = Ctx.dump();
  NameId P = D.operands(I)[Operand];
  Diags
      .report(Ctx.places().operand(I, Operand),
              "operand {} of {} is {}, which is not a position of any value",
              Operand, D.Names[I.Name], D.Names[P])
      .about(I.Name)
      .about(P);
}

/// A value without uses says so, in dumps where any does.
static void checkNone(const CheckContext &Ctx, Reporter &Diags) {
  const Dump &D = Ctx.dump();
  if (llvm::none_of(D.Used, [](const UsedValue &U) { return U.PrintedNone; }))
    return;
  for (uint32_t I = 0; I != D.Used.size(); ++I) {
    const UsedValue &U = D.Used[I];
    if (!U.Uses.empty() || U.PrintedNone || U.UsesUninitialized)
      continue;
    Finding F = Diags.report(lastUseRow(Ctx, UsedId(I)),
                             "{} has neither uses nor '(none)'",
                             Ctx.places().tag(U).Whole);
    aboutUsed(Ctx, F, UsedId(I));
  }
}

static void checkMissing(const CheckContext &Ctx, Reporter &Diags) {
  const Dump &D = Ctx.dump();
  bool Full = Ctx.isFull();
  UseSet Uses;
  for (const Instruction &I : D.Instructions) {
    if (I.Operands.empty())
      continue;
    bool Reads = !usesNothing(I.Op.Op);
    bool Shallow = Reads && usesTopAtMost(I.Op.Op);
    if (Reads)
      Uses.load(Ctx, I.Name);
    llvm::ArrayRef<NameId> Operands = D.operands(I);
    for (uint32_t K = 0; K != Operands.size(); ++K) {
      llvm::ArrayRef<uint32_t> Held =
          Shallow ? Ctx.positionsAt(Operands[K], ShapeIndex::root())
                  : Ctx.positionsAt(Operands[K]);
      if (Held.empty() && Full)
        reportUnknown(Ctx, Diags, I, K);
      if (!Reads)
        continue;
      for (uint32_t Number : Held)
        if (!Uses.has(K, D.Positions[Number].Index,
                      Ctx.ownerOfPosition(Number)))
          reportUse(Ctx, Diags, I, K, Number);
    }
  }
  checkNone(Ctx, Diags);
  if (!Full)
    Diags.notCheckedWithout(Ctx, Section::Ranges, SomeUnlisted);
}

namespace {
class Users {
public:
  Users(const CheckContext &Ctx, Reporter &Diags)
      : Ctx(Ctx), D(Ctx.dump()), Diags(Diags), Full(Ctx.isFull()),
        SSA(Ctx.isSSA()),
        Placed(Full || Ctx.release().until(Release::ViewColors)) {
    if (!Full)
      Diags.notCheckedWithout(Ctx, Section::Ranges, SomeUnlisted);
  }

  void check(NameId X);

private:
  void checkPair(const Use &Before, uint32_t BeforeNumber, const Use &Row,
                 uint32_t Number);
  std::vector<UsedId> valuesAt(NameId X) const;
  void checkParts(NameId X, ArrayRef<uint32_t> Uses);
  void checkGap(const Use &Row, uint32_t Number, uint32_t Expected);
  Finding report(const Use &Row, uint32_t Number, std::string Message) {
    Finding F = Diags.report(Ctx.places().line(Row).ltrim(), "{}", Message);
    aboutUsed(Ctx, F.about(Row.Name), Ctx.ownerOfUse(Number));
    return F;
  }

  const CheckContext &Ctx;
  const Dump &D;
  Reporter &Diags;
  bool Full, SSA;
  /// Every user must be a position.
  bool Placed;
  std::vector<uint32_t> Sorted;
};
} // namespace

/// Two uses of one operand, neighbors by index.
void Users::checkPair(const Use &Before, uint32_t BeforeNumber, const Use &Row,
                      uint32_t Number) {
  UsedId Owner = Ctx.ownerOfUse(Number);
  UsedId Other = Ctx.ownerOfUse(BeforeNumber);
  std::string Message;
  if (Before.Index.printed() != Row.Index.printed())
    Message = fmt::format(
        "operand {} of {} is printed {}", Row.Operand, D.Names[Row.Name],
        Row.Index.printed() ? "with an index here, but without one elsewhere"
                            : "without an index here, but with one elsewhere");
  else if (SSA && Before.Index == Row.Index && Owner != Other)
    Message = fmt::format("operand {} of {} is {} here, but {} elsewhere",
                          Row.Operand, D.Names[Row.Name],
                          Ctx.places().tag(D[Owner]).Whole,
                          Ctx.places().tag(D[Other]).Whole);
  else
    return;
  Finding F = report(Row, Number, std::move(Message));
  F.note(Ctx.places().line(Before).ltrim(), "the other use");
  aboutUsed(Ctx, F, Other);
}

void Users::checkGap(const Use &Row, uint32_t Number, uint32_t Expected) {
  if (Full && Row.Operand > Expected)
    report(Row, Number,
           fmt::format("{} is operand {} of {}, but no value is operand {}",
                       Ctx.places().tag(D[Ctx.ownerOfUse(Number)]).Whole,
                       Row.Operand, D.Names[Row.Name], Expected));
}

/// The done of such a start has no text and reads all of it.
static bool startsCollective(Opcode Op) {
  return startedBy(Op) && !isAsync(Op) && !isTransfer(Op);
}

/// The values positioned at \p X.
std::vector<UsedId> Users::valuesAt(NameId X) const {
  std::vector<UsedId> Here;
  for (uint32_t Number : Ctx.positionsAt(X))
    Here.push_back(Ctx.ownerOfPosition(Number));
  llvm::sort(Here);
  return Here;
}

/// The uses of one tuple operand, sorted by index. If \p X reads an inner part
/// that it does not forward, it reads them all.
void Users::checkParts(NameId X, ArrayRef<uint32_t> Uses) {
  const Use &Top = D.Uses[Uses.front()];
  if (!SSA || !Top.Index.printed() || !Top.Index.isRoot())
    return;
  // Which instruction the operand is must be beyond doubt.
  NameId Operand;
  for (const Position &P : D.positions(D[Ctx.ownerOfUse(Uses.front())])) {
    if (!P.Index.isRoot() || P.Name == X)
      continue;
    if (Operand)
      return;
    Operand = P.Name;
  }
  std::vector<UsedId> PassedOn = valuesAt(X);
  bool ReadsAll = startsCollective(Ctx.opcode(Operand)) ||
                  llvm::any_of(Uses.drop_front(), [&](uint32_t Number) {
                    return !std::binary_search(PassedOn.begin(), PassedOn.end(),
                                               Ctx.ownerOfUse(Number));
                  });
  if (!ReadsAll)
    return;
  UseSet Listed;
  Listed.load(Ctx, X);
  for (uint32_t Number : Ctx.positionsAt(Operand)) {
    const Position &P = D.Positions[Number];
    UsedId U = Ctx.ownerOfPosition(Number);
    if (Listed.has(Top.Operand, P.Index, U))
      continue;
    Finding F = Diags.report(
        lastUseRow(Ctx, U),
        "{} has no use by {}, which reads other parts of {}",
        Ctx.places().tag(D[U]).Whole, D.Names[X], D.Names[Operand]);
    F.note(Ctx.places().line(Top).ltrim(), "it reads this part").about(X);
    aboutUsed(Ctx, F, U);
  }
}

void Users::check(NameId X) {
  ArrayRef<uint32_t> Uses = Ctx.usesBy(X);
  if (Uses.empty())
    return;
  Sorted.assign(Uses.begin(), Uses.end());
  llvm::stable_sort(Sorted, [&](uint32_t P, uint32_t Q) {
    return D.Uses[P].Operand < D.Uses[Q].Operand;
  });
  const Use &First = D.Uses[Sorted.front()];
  if (Placed && Ctx.positionsAt(X).empty()) {
    report(
        First, Sorted.front(),
        fmt::format("{} has a use by {}, which is not a position of any value",
                    Ctx.places().tag(D[Ctx.ownerOfUse(Sorted.front())]).Whole,
                    D.Names[X]));
    return;
  }
  for (size_t Begin = 0, End = 0; Begin != Sorted.size(); Begin = End) {
    uint32_t Operand = D.Uses[Sorted[Begin]].Operand;
    while (End != Sorted.size() && D.Uses[Sorted[End]].Operand == Operand)
      ++End;
    checkParts(X, ArrayRef<uint32_t>(Sorted).slice(Begin, End - Begin));
  }
  checkGap(First, Sorted.front(), 0);
  for (size_t K = 1; K != Sorted.size(); ++K) {
    const Use &Before = D.Uses[Sorted[K - 1]];
    const Use &Row = D.Uses[Sorted[K]];
    if (Before.Operand == Row.Operand)
      checkPair(Before, Sorted[K - 1], Row, Sorted[K]);
    else
      checkGap(Row, Sorted[K], Before.Operand + 1);
  }
}

static void checkWithoutText(const CheckContext &Ctx, Reporter &Diags) {
  const Dump &D = Ctx.dump();
  Users All(Ctx, Diags);
  for (uint32_t Name = 0; Name != D.Names.size(); ++Name)
    if (!Ctx.hasText(NameId(Name)))
      All.check(NameId(Name));
}

void hlobuf::checkUses(const CheckContext &Ctx, Reporter &Diags) {
  checkListed(Ctx, Diags);
  if (Ctx.dump().complete(Section::Texts))
    checkMissing(Ctx, Diags);
  else
    Diags.notCheckedWithout(Ctx, Section::Texts);
  checkWithoutText(Ctx, Diags);
}
