// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Facts/Facts.h"
#include "Support/Format.h"
#include "Support/Lazy.h"
#include "Support/Printable.h"
#include "llvm/ADT/DenseSet.h"

using namespace hlobuf;

namespace {
/// The partner of each value line and each used value, as numbers.
struct IdJoin {
  std::vector<uint32_t> ValueOfUsed;
  std::vector<uint32_t> UsedOfValue;
};
} // namespace

static constexpr uint32_t None = ~uint32_t(0);

struct Facts::Cache {
  Lazy<ReleaseWindow> Written;
  Lazy<hlobuf::Backend> Producer;
  Lazy<IdJoin> Ids;
  Lazy<ByName> Values, Used, Positions, Uses, Ranges;
  Lazy<std::vector<uint32_t>> InstructionOf, PositionOwners, UseOwners;
  Lazy<std::vector<int32_t>> Times;
  Lazy<NameId> Root;
  Lazy<bool> Full, SSA, SequenceSound, RangesSound, SparseCore;
  Lazy<StackFrames> Frames;
};

Facts::Facts(const Dump &D)
    : D(D), LinePlaces(D), Memo(std::make_unique<Cache>()) {}
Facts::~Facts() = default;

const ReleaseWindow &Facts::release() const {
  return Memo->Written.get([&] { return findReleaseWindow(D); });
}

Backend Facts::backend() const {
  return Memo->Producer.get([&] { return findBackend(D); });
}

/// Joins value lines and used values by the printed id; of several with one id
/// the first counts.
static IdJoin joinByIds(const Dump &D) {
  DenseMap<uint32_t, uint32_t> ValueOfId;
  for (uint32_t I = 0; I != D.Values.size(); ++I)
    ValueOfId.try_emplace(D.Values[I].Tag.Id, I);
  IdJoin Join;
  Join.ValueOfUsed.assign(D.Used.size(), None);
  Join.UsedOfValue.assign(D.Values.size(), None);
  for (uint32_t I = 0; I != D.Used.size(); ++I) {
    auto Entry = ValueOfId.find(D.Used[I].Tag.Id);
    if (Entry == ValueOfId.end())
      continue;
    Join.ValueOfUsed[I] = Entry->second;
    uint32_t &Used = Join.UsedOfValue[Entry->second];
    Used = std::min(Used, I);
  }
  // A value whose id was printed before has the same partner.
  for (uint32_t I = 0; I != D.Values.size(); ++I)
    Join.UsedOfValue[I] = Join.UsedOfValue[ValueOfId[D.Values[I].Tag.Id]];
  return Join;
}

ValueId Facts::valueOf(UsedId U) const {
  const IdJoin &Join = Memo->Ids.get([&] { return joinByIds(D); });
  return ValueId(Join.ValueOfUsed[U.index()]);
}

UsedId Facts::usedOf(ValueId V) const {
  const IdJoin &Join = Memo->Ids.get([&] { return joinByIds(D); });
  return UsedId(Join.UsedOfValue[V.index()]);
}

template <typename Record>
static ByName groupRows(const std::vector<Record> &All) {
  return ByName(All.size(), [&](uint32_t I) {
    if constexpr (requires { All[I].Tag; })
      return std::pair(All[I].Tag.Name, All[I].Tag.Index);
    else
      return std::pair(All[I].Name, All[I].Index);
  });
}

/// The names of \p All are below: those of the module come after them.
template <typename Record>
static uint32_t numNames(const std::vector<Record> &All) {
  uint32_t Count = 0;
  for (const Record &Row : All)
    Count = std::max(Count, Row.Name.index() + 1);
  return Count;
}

static uint32_t firstOf(ArrayRef<uint32_t> Rows) {
  return Rows.empty() ? None : Rows.front();
}

ArrayRef<uint32_t> Facts::valuesOfInstruction(NameId Name) const {
  return Memo->Values.get([&] { return groupRows(D.Values); })[Name];
}

ArrayRef<Use> Facts::readers(ValueId V) const {
  UsedId U = V ? usedOf(V) : UsedId();
  return U ? D.uses(D[U]) : ArrayRef<Use>();
}

ArrayRef<uint32_t> Facts::usedOfInstruction(NameId Name) const {
  return Memo->Used.get([&] { return groupRows(D.Used); })[Name];
}

ValueId Facts::findValue(NameId Name, ShapeIndex Index) const {
  const ByName &All = Memo->Values.get([&] { return groupRows(D.Values); });
  return ValueId(firstOf(
      All.at(Name, Index, [&](uint32_t I) { return D.Values[I].Tag.Index; })));
}

