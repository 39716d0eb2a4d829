// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Memory/OperationTrace.h"
#include "HLO/InstructionParser.h"
#include "Program/PartOrigins.h"
#include "llvm/ADT/DenseSet.h"

using namespace hlobuf;

/// Steps that a question costs, at most, those of its own questions included.
static constexpr unsigned MaxSteps = 512;
/// Updates inside of updates.
static constexpr unsigned MaxNested = 8;

namespace {
struct Walk {
  TracedOperation run(HloId Id, uint32_t Ordinal, unsigned Nested);

  bool step(TracedOperation &Traced);
  bool stepTo(TracedOperation &Traced, HloId Id, uint32_t Ordinal) const;
  bool stepToOperand(TracedOperation &Traced, uint32_t Operand,
                     uint32_t Ordinal) const;
  bool enter(TracedOperation &Traced, ComputationId Body) const;
  bool leave(TracedOperation &Traced);
  bool stepLoop(TracedOperation &Traced, HloId While);
  bool stepToOrigin(TracedOperation &Traced) const;
  bool isBlank(const TracedOperation &Traced) const;
  void takeSliced(TracedOperation &Part, unsigned Nested);

  const Program &P;
  unsigned Steps = 0;
  /// Parts of loops whose bodies were entered.
  DenseSet<IdPair> Entered{};
  /// The loop that was entered last.
  HloId Inner = {};
};
} // namespace

bool Walk::stepTo(TracedOperation &Traced, HloId Id, uint32_t Ordinal) const {
  if (!Id || Ordinal >= P.trees().parts(P[Id].Shape))
    return false;
  Traced.Computed = Id;
  Traced.Ordinal = Ordinal;
  if (P.hasBuffers(Id))
    Traced.Buffered = Id;
  return true;
}

bool Walk::stepToOperand(TracedOperation &Traced, uint32_t Operand,
                         uint32_t Ordinal) const {
  ArrayRef<HloId> Operands = P.operands(Traced.Computed);
  return Operand < Operands.size() &&
         stepTo(Traced, Operands[Operand], Ordinal);
}

bool Walk::enter(TracedOperation &Traced, ComputationId Body) const {
  return Body && stepTo(Traced, P.root(Body), Traced.Ordinal);
}

/// From a part of a loop, or of its body's parameter, to what the body makes of
/// it; where it was there before, to what the loop begins with.
bool Walk::stepLoop(TracedOperation &Traced, HloId While) {
  if (!Entered.insert({While.index(), Traced.Ordinal}).second)
    return !P.operands(While).empty() &&
           stepTo(Traced, P.operands(While)[0], Traced.Ordinal);
  Inner = While;
  return enter(Traced, P.callee(While, CallRole::Body));
}

/// To the first of what it may be.
bool Walk::stepToOrigin(TracedOperation &Traced) const {
  auto Origins =
      originsOf(P, {Traced.Computed, Traced.Ordinal}, /*IsValue=*/true);
  return !Origins.empty() &&
         stepTo(Traced, Origins.front().Id, Origins.front().Ordinal);
}

/// From a parameter to what its caller passes.
bool Walk::leave(TracedOperation &Traced) {
  const HloNode &Parameter = P[Traced.Computed];
  ArrayRef<HloId> Callers = P.callers(Parameter.Parent);
  if (Callers.empty())
    return false;
  HloId Caller = Callers.front();
  if (P[Caller].Op == Opcode::While)
    return stepLoop(Traced, Caller);
  if (P[Caller].Op != Opcode::Fusion)
    return stepToOrigin(Traced);
  return Parameter.number() < P.operands(Caller).size() &&
         stepTo(Traced, P.operands(Caller)[Parameter.number()], Traced.Ordinal);
}

/// A transpose that has the name of another operation is a layout of it.
static bool isCompilersOwn(const Program &P, HloId Id) {
  if (P.isHidden(Id))
    return true;
  const HloModule &M = P.module();
  std::optional<StringRef> Name = readMetadata(M.attributes(M[Id])).OpName;
  return !Name || !Name->ends_with("/transpose");
}

