// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The summary for people.

#include "Memory/MemorySummary.h"
#include "Support/Format.h"
#include "Support/HumanBytes.h"
#include "Support/TextColumns.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"

using namespace hlobuf;

/// Columns that a shape gets at most.
static constexpr size_t ShapeColumns = 34;

/// Rows of copies, donations and stores that a summary of memory has.
static constexpr size_t RowsInSummary = 5;

/// `12.3%` of \p Whole.
static std::string share(uint64_t Part, uint64_t Whole) {
  if (Whole == 0)
    return "0.0%";
  return fmt::format("{:.1f}%", 100.0 * double(Part) / double(Whole));
}

static void printLine(StringRef Text, size_t Width, raw_ostream &OS) {
  OS << clipped(Text.rtrim(), Width) << '\n';
}

/// \p Bytes, and below \p First what explains it.
static void explained(uint64_t Bytes, const std::string &First, StringRef Why,
                      StringRef Change, size_t Width, raw_ostream &OS) {
  std::vector<std::string> Text = wrapped(First, Width - 15);
  if (!Why.empty())
    for (const std::string &Part : wrapped(Why, Width - 19))
      Text.push_back("    " + Part);
  if (!Change.empty())
    for (const std::string &Part : wrapped(("-> " + Change).str(), Width - 19))
      Text.push_back("    " + Part);
  std::string Head = fmt::format("  {:>11}  ", humanBytes(Bytes));
  for (const std::string &Part : Text) {
    printLine(Head + Part, Width, OS);
    Head.assign(15, ' ');
  }
}

void hlobuf::printCopyRow(const CopyRow &Row, size_t Width, raw_ostream &OS) {
  explained(Row.sum(), Row.title(), Row.Why, Row.Change, Width, OS);
}

namespace {
struct Table {
  void print(StringRef Name);

  void line(StringRef Text) { printLine(Text, Width, OS); }
  /// Bytes, which part of the peak they are, and what they are.
  void row(uint64_t Bytes, StringRef Share, const std::string &Text) {
    line(fmt::format("  {:>11} {:>6}  {}", humanBytes(Bytes), Share, Text));
  }
  /// What shares are of.
  uint64_t whole() const {
    return Summary.isTimed() ? Summary.main()->Peak : Summary.main()->Allocated;
  }
  void printSpaces();
  void printPeak();
  void printStated();
  void printGroups();
  void printTree();
  void printSavings();
  void printCopies(size_t Top);
  void printDonation();
  void printStored();
  void printRecomputed();

  const MemorySummary &Summary;
  size_t Width;
  raw_ostream &OS;
};
} // namespace

/// The step of \p Space, its instruction and where that comes from.
static std::string spellStep(const SpaceSummary &Space) {
  std::string Text = fmt::format("step {}", Space.PeakStep);
  if (!Space.Instruction.empty())
    Text += ", " + Space.Instruction;
  if (!Space.OpName.empty() && Space.OpName != Space.Instruction)
    Text += fmt::format(" ({})", lastScope(Space.OpName));
  if (!Space.Source.empty())
    Text += " at " + Space.Source;
  return Text;
}

void Table::printSpaces() {
  size_t Columns = largestOf(Summary.Spaces, [](const SpaceSummary &Space) {
    return Space.Name.size();
  });
  for (const SpaceSummary &Space : Summary.Spaces) {
    if (Space.Allocated == 0)
      continue;
    std::string Text = fmt::format("  {:<{}}{:>11}", Space.Name, Columns,
                                   humanBytes(Space.Allocated));
    bool Main = &Space == Summary.main();
    if (Main && Summary.Capacity)
      Text += fmt::format(
          " of {}{}: {}", humanBytes(*Summary.Capacity),
          Summary.Chip.empty() ? "" : " (" + Summary.Chip + ")",
          Summary.isTooLarge()
              ? "DOES NOT FIT, " +
                    humanBytes(Space.Allocated - *Summary.Capacity) +
                    " too much"
              : share(Space.Allocated, *Summary.Capacity));
    if (Summary.isTimed())
      Text += fmt::format("{} peak {} at step {}",
                          Main && Summary.Capacity ? "," : " ",
                          humanBytes(Space.Peak), Space.PeakStep);
    line(Text);
  }
}

