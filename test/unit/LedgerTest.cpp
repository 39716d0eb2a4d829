// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Proof/Ledger.h"
#include "gtest/gtest.h"
#include <type_traits>

using namespace hlobuf;
using namespace hlobuf::proof;

// A decider cannot return without having decided.
static_assert(!std::is_default_constructible_v<Outcome>);

static Obligation read(uint32_t Id, uint32_t Operand) {
  return {Topic::Read, HloId(Id), 0, Operand, 0};
}

static Ledger sealed(std::initializer_list<Obligation> Owed) {
  Ledger L;
  for (const Obligation &O : Owed)
    L.open(O);
  L.seal();
  return L;
}

TEST(Ledger, WhatNobodyDecidesIsOpen) {
  Ledger L = sealed({read(1, 0), read(0, 0)});
  L.visit(read(0, 0), Rule::BytesHoldIt);
  ASSERT_EQ(L.size(Topic::Read), 2u);
  EXPECT_EQ(L.rows(Topic::Read)[0].How, OutcomeKind::Proved);
  EXPECT_EQ(L.rows(Topic::Read)[1].How, OutcomeKind::Gap);
  EXPECT_EQ(L.outcome(L.rows(Topic::Read)[1]).why(), "never reached");
  EXPECT_FALSE(L.faults().any());
}

TEST(Ledger, TheWorstVisitCounts) {
  Ledger L = sealed({read(0, 0), read(0, 1)});
  L.visit(read(0, 0), Outcome(Breach::Overwritten, "x is lost"));
  L.visit(read(0, 0), Rule::BytesHoldIt);
  L.visit(read(0, 1), Gate::UnknownFormula);
  L.visit(read(0, 1), {Reason::UnknownOpcode, "y"});
  L.visit(read(0, 1), Gate::UnknownFormula);
  EXPECT_EQ(L.rows(Topic::Read)[0].How, OutcomeKind::Violated);
  EXPECT_EQ(L.outcome(L.rows(Topic::Read)[0]).evidence().Text, "x is lost");
  EXPECT_EQ(L.rows(Topic::Read)[1].How, OutcomeKind::Gap);
  EXPECT_EQ(L.outcome(L.rows(Topic::Read)[1]).evidence().Text, "y");
}

TEST(Ledger, OfVisitsThatAreAsBadTheFirstCounts) {
  Ledger L = sealed({read(0, 0), read(0, 1)});
  L.visit(read(0, 0), Outcome(Breach::Overwritten, "x"));
  L.visit(read(0, 0), Outcome(Breach::TwoResults, "y"));
  L.visit(read(0, 1), Rule::NoData);
  L.visit(read(0, 1), Rule::BytesHoldIt);
  EXPECT_EQ(L.outcome(L.rows(Topic::Read)[0]).why(),
            "overwritten before it is read");
  EXPECT_EQ(L.outcome(L.rows(Topic::Read)[0]).evidence().Text, "x");
  EXPECT_EQ(L.outcome(L.rows(Topic::Read)[1]).why(), "no data");
}

TEST(Ledger, AnOutcomeNeedsAnObligation) {
  Ledger L = sealed({read(0, 0)});
  L.visit(read(0, 1), Rule::BytesHoldIt);
  EXPECT_EQ(L.faults().NotEnumerated, 1u);
  L.visit({Topic::Written, HloId(0), 0, 0, 0}, Rule::OwnPlace);
  EXPECT_EQ(L.faults().NotEnumerated, 2u);
  Ledger Between = sealed({read(0, 0), read(0, 2)});
  Between.visit(read(0, 1), Rule::BytesHoldIt);
  EXPECT_EQ(Between.faults().NotEnumerated, 1u);
}

TEST(Ledger, NothingIsOwedTwice) {
  EXPECT_EQ(sealed({read(0, 0), read(0, 1)}).faults().EnumeratedTwice, 0u);
  EXPECT_EQ(
      sealed({read(0, 0), read(1, 0), read(0, 0)}).faults().EnumeratedTwice,
      1u);
  Ledger L = sealed({read(0, 0)});
  L.open(read(1, 0));
  EXPECT_EQ(L.faults().EnumeratedTwice, 1u);
}

TEST(Ledger, ATopicIsDecidedOnce) {
  Ledger L =
      sealed({read(0, 0), {Topic::Written, HloId(0), 0, 0, 0}, read(2, 0)});
  std::vector<uint32_t> Asked;
  L.decide(Topic::Read, [&](const Obligation &O) -> Outcome {
    Asked.push_back(O.At.index());
    return Rule::BytesHoldIt;
  });
  EXPECT_EQ(Asked, (std::vector<uint32_t>{0, 2}));
  EXPECT_EQ(L.rows(Topic::Written)[0].How, OutcomeKind::Gap);
  EXPECT_FALSE(L.faults().any());
  L.decide(Topic::Read,
           [](const Obligation &) -> Outcome { return Rule::BytesHoldIt; });
  EXPECT_EQ(L.faults().DecidedTwice, 1u);
}

TEST(Ledger, AGateCoversNoViolation) {
  Ledger L = sealed({read(0, 0), read(1, 0), read(2, 0)});
  L.visit(read(0, 0), Rule::BytesHoldIt);
  L.visit(read(1, 0), Outcome(Breach::Overwritten, ""));
  L.assume(Topic::Read, Gate::CompiledElsewhere,
           [](const Obligation &O) { return O.At.index() < 2; });
  EXPECT_EQ(L.rows(Topic::Read)[0].How, OutcomeKind::Assumed);
  EXPECT_EQ(L.rows(Topic::Read)[1].How, OutcomeKind::Violated);
  EXPECT_EQ(L.rows(Topic::Read)[2].How, OutcomeKind::Gap);
}

TEST(Ledger, ASecondCountMustAgree) {
  Ledger L = sealed({read(0, 0)});
  L.compareCount(Topic::Read, 1);
  L.finish();
  EXPECT_FALSE(L.faults().any());
  L.compareCount(Topic::Read, 2);
  EXPECT_EQ(L.faults().CountedOtherwise, 1u);
}

TEST(Ledger, WhatNobodyCountsAgainIsAMistake) {
  Ledger L = sealed({read(0, 0)});
  L.finish();
  EXPECT_EQ(L.faults().CountedOtherwise, 1u);
}

TEST(Ledger, ATallyCountsWhatIsNotKept) {
  for (bool KeepsProved : {true, false}) {
    Ledger L(KeepsProved);
    for (uint32_t I = 0; I != 4; ++I)
      L.open(read(I, 0));
    L.open({Topic::Written, HloId(0), 0, 0, 0});
    L.seal();
    L.visit(read(0, 0), Rule::BytesHoldIt);
    L.visit(read(1, 0), Rule::BytesHoldIt);
    L.visit(read(2, 0), Gate::CompiledElsewhere);
    L.finish();
    EXPECT_EQ(L.rows(Topic::Read).size(), KeepsProved ? 4u : 2u);
    EXPECT_EQ(L.tally(Kind::Read), (std::array<size_t, 4>{2, 1, 1, 0}));
    EXPECT_EQ(L.tally(Kind::Order), (std::array<size_t, 4>{0, 0, 0, 0}));
  }
}
