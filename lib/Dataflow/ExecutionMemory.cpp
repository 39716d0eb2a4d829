// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dataflow/ExecutionMemory.h"

using namespace hlobuf;
using llvm::ArrayRef;
using llvm::SmallVector;

void ExecutionBytes::add(HloValueId V) {
  auto *Entry = llvm::lower_bound(Intact, V);
  if (Entry == Intact.end() || *Entry != V)
    Intact.insert(Entry, V);
}

void ExecutionBytes::remove(HloValueId V) {
  auto *Entry = llvm::lower_bound(Intact, V);
  if (Entry != Intact.end() && *Entry == V)
    Intact.erase(Entry);
}

void ExecutionBytes::meet(const ExecutionBytes &Other) {
  SmallVector<HloValueId, 2> Both;
  std::set_intersection(Intact.begin(), Intact.end(), Other.Intact.begin(),
                        Other.Intact.end(), std::back_inserter(Both));
  bool Less = Both.size() != Intact.size();
  bool OtherLess = Both.size() != Other.Intact.size();
  if (Less != OtherLess ? Less : Other.Stamp > Stamp) {
    Writer = Other.Writer;
    Stamp = Other.Stamp;
  }
  Intact = std::move(Both);
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
    if (Marks != 0) {
      // A long set takes time to copy.
      Work += I.bytes().Intact.size() / 16;
      Journal.push_back({{Place.Owner, I.begin(), I.end()}, I.bytes()});
    }
    Change(I.bytes());
  }
}

void ExecutionMemory::replace(const AllocationBytes &Place,
                              ExecutionBytes Bytes, bool Remember) {
  Pieces &All = Memory[Place.Owner.index()];
  cut(All, Place.Begin);
  cut(All, Place.End);
  Cursor First(All, Place.Begin);
  Cursor I = First;
  for (bool IsFirst = true; !I.atEnd() && I.begin() < Place.End;
       IsFirst = false) {
    ++Work;
    if (Remember)
      Journal.push_back(
          {{Place.Owner, I.begin(), I.end()}, std::move(I.bytes())});
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
  replace(Place, std::move(Bytes), Marks != 0);
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

size_t ExecutionMemory::mark() {
  ++Marks;
  return Journal.size();
}

static auto placeKey(const AllocationBytes &Place) {
  return std::tuple(Place.Owner, Place.Begin, Place.End);
}

/// The bytes that \p Changes are about, without overlaps, in order.
static std::vector<AllocationBytes> united(ArrayRef<ExecutionPiece> Changes) {
  std::vector<AllocationBytes> All;
  All.reserve(Changes.size());
  for (const ExecutionPiece &Piece : Changes)
    All.push_back(Piece.Place);
  llvm::sort(All, [](const AllocationBytes &P, const AllocationBytes &Q) {
    return placeKey(P) < placeKey(Q);
  });
  size_t Count = 0;
  for (const AllocationBytes &Place : All) {
    if (Count != 0 && All[Count - 1].Owner == Place.Owner &&
        Place.Begin <= All[Count - 1].End)
      All[Count - 1].End = std::max(All[Count - 1].End, Place.End);
    else
      All[Count++] = Place;
  }
  All.resize(Count);
  return All;
}

std::vector<ExecutionPiece> ExecutionMemory::takeBack(size_t Mark) {
  std::vector<ExecutionPiece> Result;
  for (const AllocationBytes &Place :
       united(ArrayRef(Journal).drop_front(Mark)))
    visit(Place,
          [&](const AllocationBytes &Piece, const ExecutionBytes &Bytes) {
            if (!Result.empty() && Result.back().Place.Owner == Piece.Owner &&
                Result.back().Place.End == Piece.Begin &&
                Result.back().Bytes == Bytes)
              Result.back().Place.End = Piece.End;
            else
              Result.push_back({Piece, Bytes});
          });
  while (Journal.size() != Mark) {
    ExecutionPiece Old = std::move(Journal.back());
    Journal.pop_back();
    replace(Old.Place, std::move(Old.Bytes), false);
  }
  --Marks;
  return Result;
}

/// \p Active are the paths that changed \p Place, \p All of them or not.
void ExecutionMemory::mergePiece(const AllocationBytes &Place,
                                 ArrayRef<const ExecutionPiece *> Active,
                                 bool All,
                                 llvm::function_ref<void(HloValueId)> OnLoss) {
  update(Place, [&](ExecutionBytes &Bytes) {
    SmallVector<HloValueId, 2> Before = Bytes.Intact;
    if (All)
      Bytes = Active[0]->Bytes;
    for (const ExecutionPiece *Path : Active) {
      ++Work;
      Bytes.meet(Path->Bytes);
    }
    for (HloValueId V : Before)
      if (!Bytes.holds(V))
        OnLoss(V);
  });
}

void ExecutionMemory::merge(ArrayRef<std::vector<ExecutionPiece>> Paths,
                            bool OrNone,
                            llvm::function_ref<void(HloValueId)> OnLoss) {
  std::vector<const ExecutionPiece *> Pieces;
  for (const std::vector<ExecutionPiece> &Path : Paths)
    for (const ExecutionPiece &Piece : Path)
      Pieces.push_back(&Piece);
  llvm::stable_sort(Pieces,
                    [](const ExecutionPiece *P, const ExecutionPiece *Q) {
                      return std::pair(P->Place.Owner, P->Place.Begin) <
                             std::pair(Q->Place.Owner, Q->Place.Begin);
                    });
  // Pieces of one path do not overlap, so that each active one is from another
  // path.
  std::vector<const ExecutionPiece *> Active;
  AllocationBytes Place;
  for (auto Next = Pieces.begin(); Next != Pieces.end() || !Active.empty();) {
    if (Active.empty())
      Place = (*Next)->Place;
    while (Next != Pieces.end() && (*Next)->Place.Owner == Place.Owner &&
           (*Next)->Place.Begin == Place.Begin)
      Active.push_back(*Next++);
    Place.End = Active[0]->Place.End;
    for (const ExecutionPiece *Piece : Active)
      Place.End = std::min(Place.End, Piece->Place.End);
    if (Next != Pieces.end() && (*Next)->Place.Owner == Place.Owner)
      Place.End = std::min(Place.End, (*Next)->Place.Begin);
    mergePiece(Place, Active, !OrNone && Active.size() == Paths.size(), OnLoss);
    llvm::erase_if(Active, [&](const ExecutionPiece *Piece) {
      return Piece->Place.End == Place.End;
    });
    Place.Begin = Place.End;
  }
}
