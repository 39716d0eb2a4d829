// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Memory/StatedMemory.h"
#include "Support/Format.h"
#include "Support/HumanBytes.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace hlobuf;

namespace {
/// A number of bytes as a text prints it.
struct Amount {
  uint64_t Bytes = 0;
  /// It may be wrong by so many: half of its last digit.
  uint64_t Within = 0;
};

/// What one message says; bytes are 0 where it does not.
struct Message {
  uint64_t Requested = 0, Free = 0, Needs = 0, Limit = 0;
  /// Where Limit is: `hbm`.
  std::string Space = "memory";
  std::vector<StatedBytes> Kinds;
  /// The sum of all kinds of a GPU or CPU.
  Amount Sum;
  std::vector<HeldRow> Rows;

  void begin(uint64_t Request, uint64_t Need);
  void readHeadline(StringRef Line);
  void readKinds(StringRef Line);
  void readBuffer(StringRef Line);
  std::string lack() const;
};
} // namespace

/// What follows \p Key in \p Line, before anything that is quoted; nothing if
/// it is not there.
static std::optional<StringRef> after(StringRef Line, StringRef Key) {
  size_t At = Line.split('"').first.find(Key);
  if (At == StringRef::npos)
    return std::nullopt;
  return Line.substr(At + Key.size());
}

/// The amount there: `4.89GiB`, `9.08G`, `2110783616 bytes`.
static std::optional<Amount> amountAfter(StringRef Line, StringRef Key) {
  StringRef Text = after(Line, Key).value_or("").ltrim();
  StringRef Number = Text.take_front(Text.find_first_not_of(".0123456789"));
  StringRef Unit = Text.drop_front(Number.size()).ltrim();
  Number = Number.rtrim('.');
  double Value = 0;
  if (Number.empty() || Number.getAsDouble(Value))
    return std::nullopt;
  size_t Power = StringRef("KMGTP").find(Unit.empty() ? '?' : Unit.front());
  if (Power == StringRef::npos)
    return Amount{uint64_t(Value)};
  double Scale = std::exp2(10.0 * double(Power + 1));
  double LastDigit = std::pow(0.1, double(Number.split('.').second.size()));
  return Amount{uint64_t(std::llround(Value * Scale)),
                uint64_t(Scale * LastDigit / 2)};
}

/// The value of `Key="value"` or `Key=value` in \p Line.
static StringRef valueOf(StringRef Line, StringRef Key) {
  StringRef Rest = Line.split(Key).second;
  return Rest.consume_front("\"") ? Rest.split('"').first
                                  : Rest.take_while(llvm::isDigit);
}

/// A message that repeats the numbers of the one before goes on with it: logs
/// have both what was logged and what was thrown.
void Message::begin(uint64_t Request, uint64_t Need) {
  if (Request != Requested || (Need != 0 && Need != Needs))
    *this = Message();
  Requested = Request;
  Needs = std::max(Needs, Need);
}

/// What ran out.
void Message::readHeadline(StringRef Line) {
  // CPU, GPU, and TPU at run time (2018 on).
  for (StringRef Key :
       {"Out of memory while trying to allocate ", "Out of memory allocating ",
        "ran out of memory trying to allocate ", "Attempting to reserve ",
        "Attempting to allocate "})
    if (auto Size = amountAfter(Line, Key)) {
      begin(Size->Bytes, 0);
      if (auto Bytes = amountAfter(Line, "There are "))
        Free = Bytes->Bytes;
    }
  // TPU at compile time, until 2025 and since.
  static constexpr StringRef Keys[][3] = {
      {". Used ", " of ", "memory space "},
      {"memory required for HLO temporaries (", "(", "exceeds available "}};
  for (auto [Key, LimitKey, SpaceKey] : Keys)
    if (auto Need = amountAfter(Line, Key))
      if (auto Most = amountAfter(*after(Line, Key), LimitKey)) {
        begin(0, Need->Bytes);
        Limit = Most->Bytes;
        Space = Line.split(SpaceKey).second.take_while(llvm::isAlpha);
      }
}

