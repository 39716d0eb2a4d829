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

#include "Checks/Check.h"
#include "Facts/Sizes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include <map>

using namespace hlobuf;

namespace {
/// Replays all traces.
class TraceReplay {
public:
  TraceReplay(const CheckContext &Ctx, Reporter &Diags)
      : Ctx(Ctx), D(Ctx.dump()), Diags(Diags) {}

  void run();

private:
  /// Bytes that a value holds.
  struct Holder {
    uint64_t End = 0;
    ValueId Value;
  };
  using Held = std::map<uint64_t, Holder>;

  void replay(const HeapTrace &Trace);
  void checkNumber(const HeapTrace &Trace);
  /// Whether one of its values is in the allocation that has its number.
  bool holdsValueOf(const HeapTrace &Trace) const;
  /// Whether \p E may follow the events so far; reports it if not.
  bool follows(const HeapEvent &E, ValueId V);
  void count(const HeapEvent &E, ValueId V);
  void reportLeft();
  void alloc(const HeapEvent &E, ValueId V);
  void share(const HeapEvent &E, ValueId V);
  void release(ValueId V);
  ValueId find(uint32_t Id) const {
    auto Found = ById.find(Id);
    return Found == ById.end() ? ValueId() : Found->second;
  }
  Finding report(const HeapEvent &E, std::string Message, ValueId V,
                 ValueId Other);

  const CheckContext &Ctx;
  const Dump &D;
  Reporter &Diags;
  llvm::DenseMap<uint32_t, ValueId> ById;
  /// By allocation, by the first byte.
  llvm::DenseMap<uint32_t, Held> Live;
  /// What became of a value in one trace, and the event that brought it there.
  struct Standing {
    bool Freed = false;
    const HeapEvent *Event = nullptr;
  };
  /// By value.
  llvm::DenseMap<uint32_t, Standing> Seen;
  /// How often a value that is moved later got bytes and was freed.
  struct Turns {
    unsigned Got = 0;
    unsigned Freed = 0;
    /// The line of the first event.
    uint32_t Line = 0;
  };
  /// By value, in the order of their first events.
  llvm::MapVector<uint32_t, Turns> Moved;
  /// By the number of an allocation.
  llvm::DenseMap<uint64_t, const HeapTrace *> ByNumber;
};
} // namespace

Finding TraceReplay::report(const HeapEvent &E, std::string Message, ValueId V,
                            ValueId Other) {
  Finding Said = Diags.report(Ctx.places().traceLine(E.Line), "{}", Message);
  Said.note(Ctx.places().value(D[V]).Tag.Whole, "{} is placed here",
            D.spell(D[V].Tag))
      .note(Ctx.places().value(D[Other]).Tag.Whole, "{} is placed here",
            D.spell(D[Other].Tag))
      .about(V)
      .about(Other);
  return Said;
}

