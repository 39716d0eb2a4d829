// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Thunks/Interleaving.h"

using namespace hlobuf;
using namespace hlobuf::proof;

/// Ways to read the arguments of a custom call as operands and results.
static constexpr size_t MostWays = 64;

bool hlobuf::isElsewhere(const ThunkSlice &S, const ArrayLeaf &Leaf) {
  return Leaf.Bytes && (S.Missing || S.Bytes != *Leaf.Bytes);
}

std::optional<Outcome> hlobuf::interleaved(ArrayRef<const ThunkSlice *> All,
                                           ArrayRef<ArrayLeaf> Operands,
                                           ArrayRef<ArrayLeaf> Results) {
  // By ways: how many operands were passed, ascending.
  SmallVector<size_t, 4> Ways = {0};
  for (size_t N = 0; N != All.size(); ++N) {
    SmallVector<size_t, 4> Next;
    auto Add = [&](size_t Passed) {
      if (Next.empty() || Next.back() != Passed)
        Next.push_back(Passed);
    };
    for (size_t Passed : Ways) {
      size_t Written = N - Passed;
      if (Written < Results.size() && !isElsewhere(*All[N], Results[Written]))
        Add(Passed);
      if (Passed < Operands.size() && !isElsewhere(*All[N], Operands[Passed]))
        Add(Passed + 1);
    }
    Ways = std::move(Next);
    if (Ways.size() > MostWays)
      return Reason::SeveralWays;
  }
  if (!llvm::is_contained(Ways, Operands.size()))
    return std::nullopt;
  auto IsKnown = [](const ArrayLeaf &Leaf) { return Leaf.Bytes.has_value(); };
  bool Known =
      llvm::all_of(Operands, IsKnown) && llvm::all_of(Results, IsKnown);
  return Known ? Outcome(Rule::PlaceOfArray) : Reason::ArrayWithoutPlace;
}
