// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of addresses of a tuple-shaped value shares bytes with other
// tables only, and only exactly: XLA gives each group of tuples an allocation
// that nothing else may use (AssignBuffersForComputations and
// MaybeAssignBuffer, 2017) before it packs allocations end to end. That needs
// no live range.

#include "Checks/Sharing/Sharing.h"

using namespace hlobuf;

namespace {
/// The tables of one allocation by place, disjoint.
class Tables {
public:
  Tables(const CheckContext &Ctx, Reporter &Diags)
      : Ctx(Ctx), Diags(Diags), D(Ctx.dump()) {}

  void check(IndexRange Lines) {
    collect(Lines);
    if (List.empty())
      return;
    for (uint32_t V = Lines.Begin; V != Lines.End; ++V)
      if (!isTable(D.Values[V]) && D.Values[V].Size != 0)
        checkOther(ValueId(V));
  }

private:
  struct Table {
    uint32_t Value;
    bool Reported;
  };

  bool isTable(const Value &V) const {
    return V.Shape && D.Shapes[V.Shape].isTuple();
  }
  void collect(IndexRange Lines);
  void checkOther(ValueId V);
  void report(ValueId Table, ValueId Other);

  const CheckContext &Ctx;
  Reporter &Diags;
  const Dump &D;
  std::vector<Table> List;
};
} // namespace

void Tables::report(ValueId Table, ValueId Other) {
  const Value &T = D[Table], &V = D[Other];
  Finding F = Diags.report(Ctx.places().value(V).Offset,
                           "{} shares {} with the tuple index table {}, {}",
                           D.spell(V.Tag), sharedBytes(D, T, V), D.spell(T.Tag),
                           isTable(V) ? "which has another place"
                                      : "which only tuples may share");
  bool TableFirst = firstStep(Ctx, Table) <= firstStep(Ctx, Other);
  ValueId Old = TableFirst ? Table : Other;
  ValueId New = TableFirst ? Other : Table;
  addDefinition(F, Ctx, Old);
  addStep(F, Ctx, firstStep(Ctx, New), New, spellOverwrite(V, T));
  F.why(Ctx.places().value(T).Offset,
        "the table of {} holds pointers that readers of the tuple follow",
        spellName(D, Table));
  notePlace(F, Ctx, Table);
  F.about(Other).about(Table);
}

/// Reports tables that overlap without being at the same place.
void Tables::collect(IndexRange Lines) {
  for (uint32_t V = Lines.Begin; V != Lines.End; ++V)
    if (isTable(D.Values[V]) && D.Values[V].Size != 0)
      List.push_back({V, false});
  llvm::sort(List, [&](const Table &P, const Table &Q) {
    return std::tuple(D.Values[P.Value].Offset, P.Value) <
           std::tuple(D.Values[Q.Value].Offset, Q.Value);
  });
  size_t Count = 0;
  for (const Table &Current : List) {
    const Value &V = D.Values[Current.Value];
    const Value *Last = Count ? &D.Values[List[Count - 1].Value] : nullptr;
    if (!Last || Last->end() <= V.Offset)
      List[Count++] = Current;
    else if (Last->Offset != V.Offset || Last->Size != V.Size)
      report(ValueId(List[Count - 1].Value), ValueId(Current.Value));
  }
  List.resize(Count);
}

void Tables::checkOther(ValueId V) {
  const Value &Val = D[V];
  auto Next = llvm::partition_point(List, [&](const Table &T) {
    return D.Values[T.Value].end() <= Val.Offset;
  });
  if (Next == List.end() || D.Values[Next->Value].Offset >= Val.end() ||
      Next->Reported)
    return;
  Next->Reported = true;
  report(ValueId(Next->Value), V);
}

void hlobuf::reportTupleTables(const CheckContext &Ctx, Reporter &Diags,
                               const Allocation &Alloc) {
  Tables(Ctx, Diags).check(Alloc.Values);
}
