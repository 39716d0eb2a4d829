// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Draw/SharedBytes.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <map>
#include <numeric>

using namespace hlobuf;

/// Blocks at one step that wait for bytes of others; see findSharedBytes().
static constexpr size_t MostWaiting = 256;

namespace {
/// A sweep over the steps of one allocation after the other.
class Sweep {
public:
  explicit Sweep(llvm::ArrayRef<PictureBlock> Blocks)
      : Blocks(Blocks), Missing(Blocks.size()) {}

  void begin(uint32_t Block, int32_t Step);
  void end(uint32_t Block, int32_t Step);
  std::vector<PictureShare> take();

private:
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

  llvm::ArrayRef<PictureBlock> Blocks;
  /// By first byte, disjoint.
  std::map<uint64_t, Counted> Bytes;
  /// Live blocks that lack bytes.
  std::vector<uint32_t> Waiting;
  std::vector<Lack> Missing;
  std::vector<PictureShare> Shares;
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
  Lack &Now = Missing[Block];
  if (Now.Bytes != 0 && Now.Since < Step)
    Shares.push_back({Block, Now.Since, Step - 1, Now.Bytes});
  Now = {Bytes, Step};
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
  auto At = Bytes.lower_bound(B.Offset);
  while (At != Bytes.end() && At->first < B.end()) {
    if (At->second.Block != Block) {
      ++At;
      continue;
    }
    Freed.push_back({At->first, At->second.End});
    At = Bytes.erase(At);
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
  llvm::sort(Shares, [](const PictureShare &X, const PictureShare &Y) {
    return std::pair(X.Block, X.First) < std::pair(Y.Block, Y.First);
  });
  return std::move(Shares);
}

/// Where a block begins or ends, as one number that sorts: by step, ends first,
/// then by block.
static uint64_t eventOf(int32_t Step, bool Begins, uint32_t Block) {
  return static_cast<uint64_t>(Step) << 33 | uint64_t(Begins) << 32 | Block;
}

/// Sweeps over \p OfOwner, the blocks of one allocation. \p Events is only
/// there to be used again.
static void sweep(llvm::ArrayRef<PictureBlock> Blocks,
                  llvm::ArrayRef<uint32_t> OfOwner,
                  std::vector<uint64_t> &Events, Sweep &S) {
  Events.clear();
  for (uint32_t Block : OfOwner) {
    if (Blocks[Block].Size == 0)
      continue;
    Events.push_back(eventOf(Blocks[Block].First, true, Block));
    Events.push_back(eventOf(Blocks[Block].Last + 1, false, Block));
  }
  llvm::sort(Events);
  for (uint64_t Event : Events) {
    auto Block = static_cast<uint32_t>(Event);
    auto Step = static_cast<int32_t>(Event >> 33);
    if ((Event >> 32 & 1) != 0)
      S.begin(Block, Step);
    else
      S.end(Block, Step);
  }
}

std::vector<PictureShare>
hlobuf::findSharedBytes(llvm::ArrayRef<PictureBlock> Blocks) {
  // By allocation, plus two: where its blocks begin in Order.
  std::vector<uint32_t> Begins(2);
  for (const PictureBlock &B : Blocks) {
    if (Begins.size() < B.Owner.index() + size_t(3))
      Begins.resize(B.Owner.index() + size_t(3));
    ++Begins[B.Owner.index() + size_t(2)];
  }
  std::partial_sum(Begins.begin(), Begins.end(), Begins.begin());
  std::vector<uint32_t> Order(Blocks.size());
  for (uint32_t I = 0; I != Blocks.size(); ++I)
    Order[Begins[Blocks[I].Owner.index() + size_t(1)]++] = I;
  Sweep S(Blocks);
  std::vector<uint64_t> Events;
  for (size_t Owner = 0; Owner + 2 < Begins.size(); ++Owner) {
    auto OfOwner = llvm::ArrayRef(Order).slice(
        Begins[Owner], Begins[Owner + 1] - Begins[Owner]);
    // One block shares its bytes with no other.
    if (OfOwner.size() > 1)
      sweep(Blocks, OfOwner, Events, S);
  }
  return S.take();
}
