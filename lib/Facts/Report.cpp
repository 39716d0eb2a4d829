// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// BufferAssignment::MemoryUsageReport (xla/service/buffer_assignment.cc, 2024)
// and its successor by memory space (2026). Both sort by size and stop a table
// after row 50 where the rest is less than 5 % of its total.

#include "Facts/Report.h"
#include "Dump/Printer.h"
#include "Dump/Reader.h"
#include "HLO/TopLevel.h"
#include "Support/Format.h"
#include "Support/HumanBytes.h"
#include "Support/LineCursor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <unordered_map>

using namespace hlobuf;

static constexpr StringRef ValueColumns =
    "cumulative_size;       size;       offset; used_by_n_values; shapes_list";
static constexpr StringRef AllocationColumns =
    "cumulative_size; total_size - cumulative_size; allocation";

ReportForm hlobuf::reportForm(StringRef Text) {
  switch (classify(Text)) {
  case TextKind::NewReport:
    return ReportForm::BySpace;
  case TextKind::Report:
    return ReportForm::ByAllocation;
  default: // The first lines are damaged.
    return Text.contains(AllocationColumns) || Text.contains("\nallocation ")
               ? ReportForm::ByAllocation
               : ReportForm::BySpace;
  }
}

namespace hlobuf {
/// The values of an allocation that begin at one offset: a row of the report.
struct ReportGroup {
  uint64_t Offset = 0;
  /// The largest one of a member.
  uint64_t Size = 0;
  /// The largest printed id.
  uint32_t Id = 0;
  /// Members, as positions in ReportGroups::ByOffset; half-open.
  uint32_t Begin = 0, End = 0;

  uint32_t count() const { return End - Begin; }
};

/// A row of a given report.
struct SeenRow {
  /// Position in its table, from 0.
  uint32_t Number = 0;
  StringRef Shapes;
};
/// Rows of one allocation in a given report, by offset.
using SeenRows = std::unordered_map<uint64_t, SeenRow>;

/// The rows of one allocation, by size descending, then by largest id.
struct ReportGroups {
  explicit ReportGroups(ArrayRef<Value> Values);

  /// Gives every row of a run of equal sizes the place that \p Seen has for
  /// it; rows that are not there fill the places that remain.
  void followTies(const SeenRows &Seen);

  /// The shapes of a row with their counts, by count, then by text; in the
  /// order of \p Like if that has the same items.
  std::string shapes(const ShapeTable &Shapes, const ReportGroup &Group,
                     StringRef Like) const;

  ArrayRef<Value> Values;
  /// Numbers of the values, sorted by offset.
  std::vector<uint32_t> ByOffset;
  std::vector<ReportGroup> Rows;
};

class ReportWriter {
public:
  ReportWriter(const Dump &D, Report &R, StringRef Like, bool TiesAnyOrder)
      : D(D), R(R), NaN(Like.contains("(nan%)") ? "nan" : "-nan") {
    if (TiesAnyOrder)
      remember(Like);
  }

  void byAllocation();
  void bySpace();

private:
  void remember(StringRef Like);
  void sortAllocations();
  void allocationTable(uint64_t Total);
  void values(AllocationId Id, StringRef Indent);
  std::string percent(uint64_t Part, uint64_t Total) const;
  std::string header(AllocationId Id) const {
    return allocationHeader(D, D[Id], humanBytes(D[Id].Size));
  }
  /// XLA tests after each row whether to stop there.
  static bool restIsSmall(size_t Rows, uint64_t Done, uint64_t Total) {
    return Rows > 50 && double(Total - Done) < double(Total) * 0.05;
  }

  void begin(AllocationId Owner, std::optional<uint64_t> Row = std::nullopt) {
    R.Lines.push_back({static_cast<uint32_t>(R.Text.size()), Owner, Row});
  }
  /// Adds \p Text behind spaces that make it \p Width bytes.
  void addRight(StringRef Text, size_t Width) {
    R.Text.append(Width - std::min(Width, Text.size()), ' ');
    R.Text += Text;
  }
  template <typename... Ts>
  void line(AllocationId Owner, fmt::format_string<Ts...> Format,
            Ts &&...Args) {
    begin(Owner);
    appendFormat(R.Text, Format, std::forward<Ts>(Args)...);
    R.Text += '\n';
  }

  const Dump &D;
  Report &R;
  const char *NaN;
  /// By the printed index of the allocation.
  std::unordered_map<uint32_t, SeenRows> Seen;
};
} // namespace hlobuf

