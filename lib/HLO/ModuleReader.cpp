// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Header, stack tables and computations as xla/hlo/ir/hlo_module.cc and
// hlo_computation.cc print them, in long and short form, 2019-2026.

#include "HLO/ModuleReader.h"
#include "HLO/AttributeSyntax.h"
#include "HLO/ModuleVerifier.h"
#include "HLO/PendingText.h"
#include "Support/Format.h"
#include "Support/LineCursor.h"

using namespace hlobuf;

namespace {
/// Fills one HloModule.
struct ModuleReader {
  ModuleReader(StringRef Text, HloTables Tables,
               function_ref<void(StringRef, std::string)> Complain)
      : In(Text), Tables(Tables), Complain(Complain) {
    M.Text = Text;
    // Room that is not used takes addresses and no memory, but each copy of a
    // growing array does. Few lines are shorter.
    constexpr size_t ShortLine = 64;
    M.Instructions.reserve(Text.size() / ShortLine);
    M.Operands.reserve(Text.size() / ShortLine);
    M.Computations.reserve(Text.size() / ShortLine);
    M.Calls.reserve(Text.size() / ShortLine);
  }

  HloModule read();

  void readHeader();
  void skipRecoveryTable();
  void readHeading(StringRef Line);
  void readComputation();
  void readComputationEnd(StringRef Line);
  void readInstruction(const InstructionHead &Head, const char *End);
  void readOperands(const InstructionText &Parts, HloInstruction &I);
  void readCalls(StringRef Attributes, HloInstruction &I);
  void refuseOperands();
  bool hasElement(const HloInstruction &I, size_t K) const;
  void resolveCalls();
  void nameInstructions();
  void indexNames();
  void refuse(StringRef Loc, std::string Reason) {
    Refused = true;
    Complain(Loc, std::move(Reason));
  }
  auto refuser() { return std::bind_front(&ModuleReader::refuse, this); }

  LineCursor In;
  HloTables Tables;
  function_ref<void(StringRef, std::string)> Complain;
  bool Refused = false;
  HloModule M;
  /// Instructions of the computation at hand, the last one of each name.
  DenseMap<NameTable::Key, HloId> ByName;
  /// Operands of the computation at hand that no instruction before defines:
  /// their names, and the texts of all operands.
  std::vector<std::pair<StringRef, StringRef>> Undefined;
  /// Names of callees until they are resolved, in the order of M.Calls.
  std::vector<StringRef> CalleeNames;
};
} // namespace

/// What \p Line begins, if that is an instruction.
static std::optional<InstructionHead> headOf(StringRef Line) {
  Scanner In(Line);
  return In.literal("  ") ? takeHead(In) : std::nullopt;
}

static bool beginsComputation(StringRef Line) {
  if (!Line.ends_with("{") || Line.starts_with(" "))
    return false;
  Line.consume_front("ENTRY ");
  Line.consume_front("%");
  Scanner Name(Line);
  StringRef Text;
  return Name.name(Text) &&
         (Name.rest() == " {" || Name.rest().starts_with(" ("));
}

HloModule ModuleReader::read() {
  readHeader();
  while (!In.atEnd()) {
    StringRef Line = In.line();
    if (beginsComputation(Line)) {
      readComputation();
      continue;
    }
    if (!Line.empty() && !Line.starts_with("//"))
      refuse(Line, "expected a computation");
    In.advance();
  }
  if (!M.Entry)
    refuse(In.line(), "the module has no ENTRY computation: it was cut off");
  M.Commented = In.passedComment();
  resolveCalls();
  nameInstructions();
  indexNames();
  // What is missing is not said again.
  if (!Refused)
    verifyModule(M, Tables, Complain);
  return std::move(M);
}

void ModuleReader::readHeader() {
  while (!In.atEnd() && In.line().empty())
    In.advance();
  StringRef Line = In.line();
  if (!Line.consume_front("HloModule "))
    return refuse(Line, "expected 'HloModule'");
  size_t End = Line.find_first_of(", ");
  M.Name = Line.take_front(End);
  Line = Line.drop_front(M.Name.size());
  readHeaderKeys(Line, Tables, M, refuser());
  if (Line.ends_with("origin_recovery_table={"))
    skipRecoveryTable();
  // Stack tables and rows of debug attributes say nothing about buffers.
  for (; !In.atEnd() && !beginsComputation(In.line()); In.advance())
    if (In.line().starts_with("%") || In.line().starts_with("ENTRY") ||
        headOf(In.line()))
      refuse(In.line(), "expected a computation");
}