void Table::printPeak() {
  const SpaceSummary &Space = *Summary.main();
  OS << '\n';
  line(fmt::format(
      "  held at the peak of {}, {}{}:", Space.Name, spellStep(Space),
      Summary.Times == TimeSource::Module ? " (times from the module)" : ""));
  static constexpr std::pair<MemoryKind, StringRef> Kinds[] = {
      {MemoryKind::Parameter, "arguments"},
      {MemoryKind::LiveOut, "results"},
      {MemoryKind::Constant, "constants"},
      {MemoryKind::Temp, "temps"},
      {MemoryKind::Other, "other"}};
  for (auto [Kind, Label] : Kinds)
    if (uint64_t Bytes = Summary.BytesByKind[static_cast<size_t>(Kind)])
      row(Bytes, share(Bytes, Space.Peak), Label.str());
  if (Space.Idle != 0)
    row(Space.Idle, "",
        "of these in results not written yet and arguments not read any more");
  if (Summary.ResidualBytes != 0)
    row(Summary.ResidualBytes, share(Summary.ResidualBytes, Space.Peak),
        "of these are kept for the backward pass" +
            (Summary.KeptByLoop == 0
                 ? ""
                 : fmt::format(", {} by the {}", humanBytes(Summary.KeptByLoop),
                               withoutFolders(Summary.KeepingLoop))));
  if (uint64_t Padding = Space.Peak - std::min(Space.Peak, Space.Unpadded))
    row(Padding, "", "of these are padding");
  if (uint64_t Gaps = Space.Allocated - Space.Peak)
    row(Gaps, "",
        "more are allocated: bytes of temps that nobody uses at the peak");
  printStated();
}

void Table::printStated() {
  if (!Summary.Stated || Summary.Stated->Bytes == Summary.main()->Peak)
    return;
  const StatedPeak &Stated = *Summary.Stated;
  std::string Text = fmt::format("XLA states {} at step {}",
                                 humanBytes(Stated.Bytes), Stated.Step);
  if (Stated.HeldBytes)
    Text += fmt::format(", where {} are held", humanBytes(*Stated.HeldBytes));
  for (const std::string &Part : wrapped(Text, Width - 4))
    line("    " + Part);
}

/// The operation, or the path of an argument or, where both are not known, the
/// instruction, or the number of the argument, and what reads it.
static std::string shortLabel(const HeldGroup &Group) {
  const ValueName &Called = Group.First.Called;
  if (Group.Label.empty() && Called.Role == ValueRole::Argument)
    return (Group.Count == 1 ? "argument " + Called.Operation : "arguments") +
           Called.reader();
  if (Group.Label.empty())
    return Called.Operation + Called.reader();
  return Group.First.Kind == MemoryKind::Parameter ||
                 Group.First.Called.Role == ValueRole::Argument
             ? Group.Label
             : lastScope(Group.Label).str();
}

/// What is said of the bytes before the operation.
static std::string state(const HeldGroup &Group) {
  if (Group.Idle == Group.Bytes)
    return "idle";
  return Group.Idle == 0 ? "" : humanBytes(Group.Idle) + " idle";
}

/// How a row says what its bytes are, the longest way first.
static SmallVector<std::string, 4> labelsOf(const HeldGroup &Group) {
  const ValueName &Called = Group.First.Called;
  bool Argument = Group.First.Kind == MemoryKind::Parameter;
  std::string Short = shortLabel(Group);
  if (Called.Copied && !Argument)
    Short = "copy of " + Short;
  if (Group.First.Kind == MemoryKind::LiveOut)
    Short = "result: " + Short;
  std::string Idle = state(Group);
  if (!Idle.empty())
    Idle = ", " + Idle;
  SmallVector<std::string, 4> Labels;
  if (std::string Keeper = Called.keeper(); !Keeper.empty()) {
    Labels.push_back(Short + ", " + Keeper + Idle);
    if (Called.ForBackward)
      Labels.push_back(Short + ", kept for the backward pass" + Idle);
    if (Called.Role == ValueRole::Collected)
      Labels.push_back(Short + ", kept by a loop" + Idle);
  } else if (!Group.Label.empty() && !Argument) {
    Labels.push_back(Short + " in " + Group.First.Name + Idle);
  }
  Labels.push_back(Short + Idle);
  return Labels;
}