ReportGroups::ReportGroups(ArrayRef<Value> Values) : Values(Values) {
  ByOffset.resize(Values.size());
  for (uint32_t I = 0; I != Values.size(); ++I)
    ByOffset[I] = I;
  std::ranges::stable_sort(ByOffset, {},
                           [&](uint32_t A) { return Values[A].Offset; });
  for (uint32_t I = 0; I != ByOffset.size(); ++I) {
    const Value &V = Values[ByOffset[I]];
    if (Rows.empty() || Rows.back().Offset != V.Offset)
      Rows.push_back({V.Offset, 0, 0, I, I});
    ReportGroup &Group = Rows.back();
    Group.Size = std::max(Group.Size, V.Size);
    Group.Id = std::max(Group.Id, V.Tag.Id);
    Group.End = I + 1;
  }
  llvm::stable_sort(Rows, [](const ReportGroup &A, const ReportGroup &B) {
    return std::tie(B.Size, A.Id) < std::tie(A.Size, B.Id);
  });
}

void ReportGroups::followTies(const SeenRows &Seen) {
  for (size_t Begin = 0, End; Begin != Rows.size(); Begin = End) {
    End = Begin + 1;
    while (End != Rows.size() && Rows[End].Size == Rows[Begin].Size)
      ++End;
    std::vector<const ReportGroup *> Places(End - Begin);
    std::vector<const ReportGroup *> Others;
    std::vector<ReportGroup> Run(Rows.begin() + Begin, Rows.begin() + End);
    for (const ReportGroup &Group : Run) {
      auto Row = Seen.find(Group.Offset);
      if (Row != Seen.end() && Row->second.Number >= Begin &&
          Row->second.Number < End)
        Places[Row->second.Number - Begin] = &Group;
      else
        Others.push_back(&Group);
    }
    auto Next = Others.begin();
    for (size_t I = 0; I != Places.size(); ++I)
      Rows[Begin + I] = Places[I] ? *Places[I] : **Next++;
  }
}

/// Splits a list of shapes at the commas between them.
static SmallVector<StringRef, 4> splitShapes(StringRef List) {
  SmallVector<StringRef, 4> Parts;
  do {
    Parts.push_back(List.take_front(scanTopLevel(
        List, [&](size_t I) { return List.substr(I).starts_with(", "); })));
    List = List.drop_front(Parts.back().size());
  } while (List.consume_front(", "));
  return Parts;
}

std::string ReportGroups::shapes(const ShapeTable &Shapes,
                                 const ReportGroup &Group,
                                 StringRef Like) const {
  SmallVector<ShapeId, 8> Ids;
  for (uint32_t I = Group.Begin; I != Group.End; ++I)
    Ids.push_back(Values[ByOffset[I]].Shape);
  if (llvm::all_equal(Ids) && Ids[0]) {
    std::string Plain = Shapes.plainText(Ids[0]);
    return Ids.size() == 1 ? Plain
                           : fmt::format("{}\u00d7{}", Ids.size(), Plain);
  }
  llvm::sort(Ids);
  // Shapes that differ in their layouts only have the same text.
  StringMap<uint32_t> Counts;
  for (ArrayRef<ShapeId> Rest = Ids; !Rest.empty();) {
    ShapeId Id = Rest.front();
    auto Same = takeRun(Rest, [](ShapeId Each) { return Each; });
    Counts[Id ? Shapes.plainText(Id) : "?"] += Same.size();
  }
  std::vector<std::pair<uint32_t, StringRef>> Sorted;
  for (const auto &Entry : Counts)
    Sorted.push_back({Entry.second, Entry.first()});
  llvm::sort(Sorted);
  std::vector<std::string> Items;
  for (auto [Count, Shape] : Sorted)
    Items.push_back(Count == 1 ? Shape.str()
                               : fmt::format("{}\u00d7{}", Count, Shape));
  std::string List = llvm::join(Items, ", ");
  if (Like.empty() || List == Like)
    return List;
  // The same items in another order?
  SmallVector<StringRef, 4> Others = splitShapes(Like);
  llvm::sort(Others);
  llvm::sort(Items);
  return llvm::equal(Others, Items) ? Like.str() : List;
}

std::vector<StringRef> hlobuf::reportLines(StringRef Text) {
  std::vector<StringRef> Lines;
  for (LineCursor In(Text); !In.atEnd(); In.advance())
    Lines.push_back(In.line());
  return Lines;
}

