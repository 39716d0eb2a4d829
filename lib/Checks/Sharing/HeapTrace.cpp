// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// I01: HeapSimulatorTrace (xla/service/heap_simulator) is the order in which
// values got their bytes and gave them back. It is recorded when a value is
// placed, apart from the offsets: at each moment the values that hold bytes of
// one allocation are disjoint, and a value that shares has the offset of the
// one it shares with. Each value of a trace gets its bytes once and gives them
// back once; who shares names a value that came before. The number of a trace
// is that of its allocation before temps were joined and moved to the end
// (CombineTempAllocations), and only in the last releases of 2026 the one from
// after that, which several traces may have. Nothing in a proto says which of
// the two it is.
// TPU moves values of color 1, on v4 also 3, after they were placed and may
// place them again (libtpu 0.0.52: half of its programs), and says nothing of
// it. Each of those is freed, and no more often than it gets bytes.
//
// I02: BufferAssigner keeps, for each allocation, the values that are alive
// when its trace holds the most bytes (ComputePeakMemoryLogicalBuffers in
// xla/service/buffer_assignment.cc, 2026). They are values of that allocation,
// and take as many bytes as the trace at its largest moment. Where several runs
// of the simulator filled an allocation, or values were added later, the list
// is joined from parts. Outside temps values are one after the other, and the
// list is the largest of them. Every allocation has a list, in their order
// (BufferAssignment::ToProto).

#include "Checks/Check.h"
#include "Facts/Sizes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include <map>

using namespace hlobuf;

namespace {
/// The bytes that one trace holds: what is shared counts once
/// (HeapSimulatorTrace).
struct HeldBytes {
  void add(const HeapEvent &E, const Value &V);

  /// Invalid before the first event.
  AllocationId Owner;
  /// Size limits sent values elsewhere.
  bool Elsewhere = false;
  uint64_t Most = 0;
  /// Bytes that a value added, and whose they are.
  DenseMap<uint32_t, std::pair<uint32_t, uint64_t>> Sizes;

private:
  uint64_t Current = 0;
  DenseMap<uint32_t, int64_t> Holders;
};

/// Replays all traces, and compares them with the lists of values at the peak.
struct TraceReplay {
  TraceReplay(const CheckContext &Ctx, Reporter &Diags);

  void comparePeaks();

  /// What the traces say about one allocation.
  struct Moment {
    unsigned Traces = 0;
    size_t Values = 0;
    uint64_t Most = 0;
    /// The line of the trace.
    uint32_t Line = 0;
  };
  /// Bytes that values hold, and the first of these.
  struct Holder {
    uint64_t End = 0;
    ValueId Value;
    /// It, and those that share its bytes and are not freed.
    unsigned Values = 1;
  };
  using Held = std::map<uint64_t, Holder>;

  void replay(const HeapTrace &Trace);
  void checkNumber(const HeapTrace &Trace);
  /// Whether one of its values is in the allocation that has its number.
  bool holdsValueOf(const HeapTrace &Trace) const;
  /// Whether \p E may follow the events so far; reports it if not.
  struct Standing;
  bool follows(const HeapEvent &E, ValueId V, const Standing &Before);
  void reportLeft();
  void alloc(const HeapEvent &E, ValueId V);
  void share(const HeapEvent &E, ValueId V);
  void release(ValueId V);
  bool isMoved(ValueId V) const {
    return Ctx.isTPU() && isVectorMemory(D[D[V].Owner].color());
  }
  bool isInOrder(size_t Number);
  std::optional<uint64_t> bytes(const PeakValueList &List, AllocationId Id);
  void comparePeak(const PeakValueList &List, AllocationId Id);
  ValueId find(uint32_t Id) const {
    auto Entry = ById.find(Id);
    return Entry == ById.end() ? ValueId() : Entry->second;
  }
  Finding report(const HeapEvent &E, std::string Message, ValueId V,
                 ValueId Other);

  const CheckContext &Ctx;
  const Dump &D;
  Reporter &Diags;
  DenseMap<uint32_t, ValueId> ById;
  /// By allocation, by the first byte.
  DenseMap<uint32_t, Held> Live;
  /// What became of a value in one trace.
  struct Standing {
    /// How often it got bytes and was freed.
    unsigned Got = 0, Freed = 0;
    const HeapEvent *First = nullptr, *Last = nullptr;
    /// Whose bytes it holds; invalid if none.
    ValueId Owner = {};
  };
  /// By value, in the order of their first events.
  llvm::MapVector<uint32_t, Standing> Seen;
  /// By the number of an allocation.
  DenseMap<uint64_t, const HeapTrace *> ByNumber;
  /// By allocation.
  std::vector<Moment> Moments;
};
} // namespace

