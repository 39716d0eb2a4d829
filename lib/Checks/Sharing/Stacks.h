// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values on private stacks.
//
// On TPU async computations may have stacks of their own (PrivateStacks.h), so
// that values of two of them may share bytes. Values of one never do.

#ifndef HLOBUF_CHECKS_SHARING_STACKS_H
#define HLOBUF_CHECKS_SHARING_STACKS_H

#include "Checks/Check.h"
#include "Facts/Overlap.h"

namespace hlobuf {

/// Compares values of one allocation after the other, stack by stack where
/// there may be private ones.
class Stacks {
public:
  /// Both must outlive this.
  Stacks(const CheckContext &Ctx, Reporter &Diags) : Ctx(Ctx), Diags(Diags) {}

  /// Async computations may have stacks of their own in \p Alloc.
  bool possible(const Allocation &Alloc) const {
    return Ctx.privateStacksPossible(Alloc.color());
  }
  /// True if \p V and \p W, of an allocation where stacks are possible, are on
  /// one stack.
  bool same(uint32_t V, uint32_t W) const { return number(V) == number(W); }

  /// Calls \p Check with the values of \p Alloc; where stacks are possible,
  /// once for each stack.
  void forEach(const Allocation &Alloc,
               llvm::function_ref<void(llvm::ArrayRef<uint32_t>)> Check) const;
  /// Runs findOverlaps on values of \p Alloc; where stacks are possible, on
  /// each by itself, and says so if values of different ones collide.
  void findOverlaps(const Allocation &Alloc, llvm::ArrayRef<TimedBytes> Held,
                    OverlapFn Report) const;
  /// The same with findTouching.
  void findTouching(const Allocation &Alloc, llvm::ArrayRef<TimedBytes> Ending,
                    llvm::ArrayRef<TimedBytes> Starting,
                    OverlapFn Report) const;
  /// Says that values of different stacks in \p Alloc share bytes at the same
  /// time, and that nothing shows whether they may.
  void sayCollision(const Allocation &Alloc) const;

private:
  using CompareFn = llvm::function_ref<void(
      llvm::ArrayRef<TimedBytes>, llvm::ArrayRef<TimedBytes>, OverlapFn)>;

  uint32_t number(uint32_t V) const;
  std::vector<TimedBytes> sorted(llvm::ArrayRef<TimedBytes> Ranges) const;
  llvm::ArrayRef<TimedBytes> take(uint32_t Number,
                                  llvm::ArrayRef<TimedBytes> &Rest) const;
  void compare(const Allocation &Alloc, llvm::ArrayRef<TimedBytes> Ending,
               llvm::ArrayRef<TimedBytes> Starting, CompareFn Compare,
               OverlapFn Report) const;

  const CheckContext &Ctx;
  Reporter &Diags;
  /// By value line, found when first asked for.
  mutable std::vector<uint32_t> Numbers;
};

} // namespace hlobuf

#endif // HLOBUF_CHECKS_SHARING_STACKS_H
