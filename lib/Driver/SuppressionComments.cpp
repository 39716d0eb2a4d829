// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/DumpComments.h"
#include "Dump/Reader.h"
#include "Support/Format.h"

using namespace hlobuf;
using llvm::StringRef;

static constexpr StringRef Marker = "hlobuf-suppress";

namespace {
struct Comment {
  std::string File;
  uint32_t Line = 0;
  /// The line that it is about.
  uint32_t Target = 0;
  StringRef Check;
  StringRef Reason;
  bool Used = false;
};
} // namespace

static void complain(DumpResult &R, const Comment &C, std::string Message) {
  ResultPlace Where;
  Where.File = C.File;
  Where.Line = C.Line;
  Where.Column = 1;
  R.Complaints.push_back({std::move(Where), std::move(Message)});
}

/// The suppressions in one file; malformed ones become complaints.
static void collect(const Sources &Texts, const DumpFile &File, DumpResult &R,
                    std::vector<Comment> &All) {
  std::vector<uint32_t> Numbers;
  size_t First = All.size();
  forEachComment(Texts, File.Text, [&](const Place &At, StringRef Line) {
    auto Number = static_cast<uint32_t>(At.Line);
    Numbers.push_back(Number);
    StringRef Rest = Line.drop_front(2).ltrim();
    if (!Rest.consume_front(Marker))
      return;
    auto [Check, Reason] = Rest.split(':');
    Comment C{At.File.str(), Number, 0, Check.trim(), Reason.trim()};
    if (C.Check.empty() || C.Reason.empty())
      return complain(
          R, C, fmt::format("a suppression is '// {} check: reason'", Marker));
    if (std::string Problem = problemWithGlobs(C.Check); !Problem.empty())
      return complain(R, C, std::move(Problem));
    All.push_back(std::move(C));
  });
  for (size_t I = First; I != All.size(); ++I)
    All[I].Target = behindComments(Numbers, All[I].Line);
}

static bool isAbout(const Comment &C, const ResultFinding &F) {
  return F.Where.Line == C.Target && F.Where.File == C.File &&
         llvm::cantFail(parseCheckGlobs(C.Check)).contains(F.Check);
}

/// True if some check that \p C names is enabled and had nothing in its way.
static bool ran(const Comment &C, const DumpResult &R,
                const CheckSelection &Selection) {
  GlobList Checks = llvm::cantFail(parseCheckGlobs(C.Check));
  if (Checks.contains(SyntaxCheck))
    return true;
  return llvm::any_of(allChecks(), [&](const CheckInfo &Info) {
    return Checks.contains(Info.Id) && Selection.enabled(Info) &&
           llvm::none_of(R.Skipped, [&](const SkippedCheck &Skipped) {
             return Skipped.Check == Info.Id;
           });
  });
}

void hlobuf::applySuppressionComments(DumpResult &R, const LoadedDump &L,
                                      const CheckSelection &Selection) {
  std::vector<Comment> All;
  for (size_t Role = 0; Role != NumFileRoles; ++Role)
    if (L.Model->Commented[Role])
      collect(L.Texts, L.Model->Files[Role], R, All);
  for (Comment &C : All) {
    for (ResultFinding &F : R.Findings)
      if (isAbout(C, F)) {
        C.Used = true;
        F.Silenced = Silence::Suppressed;
        F.Reason = C.Reason.str();
      }
    if (!C.Used && ran(C, R, Selection))
      complain(
          R, C,
          fmt::format("this suppression of '{}' suppresses nothing", C.Check));
  }
}