/// `12 x 4.00GiB f32[12,16,64]`: values of one shape, or parts of one value.
static std::string spellParts(const HeldGroup &Group) {
  std::string Text = clipped(Group.First.Shape, ShapeColumns);
  if (Group.Shapes > 1)
    return fmt::format("{} of {} shapes", Group.Count, Group.Shapes);
  uint64_t Parts = Group.First.Called.Parts;
  if (Group.Count == 1 && Parts == 1)
    return Text;
  std::string Size = humanBytes(Group.Bytes / Group.Count / Parts);
  if (Group.Count == 1)
    return fmt::format("{} x {} {}", Parts, Size, Text);
  if (Parts == 1)
    return fmt::format("{} x {} {}", Group.Count, Size, Text);
  return fmt::format("{} x {} x {} {}", Group.Count, Parts, Size, Text);
}

void Table::printGroups() {
  if (Summary.OfText && Summary.Groups.empty())
    return;
  uint64_t Shown = 0;
  std::vector<std::string> Shapes;
  size_t Columns = 0;
  for (const HeldGroup &Group : Summary.Groups) {
    Shown += Group.Bytes;
    std::string Text = spellParts(Group);
    Columns = std::max(Columns, Text.size());
    Shapes.push_back(std::move(Text));
  }
  OS << '\n';
  line(fmt::format("  {} of {} rows, {} of {}:", Summary.Groups.size(),
                   Summary.NumGroups, share(Shown, whole()),
                   Summary.isTimed() ? "the peak" : "all"));
  size_t HeadBytes = 24 + Columns;
  size_t Room = Width - std::min<size_t>(Width, HeadBytes);
  auto Fits = [&](const std::string &Label, StringRef Source) {
    return Label.size() + 2 + Source.size() <= Room;
  };
  // Folders are the first to go, of all rows; then what is said of a value.
  bool Folders = llvm::all_of(Summary.Groups, [&](const HeldGroup &Group) {
    return Fits(labelsOf(Group).front(), Group.First.Called.Source);
  });
  for (size_t I = 0; I != Summary.Groups.size(); ++I) {
    const HeldGroup &Group = Summary.Groups[I];
    std::string Head =
        fmt::format("  {:>11} {:>6}  {:<{}}  ", humanBytes(Group.Bytes),
                    share(Group.Bytes, whole()), Shapes[I], Columns);
    StringRef Source = Group.First.Called.Source;
    if (!Folders)
      Source = llvm::sys::path::filename(Source);
    auto Labels = labelsOf(Group);
    const auto *Label = llvm::find_if(
        Labels, [&](const std::string &Each) { return Fits(Each, Source); });
    line(Head + sideBySide(Label == Labels.end() ? Labels.back() : *Label,
                           Source, Room));
  }
}

void Table::printTree() {
  OS << '\n';
  line("  by op_name:");
  for (const TreeLine &T : Summary.Tree)
    row(T.Bytes, share(T.Bytes, whole()),
        std::string(2 * std::min(T.Depth, 20u), ' ') + T.Label);
}

