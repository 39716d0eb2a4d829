// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Draw/Picture.h"
#include "Results/Timeline.h"
#include "llvm/ADT/SetVector.h"

using namespace hlobuf;

/// Columns of a finding's lines.
static constexpr size_t LineWidth = 100;
/// A finding about more blocks than this is about none of them.
static constexpr size_t MaxNamed = 64;

/// The name of an instruction in \p Subject, which may have an index.
static StringRef withoutIndex(StringRef Subject) {
  return Subject.ends_with("}") ? Subject.substr(0, Subject.rfind('{'))
                                : Subject;
}

static void addValues(const Facts &DumpFacts, StringRef Name,
                      SmallVectorImpl<uint32_t> &Values) {
  NameId Id = DumpFacts.dump().Names.find(Name);
  if (Id)
    llvm::append_range(Values, DumpFacts.valuesOfInstruction(Id));
}

/// The values that \p F names, each once.
static SmallVector<uint32_t, 8> valuesOf(const Facts &DumpFacts,
                                         const ResultFinding &F) {
  SmallVector<uint32_t, 8> Values;
  for (const std::string &Name : F.Names)
    addValues(DumpFacts, Name, Values);
  for (const ResultNote &N : F.Notes)
    if (N.Kind == NoteKind::Step)
      addValues(DumpFacts, withoutIndex(N.Event.Subject), Values);
  llvm::sort(Values);
  Values.erase(std::unique(Values.begin(), Values.end()), Values.end());
  return Values;
}

DenseSet<uint32_t> hlobuf::findNamedValues(const Facts &DumpFacts,
                                           const DumpResult &R) {
  DenseSet<uint32_t> Values;
  for (const ResultFinding &F : R.Findings)
    for (uint32_t V : valuesOf(DumpFacts, F))
      Values.insert(V);
  return Values;
}

namespace {
class Marker {
public:
  Marker(const Picture &P, const DumpResult &R)
      : P(P), DumpFacts(P.Memory->facts()), D(P.dump()), R(R),
        BlockOf(D.Values.size()) {
    for (const PictureBlock &B : P.Blocks)
      for (ValueId V : P.values(B))
        BlockOf[V.index()] = &B;
  }

  PictureFinding mark(const ResultFinding &F) const;

private:
  std::optional<PictureMark> markStory(const ResultFinding &F) const;
  const PictureBlock *victim(const ResultFinding &F) const;

  const Picture &P;
  const Facts &DumpFacts;
  const Dump &D;
  const DumpResult &R;
  /// By value; null where it has no block.
  std::vector<const PictureBlock *> BlockOf;
};
} // namespace

/// The block whose bytes the timeline of \p F is about: the one that it
/// says is defined, else the first that the finding names.
const PictureBlock *Marker::victim(const ResultFinding &F) const {
  SmallVector<uint32_t, 8> Values;
  for (const ResultNote &N : F.Notes)
    if (N.Kind == NoteKind::Step && N.Event.Role == StepRole::Defines)
      addValues(DumpFacts, withoutIndex(N.Event.Subject), Values);
  for (const ResultNote &N : F.Notes)
    for (uint32_t V : Values)
      if (const ValueTag &Tag = D.Values[V].Tag;
          BlockOf[V] && D.spell(Tag.Name, Tag.Index) == N.Event.Subject)
        return BlockOf[V];
  for (const std::string &Name : F.Names)
    addValues(DumpFacts, Name, Values);
  for (uint32_t V : Values)
    if (BlockOf[V])
      return BlockOf[V];
  return nullptr;
}

/// The bytes that were overwritten, from then on until they are read; nothing
/// if \p F is not about such.
std::optional<PictureMark> Marker::markStory(const ResultFinding &F) const {
  const PictureBlock *Victim = victim(F);
  std::optional<int32_t> Written;
  std::optional<int32_t> Read;
  SmallVector<uint32_t, 8> Writers;
  for (const ResultNote &N : F.Notes) {
    if (N.Kind != NoteKind::Step || N.Event.Step < 0 || N.Event.Step >= P.Steps)
      continue;
    if (N.Event.Role == StepRole::Overwrites) {
      Written = std::min(Written.value_or(N.Event.Step), N.Event.Step);
      addValues(DumpFacts, withoutIndex(N.Event.Subject), Writers);
    } else if (N.Event.Role == StepRole::Reads) {
      Read = std::max(Read.value_or(N.Event.Step), N.Event.Step);
    }
  }
  if (!Victim || !Written || !Read || *Read < *Written)
    return std::nullopt;
  PictureMark M{Victim->Owner, Victim->Offset, Victim->end(), *Written, *Read};
  for (uint32_t V : Writers) {
    const Value &Writer = D.Values[V];
    uint64_t Begin = std::max(Victim->Offset, Writer.Offset);
    uint64_t End = std::min(Victim->end(), Writer.end());
    if (Writer.Owner != Victim->Owner || Begin >= End)
      continue;
    M.Begin = Begin;
    M.End = End;
    break;
  }
  return M;
}

/// The bytes and steps that both hold; nothing if there are none.
static std::optional<PictureMark> meet(const PictureBlock &X,
                                       const PictureBlock &Y) {
  PictureMark M{X.Owner, std::max(X.Offset, Y.Offset),
                std::min(X.end(), Y.end()), std::max(X.First, Y.First),
                std::min(X.Last, Y.Last)};
  if (X.Owner != Y.Owner || M.Begin >= M.End || M.First > M.Last)
    return std::nullopt;
  return M;
}

PictureFinding Marker::mark(const ResultFinding &F) const {
  PictureFinding Marked{F.Level, F.Check, F.Message, {}, {}};
  if (F.isTimeline())
    Marked.Lines = layOutTimeline(R, F, LineWidth);
  else
    for (const ResultNote &N : F.Notes)
      Marked.Lines.push_back(N.Message);
  if (std::optional<PictureMark> M = markStory(F)) {
    Marked.Marks.push_back(*M);
    return Marked;
  }
  llvm::SmallSetVector<const PictureBlock *, 8> Named;
  for (uint32_t V : valuesOf(DumpFacts, F))
    if (BlockOf[V])
      Named.insert(BlockOf[V]);
  if (Named.size() > MaxNamed)
    return Marked;
  for (size_t I = 0; I != Named.size(); ++I)
    for (size_t J = I + 1; J != Named.size(); ++J)
      if (std::optional<PictureMark> M = meet(*Named[I], *Named[J]))
        Marked.Marks.push_back(*M);
  if (Marked.Marks.empty())
    for (const PictureBlock *B : Named)
      Marked.Marks.push_back(
          {B->Owner, B->Offset, B->end(), B->First, B->Last, false});
  return Marked;
}

std::vector<PictureFinding> hlobuf::markFindings(const Picture &P,
                                                 const DumpResult &R) {
  Marker M(P, R);
  std::vector<PictureFinding> All;
  for (const ResultFinding &F : R.Findings)
    if (F.isListed())
      All.push_back(M.mark(F));
  return All;
}
