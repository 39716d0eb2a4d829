// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Draw/PictureLanes.h"
#include "Thunks/StreamOrder.h"
#include "llvm/ADT/StringMap.h"
#include <map>

using namespace hlobuf;
using llvm::StringRef;

namespace {
class LaneMaker {
public:
  LaneMaker(const MemoryUse &U, const ThunkGraph &G, Picture &P)
      : U(U), G(G), T(G.thunks()), D(G.dump()), P(P), L(P.Lanes), Order(G),
        IndexOf(T.Thunks.size(), -1), StartOf(T.Thunks.size()),
        DoneOf(T.Thunks.size()) {}

  void addThunks();
  void addRaces(const DumpResult &R);

private:
  uint32_t laneOf(uint32_t Stream);
  AllocationId allocation(int64_t Number) const;
  void findDones();
  void addThunk(ThunkId Id);
  void addSlices(ThunkId Id);
  void stretch(ThunkId Id);
  int32_t index(ThunkId Id) const { return Id ? IndexOf[Id.index()] : -1; }
  PictureThunk &drawn(ThunkId Id) { return L.Thunks[index(Id)]; }

  const MemoryUse &U;
  const ThunkGraph &G;
  const ThunkProgram &T;
  const Dump &D;
  Picture &P;
  PictureLanes &L;
  StreamOrder Order;
  llvm::StringMap<uint32_t> Lanes;
  /// The step of the last thunk that has one.
  int32_t Now = 0;
  /// By thunk: its index in the picture; negative if it is not drawn.
  std::vector<int32_t> IndexOf;
  /// By thunk: the start that it is inside of; invalid if there is none.
  std::vector<ThunkId> StartOf;
  /// By start: its done; invalid if there is none.
  std::vector<ThunkId> DoneOf;
};
} // namespace

/// Streams of one name share a lane.
uint32_t LaneMaker::laneOf(uint32_t Stream) {
  std::string Name = T.ForGpu ? Order.spellStream(Stream) : "CPU";
  StringRef Short = Name;
  Short.consume_front("the ");
  auto [At, New] =
      Lanes.try_emplace(Short, static_cast<uint32_t>(L.Names.size()));
  if (New)
    L.Names.push_back(Short.str());
  return At->second;
}

AllocationId LaneMaker::allocation(int64_t Number) const {
  const Allocation *Found = G.allocation(Number);
  return Found ? AllocationId(Found - D.Allocations.data()) : AllocationId();
}

static bool isDone(ThunkKind Kind) {
  return Kind == ThunkKind::AsyncDone || Kind == ThunkKind::HostExecuteDone ||
         Kind == ThunkKind::HostSendDone || Kind == ThunkKind::HostRecvDone;
}

static bool isStartOnHost(ThunkKind Kind) {
  return Kind == ThunkKind::HostExecuteStart || Kind == ThunkKind::HostSend ||
         Kind == ThunkKind::HostRecv;
}

/// The done of a start is the next one of its execution; in a loop it may be
/// in the next round.
void LaneMaker::findDones() {
  using Key = std::pair<bool, uint64_t>;
  std::map<Key, ThunkId> Next;
  std::map<Key, ThunkId> Any;
  std::vector<std::pair<Key, ThunkId>> Open;
  for (size_t I = T.Thunks.size(); I-- != 0;) {
    const Thunk &Each = T.Thunks[I];
    uint64_t Execution = Each.Execution.value_or(0);
    if (isDone(Each.Kind)) {
      Key Of = {Each.Kind != ThunkKind::AsyncDone, Execution};
      Next[Of] = Any[Of] = ThunkId(I);
    } else if (Each.Kind == ThunkKind::AsyncStart || isStartOnHost(Each.Kind)) {
      Key Of = {Each.Kind != ThunkKind::AsyncStart, Execution};
      auto At = Next.find(Of);
      if (At == Next.end()) {
        Open.push_back({Of, ThunkId(I)});
        continue;
      }
      DoneOf[I] = At->second;
      Next.erase(At);
    }
  }
  for (auto &[Of, Start] : Open) {
    auto At = Any.find(Of);
    if (At != Any.end() && At->second.index() < Start.index() &&
        T[At->second].In == T[Start].In)
      DoneOf[Start.index()] = At->second;
  }
}

/// Names each slice after the operand or result that has its bytes.
void LaneMaker::addSlices(ThunkId Id) {
  llvm::ArrayRef<ThunkSlice> Slices = T.slices(T[Id]);
  HloId I = Slices.empty() ? HloId() : G.instruction(Id);
  llvm::SmallVector<LeafPlace, 8> Operands;
  llvm::SmallVector<LeafPlace, 4> Results;
  if (I) {
    Operands = G.operandLeaves(I);
    Results = G.leaves(I);
  }
  for (const ThunkSlice &S : Slices) {
    AllocationId Owner = allocation(S.Bytes.Allocation);
    if (S.Missing || !Owner || S.Bytes.Offset < 0 || S.Bytes.Size <= 0)
      continue;
    PictureSlice Drawn{Owner, static_cast<uint64_t>(S.Bytes.Offset),
                       static_cast<uint64_t>(S.Bytes.Size), S.Access, ""};
    llvm::ArrayRef<LeafPlace> Leaves = Operands;
    if (S.writes())
      Leaves = Results;
    for (const LeafPlace &Leaf : Leaves)
      if (Leaf.Bytes == S.Bytes) {
        Drawn.Value = G.spell(Leaf);
        break;
      }
    L.Slices.push_back(std::move(Drawn));
  }
}

