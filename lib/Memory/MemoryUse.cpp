// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Memory/MemoryUse.h"
#include "Dataflow/ModuleAnalysis.h"
#include "Memory/Instructions.h"
#include <numeric>

using namespace hlobuf;

/// Saturating, as the sizes of a broken dump may sum to anything.
static uint64_t plus(uint64_t X, uint64_t Y) {
  return X + Y < X ? ~uint64_t(0) : X + Y;
}

ByteSpan hlobuf::spanOf(const Allocation &Alloc, const Value &V) {
  uint64_t Begin = std::min(V.Offset, Alloc.Size);
  return {Begin, Begin + std::min(V.Size, Alloc.Size - Begin)};
}

MemoryUse::MemoryUse(const Facts &DumpFacts, ModuleAnalysisFn Module)
    : DumpFacts(DumpFacts), D(DumpFacts.dump()) {
  findTimes(Module);
  addSpaces();
  AtPeak = std::make_unique<Lazy<std::vector<HeldValue>>[]>(Spaces.size());
}

void MemoryUse::findTimes(ModuleAnalysisFn Module) {
  if (D.complete(Section::Ranges) && D.complete(Section::Sequence) &&
      DumpFacts.areRangesSound()) {
    Times = TimeSource::Dump;
    Steps = DumpFacts.steps();
    return;
  }
  Analysis = Module();
  if (!Analysis || !Analysis->derivesTime())
    return;
  Times = TimeSource::Module;
  Steps = Analysis->schedule().steps();
}

std::string MemoryUse::instructionAt(int32_t Step) const {
  if (Step < 0 || Step >= Steps || !isTimed())
    return "";
  size_t I = static_cast<size_t>(Step);
  return Times == TimeSource::Dump
             ? D.Names[D.Sequence[I].Name].str()
             : Analysis->program().spell(Analysis->schedule().sequence()[I]);
}

NameId MemoryUse::nameAt(int32_t Step) const {
  if (Times != TimeSource::Dump)
    return D.Names.find(instructionAt(Step));
  return Step < 0 || Step >= Steps ? NameId() : D.Sequence[Step].Name;
}

int32_t MemoryUse::stepOf(NameId Name) const {
  if (Times == TimeSource::Dump)
    return DumpFacts.time(Name);
  HloId Id = isTimed() ? Analysis->program().find(Name) : HloId();
  return Id ? Analysis->schedule().time(Id) : -1;
}

std::optional<StepRange> MemoryUse::range(ValueId V) const {
  std::optional<StepRange> Range;
  if (Times == TimeSource::Dump) {
    Range = DumpFacts.range(V);
  } else if (Times == TimeSource::Module) {
    HloValueId Flow = Analysis->find(D[V].Tag.Name, D[V].Tag.Index);
    Range = Flow ? Analysis->ranges()[Flow] : std::nullopt;
  }
  if (!Range || Range->Start < 0 || Range->End < Range->Start ||
      Range->Start > Steps)
    return std::nullopt;
  Range->End = std::min(Range->End, Steps);
  return Range;
}

SpaceUse &MemoryUse::spaceOf(int32_t Color) {
  auto Next = llvm::partition_point(
      Spaces, [&](const SpaceUse &Space) { return Space.Color < Color; });
  if (Next == Spaces.end() || Next->Color != Color) {
    Next = Spaces.insert(Next, SpaceUse());
    Next->Color = Color;
    Next->Name = spaceName(DumpFacts.backend(), Color);
  }
  return *Next;
}

const SpaceUse *MemoryUse::space(int32_t Color) const {
  for (const SpaceUse &Space : Spaces)
    if (Space.Color == Color)
      return &Space;
  return nullptr;
}

/// A sweep over the starts and ends of values.
void MemoryUse::addLive(const Allocation &Alloc,
                        function_ref<bool(ValueId)> Counts,
                        std::vector<uint64_t> &Changes) const {
  // Step, whether it begins, and which of All: one number that sorts.
  std::vector<uint64_t> Events;
  std::vector<ByteSpan> All;
  for (ValueId V : Dump::valueIds(Alloc)) {
    ByteSpan Bytes = spanOf(Alloc, D[V]);
    std::optional<StepRange> Range = range(V);
    if (!Range || Bytes.empty() || !Counts(V))
      continue;
    uint64_t Number = All.size();
    All.push_back(Bytes);
    auto Add = [&](int32_t Step, bool Begins) {
      Events.push_back(uint64_t(Step) << 33 | uint64_t(Begins) << 32 | Number);
    };
    Add(Range->Start, true);
    Add(Range->End + 1, false);
  }
  llvm::sort(Events);
  Covered Bytes(All);
  for (size_t I = 0; I != Events.size();) {
    uint64_t Step = Events[I] >> 33;
    uint64_t Before = Bytes.size();
    for (; I != Events.size() && Events[I] >> 33 == Step; ++I) {
      bool Begins = (Events[I] >> 32 & 1) != 0;
      Bytes.add(All[static_cast<uint32_t>(Events[I])], Begins ? 1 : -1);
    }
    if (Step <= static_cast<uint64_t>(Steps))
      Changes[Step] += Bytes.size() - Before;
  }
}

