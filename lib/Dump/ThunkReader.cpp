// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dump/SectionReader.h"
#include "HLO/TopLevel.h"
#include "llvm/ADT/StringSwitch.h"

using namespace hlobuf;

namespace {
/// Fills Dump::Thunks.
struct ThunkReader : SectionReader {
  using SectionReader::SectionReader;
  void read(LineCursor &In);

  enum class Part : uint8_t {
    Thunks,
    Symbols,
    Allocations,
    Constants,
    Outputs,
    None,
  };
  /// A sequence that the next thunk may belong to.
  struct OpenSequence {
    ThunkSequenceId Id;
    size_t Depth = 0;
    /// Its last thunk.
    ThunkId Last;
  };

  bool readHeading(StringRef Line);
  bool readRow(StringRef Line);
  bool readSymbol(StringRef Line);
  bool readAllocation(StringRef Line);
  bool readEntry(StringRef Line, std::vector<ThunkEntry> &To);
  bool readIndented(StringRef Line);
  bool readThunk(StringRef Text);
  bool readAttribute(Scanner &Row, Thunk &T);
  bool readSlice(Scanner &Row);
  bool readSequence(ThunkRole Role, StringRef Text, Scanner &Row, size_t Depth);
  bool readResource(StringRef Text, Scanner &Row);
  void open(ThunkSequence Sequence, size_t Depth);
  void close(size_t Depth);

  Part Current = Part::Thunks;
  SmallVector<OpenSequence, 8> Open;
};
} // namespace

/// Sequences inside of sequences, far more than Proto/ThunkText prints.
static constexpr size_t MostDepth = 1024;

void ThunkReader::read(LineCursor &In) {
  present(Section::Thunks);
  for (; !In.atEnd(); In.advance()) {
    StringRef Line = In.line();
    if (Line.starts_with(" ") ? !readRow(Line) : !readHeading(Line))
      damaged(Line, Section::Thunks, "cannot parse this line of the thunks");
  }
  close(0);
  if (!Open.empty())
    D.Thunks.Sequences[0].Thunks.End = uint32_t(D.Thunks.Thunks.size());
}

bool ThunkReader::readHeading(StringRef Line) {
  if (Line == "Thunks: cpu" || Line == "Thunks: gpu") {
    if (!D.Thunks.Sequences.empty())
      return false;
    D.Thunks.ForGpu = Line == "Thunks: gpu";
    ThunkSequence Program;
    Program.Text = Line;
    open(std::move(Program), 0);
    return true;
  }
  Current = llvm::StringSwitch<Part>(Line)
                .Case("Symbols:", Part::Symbols)
                .Case("Allocations:", Part::Allocations)
                .Case("Constants:", Part::Constants)
                .Case("Outputs:", Part::Outputs)
                .Default(Part::None);
  D.Thunks.HasSymbols |= Current == Part::Symbols;
  return Current != Part::None;
}

bool ThunkReader::readRow(StringRef Line) {
  switch (Current) {
  case Part::Thunks:
    return readIndented(Line);
  case Part::Symbols:
    return readSymbol(Line.drop_front());
  case Part::Allocations:
    return readAllocation(Line.drop_front());
  case Part::Constants:
    return readEntry(Line.drop_front(), D.Thunks.Constants);
  case Part::Outputs:
    return readEntry(Line.drop_front(), D.Thunks.Outputs);
  case Part::None:
    break;
  }
  return false;
}

bool ThunkReader::readSymbol(StringRef Line) {
  auto [Kind, Name] = Line.split(' ');
  if (Kind == "kernel")
    D.Thunks.Kernels.push_back(Name);
  else if (Kind == "comparator")
    D.Thunks.Comparators.push_back(Name);
  return Kind == "kernel" || Kind == "comparator" || Kind == "unknown";
}

bool ThunkReader::readAllocation(StringRef Line) {
  ThunkAllocation A;
  A.Text = Line;
  Scanner Row(Line);
  if (!Row.signedNumber(A.Index) || !Row.literal(": size ") ||
      !Row.signedNumber(A.Size))
    return false;
  if (Row.literal(", parameter ") && !Row.signedNumber(A.Parameter.emplace()))
    return false;
  A.Constant = Row.literal(", constant");
  A.MaybeLiveOut = Row.literal(", maybe-live-out");
  D.Thunks.Allocations.push_back(A);
  return Row.atEnd();
}

