//===- Memory/MemoryTable.cpp - The summary for people --------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory/MemorySummary.h"
#include "Memory/TextColumns.h"
#include "Support/Format.h"
#include "Support/HumanBytes.h"
#include "llvm/Support/Path.h"

using namespace hlobuf;
using llvm::StringRef;

/// Columns that a shape gets at most.
static constexpr size_t ShapeColumns = 34;

/// `12.3%` of \p Whole.
static std::string share(uint64_t Part, uint64_t Whole) {
  if (Whole == 0)
    return "0.0%";
  return fmt::format("{:.1f}%", 100.0 * static_cast<double>(Part) /
                                    static_cast<double>(Whole));
}

namespace {
class Table {
public:
  Table(const MemorySummary &M, unsigned Width, llvm::raw_ostream &OS)
      : M(M), Width(Width), OS(OS) {}

  void print(StringRef Name);

private:
  void line(const std::string &Text) {
    OS << clipped(StringRef(Text).rtrim(), Width) << '\n';
  }
  void printSpaces();
  void printPeak();
  void printStated();
  void printGroups();
  void printTree();
  void printSavings();

  const MemorySummary &M;
  size_t Width;
  llvm::raw_ostream &OS;
};
} // namespace

/// The step of \p S, its instruction and where that comes from.
static std::string spellStep(const SpaceSummary &S) {
  std::string Text = fmt::format("step {}", *S.PeakStep);
  if (!S.Instruction.empty())
    Text += ", " + S.Instruction;
  if (!S.OpName.empty() && S.OpName != S.Instruction)
    Text += fmt::format(" ({})", splitScopes(S.OpName).back());
  if (!S.Source.empty())
    Text += " at " + S.Source;
  return Text;
}

void Table::printSpaces() {
  size_t Columns = 0;
  for (const SpaceSummary &S : M.Spaces)
    Columns = std::max(Columns, S.Name.size());
  for (const SpaceSummary &S : M.Spaces) {
    if (S.Allocated == 0)
      continue;
    std::string Text =
        fmt::format("  {:<{}}{:>11}", S.Name, Columns, humanBytes(S.Allocated));
    bool Main = &S == M.main();
    if (Main && M.Capacity)
      Text += fmt::format(" of {}{}: {}", humanBytes(*M.Capacity),
                          M.Chip.empty() ? "" : " (" + M.Chip + ")",
                          M.isTooLarge()
                              ? "DOES NOT FIT, " +
                                    humanBytes(S.Allocated - *M.Capacity) +
                                    " too much"
                              : share(S.Allocated, *M.Capacity));
    if (S.PeakStep)
      Text +=
          fmt::format("{} peak {} at step {}", Main && M.Capacity ? "," : " ",
                      humanBytes(S.Peak), *S.PeakStep);
    line(Text);
  }
}

void Table::printPeak() {
  const SpaceSummary &S = *M.main();
  OS << '\n';
  line(fmt::format("  held at the peak of {}, {}{}:", S.Name, spellStep(S),
                   M.Times == TimeSource::Module ? " (times from the module)"
                                                 : ""));
  static constexpr std::pair<MemoryKind, StringRef> Kinds[] = {
      {MemoryKind::Parameter, "arguments"},
      {MemoryKind::LiveOut, "results"},
      {MemoryKind::Constant, "constants"},
      {MemoryKind::Temp, "temps"},
      {MemoryKind::Other, "other"}};
  for (auto [Kind, Label] : Kinds)
    if (uint64_t Bytes = M.Held[static_cast<size_t>(Kind)])
      line(fmt::format("  {:>11} {:>6}  {}", humanBytes(Bytes),
                       share(Bytes, S.Peak), Label));
  if (M.Idle != 0)
    line(fmt::format("  {:>11}         of these in results not written yet "
                     "and arguments not read any more",
                     humanBytes(M.Idle)));
  if (uint64_t Padding = S.Peak - std::min(S.Peak, S.Unpadded))
    line(fmt::format("  {:>11}         of these are padding",
                     humanBytes(Padding)));
  if (uint64_t Lost = S.Allocated - S.Peak)
    line(fmt::format("  {:>11}         more are allocated: bytes of temps that "
                     "nobody uses at the peak",
                     humanBytes(Lost)));
  printStated();
}

void Table::printStated() {
  if (!M.Stated || M.Stated->Bytes == M.main()->Peak)
    return;
  std::string Text = fmt::format("XLA states {} at step {}",
                                 humanBytes(M.Stated->Bytes), M.Stated->Step);
  StringRef Separator = "; it does not count ";
  for (const auto &[What, Bytes] : M.Stated->Missing) {
    Text += fmt::format("{}{} ({})", Separator, What, humanBytes(Bytes));
    Separator = ", ";
  }
  for (const std::string &Part : wrapped(Text, Width - 4))
    line("    " + Part);
}

static std::string spellShape(StringRef Shape) {
  return Shape.size() > ShapeColumns
             ? (Shape.take_front(ShapeColumns - 3) + "...").str()
             : Shape.str();
}

