// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Proof/ProgramState.h"
#include "Facts/Occupancy.h"
#include "Support/Format.h"

using namespace hlobuf;
using namespace hlobuf::proof;

/// True if a computation that runs on \p Stream is marked in \p Set.
bool ProgramState::isWrittenInOrder(uint32_t Set, StringRef Stream) const {
  return !Stream.empty() &&
         llvm::any_of(Sets->members(Set), [&](uint32_t Member) {
           return Member >= markOf(ComputationId(0)) &&
                  X->From.streamOf(ComputationId(
                      Member - markOf(ComputationId(0)))) == Stream;
         });
}

bool ProgramState::isOverwrittenBy(ValueId Line, ComputationId Body) const {
  return Bytes.all(X->place(Line), [&](uint32_t Set) {
    return Sets->has(Set, Line.index()) || Sets->has(Set, markOf(Body)) ||
           isWrittenInOrder(Set, X->From.streamOf(Body));
  });
}

Evidence ProgramState::lost(ValueId Line, std::string Who) const {
  uint32_t Writer = Bytes.writerOver(X->place(Line), Line.index(), *Sets);
  ValueId By = Writer == ByteMemory::NoWriter ? ValueId() : ValueId(Writer);
  return {fmt::format("{}: {} is lost to {}", Who, X->Lines.spell(Line),
                      By ? X->Lines.spell(By) : "nothing"),
          Line, By};
}

void ProgramState::add(ValueId Line, uint32_t Value) {
  Bytes.change(X->place(Line),
               [&](uint32_t Set) { return Sets->with(Set, Value); });
}

void ProgramState::fill(ValueId Line) {
  const Dump &D = X->Lines.dump();
  auto IsSame = [&](uint32_t Other) {
    return X->place(ValueId(Other)) == X->place(Line) &&
           haveSameLiteral(X->P.facts(), D.Values[Other].Tag.Name,
                           D[Line].Tag.Name);
  };
  if (Bytes.all(X->place(Line), [&](uint32_t Set) {
        return llvm::any_of(Sets->members(Set), IsSame);
      }))
    add(Line);
  else
    write(Line);
}

bool ProgramState::keepSame(ValueId Line, function_ref<bool(ValueId)> IsSame) {
  BytePlace Place = X->place(Line);
  auto Keeps = [&](uint32_t Value) {
    return Value < X->Lines.dump().Values.size() && IsSame(ValueId(Value)) &&
           X->place(ValueId(Value)) == Place;
  };
  if (!Bytes.all(Place, [&](uint32_t Set) {
        return llvm::any_of(Sets->members(Set), Keeps);
      }))
    return false;
  Bytes.change(Place, [&](uint32_t Set) {
    SmallVector<uint32_t, 4> Same;
    llvm::copy_if(Sets->members(Set), std::back_inserter(Same), Keeps);
    return Sets->get(Same);
  });
  return true;
}

void ProgramState::bind(ArrayRef<Binding> All) {
  std::vector<ByteMemory::Runs> Runs;
  for (auto [Line, Source] : All) {
    bool Same = Source && X->place(Line).beginsLike(X->place(Source));
    Runs.push_back(Same ? Bytes.where(X->place(Line), Source.index(), *Sets)
                        : ByteMemory::Runs());
    if (HloId Start = Same ? pendingStart(Source) : HloId())
      setPending(Line, Start);
  }
  for (auto [N, Bound] : llvm::enumerate(All)) {
    uint32_t Value = Bound.first.index();
    Bytes.change(X->place(Bound.first),
                 [&](uint32_t Set) { return Sets->without(Set, Value); });
    for (const BytePlace &Run : Runs[N])
      Bytes.change(Run, [&](uint32_t Set) { return Sets->with(Set, Value); });
  }
}

void ProgramState::meet(const ProgramState &Other,
                        SmallVectorImpl<uint32_t> &Lost) {
  Bytes.meet(Other.Bytes, *Sets, Lost);
  for (auto [Value, Start] : Other.Pending)
    setPending(ValueId(Value), Start);
}

void ProgramState::setPending(ValueId Line, HloId Start) {
  HloId &Known = Pending[Line.index()];
  if (std::exchange(Known, Start) != Start)
    Unfinished[Start.index()].push_back(Line.index());
}

void ProgramState::finish(HloId Start) {
  for (uint32_t Value : Unfinished.lookup(Start.index()))
    if (Pending.lookup(Value) == Start)
      Pending.erase(Value);
  Unfinished.erase(Start.index());
}