void TraceReplay::alloc(const HeapEvent &E, ValueId V) {
  const Value &Own = D[V];
  if (Own.Size == 0 || Own.end() < Own.Offset)
    return;
  Held &Here = Live[Own.Owner.index()];
  auto Next = Here.upper_bound(Own.Offset);
  auto Other = Here.end();
  if (Next != Here.begin() && std::prev(Next)->second.End > Own.Offset)
    Other = std::prev(Next);
  else if (Next != Here.end() && Next->first < Own.end())
    Other = Next;
  if (Other == Here.end()) {
    Here[Own.Offset] = {Own.end(), V};
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
  ValueId With = find(E.With);
  if (!With || (D[With].Owner == D[V].Owner && D[With].Offset == D[V].Offset))
    return;
  report(E,
         fmt::format("{} shares the bytes of {} in the heap simulator, but is "
                     "at offset {} of allocation {}, expected {} of {}",
                     D.spell(D[V].Tag), D.spell(D[With].Tag), D[V].Offset,
                     D[D[V].Owner].Index, D[With].Offset,
                     D[D[With].Owner].Index),
         V, With);
}

void TraceReplay::release(ValueId V) {
  Held &Here = Live[D[V].Owner.index()];
  auto Found = Here.find(D[V].Offset);
  if (Found != Here.end() && Found->second.Value == V)
    Here.erase(Found);
}

bool TraceReplay::holdsValueOf(const HeapTrace &Trace) const {
  for (uint32_t I = Trace.Events.Begin; I != Trace.Events.End; ++I)
    if (ValueId V = find(D.HeapEvents[I].Value);
        V && D[V].Owner.index() == Trace.Allocation)
      return true;
  return false;
}

void TraceReplay::checkNumber(const HeapTrace &Trace) {
  llvm::StringRef Where = Ctx.places().traceLine(Trace.Line);
  size_t Most = D.Allocations.size() + D.Values.size() + D.HeapTraces.size();
  if (Trace.Allocation >= Most)
    Diags.report(
        Where,
        "the trace is of allocation {}, but there were at most {} before "
        "temps were joined",
        Trace.Allocation, Most);
  if (Trace.Events.Begin == Trace.Events.End)
    return; // of no bytes, or of a color that nothing is in
  auto [Other, New] = ByNumber.try_emplace(Trace.Allocation, &Trace);
  if (!New && !(holdsValueOf(Trace) && holdsValueOf(*Other->second)))
    Diags.report(Where, "two traces are of allocation {}", Trace.Allocation)
        .note(Ctx.places().traceLine(Other->second->Line), "the other is here");
}

bool TraceReplay::follows(const HeapEvent &E, ValueId V) {
  auto [Found, New] = Seen.try_emplace(V.index());
  Standing Before = Found->second;
  bool Free = E.What == HeapEvent::Kind::Free;
  Found->second = {Free, &E};
  llvm::StringRef Where = Ctx.places().traceLine(E.Line);
  std::string Name = D.spell(D[V].Tag);
  if (Free && New) {
    Diags.report(Where, "{} is freed, but did not get any bytes", Name)
        .about(V);
    return false;
  }
  if (!New && (Before.Freed || !Free)) {
    Diags
        .report(Where, "{} {} again in this trace", Name,
                Free ? "is freed" : "gets bytes")
        .note(Ctx.places().traceLine(Before.Event->Line), "it was {} here",
              Before.Freed ? "freed" : "allocated")
        .about(V);
    return false;
  }
  ValueId With = E.What == HeapEvent::Kind::Share ? find(E.With) : V;
  if (With && With != V && Seen.count(With.index()) != 0)
    return true;
  if (E.What == HeapEvent::Kind::Share)
    Diags
        .report(Where, "{} shares the bytes of value {}, which did not get any",
                Name, E.With)
        .about(V);
  return E.What != HeapEvent::Kind::Share;
}

void TraceReplay::count(const HeapEvent &E, ValueId V) {
  auto [Found, New] = Moved.insert({V.index(), Turns()});
  Turns &Own = Found->second;
  if (New)
    Own.Line = E.Line;
  ++(E.What == HeapEvent::Kind::Free ? Own.Freed : Own.Got);
}

/// Values that are never freed, in the order of their events.
void TraceReplay::reportLeft() {
  std::vector<std::pair<uint32_t, ValueId>> Left;
  for (const auto &[Value, S] : Seen)
    if (!S.Freed)
      Left.push_back({S.Event->Line, ValueId(Value)});
  llvm::sort(Left);
  for (auto [Line, V] : Left)
    Diags
        .report(Ctx.places().traceLine(Line), "{} is never freed",
                D.spell(D[V].Tag))
        .about(V);
  for (const auto &[Value, Own] : Moved)
    if (Own.Freed == 0 || Own.Freed > Own.Got)
      Diags
          .report(Ctx.places().traceLine(Own.Line), "{} is {}",
                  D.spell(D[ValueId(Value)].Tag),
                  Own.Freed == 0 ? "never freed"
                  : Own.Got == 0 ? "freed, but did not get any bytes"
                                 : "freed more often than it gets bytes")
          .about(ValueId(Value));
}

void TraceReplay::replay(const HeapTrace &Trace) {
  Live.clear();
  Seen.clear();
  Moved.clear();
  checkNumber(Trace);
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
    if (Ctx.isTPU() && isVectorMemory(D[D[V].Owner].color())) {
      Diags.exempt("moved-after-placement");
      count(E, V);
      continue;
    }
    if (!follows(E, V))
      continue;
    if (E.What == HeapEvent::Kind::Alloc)
      alloc(E, V);
    else if (E.What == HeapEvent::Kind::Share)
      share(E, V);
    else
      release(V);
  }
  reportLeft();
}

void TraceReplay::run() {
  for (size_t I = 0; I != D.Values.size(); ++I)
    ById.try_emplace(D.Values[I].Tag.Id, ValueId(I));
  for (const HeapTrace &Trace : D.HeapTraces)
    replay(Trace);
}

void hlobuf::checkHeapTrace(const CheckContext &Ctx, Reporter &Diags) {
  TraceReplay(Ctx, Diags).run();
}
