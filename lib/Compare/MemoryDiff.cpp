// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Compare/MemoryDiff.h"
#include "Support/Format.h"
#include "Support/HumanBytes.h"
#include <map>
#include <tuple>

using namespace hlobuf;

StringRef hlobuf::changeName(ChangeKind Kind) {
  static constexpr StringRef Names[] = {
      "came",  "went", "moved in", "moved out", "more",
      "fewer", "grew", "shrank",   "padding",   "other space"};
  return Names[static_cast<size_t>(Kind)];
}

std::string ByteChange::signedText() const {
  return (New < Old ? "-" : "+") + humanBytes(size());
}

std::string ByteChange::text() const {
  if (!differs())
    return humanBytes(New) + " (unchanged)";
  std::string Share;
  if (Old != 0)
    Share = fmt::format(", {:+.1f}%", 100.0 * (double(New) / double(Old) - 1));
  return fmt::format("{} -> {} ({}{})", humanBytes(Old), humanBytes(New),
                     signedText(), Share);
}

namespace {
/// What became of a value, and the memory space that has it now.
struct Fate {
  ChangeKind Change;
  std::string OtherSpace = {};
};

/// Rows of one space, while they are gathered.
class RowTable {
public:
  void add(const Fate &F, const ComparedValue *Old, const ComparedValue *New);
  std::vector<ChangeRow> take();

private:
  using Key = std::tuple<ChangeKind, std::string, MemoryKind, std::string,
                         std::string, std::string, std::string>;
  std::map<Key, ChangeRow> Rows;
};
} // namespace

void RowTable::add(const Fate &F, const ComparedValue *Old,
                   const ComparedValue *New) {
  const ComparedValue &Any = New ? *New : *Old;
  const std::string &OldShape = Old ? Old->PlainShape : New->PlainShape;
  ChangeRow &Row =
      Rows[{F.Change, F.OtherSpace, Any.Kind, OldShape, Any.PlainShape,
            Any.operation().str(), Any.Called.Source}];
  if (Row.Count++ == 0) {
    Row.Change = F.Change;
    Row.OtherSpace = F.OtherSpace;
    Row.Kind = Any.Kind;
    Row.OldShape = OldShape;
    Row.NewShape = Any.PlainShape;
    Row.Called = Any.Called;
    Row.Example = Any.Name;
    Row.Kept = Any.Kept;
    Row.Array = Any.Array;
  }
  Row.Bytes.Old += Old ? Old->Bytes : 0;
  Row.Bytes.New += New ? New->Bytes : 0;
}

std::vector<ChangeRow> RowTable::take() {
  std::vector<ChangeRow> All;
  for (auto &[K, Row] : Rows)
    All.push_back(std::move(Row));
  // Equal ones stay in the order of their keys.
  std::ranges::stable_sort(All, std::greater(),
                           [](const ChangeRow &X) { return X.Bytes.size(); });
  return All;
}

namespace {
/// Knows how many values of the other program look like one that is held at one
/// peak only.
class Elsewhere {
public:
  Elsewhere(const ProgramMemory &Memory, const ComparedSpace *Space,
            int32_t Color)
      : Memory(Memory), Color(Color) {
    if (Space)
      for (const ComparedValue &V : Space->Values)
        for (const std::string &Identity : V.Shared)
          ++Used[Identity];
  }

  /// What became of \p V, which is not matched: it is elsewhere, there are
  /// fewer such values, it is in another memory space, or there are none.
  Fate take(const ComparedValue &V, ChangeKind Moved, ChangeKind Count,
            ChangeKind Unknown) {
    const std::string &Identity = V.Shared.front();
    if (unsigned Known = V.isKnown() ? countIn(Color, Identity) : 0)
      return {Used[Identity]++ < Known ? Moved : Count};
    for (const ComparedSpace &Space : Memory.Spaces)
      if (V.isKnown() && countIn(Space.Color, Identity) != 0)
        return {ChangeKind::OtherSpace, Space.Name};
    return {Memory.Arrays.count(V.Array) ? Moved : Unknown};
  }

private:
  unsigned countIn(int32_t Space, StringRef Identity) const {
    auto Entry = Memory.Values.find(Space);
    return Entry == Memory.Values.end() ? 0 : Entry->second.lookup(Identity);
  }

  const ProgramMemory &Memory;
  int32_t Color;
  StringMap<unsigned> Used;
};
} // namespace

static ChangeKind changeOf(const ComparedValue &Old, const ComparedValue &New) {
  if (Old.PlainShape == New.PlainShape)
    return ChangeKind::Padding;
  return New.Bytes > Old.Bytes ? ChangeKind::Grew : ChangeKind::Shrank;
}

