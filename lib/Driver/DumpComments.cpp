// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/DumpComments.h"
#include "Dump/Reader.h"
#include "Support/Format.h"
#include "llvm/ADT/StringExtras.h"

using namespace hlobuf;
using llvm::StringRef;

std::vector<DumpComment> hlobuf::commentsOf(const Sources &Texts,
                                            StringRef Text) {
  std::vector<DumpComment> All;
  for (StringRef Line : llvm::split(Text, '\n')) {
    if (!Line.starts_with("//"))
      continue;
    Place At = Texts.place(Line);
    auto Number = static_cast<uint32_t>(At.Line);
    bool Follows = !All.empty() && All.back().Line + 1 == Number;
    All.push_back({At.File.str(), Number,
                   Follows ? All.back().Above : Number - 1, Number + 1, Line});
  }
  for (size_t I = All.size(); I-- > 1;)
    if (All[I].Line == All[I - 1].Below)
      All[I - 1].Below = All[I].Below;
  return All;
}

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
  R.Complaints.push_back({{C.File, C.Line, 1}, std::move(Message)});
}

/// The suppressions in one file; malformed ones become complaints.
static void collect(const Sources &Texts, const DumpFile &File, DumpResult &R,
                    std::vector<Comment> &All) {
  for (DumpComment &Found : commentsOf(Texts, File.Text)) {
    StringRef Rest = Found.Text.drop_front(2).ltrim();
    if (!Rest.consume_front(Marker))
      continue;
    auto [Check, Reason] = Rest.split(':');
    Comment C{std::move(Found.File), Found.Line, Found.Below, Check.trim(),
              Reason.trim()};
    std::string Problem = problemWithGlobs(C.Check);
    if (C.Check.empty() || C.Reason.empty())
      complain(R, C,
               fmt::format("a suppression is '// {} check: reason'", Marker));
    else if (!Problem.empty())
      complain(R, C, std::move(Problem));
    else
      All.push_back(std::move(C));
  }
}

void hlobuf::applySuppressionComments(DumpResult &R, const LoadedDump &L,
                                      const CheckSelection &Selection) {
  std::vector<Comment> All;
  for (size_t Role = 0; Role != NumFileRoles; ++Role)
    if (L.Model->Commented[Role])
      collect(L.Texts, L.Model->Files[Role], R, All);
  for (Comment &C : All) {
    GlobList Checks = llvm::cantFail(parseCheckGlobs(C.Check));
    for (ResultFinding &F : R.Findings)
      if (F.Where.Line == C.Target && F.Where.File == C.File &&
          Checks.contains(F.Check)) {
        C.Used = true;
        F.Silenced = Silence::Suppressed;
        F.Reason = C.Reason.str();
      }
    if (!C.Used && (Checks.contains(SyntaxCheck) || ran(Checks, R, Selection)))
      complain(
          R, C,
          fmt::format("this suppression of '{}' suppresses nothing", C.Check));
  }
}
