//===- Checks/Values/ValueIdOrder.cpp -------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values get their ids while the instructions of a module are visited in
// order, all parts of one instruction at once, in pre-order of their index
// (HloDataflowAnalysis::InitializeInstructionValueSets, 2017 on): the ids of
// one instruction follow each other without gap. Phis are made later, one by
// one, and are left out. Inside a computation operands are visited before
// their users (lint; GPU builds of 2022-06 and TensorFlow 2.7 and 2.8 kept
// another order, so it is asked of newer releases only).
//
// A value without allocation is not listed and leaves a gap; the rule needs
// live ranges that prove there is none, or a dump that prints none.
//
//===----------------------------------------------------------------------===//

#include "Checks/Values/UsedRows.h"

using namespace hlobuf;
using llvm::ArrayRef;

/// The ids of \p Sorted (values of one instruction by index) grow by one.
static void checkConsecutive(const CheckContext &A, Reporter &R,
                             ArrayRef<uint32_t> Sorted) {
  const Dump &D = A.dump();
  for (size_t K = 1; K < Sorted.size(); ++K) {
    const ValueTag &Before = D.Used[Sorted[K - 1]].Tag;
    const ValueTag &Tag = D.Used[Sorted[K]].Tag;
    if (Tag.Id == uint64_t(Before.Id) + 1)
      continue;
    // The first id is the odd one if the others are in order among themselves.
    bool First = K == 1 && Sorted.size() > 2 &&
                 D.Used[Sorted[2]].Tag.Id == uint64_t(Tag.Id) + 1;
    UsedId Wrong(Sorted[First ? 0 : K]), Other(Sorted[First ? 1 : K - 1]);
    Finding F = R.report(A.places().tag(D[Wrong]).Id,
                         "{} has id {}, expected {}, next to {} of the same "
                         "instruction",
                         D.spell(D[Wrong].Tag.Name, D[Wrong].Tag.Index),
                         D[Wrong].Tag.Id,
                         First ? int64_t(Tag.Id) - 1 : int64_t(Before.Id) + 1,
                         A.places().tag(D[Other]).Whole);
    F.note(A.places().tag(D[Other]).Whole, "its neighbor");
    aboutUsed(A, F, Wrong);
    return;
  }
}

/// Values of one instruction that are not phis, by index in XLA's order.
static void collect(const CheckContext &A, NameId Name,
                    llvm::SmallVectorImpl<uint32_t> &Out) {
  const Dump &D = A.dump();
  Out.clear();
  for (uint32_t U : A.usedOfInstruction(Name))
    if (!D.Used[U].Tag.Phi)
      Out.push_back(U);
  auto Less = [&](uint32_t X, uint32_t Y) {
    return D.Indices.less(D.Used[X].Tag.Index, D.Used[Y].Tag.Index);
  };
  if (!llvm::is_sorted(Out, Less))
    llvm::stable_sort(Out, Less);
}

/// Lint: operands have smaller ids than their users.
static void checkOperands(const CheckContext &A, Reporter &R,
                          const std::vector<uint32_t> &Least,
                          const std::vector<uint32_t> &Most) {
  const Dump &D = A.dump();
  for (const Instruction &I : D.Instructions)
    for (NameId Operand : D.operands(I)) {
      uint32_t User = Least[I.Name.index()];
      uint32_t Def = Most[Operand.index()];
      if (User == ~0U || Def == ~0U || D.Used[Def].Tag.Id < D.Used[User].Tag.Id)
        continue;
      TagTexts Tag = A.places().tag(D.Used[User]);
      R.reportAs(Severity::Lint, Tag.Id,
                 "{} has a smaller id than its operand {}", Tag.Whole,
                 A.places().tag(D.Used[Def]).Whole)
          .about(I.Name);
    }
}

namespace hlobuf {
void checkValueIdOrder(const CheckContext &A, Reporter &R) {
  const Dump &D = A.dump();
  bool Proven = D.Ranges.empty() || A.isFull();
  if (!Proven)
    R.notCheckedWithout(A, Section::Ranges, SomeUnlisted);
  // Values with the smallest and largest id of each instruction without phis.
  std::vector<uint32_t> Least(D.Names.size(), ~0U), Most(D.Names.size(), ~0U);
  llvm::SmallVector<uint32_t, 16> Own;
  for (uint32_t Name = 0; Name != D.Names.size(); ++Name) {
    collect(A, NameId(Name), Own);
    if (Own.empty())
      continue;
    if (Proven)
      checkConsecutive(A, R, Own);
    if (Own.size() != A.usedOfInstruction(NameId(Name)).size())
      continue;
    Least[Name] = Own.front();
    Most[Name] = Own.back();
  }
  if (A.release().since(20240116))
    checkOperands(A, R, Least, Most);
}
} // namespace hlobuf