UsedId Facts::findUsed(NameId Name, ShapeIndex Index) const {
  const ByName &All = Memo->Used.get([&] { return groupRows(D.Used); });
  return UsedId(firstOf(
      All.at(Name, Index, [&](uint32_t I) { return D.Used[I].Tag.Index; })));
}

const Instruction *Facts::instruction(NameId Name) const {
  const auto &Map = Memo->InstructionOf.get([&] {
    std::vector<uint32_t> Numbers(numNames(D.Instructions), None);
    for (uint32_t I = 0; I != D.Instructions.size(); ++I)
      Numbers[D.Instructions[I].Name.index()] = I;
    return Numbers;
  });
  if (!Name || Name.index() >= Map.size() || Map[Name.index()] == None)
    return nullptr;
  return &D.Instructions[Map[Name.index()]];
}

Opcode Facts::opcode(NameId Name) const {
  const Instruction *I = instruction(Name);
  return I ? I->Op.Op : Opcode::Unknown;
}

ArrayRef<uint32_t> Facts::positionsAt(NameId Name) const {
  return Memo->Positions.get([&] { return groupRows(D.Positions); })[Name];
}

ArrayRef<uint32_t> Facts::positionsAt(NameId Name, ShapeIndex Index) const {
  const ByName &All =
      Memo->Positions.get([&] { return groupRows(D.Positions); });
  return All.at(Name, Index, [&](uint32_t I) { return D.Positions[I].Index; });
}

bool Facts::isAt(UsedId U, NameId Name, ShapeIndex Index) const {
  IndexRange Own = D.positionRows(D[U]);
  return llvm::any_of(positionsAt(Name, Index), [&](uint32_t Number) {
    return Number >= Own.Begin && Number < Own.End &&
           D.Positions[Number].Index == Index;
  });
}

ArrayRef<uint32_t> Facts::usesBy(NameId Name) const {
  return Memo->Uses.get([&] { return groupRows(D.Uses); })[Name];
}

/// The used value of each of \p Count rows.
static std::vector<uint32_t>
findOwners(const Dump &D, size_t Count,
           IndexRange (Dump::*Rows)(const UsedValue &) const) {
  std::vector<uint32_t> Owners(Count, None);
  for (uint32_t U = 0; U != D.Used.size(); ++U) {
    IndexRange Own = (D.*Rows)(D.Used[U]);
    std::fill(Owners.begin() + Own.Begin, Owners.begin() + Own.End, U);
  }
  return Owners;
}

UsedId Facts::ownerOfPosition(uint32_t Number) const {
  const std::vector<uint32_t> &Owners = Memo->PositionOwners.get(
      [&] { return findOwners(D, D.Positions.size(), &Dump::positionRows); });
  return UsedId(Owners[Number]);
}

UsedId Facts::ownerOfUse(uint32_t Number) const {
  const std::vector<uint32_t> &Owners = Memo->UseOwners.get(
      [&] { return findOwners(D, D.Uses.size(), &Dump::useRows); });
  return UsedId(Owners[Number]);
}

UsedId Facts::valueAt(NameId Name, ShapeIndex Index) const {
  ArrayRef<uint32_t> Rows = positionsAt(Name, Index);
  return Rows.size() == 1 ? ownerOfPosition(Rows.front()) : UsedId();
}

std::optional<uint32_t> Facts::rangeRow(NameId Name, ShapeIndex Index) const {
  const ByName &All = Memo->Ranges.get([&] { return groupRows(D.Ranges); });
  uint32_t Row = firstOf(
      All.at(Name, Index, [&](uint32_t I) { return D.Ranges[I].Index; }));
  return Row == None ? std::nullopt : std::optional(Row);
}

std::optional<uint32_t> Facts::rangeRow(ValueId V) const {
  return rangeRow(D[V].Tag.Name, D[V].Tag.Index);
}

std::optional<StepRange> Facts::range(NameId Name, ShapeIndex Index) const {
  std::optional<uint32_t> Row = rangeRow(Name, Index);
  if (!Row)
    return std::nullopt;
  return StepRange{D.Ranges[*Row].Start, D.Ranges[*Row].End};
}

std::optional<StepRange> Facts::range(ValueId V) const {
  return range(D[V].Tag.Name, D[V].Tag.Index);
}

int32_t Facts::time(NameId Name) const {
  constexpr int32_t Unseen = -1;
  constexpr int32_t Repeated = -2;
  const auto &Map = Memo->Times.get([&] {
    std::vector<int32_t> Times(numNames(D.Sequence), Unseen);
    for (uint32_t I = 0; I != D.Sequence.size(); ++I) {
      int32_t &Time = Times[D.Sequence[I].Name.index()];
      Time = Time == Unseen ? static_cast<int32_t>(I) : Repeated;
    }
    return Times;
  });
  if (!Name || Name.index() >= Map.size())
    return -1;
  return std::max(Map[Name.index()], -1);
}

