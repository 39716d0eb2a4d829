//===- Memory/MemorySummary.cpp -------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory/MemorySummary.h"
#include "Dataflow/Expected.h"
#include "Dataflow/ModuleAnalysis.h"
#include "Facts/Peak.h"
#include "llvm/ADT/StringMap.h"

using namespace hlobuf;
using llvm::StringRef;

namespace {
/// Bytes of an allocation that one value, or several in turn, fill exactly.
struct Slice {
  /// At least one.
  llvm::SmallVector<ValueId, 2> Values;
  /// The most bytes that elements of one of them take.
  uint64_t Logical = 0;
  bool Temp = false;
  bool LiveAtPeak = false;
  /// Where known, when its values are live.
  std::vector<StepRange> Ranges;

  ValueId first() const { return Values.front(); }
};

class Summarizer {
public:
  Summarizer(const Facts &A, ModuleAnalysisFn Module)
      : A(A), D(A.dump()), Module(Module) {}

  MemorySummary run();

private:
  void addSpaces();
  void addAllocations();
  void addSlices();
  bool knowsTimes() const;
  std::optional<StepRange> rangeOf(ValueId V) const;
  std::optional<int32_t> peakStep();
  void addPeak();
  uint64_t bytesLiveAt(int32_t Step) const;
  void addTemp();
  ValueId representative(const Slice &S) const;
  void addLargest();
  void addPadding();
  void addDonation();
  std::string sourceOf(NameId Name) const;

  const Facts &A;
  const Dump &D;
  ModuleAnalysisFn Module;
  const ModuleAnalysis *W = nullptr;
  /// The dump states sound live ranges; else the module may imply them.
  bool Stated = false;
  std::vector<Slice> Slices;
  MemorySummary M;
};
} // namespace

void Summarizer::addSpaces() {
  MemoryUse Use(A, Module);
  M.Times = Use.times();
  for (const SpaceUse &S : Use.spaces()) {
    SpaceSummary &Sum = M.Spaces.emplace_back();
    Sum.Color = S.Color;
    Sum.Name = S.Name;
    Sum.Allocated = S.Allocated;
    Sum.Resident = S.Resident;
    Sum.Peak = S.Peak;
    if (Use.isTimed()) {
      Sum.PeakStep = S.PeakStep;
      Sum.Instruction = Use.instructionAt(S.PeakStep);
    }
    for (const HeldValue &V : Use.heldAt(S.Color, S.PeakStep))
      Sum.Unpadded += V.Unpadded;
  }
}

void Summarizer::addAllocations() {
  for (const Allocation &Alloc : D.Allocations) {
    M.Total += Alloc.Size;
    M.ByKind[static_cast<size_t>(kindOf(Alloc))] += Alloc.Size;
    M.ByColor[Alloc.color()] += Alloc.Size;
  }
}

bool Summarizer::knowsTimes() const {
  return Stated || (W && W->derivesTime());
}

std::optional<StepRange> Summarizer::rangeOf(ValueId V) const {
  if (Stated)
    return A.range(V);
  if (!W || !W->derivesTime())
    return std::nullopt;
  HloValueId Flow = W->find(D[V].Tag.Name, D[V].Tag.Index);
  return Flow ? W->ranges()[Flow] : std::nullopt;
}

void Summarizer::addSlices() {
  std::map<std::tuple<uint32_t, uint64_t, uint64_t>, size_t> Known;
  for (size_t I = 0; I != D.Values.size(); ++I) {
    const Value &V = D.Values[I];
    auto [At, New] = Known.try_emplace(
        std::tuple(V.Owner.index(), V.Offset, V.Size), Slices.size());
    if (New)
      Slices.emplace_back();
    Slice &S = Slices[At->second];
    uint64_t Logical =
        V.Shape ? logicalBytes(D.Shapes, V.Shape).value_or(V.Size) : V.Size;
    S.Values.push_back(ValueId(I));
    S.Logical = std::max(S.Logical, Logical);
    S.Temp = kindOf(D[V.Owner]) == MemoryKind::Temp;
    std::optional<StepRange> Range = rangeOf(ValueId(I));
    if (Range && Range->Start >= 0 && Range->Start <= Range->End)
      S.Ranges.push_back(*Range);
  }
}

static bool holds(StepRange R, int32_t Step) {
  return R.Start <= Step && Step <= R.End;
}