bool ThunkReader::readEntry(StringRef Line, std::vector<ThunkEntry> &To) {
  ThunkEntry Entry;
  Entry.Text = Line;
  Scanner Row(Line);
  if (!Row.signedNumber(Entry.Allocation) || !Row.literal(' '))
    return false;
  if (Current == Part::Outputs &&
      (!D.Indices.parse(Row, Entry.Index) || !Row.atEnd()))
    return false;
  To.push_back(Entry);
  return true;
}

void ThunkReader::open(ThunkSequence Sequence, size_t Depth) {
  auto Next = static_cast<uint32_t>(D.Thunks.Thunks.size());
  Sequence.Thunks = {Next, Next};
  Open.push_back({ThunkSequenceId(D.Thunks.Sequences.size()), Depth, {}});
  D.Thunks.Sequences.push_back(std::move(Sequence));
}

/// Ends what is deeper than \p Depth.
void ThunkReader::close(size_t Depth) {
  auto Next = static_cast<uint32_t>(D.Thunks.Thunks.size());
  while (!Open.empty() && Open.back().Depth > Depth) {
    D.Thunks.Sequences[Open.back().Id.index()].Thunks.End = Next;
    // What is inside of its owner ends with it.
    if (ThunkId Owner = D.Thunks[Open.back().Id].Owner)
      D.Thunks.Thunks[Owner.index()].End = Next;
    Open.pop_back();
  }
}

/// Two spaces more for each sequence, and for each thunk in it.
bool ThunkReader::readIndented(StringRef Line) {
  StringRef Text = Line.ltrim(' ');
  size_t Spaces = Line.size() - Text.size();
  size_t Depth = Spaces / 2;
  if (Spaces % 2 == 0 || Depth > MostDepth)
    return false;
  Scanner Row(Text);
  if (Row.literal("shared ")) {
    close(Depth);
    return !Open.empty() && Open.back().Depth == Depth &&
           readResource(Text, Row);
  }
  for (ThunkRole Role :
       {ThunkRole::Thunks, ThunkRole::Condition, ThunkRole::Body,
        ThunkRole::Branch, ThunkRole::Embedded}) {
    StringRef Word = thunkRoleText(Role);
    if (Text == Word || Text.starts_with((Word + " ").str())) {
      Row.literal(Word);
      return readSequence(Role, Text, Row, Depth);
    }
  }
  close(Depth);
  return !Open.empty() && Open.back().Depth == Depth && readThunk(Text);
}

bool ThunkReader::readSequence(ThunkRole Role, StringRef Text, Scanner &Row,
                               size_t Depth) {
  if (Depth == 0)
    return false;
  close(Depth - 1);
  if (Open.empty() || Open.back().Depth != Depth - 1 || !Open.back().Last)
    return false;
  ThunkSequence S;
  S.Text = Text;
  S.Role = Role;
  S.Owner = Open.back().Last;
  if (Role == ThunkRole::Branch && (!Row.literal(' ') || !Row.number(S.Number)))
    return false;
  if (Role == ThunkRole::Embedded && !Row.literal(" sizes="))
    return false;
  while (Role == ThunkRole::Embedded && !Row.atEnd())
    if (!Row.number(S.Sizes.emplace_back()) ||
        (!Row.atEnd() && !Row.literal(',')))
      return false;
  Thunk &Owner = D.Thunks.Thunks[S.Owner.index()];
  auto Next = static_cast<uint32_t>(D.Thunks.Sequences.size());
  open(std::move(S), Depth + 1);
  if (Owner.Sequences.empty())
    Owner.Sequences.Begin = Next;
  Owner.Sequences.End = Next + 1;
  return Row.atEnd();
}

bool ThunkReader::readResource(StringRef Text, Scanner &Row) {
  ThunkResource R;
  R.Text = Text;
  R.In = Open.back().Id;
  R.Communicator = Row.literal("communicator");
  if (!R.Communicator && !Row.literal("token") && !Row.literal("unknown"))
    return false;
  if (!Row.literal(':'))
    return false;
  while (!Row.atEnd())
    if (!Row.literal(' ') || !Row.number(R.Users.emplace_back()))
      return false;
  D.Thunks.Resources.push_back(std::move(R));
  return true;
}

/// Bytes up to the next space, or to the colon before the slices; what is in
/// quotes or brackets may have both.
static size_t wordSize(StringRef Text) {
  size_t End =
      std::min(scanTopLevel(Text, [&](size_t I) { return Text[I] == ' '; }),
               Text.size());
  return End != 0 && End != Text.size() && Text[End - 1] == ':' ? End - 1 : End;
}

