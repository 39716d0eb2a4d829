// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Thunks/SliceSet.h"
#include "llvm/ADT/STLExtras.h"
#include <tuple>

using namespace hlobuf;

int64_t SliceSet::reach(const ByteSlice &Bytes) {
  return Bytes.Size == 0 ? -1 : Bytes.end();
}

SliceSet::SliceSet(ArrayRef<ByteSlice> All) {
  llvm::copy_if(All, std::back_inserter(Slices), isValid);
  llvm::sort(Slices);
  Slices.erase(std::unique(Slices.begin(), Slices.end()), Slices.end());
  for (uint32_t I = 0; I != Slices.size(); ++I) {
    const ByteSlice &Own = Slices[I];
    bool New = I == 0 || Slices[I - 1].Allocation != Own.Allocation;
    Latest Ending = New ? Latest{I, I} : Ends.back();
    if (!New && reach(Own) > reach(Slices[Ending.First]))
      Ending = {I, Ending.First};
    else if (!New && (Ending.Second == Ending.First ||
                      reach(Own) > reach(Slices[Ending.Second])))
      Ending.Second = I;
    Ends.push_back(Ending);
    if (Own.Size == 0)
      continue;
    if (Runs.empty() || Runs.back().Allocation != Own.Allocation ||
        Own.Offset > Runs.back().end())
      Runs.push_back(Own);
    else
      Runs.back().Size =
          std::max(Runs.back().end(), Own.end()) - Runs.back().Offset;
  }
}

bool SliceSet::contains(const ByteSlice &Bytes) const {
  return std::binary_search(Slices.begin(), Slices.end(), Bytes);
}

const SliceSet::Latest *SliceSet::upTo(int64_t Allocation, int64_t Last) const {
  auto Next = llvm::partition_point(Slices, [&](const ByteSlice &S) {
    return std::tie(S.Allocation, S.Offset) <= std::tie(Allocation, Last);
  });
  if (Next == Slices.begin() || std::prev(Next)->Allocation != Allocation)
    return nullptr;
  return &Ends[static_cast<size_t>(Next - Slices.begin()) - 1];
}

bool SliceSet::isInOne(const ByteSlice &Bytes) const {
  if (!isValid(Bytes))
    return false;
  const Latest *Last = upTo(Bytes.Allocation, Bytes.Offset);
  return contains(Bytes) || (Last && reach(Slices[Last->First]) >= Bytes.end());
}

const ByteSlice *SliceSet::overlapping(const ByteSlice &Bytes) const {
  if (!isValid(Bytes) || Bytes.Size == 0)
    return nullptr;
  const Latest *Last = upTo(Bytes.Allocation, Bytes.end() - 1);
  return Last && reach(Slices[Last->First]) > Bytes.Offset
             ? &Slices[Last->First]
             : nullptr;
}

const ByteSlice *SliceSet::overlappingOther(const ByteSlice &Bytes) const {
  const ByteSlice *Any = overlapping(Bytes);
  if (!Any || !(*Any == Bytes))
    return Any;
  const ByteSlice &Other =
      Slices[upTo(Bytes.Allocation, Bytes.end() - 1)->Second];
  return Other == Bytes || reach(Other) <= Bytes.Offset ? nullptr : &Other;
}

SmallVector<ByteSlice, 2> SliceSet::uncovered(const ByteSlice &Bytes) const {
  SmallVector<ByteSlice, 2> Gaps;
  if (!isValid(Bytes))
    return {Bytes};
  int64_t Offset = Bytes.Offset;
  int64_t Last = Bytes.end();
  // The first run that ends after the first byte.
  auto Run = llvm::partition_point(Runs, [&](const ByteSlice &R) {
    int64_t End = R.end();
    return std::tie(R.Allocation, End) <= std::tie(Bytes.Allocation, Offset);
  });
  for (; Offset < Last; ++Run) {
    bool Inside = Run != Runs.end() && Run->Allocation == Bytes.Allocation &&
                  Run->Offset < Last;
    int64_t Next = Inside ? Run->Offset : Last;
    if (Offset < Next)
      Gaps.push_back({Bytes.Allocation, Offset, Next - Offset});
    if (!Inside)
      break;
    Offset = Run->end();
  }
  return Gaps;
}

bool SliceSet::covers(const ByteSlice &Bytes) const {
  return uncovered(Bytes).empty();
}
