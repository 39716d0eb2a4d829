// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Facts/Occupancy.h"
#include <algorithm>
#include <limits>

using namespace hlobuf;

bool hlobuf::isAlternate(const Facts &DumpFacts, const Allocation &Alloc) {
  return Alloc.color() != 0 && DumpFacts.isTPU();
}

TimedBytes hlobuf::timedBytes(const Dump &D, ValueId V, StepRange Steps) {
  const Value &Val = D[V];
  uint64_t End =
      Val.end() < Val.Offset ? std::numeric_limits<uint64_t>::max() : Val.end();
  return {Val.Offset, End,       Steps.Start,
          Steps.End,  V.index(), Val.Tag.Name.index()};
}

std::optional<int32_t> hlobuf::lastUse(const Facts &DumpFacts, UsedId U) {
  int32_t Last = -1;
  for (const Use &Reader : DumpFacts.dump().uses(DumpFacts.dump()[U]))
    Last = std::max(Last, DumpFacts.time(Reader.Name));
  return Last < 0 ? std::nullopt : std::optional(Last);
}

namespace {
/// What \p Name is, from its text in the dump or else in the module.
struct Definition {
  Opcode Op = Opcode::Unknown;
  StringRef Attributes;
  /// Name, type and opcode, then what the parentheses hold.
  StringRef Head;
  StringRef Operands;
};
} // namespace

static Definition findDefinition(const Facts &DumpFacts, NameId Name) {
  const Dump &D = DumpFacts.dump();
  if (const Instruction *I = DumpFacts.instruction(Name))
    return {I->Op.Op, D.attributes(*I), D.head(*I), D.operandsText(*I)};
  HloId Id = D.complete(Section::Module) ? D.Module.find(Name) : HloId();
  if (!Id)
    return {};
  const HloInstruction &I = D.Module[Id];
  return {I.Op, D.Module.attributes(I), D.Module.head(I),
          D.Module.operandsText(I)};
}

bool hlobuf::isConstant(const Facts &DumpFacts, NameId Name) {
  const Dump &D = DumpFacts.dump();
  if (const Instruction *I = DumpFacts.instruction(Name))
    return I->Op.Op == Opcode::Constant;
  HloId Id = D.complete(Section::Module) ? D.Module.find(Name) : HloId();
  return Id && D.Module[Id].Op == Opcode::Constant;
}

bool hlobuf::haveSameLiteral(const Facts &DumpFacts, NameId One, NameId Other) {
  Definition A = findDefinition(DumpFacts, One);
  Definition B = findDefinition(DumpFacts, Other);
  auto AfterName = [](StringRef Head) { return Head.split(" = ").second; };
  return A.Op == Opcode::Constant && B.Op == Opcode::Constant &&
         AfterName(A.Head) == AfterName(B.Head) && A.Operands == B.Operands &&
         !A.Operands.contains("...");
}

static bool canBeContext(const Facts &DumpFacts, const Value &V) {
  return DumpFacts.isTPU() && !V.Tag.Phi &&
         DumpFacts.dump().Indices.isAsyncContext(V.Tag.Index);
}

/// An update does not print its thread.
bool hlobuf::isSharedContext(const Facts &DumpFacts, const Value &V) {
  if (!canBeContext(DumpFacts, V))
    return false;
  Definition Source = findDefinition(DumpFacts, V.Tag.Name);
  if (Source.Op == Opcode::AsyncUpdate || Source.Op == Opcode::Unknown)
    return DumpFacts.hasSparseCore();
  return Source.Op == Opcode::AsyncStart && runsOnSparseCore(Source.Attributes);
}

/// The result of an async-start or -update is ((operands), result, context..);
/// hardly anything else has a tuple as its first element.
bool hlobuf::mayBeSharedContext(const Facts &DumpFacts, const Value &V) {
  const Dump &D = DumpFacts.dump();
  if (D.complete(Section::Texts) || D.complete(Section::Module) ||
      !canBeContext(DumpFacts, V))
    return false;
  ValueId Whole = DumpFacts.findValue(V.Tag.Name, ShapeIndex::root());
  if (!Whole || !D[Whole].Shape)
    return true;
  const Shape &Result = D.Shapes[D[Whole].Shape];
  return Result.isTuple() && Result.Elements.size() > 2 &&
         D.Shapes[Result.Elements[0]].isTuple();
}

bool hlobuf::isConcatBitcast(const Facts &DumpFacts, NameId Name) {
  const Instruction *I = DumpFacts.instruction(Name);
  return DumpFacts.isTPU() && I && I->Op.Op == Opcode::CustomCall &&
         customCallTarget(DumpFacts.dump().attributes(*I)) == "ConcatBitcast";
}

/// A user without text is a forwarder, a while, a call or a conditional. What
/// the first two read is operand 0, which of a conditional is its predicate or
/// its branch index.
static bool mayBeConditional(const Facts &DumpFacts, const Use &U,
                             const Value &V) {
  if (!V.Shape)
    return true;
  if (const Instruction *I = DumpFacts.instruction(U.Name))
    return I->Op.Op == Opcode::Conditional || I->Op.Op == Opcode::Unknown;
  if (U.Operand != 0)
    return true;
  if (U.Index.printed()) // of a tuple, which no predicate is
    return false;
  const Shape &S = DumpFacts.dump().Shapes[V.Shape];
  return S.Dimensions.empty() && (S.Element == "pred" || S.Element == "s32");
}

Occupancy hlobuf::findOccupancy(const Facts &DumpFacts, ValueId V) {
  const Dump &D = DumpFacts.dump();
  const Value &Val = D[V];
  std::optional<StepRange> Range = DumpFacts.range(V);
  if (!Range || Val.Size == 0 || Range->Start < 0 ||
      Range->End < Range->Start || isSharedContext(DumpFacts, Val) ||
      mayBeSharedContext(DumpFacts, Val))
    return {};
  if (!isAlternate(DumpFacts, D[Val.Owner]))
    return {HoldPolicy::Stated, *Range};
  UsedId U = DumpFacts.usedOf(V);
  std::optional<int32_t> Last = U ? lastUse(DumpFacts, U) : std::nullopt;
  if (!Last && Val.Tag.Phi)
    return {};
  if (Last && llvm::any_of(D.uses(D[U]), [&](const Use &Reader) {
        return DumpFacts.time(Reader.Name) == *Last &&
               mayBeConditional(DumpFacts, Reader, Val);
      }))
    return {HoldPolicy::Conditional, {Range->Start, Range->Start}};
  int32_t End = std::min(Range->End, Last.value_or(Range->Start));
  return {HoldPolicy::LastUse, {Range->Start, End}};
}
