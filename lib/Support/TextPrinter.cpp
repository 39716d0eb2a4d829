//===- Support/TextPrinter.cpp --------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/TextPrinter.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>

using namespace hlobuf;
using llvm::StringRef;

/// Bytes of a source line that are shown at most.
static constexpr size_t LineBytes = 120;
/// Of these, bytes in front of the caret.
static constexpr size_t LeadBytes = 48;

static bool isContinuation(char C) { return (C & 0xc0) == 0x80; }

/// The number of columns that \p Text takes: code points, that is.
static size_t columns(StringRef Text) {
  return static_cast<size_t>(
      llvm::count_if(Text, [](char C) { return !isContinuation(C); }));
}

/// \p Text with tabs and control bytes made harmless.
static std::string printable(StringRef Text) {
  std::string Out = Text.str();
  for (char &C : Out)
    if (static_cast<unsigned char>(C) < 0x20 || C == 0x7f)
      C = ' ';
  return Out;
}

static void printSourceLine(const Place &P, size_t SpanBytes,
                            llvm::raw_ostream &OS) {
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
  OS << Before << printable(Line.slice(Begin, End)) << After << '\n';
  OS.indent(
      static_cast<unsigned>(Before.size() + columns(Line.slice(Begin, Caret))));
  size_t Marked = columns(Line.slice(Caret, std::min(End, Caret + SpanBytes)));
  OS << '^';
  for (size_t I = 1; I < Marked; ++I)
    OS << '~';
  OS << '\n';
}

static void printOne(StringRef Kind, llvm::raw_ostream::Colors KindColor,
                     StringRef Message, StringRef Check, StringRef Where,
                     const Sources &S, llvm::raw_ostream &OS, bool Color) {
  Place P = S.place(Where);
  auto Paint = [&](llvm::raw_ostream::Colors C, bool Bold) {
    if (Color)
      OS.changeColor(C, Bold);
  };
  auto Plain = [&] {
    if (Color)
      OS.resetColor();
  };
  Paint(llvm::raw_ostream::SAVEDCOLOR, true);
  if (!P.File.empty())
    OS << P.File << ':' << P.Line << ':' << P.Column << ": ";
  Paint(KindColor, true);
  OS << Kind << ": ";
  Plain();
  Paint(llvm::raw_ostream::SAVEDCOLOR, Kind != "note");
  OS << Message;
  Plain();
  if (!Check.empty())
    OS << " [" << Check << ']';
  OS << '\n';
  if (!P.File.empty())
    printSourceLine(P, Where.size(), OS);
}

void hlobuf::printDiagnostic(const Diagnostic &D, const Sources &S,
                             llvm::raw_ostream &OS, bool Color) {
  llvm::raw_ostream::Colors KindColor = D.Level == Severity::Error
                                            ? llvm::raw_ostream::RED
                                            : llvm::raw_ostream::MAGENTA;
  printOne(severityName(D.Level), KindColor, D.Message, D.Check, D.Where, S, OS,
           Color);
  for (const Note &N : D.Notes)
    printOne("note", llvm::raw_ostream::CYAN, N.Message, "", N.Where, S, OS,
             Color);
}