StringRef hlobuf::withoutSums(StringRef Line) {
  size_t Header = Line.find("; allocation ");
  if (Header != StringRef::npos)
    return Line.drop_front(Header + 2);
  return Line.split("%); ").second;
}

/// The number in `allocation N: size ..`; nothing if \p Text does not begin so.
static std::optional<uint32_t> allocationHeading(StringRef Text) {
  uint32_t Index;
  if (!Text.consume_front("allocation ") || Text.consumeInteger(10, Index) ||
      !Text.starts_with(": "))
    return std::nullopt;
  return Index;
}

/// Offset and shapes in `  1.0KiB( 50%);   512B;   0;   1; f32[128]`; nothing
/// if \p Line is not such a row.
static std::optional<std::pair<uint64_t, StringRef>> valueRow(StringRef Line) {
  auto [Size, FromOffset] = withoutSums(Line).split("; ");
  auto [Offset, FromCount] = FromOffset.split("; ");
  uint64_t Number;
  if (Offset.trim(' ').getAsInteger(10, Number))
    return std::nullopt;
  return std::pair(Number, FromCount.split("; ").second);
}

void ReportWriter::remember(StringRef Like) {
  SeenRows *Rows = nullptr;
  for (LineCursor In(Like); !In.atEnd(); In.advance()) {
    if (std::optional<uint32_t> Index = allocationHeading(In.line()))
      Rows = &Seen[*Index];
    else if (auto Row = valueRow(In.line()); Row && Rows)
      Rows->try_emplace(Row->first, SeenRow{static_cast<uint32_t>(Rows->size()),
                                            Row->second});
  }
}

void ReportWriter::sortAllocations() {
  bool BySpace = R.Form == ReportForm::BySpace;
  for (AllocationId Id : ids<AllocationId>(D.Allocations.size()))
    R.Order.push_back(Id);
  llvm::stable_sort(R.Order, [&](AllocationId Left, AllocationId Right) {
    const Allocation &Alloc = D[Left];
    const Allocation &B = D[Right];
    if (BySpace && Alloc.color() != B.color())
      return Alloc.color() < B.color();
    return std::tie(B.Size, Alloc.Index) < std::tie(Alloc.Size, B.Index);
  });
}

std::string ReportWriter::percent(uint64_t Part, uint64_t Total) const {
  if (Total == 0)
    return NaN;
  // As "%3.0f" of printf rounds and aligns it.
  return fmt::format("{:>3}", std::llrint(100. * double(Part) / double(Total)));
}

void ReportWriter::values(AllocationId Id, StringRef Indent) {
  ReportGroups Groups(D.values(D[Id]));
  auto Entry = Seen.find(D[Id].Index);
  const SeenRows None;
  const SeenRows &Rows = Entry == Seen.end() ? None : Entry->second;
  if (!Rows.empty())
    Groups.followTies(Rows);
  line(Id, "{}{}", Indent, ValueColumns);
  line(Id, "{}{:->60}", Indent, "");
  uint64_t Total = sumOf(Groups.Rows, &ReportGroup::Size);
  uint64_t Done = 0;
  size_t Count = 0;
  for (const ReportGroup &Group : Groups.Rows) {
    Done += Group.Size;
    auto Row = Rows.find(Group.Offset);
    begin(Id, Group.Offset);
    R.Text += Indent;
    addRight(humanBytes(Done), 9);
    R.Text += '(';
    R.Text += percent(Done, Total);
    R.Text += "%); ";
    addRight(humanBytes(Group.Size), 10);
    R.Text += "; ";
    addRight(std::to_string(Group.Offset), 12);
    R.Text += "; ";
    addRight(std::to_string(Group.count()), 16);
    R.Text += "; ";
    R.Text += Groups.shapes(D.Shapes, Group,
                            Row == Rows.end() ? "" : Row->second.Shapes);
    R.Text += '\n';
    if (!restIsSmall(++Count, Done, Total))
      continue;
    line(Id,
         "{}The rest {} values are less than 5% of the total size and not "
         "shown.",
         Indent, Groups.Rows.size() - Count);
    break;
  }
}

