// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dump/ThunkReader.h"
#include "HLO/TopLevel.h"

using namespace hlobuf;
using llvm::StringRef;

/// Sequences inside of sequences, far more than Proto/ThunkText prints.
static constexpr size_t MostDepth = 1024;

void ThunkReader::readThunks(LineCursor &In) {
  present(Section::Thunks);
  for (; !In.atEnd(); In.advance()) {
    StringRef Line = In.line();
    if (Line.starts_with(" ") ? !readRow(Line) : !readHeading(Line))
      damaged(Line, Section::Thunks, "cannot parse this line of the thunks");
  }
  close(0);
  if (!Open.empty())
    D.Thunks.Sequences[0].Thunks.End =
        static_cast<uint32_t>(D.Thunks.Thunks.size());
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
  static constexpr std::pair<StringRef, Part> Headings[] = {
      {"Symbols:", Part::Symbols},
      {"Allocations:", Part::Allocations},
      {"Constants:", Part::Constants},
      {"Outputs:", Part::Outputs}};
  for (const auto &[Text, Begun] : Headings) {
    if (Line != Text)
      continue;
    Here = Begun;
    return true;
  }
  return false;
}

bool ThunkReader::readRow(StringRef Line) {
  switch (Here) {
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
  if (Here == Part::Outputs &&
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
  if (Spaces % 2 == 0)
    return false;
  size_t Depth = Spaces / 2;
  if (Depth > MostDepth)
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
  T.Attributes = {FirstAttribute,
                  static_cast<uint32_t>(D.Thunks.Attributes.size())};
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
  auto Number = [&](auto &To) { return !Value.getAsInteger(10, To.emplace()); };
  if (Key == "kernel")
    T.Kernel = Value;
  else if (Key == "comparator")
    T.Comparator = Value;
  else if (Key == "unknown")
    T.Unknown = Value;
  else if (Key == "loads")
    T.Loads = Value;
  else if (Key == "absent")
    T.Absent = Value;
  else if (Key == "arity")
    return Number(T.Arity);
  else if (Key == "captured")
    T.Captures = true;
  else if (Key == "execution")
    return Number(T.Execution);
  else if (Key == "bytes")
    return Number(T.CopiedBytes);
  else if (Key == "flags")
    return Number(T.Flags);
  else if (Key == "stray-invariant")
    return Number(T.StrayInvariant);
  else if (Key.consume_back("-stream")) {
    T.StreamFor = Key == "communication" ? StreamKind::Communication
                  : Key == "copy"        ? StreamKind::Copy
                                         : StreamKind::Computation;
    return Number(T.Stream);
  } else if (Key == "kind")
    T.OtherKind = Value;
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
