// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Memory/Why.h"
#include "Support/Format.h"
#include "Support/HumanBytes.h"
#include "Support/Printable.h"
#include "llvm/ADT/StringExtras.h"

using namespace hlobuf;

/// Readers that are listed, and values of one name that are explained.
static constexpr size_t MaxListed = 8;
static constexpr size_t MaxExplained = 3;

std::string hlobuf::whatKeeps(const MemoryUse &Memory, const ValueNames &Names,
                              ValueId V) {
  std::optional<StepRange> Range = Memory.range(V);
  if (!Range)
    return "";
  NameId Last = Memory.lastReader(V);
  if (Last && Memory.stepOf(Last) >= Range->End)
    return fmt::format("{} reads it at step {}", Names.spellInstruction(Last),
                       Memory.stepOf(Last));
  if (Memory.kind(V) == MemoryKind::Parameter)
    return "it is in the memory of an argument, which is held as long as its "
           "caller has it";
  if (!Last && Range->End == Range->Start)
    return "nothing reads it";
  return Range->End == Memory.steps()
             ? "a result of the program, or in its memory"
             : "a loop, a branch or an asynchronous operation that has it ends "
               "there";
}

std::array<std::string, 2> hlobuf::spellConflict(const Conflict &C,
                                                 const ModuleAnalysis &Module,
                                                 const ValueNames &Names) {
  const Program &P = Module.program();
  int32_t End = std::min(C.ReadStep, Module.ranges()[C.Newer]->End);
  return {fmt::format("both hold data {}: {} is written at step {} by {}",
                      C.touches()
                          ? fmt::format("at step {}", C.WriteStep)
                          : fmt::format("from step {} to {}", C.WriteStep, End),
                      Module.flow().spell(C.Newer), C.WriteStep,
                      Names.spellInstruction(P[C.Writer].Name)),
          fmt::format("and {} is needed until step {}{}",
                      Module.flow().spell(C.Older), C.ReadStep,
                      C.Reader
                          ? ": " + Names.spellInstruction(P[C.Reader].Name) +
                                " reads it there"
                          : "")};
}

WhyAnswers::WhyAnswers(const MemoryUse &Memory, const ValueNames &Names,
                       const ModuleAnalysis *Module,
                       const MemoryAnswers &Answers)
    : Memory(Memory), Names(Names), DumpFacts(Memory.facts()),
      D(DumpFacts.dump()),
      Module(Module && Module->derivesTime() ? Module : nullptr),
      Known(Answers) {
  if (this->Module)
    Sets.emplace(*Module);
}

/// The largest first.
std::vector<ValueId> WhyAnswers::find(StringRef Name) const {
  std::vector<ValueId> Out, Called;
  for (ValueId V : ids<ValueId>(D.Values.size()))
    if (D.spell(V) == Name)
      return {V};
    else if (D.Names[D[V].Tag.Name] == Name)
      Out.push_back(V);
  // A position of a value that another instruction defines.
  auto [Instruction, Index] = Name.split('{');
  SmallVector<uint32_t, 4> Steps;
  bool IsPosition =
      Index.find_first_not_of("0123456789,") == Index.size() - 1 &&
      Index.ends_with("}");
  for (StringRef Step : llvm::split(Index.rtrim('}'), ','))
    if (uint32_t K = 0; !Step.getAsInteger(10, K))
      Steps.push_back(K);
  if (Out.empty() && Module && IsPosition)
    for (HloId Id : ids<HloId>(Module->program().size()))
      if (Module->program().spell(Id) == Instruction)
        if (Part At = Module->program().partAt(Id, Steps))
          if (HloValueId V = Module->flow().hasLocations(Id)
                                 ? Module->flow().at(At.Id, At.Ordinal)
                                 : HloValueId())
            if (ValueId Line = Module->lineOf(V))
              return {Line};
  bool IsPlace = Name.contains(':');
  for (ValueId V : ids<ValueId>(Out.empty() ? D.Values.size() : 0)) {
    if (Memory.kind(V) == MemoryKind::ThreadLocal)
      continue;
    bool Argument = Memory.kind(V) == MemoryKind::Parameter;
    if (!IsPlace && !Argument)
      continue;
    ValueName Each = Names[V];
    if ((IsPlace && withoutFolders("at " + Each.Source).substr(3) == Name) ||
        (IsPlace && Each.Source == Name) || (Argument && Each.OpName == Name))
      Called.push_back(V);
  }
  Out.insert(Out.end(), Called.begin(), Called.end());
  std::ranges::stable_sort(Out, std::greater(),
                           [&](ValueId V) { return D[V].Size; });
  return Out;
}

