// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// BufferAssignment::MemoryUsageReport (xla/service/buffer_assignment.cc, 2024)
// and its successor by memory space (2026). Both sort by size and stop a table
// after row 50 where the rest is less than 5 % of its total.

#include "Facts/Report.h"
#include "Dump/Printer.h"
#include "Dump/Reader.h"
#include "Facts/ReportGroups.h"
#include "Facts/ReportLines.h"
#include "Support/Format.h"
#include "Support/HumanBytes.h"
#include "Support/LineCursor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include <cmath>

using namespace hlobuf;
using llvm::ArrayRef;
using llvm::StringRef;

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
  using Kind = ReportLineKind;
  struct Context {
    AllocationId Owner;
    uint64_t At = 0;
  };

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
    return Rows > 50 && static_cast<double>(Total - Done) <
                            static_cast<double>(Total) * 0.05;
  }

  void begin(Kind K, Context C) {
    R.Lines.push_back({static_cast<uint32_t>(R.Text.size()), K, C.Owner, C.At});
  }
  /// Adds \p Text behind spaces that make it \p Width bytes.
  void addRight(StringRef Text, size_t Width) {
    R.Text.append(Width - std::min(Width, Text.size()), ' ');
    R.Text += Text;
  }
  template <typename... Ts>
  void line(Kind K, Context C, fmt::format_string<Ts...> Format, Ts &&...Args) {
    begin(K, C);
    appendFormat(R.Text, Format, std::forward<Ts>(Args)...);
    R.Text += '\n';
  }
  void fixed(Context C, StringRef Text, StringRef More = "") {
    begin(Kind::Fixed, C);
    R.Text += Text;
    R.Text += More;
    R.Text += '\n';
  }

  const Dump &D;
  Report &R;
  const char *NaN;
  /// By the printed index of the allocation.
  std::unordered_map<uint32_t, SeenRows> Seen;
};
} // namespace hlobuf

void ReportWriter::remember(StringRef Like) {
  SeenRows *Rows = nullptr;
  for (LineCursor In(Like); !In.atEnd(); In.advance()) {
    ReportRow Row;
    if (std::optional<uint32_t> Index = parseAllocationHeading(In.line()))
      Rows = &Seen[*Index];
    else if (Rows && parseReportRow(In.line(), Row))
      Rows->try_emplace(
          Row.Offset, SeenRow{static_cast<uint32_t>(Rows->size()), Row.Shapes});
  }
}

void ReportWriter::sortAllocations() {
  bool BySpace = R.Form == ReportForm::BySpace;
  for (size_t I = 0; I != D.Allocations.size(); ++I)
    R.Order.push_back(AllocationId(I));
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
  std::string Text = std::to_string(std::llrint(
      100. * static_cast<double>(Part) / static_cast<double>(Total)));
  Text.insert(0, Text.size() < 3 ? 3 - Text.size() : 0, ' ');
  return Text;
}

void ReportWriter::values(AllocationId Id, StringRef Indent) {
  Context C{Id};
  ReportGroups Groups(D.values(D[Id]));
  auto Found = Seen.find(D[Id].Index);
  const SeenRows None;
  const SeenRows &There = Found == Seen.end() ? None : Found->second;
  if (!There.empty())
    Groups.followTies(There);
  fixed(C, Indent, ValueColumns);
  fixed(C, Indent, std::string(60, '-'));
  uint64_t Total = 0;
  for (const ReportGroup &Group : Groups.Rows)
    Total += Group.Size;
  uint64_t Done = 0;
  size_t Count = 0;
  for (const ReportGroup &Group : Groups.Rows) {
    Done += Group.Size;
    C.At = Group.Offset;
    auto Row = There.find(Group.Offset);
    begin(Kind::ValueRow, C);
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
                            Row == There.end() ? "" : Row->second.Shapes);
    R.Text += '\n';
    if (!restIsSmall(++Count, Done, Total))
      continue;
    line(Kind::Rest, C,
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
    line(Kind::AllocationRow, {Id}, "{:>10}({}%); {:>10}; {}", humanBytes(Done),
         percent(Done, Total), humanBytes(Total - Done), header(Id));
    if (!restIsSmall(++Count, Done, Total))
      continue;
    line(Kind::Rest, {Id},
         "The rest {} allocations are less than 5% of the total size and not "
         "shown.",
         R.Order.size() - Count);
    break;
  }
}