/// The operation, or the name of an argument or, where both are not known, of
/// the instruction.
static std::string shortLabel(const HeldGroup &G) {
  if (G.Label.empty())
    return G.First.Name;
  return G.First.Kind == MemoryKind::Parameter ? G.Label
                                               : splitScopes(G.Label).back();
}

/// With the instruction.
static std::string longLabel(const HeldGroup &G) {
  if (G.Label.empty() || G.First.Kind == MemoryKind::Parameter)
    return shortLabel(G);
  return shortLabel(G) + " in " + G.First.Name;
}

void Table::printGroups() {
  uint64_t Shown = 0;
  std::vector<std::string> Shapes;
  size_t Columns = 0;
  for (const HeldGroup &G : M.Groups) {
    Shown += G.Bytes;
    std::string Text = spellShape(G.First.Shape);
    if (G.Shapes > 1)
      Text = fmt::format("{} of {} shapes", G.Count, G.Shapes);
    else if (G.Count > 1)
      Text = fmt::format("{} x {} {}", G.Count, humanBytes(G.Bytes / G.Count),
                         Text);
    Columns = std::max(Columns, Text.size());
    Shapes.push_back(std::move(Text));
  }
  uint64_t Whole = M.isTimed() ? M.main()->Peak : M.main()->Allocated;
  OS << '\n';
  line(fmt::format("  {} of {} rows, {} of {}:", M.Groups.size(), M.NumGroups,
                   share(Shown, Whole), M.isTimed() ? "the peak" : "all"));
  size_t HeadBytes = 24 + Columns;
  size_t Room = Width - std::min<size_t>(Width, HeadBytes);
  auto Fits = [&](const std::string &Label, StringRef Source) {
    return Label.size() + 2 + Source.size() <= Room;
  };
  // Folders are the first to go, of all rows; then the instruction.
  bool Folders = llvm::all_of(M.Groups, [&](const HeldGroup &G) {
    return Fits(longLabel(G), G.First.Source);
  });
  for (size_t I = 0; I != M.Groups.size(); ++I) {
    const HeldGroup &G = M.Groups[I];
    std::string Head =
        fmt::format("  {:>11} {:>6}  {:<{}}  ", humanBytes(G.Bytes),
                    share(G.Bytes, Whole), Shapes[I], Columns);
    StringRef Source = G.First.Source;
    if (!Folders)
      Source = llvm::sys::path::filename(Source);
    std::string Label = longLabel(G);
    if (!Fits(Label, Source))
      Label = shortLabel(G);
    line(Head + sideBySide(Label, Source, Room));
  }
}

void Table::printTree() {
  if (M.Tree.empty())
    return;
  static constexpr StringRef Titles[] = {"value", "source line", "op_name",
                                         "kind"};
  OS << '\n';
  line(fmt::format("  by {}:",
                   Titles[static_cast<size_t>(M.By.value_or(GroupBy::Line))]));
  for (const TreeLine &T : M.Tree)
    line(fmt::format("  {:>11} {:>6}  {}{}", humanBytes(T.Bytes),
                     share(T.Bytes, M.main()->Peak),
                     std::string(2 * std::min(T.Depth, 20u), ' '), T.Label));
}

void Table::printSavings() {
  if (M.Donation)
    line(fmt::format(
        "  donation: {} kept, {} missed, {} more possible{}", M.Donation->Kept,
        M.Donation->Missed, M.Donation->Possible,
        M.Donation->Possible
            ? fmt::format(" ({})", humanBytes(M.Donation->PossibleBytes))
            : ""));
  if (M.Savings.empty())
    return;
  OS << '\n';
  line("  what could be less (bytes saved at the peak, and the lint that "
       "explains it):");
  for (const WasteRow &Item : M.Savings) {
    std::string Like =
        Item.Count > 1 ? fmt::format(", and {} more like it", Item.Count - 1)
                       : "";
    std::vector<std::string> Text = wrapped(
        fmt::format("{}{} [{}]", Item.Message, Like, Item.Check), Width - 15);
    for (const std::string &Part : wrapped(Item.Hint, Width - 19))
      Text.push_back("    " + Part);
    std::string Head = fmt::format("  {:>11}  ", humanBytes(Item.Saved));
    for (const std::string &Part : Text) {
      line(Head + Part);
      Head.assign(15, ' ');
    }
  }
}

void Table::print(StringRef Name) {
  OS << fmt::format("memory of {}: {}\n", Name, humanBytes(M.Total));
  printSpaces();
  if (!M.Main)
    return;
  if (M.isTimed())
    printPeak();
  else
    line("  the peak is not known: no sound live ranges, no scheduled module");
  bool Values = !M.By || *M.By == GroupBy::Value;
  if (Values)
    printGroups();
  if (!M.By || !Values)
    printTree();
  OS << '\n';
  printSavings();
}

void hlobuf::printMemory(const MemorySummary &M, StringRef Name, unsigned Width,
                         llvm::raw_ostream &OS) {
  Table(M, std::max(Width, 60u), OS).print(Name);
}
