//===- Compare/DiffPrinters.cpp -------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compare/DiffPrinters.h"
#include "Support/Format.h"
#include "Support/HumanBytes.h"
#include "Support/Printable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace hlobuf;
using llvm::StringRef;
namespace json = llvm::json;

std::string hlobuf::changeText(uint64_t Old, uint64_t New) {
  if (Old == New)
    return humanBytes(New) + " (unchanged)";
  std::string Share;
  if (Old != 0)
    Share = fmt::format(
        ", {:+.1f}%",
        100.0 * (static_cast<double>(New) / static_cast<double>(Old) - 1));
  return fmt::format("{} -> {} ({}{})", humanBytes(Old), humanBytes(New),
                     signedBytes(Old, New), Share);
}

static std::string moduleText(const MemoryDiff &D) {
  StringRef Old = D.OldModule.empty() ? "old" : StringRef(D.OldModule);
  StringRef New = D.NewModule.empty() ? "new" : StringRef(D.NewModule);
  return Old == New ? New.str() : (Old + " -> " + New).str();
}

/// Bytes of a shape that a row shows: that of a tuple may have thousands.
static constexpr size_t ShapeBytes = 36;

static std::string clipped(StringRef Shape) {
  return Shape.size() <= ShapeBytes
             ? Shape.str()
             : (Shape.take_front(ShapeBytes - 3) + "...").str();
}

/// `8 x 64.0KiB f32[8,16] -> f32[16,16]`.
static std::string shapeText(const ChangeRow &R) {
  std::string Text;
  uint64_t Bytes = std::max(R.OldBytes, R.NewBytes);
  if (R.Count > 1)
    Text = fmt::format("{} x {} ", R.Count, humanBytes(Bytes / R.Count));
  Text += clipped(R.OldShape);
  if (R.OldShape != R.NewShape)
    Text += " -> " + clipped(R.NewShape);
  return Text;
}

/// What the values of \p R are in the program.
static StringRef originText(const ChangeRow &R) {
  StringRef Text = R.OpName.empty() ? R.Example : R.OpName;
  // All operations are in the same jit(...).
  if (Text.starts_with("jit(") && Text.contains(")/"))
    return Text.split(")/").second;
  return Text;
}

/// Rows of less than this part of the larger peak are only counted.
static constexpr uint64_t LeastShare = 1000;

static llvm::ArrayRef<ChangeRow> shown(const SpaceDiff &S, size_t Top) {
  llvm::ArrayRef<ChangeRow> Rows(S.Rows);
  if (Top == 0)
    return Rows;
  uint64_t Least = std::max(S.OldPeak, S.NewPeak) / LeastShare;
  return Rows.take_front(Top).take_while(
      [&](const ChangeRow &R) { return R.size() >= Least; });
}

/// `, 12 more rows, +3.00MiB in all`; empty where all are shown.
static std::string restText(const SpaceDiff &S, size_t Shown) {
  if (Shown == S.Rows.size())
    return "";
  uint64_t Old = 0;
  uint64_t New = 0;
  for (const ChangeRow &R : llvm::ArrayRef(S.Rows).drop_front(Shown)) {
    Old += R.OldBytes;
    New += R.NewBytes;
  }
  return fmt::format("{} more, {}", S.Rows.size() - Shown,
                     signedBytes(Old, New));
}

static void printSpace(const SpaceDiff &S, size_t Top, llvm::raw_ostream &OS) {
  llvm::ArrayRef<ChangeRow> Rows = shown(S, Top);
  size_t Width = 0;
  for (const ChangeRow &R : Rows)
    Width = std::max(Width, std::min(shapeText(R).size(), ShapeBytes));
  for (const ChangeRow &R : Rows) {
    std::string Line = fmt::format(
        "  {:>11}  {:<9}  {:<9}  {:<{}}  {}  {}",
        signedBytes(R.OldBytes, R.NewBytes), changeName(R.Change),
        kindName(R.Kind), shapeText(R), Width, originText(R), R.Source);
    OS << printable(StringRef(Line).rtrim()) << '\n';
  }
  if (std::string Rest = restText(S, Rows.size()); !Rest.empty())
    OS << fmt::format("  {:>11}  ({})\n", "...", Rest);
  if (S.OldPadding != S.NewPadding)
    OS << fmt::format("  padding: {}\n",
                      changeText(S.OldPadding, S.NewPadding));
  if (S.OldFragmentation != S.NewFragmentation)
    OS << fmt::format("  fragmentation: {}\n",
                      changeText(S.OldFragmentation, S.NewFragmentation));
  if (S.OldAllocated != S.NewAllocated)
    OS << fmt::format("  allocated: {}\n",
                      changeText(S.OldAllocated, S.NewAllocated));
}

static std::string peakText(const SpaceDiff &S) {
  return S.Name + " " + changeText(S.OldPeak, S.NewPeak);
}

/// The peaks that changed, of all spaces, or the largest where none did.
static std::string headline(const MemoryDiff &D) {
  std::vector<std::string> Peaks;
  for (const SpaceDiff &S : D.Spaces)
    if (S.OldPeak != S.NewPeak)
      Peaks.push_back(peakText(S));
  if (Peaks.empty() && !D.Spaces.empty())
    Peaks.push_back(peakText(D.Spaces.front()));
  return moduleText(D) + ": " +
         (D.Timed ? "peak of " : "arguments, constants and results in ") +
         llvm::join(Peaks, ", ");
}