/// Of \p Id the owner is drawn already.
void LaneMaker::addThunk(ThunkId Id) {
  const Thunk &Each = T[Id];
  ThunkId Owner = T[Each.In].Owner;
  ThunkId Start;
  if (Owner)
    Start =
        T[Owner].Kind == ThunkKind::AsyncStart ? Owner : StartOf[Owner.index()];
  StartOf[Id.index()] = Start;
  IndexOf[Id.index()] = static_cast<int32_t>(L.Thunks.size());
  PictureThunk Drawn;
  Drawn.Lane = laneOf(Order.streamOf(Id));
  Drawn.Kind = Each.Kind;
  Drawn.Name = G.name(Id);
  int32_t Step = Each.Instruction ? U.stepOf(Each.Instruction) : -1;
  bool IsKnown = Step >= 0 && Step < P.Steps;
  if (Start)
    Now = drawn(Start).First;
  else if (IsKnown)
    Now = Step;
  Drawn.First = Drawn.Last = Now;
  // What is inside of it says when.
  if (!IsKnown && !Each.Sequences.empty() && Each.Kind != ThunkKind::AsyncStart)
    Drawn.First = P.Steps - 1;
  Drawn.Start = index(Start);
  Drawn.Slices.Begin = static_cast<uint32_t>(L.Slices.size());
  addSlices(Id);
  Drawn.Slices.End = static_cast<uint32_t>(L.Slices.size());
  L.Thunks.push_back(std::move(Drawn));
}

/// What runs on another stream does so until its done, or, where nothing waits
/// for it, until the end. What is around others is drawn as long as they are.
void LaneMaker::stretch(ThunkId Id) {
  PictureThunk &Each = drawn(Id);
  Each.First = std::min(Each.First, Each.Last);
  ThunkId Start = StartOf[Id.index()];
  if (isStartOnHost(T[Id].Kind))
    Start = Id;
  if (Start) {
    ThunkId Done = DoneOf[Start.index()];
    Each.Done = index(Done);
    Each.Last = P.Steps - 1;
    if (Done && drawn(Done).First >= Each.First)
      Each.Last = drawn(Done).First;
    else if (ThunkId Loop = T[T[Start].In].Owner; Done && Loop)
      Each.Last = std::max(Each.First, drawn(Loop).Last);
  }
  ThunkId Owner = T[T[Id].In].Owner;
  if (!Owner || T[Owner].Kind == ThunkKind::AsyncStart || Start)
    return;
  PictureThunk &Around = drawn(Owner);
  Around.First = std::min(Around.First, Each.First);
  Around.Last = std::max(Around.Last, Each.Last);
}

void LaneMaker::addThunks() {
  findDones();
  for (size_t I = 0; I != T.Thunks.size(); ++I)
    if (!G.isEmbedded(ThunkId(I)))
      addThunk(ThunkId(I));
  // What is inside of a thunk comes after it.
  for (size_t I = T.Thunks.size(); I-- != 0;)
    if (IndexOf[I] >= 0)
      stretch(ThunkId(I));
}

static constexpr StringRef RaceCheck = "stream-race";

/// The finding in the picture that says each sentence of the check: its own, or
/// one that it was folded into.
static llvm::StringMap<uint32_t> findingsOfRaces(const DumpResult &R) {
  llvm::StringMap<uint32_t> Found;
  uint32_t Number = 0;
  for (const ResultFinding &F : R.Findings) {
    if (!F.isLoud())
      continue;
    if (F.Check == RaceCheck)
      Found.try_emplace(F.Message, Number);
    for (const ResultNote &N : F.Notes)
      if (N.Kind == NoteKind::Also && N.Event.Subject == RaceCheck)
        Found.try_emplace(N.Event.Action, Number);
    ++Number;
  }
  return Found;
}

void LaneMaker::addRaces(const DumpResult &R) {
  llvm::StringMap<uint32_t> Told = findingsOfRaces(R);
  for (const StreamRace &Race : Order.races()) {
    auto At = Told.find(Order.spell(Race));
    ByteSlice Common = Race.common();
    AllocationId Owner = allocation(Common.Allocation);
    if (At == Told.end() || !Owner || index(Race.First) < 0 ||
        index(Race.Second) < 0)
      continue;
    PictureRace Drawn{static_cast<uint32_t>(index(Race.First)),
                      static_cast<uint32_t>(index(Race.Second)),
                      Owner,
                      static_cast<uint64_t>(Common.Offset),
                      static_cast<uint64_t>(Common.Offset + Common.Size),
                      At->second};
    PictureFinding &F = P.Findings[At->second];
    bool IsNew = llvm::none_of(L.Races, [&](const PictureRace &Other) {
      return Other.Finding == Drawn.Finding;
    });
    if (IsNew && F.Check == RaceCheck)
      F.Marks.clear();
    int32_t One = drawn(Race.First).First;
    int32_t Other = drawn(Race.Second).First;
    F.Marks.push_back({Owner, Drawn.Begin, Drawn.End, std::min(One, Other),
                       std::max(One, Other)});
    L.Races.push_back(Drawn);
  }
}

void hlobuf::addLanes(const MemoryUse &U, const ThunkGraph &Graph,
                      const DumpResult &R, Picture &P) {
  LaneMaker Maker(U, Graph, P);
  Maker.addThunks();
  Maker.addRaces(R);
}