TraceReplay::TraceReplay(const CheckContext &Ctx, Reporter &Diags)
    : Ctx(Ctx), D(Ctx.dump()), Diags(Diags), Moments(D.Allocations.size()) {
  for (size_t I = 0; I != D.Values.size(); ++I)
    ById.try_emplace(D.Values[I].Tag.Id, ValueId(I));
}

void HeldBytes::add(const HeapEvent &E, const Value &V) {
  Owner = Owner ? Owner : V.Owner;
  Elsewhere |= Owner != V.Owner;
  if (E.Action == HeapEvent::Kind::Free) {
    auto [Holder, Bytes] = Sizes.lookup(E.Value);
    --Holders[Holder];
    Current -= std::min(Current, Bytes);
    return;
  }
  bool Shares = E.Action == HeapEvent::Kind::Share;
  uint32_t Holder = Shares ? E.Source : E.Value;
  bool First = ++Holders[Holder] == 1 || !Shares;
  Sizes[E.Value] = {Holder, First ? V.Size : 0};
  Current += First ? V.Size : 0;
  Most = std::max(Most, Current);
}

Finding TraceReplay::report(const HeapEvent &E, std::string Message, ValueId V,
                            ValueId Other) {
  Finding F =
      Diags.report({Ctx.places().traceLine(E.Line), V, Other}, "{}", Message);
  for (ValueId Each : {V, Other})
    F.note(Ctx.places().value(D[Each]).Tag.Whole, "{} is placed here",
           D.spell(D[Each].Tag));
  return F;
}

void TraceReplay::alloc(const HeapEvent &E, ValueId V) {
  const Value &Own = D[V];
  if (Own.Size == 0 || Own.end() < Own.Offset)
    return;
  Held &Buffers = Live[Own.Owner.index()];
  auto Next = Buffers.upper_bound(Own.Offset);
  auto Other = Buffers.end();
  if (Next != Buffers.begin() && std::prev(Next)->second.End > Own.Offset)
    Other = std::prev(Next);
  else if (Next != Buffers.end() && Next->first < Own.end())
    Other = Next;
  if (Other == Buffers.end()) {
    Buffers[Own.Offset] = {Own.end(), V};
    Seen[V.index()].Owner = V;
    return;
  }
  uint64_t Begin = std::max(Own.Offset, Other->first);
  uint64_t End = std::min(Own.end(), Other->second.End);
  report(E,
         fmt::format("{} gets bytes [{}, {}) of allocation {}, which {} still "
                     "holds in the heap simulator",
                     D.spell(Own.Tag), Begin, End, D[Own.Owner].Index,
                     D.spell(D[Other->second.Value].Tag)),
         V, Other->second.Value);
}

void TraceReplay::share(const HeapEvent &E, ValueId V) {
  ValueId Shared = find(E.Source);
  if (!Shared)
    return;
  if (D[Shared].Owner == D[V].Owner && D[Shared].Offset == D[V].Offset) {
    Held &Buffers = Live[D[V].Owner.index()];
    auto Entry = Buffers.find(D[V].Offset);
    ValueId Owner = Seen[Shared.index()].Owner;
    if (Entry != Buffers.end() && Entry->second.Value == Owner) {
      ++Entry->second.Values;
      Seen[V.index()].Owner = Owner;
    }
    return;
  }
  report(E,
         fmt::format("{} shares the bytes of {} in the heap simulator, but is "
                     "at offset {} of allocation {}, expected {} of {}",
                     D.spell(D[V].Tag), D.spell(D[Shared].Tag), D[V].Offset,
                     D[D[V].Owner].Index, D[Shared].Offset,
                     D[D[Shared].Owner].Index),
         V, Shared);
}

void TraceReplay::release(ValueId V) {
  Held &Buffers = Live[D[V].Owner.index()];
  auto Entry = Buffers.find(D[V].Offset);
  if (Entry != Buffers.end() && Entry->second.Value == Seen[V.index()].Owner &&
      --Entry->second.Values == 0)
    Buffers.erase(Entry);
}

