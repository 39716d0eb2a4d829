// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Checks/Sharing/Stacks.h"
#include "Dataflow/ModuleAnalysis.h"
#include "Dataflow/PrivateStacks.h"
#include "llvm/ADT/Sequence.h"

using namespace hlobuf;
using llvm::ArrayRef;

uint32_t Stacks::number(uint32_t V) const {
  if (Numbers.empty()) {
    const ModuleAnalysis *M = Ctx.moduleAnalysis();
    bool Derived = M && M->program().obstacle().empty();
    Numbers = numberStacks(Ctx, Derived ? &M->program() : nullptr);
  }
  return Numbers[V];
}

void Stacks::forEach(const Allocation &Alloc,
                     llvm::function_ref<void(ArrayRef<uint32_t>)> Check) const {
  auto Lines = llvm::seq<uint32_t>(Alloc.Values.Begin, Alloc.Values.End);
  std::vector<uint32_t> All(Lines.begin(), Lines.end());
  if (!possible(Alloc))
    return Check(All);
  llvm::stable_sort(
      All, [&](uint32_t V, uint32_t W) { return number(V) < number(W); });
  for (ArrayRef<uint32_t> Rest = All; !Rest.empty();) {
    ArrayRef<uint32_t> One =
        Rest.take_while([&](uint32_t V) { return same(V, Rest.front()); });
    Check(One);
    Rest = Rest.drop_front(One.size());
  }
}

void Stacks::sayCollision(const Allocation &Alloc) const {
  Diags.notChecked(fmt::format(
      "alternate memory in which async computations may have private stacks: "
      "allocation {}, color {}",
      Alloc.Index, Alloc.color()));
}

std::vector<TimedBytes> Stacks::sorted(ArrayRef<TimedBytes> Ranges) const {
  std::vector<TimedBytes> Result = Ranges.vec();
  llvm::stable_sort(Result, [&](const TimedBytes &T, const TimedBytes &U) {
    return number(T.Id) < number(U.Id);
  });
  return Result;
}

/// Takes those of stack \p Number from \p Rest, which is sorted.
ArrayRef<TimedBytes> Stacks::take(uint32_t Number,
                                  ArrayRef<TimedBytes> &Rest) const {
  Rest = Rest.drop_while(
      [&](const TimedBytes &T) { return number(T.Id) < Number; });
  ArrayRef<TimedBytes> One = Rest.take_while(
      [&](const TimedBytes &T) { return number(T.Id) == Number; });
  Rest = Rest.drop_front(One.size());
  return One;
}

void Stacks::compare(const Allocation &Alloc, ArrayRef<TimedBytes> Ending,
                     ArrayRef<TimedBytes> Starting, CompareFn Compare,
                     OverlapFn Report) const {
  if (!possible(Alloc))
    return Compare(Ending, Starting, Report);
  std::vector<TimedBytes> First = sorted(Ending), Second = sorted(Starting);
  ArrayRef<TimedBytes> Rest = First, Others = Second;
  while (!Rest.empty()) {
    uint32_t Number = number(Rest.front().Id);
    ArrayRef<TimedBytes> One = take(Number, Rest);
    Compare(One, take(Number, Others), Report);
  }
  bool Collide = false;
  Compare(Ending, Starting,
          [&](uint32_t V, uint32_t W) { Collide |= !same(V, W); });
  if (Collide)
    sayCollision(Alloc);
}

void Stacks::findOverlaps(const Allocation &Alloc, ArrayRef<TimedBytes> Held,
                          OverlapFn Report) const {
  auto Compare = [](ArrayRef<TimedBytes> Ranges, ArrayRef<TimedBytes>,
                    OverlapFn Found) { hlobuf::findOverlaps(Ranges, Found); };
  compare(Alloc, Held, {}, Compare, Report);
}

void Stacks::findTouching(const Allocation &Alloc, ArrayRef<TimedBytes> Ending,
                          ArrayRef<TimedBytes> Starting,
                          OverlapFn Report) const {
  compare(Alloc, Ending, Starting, hlobuf::findTouching, Report);
}
