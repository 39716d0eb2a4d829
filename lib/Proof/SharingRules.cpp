// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts that are one value.

#include "Proof/Deciders.h"
#include "Support/Format.h"

using namespace hlobuf;
using namespace hlobuf::proof;

static Outcome isForwarded(const ProofModel &X, Part At) {
  ArrayRef<Part> Sources = X.From.of(At);
  if (!X.Home.of(At)) {
    std::vector<std::string> Names;
    for (Part Source : Sources)
      if (ValueId Line = X.Home.of(Source))
        Names.push_back(X.Lines.spell(Line));
    if (Names.empty())
      return {Reason::SourceWithoutLine, X.Lines.spell(At)};
    return {Breach::SeveralSources,
            X.Lines.spell(At) + ": " + listNames(Names, 4)};
  }
  // Until 2021-10 the operand's name went on, although the call writes there.
  if (X.op(At.Id) == Opcode::CustomCall && !X.From.markedOperand(At))
    return {Reason::CustomCallWithoutLine, X.Lines.spell(At)};
  return Sources.size() == 1 ? Rule::OneSource : Rule::PhiOfOneSource;
}

/// Both lines begin at one place.
static Outcome isOnePlace(const ProofModel &X, ValueId A, ValueId B, Rule By) {
  if (!A || !B)
    return Reason::PartWithoutLine;
  if (X.place(A).beginsLike(X.place(B)))
    return By;
  return {Breach::OtherPlace,
          Evidence{X.Lines.spell(A) + " and " + X.Lines.spell(B), A, B}};
}

static Outcome isDonatedPlace(const ProofModel &X, const HloAlias &Alias) {
  const Dump &D = X.Lines.dump();
  HloId Argument = X.P.parameter(X.P.module().Entry, Alias.Parameter);
  Part Result = X.Lines.partAt(X.entryRoot(), D.Indices.steps(Alias.Output));
  Part From = X.Lines.partAt(Argument, D.Indices.steps(Alias.Index));
  if (!Result || !From)
    return Reason::OtherHeader;
  if (!X.Lines.shape(Result).isArray())
    return Rule::NoData;
  return isOnePlace(X, X.Home.of(Result), X.Home.of(From), Rule::DonatedPlace);
}

void proof::decideForwarding(const ProofModel &X, Ledger &L) {
  L.decide(Topic::Forwarded,
           [&](const Obligation &O) { return isForwarded(X, {O.At, O.Part}); });
}

void proof::decideSharing(const ProofModel &X, Ledger &L) {
  L.decide(Topic::SourcePlace, [&](const Obligation &O) {
    Part At = {O.At, O.Part};
    bool Phi = joinsValues(X.op(O.At)) || X.op(O.At) == Opcode::Parameter;
    return isOnePlace(X, X.Lines.line(At), X.Home.of(X.From.of(At)[O.Operand]),
                      Phi ? Rule::PhiPlace : Rule::SourcePlace);
  });
  L.decide(Topic::PairPlace, [&](const Obligation &O) {
    return isOnePlace(X, X.Lines.line({O.At, O.Part}),
                      X.operandHome(O.At, O.Operand, O.OperandPart),
                      Rule::PairPlace);
  });
  L.decide(Topic::DonatedPlace, [&](const Obligation &O) {
    return isDonatedPlace(X, X.P.module().Aliases[O.Part]);
  });
}
