// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/UnknownLines.h"
#include "Support/Format.h"
#include "Support/Scanner.h"
#include "llvm/ADT/MapVector.h"

using namespace hlobuf;
using llvm::StringRef;

/// Fewer lines of one kind may be damage.
static constexpr size_t LeastLines = 3;

/// The line of \p D that \p Loc begins in; empty if it is in none.
static StringRef lineAt(const Dump &D, StringRef Loc) {
  for (const DumpFile &File : D.Files) {
    StringRef Text = File.Text;
    if (!Text.data() || Loc.data() < Text.begin() || Loc.data() > Text.end())
      continue;
    auto Offset = static_cast<size_t>(Loc.data() - Text.data());
    size_t Begin = Text.take_front(Offset).rfind('\n') + 1;
    return Text.drop_front(Begin).take_until([](char C) { return C == '\n'; });
  }
  return "";
}

/// What a line begins with: its indentation and the word after it. Empty where
/// it does not begin with a word.
static StringRef headOf(StringRef Line) {
  StringRef Word =
      Line.ltrim(' ').take_while([](char C) { return isNameByte(C); });
  if (Word.empty() || !llvm::isAlpha(Word.front()))
    return "";
  return Line.take_front(static_cast<size_t>(Word.end() - Line.begin()));
}

/// True for a word that known lines begin with, and for a misspelled one.
static bool isKnownWord(StringRef Word) {
  static constexpr StringRef Known =
      "allocation value Total Used positions uses from HloModule Live Peak "
      "Stack ENTRY ROOT reused FileNames FunctionNames FileLocations "
      "StackFrames HloLiveRange BufferAssignment InstructionSequence "
      "BufferLiveRange";
  return llvm::any_of(llvm::split(Known, ' '), [&](StringRef K) {
    constexpr unsigned Typos = 2;
    return Word.edit_distance(K, /*AllowReplacements=*/true, Typos) <= Typos;
  });
}

bool hlobuf::excuseUnknownLines(const Dump &D, const ReleaseWindow &E,
                                SyntaxErrors &Errors) {
  std::vector<Diagnostic> &Syntax = Errors.Errors;
  if (Syntax.empty() || !E.isNewest())
    return false;
  llvm::MapVector<StringRef, std::vector<size_t>> Kinds;
  for (size_t I = 0; I != Syntax.size(); ++I)
    if (StringRef Head = headOf(lineAt(D, Syntax[I].Where)); !Head.empty())
      Kinds[Head].push_back(I);
  std::vector<bool> Excused(Syntax.size());
  std::vector<Diagnostic> Warnings;
  for (const auto &[Head, Numbers] : Kinds) {
    StringRef Word = Head.ltrim(' ');
    if (Numbers.size() < LeastLines || isKnownWord(Word) || D.Names.find(Word))
      continue;
    for (size_t I : Numbers)
      Excused[I] = true;
    Diagnostic &W = Warnings.emplace_back(Syntax[Numbers.front()]);
    W.Level = Severity::Warning;
    W.Check = SyntaxCheck;
    W.Where = lineAt(D, W.Where).ltrim(' ');
    W.Message = fmt::format("{}{} lines starting with '{}' are not recognized: "
                            "this XLA may be newer than the tool",
                            Errors.Uncounted == 0 ? "" : "at least ",
                            Numbers.size(), Word);
  }
  if (Warnings.empty())
    return false;
  size_t I = 0;
  llvm::erase_if(Syntax, [&](const Diagnostic &) { return Excused[I++]; });
  bool NothingElse = Syntax.empty();
  // Those beyond what is kept are more of the same then.
  if (NothingElse)
    Errors.Uncounted = 0;
  Syntax.insert(Syntax.end(), Warnings.begin(), Warnings.end());
  return NothingElse;
}