bool Facts::isSequenceSound() const {
  return Memo->SequenceSound.get([&] {
    uint32_t Step = 0;
    return D.MaxStep == D.Sequence.size() &&
           llvm::all_of(D.Sequence, [&](const SequenceRow &Row) {
             return Row.Ordinal == Step++ && time(Row.Name) >= 0;
           });
  });
}

static bool findRangesSound(const Facts &DumpFacts) {
  const Dump &D = DumpFacts.dump();
  if (!DumpFacts.isSequenceSound())
    return false;
  UsedId Last;
  for (uint32_t I = 0; I != D.Ranges.size(); ++I) {
    const LiveRangeRow &Row = D.Ranges[I];
    if (Row.Start < 0 || Row.Start >= DumpFacts.steps() ||
        Row.End < Row.Start || Row.End > DumpFacts.steps() ||
        DumpFacts.rangeRow(Row.Name, Row.Index) != I)
      return false;
    UsedId U = DumpFacts.findUsed(Row.Name, Row.Index);
    if (U && Last && D[U].Tag.Id <= D[Last].Tag.Id)
      return false;
    if (U)
      Last = U;
  }
  return llvm::all_of(D.Values, [&](const Value &V) {
    return DumpFacts.time(V.Tag.Name) < 0 ||
           DumpFacts.range(V.Tag.Name, V.Tag.Index);
  });
}

bool Facts::areRangesSound() const {
  return Memo->RangesSound.get([&] { return findRangesSound(*this); });
}

/// Which values of arguments and outputs live to the end of the program, or are
/// followed in their place by one that does: the live range of a value is cut
/// where the next value of its buffer begins, and the last value of a buffer
/// gets the latest end of all of them (hlo_live_range.cc
/// NormalizeAliasedBuffers). In a temp, values at one place may as well be
/// unrelated.
static std::vector<bool> findReachingEnd(const Facts &DumpFacts) {
  const Dump &D = DumpFacts.dump();
  struct Member {
    uint64_t Offset;
    int32_t Start, End;
    uint32_t Id, Number;
  };
  // A range is cut where the next one begins, or a step earlier.
  int32_t Gap = DumpFacts.release().since(Release::OldNormalization) ? 0 : 1;
  std::vector<bool> Reaching(D.Values.size());
  std::vector<Member> Members;
  DenseSet<int32_t> Started;
  for (const Allocation &Alloc : D.Allocations) {
    if (Alloc.PreallocatedTemp)
      continue;
    Members.clear();
    for (uint32_t I = Alloc.Values.Begin; I != Alloc.Values.End; ++I)
      if (std::optional<StepRange> Range = DumpFacts.range(ValueId(I)))
        Members.push_back({D.Values[I].Offset, Range->Start, Range->End,
                           D.Values[I].Tag.Id, I});
    // From the last to the first of each place.
    llvm::sort(Members, [](const Member &X, const Member &Y) {
      return std::tie(Y.Offset, Y.Start, Y.End, Y.Id) <
             std::tie(X.Offset, X.Start, X.End, X.Id);
    });
    for (size_t I = 0; I != Members.size(); ++I) {
      const Member &Each = Members[I];
      if (I == 0 || Members[I - 1].Offset != Each.Offset)
        Started.clear();
      if (Each.End != DumpFacts.steps() && !Started.contains(Each.End) &&
          !Started.contains(Each.End + Gap))
        continue;
      Reaching[Each.Number] = true;
      Started.insert(Each.Start);
    }
  }
  return Reaching;
}