std::optional<int32_t> Summarizer::peakStep() {
  if (D.UnboundedPeak)
    return std::nullopt;
  if (D.complete(Section::Peak))
    return D.PeakStep;
  if (!Stated)
    return W && W->derivesTime() ? expectedPeak(W->derived()) : std::nullopt;
  std::optional<PeakMoment> Peak = findPeak(A);
  return Peak ? std::optional(Peak->Step) : std::nullopt;
}

/// Bytes inside of some slice that is live at the peak.
uint64_t Summarizer::bytesLiveAt(int32_t Step) const {
  std::vector<std::tuple<uint32_t, uint64_t, uint64_t>> Spans;
  for (const Slice &S : Slices)
    if (llvm::any_of(S.Ranges, [&](StepRange R) { return holds(R, Step); }))
      Spans.emplace_back(D[S.first()].Owner.index(), D[S.first()].Offset,
                         D[S.first()].end());
  llvm::sort(Spans);
  uint64_t Sum = 0;
  uint64_t Covered = 0;
  uint32_t Last = ~uint32_t(0);
  for (auto [Owner, Begin, End] : Spans) {
    if (Owner != Last)
      Covered = 0;
    Last = Owner;
    Begin = std::max(Begin, Covered);
    if (End > Begin)
      Sum += End - Begin;
    Covered = std::max(Covered, End);
  }
  return Sum;
}

void Summarizer::addPeak() {
  std::optional<int32_t> Step = knowsTimes() ? peakStep() : std::nullopt;
  if (!Step)
    return;
  MemoryPeak Peak;
  Peak.Step = *Step;
  Peak.Derived = !D.complete(Section::Peak);
  if (Stated && *Step < A.steps())
    Peak.Instruction = D.Names[D.Sequence[static_cast<size_t>(*Step)].Name];
  else if (!Stated && *Step < W->schedule().steps())
    Peak.Instruction = W->program().spell(
        W->schedule().sequence()[static_cast<size_t>(*Step)]);
  for (size_t I = 0; I != D.Values.size(); ++I) {
    std::optional<StepRange> Range = rangeOf(ValueId(I));
    if (Range && holds(*Range, *Step) && D.Values[I].Shape)
      Peak.Counted += logicalBytes(D.Shapes, D.Values[I].Shape).value_or(0);
  }
  for (Slice &S : Slices)
    S.LiveAtPeak =
        llvm::any_of(S.Ranges, [&](StepRange R) { return holds(R, *Step); });
  Peak.Live = bytesLiveAt(*Step);
  M.Peak = std::move(Peak);
}

void Summarizer::addTemp() {
  if (!knowsTimes())
    return;
  size_t Steps =
      static_cast<size_t>(Stated ? A.steps() : W->schedule().steps());
  // Bytes that begin at a step, and bytes that end before it.
  std::vector<uint64_t> Begin(Steps + 2, 0);
  std::vector<uint64_t> End(Steps + 2, 0);
  for (Slice &S : Slices) {
    if (!S.Temp)
      continue;
    llvm::sort(S.Ranges, [](StepRange X, StepRange Y) {
      return std::pair(X.Start, X.End) < std::pair(Y.Start, Y.End);
    });
    int32_t Covered = -1;
    for (StepRange R : S.Ranges) {
      int32_t First = std::max(R.Start, Covered + 1);
      if (First > R.End || static_cast<size_t>(R.End) > Steps)
        continue;
      Begin[static_cast<size_t>(First)] += D[S.first()].Size;
      End[static_cast<size_t>(R.End) + 1] += D[S.first()].Size;
      Covered = R.End;
    }
  }
  uint64_t Live = 0;
  uint64_t Most = 0;
  for (size_t Step = 0; Step != Begin.size(); ++Step) {
    Live += Begin[Step] - End[Step];
    Most = std::max(Most, Live);
  }
  M.MostLiveTemp = std::min(Most, M.temp());
}

std::string Summarizer::sourceOf(NameId Name) const {
  if (const Instruction *I = A.instruction(Name))
    if (std::string Line = A.sourceLine(*I); !Line.empty())
      return Line;
  HloId Id = D.Module.find(Name);
  return Id ? A.sourceLine(D.Module.attributes(D.Module[Id])) : "";
}

/// The value of \p S that is named: one that is live at the peak, and no phi,
/// which says less than what flows into it.
ValueId Summarizer::representative(const Slice &S) const {
  ValueId Best;
  for (ValueId V : S.Values) {
    std::optional<StepRange> Range = rangeOf(V);
    if (M.Peak && !(Range && holds(*Range, M.Peak->Step)))
      continue;
    if (!Best || (D[Best].Tag.Phi && !D[V].Tag.Phi))
      Best = V;
  }
  return Best ? Best : S.first();
}