namespace {
/// Values of a memory space that were matched.
struct MatchedSpace {
  const ComparedSpace *Old = nullptr;
  const ComparedSpace *New = nullptr;
  std::vector<ValueMatch> Matches;
};
} // namespace

static SpaceDiff compareSpace(const MatchedSpace &Space,
                              const ProgramMemory &Old,
                              const ProgramMemory &New) {
  static const ComparedSpace None;
  const ComparedSpace &X = Space.Old ? *Space.Old : None;
  const ComparedSpace &Y = Space.New ? *Space.New : None;
  SpaceDiff Diff;
  Diff.Name = Space.New ? Y.Name : X.Name;
  Diff.Color = Space.New ? Y.Color : X.Color;
  Diff.Peak = {X.Peak, Y.Peak};
  Diff.Allocated = {X.Allocated, Y.Allocated};
  Diff.Padding = {X.Padding, Y.Padding};
  Diff.Fragmentation = {X.fragmentation(), Y.fragmentation()};
  RowTable Rows;
  std::vector<bool> OldDone(X.Values.size());
  std::vector<bool> NewDone(Y.Values.size());
  for (auto [I, J] : Space.Matches) {
    OldDone[I] = NewDone[J] = true;
    Diff.Matched += X.Values[I].Bytes + Y.Values[J].Bytes;
    if (X.Values[I].Bytes != Y.Values[J].Bytes)
      Rows.add({changeOf(X.Values[I], Y.Values[J])}, &X.Values[I],
               &Y.Values[J]);
  }
  Elsewhere InNew(New, Space.New, Diff.Color);
  for (size_t I = 0; I != X.Values.size(); ++I)
    if (!OldDone[I]) {
      Fate F = InNew.take(X.Values[I], ChangeKind::MovedOut, ChangeKind::Fewer,
                          ChangeKind::Went);
      (F.Change == ChangeKind::Went ? Diff.Unknown : Diff.Explained) +=
          X.Values[I].Bytes;
      Rows.add(F, &X.Values[I], nullptr);
    }
  Elsewhere InOld(Old, Space.Old, Diff.Color);
  for (size_t I = 0; I != Y.Values.size(); ++I)
    if (!NewDone[I]) {
      Fate F = InOld.take(Y.Values[I], ChangeKind::MovedIn, ChangeKind::More,
                          ChangeKind::Came);
      (F.Change == ChangeKind::Came ? Diff.Unknown : Diff.Explained) +=
          Y.Values[I].Bytes;
      Rows.add(F, nullptr, &Y.Values[I]);
    }
  Diff.Rows = Rows.take();
  return Diff;
}

/// Pairs the spaces of both programs by color.
static std::vector<MatchedSpace> pairSpaces(const ProgramMemory &Old,
                                            const ProgramMemory &New) {
  std::map<int32_t, MatchedSpace> ByColor;
  for (const ComparedSpace &S : Old.Spaces)
    ByColor[S.Color].Old = &S;
  for (const ComparedSpace &S : New.Spaces)
    ByColor[S.Color].New = &S;
  std::vector<MatchedSpace> Spaces;
  for (auto &[Color, S] : ByColor) {
    if (S.Old && S.New)
      S.Matches = matchValues(S.Old->Values, S.New->Values);
    Spaces.push_back(std::move(S));
  }
  return Spaces;
}

/// Values of less than this part of the growth do not count.
static constexpr uint64_t LeastPart = 20;
/// Reasons of a memory space that are listed.
static constexpr size_t MaxReasons = 5;

/// Why arrays are apart that shared the bytes of \p Row in \p Old, of the first
/// pair of \p New that the row is in and \p Reasons do not have; null if there
/// is none.
static const std::array<std::string, 2> *
whyParted(const ChangeRow &Row, const ProgramMemory &Old,
          const ProgramMemory &New, ArrayRef<std::string> Reasons) {
  for (const auto &[Pair, Why] : New.Apart) {
    auto X = Old.Arrays.find(Pair.first), Y = Old.Arrays.find(Pair.second);
    if ((Row.Array != Pair.first && Row.Array != Pair.second) ||
        X == Old.Arrays.end() || Y == Old.Arrays.end() ||
        X->second.Owner != Y->second.Owner)
      continue;
    ByteSpan A = X->second.Bytes, B = Y->second.Bytes;
    uint64_t Begin = std::max(A.Begin, B.Begin), End = std::min(A.End, B.End);
    if (Begin < End && End - Begin >= Row.Bytes.size() / Row.Count / 2 &&
        !llvm::is_contained(Reasons, "  " + Why.back()))
      return &Why;
  }
  return nullptr;
}

