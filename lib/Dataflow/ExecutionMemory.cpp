// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dataflow/ExecutionMemory.h"

using namespace hlobuf;
using llvm::ArrayRef;
using llvm::SmallVector;

void ExecutionBytes::add(HloValueId V) {
  auto *At = llvm::lower_bound(Intact, V);
  if (At == Intact.end() || *At != V)
    Intact.insert(At, V);
}

void ExecutionBytes::remove(HloValueId V) {
  auto *At = llvm::lower_bound(Intact, V);
  if (At != Intact.end() && *At == V)
    Intact.erase(At);
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
  At = All.Others->upper_bound(Offset);
  Inner = At != All.Others->begin();
  if (Inner)
    --At;
}

uint64_t ExecutionMemory::Cursor::end() const {
  if (!All->Others)
    return All->End;
  auto Next = Inner ? std::next(At) : All->Others->begin();
  return Next == All->Others->end() ? All->End : Next->first;
}

void ExecutionMemory::Cursor::advance() {
  if (!All->Others) {
    Ended = true;
    return;
  }
  At = Inner ? std::next(At) : All->Others->begin();
  Inner = true;
  Ended = At == All->Others->end();
}

void ExecutionMemory::Cursor::erase() {
  At = All->Others->erase(At);
  Ended = At == All->Others->end();
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
    const ExecutionPlace &At,
    llvm::function_ref<void(const ExecutionPlace &, const ExecutionBytes &)>
        Visit) {
  Pieces &All = Memory[At.Where.index()];
  for (Cursor I(All, At.Begin); !I.atEnd() && I.begin() < At.End; I.advance()) {
    ++Work;
    Visit({At.Where, std::max(At.Begin, I.begin()), std::min(At.End, I.end())},
          I.bytes());
  }
  if (At.End <= All.End)
    return;
  ++Work;
  Visit({At.Where, std::max(At.Begin, All.End), At.End}, Nothing);
}

void ExecutionMemory::update(
    const ExecutionPlace &At,
    llvm::function_ref<void(ExecutionBytes &)> Change) {
  Pieces &All = Memory[At.Where.index()];
  cut(All, At.Begin);
  cut(All, At.End);
  for (Cursor I(All, At.Begin); !I.atEnd() && I.begin() < At.End; I.advance()) {
    ++Work;
    if (Marks != 0) {
      // A long set takes time to copy.
      Work += I.bytes().Intact.size() / 16;
      Journal.push_back({{At.Where, I.begin(), I.end()}, I.bytes()});
    }
    Change(I.bytes());
  }
}

void ExecutionMemory::replace(const ExecutionPlace &At, ExecutionBytes Bytes,
                              bool Remember) {
  Pieces &All = Memory[At.Where.index()];
  cut(All, At.Begin);
  cut(All, At.End);
  Cursor First(All, At.Begin);
  Cursor I = First;
  for (bool IsFirst = true; !I.atEnd() && I.begin() < At.End; IsFirst = false) {
    ++Work;
    if (Remember)
      Journal.push_back({{At.Where, I.begin(), I.end()}, std::move(I.bytes())});
    if (IsFirst)
      I.advance();
    else
      I.erase();
  }
  First.bytes() = std::move(Bytes);
}

void ExecutionMemory::write(const ExecutionPlace &At, HloValueId V) {
  ExecutionBytes Bytes;
  Bytes.Intact.push_back(V);
  Bytes.Writer = V;
  Bytes.Stamp = ++Stamp;
  replace(At, std::move(Bytes), Marks != 0);
}

void ExecutionMemory::fill(const ExecutionPlace &At, HloValueId V,
                           llvm::function_ref<bool(HloValueId)> IsSame) {
  bool IsThere = true;
  visit(At, [&](const ExecutionPlace &, const ExecutionBytes &Bytes) {
    IsThere &= !Bytes.Intact.empty() && llvm::all_of(Bytes.Intact, IsSame);
  });
  if (IsThere)
    update(At, [&](ExecutionBytes &Bytes) { Bytes.add(V); });
  else
    write(At, V);
}

size_t ExecutionMemory::mark() {
  ++Marks;
  return Journal.size();
}