bool TraceReplay::holdsValueOf(const HeapTrace &Trace) const {
  return llvm::any_of(llvm::seq(Trace.Events.Begin, Trace.Events.End),
                      [&](uint32_t I) {
                        ValueId V = find(D.HeapEvents[I].Value);
                        return V && D[V].Owner.index() == Trace.Allocation;
                      });
}

void TraceReplay::checkNumber(const HeapTrace &Trace) {
  StringRef Where = Ctx.places().traceLine(Trace.Line);
  size_t Most = D.Allocations.size() + D.Values.size() + D.HeapTraces.size();
  if (Trace.Allocation >= Most)
    Diags.report(Where,
                 "the trace is of allocation {}, but there were at most {} "
                 "before temps were joined",
                 Trace.Allocation, Most);
  if (Trace.Events.Begin == Trace.Events.End)
    return; // of no bytes, or of a color that nothing is in
  auto [Other, New] = ByNumber.try_emplace(Trace.Allocation, &Trace);
  if (!New && !(holdsValueOf(Trace) && holdsValueOf(*Other->second)))
    Diags.report(Where, "two traces are of allocation {}", Trace.Allocation)
        .note(Ctx.places().traceLine(Other->second->Line), "the other is here");
}

bool TraceReplay::follows(const HeapEvent &E, ValueId V,
                          const Standing &Before) {
  bool New = !Before.Last;
  bool Free = E.Action == HeapEvent::Kind::Free;
  StringRef Where = Ctx.places().traceLine(E.Line);
  std::string Name = D.spell(D[V].Tag);
  if (Free && New) {
    Diags.report({Where, V}, "{} is freed, but did not get any bytes", Name);
    return false;
  }
  bool WasFreed = !New && Before.Last->Action == HeapEvent::Kind::Free;
  if (!New && (WasFreed || !Free)) {
    Diags
        .report({Where, V}, "{} {} again in this trace", Name,
                Free ? "is freed" : "gets bytes")
        .note(Ctx.places().traceLine(Before.Last->Line), "it was {} here",
              WasFreed ? "freed" : "allocated");
    return false;
  }
  ValueId Shared = E.Action == HeapEvent::Kind::Share ? find(E.Source) : V;
  if (Shared && Shared != V && Seen.count(Shared.index()) != 0)
    return true;
  if (E.Action == HeapEvent::Kind::Share)
    Diags.report({Where, V},
                 "{} shares the bytes of value {}, which did not get any", Name,
                 E.Source);
  return E.Action != HeapEvent::Kind::Share;
}

/// Values that are never freed, and moved ones that are freed too often.
void TraceReplay::reportLeft() {
  for (const auto &[Value, Own] : Seen) {
    ValueId V(Value);
    bool TooOften = isMoved(V) && Own.Freed > Own.Got;
    if (Own.Freed != 0 && !TooOften)
      continue;
    Diags.report({Ctx.places().traceLine(Own.First->Line), V}, "{} is {}",
                 D.spell(D[V].Tag),
                 Own.Freed == 0 ? "never freed"
                 : Own.Got == 0 ? "freed, but did not get any bytes"
                                : "freed more often than it gets bytes");
  }
}

void TraceReplay::replay(const HeapTrace &Trace) {
  Live.clear();
  Seen.clear();
  checkNumber(Trace);
  HeldBytes Total;
  for (uint32_t I = Trace.Events.Begin; I != Trace.Events.End; ++I) {
    const HeapEvent &E = D.HeapEvents[I];
    ValueId V = find(E.Value);
    if (!V) {
      Diags.report(
          Ctx.places().traceLine(E.Line),
          "the heap simulator has an event of value {}, which has no place",
          E.Value);
      continue;
    }
    Total.add(E, D[V]);
    Standing &Own = Seen[V.index()];
    Standing Before = Own;
    Own.First = Own.First ? Own.First : &E;
    Own.Last = &E;
    ++(E.Action == HeapEvent::Kind::Free ? Own.Freed : Own.Got);
    if (isMoved(V)) {
      Diags.exempt("moved-after-placement");
    } else if (!follows(E, V, Before)) {
      continue;
    } else if (E.Action == HeapEvent::Kind::Alloc) {
      alloc(E, V);
    } else if (E.Action == HeapEvent::Kind::Share) {
      share(E, V);
    } else {
      release(V);
    }
  }
  reportLeft();
  if (!Total.Owner || Total.Elsewhere)
    return;
  Moment &Peak = Moments[Total.Owner.index()];
  Peak = {Peak.Traces + 1, Total.Sizes.size(), Total.Most, Trace.Line};
}

