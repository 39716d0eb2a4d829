// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dataflow/ExecutionMemory.h"

using namespace hlobuf;

void ExecutionBytes::add(HloValueId V) {
  auto *Entry = llvm::lower_bound(Intact, V);
  if (Entry == Intact.end() || *Entry != V)
    Intact.insert(Entry, V);
}

ExecutionMemory::Cursor::Cursor(Pieces &All, uint64_t Offset)
    : All(&All), Ended(Offset >= All.End) {
  if (Ended || !All.Others)
    return;
  Piece = All.Others->upper_bound(Offset);
  Inner = Piece != All.Others->begin();
  if (Inner)
    --Piece;
}

uint64_t ExecutionMemory::Cursor::end() const {
  if (!All->Others)
    return All->End;
  auto Next = Inner ? std::next(Piece) : All->Others->begin();
  return Next == All->Others->end() ? All->End : Next->first;
}

void ExecutionMemory::Cursor::advance() {
  if (!All->Others) {
    Ended = true;
    return;
  }
  Piece = Inner ? std::next(Piece) : All->Others->begin();
  Inner = true;
  Ended = Piece == All->Others->end();
}

void ExecutionMemory::Cursor::erase() {
  Piece = All->Others->erase(Piece);
  Ended = Piece == All->Others->end();
}

ExecutionMemory::ExecutionMemory(size_t NumAllocations)
    : Memory(NumAllocations) {}

/// Sees to it that a piece begins at \p Offset, or that all end there.
void ExecutionMemory::cut(Pieces &All, uint64_t Offset) {
  if (Offset == 0 || Offset == All.End)
    return;
  Cursor Around(All, Offset);
  ExecutionBytes Same;
  uint64_t Begin = Offset;
  if (Around.atEnd()) {
    // What nothing was written to becomes a piece that ends here.
    Begin = All.End;
    All.End = Offset;
  } else if (Around.begin() == Offset) {
    return;
  } else {
    Same = Around.bytes();
  }
  if (Begin == 0)
    return;
  if (!All.Others)
    All.Others = std::make_unique<PieceMap>();
  All.Others->emplace(Begin, std::move(Same));
}

void ExecutionMemory::visit(
    const AllocationBytes &Place,
    llvm::function_ref<void(const AllocationBytes &, const ExecutionBytes &)>
        Visit) {
  Pieces &All = Memory[Place.Owner.index()];
  for (Cursor I(All, Place.Begin); !I.atEnd() && I.begin() < Place.End;
       I.advance()) {
    ++Work;
    Visit({Place.Owner, std::max(Place.Begin, I.begin()),
           std::min(Place.End, I.end())},
          I.bytes());
  }
  if (Place.End <= All.End)
    return;
  ++Work;
  Visit({Place.Owner, std::max(Place.Begin, All.End), Place.End}, Nothing);
}

void ExecutionMemory::update(
    const AllocationBytes &Place,
    llvm::function_ref<void(ExecutionBytes &)> Change) {
  Pieces &All = Memory[Place.Owner.index()];
  cut(All, Place.Begin);
  cut(All, Place.End);
  for (Cursor I(All, Place.Begin); !I.atEnd() && I.begin() < Place.End;
       I.advance()) {
    ++Work;
    Change(I.bytes());
  }
}

void ExecutionMemory::replace(const AllocationBytes &Place,
                              ExecutionBytes Bytes) {
  Pieces &All = Memory[Place.Owner.index()];
  cut(All, Place.Begin);
  cut(All, Place.End);
  Cursor First(All, Place.Begin);
  Cursor I = First;
  for (bool IsFirst = true; !I.atEnd() && I.begin() < Place.End;
       IsFirst = false) {
    ++Work;
    if (IsFirst)
      I.advance();
    else
      I.erase();
  }
  First.bytes() = std::move(Bytes);
}

void ExecutionMemory::write(const AllocationBytes &Place, HloValueId V) {
  ExecutionBytes Bytes;
  Bytes.Intact.push_back(V);
  Bytes.Writer = V;
  Bytes.Stamp = ++Stamp;
  replace(Place, std::move(Bytes));
}

void ExecutionMemory::fill(const AllocationBytes &Place, HloValueId V,
                           llvm::function_ref<bool(HloValueId)> IsSame) {
  bool IsThere = true;
  visit(Place, [&](const AllocationBytes &, const ExecutionBytes &Bytes) {
    IsThere &= !Bytes.Intact.empty() && llvm::all_of(Bytes.Intact, IsSame);
  });
  if (IsThere)
    update(Place, [&](ExecutionBytes &Bytes) { Bytes.add(V); });
  else
    write(Place, V);
}
