//===- Facts/LastSteps.cpp ------------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Facts/LastSteps.h"

using namespace hlobuf;
using llvm::StringRef;

/// Loops read their operand through their parameter, calls through what they
/// call. A reader without text that has several operands is a call or a
/// conditional: nothing else without a value can be that. A name shows little:
/// elements are named after what they come from (jax 0.10.2, `closed_call.0`).
LastSteps::Reads LastSteps::readsItself(NameId Name) const {
  if (A.hasText(Name)) {
    return calleeReads(A.opcode(Name)) ? Reads::No : Reads::Yes;
  }
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

LastSteps::LastSteps(const Facts &A)
    : A(A), D(A.dump()), Kinds(D.Sequence.size()) {
  bool Plain = A.isPlain();
  for (size_t Step = 0; Step != D.Sequence.size(); ++Step) {
    NameId Name = D.Sequence[Step].Name;
    const Instruction *I = A.instruction(Name);
    Opcode Op = I ? I->Op.Op : Opcode::Unknown;
    bool Async = I && (isAsync(Op) || I->Op.Sugar);
    AnyAsync |= Async || (!A.isTPU() && mayBeSugar(Op));
    StepKind &Kind = Kinds[Step];
    Kind.Read = Plain ? Reads::Yes : readsItself(Name);
    Kind.Control =
        Async || Op == Opcode::Conditional || Kind.Read != Reads::Yes;
    Kind.Done = Async || isWrappedDone(I ? opcodeText(Op) : D.Names[Name]);
  }
  for (const LiveRangeRow &Row : D.Ranges)
    if (A.opcode(Row.Name) == Opcode::Parameter && Row.Start >= 0 &&
        Row.Start < A.steps())
      Kinds[static_cast<size_t>(Row.Start)].Begins = true;
}

LastStepsOf LastSteps::operator[](UsedId U) const {
  LastStepsOf Steps;
  Steps.Held = A.time(D[U].Tag.Name);
  Steps.AllKnown = Steps.Held >= 0;
  for (const Position &P : D.positions(D[U])) {
    int32_t Step = A.time(P.Name);
    Steps.AllKnown &= Step >= 0;
    Steps.Held = std::max(Steps.Held, Step);
  }
  Steps.Last = Steps.Sure = Steps.Held;
  for (const Use &Read : D.uses(D[U])) {
    int32_t Step = A.time(Read.Name);
    Steps.AllKnown &= Step >= 0;
    if (Step <= Steps.Sure)
      continue;
    Reads Kind = Kinds[static_cast<size_t>(Step)].Read;
    if (Kind == Reads::Yes)
      Steps.Sure = Step;
    if (Kind != Reads::No)
      Steps.Last = std::max(Steps.Last, Step);
  }
  return Steps;
}