void Summarizer::addLargest() {
  std::vector<const Slice *> Order;
  for (const Slice &S : Slices)
    if (!M.Peak || S.LiveAtPeak)
      Order.push_back(&S);
  size_t Shown = std::min(Order.size(), MaxLargeValues);
  std::partial_sort(Order.begin(), Order.begin() + Shown, Order.end(),
                    [&](const Slice *X, const Slice *Y) {
                      const Value &A = D[X->first()];
                      const Value &B = D[Y->first()];
                      return A.Size != B.Size ? A.Size > B.Size
                                              : X->first() < Y->first();
                    });
  Order.resize(Shown);
  for (const Slice *S : Order) {
    const Value &V = D[representative(*S)];
    M.Largest.push_back({D.spell(V.Tag.Name, V.Tag.Index),
                         V.Shape ? D.Shapes.text(V.Shape).str() : "",
                         sourceOf(V.Tag.Name), V.Size, D[V.Owner].Index});
  }
}

void Summarizer::addPadding() {
  AllocationId LargestTemp;
  for (size_t I = 0; I != D.Allocations.size(); ++I)
    if (kindOf(D.Allocations[I]) == MemoryKind::Temp &&
        (!LargestTemp || D.Allocations[I].Size > D[LargestTemp].Size))
      LargestTemp = AllocationId(I);
  if (M.Peak)
    M.Padding.AtPeak = 0;
  for (const Slice &S : Slices) {
    const Value &V = D[S.first()];
    uint64_t Waste = V.Size > S.Logical ? V.Size - S.Logical : 0;
    M.Padding.Total += Waste;
    if (V.Owner == LargestTemp)
      M.Padding.LargestTemp += Waste;
    if (S.LiveAtPeak)
      *M.Padding.AtPeak += Waste;
  }
}

/// Counts the arrays in \p Id by their shapes without layouts; scalars are not
/// worth a donation.
static void countArrays(const ShapeTable &Shapes, ShapeId Id, int By,
                        llvm::StringMap<int> &Counts) {
  if (!Id)
    return;
  for (ShapeId Element : Shapes[Id].Elements)
    countArrays(Shapes, Element, By, Counts);
  if (Shapes[Id].isArray() && !Shapes[Id].Dimensions.empty())
    Counts[Shapes.plainText(Id)] += By;
}

void Summarizer::addDonation() {
  const HloModule &Module = D.Module;
  if (!D.complete(Section::Module) || !Module.Entry ||
      !Module[Module.Entry].Root)
    return;
  DonationSummary Sum;
  ShapeId Output = Module[Module[Module.Entry].Root].Shape;
  llvm::StringMap<int> Outputs;
  llvm::StringMap<int> Parameters;
  countArrays(D.Shapes, Output, 1, Outputs);
  std::map<std::pair<uint32_t, uint32_t>, const Allocation *> ByParameter;
  for (const Allocation &Alloc : D.Allocations) {
    if (!Alloc.isParameter())
      continue;
    countArrays(D.Shapes, Alloc.ParameterShape, 1, Parameters);
    ByParameter.try_emplace(
        std::pair(*Alloc.Parameter, Alloc.ParameterIndex.canonical().bits()),
        &Alloc);
  }
  for (const HloAlias &Item : Module.Aliases) {
    auto At = ByParameter.find(
        std::pair(Item.Parameter, Item.Index.canonical().bits()));
    const Allocation *Given = At == ByParameter.end() ? nullptr : At->second;
    bool Kept = Given && Given->MaybeLiveOut;
    Sum.Kept += Kept;
    Sum.Missed += !Kept;
    if (Given)
      countArrays(D.Shapes, Given->ParameterShape, -1, Parameters);
    if (Output)
      countArrays(D.Shapes, D.Shapes.at(Output, D.Indices.steps(Item.Output)),
                  -1, Outputs);
  }
  for (const auto &Entry : Outputs)
    Sum.Possible += static_cast<unsigned>(
        std::max(0, std::min(Entry.second, Parameters.lookup(Entry.first()))));
  M.Donation = Sum;
}

MemorySummary Summarizer::run() {
  Stated = D.complete(Section::Ranges) && D.complete(Section::Sequence) &&
           A.areRangesSound();
  if (!Stated)
    W = Module();
  addSpaces();
  addAllocations();
  addSlices();
  addPeak();
  addTemp();
  addLargest();
  addPadding();
  addDonation();
  return std::move(M);
}

MemorySummary hlobuf::summarizeMemory(const Facts &A, ModuleAnalysisFn Module) {
  return Summarizer(A, Module).run();
}