void ReportWriter::allocationTable(uint64_t Total) {
  uint64_t Done = 0;
  size_t Count = 0;
  for (AllocationId Id : R.Order) {
    Done += D[Id].Size;
    line(Id, "{:>10}({}%); {:>10}; {}", humanBytes(Done), percent(Done, Total),
         humanBytes(Total - Done), header(Id));
    if (!restIsSmall(++Count, Done, Total))
      continue;
    line(Id,
         "The rest {} allocations are less than 5% of the total size and not "
         "shown.",
         R.Order.size() - Count);
    break;
  }
}

void ReportWriter::byAllocation() {
  sortAllocations();
  uint64_t Total = sumOf(D.Allocations, &Allocation::Size);
  line({}, "Total bytes used: {} ({})", Total, humanBytes(Total));
  line({}, "");
  line({}, "Allocations sorted by size:");
  line({}, "");
  line({}, "{}", AllocationColumns);
  line({}, "{:->78}", "");
  allocationTable(Total);
  line({}, "");
  line({}, "");
  line({}, "Allocations sorted by size with their values:");
  for (AllocationId Id : R.Order) {
    line(Id, "{}", header(Id));
    if (D[Id].Values.size() == 1)
      continue;
    line(Id, "");
    values(Id, "\t");
    line(Id, "");
  }
}

/// The fixed names of colors 0 to 5; wrong for GPU, but printed there too.
static std::string spaceName(int32_t Color) {
  constexpr StringRef Names[] = {"default", "vmem", "smem",
                                 "hbm",     "host", "cmem"};
  if (Color >= 0 && static_cast<size_t>(Color) < std::size(Names))
    return Names[Color].str();
  return fmt::format("color_{}", Color);
}

void ReportWriter::bySpace() {
  sortAllocations();
  ArrayRef<AllocationId> Rest = R.Order;
  while (!Rest.empty()) {
    int32_t Color = D[Rest.front()].color();
    ArrayRef<AllocationId> Group =
        takeRun(Rest, [&](AllocationId Id) { return D[Id].color(); });
    uint64_t Total = sumOf(Group, [&](AllocationId Id) { return D[Id].Size; });
    line({}, "Memory Space: {} (color={})", spaceName(Color), Color);
    line({}, "Total bytes: {} ({})", Total, humanBytes(Total));
    uint64_t Done = 0;
    size_t Count = 0;
    for (AllocationId Id : Group) {
      Done += D[Id].Size;
      values(Id, "  ");
      line(Id, "");
      if (restIsSmall(++Count, Done, Total))
        break;
    }
    line({}, "");
  }
}

Report::Report(const Dump &D, StringRef Like, bool TiesAnyOrder)
    : Form(reportForm(Like)) {
  ReportWriter Writer(D, *this, Like, TiesAnyOrder);
  if (Form == ReportForm::ByAllocation)
    Writer.byAllocation();
  else
    Writer.bySpace();
}

/// True if \p Stated is \p Expected up to some line.
static bool endsEarly(const Report &Expected, ArrayRef<StringRef> Stated) {
  return Stated.size() < Expected.lines().size() &&
         llvm::all_of(
             llvm::enumerate(Stated),
             [&](auto Line) {
               return Line.value() == Expected.text(Line.index());
             });
}

ReportVerdict hlobuf::judgeReport(const Dump &D, StringRef Text) {
  // Nearly all are what they must be; the longer way gives the same then.
  if (Report(D, Text, /*TiesAnyOrder=*/false).text() == Text)
    return {.IsExact = true};
  Report Expected(D, Text, /*TiesAnyOrder=*/true);
  llvm::StringSet<> Totals;
  llvm::StringSet<> Keys;
  for (size_t I = 0; I != Expected.lines().size(); ++I) {
    if (Expected.text(I).starts_with("Total bytes"))
      Totals.insert(Expected.text(I));
    else if (StringRef Key = withoutSums(Expected.text(I)); !Key.empty())
      Keys.insert(Key);
  }
  bool TotalsDiffer = false;
  size_t Rows = 0;
  size_t Same = 0;
  std::vector<StringRef> Stated = reportLines(Text);
  for (StringRef Line : Stated) {
    if (Line.starts_with("Total bytes"))
      TotalsDiffer |= !Totals.contains(Line);
    StringRef Key = withoutSums(Line);
    Rows += !Key.empty();
    Same += !Key.empty() && Keys.contains(Key);
  }
  ReportVerdict Verdict;
  Verdict.Foreign = TotalsDiffer && 2 * Same < Rows;
  Verdict.EndsEarly = !Verdict.Foreign && endsEarly(Expected, Stated);
  return Verdict;
}
