// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How results of fusions depend on their operands.

#ifndef HLOBUF_PROOF_FUSIONREADS_H
#define HLOBUF_PROOF_FUSIONREADS_H

#include "Proof/ProofModel.h"

namespace hlobuf::proof {

/// How an element of a result reads an operand.
enum class ReadManner : uint8_t {
  /// The element at its own place.
  Identity,
  /// One at its own place, from the window that an update writes on.
  Window,
  /// None of those that an update writes.
  Apart,
  /// It is a start index.
  Index,
  /// It is reduced.
  Reduced,
  /// Other elements, or it is not known which.
  Moved,
};

/// Of Window, Number is that of the window; of Moved, Why says how.
struct ReadState {
  ReadManner Kind = ReadManner::Identity;
  uint32_t Number = 0;
  llvm::StringRef Why;

  bool operator==(const ReadState &) const = default;
};

/// A part of an operand that a part of a result depends on.
struct FusionRead {
  uint32_t Operand = 0;
  uint32_t Ordinal = 0;
  ReadState State;

  bool operator==(const FusionRead &) const = default;
};

/// A box of elements, in elements of the array in memory order.
struct ElementWindow {
  /// What is known of the offset of its first element.
  int64_t Offset = 0;
  /// Strides of start indices that are not known, and which those are.
  llvm::SmallVector<std::pair<int64_t, HloId>, 2> Starts;
  /// Sizes above one with their strides.
  llvm::SmallVector<std::pair<int64_t, int64_t>, 4> Extents;

  bool operator==(const ElementWindow &) const = default;
  /// Both are known, and no element is in both spans.
  bool isApart(const ElementWindow &Other) const;
  /// One past the last element.
  int64_t end() const;
};

/// Looks through the computations of fusions.
class FusionReads {
public:
  explicit FusionReads(const ProofModel &X) : X(X) {}

  /// Every way from \p Result, a part of a fusion, to its operands.
  const std::vector<FusionRead> &find(Part Result, unsigned Depth = 0);

private:
  struct Item {
    Part At;
    ReadState State;
  };
  void walk(Item It, unsigned Depth);
  void walkElementwise(Item It);
  void walkReshaped(Item It);
  void walkUpdate(Item It);
  void walkSlice(Item It);
  void walkFusion(Item It, unsigned Depth);
  void walkOther(Item It);
  /// Goes on at operand \p K, part \p Ordinal.
  void go(const Item &It, uint32_t K, ReadState State, uint32_t Ordinal = 0) {
    Work.push_back({X.operandPart(It.At.Id, K, Ordinal), State});
  }
  void goAll(const Item &It, uint32_t First, ReadState State) {
    for (uint32_t K = First; K < X.P.operands(It.At.Id).size(); ++K)
      go(It, K, State);
  }
  bool keepsOrder(HloId Id) const;
  llvm::SmallVector<std::pair<int64_t, HloId>, 4>
  startIndices(HloId Id, uint32_t First) const;
  std::optional<ElementWindow> windowOf(HloId Slice) const;
  uint32_t number(ElementWindow W);

  const ProofModel &X;
  std::vector<ElementWindow> Windows;
  std::vector<Item> Work;
  llvm::DenseMap<IdPair, std::vector<FusionRead>> Known;
};

} // namespace hlobuf::proof

#endif // HLOBUF_PROOF_FUSIONREADS_H
