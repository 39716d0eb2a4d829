//===- Draw/MakePicture.cpp -----------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Draw/MakePicture.h"
#include "Dataflow/ModuleAnalysis.h"
#include "Draw/PictureFindings.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <map>
#include <tuple>

using namespace hlobuf;

namespace {
class Drawing {
public:
  Drawing(const Facts &A, ModuleAnalysisFn Module, const DumpResult &R)
      : A(A), D(A.dump()), R(R) {
    bool Stated = D.complete(Section::Ranges) &&
                  D.complete(Section::Sequence) && A.areRangesSound();
    W = Module();
    if (W && !W->derivesTime())
      W = nullptr;
    P.Times = Stated ? PictureTimes::Stated
              : W    ? PictureTimes::Derived
                     : PictureTimes::Unknown;
  }

  Picture run();

private:
  HloValueId flowOf(ValueId V) const;
  std::optional<StepRange> rangeOf(ValueId V) const;
  void addSteps();
  bool continues(const PictureBlock &B, ValueId V, StepRange Range) const;
  void addBlocks();
  void addLive();

  const Facts &A;
  const Dump &D;
  const DumpResult &R;
  const ModuleAnalysis *W = nullptr;
  Picture P;
};
} // namespace

HloValueId Drawing::flowOf(ValueId V) const {
  return W ? W->find(D[V].Tag.Name, D[V].Tag.Index) : HloValueId();
}

/// When \p V is live; nothing where that is not known, or makes no sense.
std::optional<StepRange> Drawing::rangeOf(ValueId V) const {
  std::optional<StepRange> Range;
  if (P.Times == PictureTimes::Unknown)
    return StepRange{0, 0};
  if (P.Times == PictureTimes::Stated)
    Range = A.range(V);
  else if (HloValueId Flow = flowOf(V))
    Range = W->ranges()[Flow];
  if (!Range || Range->Start < 0 || Range->Start > Range->End ||
      Range->End > P.Steps)
    return std::nullopt;
  return StepRange{Range->Start, std::min(Range->End, P.Steps - 1)};
}

void Drawing::addSteps() {
  if (P.Times == PictureTimes::Stated) {
    for (const SequenceRow &Row : D.Sequence)
      P.Instructions.push_back(D.Names[Row.Name].str());
    P.StatedPeak = D.complete(Section::Peak) && !D.UnboundedPeak
                       ? std::optional(D.PeakStep)
                       : std::nullopt;
  } else if (P.Times == PictureTimes::Derived) {
    for (HloId Id : W->schedule().sequence())
      P.Instructions.push_back(W->program().spell(Id));
  }
  P.Steps = std::max<int32_t>(1, static_cast<int32_t>(P.Instructions.size()));
}

/// True if \p V goes on with the buffer of \p B, which ends as it starts.
/// Without a module only values that are live together are known to alias.
bool Drawing::continues(const PictureBlock &B, ValueId V,
                        StepRange Range) const {
  HloValueId Flow = flowOf(V);
  HloValueId Before = flowOf(B.Values.back());
  if (Flow && Before)
    return Range.Start <= B.Last + 1 && W->aliases().same(Before, Flow);
  return Range.Start < B.Last;
}

void Drawing::addBlocks() {
  NamedValues Told(A, R);
  struct Placed {
    ValueId V;
    StepRange Range;
  };
  std::vector<Placed> Values;
  for (size_t I = 0; I != D.Values.size(); ++I) {
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

/// Adds up what is live, bytes of one place once.
void Drawing::addLive() {
  std::map<int32_t, PictureSpace> Spaces;
  for (const Allocation &Alloc : D.Allocations) {
    PictureSpace &S = Spaces[Alloc.color()];
    S.Color = Alloc.color();
    S.Live.resize(static_cast<size_t>(P.Steps) + 1);
  }
  std::vector<const PictureBlock *> Order;
  for (const PictureBlock &B : P.Blocks)
    Order.push_back(&B);
  auto Key = [](const PictureBlock *B) {
    return std::tuple(B->Owner.index(), B->Offset, B->Size, B->First);
  };
  llvm::stable_sort(Order, [&](const PictureBlock *X, const PictureBlock *Y) {
    return Key(X) < Key(Y);
  });
  const PictureBlock *Before = nullptr;
  int32_t Covered = -1;
  for (const PictureBlock *B : Order) {
    if (!Before || Before->Owner != B->Owner || Before->Offset != B->Offset ||
        Before->Size != B->Size)
      Covered = -1;
    Before = B;
    int32_t First = std::max(B->First, Covered + 1);
    if (First > B->Last)
      continue;
    Covered = B->Last;
    std::vector<uint64_t> &Live = Spaces[D[B->Owner].color()].Live;
    Live[static_cast<size_t>(First)] += B->Size;
    Live[static_cast<size_t>(B->Last) + 1] -= B->Size;
  }
  for (auto &[Color, S] : Spaces) {
    for (size_t I = 1; I < S.Live.size(); ++I)
      S.Live[I] += S.Live[I - 1];
    S.Live.pop_back();
    S.PeakStep = static_cast<int32_t>(
        std::max_element(S.Live.begin(), S.Live.end()) - S.Live.begin());
    P.Spaces.push_back(std::move(S));
  }
}

Picture Drawing::run() {
  P.Title = R.Module;
  addSteps();
  addBlocks();
  addLive();
  P.Findings = markFindings(A, R, P.Blocks, P.Steps);
  return std::move(P);
}

Picture hlobuf::makePicture(const Facts &A, ModuleAnalysisFn Module,
                            const DumpResult &R) {
  return Drawing(A, Module, R).run();
}