/// Rows may hold whole modules between quotes, whose lines look like ours.
void ModuleReader::skipRecoveryTable() {
  bool Quoted = false;
  for (In.advanceRaw(); !In.atEnd(); In.advanceRaw()) {
    StringRef Line = In.line();
    if (!Quoted && Line.starts_with("}"))
      return;
    for (size_t I = 0; I < Line.size(); ++I) {
      if (Line[I] == '\\')
        ++I;
      else if (Line[I] == '"')
        Quoted = !Quoted;
    }
  }
}

void ModuleReader::readHeading(StringRef Line) {
  HloComputation C;
  C.Line = static_cast<uint32_t>(Line.data() - M.Text.data());
  C.Entry = Line.starts_with("ENTRY ");
  ByName.clear();
  auto First = static_cast<uint32_t>(M.Instructions.size());
  C.Instructions = {First, First};
  if (C.Entry) {
    if (M.Entry)
      refuse(In.line(), "the module has a second ENTRY computation");
    M.Entry = ComputationId(M.Computations.size());
  }
  M.Computations.push_back(C);
}

void ModuleReader::readComputation() {
  readHeading(In.line());
  PendingText Pending;
  InstructionHead Head;
  bool Closed = false;
  for (In.advance(); !In.atEnd() && !Closed; In.advanceRaw()) {
    StringRef Line = In.line();
    // A raw newline inside an attribute may be followed by anything.
    char First = Line.empty() ? '\0' : Line[0];
    bool Ends = First == '}' && Pending.isBalanced();
    if (First == '/' && Line.starts_with("//") && Pending.isBalanced())
      continue;
    std::optional<InstructionHead> Next;
    if (!Ends)
      Next = headOf(Line);
    if (!Ends && (!Next || Pending.isInsideString())) {
      if (Pending.empty() || (beginsComputation(Line) && Pending.isBalanced()))
        refuse(Line, "expected an instruction");
      else
        Pending.extend(Line);
      continue;
    }
    if (!Pending.empty())
      readInstruction(Head, Pending.text().end());
    Pending = PendingText(Line);
    Head = Next.value_or(InstructionHead());
    Closed = Ends;
    if (Ends)
      readComputationEnd(Line);
  }
  HloComputation &C = M.Computations.back();
  if (!Closed)
    refuse(M.Text.take_back(0),
           "the file ends inside a computation: it was cut off");
  C.Instructions.End = static_cast<uint32_t>(M.Instructions.size());
  if (C.Instructions.empty())
    refuse(M.Text.substr(C.Line).take_until(
               [](char Byte) { return Byte == '\n'; }),
           "the computation has no instructions");
  else if (!C.Root) {
    // People may leave it out, XLA does not (HloComputation::ToString).
    if (M.Scheduled && !Refused)
      refuse(M.Text.substr(C.Line).take_until(
                 [](char Byte) { return Byte == '\n'; }),
             "no instruction of the computation is its ROOT");
    C.Root = HloId(C.Instructions.End - 1);
    M.Instructions.back().Root = true;
  }
  refuseOperands();
}

/// `}`, `}, execution_thread="host"`, until 2020 `} // NAME`.
void ModuleReader::readComputationEnd(StringRef Line) {
  StringRef Rest = Line.drop_front().split(" //").first.rtrim();
  bool OtherThread = Rest.consume_front(", execution_thread=\"");
  M.Computations.back().OtherThread = OtherThread;
  bool Good = OtherThread ? Rest.find('"') == Rest.size() - 1 && Rest.size() > 1
                          : Rest.empty();
  if (!Good)
    refuse(Line, "cannot parse the end of the computation");
}

/// The text goes from \p Head to \p End.
void ModuleReader::readInstruction(const InstructionHead &Head,
                                   const char *End) {
  std::optional<InstructionText> Parts =
      parseInstruction(Head, End, Tables.Shapes);
  const char *Begin = Head.Name.data();
  Begin -= Begin[-1] == '%';
  if (!Parts) {
    const char *Line = Begin - (Head.Root ? sizeof("ROOT ") - 1 : 0);
    refuse(StringRef(Line, static_cast<size_t>(End - Line)),
           "cannot parse this line as an instruction");
    return;
  }
  HloInstruction I;
  static_cast<TextExtent &>(I) = TextExtent(
      M.Text, StringRef(Begin, size_t(End - Begin)), Parts->Operands);
  I.Parent = ComputationId(M.Computations.size() - 1);
  I.Shape = Parts->Result;
  I.Op = Parts->Op.Op;
  I.Sugar = Parts->Op.Sugar;
  I.Root = Parts->Root;
  readOperands(*Parts, I);
  readCalls(Parts->Attributes, I);
  I.MayDeclareAliases =
      mayDeclareAliases(I.Op) &&
      holdsKey(Parts->Attributes, "output_to_operand_aliasing");
  HloId Id(M.Instructions.size());
  if (I.Root)
    M.Computations.back().Root = Id;
  NameTable::Key Key = Tables.Names.keyOf(Parts->Name);
  I.Name = Tables.Names.find(Key);
  HloId &Known = ByName[Key];
  if (Known)
    refuse(Parts->Name,
           "the computation has another instruction with this name");
  Known = Id;
  M.Instructions.push_back(I);
}

