// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Draw/MakePicture.h"
#include "Dataflow/ModuleAnalysis.h"
#include "Draw/PictureFindings.h"
#include "Draw/PictureLanes.h"
#include "Draw/SharedBytes.h"
#include "Memory/ValueNames.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <tuple>

using namespace hlobuf;

namespace {
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
  void addBlocks();
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
  HloValueId Before = flowOf(B.Values.back());
  if (Flow && Before)
    return Range.Start <= B.Last + 1 && Module->aliases().same(Before, Flow);
  return Range.Start < B.Last;
}

void Drawing::addBlocks() {
  NamedValues Told(DumpFacts, R);
  struct Placed {
    ValueId V;
    StepRange Range;
  };
  std::vector<Placed> Values;
  for (size_t I = 0; I != D.Values.size(); ++I) {
    if (U.kind(ValueId(I)) == MemoryKind::ThreadLocal)
      continue;
    std::optional<StepRange> Range = rangeOf(ValueId(I));
    if (Range)
      Values.push_back({ValueId(I), *Range});
    else
      ++P.Untimed;
  }
  auto Key = [&](const Placed &X) {
    const Value &V = D[X.V];
    return std::tuple(V.Owner.index(), V.Offset, V.Size, X.Range.Start,
                      X.Range.End, X.V.index());
  };
  llvm::sort(Values,
             [&](const Placed &X, const Placed &Y) { return Key(X) < Key(Y); });
  for (const Placed &X : Values) {
    const Value &V = D[X.V];
    PictureBlock *B = P.Blocks.empty() ? nullptr : &P.Blocks.back();
    if (B && B->Owner == V.Owner && B->Offset == V.Offset &&
        B->Size == V.Size && !Told.contains(X.V) &&
        !Told.contains(B->Values.back()) && continues(*B, X.V, X.Range)) {
      B->Values.push_back(X.V);
      B->Last = std::max(B->Last, X.Range.End);
      continue;
    }
    // The sum of a broken dump may not fit.
    uint64_t Size = std::min(V.Size, ~uint64_t(0) - V.Offset);
    P.Blocks.push_back(
        {V.Owner, V.Offset, Size, X.Range.Start, X.Range.End, {X.V}});
  }
  llvm::stable_sort(P.Blocks, [](const PictureBlock &X, const PictureBlock &Y) {
    return X.Size > Y.Size;
  });
}

void Drawing::addNames() {
  ValueNames NameOf(DumpFacts, FoundModule);
  for (const PictureBlock &B : P.Blocks) {
    HeldValue Held;
    Held.Value = representative(D, B);
    Held.Kind = kindOf(D[B.Owner]);
    for (ValueId V : B.Values)
      if (V != Held.Value)
        Held.Others.push_back(V);
    ValueName Name = NameOf[Held];
    P.Names.push_back({(Name.Copied ? "copy of " : "") + Name.Operation,
                       Name.keeper(), std::move(Name.OpName),
                       std::move(Name.Source)});
  }
}

void Drawing::addSpaces() {
  for (const SpaceUse &Use : U.spaces()) {
    PictureSpace S;
    S.Color = Use.Color;
    S.Name = Use.Name;
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
  for (int32_t Step = 0; U.isTimed() && Step != P.Steps; ++Step)
    P.Instructions.push_back(U.instructionAt(Step));
  addBlocks();
  addNames();
  P.Shared = findSharedBytes(P.Blocks);
  addSpaces();
  P.Findings = markFindings(DumpFacts, R, P.Blocks, P.Steps);
  return std::move(P);
}

Picture hlobuf::makePicture(const MemoryUse &U, ModuleAnalysisFn Module,
                            const ThunkGraph *Graph, const DumpResult &R) {
  Picture P = Drawing(U, Module, R).run();
  if (Graph && U.isTimed() && U.facts().dump().complete(Section::Thunks))
    addLanes(U, *Graph, R, P);
  return P;
}
