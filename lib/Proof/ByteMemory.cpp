// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Proof/ByteMemory.h"
#include "llvm/ADT/STLExtras.h"

using namespace hlobuf;
using namespace hlobuf::proof;

uint32_t NumberSets::get(ArrayRef<uint32_t> All) {
  if (All.size() < 2)
    return All.empty() ? Empty : All.front();
  auto [Known, New] = Numbers.try_emplace(
      All.vec(), FirstKept + static_cast<uint32_t>(Kept.size()));
  if (New)
    Kept.push_back(&Known->first);
  return Known->second;
}

NumberSets::Members NumberSets::members(uint32_t Set) const {
  if (isKept(Set))
    return Members(ArrayRef(*Kept[Set - FirstKept]));
  return Set == Empty ? Members() : Members({Set});
}

uint32_t NumberSets::with(uint32_t Set, uint32_t Member) {
  if (has(Set, Member))
    return Set;
  Members All = members(Set);
  All.insert(llvm::lower_bound(All, Member), Member);
  return get(All);
}

uint32_t NumberSets::without(uint32_t Set, uint32_t Member) {
  if (!has(Set, Member))
    return Set;
  Members All = members(Set);
  All.erase(llvm::lower_bound(All, Member));
  return get(All);
}

uint32_t NumberSets::meet(uint32_t A, uint32_t B,
                          SmallVectorImpl<uint32_t> &Lost) {
  if (A == B)
    return A;
  SmallVector<uint32_t, 8> Common;
  for (uint32_t Member : members(A))
    if (has(B, Member))
      Common.push_back(Member);
    else
      Lost.push_back(Member);
  return get(Common);
}

const ByteMemory::Segments ByteMemory::Nothing = {{}};

ByteMemory::Segments &ByteMemory::writable(AllocationId Memory) {
  std::shared_ptr<Segments> &Own = Memories[Memory.index()];
  if (Own.use_count() != 1)
    Own = std::make_shared<Segments>(segments(Memory));
  return *Own;
}

/// The segments that \p At meets.
ArrayRef<ByteMemory::Segment> ByteMemory::segments(const BytePlace &At) const {
  if (At.empty())
    return {};
  const Segments &All = segments(At.Memory);
  auto Begin = std::prev(llvm::upper_bound(
      All, At.Begin, [](uint64_t B, const Segment &S) { return B < S.Begin; }));
  auto End = llvm::lower_bound(
      All, At.End, [](const Segment &S, uint64_t B) { return S.Begin < B; });
  return ArrayRef(All).slice(Begin - All.begin(), End - Begin);
}

/// The segments of \p At, which begin and end with it.
std::pair<size_t, size_t> ByteMemory::cut(Segments &All, const BytePlace &At) {
  auto CutAt = [&](uint64_t Byte) {
    auto Next = llvm::lower_bound(
        All, Byte, [](const Segment &S, uint64_t B) { return S.Begin < B; });
    if (Next == All.end() || Next->Begin != Byte) {
      Segment Rest = *std::prev(Next);
      Rest.Begin = Byte;
      Next = All.insert(Next, Rest);
    }
    return static_cast<size_t>(Next - All.begin());
  };
  size_t Begin = CutAt(At.Begin);
  return {Begin, CutAt(At.End)};
}

void ByteMemory::write(const BytePlace &At, uint32_t Value, NumberSets &Sets) {
  if (At.empty())
    return;
  Segments &All = writable(At.Memory);
  auto [Begin, End] = cut(All, At);
  All[Begin] = {At.Begin, Value, Value, Sets.nextTime()};
  All.erase(All.begin() + Begin + 1, All.begin() + End);
}

void ByteMemory::change(const BytePlace &At,
                        function_ref<uint32_t(uint32_t)> Change) {
  if (At.empty())
    return;
  Segments &All = writable(At.Memory);
  auto [Begin, End] = cut(All, At);
  for (size_t I = Begin; I != End; ++I)
    All[I].Set = Change(All[I].Set);
}

bool ByteMemory::all(const BytePlace &At,
                     function_ref<bool(uint32_t)> Holds) const {
  return llvm::all_of(segments(At),
                      [&](const Segment &S) { return Holds(S.Set); });
}

uint32_t ByteMemory::writerOver(const BytePlace &At, uint32_t Value,
                                const NumberSets &Sets) const {
  Segment Last;
  for (const Segment &S : segments(At))
    if (!Sets.has(S.Set, Value) && Last.Time < S.Time)
      Last = S;
  return Last.Writer;
}

ByteMemory::Runs ByteMemory::where(const BytePlace &At, uint32_t Value,
                                   const NumberSets &Sets) const {
  Runs Found;
  ArrayRef<Segment> Met = segments(At);
  for (size_t I = 0; I != Met.size(); ++I)
    if (Sets.has(Met[I].Set, Value))
      Found.push_back({At.Memory, std::max(At.Begin, Met[I].Begin),
                       I + 1 == Met.size() ? At.End : Met[I + 1].Begin});
  return Found;
}

void ByteMemory::meet(const ByteMemory &Other, NumberSets &Sets,
                      SmallVectorImpl<uint32_t> &Lost) {
  for (size_t M = 0; M != Memories.size(); ++M) {
    if (Memories[M] == Other.Memories[M])
      continue;
    const Segments &A = segments(AllocationId(M));
    const Segments &B = Other.segments(AllocationId(M));
    auto Both = std::make_shared<Segments>();
    for (size_t I = 0, J = 0; I != A.size() || J != B.size();) {
      uint64_t NextA = I != A.size() ? A[I].Begin : ~uint64_t(0);
      uint64_t NextB = J != B.size() ? B[J].Begin : ~uint64_t(0);
      uint64_t Begin = std::min(NextA, NextB);
      I += NextA == Begin;
      J += NextB == Begin;
      uint32_t Set = Sets.meet(A[I - 1].Set, B[J - 1].Set, Lost);
      bool Mine = Set != B[J - 1].Set &&
                  (Set == A[I - 1].Set || A[I - 1].Time > B[J - 1].Time);
      Segment Met = Mine ? A[I - 1] : B[J - 1];
      Met.Begin = Begin;
      Met.Set = Set;
      if (Both->empty() || Both->back().Set != Set ||
          Both->back().Writer != Met.Writer)
        Both->push_back(Met);
    }
    Memories[M] = std::move(Both);
  }
}
