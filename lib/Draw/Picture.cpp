// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Draw/Picture.h"
#include "Dataflow/ModuleAnalysis.h"
#include "llvm/ADT/STLExtras.h"
#include <tuple>

using namespace hlobuf;

HeldValue Picture::held(const PictureBlock &B) const {
  HeldValue Value;
  ArrayRef<ValueId> All = values(B);
  const auto *Named =
      llvm::find_if(All, [&](ValueId V) { return !dump()[V].Tag.Phi; });
  Value.Value = Named == All.end() ? All.front() : *Named;
  Value.Kind = kindOf(dump()[B.Owner]);
  Value.Bytes = Value.Unpadded = B.Size;
  llvm::copy_if(All, std::back_inserter(Value.Others),
                [&](ValueId V) { return V != Value.Value; });
  return Value;
}

namespace {
class Drawing {
public:
  Drawing(Picture &P, const ModuleAnalysis *Module, const DumpResult &R)
      : P(P), D(P.dump()),
        Module(Module && Module->derivesTime() ? Module : nullptr),
        Named(findNamedValues(P.Memory->facts(), R)) {}

  void addBlocks(AllocationId Owner);

private:
  HloValueId flowOf(ValueId V) const {
    return Module ? Module->find(D[V].Tag.Name, D[V].Tag.Index) : HloValueId();
  }
  std::optional<StepRange> rangeOf(ValueId V) const;
  bool continues(const PictureBlock &B, ValueId V, StepRange Range) const;

  Picture &P;
  const Dump &D;
  /// What the module implies; null where that is nothing.
  const ModuleAnalysis *Module;
  /// Those that findings name have blocks of their own.
  DenseSet<uint32_t> Named;
};
} // namespace

/// When \p V is drawn; nothing where that is not known.
std::optional<StepRange> Drawing::rangeOf(ValueId V) const {
  return P.Memory->isTimed() ? P.Memory->range(V) : StepRange{0, 0};
}

/// True if \p V goes on with the buffer of \p B, which ends as it starts.
/// Without a module only values that are live together are known to alias.
bool Drawing::continues(const PictureBlock &B, ValueId V,
                        StepRange Range) const {
  ValueId Before = P.Values.back();
  if (B.Offset != D[V].Offset || D[Before].Size != D[V].Size ||
      Named.contains(V.index()) || Named.contains(Before.index()))
    return false;
  HloValueId Flow = flowOf(V);
  HloValueId FlowBefore = flowOf(Before);
  return Flow && FlowBefore ? Range.Start <= B.Last + 1 &&
                                  Module->aliases().same(FlowBefore, Flow)
                            : Range.Start < B.Last;
}

void Drawing::addBlocks(AllocationId Owner) {
  std::vector<std::pair<StepRange, ValueId>> Values;
  for (ValueId V : Dump::valueIds(D[Owner]))
    if (std::optional<StepRange> Range = rangeOf(V))
      Values.emplace_back(*Range, V);
    else
      ++P.Untimed;
  auto Key = [&](const std::pair<StepRange, ValueId> &Timed) {
    auto [Range, V] = Timed;
    return std::tuple(D[V].Offset, D[V].Size, Range.Start, Range.End, V);
  };
  std::ranges::sort(Values, {}, Key);
  bool IsFirst = true;
  for (auto [Range, V] : Values) {
    if (!IsFirst && continues(P.Blocks.back(), V, Range)) {
      PictureBlock &B = P.Blocks.back();
      B.Last = std::max(B.Last, Range.End);
    } else {
      // The sum of a broken dump may not fit.
      uint64_t Size = std::min(D[V].Size, ~uint64_t(0) - D[V].Offset);
      auto First = static_cast<uint32_t>(P.Values.size());
      P.Blocks.push_back(
          {Owner, D[V].Offset, Size, Range.Start, Range.End, {First, First}});
    }
    P.Values.push_back(V);
    ++P.Blocks.back().Values.End;
    IsFirst = false;
  }
}

/// Marks the rows of \p Copies that are shown. What a copy makes are all parts
/// of its instruction; the largest is marked.
static void markCopies(const CopyTable &Copies, Picture &P) {
  const Dump &D = P.dump();
  std::vector<uint32_t> BlockOf(D.Values.size(), ~0U);
  for (const auto &[I, B] : llvm::enumerate(P.Blocks))
    for (ValueId V : P.values(B))
      BlockOf[V.index()] = static_cast<uint32_t>(I);
  for (const CopyRow &Row : ArrayRef(Copies.Rows).take_front(Copies.NumShown)) {
    PictureCopy &Copy = P.Copies.emplace_back();
    Copy.Row = &Row;
    for (const std::string &Text : Row.Names) {
      NameId Name = D.Names.find(Text);
      if (!Name || P.Memory->stepOf(Name) < 0)
        continue;
      // Large blocks come first.
      uint32_t Block = ~0U;
      for (uint32_t V : P.Memory->facts().valuesOfInstruction(Name))
        Block = std::min(Block, BlockOf[V]);
      if (Block != ~0U)
        Copy.Marks.push_back({Block, P.Memory->stepOf(Name)});
    }
  }
}

Picture hlobuf::makePicture(const MemoryUse &Memory, const ValueNames &Names,
                            const ModuleAnalysis *Module,
                            const std::optional<CopyTable> &Copies,
                            const DumpResult &R) {
  Picture P;
  P.Memory = &Memory;
  P.Names = &Names;
  P.Title = R.Module;
  // Values are live up to T, the step after the last instruction.
  P.Steps = Memory.isTimed() ? Memory.steps() + 1 : 1;
  Drawing Blocks(P, Module, R);
  for (size_t I = 0; I != P.dump().Allocations.size(); ++I)
    if (kindOf(P.dump().Allocations[I]) != MemoryKind::ThreadLocal)
      Blocks.addBlocks(AllocationId(I));
  std::ranges::stable_sort(P.Blocks, std::greater(), &PictureBlock::Size);
  P.Shared = findSharedBytes(P.Blocks);
  P.Findings = markFindings(P, R);
  if (Copies)
    markCopies(*Copies, P);
  return P;
}
