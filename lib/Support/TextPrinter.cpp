// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Support/TextPrinter.h"
#include "Support/Printable.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>

using namespace hlobuf;
using llvm::StringRef;

/// Bytes of a source line that are shown at most.
static constexpr size_t LineBytes = 120;
/// Of these, bytes in front of the caret.
static constexpr size_t LeadBytes = 48;

std::string hlobuf::sourceExcerpt(const Place &P, size_t Bytes) {
  if (P.File.empty())
    return "";
  StringRef Line = P.LineText;
  size_t Caret = std::min(P.Column - 1, Line.size());
  size_t Begin = 0;
  if (Line.size() > LineBytes && Caret > LeadBytes)
    Begin = std::min(Caret - LeadBytes, Line.size() - LineBytes);
  while (Begin != 0 && isContinuation(Line[Begin]))
    --Begin;
  size_t End = std::min(Line.size(), Begin + LineBytes);
  while (End < Line.size() && isContinuation(Line[End]))
    ++End;
  StringRef Before = Begin == 0 ? "" : "...";
  StringRef After = End == Line.size() ? "" : "...";
  size_t Indent = Before.size() + columns(Line.slice(Begin, Caret));
  size_t Marked = columns(Line.slice(Caret, std::min(End, Caret + Bytes)));
  std::string Text =
      (Before + printableLine(Line.slice(Begin, End)) + After + "\n").str();
  Text.append(Indent, ' ');
  Text += '^';
  Text.append(Marked > 1 ? Marked - 1 : 0, '~');
  Text += '\n';
  return Text;
}

static llvm::raw_ostream::Colors colorOf(StringRef Kind) {
  if (Kind == "error")
    return llvm::raw_ostream::RED;
  return Kind == "note" ? llvm::raw_ostream::CYAN : llvm::raw_ostream::MAGENTA;
}

void hlobuf::printMessage(const MessageLine &M, llvm::raw_ostream &OS,
                          bool Color) {
  auto Paint = [&](llvm::raw_ostream::Colors C, bool Bold) {
    if (Color)
      OS.changeColor(C, Bold);
  };
  auto Plain = [&] {
    if (Color)
      OS.resetColor();
  };
  Paint(llvm::raw_ostream::SAVEDCOLOR, true);
  if (M.Line != 0)
    OS << printableStart(M.File) << ':' << M.Line << ':' << M.Column << ": ";
  else if (!M.File.empty())
    OS << printableStart(M.File) << ": ";
  Paint(colorOf(M.Kind), true);
  OS << M.Kind << ": ";
  Plain();
  Paint(llvm::raw_ostream::SAVEDCOLOR, M.Kind != "note");
  OS << printable(M.Message);
  Plain();
  if (!M.Check.empty())
    OS << " [" << M.Check << ']';
  OS << '\n' << M.Excerpt;
}

static void printOne(StringRef Kind, StringRef Message, StringRef Check,
                     StringRef Where, const Sources &S, llvm::raw_ostream &OS,
                     bool Color) {
  Place P = S.place(Where);
  std::string Excerpt = sourceExcerpt(P, Where.size());
  printMessage({P.File, P.Line, P.Column, Kind, Message, Check, Excerpt}, OS,
               Color);
}

void hlobuf::printDiagnostic(const Diagnostic &D, const Sources &S,
                             llvm::raw_ostream &OS, bool Color) {
  printOne(severityName(D.Level), D.Message, D.Check, D.Where, S, OS, Color);
  for (const Note &N : D.Notes)
    printOne("note", N.Message, "", N.Where, S, OS, Color);
}