bool Walk::isBlank(const TracedOperation &Traced) const {
  HloId Id = Traced.Computed;
  if (P[Id].Op == Opcode::Broadcast && !P.operands(Id).empty() &&
      P.operands(Id)[0])
    Id = P.operands(Id)[0];
  if (P[Id].Op == Opcode::Constant)
    return true;
  if (P[Id].Op == Opcode::Parameter && P.isFusionBody(P[Id].Parent)) {
    // The constant may be outside of the fusion that broadcasts it.
    return P[Walk{P}.run(Id, 0, MaxNested).Computed].Op == Opcode::Constant;
  }
  return P[Id].Op == Opcode::CustomCall &&
         P.customCallTarget(Id) == "AllocateBuffer";
}

bool Walk::step(TracedOperation &Traced) {
  HloId Id = Traced.Computed;
  switch (P[Id].Op) {
  case Opcode::Parameter:
    return leave(Traced);
  case Opcode::While:
    return stepLoop(Traced, Id);
  case Opcode::Fusion:
    return enter(Traced, P.callee(Id, CallRole::Calls));
  case Opcode::Copy:
    Traced.Copied |= Traced.Ordinal == 0;
    return stepToOperand(Traced, 0, Traced.Ordinal);
  case Opcode::CopyStart:
    if (P.trees().elementOrdinal(P[Id].Shape, 0) == Traced.Ordinal) {
      Traced.Copied = true;
      if (!Traced.Transfer)
        Traced.Transfer = Id;
      return stepToOperand(Traced, 0, 0);
    }
    break;
  case Opcode::Reshape:
    return stepToOperand(Traced, 0, 0);
  case Opcode::Transpose:
    return isCompilersOwn(P, Id) && stepToOperand(Traced, 0, 0);
  default:
    break;
  }
  return stepToOrigin(Traced);
}

/// The operand that \p Op writes a part of, and the one with the part.
static std::optional<std::pair<uint32_t, uint32_t>> updateOf(Opcode Op) {
  if (Op == Opcode::DynamicUpdateSlice)
    return std::pair(0u, 1u);
  if (Op == Opcode::Scatter)
    return std::pair(0u, 2u);
  return std::nullopt;
}

/// A slice of an argument is called after the argument.
void Walk::takeSliced(TracedOperation &Part, unsigned Nested) {
  TracedOperation Whole = run(P.operands(Part.Computed)[0], 0, Nested + 1);
  if (!Whole.Computed || P[Whole.Computed].Op != Opcode::Parameter)
    return;
  Part.Computed = Whole.Computed;
  Part.Ordinal = Whole.Ordinal;
  Part.Buffered = Whole.Buffered;
  Part.Sliced = true;
}

TracedOperation Walk::run(HloId Id, uint32_t Ordinal, unsigned Nested) {
  TracedOperation Traced;
  if (!stepTo(Traced, Id, Ordinal))
    return Traced;
  while (++Steps < MaxSteps) {
    if (step(Traced))
      continue;
    auto Update = updateOf(P[Traced.Computed].Op);
    if (!Update || Nested >= MaxNested || Traced.Ordinal != 0 ||
        P.operands(Traced.Computed).size() <= Update->second)
      break;
    // It is what it was before, unless that was nothing.
    HloId Loop = Inner;
    HloId Updating = Traced.Computed;
    TracedOperation Base =
        run(P.operands(Updating)[Update->first], 0, Nested + 1);
    if (!Base.Computed)
      break;
    if (!Base.Blank) {
      Base.Copied |= Traced.Copied;
      return Base;
    }
    if (!Loop || P[Updating].Op != Opcode::DynamicUpdateSlice)
      break;
    bool Copied = Traced.Copied;
    TracedOperation Part =
        run(P.operands(Updating)[Update->second], 0, Nested + 1);
    if (!Part.Computed || Part.Blank)
      break;
    if (P[Part.Computed].Op == Opcode::DynamicSlice)
      takeSliced(Part, Nested);
    Part.Copied = Copied;
    if (!Part.Loop) {
      Part.Loop = Loop;
      Part.Added = P.operands(Updating)[Update->second];
    }
    return Part;
  }
  Traced.Blank = isBlank(Traced);
  return Traced;
}

TracedOperation hlobuf::traceOperation(const Program &P, HloId Id,
                                       uint32_t Ordinal) {
  return Walk{P}.run(Id, Ordinal, 0);
}