/// Bytes by kind.
void Message::readKinds(StringRef Line) {
  if (Line.contains("BufferAssignment stats:") || Line.contains(" usage >= ")) {
    Kinds.clear();
    Sum = Amount();
  }
  static constexpr std::pair<StringRef, StringRef> Names[] = {
      {"  parameter allocation:", "arguments"},
      {"  constant allocation:", "constants"},
      {"  maybe_live_out allocation:", "results"},
      {"  preallocated temp allocation:", "temps"},
      {"  reserved  ", "reserved"},
      {"  program  ", "program"},
      {"  arguments  ", "arguments"},
      {"  HLO temp  ", "of the program in temps"}};
  for (auto [Key, Name] : Names)
    if (auto Size = amountAfter(Line, Key); Size && Size->Bytes != 0) {
      Kinds.push_back({Size->Bytes, Name.str()});
      Sum.Bytes += Size->Bytes;
      Sum.Within += Size->Within;
    }
  if (auto Total = amountAfter(Line, " usage >= "); Total && Needs == 0)
    Needs = Total->Bytes;
  auto Total = amountAfter(Line, "  total allocation:");
  if (!Total)
    return;
  // Donated arguments count as results, too (buffer_assignment.cc, 2017).
  Needs = Total->Bytes;
  uint64_t Within = Sum.Within + Total->Within;
  if (Sum.Bytes > Needs + Within)
    Kinds.push_back({Sum.Bytes - Needs,
                     fmt::format("of these are donated ({} more or less)",
                                 humanBytes(Within))});
}

/// A field of a buffer in a list.
void Message::readBuffer(StringRef Line) {
  if (Line.contains("Peak buffers:") || Line.contains("program allocations in"))
    Rows.clear();
  if (auto Size = amountAfter(Line, "Size: "))
    Rows.emplace_back().Bytes = Size->Bytes;
  if (Rows.empty())
    return;
  HeldRow &Row = Rows.back();
  Row.Unpadded = Row.Unpadded ? Row.Unpadded : Row.Bytes;
  ValueName &Called = Row.Called;
  if (auto Text = after(Line, "Operator: ")) {
    Called.OpName = valueOf(*Text, "op_name=").split('[').first;
    Called.Operation = lastScope(Called.OpName);
    if (StringRef File = valueOf(*Text, "source_file="); !File.empty())
      Called.Source =
          fmt::format("{}:{}", File, valueOf(*Text, "source_line="));
  } else if (auto Text = after(Line, "Shape: ")) {
    Row.Shape = Text->starts_with("(") ? "tuple table" : Text->split('{').first;
  } else if (auto Text = after(Line, "Entry Parameter Subshape: ")) {
    Row.Kind = MemoryKind::Parameter;
    Row.Shape = Text->split('{').first;
    Called.Operation = "argument";
  } else if (auto Size = amountAfter(Line, "Unpadded size: ")) {
    Row.Unpadded = Size->Bytes;
  } else if (auto Text = after(Line, "XLA Label: ");
             Text || (Text = after(Line, "XLA label: "))) {
    Row.Name = Text->ltrim('%').split(" = ").first;
    if (Called.Operation.empty())
      Called.Operation = withoutIndices(Row.Name);
  }
}

std::string Message::lack() const {
  if (Requested != 0)
    return fmt::format("{} could not be allocated{}", humanBytes(Requested),
                       Free == 0 ? "" : ", " + humanBytes(Free) + " were free");
  return fmt::format("{} are needed, {} of {} are there", humanBytes(Needs),
                     humanBytes(Limit), Space);
}