void Table::printDonation() {
  const DonationSummary &Sum = *Summary.Donation;
  const DonationTable &Done = Summary.Donated;
  std::string Saved;
  if (Done.Count != 0)
    Saved =
        fmt::format(" and {} {} of {}", Done.Exact ? "saved" : "saved about",
                    humanBytes(Done.Saved), humanBytes(Done.Bytes));
  line(fmt::format(
      "  donation: {} kept{}, {} missed, {} more possible{}", Sum.Effective,
      Saved, Sum.Missed, Sum.Possible,
      Sum.Possible ? fmt::format(" ({})", humanBytes(Sum.PossibleBytes)) : ""));
  for (const Donation &Item : ArrayRef(Done.Lossy).take_front(RowsInSummary))
    if (Item.Bytes - Item.Saved >= whole() / 100)
      explained(
          Item.Saved,
          fmt::format("of {} by {}", humanBytes(Item.Bytes), Item.Argument),
          Item.Why, Item.Change, Width, OS);
}

void Table::printRecomputed() {
  for (const Recomputation &Row :
       ArrayRef(Summary.Recomputed).take_front(RowsInSummary))
    if (Row.Held >= whole() / 100)
      explained(Row.Held, Row.title(), Row.why(), Row.change(), Width, OS);
}

void Table::printStored() {
  uint64_t Written = Summary.Copies ? Summary.Copies->All.Written : 0;
  for (const StoredInvariant &S :
       ArrayRef(Summary.Stored).take_front(RowsInSummary))
    if (S.Bytes * S.Trips >= Written / 100)
      explained(S.Bytes * S.Trips,
                fmt::format("{} x {}  {}: {}  [stored]", humanBytes(S.Bytes),
                            S.Trips, S.Name, S.What),
                fmt::format("the {} stores it in each trip, and no trip "
                            "changes it",
                            S.Loop),
                "return it once, and broadcast it where it is read", Width, OS);
}

void Table::printSavings() {
  if (Summary.Donation)
    printDonation();
  if (Summary.Savings.empty())
    return;
  OS << '\n';
  line("  what could be less (bytes saved at the peak, and the lint that "
       "explains it):");
  for (const WasteRow &Item : Summary.Savings) {
    std::string Like =
        Item.Count > 1 ? fmt::format(", and {} more like it", Item.Count - 1)
                       : "";
    explained(Item.Saved,
              fmt::format("{}{} [{}]", Item.Message, Like, Item.Check), "",
              Item.Hint, Width, OS);
  }
}

/// `3.2MiB`, or `1.1MiB to 3.2MiB` where branches differ.
static std::string spellBounds(uint64_t Least, uint64_t Most) {
  return Least == Most ? humanBytes(Most)
                       : humanBytes(Least) + " to " + humanBytes(Most);
}

void Table::printCopies(size_t Top) {
  if (!Summary.Copies && Summary.Table == SummaryTable::Copies)
    line("  not known: no scheduled module (*after_optimizations.txt)");
  if (!Summary.Copies)
    return;
  const CopyTable &Copies = *Summary.Copies;
  uint64_t All = Copies.All.sum();
  line(fmt::format(
      "  one run reads {} and writes {}; copies are {} of it ({}){}",
      humanBytes(Copies.All.Read), humanBytes(Copies.All.Written),
      spellBounds(Copies.LeastCopied, Copies.MostCopied),
      share(Copies.MostCopied, All),
      Copies.BetweenSpaces < All / 100
          ? ""
          : fmt::format(", {} of them between memory spaces",
                        humanBytes(Copies.BetweenSpaces))));
  for (const CopyRow &Row :
       ArrayRef(Copies.Rows).take_front(std::min(Top, Copies.NumShown)))
    printCopyRow(Row, Width, OS);
  printStored();
  OS << '\n';
}

void Table::print(StringRef Name) {
  if (Summary.Table == SummaryTable::Copies) {
    OS << fmt::format("copies of {}\n", Name);
    return printCopies(Summary.Top);
  }
  const SpaceSummary *Main = Summary.main();
  OS << fmt::format("memory of {}: {}\n", Name,
                    humanBytes(Main ? Main->Allocated : Summary.Total));
  printSpaces();
  if (Summary.isTooLarge() && !Summary.OfText)
    line("  next: what would make it fit: hlobuf-fit with the same dump");
  if (!Summary.Main)
    return;
  if (Summary.isTimed())
    printPeak();
  for (const StatedBytes &Kind : Summary.StatedKinds)
    row(Kind.Bytes, "", Kind.Text);
  if (!Summary.isTimed() && !Summary.OfText)
    line("  the peak is not known: no sound live ranges, no scheduled module");
  if (Summary.Table == SummaryTable::Rows)
    printGroups();
  else
    printTree();
  printRecomputed();
  OS << '\n';
  printCopies(std::min<size_t>(Summary.Top, RowsInSummary));
  printSavings();
}