void hlobuf::printDiff(const MemoryDiff &D, size_t Top, llvm::raw_ostream &OS) {
  OS << printable(headline(D)) << '\n';
  if (!D.differs())
    return;
  for (const std::string &Cause : D.Causes)
    OS << "  " << printable(Cause) << '\n';
  uint64_t Largest = 0;
  for (const SpaceDiff &S : D.Spaces)
    Largest = std::max({Largest, S.OldPeak, S.NewPeak});
  // Other values in the same few bytes are of no interest.
  auto Matters = [&](const SpaceDiff &S) {
    return S.OldPeak != S.NewPeak || S.OldAllocated != S.NewAllocated ||
           (S.differs() && (Top == 0 || S.NewPeak >= Largest / LeastShare));
  };
  size_t Different = llvm::count_if(D.Spaces, Matters);
  for (const SpaceDiff &S : D.Spaces) {
    if (!Matters(S))
      continue;
    if (Different != 1)
      OS << S.Name << ":\n";
    printSpace(S, Top, OS);
  }
  for (const std::string &Line : D.BrokenAliases)
    OS << "  " << printable(Line) << '\n';
  if (!D.Timed)
    OS << "  not compared: temps, because live ranges are not known\n";
}

/// \p Text as it is in a cell of a table.
static std::string cell(StringRef Text) {
  std::string Result;
  for (char C : printable(Text))
    if (C == '|' || C == '<' || C == '*' || C == '_' || C == '`' || C == '[')
      Result += {'\\', C};
    else
      Result += C;
  return Result;
}

void hlobuf::printDiffMarkdown(const MemoryDiff &D, size_t Top,
                               llvm::raw_ostream &OS) {
  OS << fmt::format("### Memory of {}\n\n", cell(moduleText(D)));
  if (!D.differs()) {
    OS << "No difference.\n\n";
    return;
  }
  OS << "| memory | peak before | peak now | change |\n|---|---:|---:|---:|\n";
  for (const SpaceDiff &S : D.Spaces)
    OS << fmt::format("| {} | {} | {} | {} |\n", cell(S.Name),
                      humanBytes(S.OldPeak), humanBytes(S.NewPeak),
                      signedBytes(S.OldPeak, S.NewPeak));
  OS << '\n';
  for (const std::string &Cause : D.Causes)
    OS << fmt::format("- {}\n", cell(Cause));
  for (const SpaceDiff &S : D.Spaces) {
    if (S.Rows.empty())
      continue;
    OS << fmt::format("\n<details><summary>What changed at the peak of "
                      "{}</summary>\n\n| bytes | | kind | values | from | line "
                      "|\n|---:|---|---|---|---|---|\n",
                      S.Name);
    llvm::ArrayRef<ChangeRow> Rows = shown(S, Top);
    for (const ChangeRow &R : Rows)
      OS << fmt::format("| {} | {} | {} | {} | {} | {} |\n",
                        signedBytes(R.OldBytes, R.NewBytes),
                        changeName(R.Change), kindName(R.Kind),
                        cell(shapeText(R)), cell(originText(R)),
                        cell(R.Source));
    if (std::string Rest = restText(S, Rows.size()); !Rest.empty())
      OS << fmt::format("\n({})\n", Rest);
    OS << "\n</details>\n";
  }
  OS << '\n';
}

static void writeRow(const ChangeRow &R, json::OStream &J) {
  J.object([&] {
    J.attribute("change", changeName(R.Change));
    J.attribute("kind", kindName(R.Kind));
    J.attribute("count", R.Count);
    J.attribute("old_bytes", R.OldBytes);
    J.attribute("new_bytes", R.NewBytes);
    J.attribute("old_shape", json::fixUTF8(R.OldShape));
    J.attribute("new_shape", json::fixUTF8(R.NewShape));
    J.attribute("op_name", json::fixUTF8(R.OpName));
    J.attribute("source", json::fixUTF8(R.Source));
    J.attribute("example", json::fixUTF8(R.Example));
  });
}

static void writeSpace(const SpaceDiff &S, json::OStream &J) {
  J.object([&] {
    J.attribute("name", S.Name);
    J.attribute("color", S.Color);
    J.attribute("old_peak", S.OldPeak);
    J.attribute("new_peak", S.NewPeak);
    J.attribute("old_allocated", S.OldAllocated);
    J.attribute("new_allocated", S.NewAllocated);
    J.attribute("old_padding", S.OldPadding);
    J.attribute("new_padding", S.NewPadding);
    J.attribute("matched_bytes", S.Matched);
    J.attribute("explained_bytes", S.Explained);
    J.attribute("unmatched_bytes", S.Explained + S.Unknown);
    J.attributeArray("rows", [&] {
      for (const ChangeRow &R : S.Rows)
        writeRow(R, J);
    });
  });
}

void hlobuf::writeDiff(const MemoryDiff &D, json::OStream &J) {
  auto WriteTexts = [&](StringRef Key, llvm::ArrayRef<std::string> Texts) {
    J.attributeArray(Key, [&] {
      for (const std::string &Text : Texts)
        J.value(json::fixUTF8(Text));
    });
  };
  J.object([&] {
    J.attribute("old_module", json::fixUTF8(D.OldModule));
    J.attribute("new_module", json::fixUTF8(D.NewModule));
    J.attribute("differs", D.differs());
    J.attribute("timed", D.Timed);
    WriteTexts("causes", D.Causes);
    J.attributeArray("spaces", [&] {
      for (const SpaceDiff &S : D.Spaces)
        writeSpace(S, J);
    });
    WriteTexts("broken_aliases", D.BrokenAliases);
  });
}
