// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Compare/MemoryDiff.h"
#include "Support/Format.h"
#include "Support/HumanBytes.h"
#include "Support/Json.h"
#include "Support/Printable.h"
#include "Support/TextColumns.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace hlobuf;
namespace json = llvm::json;

static std::string moduleText(const MemoryDiff &Diff) {
  StringRef Old = Diff.OldModule.empty() ? "old" : StringRef(Diff.OldModule);
  StringRef New = Diff.NewModule.empty() ? "new" : StringRef(Diff.NewModule);
  return Old == New ? New.str() : (Old + " -> " + New).str();
}

/// Bytes of a shape that a row shows: that of a tuple may have thousands.
static constexpr size_t ShapeBytes = 36;

/// `8 x 64.0KiB f32[8,16] -> f32[16,16]`.
static std::string shapeText(const ChangeRow &Row) {
  std::string Text;
  if (Row.Count > 1)
    Text = fmt::format("{} x {} ", Row.Count,
                       humanBytes(Row.Bytes.larger() / Row.Count));
  Text += clipped(Row.OldShape, ShapeBytes);
  if (Row.OldShape != Row.NewShape)
    Text += " -> " + clipped(Row.NewShape, ShapeBytes);
  return Text;
}

/// What the values of \p Row are in the program, and who keeps them.
static std::string calledText(const ChangeRow &Row) {
  StringRef Text = Row.Called.OpName.empty() ? Row.Example : Row.Called.OpName;
  // All operations are in the same jit(...).
  if (Text.starts_with("jit(") && Text.contains(")/"))
    Text = Text.split(")/").second;
  std::string Keeper = Row.Called.keeper();
  return fmt::format("{}{}{}", Row.Called.Copied ? "copy of " : "", Text,
                     Keeper.empty() ? "" : ", " + Keeper);
}

/// What became of the values of \p Row: `moved out`, `to VMEM`.
static std::string changeText(const ChangeRow &Row) {
  if (Row.Change != ChangeKind::OtherSpace)
    return changeName(Row.Change).str();
  return (Row.Bytes.Old == 0 ? "from " : "to ") + Row.OtherSpace;
}

/// Rows of less than this part of the larger peak are only counted.
static constexpr uint64_t LeastShare = 1000;

static ArrayRef<ChangeRow> shown(const SpaceDiff &Space, size_t Top) {
  ArrayRef<ChangeRow> Rows(Space.Rows);
  if (Top == 0)
    return Rows;
  // Of a peak that changes by less than that, every row may be the reason.
  uint64_t Least = Space.Peak.larger() / LeastShare;
  if (Space.Peak.differs() && Space.Peak.size() < Least)
    Least = 1;
  return Rows.take_front(Top).take_while(
      [&](const ChangeRow &Row) { return Row.Bytes.size() >= Least; });
}

/// `, 12 more rows, +3.00MiB in all`; empty where all are shown.
static std::string restText(const SpaceDiff &Space, size_t Shown) {
  if (Shown == Space.Rows.size())
    return "";
  ByteChange All;
  for (const ChangeRow &Row : ArrayRef(Space.Rows).drop_front(Shown)) {
    All.Old += Row.Bytes.Old;
    All.New += Row.Bytes.New;
  }
  return fmt::format("{} more, {}", Space.Rows.size() - Shown,
                     All.signedText());
}

static void printSpace(const SpaceDiff &Space, size_t Top, raw_ostream &OS) {
  ArrayRef<ChangeRow> Rows = shown(Space, Top);
  size_t Width = largestOf(Rows, [](const ChangeRow &Row) {
    return std::min(shapeText(Row).size(), ShapeBytes);
  });
  for (const ChangeRow &Row : Rows) {
    std::string Line =
        fmt::format("  {:>11}  {:<9}  {:<9}  {:<{}}  {}  {}",
                    Row.Bytes.signedText(), changeText(Row), kindName(Row.Kind),
                    shapeText(Row), Width, calledText(Row), Row.Called.Source);
    OS << printable(StringRef(Line).rtrim()) << '\n';
  }
  if (std::string Rest = restText(Space, Rows.size()); !Rest.empty())
    OS << fmt::format("  {:>11}  ({})\n", "...", Rest);
  for (auto [Title, Bytes] : {std::pair("padding", Space.Padding),
                              std::pair("fragmentation", Space.Fragmentation),
                              std::pair("allocated", Space.Allocated)})
    if (Bytes.differs())
      OS << fmt::format("  {}: {}\n", Title, Bytes.text());
}

static std::string peakText(const SpaceDiff &Space) {
  return Space.Name + " " + Space.Peak.text();
}

/// The peaks that changed, of all spaces, or the largest where none did.
static std::string headline(const MemoryDiff &Diff) {
  std::vector<std::string> Peaks;
  for (const SpaceDiff &Space : Diff.Spaces)
    if (Space.Peak.differs())
      Peaks.push_back(peakText(Space));
  if (Peaks.empty() && !Diff.Spaces.empty())
    Peaks.push_back(peakText(Diff.Spaces.front()));
  return moduleText(Diff) + ": " +
         (Diff.Timed       ? "peak of "
          : Diff.OfReports ? "all allocations in "
                           : "arguments, constants and results in ") +
         llvm::join(Peaks, ", ");
}