HloValueId WhyAnswers::flowOf(ValueId V) const {
  return Module ? Module->find(D[V].Tag.Name, D[V].Tag.Index) : HloValueId();
}

/// The last ones: they are what keeps the value.
void WhyAnswers::listReaders(ValueId V, std::vector<std::string> &Lines) const {
  std::vector<Use> Readers(DumpFacts.readers(V));
  std::ranges::stable_sort(Readers, {},
                           [&](const Use &X) { return Memory.stepOf(X.Name); });
  size_t Hidden = Readers.size() - std::min(Readers.size(), MaxListed);
  if (Hidden != 0)
    Lines.push_back(fmt::format("  {} earlier readers are not listed", Hidden));
  for (const Use &Reader : ArrayRef(Readers).drop_front(Hidden))
    Lines.push_back(fmt::format(
        "  step {}: {} reads it ({})", Memory.stepOf(Reader.Name),
        D.Names[Reader.Name], Names.ofInstruction(Reader.Name).text()));
  std::optional<StepRange> Range = Memory.range(V);
  if (Range &&
      (Readers.empty() || Memory.stepOf(Readers.back().Name) < Range->End))
    Lines.push_back(fmt::format("  it is live until step {}: {}", Range->End,
                                whatKeeps(Memory, Names, V)));
}

void WhyAnswers::answerOne(ValueId V, std::vector<std::string> &Lines) const {
  std::optional<StepRange> Range = Memory.range(V);
  const SpaceUse *Space = Memory.space(D[D[V].Owner].color());
  if (!Range || !Space) {
    Lines.push_back(
        fmt::format("the live range of {} is not known", Names.spell(V)));
    return;
  }
  Lines.push_back(fmt::format("{}, {}, is live from step {} to {}",
                              Names.spell(V), humanBytes(D[V].Size),
                              Range->Start, Range->End));
  Lines.push_back(fmt::format(
      "  the peak of {} is at step {}: {}", Space->Name, Space->PeakStep,
      Memory.isLiveAt(V, Space->PeakStep) ? "it is live there"
                                          : "it is not live there"));
  listReaders(V, Lines);
  if (!Known.Copies)
    return;
  for (const CopyRow &Row : Known.Copies->Rows)
    if (llvm::is_contained(Row.Names, D.Names[D[V].Tag.Name])) {
      Lines.push_back(
          fmt::format("  it is a copy of {} ({}, {} in one run): {}", Row.What,
                      causeName(Row.Cause), humanBytes(Row.sum()), Row.Why));
      if (!Row.Change.empty())
        Lines.push_back("  -> " + Row.Change);
    }
}

/// An alias set, in one line.
void WhyAnswers::describeArray(StringRef Title, ValueId V,
                               std::vector<std::string> &Lines) const {
  StepRange All = Memory.range(V).value_or(StepRange{0, Memory.steps()});
  ArrayRef<HloValueId> Members;
  if (HloValueId Flow = flowOf(V))
    Members = Sets->members(Flow);
  ValueId Last = V;
  for (HloValueId M : Members)
    if (std::optional<StepRange> Range = Module->ranges()[M]) {
      All.Start = std::min(All.Start, Range->Start);
      if (ValueId Line = Module->lineOf(M); Line && Range->End >= All.End)
        Last = Line;
      All.End = std::max(All.End, Range->End);
    }
  Lines.push_back(fmt::format(
      "  {}: {}, {}{}, steps {} to {}; {}", Title, Names.spell(V),
      humanBytes(D[V].Size),
      Members.size() > 1
          ? fmt::format(", {} values that share their bytes over time",
                        Members.size())
          : "",
      All.Start, All.End, whatKeeps(Memory, Names, Last)));
}

