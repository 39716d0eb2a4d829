// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Memory/OperationTrace.h"
#include "HLO/InstructionParser.h"
#include "llvm/ADT/DenseSet.h"

using namespace hlobuf;
using llvm::StringRef;

/// Steps that a question costs, at most, those of its own questions included.
static constexpr unsigned MaxSteps = 512;
/// Updates inside of updates.
static constexpr unsigned MaxNested = 8;

namespace {
class Walk {
public:
  explicit Walk(const Program &P) : P(P) {}

  TracedOperation run(HloId Id, uint32_t Ordinal, unsigned Nested);

private:
  bool step(TracedOperation &At);
  bool stepTo(TracedOperation &At, HloId Id, uint32_t Ordinal) const;
  bool stepToOperand(TracedOperation &At, uint32_t Operand,
                     uint32_t Ordinal) const;
  bool enter(TracedOperation &At, ComputationId Body) const;
  bool leave(TracedOperation &At);
  bool stepLoop(TracedOperation &At, HloId While);
  bool stepAsync(TracedOperation &At) const;
  bool isBlank(const TracedOperation &At) const;
  void takeSliced(TracedOperation &Part, unsigned Nested);

  const Program &P;
  unsigned Steps = 0;
  /// Parts of loops whose bodies were entered.
  llvm::DenseSet<IdPair> Entered;
  /// The loop that was entered last.
  HloId Inner;
};
} // namespace

bool Walk::stepTo(TracedOperation &At, HloId Id, uint32_t Ordinal) const {
  if (!Id || Ordinal >= P.trees().parts(P[Id].Shape))
    return false;
  At.Computed = Id;
  At.Ordinal = Ordinal;
  if (P.hasBuffers(Id))
    At.Buffered = Id;
  return true;
}

bool Walk::stepToOperand(TracedOperation &At, uint32_t Operand,
                         uint32_t Ordinal) const {
  llvm::ArrayRef<HloId> Operands = P.operands(At.Computed);
  return Operand < Operands.size() && stepTo(At, Operands[Operand], Ordinal);
}

bool Walk::enter(TracedOperation &At, ComputationId Body) const {
  return Body && stepTo(At, P.root(Body), At.Ordinal);
}

/// From a part of a loop, or of its body's parameter, to what the body makes of
/// it; where it was there before, to what the loop begins with.
bool Walk::stepLoop(TracedOperation &At, HloId While) {
  if (!Entered.insert({While.index(), At.Ordinal}).second)
    return !P.operands(While).empty() &&
           stepTo(At, P.operands(While)[0], At.Ordinal);
  Inner = While;
  return enter(At, P.callee(While, CallRole::Body));
}

/// From a parameter to what its caller passes.
bool Walk::leave(TracedOperation &At) {
  const HloNode &Parameter = P[At.Computed];
  llvm::ArrayRef<HloId> Callers = P.callers(Parameter.Parent);
  if (Callers.empty())
    return false;
  HloId Caller = Callers.front();
  uint32_t Operand = Parameter.number();
  Opcode Op = P[Caller].Op;
  if (Op == Opcode::While)
    return stepLoop(At, Caller);
  if (isAsync(Op))
    return stepTo(At, P.chains().boundOperand(Caller, Operand), At.Ordinal);
  if (Op == Opcode::Conditional) {
    llvm::ArrayRef<HloCall> Calls = P.calls(Caller);
    const auto *Branch = llvm::find_if(Calls, [&](const HloCall &Call) {
      return Call.Callee == Parameter.Parent;
    });
    Operand = 1 + static_cast<uint32_t>(Branch - Calls.begin());
  } else if (!wrapsComputation(Op)) {
    return false;
  }
  uint32_t Ordinal = At.Ordinal;
  return Operand < P.operands(Caller).size() &&
         stepTo(At, P.operands(Caller)[Operand], Ordinal);
}

bool Walk::stepAsync(TracedOperation &At) const {
  HloId Start = P.chains().start(At.Computed);
  ComputationId Body =
      Start ? P.callee(Start, CallRole::Calls) : ComputationId();
  if (!Body)
    return false;
  if (P[At.Computed].Op == Opcode::AsyncDone)
    return enter(At, Body);
  // ((operands), results, ..)
  auto Steps = P.trees().steps(P[At.Computed].Shape, At.Ordinal);
  if (Steps.empty() || Steps.front() != 1 || !P.root(Body))
    return false;
  auto Part = P.trees().ordinal(P[P.root(Body)].Shape,
                                llvm::ArrayRef(Steps).drop_front());
  return Part && stepTo(At, P.root(Body), *Part);
}