void hlobuf::printMemory(const MemorySummary &Summary, StringRef Name,
                         unsigned Width, raw_ostream &OS) {
  Table{Summary, std::max(Width, 60u), OS}.print(Name);
}

/// Rows of the table.
static constexpr size_t MaxModules = 15;

/// What modules are ordered by.
static uint64_t mainBytes(const MemorySummary &Summary) {
  if (Summary.Table == SummaryTable::Copies)
    return Summary.Copies ? Summary.Copies->MostCopied : 0;
  return Summary.Main ? Summary.main()->Allocated : Summary.Total;
}

void MemoryTotals::add(StringRef Name, const MemorySummary &Summary) {
  ++Count;
  uint64_t Bytes = mainBytes(Summary);
  bool Copies = Summary.Table == SummaryTable::Copies;
  Total = llvm::SaturatingAdd(Total, Copies ? Bytes : Summary.Total);
  Entry &E = Entries[{Name.str(), Bytes}];
  ++E.Count;
  E.Bytes = Bytes;
  E.TooLarge |= !Copies && Summary.isTooLarge();
  E.Temp = Copies || !Summary.Main ? 0 : Bytes - Summary.main()->Resident;
  for (const WasteRow &Item : Summary.Savings)
    E.Saved = std::max(E.Saved, Item.Saved);
  // What does not fit comes first.
  auto Key = [&](const MemorySummary &Each) {
    return std::pair(!Copies && Each.isTooLarge(), mainBytes(Each));
  };
  if (!Largest || Key(*Largest) < Key(Summary)) {
    Largest = Summary;
    LargestName = Name.str();
  }
}

void MemoryTotals::print(unsigned Width, raw_ostream &OS) const {
  if (!Largest)
    return;
  if (Count > 1) {
    std::vector<std::pair<StringRef, Entry>> Order;
    for (const auto &[Key, E] : Entries)
      Order.emplace_back(Key.first, E);
    std::ranges::stable_sort(Order, std::greater(), [](const auto &X) {
      return std::pair(X.second.TooLarge, X.second.Bytes);
    });
    bool Copies = Largest->Table == SummaryTable::Copies;
    OS << fmt::format("{} of {} modules: {}\n", Copies ? "copies" : "memory",
                      Count, humanBytes(Total));
    OS << (Copies ? "      copied  in one run of\n"
                  : "       needs       temps  can save at most   module\n");
    ArrayRef Shown = ArrayRef(Order).take_front(MaxModules);
    for (const auto &[Name, E] : Shown) {
      std::string Line = fmt::format(" {:>11} ", humanBytes(E.Bytes));
      if (!Copies)
        Line += fmt::format("{:>11}  {:>16}  ", humanBytes(E.Temp),
                            E.Saved ? humanBytes(E.Saved) : "");
      Line += fmt::format(" {}{}{}",
                          E.Count > 1 ? fmt::format("{} x ", E.Count) : "",
                          E.TooLarge ? "DOES NOT FIT: " : "", Name);
      OS << clipped(Line, std::max(Width, 60u)) << '\n';
    }
    uint64_t Rest = 0;
    size_t Hidden = 0;
    for (const auto &[Name, E] : ArrayRef(Order).drop_front(Shown.size())) {
      Hidden += E.Count;
      Rest += E.Count * E.Bytes;
    }
    if (Hidden != 0)
      OS << fmt::format(" {:>11}  in {} smaller modules\n", humanBytes(Rest),
                        Hidden);
    OS << "the largest of them:\n";
  }
  printMemory(*Largest, LargestName, Width, OS);
}