/// Where steps do not matter.
bool WhyAnswers::explainByPlace(ValueId X, ValueId Y,
                                std::vector<std::string> &Lines) const {
  HloValueId FX = flowOf(X), FY = flowOf(Y);
  const Allocation &OX = D[D[X].Owner], &OY = D[D[Y].Owner];
  if (X == Y || (FX && FY && Module->aliases().same(FX, FY))) {
    Lines.push_back("they are one array over time, and have the same bytes");
    return true;
  }
  if (D[X].Owner == D[Y].Owner &&
      spanOf(OX, D[X]).Begin < spanOf(OY, D[Y]).End &&
      spanOf(OY, D[Y]).Begin < spanOf(OX, D[X]).End) {
    Lines.push_back(fmt::format("they share bytes of allocation {}", OX.Index));
    return true;
  }
  if (OX.color() != OY.color()) {
    Lines.push_back("they are in different memory spaces");
    return true;
  }
  for (ValueId V : {X, Y})
    if (Memory.kind(V) != MemoryKind::Temp) {
      Lines.push_back(
          fmt::format("{} is in the memory of {}, which nothing "
                      "else may have",
                      Names.spell(V),
                      Memory.kind(V) == MemoryKind::Parameter  ? "an argument"
                      : Memory.kind(V) == MemoryKind::Constant ? "a constant"
                                                               : "a result"));
      return true;
    }
  return false;
}

void WhyAnswers::answerTwo(ValueId X, ValueId Y,
                           std::vector<std::string> &Lines) const {
  if (Memory.isTimed()) {
    describeArray("first", X, Lines);
    describeArray("second", Y, Lines);
  }
  if (explainByPlace(X, Y, Lines))
    return;
  HloValueId FX = flowOf(X), FY = flowOf(Y);
  if (FX && FY) {
    std::optional<Conflict> C = Sets->find({FX, FY});
    if (!C) {
      Lines.push_back("nothing keeps them apart: XLA had the room, or packed "
                      "them so");
      return;
    }
    auto [Writes, Needs] = spellConflict(*C, *Module, Names);
    Lines.push_back(Writes);
    Lines.push_back("  " + Needs);
    return;
  }
  std::optional<StepRange> RX = Memory.range(X), RY = Memory.range(Y);
  if (!RX || !RY)
    Lines.push_back("their live ranges are not known");
  else if (int32_t From = std::max(RX->Start, RY->Start),
           To = std::min(RX->End, RY->End);
           From <= To)
    Lines.push_back(fmt::format("both are live from step {} to {}", From, To));
  else
    Lines.push_back("they are never live together");
}

WhyAnswer WhyAnswers::answer(StringRef Question) const {
  WhyAnswer Out;
  Out.Question = fmt::format("why {} is live", Question);
  std::vector<ValueId> All = find(Question);
  for (ValueId V : ArrayRef(All).take_front(MaxExplained))
    answerOne(V, Out.Lines);
  if (All.size() > MaxExplained)
    Out.Lines.push_back(
        fmt::format("{} smaller values of it", All.size() - MaxExplained));
  // A source line has a colon, too.
  for (size_t Colon = Question.find(':');
       All.empty() && Out.Lines.empty() && Colon != StringRef::npos;
       Colon = Question.find(':', Colon + 1)) {
    StringRef X = Question.take_front(Colon), Y = Question.substr(Colon + 1);
    std::vector<ValueId> Xs = find(X);
    std::vector<ValueId> Ys = Xs.empty() ? Xs : find(Y);
    if (Ys.empty())
      continue;
    Out.Question = fmt::format("why {} and {} are apart", X, Y);
    answerTwo(Xs.front(), Ys.front(), Out.Lines);
  }
  for (std::string &Line : Out.Lines)
    Line = printable(Line);
  return Out;
}