/// A transpose that has the name of another operation is a layout of it.
static bool isCompilersOwn(const Program &P, HloId Id) {
  if (P.isHidden(Id))
    return true;
  const HloModule &M = P.module();
  std::optional<StringRef> Name = readMetadata(M.attributes(M[Id])).OpName;
  return !Name || !Name->ends_with("/transpose");
}

bool Walk::isBlank(const TracedOperation &At) const {
  HloId Id = At.Computed;
  if (P[Id].Op == Opcode::Broadcast && !P.operands(Id).empty() &&
      P.operands(Id)[0])
    Id = P.operands(Id)[0];
  if (P[Id].Op == Opcode::Constant)
    return true;
  if (P[Id].Op == Opcode::Parameter && P.isFusionBody(P[Id].Parent)) {
    // The constant may be outside of the fusion that broadcasts it.
    TracedOperation Outer = At;
    Outer.Computed = Id;
    Outer.Ordinal = 0;
    Walk Other(P);
    Outer = Other.run(Id, 0, MaxNested);
    return P[Outer.Computed].Op == Opcode::Constant;
  }
  return P[Id].Op == Opcode::CustomCall &&
         P.customCallTarget(Id) == "AllocateBuffer";
}

bool Walk::step(TracedOperation &At) {
  HloId Id = At.Computed;
  if (continuesAsync(P[Id].Op) && stepAsync(At))
    return true;
  switch (P[Id].Op) {
  case Opcode::Parameter:
    return leave(At);
  case Opcode::While:
    return stepLoop(At, Id);
  case Opcode::Fusion:
    return enter(At, P.callee(Id, CallRole::Calls));
  case Opcode::Call:
    return enter(At, P.callee(Id, CallRole::ToApply));
  case Opcode::Conditional:
    return !P.calls(Id).empty() && enter(At, P.calls(Id).front().Callee);
  case Opcode::Copy:
    At.Copied |= At.Ordinal == 0;
    return stepToOperand(At, 0, At.Ordinal);
  case Opcode::CopyStart:
    if (P.trees().elementOrdinal(P[Id].Shape, 0) == At.Ordinal) {
      At.Copied = true;
      if (!At.Transfer)
        At.Transfer = Id;
      return stepToOperand(At, 0, 0);
    }
    break;
  case Opcode::Reshape:
    return stepToOperand(At, 0, 0);
  case Opcode::Transpose:
    return isCompilersOwn(P, Id) && stepToOperand(At, 0, 0);
  default:
    break;
  }
  if (std::optional<OperandPart> From = P.forwardedPart(Id, At.Ordinal))
    return stepToOperand(At, From->Operand, From->Ordinal);
  return P[Id].Op == Opcode::AsyncStart && stepAsync(At);
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
  TracedOperation At;
  if (!stepTo(At, Id, Ordinal))
    return At;
  while (++Steps < MaxSteps) {
    if (step(At))
      continue;
    auto Update = updateOf(P[At.Computed].Op);
    if (!Update || Nested >= MaxNested || At.Ordinal != 0 ||
        P.operands(At.Computed).size() <= Update->second)
      break;
    // It is what it was before, unless that was nothing.
    HloId Loop = Inner;
    HloId Updating = At.Computed;
    TracedOperation Base =
        run(P.operands(Updating)[Update->first], 0, Nested + 1);
    if (!Base.Computed)
      break;
    if (!Base.Blank) {
      Base.Copied |= At.Copied;
      Base.Updated = true;
      return Base;
    }
    if (!Loop || P[Updating].Op != Opcode::DynamicUpdateSlice)
      break;
    bool Copied = At.Copied;
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
  At.Blank = isBlank(At);
  return At;
}

TracedOperation hlobuf::traceOperation(const Program &P, HloId Id,
                                       uint32_t Ordinal) {
  return Walk(P).run(Id, Ordinal, 0);
}
