// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Draw/MakePicture.h"
#include "Dataflow/ModuleAnalysis.h"
#include "Draw/PictureFindings.h"
#include "Draw/SharedBytes.h"
#include "Memory/ValueNames.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <tuple>

using namespace hlobuf;

namespace {
/// A value of one allocation, and when it is drawn.
struct Placed {
  uint64_t Offset;
  uint64_t Size;
  StepRange Range;
  ValueId V;

  auto key() const {
    return std::tuple(Offset, Size, Range.Start, Range.End, V.index());
  }
};

class Drawing {
public:
  Drawing(const MemoryUse &U, ModuleAnalysisFn FindModule, const DumpResult &R)
      : U(U), DumpFacts(U.facts()), D(DumpFacts.dump()), R(R) {
    FoundModule = FindModule();
    if (FoundModule && FoundModule->derivesTime())
      Module = FoundModule;
  }

  Picture run();

private:
  HloValueId flowOf(ValueId V) const;
  std::optional<StepRange> rangeOf(ValueId V) const;
  bool continues(const PictureBlock &B, ValueId V, StepRange Range) const;
  void addBlocks(AllocationId Owner, const NamedValues &Told);
  void addBlocks();
  void sortBlocks();
  ValueName nameOf(const ValueNames &NameOf, const PictureBlock &B) const;
  PictureName textsOf(const ValueName &Name);
  void addNames();
  void addSpaces();

  const MemoryUse &U;
  const Facts &DumpFacts;
  const Dump &D;
  const DumpResult &R;
  /// What names may come from.
  const ModuleAnalysis *FoundModule = nullptr;
  /// What the module implies; null where that is nothing.
  const ModuleAnalysis *Module = nullptr;
  Picture P;
};
} // namespace

HloValueId Drawing::flowOf(ValueId V) const {
  return Module ? Module->find(D[V].Tag.Name, D[V].Tag.Index) : HloValueId();
}

/// When \p V is live; nothing where that is not known, or makes no sense.
std::optional<StepRange> Drawing::rangeOf(ValueId V) const {
  if (!U.isTimed())
    return StepRange{0, 0};
  std::optional<StepRange> Range = U.range(V);
  if (!Range || Range->Start < 0 || Range->Start > Range->End ||
      Range->Start >= P.Steps)
    return std::nullopt;
  return StepRange{Range->Start, std::min(Range->End, P.Steps - 1)};
}

/// True if \p V goes on with the buffer of \p B, which ends as it starts.
/// Without a module only values that are live together are known to alias.
bool Drawing::continues(const PictureBlock &B, ValueId V,
                        StepRange Range) const {
  HloValueId Flow = flowOf(V);
  HloValueId Before = flowOf(P.Values.back());
  if (Flow && Before)
    return Range.Start <= B.Last + 1 && Module->aliases().same(Before, Flow);
  return Range.Start < B.Last;
}

/// Adds the blocks of \p Owner.
void Drawing::addBlocks(AllocationId Owner, const NamedValues &Told) {
  std::vector<Placed> Values;
  IndexRange All = D[Owner].Values;
  for (uint32_t I = All.Begin; I != All.End; ++I) {
    std::optional<StepRange> Range = rangeOf(ValueId(I));
    if (Range)
      Values.push_back(
          {D.Values[I].Offset, D.Values[I].Size, *Range, ValueId(I)});
    else
      ++P.Untimed;
  }
  llvm::sort(Values, [](const Placed &X, const Placed &Y) {
    return X.key() < Y.key();
  });
  const Placed *Before = nullptr;
  for (const Placed &X : Values) {
    bool SameBytes =
        Before && Before->Offset == X.Offset && P.Blocks.back().Size == X.Size;
    if (SameBytes && !Told.contains(X.V) && !Told.contains(Before->V) &&
        continues(P.Blocks.back(), X.V, X.Range)) {
      PictureBlock &B = P.Blocks.back();
      B.Last = std::max(B.Last, X.Range.End);
    } else {
      // The sum of a broken dump may not fit.
      uint64_t Size = std::min(X.Size, ~uint64_t(0) - X.Offset);
      auto First = static_cast<uint32_t>(P.Values.size());
      P.Blocks.push_back(
          {Owner, X.Offset, Size, X.Range.Start, X.Range.End, {First, First}});
    }
    P.Values.push_back(X.V);
    ++P.Blocks.back().Values.End;
    Before = &X;
  }
}

void Drawing::addBlocks() {
  NamedValues Told(DumpFacts, R);
  P.Values.reserve(D.Values.size());
  P.Blocks.reserve(D.Values.size());
  for (size_t I = 0; I != D.Allocations.size(); ++I)
    if (kindOf(D.Allocations[I]) != MemoryKind::ThreadLocal)
      addBlocks(AllocationId(I), Told);
  sortBlocks();
}

/// Large ones first; of one size in the order that they have.
void Drawing::sortBlocks() {
  std::vector<std::pair<uint64_t, uint32_t>> Order;
  Order.reserve(P.Blocks.size());
  for (const auto &[I, B] : llvm::enumerate(P.Blocks))
    Order.push_back({~B.Size, static_cast<uint32_t>(I)});
  llvm::sort(Order);
  std::vector<PictureBlock> Sorted;
  Sorted.reserve(P.Blocks.size());
  for (auto [Key, I] : Order)
    Sorted.push_back(P.Blocks[I]);
  P.Blocks = std::move(Sorted);
}

ValueName Drawing::nameOf(const ValueNames &NameOf,
                          const PictureBlock &B) const {
  HeldValue Held;
  Held.Value = representative(D, P, B);
  Held.Kind = kindOf(D[B.Owner]);
  for (ValueId V : P.values(B))
    if (V != Held.Value)
      Held.Others.push_back(V);
  return NameOf[Held];
}

PictureName Drawing::textsOf(const ValueName &Name) {
  return {P.keep(Name.Copied ? "copy of " + Name.Operation : Name.Operation),
          P.keep(Name.keeper()), P.keep(Name.OpName), P.keep(Name.Source)};
}

void Drawing::addNames() {
  ValueNames Names(DumpFacts, FoundModule);
  for (const PictureBlock &B : P.Blocks)
    P.Names.push_back(textsOf(nameOf(Names, B)));
}

void Drawing::addSpaces() {
  for (const SpaceUse &Use : U.spaces()) {
    PictureSpace S;
    S.Color = Use.Color;
    S.Name = Use.Name;
    S.Held.reserve(static_cast<size_t>(P.Steps));
    S.PeakStep = std::clamp(Use.PeakStep, 0, P.Steps - 1);
    for (int32_t Step = 0; Step != P.Steps; ++Step)
      S.Held.push_back(Use.heldAt(Step));
    P.Spaces.push_back(std::move(S));
  }
}

Picture Drawing::run() {
  P.Title = R.Module;
  P.Times = U.times();
  // Values are live up to T, the step after the last instruction.
  P.Steps = U.isTimed() ? std::max(0, U.steps()) + 1 : 1;
  P.Instructions.reserve(U.isTimed() ? static_cast<size_t>(P.Steps) : 0);
  for (int32_t Step = 0; U.isTimed() && Step != P.Steps; ++Step)
    P.Instructions.push_back(P.keep(U.instructionAt(Step)));
  addBlocks();
  addNames();
  P.Shared = findSharedBytes(P.Blocks);
  addSpaces();
  P.Findings = markFindings(DumpFacts, R, P);
  return std::move(P);
}

Picture hlobuf::makePicture(const MemoryUse &U, ModuleAnalysisFn Module,
                            const DumpResult &R) {
  return Drawing(U, Module, R).run();
}