/// `KIND INSTRUCTION KEY=VALUE ..: ACCESS SLICE, ..`.
bool ThunkReader::readThunk(StringRef Text) {
  Scanner Row(Text);
  Thunk T;
  T.Text = Text;
  StringRef Kind = Row.take(wordSize(Row.rest()));
  T.Kind = parseThunkKind(Kind);
  T.Understood = T.Kind != ThunkKind::Unknown;
  if ((!T.Understood && Kind != "unknown") || !Row.literal(' '))
    return false;
  StringRef Name = Row.rest().take_front(wordSize(Row.rest()));
  Row.take(Name.size());
  if (Name.empty())
    return false;
  if (Name != "-")
    T.Instruction = D.Names.intern(Name);
  auto FirstAttribute = static_cast<uint32_t>(D.Thunks.Attributes.size());
  while (Row.literal(' '))
    if (!readAttribute(Row, T))
      return false;
  T.Attributes = {FirstAttribute, uint32_t(D.Thunks.Attributes.size())};
  auto Begin = static_cast<uint32_t>(D.Thunks.Slices.size());
  for (StringRef Before = ": "; !Row.atEnd(); Before = ", ")
    if (!Row.literal(Before) || !readSlice(Row))
      return false;
  T.Slices = {Begin, static_cast<uint32_t>(D.Thunks.Slices.size())};
  auto Id = static_cast<uint32_t>(D.Thunks.Thunks.size());
  T.In = Open.back().Id;
  T.End = Id + 1;
  Open.back().Last = ThunkId(Id);
  D.Thunks.Thunks.push_back(T);
  return true;
}

bool ThunkReader::readAttribute(Scanner &Row, Thunk &T) {
  StringRef Rest = Row.rest();
  StringRef Key = Rest.take_until([](char C) { return C == '='; });
  Row.take(Key.size() + 1);
  StringRef Value = Row.take(wordSize(Row.rest()));
  StringRef *Text = llvm::StringSwitch<StringRef *>(Key)
                        .Case("kernel", &T.Kernel)
                        .Case("comparator", &T.Comparator)
                        .Case("unknown", &T.Unknown)
                        .Case("loads", &T.Loads)
                        .Case("absent", &T.Absent)
                        .Case("kind", &T.OtherKind)
                        .Default(nullptr);
  auto *Number = llvm::StringSwitch<std::optional<uint64_t> *>(Key)
                     .Case("arity", &T.Arity)
                     .Case("execution", &T.Execution)
                     .Case("bytes", &T.CopiedBytes)
                     .Case("flags", &T.Flags)
                     .EndsWith("-stream", &T.Stream)
                     .Default(nullptr);
  if (Number == &T.Stream)
    T.StreamFor = llvm::StringSwitch<StreamKind>(Key)
                      .Case("communication-stream", StreamKind::Communication)
                      .Case("copy-stream", StreamKind::Copy)
                      .Default(StreamKind::Computation);
  if (Text)
    *Text = Value;
  else if (Number)
    return !Value.getAsInteger(10, Number->emplace());
  else if (Key == "stray-invariant")
    return !Value.getAsInteger(10, T.StrayInvariant.emplace());
  else if (Key == "captured")
    T.Captures = true;
  else if (isThunkAttribute(Key))
    D.Thunks.Attributes.push_back({Key, Value});
  else
    return false;
  T.Understood &= Key != "unknown";
  return !Value.empty();
}

bool ThunkReader::readSlice(Scanner &Row) {
  ThunkSlice S;
  StringRef Start = Row.rest();
  bool Known = false;
  for (ThunkAccess Access : {ThunkAccess::Read, ThunkAccess::Invariant,
                             ThunkAccess::Write, ThunkAccess::Update})
    if (!Known && Row.literal(thunkAccessText(Access))) {
      S.Access = Access;
      Known = true;
    }
  if (!Known || !Row.literal(' '))
    return false;
  S.Missing = Row.literal("none");
  if (!S.Missing &&
      (!Row.literal("{index:") || !Row.signedNumber(S.Bytes.Allocation) ||
       !Row.literal(", offset:") || !Row.signedNumber(S.Bytes.Offset) ||
       !Row.literal(", size:") || !Row.signedNumber(S.Bytes.Size) ||
       !Row.literal('}')))
    return false;
  if (Row.literal(' ')) {
    S.Shape = D.Shapes.parse(Row);
    if (!S.Shape)
      return false;
  }
  S.Text = Start.drop_back(Row.rest().size());
  D.Thunks.Slices.push_back(S);
  return true;
}

void hlobuf::readThunks(Dump &D, SyntaxErrors &Syntax, LineCursor &In) {
  ThunkReader(D, Syntax).read(In);
}
