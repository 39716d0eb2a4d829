// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Support/Diagnostic.h"
#include "Support/Format.h"
#include "Support/UnionFind.h"
#include "llvm/ADT/DenseMap.h"

using namespace hlobuf;

StringRef hlobuf::severityName(Severity Level) {
  static constexpr StringRef Names[] = {"lint", "warning", "error"};
  return Names[static_cast<size_t>(Level)];
}

StringRef hlobuf::skipKindName(SkipKind Kind) {
  return Kind == SkipKind::NotApplicable ? "not-applicable" : "not-checked";
}

StringRef hlobuf::noteKindName(NoteKind Kind) {
  static constexpr StringRef Names[] = {"plain", "step",  "why",
                                        "also",  "known", "next"};
  return Names[static_cast<size_t>(Kind)];
}

/// True if \p A should speak for \p B.
static bool leads(const Diagnostic &A, const Diagnostic &B) {
  return std::pair(B.Level, A.Rank) < std::pair(A.Level, B.Rank);
}

static void appendAsNote(Diagnostic &Leader, Diagnostic &Follower) {
  Note N;
  N.Where = Follower.Where;
  N.Message = fmt::format("{} [{}]", Follower.Message, Follower.Check);
  N.Kind = NoteKind::Also;
  N.Event.Subject = Follower.Check.str();
  bool Same = Follower.isTimeline() && Follower.Check != Leader.Check;
  N.Event.Action = Same ? "" : Follower.Message;
  Leader.Notes.push_back(std::move(N));
}

/// The check whose findings have no story: each joins one that has, and
/// connects no two of them.
static constexpr StringRef General = "execution-proof";

static bool isGeneral(const Diagnostic &D) { return D.Check == General; }

/// True if \p D, or a note of it, points at text of \p Where.
static bool pointsAt(const Diagnostic &D, StringRef Where) {
  auto Meets = [&](StringRef Text) {
    return Text.begin() < Where.end() && Where.begin() < Text.end();
  };
  return Meets(D.Where) ||
         llvm::any_of(D.Notes, [&](const Note &N) { return Meets(N.Where); });
}

/// Drops from \p Family what has no story, where one that has, and is as grave,
/// points at the same text. True if something went.
static bool dropRepeated(const std::vector<Diagnostic> &All,
                         std::vector<uint32_t> &Family) {
  const std::vector<uint32_t> Whole = Family;
  llvm::erase_if(Family, [&](uint32_t I) {
    return isGeneral(All[I]) && llvm::any_of(Whole, [&](uint32_t Other) {
             return !isGeneral(All[Other]) &&
                    All[Other].Level >= All[I].Level &&
                    pointsAt(All[Other], All[I].Where);
           });
  });
  return Family.size() != Whole.size();
}

void hlobuf::foldRelated(std::vector<Diagnostic> &All) {
  UnionFind Related(All.size());
  DenseMap<IdPair, uint32_t> FirstAbout;
  for (uint32_t I = 0; I != All.size(); ++I) {
    // Each lint is about bytes of its own.
    if (All[I].Level == Severity::Lint || isGeneral(All[I]))
      continue;
    for (IdPair Subject : All[I].Subjects) {
      auto [First, New] = FirstAbout.try_emplace(Subject, I);
      if (!New)
        Related.join(I, First->second);
    }
  }
  for (uint32_t I = 0; I != All.size(); ++I) {
    if (!isGeneral(All[I]))
      continue;
    const auto *Known = llvm::find_if(All[I].Subjects, [&](IdPair Subject) {
      return FirstAbout.count(Subject) != 0;
    });
    if (Known != All[I].Subjects.end())
      Related.join(I, FirstAbout.lookup(*Known));
  }

  std::vector<std::vector<uint32_t>> Families(All.size());
  for (uint32_t I = 0; I != All.size(); ++I)
    Families[Related.find(I)].push_back(I);

  std::vector<Diagnostic> Folded;
  for (std::vector<uint32_t> &Family : Families) {
    if (Family.empty())
      continue;
    bool Repeated = dropRepeated(All, Family);
    llvm::stable_sort(
        Family, [&](uint32_t A, uint32_t B) { return leads(All[A], All[B]); });
    Diagnostic &Leader = All[Family.front()];
    for (uint32_t I : llvm::drop_begin(Family))
      appendAsNote(Leader, All[I]);
    if (Repeated)
      Leader.Repeated = General;
    Folded.push_back(std::move(Leader));
  }
  All = std::move(Folded);
}
