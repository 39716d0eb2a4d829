// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Draw/PictureFindings.h"
#include "Results/Timeline.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace hlobuf;
using llvm::StringRef;

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
                      llvm::SmallVectorImpl<uint32_t> &Values) {
  NameId Id = DumpFacts.dump().Names.find(Name);
  if (Id)
    llvm::append_range(Values, DumpFacts.valuesOfInstruction(Id));
}

/// The values that \p F names, each once.
static llvm::SmallVector<uint32_t, 8> valuesOf(const Facts &DumpFacts,
                                               const ResultFinding &F) {
  llvm::SmallVector<uint32_t, 8> Values;
  for (const std::string &Name : F.Names)
    addValues(DumpFacts, Name, Values);
  for (const ResultNote &N : F.Notes)
    if (N.Kind == NoteKind::Step)
      addValues(DumpFacts, withoutIndex(N.Event.Subject), Values);
  llvm::sort(Values);
  Values.erase(std::unique(Values.begin(), Values.end()), Values.end());
  return Values;
}

NamedValues::NamedValues(const Facts &DumpFacts, const DumpResult &R) {
  for (const ResultFinding &F : R.Findings)
    for (uint32_t V : valuesOf(DumpFacts, F))
      Values.insert(V);
}

namespace {
class Marker {
public:
  Marker(const Facts &DumpFacts, const DumpResult &R, const Picture &Drawn)
      : DumpFacts(DumpFacts), R(R), Blocks(Drawn.Blocks), Steps(Drawn.Steps),
        BlockOf(DumpFacts.dump().Values.size(), NoBlock) {
    for (const auto &[I, B] : llvm::enumerate(Drawn.Blocks))
      for (ValueId V : Drawn.values(B))
        BlockOf[V.index()] = static_cast<uint32_t>(I);
  }

  PictureFinding mark(const ResultFinding &F) const;

private:
  const PictureBlock *blockOf(uint32_t V) const {
    return BlockOf[V] == NoBlock ? nullptr : &Blocks[BlockOf[V]];
  }
  static constexpr uint32_t NoBlock = ~uint32_t(0);
  bool markStory(const ResultFinding &F, PictureFinding &P) const;
  const PictureBlock *victim(const ResultFinding &F) const;

  const Facts &DumpFacts;
  const DumpResult &R;
  llvm::ArrayRef<PictureBlock> Blocks;
  int32_t Steps;
  /// By value.
  std::vector<uint32_t> BlockOf;
};
} // namespace

/// The block whose bytes the timeline of \p F is about: the one that it
/// says is defined, else the first that the finding names.
const PictureBlock *Marker::victim(const ResultFinding &F) const {
  llvm::SmallVector<uint32_t, 8> Values;
  for (const ResultNote &N : F.Notes)
    if (N.Kind == NoteKind::Step && N.Event.Role == StepRole::Defines)
      addValues(DumpFacts, withoutIndex(N.Event.Subject), Values);
  for (const ResultNote &N : F.Notes)
    for (uint32_t V : Values)
      if (DumpFacts.dump().spell(DumpFacts.dump().Values[V].Tag.Name,
                                 DumpFacts.dump().Values[V].Tag.Index) ==
          N.Event.Subject)
        if (const PictureBlock *B = blockOf(V))
          return B;
  for (const std::string &Name : F.Names)
    addValues(DumpFacts, Name, Values);
  for (uint32_t V : Values)
    if (const PictureBlock *B = blockOf(V))
      return B;
  return nullptr;
}

/// Marks the bytes that were overwritten, from then on until they are read.
bool Marker::markStory(const ResultFinding &F, PictureFinding &P) const {
  const PictureBlock *Victim = victim(F);
  std::optional<int32_t> Written;
  std::optional<int32_t> Read;
  llvm::SmallVector<uint32_t, 8> Writers;
  for (const ResultNote &N : F.Notes) {
    if (N.Kind != NoteKind::Step || N.Event.Step < 0 || N.Event.Step >= Steps)
      continue;
    if (N.Event.Role == StepRole::Overwrites) {
      Written = Written ? std::min(*Written, N.Event.Step) : N.Event.Step;
      addValues(DumpFacts, withoutIndex(N.Event.Subject), Writers);
    } else if (N.Event.Role == StepRole::Reads) {
      Read = Read ? std::max(*Read, N.Event.Step) : N.Event.Step;
    }
  }
  if (!Victim || !Written || !Read || *Read < *Written)
    return false;
  PictureMark M{Victim->Owner, Victim->Offset, Victim->end(), *Written, *Read};
  for (uint32_t V : Writers) {
    const Value &Writer = DumpFacts.dump().Values[V];
    uint64_t Begin = std::max(Victim->Offset, Writer.Offset);
    uint64_t End = std::min(Victim->end(), Writer.end());
    if (Writer.Owner != Victim->Owner || Begin >= End)
      continue;
    M.Begin = Begin;
    M.End = End;
    break;
  }
  P.Marks.push_back(M);
  return true;
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
  PictureFinding P{F.Level, F.Check, F.Message, {}, {}};
  if (F.isTimeline())
    P.Lines = layOutTimeline(R, F, LineWidth);
  else
    for (const ResultNote &N : F.Notes)
      P.Lines.push_back(N.Message);
  if (markStory(F, P))
    return P;
  llvm::SmallVector<const PictureBlock *, 8> Named;
  for (uint32_t V : valuesOf(DumpFacts, F)) {
    if (const PictureBlock *B = blockOf(V); B && !llvm::is_contained(Named, B))
      Named.push_back(B);
    if (Named.size() > MaxNamed)
      return P;
  }
  for (size_t I = 0; I != Named.size(); ++I)
    for (size_t J = I + 1; J != Named.size(); ++J)
      if (std::optional<PictureMark> M = meet(*Named[I], *Named[J]))
        P.Marks.push_back(*M);
  if (P.Marks.empty())
    for (const PictureBlock *B : Named)
      P.Marks.push_back(
          {B->Owner, B->Offset, B->end(), B->First, B->Last, false});
  return P;
}

std::vector<PictureFinding> hlobuf::markFindings(const Facts &DumpFacts,
                                                 const DumpResult &R,
                                                 const Picture &P) {
  std::vector<PictureFinding> All;
  std::optional<Marker> M;
  for (const ResultFinding &F : R.Findings) {
    if (!F.isLoud())
      continue;
    if (!M)
      M.emplace(DumpFacts, R, P);
    All.push_back(M->mark(F));
  }
  return All;
}