/// What keeps the largest values that only the new peak of \p Space holds.
static void explainGrowth(const SpaceDiff &Space, const ProgramMemory &Old,
                          const ProgramMemory &New,
                          std::vector<std::string> &Reasons) {
  size_t Listed = 0;
  for (const ChangeRow &Row : Space.Rows) {
    if (Space.Peak.New <= Space.Peak.Old || Row.Bytes.New <= Row.Bytes.Old ||
        Row.Kind == MemoryKind::Parameter || Row.Kept.empty() ||
        Row.Bytes.size() < (Space.Peak.New - Space.Peak.Old) / LeastPart ||
        Listed == MaxReasons)
      continue;
    ++Listed;
    const auto *Parted = whyParted(Row, Old, New, Reasons);
    Reasons.push_back(
        fmt::format("{}{}{} {}", humanBytes(Row.Bytes.size()),
                    Row.Count > 1 ? fmt::format(" in {}", Row.Count) : "",
                    Row.Count > 1 && Parted ? ":" : "",
                    Parted ? Parted->front() : Row.Kept));
    if (Parted)
      Reasons.push_back("  " + Parted->back());
  }
}

bool TrafficDiff::differs() const {
  return matters(Read) || matters(Written) || matters(Copied) ||
         llvm::any_of(Causes, [&](const auto &C) { return matters(C.second); });
}

/// What copies of two programs share: all, or what does not change with the
/// lines of the source.
static std::string keyOf(const CopyRow &Row, unsigned Pass) {
  std::string Key = (causeName(Row.Cause) + "|" + lastScope(Row.OpName)).str();
  return Pass == 0 ? Key + "|" + Row.Source + "|" + Row.What : Key;
}

/// Compares what one run moves; nothing where that is not known.
static std::optional<TrafficDiff> compareTraffic(const ProgramMemory &Old,
                                                 const ProgramMemory &New) {
  if (!Old.Copies || !New.Copies)
    return std::nullopt;
  const CopyTable &X = *Old.Copies, &Y = *New.Copies;
  TrafficDiff Diff;
  Diff.Read = {X.All.Read, Y.All.Read};
  Diff.Written = {X.All.Written, Y.All.Written};
  Diff.Copied = {X.MostCopied, Y.MostCopied};
  std::vector<ByteChange> Rows;
  for (const CopyRow &Row : Y.Rows) {
    Rows.push_back({0, Row.sum()});
    Diff.Causes[Row.Cause].New += Row.sum();
  }
  for (const CopyRow &Row : X.Rows)
    Diff.Causes[Row.Cause].Old += Row.sum();
  for (auto [I, J] :
       matchByKeys(numbersBelow(X.Rows.size()), numbersBelow(Y.Rows.size()), 2,
                   [&](bool IsNew, size_t Number, unsigned Pass) {
                     return keyOf((IsNew ? Y : X).Rows[Number], Pass);
                   }))
    Rows[J].Old = X.Rows[I].sum();
  for (const auto &[Row, Bytes] : llvm::zip(Y.Rows, Rows))
    if (Bytes.New > Bytes.Old && Diff.matters(Bytes))
      Diff.Added.push_back(Row);
  return Diff;
}

MemoryDiff hlobuf::compareMemory(const ProgramMemory &Old,
                                 const ProgramMemory &New) {
  MemoryDiff Diff;
  Diff.OldModule = Old.Module;
  Diff.NewModule = New.Module;
  Diff.Timed = Old.Timed && New.Timed;
  std::vector<MatchedSpace> Spaces = pairSpaces(Old, New);
  for (const MatchedSpace &Space : Spaces)
    Diff.Spaces.push_back(compareSpace(Space, Old, New));
  // The main memory, then those that change most.
  std::ranges::stable_sort(Diff.Spaces, std::greater(), [](const SpaceDiff &X) {
    return std::tuple(X.Color == 0 && X.differs(), X.Peak.size());
  });
  Diff.OfReports = Old.OfReport && New.OfReport;
  if (!Diff.OfReports)
    Diff.Causes = findCauses(Old, New);
  if (Diff.Timed && Diff.isNoticeable())
    for (const SpaceDiff &Space : Diff.Spaces)
      explainGrowth(Space, Old, New, Diff.Reasons);
  Diff.Moved = compareTraffic(Old, New);
  return Diff;
}