void ReportWriter::byAllocation() {
  sortAllocations();
  uint64_t Total = 0;
  for (const Allocation &Alloc : D.Allocations)
    Total += Alloc.Size;
  line(Kind::Total, {}, "Total bytes used: {} ({})", Total, humanBytes(Total));
  fixed({}, "");
  fixed({}, "Allocations sorted by size:");
  fixed({}, "");
  fixed({}, AllocationColumns);
  fixed({}, fmt::format("{:->78}", ""));
  allocationTable(Total);
  fixed({}, "");
  fixed({}, "");
  fixed({}, "Allocations sorted by size with their values:");
  for (AllocationId Id : R.Order) {
    line(Kind::AllocationHeader, {Id}, "{}", header(Id));
    if (D[Id].Values.size() == 1)
      continue;
    fixed({Id}, "");
    values(Id, "\t");
    fixed({Id}, "");
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
    ArrayRef<AllocationId> Here = Rest.take_while(
        [&](AllocationId Id) { return D[Id].color() == Color; });
    Rest = Rest.drop_front(Here.size());
    uint64_t Total = 0;
    for (AllocationId Id : Here)
      Total += D[Id].Size;
    Context C{Here.front()};
    line(Kind::Space, C, "Memory Space: {} (color={})", spaceName(Color),
         Color);
    line(Kind::Total, C, "Total bytes: {} ({})", Total, humanBytes(Total));
    uint64_t Done = 0;
    size_t Count = 0;
    for (AllocationId Id : Here) {
      Done += D[Id].Size;
      values(Id, "  ");
      fixed({Id}, "");
      if (restIsSmall(++Count, Done, Total))
        break;
    }
    fixed(C, "");
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

/// What of a row does not depend on other rows; empty if \p Line is not a row.
static StringRef rowKey(StringRef Line) {
  StringRef Header = headerInRow(Line);
  if (!Header.empty())
    return Header;
  size_t At = Line.find("%); ");
  return At == StringRef::npos ? StringRef() : Line.drop_front(At + 4);
}

/// True if \p There is \p Expected up to some line.
static bool endsEarly(const Report &Expected, ArrayRef<StringRef> There) {
  if (There.size() >= Expected.lines().size())
    return false;
  for (size_t I = 0; I != There.size(); ++I)
    if (There[I] != Expected.text(I))
      return false;
  return true;
}

ReportVerdict hlobuf::judgeReport(const Dump &D, StringRef Text) {
  // Nearly all are what they must be; the longer way gives the same then.
  if (Report(D, Text, /*TiesAnyOrder=*/false).text() == Text)
    return {.IsExact = true};
  Report Expected(D, Text, /*TiesAnyOrder=*/true);
  llvm::StringSet<> Totals;
  llvm::StringSet<> Keys;
  for (size_t I = 0; I != Expected.lines().size(); ++I) {
    if (Expected.lines()[I].Kind == ReportLineKind::Total)
      Totals.insert(Expected.text(I));
    else if (StringRef Key = rowKey(Expected.text(I)); !Key.empty())
      Keys.insert(Key);
  }
  bool TotalsDiffer = false;
  size_t Rows = 0;
  size_t Same = 0;
  std::vector<StringRef> There = reportLines(Text);
  for (StringRef Line : There) {
    if (Line.starts_with("Total bytes"))
      TotalsDiffer |= !Totals.contains(Line);
    StringRef Key = rowKey(Line);
    Rows += !Key.empty();
    Same += !Key.empty() && Keys.contains(Key);
  }
  ReportVerdict Verdict;
  Verdict.Foreign = TotalsDiffer && 2 * Same < Rows;
  Verdict.EndsEarly = !Verdict.Foreign && endsEarly(Expected, There);
  return Verdict;
}