bool TraceReplay::isInOrder(size_t Number) {
  const PeakValueList &List = D.PeakValueLists[Number];
  StringRef Where = Ctx.places().traceLine(List.Line);
  if (Number >= D.Allocations.size()) {
    Diags.report(Where,
                 "allocation {} has values at its peak, but there are only {} "
                 "allocations",
                 List.Allocation, D.Allocations.size());
    return false;
  }
  uint32_t Expected = D.Allocations[Number].Index;
  if (Expected == List.Allocation)
    return true;
  Diags.report({Where, AllocationId(Number)},
               "allocation {} has values at its peak, expected those of "
               "allocation {} next",
               List.Allocation, Expected);
  return false;
}

/// Bytes of all values of \p List; nothing if one is not in \p Id, which is
/// reported.
std::optional<uint64_t> TraceReplay::bytes(const PeakValueList &List,
                                           AllocationId Id) {
  uint64_t Sum = 0;
  DenseSet<uint32_t> Listed;
  for (uint32_t I = List.Values.Begin; I != List.Values.End; ++I) {
    const PeakValue &P = D.PeakValues[I];
    ValueId V = find(P.Value);
    bool Twice = !Listed.insert(P.Value).second;
    if (V && D[V].Owner == Id && !Twice) {
      Sum += D[V].Size;
      continue;
    }
    Diags.report({Ctx.places().traceLine(P.Line), Id},
                 "value {} is at the peak of allocation {}{}", P.Value,
                 List.Allocation, Twice ? " twice" : ", but is not in it");
    return std::nullopt;
  }
  return Sum;
}

void TraceReplay::comparePeak(const PeakValueList &List, AllocationId Id) {
  std::optional<uint64_t> Sum = bytes(List, Id);
  if (!Sum)
    return;
  const Allocation &Own = D[Id];
  const Moment &Peak = Moments[Id.index()];
  uint64_t Expected = Peak.Most;
  if (!Own.PreallocatedTemp) {
    Expected = largestOf(D.values(Own), &Value::Size);
  } else if (Peak.Traces != 1 || Peak.Values != Own.Values.size() ||
             isMoved(ValueId(Own.Values.Begin))) {
    return Diags.exempt("joined-peak");
  }
  if (*Sum == Expected)
    return;
  Finding F = Diags.report(
      Ctx.places().traceLine(List.Values.empty()
                                 ? List.Line
                                 : D.PeakValues[List.Values.Begin].Line),
      "the values at the peak of allocation {} take {} bytes, expected {}, the "
      "{}",
      List.Allocation, *Sum, Expected,
      Own.PreallocatedTemp ? "most that its trace holds"
                           : "largest of its values");
  if (Own.PreallocatedTemp)
    F.note(Ctx.places().traceLine(Peak.Line), "the trace is here");
  F.about(Id);
}

void TraceReplay::comparePeaks() {
  for (size_t I = 0; I != D.PeakValueLists.size(); ++I) {
    if (!isInOrder(I))
      return;
    comparePeak(D.PeakValueLists[I], AllocationId(I));
  }
  if (D.PeakValueLists.size() < D.Allocations.size())
    Diags.report(Ctx.places().traceLine(D.PeakValueLists.back().Line),
                 "allocation {} is the last one with values at its peak, "
                 "expected all {}",
                 D.PeakValueLists.back().Allocation, D.Allocations.size());
}

void hlobuf::checkHeapTrace(const CheckContext &Ctx, Reporter &Diags) {
  const Dump &D = Ctx.dump();
  // Its tables take as much as those of any other check.
  if (D.complete(Section::Traces) || D.complete(Section::PeakValues)) {
    TraceReplay Replay(Ctx, Diags);
    if (D.complete(Section::Traces))
      for (const HeapTrace &Trace : D.HeapTraces)
        Replay.replay(Trace);
    if (D.complete(Section::PeakValues))
      Replay.comparePeaks();
  }
  bool AnyThere = false;
  for (Section S : {Section::Traces, Section::PeakValues}) {
    AnyThere |= D.state(S) != SectionState::Absent;
    if (D.state(S) == SectionState::Damaged)
      Diags.notCheckedWithout(Ctx, S);
  }
  if (!AnyThere)
    Diags.notCheckedWithout(Ctx, Section::Traces);
}
