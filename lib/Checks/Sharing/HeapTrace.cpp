//===- Checks/Sharing/HeapTrace.cpp ---------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// I01: HeapSimulatorTrace (xla/service/heap_simulator) is the order in which
// values got their bytes and gave them back. It is recorded when a value is
// placed, apart from the offsets: at each moment the values that hold bytes of
// one allocation are disjoint, and a value that shares has the offset of the
// one it shares with. Releases until 2026 number the allocation of a trace in
// another way, so that a value's own allocation counts. TPU moves values of
// color 1 after they were placed (libtpu 0.0.52: half of its programs), and
// says nothing of it.
//
//===----------------------------------------------------------------------===//

#include "Checks/Check.h"
#include "llvm/ADT/DenseMap.h"
#include <map>

using namespace hlobuf;

namespace {
/// Replays all traces.
class TraceReplay {
public:
  TraceReplay(const CheckContext &A, Reporter &R) : A(A), D(A.dump()), R(R) {}

  void run();

private:
  /// Bytes that a value holds.
  struct Holder {
    uint64_t End = 0;
    ValueId Value;
  };
  using Held = std::map<uint64_t, Holder>;

  void replay(const HeapTrace &T);
  void alloc(const HeapEvent &E, ValueId V);
  void share(const HeapEvent &E, ValueId V);
  void release(ValueId V);
  ValueId find(uint32_t Id) const {
    auto Found = ById.find(Id);
    return Found == ById.end() ? ValueId() : Found->second;
  }
  Finding report(const HeapEvent &E, std::string Message, ValueId V,
                 ValueId Other);

  const CheckContext &A;
  const Dump &D;
  Reporter &R;
  llvm::DenseMap<uint32_t, ValueId> ById;
  /// By allocation, by the first byte.
  llvm::DenseMap<uint32_t, Held> Live;
};
} // namespace

Finding TraceReplay::report(const HeapEvent &E, std::string Message, ValueId V,
                            ValueId Other) {
  Finding Said = R.report(A.places().traceLine(E.Line), "{}", Message);
  Said.note(A.places().value(D[V]).Tag.Whole, "{} is placed here",
            D.spell(D[V].Tag))
      .note(A.places().value(D[Other]).Tag.Whole, "{} is placed here",
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

void TraceReplay::replay(const HeapTrace &T) {
  Live.clear();
  for (uint32_t I = T.Events.Begin; I != T.Events.End; ++I) {
    const HeapEvent &E = D.HeapEvents[I];
    ValueId V = find(E.Value);
    // Size limits of the simulator may send a value elsewhere.
    if (!V)
      continue;
    if (A.isTPU() && D[D[V].Owner].color() == 1) {
      R.exempt("moved-after-placement");
      continue;
    }
    if (E.What == HeapEvent::Kind::Alloc)
      alloc(E, V);
    else if (E.What == HeapEvent::Kind::Share)
      share(E, V);
    else
      release(V);
  }
}

void TraceReplay::run() {
  for (size_t I = 0; I != D.Values.size(); ++I)
    ById.try_emplace(D.Values[I].Tag.Id, ValueId(I));
  for (const HeapTrace &T : D.HeapTraces)
    replay(T);
}

namespace hlobuf {
void checkHeapTrace(const CheckContext &A, Reporter &R) {
  TraceReplay(A, R).run();
}
} // namespace hlobuf