void MemoryUse::addSpaces() {
  for (const Allocation &Alloc : D.Allocations) {
    SpaceUse &Space = spaceOf(Alloc.color());
    MemoryKind Kind = kindOf(Alloc);
    if (Kind == MemoryKind::ThreadLocal)
      continue;
    Space.Allocated = plus(Space.Allocated, Alloc.Size);
    if (Kind != MemoryKind::Temp) {
      Space.Resident = plus(Space.Resident, Alloc.Size);
    } else if (isTimed()) {
      Space.LiveTemp.resize(static_cast<size_t>(Steps) + 1);
      addLive(Alloc, [](ValueId) { return true; }, Space.LiveTemp);
    }
  }
  for (SpaceUse &Space : Spaces) {
    std::partial_sum(Space.LiveTemp.begin(), Space.LiveTemp.end(),
                     Space.LiveTemp.begin());
    auto Most = std::max_element(Space.LiveTemp.begin(), Space.LiveTemp.end());
    if (Most != Space.LiveTemp.end())
      Space.PeakStep = static_cast<int32_t>(Most - Space.LiveTemp.begin());
    Space.Peak = isTimed()
                     ? std::min(Space.heldAt(Space.PeakStep), Space.Allocated)
                     : Space.Resident;
  }
}

bool MemoryUse::isLiveAt(ValueId V, int32_t Step) const {
  std::optional<StepRange> Range = range(V);
  return Range && Range->contains(Step);
}

NameId MemoryUse::lastReader(ValueId V) const {
  NameId Last;
  for (const Use &Reader : DumpFacts.readers(V))
    if (!Last || stepOf(Reader.Name) > stepOf(Last))
      Last = Reader.Name;
  return Last;
}

uint64_t MemoryUse::unpaddedBytes(ValueId V) const {
  return D[V].Shape ? logicalBytes(D.Shapes, D[V].Shape).value_or(D[V].Size)
                    : D[V].Size;
}

/// A phi says less than what flows into it, and a value without a source line
/// less than one with.
bool MemoryUse::isBetterName(ValueId V, ValueId Than) const {
  if (D[V].Tag.Phi != D[Than].Tag.Phi)
    return !D[V].Tag.Phi;
  auto HasSource = [&](ValueId Id) {
    const Instruction *I = DumpFacts.instruction(D[Id].Tag.Name);
    return I && D.attributes(*I).contains(" metadata={");
  };
  return !HasSource(Than) && HasSource(V);
}

/// Of an argument the parameter. Of a result the largest value, the one that
/// lives longest: others are there before it is written.
ValueId MemoryUse::ownerOf(const Allocation &Alloc) const {
  auto Key = [&](ValueId V) {
    bool Parameter = Alloc.isParameter() && !D[V].Tag.Phi &&
                     findOpcode(DumpFacts, D[V].Tag.Name) == Opcode::Parameter;
    std::optional<StepRange> Range = range(V);
    return std::tuple(Parameter, spanOf(Alloc, D[V]).size(),
                      Alloc.isParameter() || !Range ? 0 : Range->End);
  };
  ValueId Owner;
  for (ValueId V : Dump::valueIds(Alloc))
    if (!Owner || Key(V) > Key(Owner) ||
        (Key(V) == Key(Owner) && !Alloc.isParameter() &&
         isBetterName(V, Owner)))
      Owner = V;
  return Owner;
}

/// Those of \p Alloc that have bytes at \p Step.
std::vector<ValueId> MemoryUse::liveValues(const Allocation &Alloc,
                                           int32_t Step) const {
  std::vector<ValueId> Live;
  for (ValueId V : Dump::valueIds(Alloc))
    if (!spanOf(Alloc, D[V]).empty() && isLiveAt(V, Step))
      Live.push_back(V);
  return Live;
}

HeldValue MemoryUse::resident(const Allocation &Alloc, int32_t Step) const {
  HeldValue Value;
  Value.Kind = kindOf(Alloc);
  Value.Bytes = Alloc.Size;
  Value.Value = ownerOf(Alloc);
  Value.Unpadded = std::min(unpaddedBytes(Value.Value), Value.Bytes);
  ByteSpan Own = spanOf(Alloc, D[Value.Value]);
  std::vector<ByteSpan> All;
  for (ValueId V : liveValues(Alloc, Step)) {
    All.push_back(spanOf(Alloc, D[V]));
    if (V != Value.Value && All.back() == Own)
      Value.Others.push_back(V);
  }
  Covered Live(All);
  for (ByteSpan Bytes : All)
    Live.add(Bytes, 1);
  if (isTimed() && Value.Kind != MemoryKind::Constant)
    Value.Idle = Value.Bytes - Live.size();
  return Value;
}