void ModuleReader::readOperands(const InstructionText &Parts,
                                HloInstruction &I) {
  I.FirstOperand = static_cast<uint32_t>(M.Operands.size());
  if (I.Op == Opcode::Constant)
    return;
  bool Good = true;
  if (I.Op == Opcode::Parameter) {
    Scanner Number(Parts.Operands);
    Good = Number.number(I.NumberOrCall) && Number.atEnd();
  } else {
    Good = forEachOperand(Parts.Operands, [&](OperandText Text) {
      HloId Source = ByName.lookup(Tables.Names.keyOf(Text.Name));
      if (!Source)
        Undefined.emplace_back(Text.Name, Parts.Operands);
      SmallVector<uint32_t, 4> Steps;
      for (Scanner Path(Text.Path); Path.literal('#');) {
        Steps.push_back(0);
        Good &= Path.number(Steps.back());
      }
      if (!Steps.empty()) {
        M.Paths.resize(M.Operands.size(), ShapeIndex::root());
        M.Paths.push_back(Tables.Indices.get(Steps));
        M.Compact = true;
      }
      M.Operands.push_back(Source);
    });
  }
  if (Good && I.Op == Opcode::GetTupleElement) {
    std::optional<StringRef> Index = findAttribute(Parts.Attributes, "index");
    Scanner Number(Index.value_or(""));
    Good = Number.number(I.NumberOrCall) && Number.atEnd();
  }
  if (!Good)
    refuse(Parts.Operands, "cannot parse the operands");
  for (uint32_t K = I.FirstOperand; K != M.Operands.size(); ++K)
    if (M.Operands[K] && !hasElement(I, K - I.FirstOperand))
      refuse(Parts.Operands, fmt::format("operand {} has no such element",
                                         M.name(M[M.Operands[K]])));
}

void ModuleReader::refuseOperands() {
  for (auto [Name, Loc] : Undefined)
    refuse(Loc,
           ByName.lookup(Tables.Names.keyOf(Name))
               ? fmt::format("operand {} is defined after its use", Name)
               : fmt::format("the computation has no instruction {}", Name));
  Undefined.clear();
}

void ModuleReader::readCalls(StringRef Attributes, HloInstruction &I) {
  auto AddCall = [&](StringRef Name, CallRole Role) {
    if (isNumbered(I.Op)) {
      refuse(Name,
             fmt::format("{} {} has an attribute '{}', but its opcode has none",
                         opcodeText(I.Op), M.name(I), callKey(Role)));
      return;
    }
    if (I.HasCalls)
      M.Calls.back().More = true;
    else
      I.NumberOrCall = static_cast<uint32_t>(M.Calls.size());
    I.HasCalls = true;
    M.Calls.push_back({ComputationId(), Role});
    CalleeNames.push_back(Name);
  };
  I.HasPredecessors =
      readAttributes(Attributes, I.Op, AddCall, refuser(), [&](StringRef Key) {
        if (M.UnknownKey.empty())
          M.UnknownKey = Key;
      });
}

/// True if what the path of operand \p K, or get-tuple-element \p I, takes is
/// there.
bool ModuleReader::hasElement(const HloInstruction &I, size_t K) const {
  HloOperand Operand = M.operand(I, K);
  if (Operand.Path.isRoot() && I.Op != Opcode::GetTupleElement)
    return true;
  SmallVector<uint32_t, 4> Steps = Tables.Indices.steps(Operand.Path);
  if (I.Op == Opcode::GetTupleElement)
    Steps.push_back(I.number());
  return Steps.empty() ||
         Tables.Shapes.at(M[Operand.Source].Shape, Steps).valid();
}