static NameId findEntryRoot(const Facts &DumpFacts) {
  const Dump &D = DumpFacts.dump();
  // The module may be that of another stage.
  HloId InModule = D.complete(Section::Module) && D.Module.Entry
                       ? D.Module[D.Module.Entry].Root
                       : HloId();
  bool Timed = D.complete(Section::Sequence) && D.complete(Section::Ranges) &&
               !D.Sequence.empty();
  const std::vector<bool> Reaching =
      Timed ? findReachingEnd(DumpFacts) : std::vector<bool>();
  NameId Root;
  unsigned Candidates = 0;
  bool AnyCut = false;
  for (const Allocation &Alloc : D.Allocations) {
    if (!Alloc.hasOutputShape())
      continue;
    for (uint32_t V = Alloc.Values.Begin; V != Alloc.Values.End; ++V) {
      UsedId U = DumpFacts.usedOf(ValueId(V));
      if (!U || D.Values[V].Size != Alloc.Size)
        continue;
      if (Timed) {
        std::optional<StepRange> Range = DumpFacts.range(ValueId(V));
        if (!Range || !Reaching[V])
          continue;
        AnyCut |= Range->End != DumpFacts.steps();
      }
      for (const Position &P : D.positions(D[U])) {
        if (!P.Index.isRoot() || (Timed && DumpFacts.time(P.Name) < 0))
          continue;
        if (InModule && P.Name == D.Module[InModule].Name)
          return P.Name;
        ++Candidates;
        if (!Root || (Timed && DumpFacts.time(P.Name) > DumpFacts.time(Root)))
          Root = P.Name;
      }
    }
  }
  if (!Timed)
    return Candidates == 1 ? Root : NameId();
  // Any value of the result's buffer may be the one at the root, and positions
  // of the others may be scheduled after it, but nothing after the last step.
  bool Sure =
      !AnyCut || (Root && DumpFacts.time(Root) == DumpFacts.steps() - 1);
  return Sure ? Root : NameId();
}

NameId Facts::entryRoot() const {
  return Memo->Root.get([&] { return findEntryRoot(*this); });
}

bool Facts::isLiveOut(UsedId U) const {
  NameId Root = entryRoot();
  return Root && llvm::any_of(D.positions(D[U]), [&](const Position &P) {
           return P.Name == Root;
         });
}

bool Facts::isFull() const {
  return Memo->Full.get([&] {
    return !D.Ranges.empty() && llvm::all_of(D.Ranges, [&](const auto &R) {
      return findUsed(R.Name, R.Index).valid();
    });
  });
}

bool Facts::isSSA() const {
  return Memo->SSA.get([&] {
    for (NameId Name : ids<NameId>(D.Names.size())) {
      ArrayRef<uint32_t> Rows = positionsAt(Name);
      for (size_t I = 1; I < Rows.size(); ++I) {
        const Position &P = D.Positions[Rows[I - 1]];
        const Position &Q = D.Positions[Rows[I]];
        if (P.Index.canonical() == Q.Index.canonical() &&
            ownerOfPosition(Rows[I - 1]) != ownerOfPosition(Rows[I]))
          return false;
      }
    }
    return true;
  });
}

bool Facts::hasSparseCore() const {
  return Memo->SparseCore.get([&] {
    const HloModule &M = D.Module;
    return llvm::any_of(D.Instructions,
                        [&](const Instruction &I) {
                          return I.Op.Op == Opcode::AsyncStart &&
                                 runsOnSparseCore(D.attributes(I));
                        }) ||
           (D.complete(Section::Module) &&
            llvm::any_of(M.Instructions, [&](const HloInstruction &I) {
              return I.Op == Opcode::AsyncStart &&
                     runsOnSparseCore(M.attributes(I));
            }));
  });
}

std::string Facts::sourceLine(const Instruction &I) const {
  return sourceLine(D.attributes(I));
}

std::string Facts::sourceLine(StringRef Attributes) const {
  return sourceLine(readMetadata(Attributes));
}

std::string Facts::sourceLine(const InstructionMetadata &Metadata) const {
  if (StringRef File = Metadata.SourceFile.value_or(""); !File.empty()) {
    if (ownerOf(File, Metadata.OpName.value_or("")) == FileOwner::Framework)
      return "";
    std::optional<StringRef> Line = Metadata.SourceLine;
    return printable(unescape(File)) + (Line ? ":" + Line->str() : "");
  }
  uint32_t Frame = frameOf(Metadata);
  return Frame != 0 ? frames().sourceLine(Frame) : "";
}

std::vector<SourceFrame> Facts::calls(StringRef Attributes) const {
  uint32_t Frame = frameOf(readMetadata(Attributes));
  return Frame != 0 ? frames().calls(Frame) : std::vector<SourceFrame>();
}

uint32_t Facts::frameOf(const InstructionMetadata &Metadata) {
  uint32_t Number = 0;
  return Metadata.StackFrame && !Metadata.StackFrame->getAsInteger(10, Number)
             ? Number
             : 0;
}

const StackFrames &Facts::frames() const {
  return Memo->Frames.get(
      [&] { return StackFrames(D.file(FileRole::Module).Text); });
}

SmallVector<DeclaredAlias, 2> Facts::aliases(const Instruction &I) const {
  if (I.Op.Sugar)
    return {};
  return declaredAliases(D.attributes(I), D.Indices);
}