/// The rows of a memory usage report, and the totals of its spaces: allocations
/// of an older one, which lists them before their values, values at one place
/// of a newer one.
static void readReport(StringRef Text, std::vector<SpaceTotals> &Spaces,
                       std::vector<HeldRow> &Rows) {
  Text = Text.split("\nAllocations sorted by size with their values:").first;
  for (StringRef Line : llvm::split(Text, '\n')) {
    if (auto Name = after(Line, "Memory Space: ")) {
      SpaceTotals &Space = Spaces.emplace_back();
      Space.Name = Name->split(' ').first;
      Name->split("color=").second.consumeInteger(10, Space.Color);
    } else if (Line.starts_with("Total bytes")) {
      if (Spaces.empty())
        Spaces.emplace_back().Name = "memory";
      if (auto Total = amountAfter(Line, ": "))
        Spaces.back().Allocated = Spaces.back().Peak = Total->Bytes;
    }
    // Of other spaces than the first, the total is all that is told.
    if (!Line.contains("%);") || Spaces.size() != 1)
      continue;
    HeldRow &Row = Rows.emplace_back();
    StringRef Header = Line.split("; allocation ").second;
    auto Size = amountAfter(Line, Header.empty() ? "%);" : " size ");
    Row.Bytes = Row.Unpadded = Size ? Size->Bytes : 0;
    Row.Shape = Header.empty() ? Line.rsplit("; ").second
                               : Header.split('|').second.split('|').first;
    Row.Kind = Header.contains("parameter")  ? MemoryKind::Parameter
               : Header.contains("constant") ? MemoryKind::Constant
               : Header.contains("live-out") ? MemoryKind::LiveOut
               : Header.contains("-temp")    ? MemoryKind::Temp
                                             : MemoryKind::Other;
    if (!Header.empty())
      Row.Called.Operation = ("allocation " + Header.split(':').first).str();
  }
}

std::optional<StatedMemory>
hlobuf::readStatedMemory(StringRef Text, const SummaryOptions &Options) {
  std::vector<SpaceTotals> Spaces;
  Message Last;
  if (Text.ltrim().starts_with("Memory Space: ") ||
      Text.contains("\nAllocations sorted by size:\n")) {
    readReport(Text, Spaces, Last.Rows);
  } else {
    size_t Begin = StringRef::npos;
    for (StringRef Key : {"ut of memory", "OOM Debugging", "Attempting to "})
      Begin = std::min(Begin, Text.find(Key));
    // A log is long.
    if (Begin == StringRef::npos)
      return std::nullopt;
    Text = Text.drop_front(Text.take_front(Begin).rfind('\n') + 1);
    for (StringRef Line : llvm::split(Text, '\n')) {
      Line = Line.rtrim();
      Last.readHeadline(Line);
      Last.readKinds(Line);
      Last.readBuffer(Line);
    }
    if (Last.Needs == 0 && Last.Requested == 0)
      return std::nullopt;
  }
  StatedMemory Stated;
  if (Spaces.empty()) {
    Stated.Lack = Last.lack();
    Spaces.push_back({0, Last.Space, Last.Needs, 0, 0, Last.Needs});
  }
  if (Spaces.front().Allocated == 0)
    return Stated;
  Stated.Summary = summarizeRows(Spaces, Last.Rows, Options);
  Stated.Summary->OfText = true;
  Stated.Summary->StatedKinds = std::move(Last.Kinds);
  if (Last.Limit != 0)
    Stated.Summary->Capacity = Last.Limit;
  uint64_t Padding = sumOf(Last.Rows, [](const HeldRow &Row) {
    return Row.Bytes - std::min(Row.Bytes, Row.Unpadded);
  });
  uint64_t Listed = sumOf(Last.Rows, &HeldRow::Bytes);
  if (Padding != 0 && Padding < Listed)
    Stated.Summary->StatedKinds.push_back(
        {Padding, fmt::format("of what is listed are padding ({:.1f}x)",
                              double(Listed) / double(Listed - Padding))});
  return Stated;
}