void ModuleReader::resolveCalls() {
  DenseMap<NameTable::Key, ComputationId> Known;
  for (auto [I, C] : llvm::enumerate(M.Computations)) {
    ComputationId &Id = Known[Tables.Names.keyOf(M.name(C))];
    if (Id)
      refuse(M.Text.substr(C.Line, M.Text.substr(C.Line).find(' ')),
             "the module has another computation with this name");
    Id = ComputationId(I);
  }
  for (const HloInstruction &I : M.Instructions) {
    size_t Count = M.calls(I).size();
    for (uint32_t C = I.NumberOrCall; Count != 0; ++C, --Count) {
      ComputationId Callee = Known.lookup(Tables.Names.keyOf(CalleeNames[C]));
      // Callees are printed first (HloModule::Print), so that no computation
      // can call itself.
      if (!Callee)
        refuse(CalleeNames[C], "the module has no computation with this name");
      else if (Callee >= I.Parent)
        refuse(CalleeNames[C], "this computation is defined after its use");
      else
        M.Calls[C].Callee = Callee;
    }
  }
}

/// By computation: reached from ENTRY, and no body of a fusion.
static std::vector<bool> mayHaveBuffers(const HloModule &M) {
  std::vector<bool> Reached(M.Computations.size());
  std::vector<bool> Fused(M.Computations.size());
  if (M.Entry)
    Reached[M.Entry.index()] = true;
  // Callers come after their callees.
  for (size_t C = M.Computations.size(); C-- != 0;) {
    if (!Reached[C])
      continue;
    IndexRange All = M.Computations[C].Instructions;
    for (uint32_t I = All.Begin; I != All.End; ++I)
      for (const HloCall &Call : M.calls(M.Instructions[I])) {
        if (!Call.Callee)
          continue;
        Reached[Call.Callee.index()] = true;
        // What `fusion-start` calls is the body of the wrapped fusion.
        const HloInstruction &Caller = M.Instructions[I];
        if (Caller.Op == Opcode::Fusion || Caller.Sugar)
          Fused[Call.Callee.index()] = true;
      }
  }
  for (size_t C = 0; C != Reached.size(); ++C)
    Reached[C] = Reached[C] && !Fused[C];
  return Reached;
}

/// By computation: all that call it are fusions.
static std::vector<bool> fusionBodies(const HloModule &M) {
  std::vector<bool> Fused(M.Computations.size());
  std::vector<bool> Other(M.Computations.size());
  if (M.Entry)
    Other[M.Entry.index()] = true;
  for (const HloInstruction &I : M.Instructions)
    for (const HloCall &Call : M.calls(I))
      if (Call.Callee)
        (I.Op == Opcode::Fusion ? Fused : Other)[Call.Callee.index()] = true;
  for (size_t C = 0; C != Fused.size(); ++C)
    Fused[C] = Fused[C] && !Other[C];
  return Fused;
}

/// Of instructions in bodies of fusions, which are most of a module, only names
/// that are known get one: nothing else of a dump names them.
void ModuleReader::nameInstructions() {
  std::vector<bool> Fused = fusionBodies(M);
  for (HloInstruction &I : M.Instructions)
    if (!I.Name && !Fused[I.Parent.index()])
      I.Name = Tables.Names.intern(M.name(I));
}

/// Names are unique in a module (xla/hlo/ir/hlo_module.cc, NameUniquer, 2017),
/// but all that a dump can name are instructions that may have buffers: only of
/// those the second is refused.
void ModuleReader::indexNames() {
  std::vector<bool> HasBuffers = mayHaveBuffers(M);
  M.ByName.assign(Tables.Names.size(), HloId());
  for (auto [I, Own] : llvm::enumerate(M.Instructions)) {
    if (!Own.Name)
      continue;
    HloId &Known = M.ByName[Own.Name.index()];
    bool Counts = HasBuffers[Own.Parent.index()];
    if (!Known) {
      Known = HloId(I);
      continue;
    }
    bool KnownCounts = HasBuffers[M[Known].Parent.index()];
    if (Counts && !KnownCounts)
      Known = HloId(I);
    // Inside one computation the reader has said so.
    else if (Counts && M[Known].Parent != Own.Parent)
      refuse(M.text(Own).take_until([](char C) { return C == ' '; }),
             "an instruction of another computation has this name, and both "
             "may have buffers");
  }
}

HloModule
hlobuf::readModule(StringRef Text, HloTables Tables,
                   function_ref<void(StringRef, std::string)> Refuse) {
  return ModuleReader(Text, Tables, Refuse).read();
}
