// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computing again what was kept.

#ifndef HLOBUF_FIT_RECOMPUTE_H
#define HLOBUF_FIT_RECOMPUTE_H

#include "Fit/FitContext.h"
#include "llvm/ADT/DenseSet.h"

namespace hlobuf {

/// What the backward pass reads of the forward pass.
struct Residual {
  /// What defines it, and which part of that; of a scan what writes it into its
  /// stack.
  HloId Definition;
  uint32_t Ordinal = 0;
  /// Bytes of one layer.
  uint64_t Bytes = 0;
  bool Scales = false;
  /// Definition writes it into a stack.
  bool Stacked = false;
  /// It is what the layer is given, as it is.
  bool Input = false;
  /// First and last step of the backward pass that reads it.
  int32_t FirstRead = 0;
  int32_t LastRead = 0;
  /// What is not held where it is not kept.
  std::vector<BytesChange> Freed;
  /// The operation that computes it, past what only moves or converts it.
  HloId Producer;
  uint32_t ProducerOrdinal = 0;
};

/// Part \p Ordinal of \p Id, which is in \p Buffer, before it is known who
/// reads it.
Residual makeResidual(const FitContext &Ctx, HloId Id, uint32_t Ordinal,
                      const FitBuffer &Buffer);

/// The elements of its result are elements of its operands, none is new.
bool forwardsElements(Opcode Op);

/// How the elements of a part of an instruction's result are computed.
struct ElementSources {
  /// From elements of these operands, by nothing but cheap operations on each
  /// element; false if something else is computed on the way.
  bool Cheap = false;
  llvm::SmallVector<HloId, 4> Operands;
};

/// Of what dynamic-update-slice writes into a stack only the update counts.
ElementSources findElementSources(const FitContext &Ctx, HloId Id,
                                  uint32_t Ordinal);

/// Instructions of the forward pass that run again before the backward pass
/// of their layer, without those that nothing needs. What is cheap is computed
/// where it is read, from what it is computed of, if that is not larger.
class Recompute {
public:
  /// \p Order has instructions of one computation in schedule order. \p Results
  /// has what must be there again, \p Saved what is kept and need not be
  /// computed for others.
  Recompute(const FitContext &Ctx, llvm::ArrayRef<HloId> Order,
            llvm::ArrayRef<const Residual *> Results,
            llvm::ArrayRef<const Residual *> Saved);

  /// A value that is computed again. Numbers of the order, closed.
  struct Item {
    SplitBytes Bytes;
    int32_t First = 0;
    int32_t Last = 0;
    /// The last step of the backward pass that reads it; -1 if none does.
    int32_t LastRead = -1;
  };
  llvm::ArrayRef<Item> items() const { return Items; }

  /// A value from elsewhere that is read again, until step LastRead of the
  /// backward pass where it is not -1.
  struct Input {
    HloValueId Value;
    int32_t LastRead = -1;
  };
  llvm::ArrayRef<Input> inputs() const { return Inputs; }

  double flops() const { return Operations; }
  uint64_t writtenBytes() const { return Written; }
  /// The most bytes while it runs.
  SplitBytes peak() const;

private:
  void want(const Residual &R);
  void require(HloId Operand, int32_t LastRead);
  uint64_t costOfKeeping(HloId Operand, int32_t LastRead) const;
  void findNeeded();
  void collect();

  const FitContext &Ctx;
  llvm::ArrayRef<HloId> Order;
  llvm::DenseMap<uint32_t, uint32_t> Numbers;
  /// By number of the order.
  std::vector<bool> Needed;
  std::vector<bool> Available;
  /// By value: the last step of the backward pass that reads it.
  llvm::DenseMap<uint32_t, int32_t> LastReads;
  /// Parts of stacks that are values of their own when computed again.
  std::vector<std::pair<uint32_t, const Residual *>> Parts;
  llvm::DenseMap<uint32_t, int32_t> InputReads;
  std::vector<Item> Items;
  std::vector<Input> Inputs;
  double Operations = 0;
  uint64_t Written = 0;
};

} // namespace hlobuf

#endif // HLOBUF_FIT_RECOMPUTE_H
