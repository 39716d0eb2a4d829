// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Draw/Picture.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace hlobuf;

/// Blocks at one step that wait for bytes of others; see findSharedBytes().
static constexpr size_t MostWaiting = 256;

namespace {
/// A sweep over the steps of one allocation after the other.
struct Sweep {
  void begin(uint32_t Block, int32_t Step);
  void end(uint32_t Block, int32_t Step);
  std::vector<PictureShare> take();

  struct Counted {
    uint64_t End;
    uint32_t Block;
  };
  /// Bytes that another block counts, since a step.
  struct Lack {
    uint64_t Bytes = 0;
    int32_t Since = 0;
  };
  uint64_t claim(uint32_t Block, uint64_t Begin, uint64_t End);
  void setMissing(uint32_t Block, uint64_t Bytes, int32_t Step);

  ArrayRef<PictureBlock> Blocks;
  /// By first byte, disjoint.
  std::map<uint64_t, Counted> Bytes = {};
  /// Live blocks that lack bytes.
  std::vector<uint32_t> Waiting = {};
  std::vector<Lack> Missing = std::vector<Lack>(Blocks.size());
  std::vector<PictureShare> Shares = {};
};
} // namespace

/// Gives the bytes of [\p Begin, \p End) that nobody counts to \p Block.
/// Returns how many these are.
uint64_t Sweep::claim(uint32_t Block, uint64_t Begin, uint64_t End) {
  uint64_t Sum = 0;
  auto Next = Bytes.upper_bound(Begin);
  if (Next != Bytes.begin())
    Begin = std::max(Begin, std::prev(Next)->second.End);
  while (Begin < End) {
    uint64_t Gap = Next == Bytes.end() ? End : std::min(End, Next->first);
    if (Begin < Gap) {
      Bytes.insert(Next, {Begin, {Gap, Block}});
      Sum += Gap - Begin;
    }
    if (Next == Bytes.end())
      break;
    Begin = Next->second.End;
    ++Next;
  }
  return Sum;
}

void Sweep::setMissing(uint32_t Block, uint64_t Bytes, int32_t Step) {
  Lack &State = Missing[Block];
  if (State.Bytes != 0 && State.Since < Step)
    Shares.push_back({Block, State.Since, Step - 1, State.Bytes});
  State = {Bytes, Step};
}

void Sweep::begin(uint32_t Block, int32_t Step) {
  const PictureBlock &B = Blocks[Block];
  uint64_t Lacks = B.Size - claim(Block, B.Offset, B.end());
  setMissing(Block, Lacks, Step);
  if (Lacks != 0 && Waiting.size() < MostWaiting)
    Waiting.push_back(Block);
}

void Sweep::end(uint32_t Block, int32_t Step) {
  const PictureBlock &B = Blocks[Block];
  setMissing(Block, 0, Step);
  llvm::erase_if(Waiting, [&](uint32_t Other) { return Other == Block; });
  std::vector<std::pair<uint64_t, uint64_t>> Freed;
  auto Next = Bytes.lower_bound(B.Offset);
  while (Next != Bytes.end() && Next->first < B.end()) {
    if (Next->second.Block != Block) {
      ++Next;
      continue;
    }
    Freed.push_back({Next->first, Next->second.End});
    Next = Bytes.erase(Next);
  }
  for (uint32_t Other : Waiting) {
    uint64_t Won = 0;
    for (auto [Begin, End] : Freed) {
      uint64_t From = std::max(Begin, Blocks[Other].Offset);
      uint64_t To = std::min(End, Blocks[Other].end());
      if (From < To)
        Won += claim(Other, From, To);
    }
    if (Won != 0)
      setMissing(Other, Missing[Other].Bytes - Won, Step);
  }
}

std::vector<PictureShare> Sweep::take() {
  std::ranges::sort(Shares, {}, [](const PictureShare &X) {
    return std::pair(X.Block, X.First);
  });
  return std::move(Shares);
}

std::vector<PictureShare>
hlobuf::findSharedBytes(ArrayRef<PictureBlock> Blocks) {
  // Where blocks begin and end: by allocation, then by step, ends first.
  using Event = std::tuple<AllocationId, int32_t, bool, uint32_t>;
  std::vector<Event> Events;
  for (const auto &[I, B] : llvm::enumerate(Blocks)) {
    if (B.Size == 0)
      continue;
    Events.emplace_back(B.Owner, B.First, true, I);
    Events.emplace_back(B.Owner, B.Last + 1, false, I);
  }
  llvm::sort(Events);
  Sweep S{Blocks};
  for (auto [Owner, Step, Begins, Block] : Events)
    if (Begins)
      S.begin(Block, Step);
    else
      S.end(Block, Step);
  return S.take();
}