static void printTraffic(const TrafficDiff &Moved, size_t Top, size_t Width,
                         raw_ostream &OS) {
  for (auto [Title, Bytes] :
       {std::pair("reads", Moved.Read), std::pair("writes", Moved.Written)})
    if (Moved.matters(Bytes))
      OS << fmt::format("  {} in one run: {}\n", Title, Bytes.text());
  std::string Causes;
  for (const auto &[Cause, Bytes] : Moved.Causes)
    if (Moved.matters(Bytes))
      appendFormat(Causes, "{}{} {}", Causes.empty() ? "" : ", ",
                   causeName(Cause), Bytes.signedText());
  if (Moved.matters(Moved.Copied) || !Causes.empty())
    OS << fmt::format("  copies: {} -> {} in one run{}\n",
                      humanBytes(Moved.Copied.Old),
                      humanBytes(Moved.Copied.New),
                      Causes.empty() ? "" : " (" + Causes + ")");
  size_t Most = Top == 0 ? Moved.Added.size() : Top;
  for (const CopyRow &Row : ArrayRef(Moved.Added).take_front(Most))
    printCopyRow(Row, Width, OS);
}

void hlobuf::printDiff(const MemoryDiff &Diff, size_t Top, size_t Width,
                       raw_ostream &OS) {
  OS << printable(headline(Diff)) << '\n';
  if (!Diff.differs())
    return;
  for (const std::string &Cause : Diff.Causes)
    OS << "  " << printable(Cause) << '\n';
  uint64_t Largest = largestOf(
      Diff.Spaces, [](const SpaceDiff &Space) { return Space.Peak.larger(); });
  // Other values in the same few bytes are of no interest.
  auto Matters = [&](const SpaceDiff &Space) {
    return Space.Peak.differs() || Space.Allocated.differs() ||
           (Space.differs() &&
            (Top == 0 || Space.Peak.New >= Largest / LeastShare));
  };
  size_t Different = llvm::count_if(Diff.Spaces, Matters);
  for (const SpaceDiff &Space : Diff.Spaces) {
    if (!Matters(Space))
      continue;
    if (Different != 1)
      OS << Space.Name << ":\n";
    printSpace(Space, Top, OS);
  }
  if (!Diff.Reasons.empty())
    OS << "  why:\n";
  for (const std::string &Reason : Diff.Reasons)
    OS << "    " << printable(Reason) << '\n';
  if (Diff.Moved)
    printTraffic(*Diff.Moved, Top, Width, OS);
  if (Diff.OfReports)
    OS << "  not known: why, and what is live when, because reports do not "
          "say; "
          "compare dumps\n";
  else if (!Diff.Timed)
    OS << "  not compared: temps, because live ranges are not known\n";
}

static void writeRow(const ChangeRow &Row, json::OStream &J) {
  J.attribute("change", changeName(Row.Change));
  if (!Row.OtherSpace.empty())
    writeText(J, "other_space", Row.OtherSpace);
  J.attribute("kind", kindName(Row.Kind));
  J.attribute("count", Row.Count);
  J.attribute("old_bytes", Row.Bytes.Old);
  J.attribute("new_bytes", Row.Bytes.New);
  writeText(J, "old_shape", Row.OldShape);
  writeText(J, "new_shape", Row.NewShape);
  writeText(J, "op_name", Row.Called.OpName);
  writeText(J, "source", Row.Called.Source);
  writeText(J, "name", Row.Called.text());
  writeText(J, "example", Row.Example);
}

static void writeSpace(const SpaceDiff &Space, json::OStream &J) {
  writeText(J, "name", Space.Name);
  J.attribute("color", Space.Color);
  J.attribute("old_peak", Space.Peak.Old);
  J.attribute("new_peak", Space.Peak.New);
  J.attribute("old_allocated", Space.Allocated.Old);
  J.attribute("new_allocated", Space.Allocated.New);
  J.attribute("old_padding", Space.Padding.Old);
  J.attribute("new_padding", Space.Padding.New);
  J.attribute("matched_bytes", Space.Matched);
  J.attribute("explained_bytes", Space.Explained);
  J.attribute("unmatched_bytes", Space.Explained + Space.Unknown);
  writeRows(J, "rows", Space.Rows,
            [&](const ChangeRow &Row) { writeRow(Row, J); });
}

static void writeTraffic(const TrafficDiff &Moved, json::OStream &J) {
  auto Write = [&](const std::string &Title, ByteChange Bytes) {
    J.attribute("old_" + Title, Bytes.Old);
    J.attribute("new_" + Title, Bytes.New);
  };
  Write("read_bytes", Moved.Read);
  Write("written_bytes", Moved.Written);
  Write("copied_bytes", Moved.Copied);
  writeRows(J, "causes", Moved.Causes, [&](const auto &Each) {
    J.attribute("cause", causeName(Each.first));
    Write("bytes", Each.second);
  });
  writeCopyRows(Moved.Added, J);
}

void hlobuf::writeDiff(const MemoryDiff &Diff, json::OStream &J) {
  J.object([&] {
    writeText(J, "old_module", Diff.OldModule);
    writeText(J, "new_module", Diff.NewModule);
    J.attribute("differs", Diff.differs());
    J.attribute("timed", Diff.Timed);
    writeTexts(J, "causes", Diff.Causes);
    writeRows(J, "spaces", Diff.Spaces,
              [&](const SpaceDiff &Space) { writeSpace(Space, J); });
    writeTexts(J, "reasons", Diff.Reasons);
    if (Diff.Moved)
      J.attributeObject("traffic", [&] { writeTraffic(*Diff.Moved, J); });
  });
}