static auto placeKey(const ExecutionPlace &At) {
  return std::tuple(At.Where, At.Begin, At.End);
}

/// The bytes that \p Changes are about, without overlaps, in order.
static std::vector<ExecutionPlace> united(ArrayRef<ExecutionPiece> Changes) {
  std::vector<ExecutionPlace> All;
  All.reserve(Changes.size());
  for (const ExecutionPiece &Piece : Changes)
    All.push_back(Piece.At);
  llvm::sort(All, [](const ExecutionPlace &P, const ExecutionPlace &Q) {
    return placeKey(P) < placeKey(Q);
  });
  size_t Kept = 0;
  for (const ExecutionPlace &At : All) {
    if (Kept != 0 && All[Kept - 1].Where == At.Where &&
        At.Begin <= All[Kept - 1].End)
      All[Kept - 1].End = std::max(All[Kept - 1].End, At.End);
    else
      All[Kept++] = At;
  }
  All.resize(Kept);
  return All;
}

std::vector<ExecutionPiece> ExecutionMemory::takeBack(size_t Mark) {
  std::vector<ExecutionPiece> Result;
  for (const ExecutionPlace &At : united(ArrayRef(Journal).drop_front(Mark)))
    visit(At, [&](const ExecutionPlace &Piece, const ExecutionBytes &Bytes) {
      if (!Result.empty() && Result.back().At.Where == Piece.Where &&
          Result.back().At.End == Piece.Begin && Result.back().Bytes == Bytes)
        Result.back().At.End = Piece.End;
      else
        Result.push_back({Piece, Bytes});
    });
  while (Journal.size() != Mark) {
    ExecutionPiece Old = std::move(Journal.back());
    Journal.pop_back();
    replace(Old.At, std::move(Old.Bytes), false);
  }
  --Marks;
  return Result;
}

/// \p Active are the paths that changed \p At, \p All of them or not.
void ExecutionMemory::mergePiece(const ExecutionPlace &At,
                                 ArrayRef<const ExecutionPiece *> Active,
                                 bool All,
                                 llvm::function_ref<void(HloValueId)> Lost) {
  update(At, [&](ExecutionBytes &Here) {
    SmallVector<HloValueId, 2> Before = Here.Intact;
    if (All)
      Here = Active[0]->Bytes;
    for (const ExecutionPiece *Path : Active) {
      ++Work;
      Here.meet(Path->Bytes);
    }
    for (HloValueId V : Before)
      if (!Here.holds(V))
        Lost(V);
  });
}

void ExecutionMemory::merge(ArrayRef<std::vector<ExecutionPiece>> Paths,
                            bool OrNone,
                            llvm::function_ref<void(HloValueId)> Lost) {
  std::vector<const ExecutionPiece *> Pieces;
  for (const std::vector<ExecutionPiece> &Path : Paths)
    for (const ExecutionPiece &Piece : Path)
      Pieces.push_back(&Piece);
  llvm::stable_sort(Pieces,
                    [](const ExecutionPiece *P, const ExecutionPiece *Q) {
                      return std::pair(P->At.Where, P->At.Begin) <
                             std::pair(Q->At.Where, Q->At.Begin);
                    });
  // Pieces of one path do not overlap, so that each active one is from another
  // path.
  std::vector<const ExecutionPiece *> Active;
  ExecutionPlace At;
  for (auto Next = Pieces.begin(); Next != Pieces.end() || !Active.empty();) {
    if (Active.empty())
      At = (*Next)->At;
    while (Next != Pieces.end() && (*Next)->At.Where == At.Where &&
           (*Next)->At.Begin == At.Begin)
      Active.push_back(*Next++);
    At.End = Active[0]->At.End;
    for (const ExecutionPiece *Piece : Active)
      At.End = std::min(At.End, Piece->At.End);
    if (Next != Pieces.end() && (*Next)->At.Where == At.Where)
      At.End = std::min(At.End, (*Next)->At.Begin);
    mergePiece(At, Active, !OrNone && Active.size() == Paths.size(), Lost);
    llvm::erase_if(Active, [&](const ExecutionPiece *Piece) {
      return Piece->At.End == At.End;
    });
    At.Begin = At.End;
  }
}