void MemoryUse::addHeldTemp(const Allocation &Alloc, int32_t Step,
                            std::vector<HeldValue> &Out) const {
  std::vector<ValueId> Live = liveValues(Alloc, Step);
  auto Key = [&](ValueId V) {
    ByteSpan Bytes = spanOf(Alloc, D[V]);
    return std::tuple(~Bytes.size(), Bytes.Begin, V);
  };
  std::ranges::sort(Live, {}, Key);
  std::vector<ByteSpan> All;
  for (ValueId V : Live)
    All.push_back(spanOf(Alloc, D[V]));
  Covered Spans(All);
  size_t First = Out.size();
  for (ValueId V : Live) {
    ByteSpan Bytes = spanOf(Alloc, D[V]);
    HeldValue *Before = Out.size() == First ? nullptr : &Out.back();
    uint64_t Known = Spans.size();
    Spans.add(Bytes, 1);
    if (uint64_t New = Spans.size() - Known) {
      Out.push_back(
          {V, MemoryKind::Temp, New, std::min(unpaddedBytes(V), New), 0, {}});
      continue;
    }
    if (!Before || spanOf(Alloc, D[Before->Value]) != Bytes)
      continue; // a part of a larger one
    Before->Unpadded =
        std::max(Before->Unpadded, std::min(unpaddedBytes(V), Before->Bytes));
    if (isBetterName(V, Before->Value))
      std::swap(V, Before->Value);
    Before->Others.push_back(V);
  }
}

const std::vector<HeldValue> &
MemoryUse::heldAtPeak(const SpaceUse &Space) const {
  return AtPeak[static_cast<size_t>(&Space - Spaces.data())].get([&] {
    std::vector<HeldValue> Out;
    for (const Allocation &Alloc : D.Allocations) {
      MemoryKind Kind = kindOf(Alloc);
      if (Alloc.color() != Space.Color || Kind == MemoryKind::ThreadLocal)
        continue;
      if (Kind == MemoryKind::Temp)
        addHeldTemp(Alloc, Space.PeakStep, Out);
      else if (Alloc.Size != 0 && !Alloc.Values.empty())
        Out.push_back(resident(Alloc, Space.PeakStep));
    }
    std::ranges::stable_sort(Out, std::greater(), &HeldValue::Bytes);
    return Out;
  });
}

void hlobuf::addChange(std::vector<uint64_t> &Changes, StepRange Range,
                       uint64_t Bytes) {
  Range.Start = std::max(0, Range.Start);
  Range.End = std::min(Range.End, static_cast<int32_t>(Changes.size()) - 2);
  if (Range.Start > Range.End)
    return;
  Changes[static_cast<size_t>(Range.Start)] += Bytes;
  Changes[static_cast<size_t>(Range.End) + 1] -= Bytes;
}

uint64_t MemoryUse::savedWithout(const SpaceUse &Space,
                                 ArrayRef<FreedBytes> Freed) const {
  std::vector<uint64_t> Changes(static_cast<size_t>(Steps) + 2);
  for (const FreedBytes &Item : Freed)
    addChange(Changes, Item.Range, Item.Bytes);
  uint64_t Peak = Space.heldAt(Space.PeakStep);
  uint64_t Most = 0;
  uint64_t Less = 0;
  for (size_t I = 0; I != Space.LiveTemp.size(); ++I) {
    Less += Changes[I];
    uint64_t Bytes = Space.heldAt(static_cast<int32_t>(I));
    Most = std::max(Most, Bytes - std::min(Bytes, Less));
  }
  return Peak - std::min(Peak, Most);
}

uint64_t MemoryUse::mostLive(const DenseSet<uint32_t> &Gone,
                             const DenseSet<uint32_t> &Added) const {
  std::vector<uint64_t> Live(static_cast<size_t>(Steps) + 2);
  for (uint32_t I : Added)
    if (std::optional<StepRange> Range = range(ValueId(I)))
      addChange(Live, *Range, D.Values[I].Size);
  for (const Allocation &Alloc : D.Allocations)
    if (Alloc.color() == 0 && kindOf(Alloc) == MemoryKind::Temp)
      addLive(
          Alloc, [&](ValueId V) { return !Gone.contains(V.index()); }, Live);
  std::partial_sum(Live.begin(), Live.end(), Live.begin());
  return *std::max_element(Live.begin(), Live.end());
}
