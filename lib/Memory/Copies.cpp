// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Memory/Copies.h"
#include "Elements/Scalars.h"
#include "Memory/Instructions.h"
#include "Support/Format.h"
#include "Support/HumanBytes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace hlobuf;

/// Copies and updates on one way, and what a value depends on, at most.
static constexpr unsigned MaxWay = 200;
static constexpr size_t MaxCone = 1024;
/// Members of an alias set that are asked.
static constexpr size_t MaxSetMembers = 512;
/// Smaller rows are counted and not shown: this part of all traffic, and
/// copies of this many bytes, which are counters of loops.
static constexpr uint64_t ShownShare = 100;
static constexpr uint64_t ShownBytes = 64;

StringRef hlobuf::causeName(CopyCause Cause) {
  static constexpr StringRef Names[] = {
#define HLOBUF_COPY_CAUSE(Enumerator, Name, InJax, InOthers) Name,
#include "Memory/CopyCauses.def"
  };
  return Names[static_cast<size_t>(Cause)];
}

static StringRef changeFor(CopyCause Cause, Frontend From) {
  static constexpr std::pair<StringRef, StringRef> Changes[] = {
#define HLOBUF_COPY_CAUSE(Enumerator, Name, InJax, InOthers) {InJax, InOthers},
#include "Memory/CopyCauses.def"
  };
  const auto &[InJax, InOthers] = Changes[static_cast<size_t>(Cause)];
  return From == Frontend::JAX ? InJax : InOthers;
}

std::string CopyRow::amount() const {
  std::string Text = humanBytes(Bytes);
  if (Names.size() > 1)
    Text = fmt::format("{} copies of {}", Names.size(), Text);
  if (MostRuns != 1)
    Text += fmt::format(" x {}", MostRuns);
  if (!UnknownLoop.empty())
    Text += " in each trip of " + UnknownLoop;
  return Text;
}

std::string CopyRow::title() const {
  std::string Some = llvm::join(ArrayRef(Names).take_front(2), ", ");
  if (Names.size() > 2)
    Some += ", ..";
  return fmt::format("{}  {}: {}  [{}]", amount(), Some, What,
                     causeName(Cause));
}

CopyFinder::CopyFinder(const ModuleAnalysis &Module, const ValueNames &Names)
    : Module(Module), P(Module.program()), Flow(Module.flow()), Names(Names),
      Bytes(Module), Sets(Module), Donated(donatedValues(Flow)) {}

HloValueId CopyFinder::valueOf(HloId Copy) const {
  Part At = copiedPart(P, Copy);
  return Flow.at(Copy, At.Ordinal);
}

HloValueId CopyFinder::sourceOf(HloId Copy) const {
  return Flow.at(P.operands(Copy)[0], 0);
}

std::string CopyFinder::spell(HloId Id, bool WithStep) const {
  std::string Text;
  if (P[Id].Op == Opcode::While) {
    Text = "the " + withoutFolders(Names.loopText(P[Id].Name));
  } else if (copiedPart(P, Id)) {
    Text = P.spell(Id);
  } else {
    ValueName Called = Names.ofInstruction(P[Id].Name);
    Text = Called.Operation.empty() ? P.spell(Id) : Called.Operation;
    if (!Called.Source.empty())
      Text += " at " + withoutFolders(Called.Source);
  }
  if (WithStep)
    Text += fmt::format(" (step {})", Module.schedule().time(Id));
  return Text;
}

Part CopyFinder::walkBack(Part At, SmallVectorImpl<HloId> &Path) const {
  for (unsigned I = 0; I != MaxWay; ++I) {
    At = lookThrough(P, At);
    if (!At)
      return At;
    bool Copies = (P[At.Id].Op == Opcode::Copy && At.Ordinal == 0) ||
                  (P[At.Id].Op == Opcode::CopyStart &&
                   At.Ordinal == P.trees().elementOrdinal(P[At.Id].Shape, 0));
    uint32_t Operand = 0;
    if (!Copies) {
      auto Updates = Bytes.updates(At.Id);
      const auto *Update = llvm::find_if(Updates, [&](const PartUpdate &U) {
        return U.Result == At.Ordinal && U.InPlace;
      });
      if (Update == Updates.end())
        return At;
      Operand = Update->Operand;
    }
    Path.push_back(At.Id);
    At = {P.operands(At.Id)[Operand], 0};
    if (!At.Id)
      return {};
  }
  return At;
}

std::vector<CopyFinder::Way> CopyFinder::findWays() const {
  std::vector<Way> Ways;
  DenseSet<uint32_t> Done;
  auto Add = [&](ComputationId C, Part At, std::optional<uint32_t> End) {
    SmallVector<HloId, 8> Path;
    Way W{C, End, {}, walkBack(At, Path)};
    for (HloId Id : llvm::reverse(Path))
      if (const InstructionTraffic *Row = Bytes.row(Id);
          Row && Row->Move == MoveKind::Copy && Done.insert(Id.index()).second)
        W.Copies.push_back(Id);
    if (W.Start && !W.Copies.empty())
      Ways.push_back(std::move(W));
  };
  for (uint32_t I = 0; I != P.module().Computations.size(); ++I) {
    ComputationId C(I);
    HloId Root = P.root(C);
    if (!Root || !Module.schedule().isFlattened(C))
      continue;
    for (uint32_t K = 0; K != P.trees().parts(P[Root].Shape); ++K)
      if (!P.trees().isTuple(P[Root].Shape, K))
        Add(C, {Root, K}, K);
    for (HloId Id : P.order(C))
      if (isSynchronousCall(P[Id].Op))
        for (HloId Operand : P.operands(Id))
          for (uint32_t K = 0;
               Operand && K != P.trees().parts(P[Operand].Shape); ++K)
            if (!P.trees().isTuple(P[Operand].Shape, K))
              Add(C, {Operand, K}, std::nullopt);
  }
  for (const InstructionTraffic &Row : Bytes.rows())
    if (Row.Move == MoveKind::Copy)
      Add(P[Row.Id].Parent, {Row.Id, 0}, std::nullopt);
  return Ways;
}

bool CopyFinder::isUndonated(Part At) const {
  HloValueId V = Flow.at(At.Id, At.Ordinal);
  return P[At.Id].Op == Opcode::Parameter &&
         P[At.Id].Parent == P.module().Entry && V && !Donated[V.index()];
}

/// The first instruction of the computation that writes over the last copy.
HloId CopyFinder::nextWriter(HloValueId Set, const Way &W) const {
  HloId First;
  int32_t After = Module.schedule().time(W.Copies.front());
  for (HloValueId V : Sets.members(Set).take_front(MaxSetMembers)) {
    HloId Id = Sets.runner(Sets.writer(V), W.In);
    if (!Id || llvm::is_contained(W.Copies, Id) || isGiven(P[Id].Op) ||
        accessesNoMemory(P[Id].Op))
      continue;
    int32_t Step = Module.schedule().time(Id);
    if (Step > After && (!First || Step < Module.schedule().time(First)))
      First = Id;
  }
  return First;
}

/// Of an argument that its caller keeps.
bool CopyFinder::explainSource(CopyRow &Row, const Way &W) const {
  if (!isUndonated(W.Start))
    return false;
  HloValueId Last = valueOf(W.Copies.back());
  HloId Writer = Last ? nextWriter(Last, W) : HloId();
  if (!Writer && !W.End)
    return false;
  Row.Cause = Writer ? CopyCause::Undonated : CopyCause::Returned;
  Row.Why = Writer ? fmt::format("it is not donated, and {} writes over it",
                                 spell(Writer, true))
                   : "it is a result as it came in";
  return true;
}

/// One value is two results, or two elements of a loop's state.
bool CopyFinder::endsTwice(const Way &W) const {
  HloId Root = P.root(W.In);
  HloValueId From = Flow.at(W.Start.Id, W.Start.Ordinal);
  bool Entry = W.In == P.module().Entry;
  if (W.End && From)
    for (uint32_t K = 0; K != P.trees().parts(P[Root].Shape); ++K)
      if (HloValueId V = Flow.at(Root, K);
          K != *W.End && V &&
          (V == From || (Entry && Sets.origin(V) == Sets.origin(From))))
        return true;
  DenseSet<uint32_t> Callers;
  for (HloId Copy : W.Copies)
    if (HloValueId V = sourceOf(Copy))
      Flow.forEachUse(V, [&](HloId User, uint32_t, Part) {
        if (isSynchronousCall(P[User].Op))
          Callers.insert(User.index());
      });
  bool Twice = false;
  if (HloValueId V = valueOf(W.Copies.back()))
    Flow.forEachUse(V, [&](HloId User, uint32_t, Part) {
      Twice |= Callers.contains(User.index());
    });
  return Twice;
}

/// By where the way begins and ends.
bool CopyFinder::explainState(CopyRow &Row, const Way &W) const {
  HloId Caller = callerOf(P, W.In);
  bool Given = P[W.Start.Id].Op == Opcode::Parameter;
  CallRole Role = roleOf(P, W.In);
  if (Given && Role == CallRole::Body && W.End && *W.End != W.Start.Ordinal) {
    Row.Cause = CopyCause::Moved;
    Row.Why = fmt::format("{} moves it from element {} of its state to element "
                          "{}",
                          spell(Caller, false),
                          P.steps({P.root(W.In), W.Start.Ordinal}).front(),
                          P.steps({P.root(W.In), *W.End}).front());
    return true;
  }
  if (Given && Role == CallRole::Branch) {
    Row.Cause = CopyCause::Branch;
    Row.Why = fmt::format("{} returns it as it came in from one branch, and "
                          "something else from another",
                          spell(Caller, false));
    return true;
  }
  if (endsTwice(W)) {
    Row.Cause = CopyCause::Twice;
    Row.Why = "one value is there twice, and each needs bytes of its own";
    return true;
  }
  HloValueId Last = valueOf(W.Copies.back());
  if (Given || P[W.Start.Id].Op == Opcode::Constant || !Last)
    return false;
  const AliasAnalysis &Aliases = Module.aliases();
  bool IntoParameter = llvm::any_of(Sets.members(Last), [&](HloValueId V) {
    HloId Id = Flow[V].Definition;
    return P[Id].Op == Opcode::Parameter && P[Id].Parent == W.In;
  });
  bool Reads = llvm::any_of(P.operands(W.Start.Id), [&](HloId Operand) {
    HloValueId V = Operand ? Flow.at(Operand, 0) : HloValueId();
    return V && Aliases.same(V, Last);
  });
  if (!IntoParameter || !Reads)
    return false;
  Row.Cause = CopyCause::Back;
  Row.Why = fmt::format("{} reads what it will be copied to, so that its "
                        "result is made elsewhere and copied back",
                        spell(W.Start.Id, true));
  return true;
}

/// By what is live together.
bool CopyFinder::explainConflict(CopyRow &Row, const Way &W) const {
  SmallVector<HloValueId, 4> Values;
  if (HloValueId V = Flow.at(W.Start.Id, W.Start.Ordinal))
    Values.push_back(V);
  for (HloId Copy : W.Copies)
    if (HloValueId V = valueOf(Copy))
      Values.push_back(V);
  std::optional<Conflict> Found = Sets.find(Values);
  if (!Found ||
      (Found->touches() &&
       (P[Found->Writer].Op == Opcode::Copy ||
        readsInPlace(P, Found->Writer, Flow[Found->Older].Definition))))
    return false;
  const Conflict &C = *Found;
  Row.Older = Flow.spell(C.Older);
  Row.Newer = Flow.spell(C.Newer);
  Row.Reader = C.Reader ? P.spell(C.Reader) : "";
  Row.Writer = P.spell(C.Writer);
  Row.Cause = C.touches() ? CopyCause::Self : CopyCause::Reader;
  std::string Reader = C.Reader ? spell(C.Reader, false) : "the program";
  Row.Why = C.touches()
                ? fmt::format("{} reads other elements of the old value in the "
                              "step in which it writes the new one, step {}",
                              spell(C.Writer, false), C.WriteStep)
                : fmt::format("{} needs the old value until step {}; {} "
                              "writes the new one at step {}",
                              Reader, C.ReadStep, spell(C.Writer, false),
                              C.WriteStep);
  if (!C.touches() && C.Reader && Names.frontend() == Frontend::JAX &&
      roleOf(P, W.In) == CallRole::Body &&
      Names.ofInstruction(P[C.Reader].Name).OpName.find("transpose(") !=
          std::string::npos)
    Row.Change =
        "it is the gradient of that loop: carry only the part that its next "
        "trip reads, and return each as output: return part, part";
  return true;
}

void CopyFinder::explain(CopyRow &Row, const Way &W) const {
  if (explainSource(Row, W) || explainState(Row, W))
    return;
  HloValueId From = Flow.at(W.Start.Id, W.Start.Ordinal);
  ValueId Line = From ? Module.lineOf(From) : ValueId();
  const Dump &D = Module.facts().dump();
  if (P[W.Start.Id].Op == Opcode::Constant ||
      (Line && D[D[Line].Owner].Constant)) {
    Row.Cause = CopyCause::Constant;
    Row.Why = "it begins as a constant, whose bytes may not change";
    return;
  }
  if (explainConflict(Row, W))
    return;
  Row.Cause = CopyCause::Order;
  Row.Why = "nobody needs the old value in this order of steps";
  HloId Reader;
  for (HloId Copy : W.Copies)
    for (HloValueId V : {sourceOf(Copy), valueOf(Copy)})
      if (HloId Id = V ? Sets.lastReader(V) : HloId();
          Id && P[Id].Op != Opcode::Copy &&
          (!Reader ||
           Module.schedule().time(Id) > Module.schedule().time(Reader)))
        Reader = Id;
  if (Reader)
    Row.Why += fmt::format(": {} reads it last", spell(Reader, true));
  Row.Why += "; XLA copied before it had this order";
}

CopyRow CopyFinder::rowOf(const Way &W) const {
  CopyRow Row;
  RunCount Runs = Bytes.runs(W.In);
  Row.LeastRuns = Runs.Least;
  Row.MostRuns = Runs.Most;
  Row.UnknownLoop = Runs.Unknown ? P.spell(Runs.Unknown) : "";
  for (HloId Id : W.Copies) {
    const InstructionTraffic &One = *Bytes.row(Id);
    Row.Read = llvm::SaturatingMultiplyAdd(One.Read, Runs.Most, Row.Read);
    Row.Written =
        llvm::SaturatingMultiplyAdd(One.Written, Runs.Most, Row.Written);
    Row.Bytes = std::max(Row.Bytes, One.Written);
    Row.IsSmall &=
        Bytes.unpadded({Id, copiedPart(P, Id).Ordinal}) <= ShownBytes;
  }
  Row.From = Flow.at(W.Start.Id, W.Start.Ordinal);
  Row.To = valueOf(W.Copies.back());
  return Row;
}

/// In words of its user.
void CopyFinder::describe(CopyRow &Row, const Way &W) const {
  Row.Copies = W.Copies;
  for (HloId Id : W.Copies)
    Row.Names.push_back(P.spell(Id));
  HloId Caller = callerOf(P, P[W.Start.Id].Parent);
  ValueId Line = Row.From ? Module.lineOf(Row.From) : ValueId();
  if (P[W.Start.Id].Op == Opcode::Parameter && Caller)
    Row.What = (P[Caller].Op == Opcode::While ? "carry of " : "operand of ") +
               spell(Caller, false);
  else
    Row.What = Line ? withoutFolders(Names[Line].text()) : P.spell(W.Start.Id);
  ValueName Called = Names.ofInstruction(P[W.Copies.front()].Name);
  Row.OpName = Called.OpName;
  Row.Source = Called.Source;
}

bool CopyFinder::isInvariant(Part At, ComputationId Body, HloId Fusion) const {
  SmallVector<Part, 16> Work{At};
  DenseSet<IdPair> Seen;
  while (!Work.empty()) {
    Part Next = lookThrough(P, Work.pop_back_val());
    if (!Next || Seen.size() == MaxCone)
      return false;
    if (!Seen.insert({Next.Id.index(), Next.Ordinal}).second)
      continue;
    const HloNode &Node = P[Next.Id];
    bool Given = Node.Op == Opcode::Parameter;
    if (Given && Node.Parent == Body) {
      if (lookThrough(P, {P.root(Body), Next.Ordinal}) != Next)
        return false;
      continue;
    }
    if (Given ? !Fusion || Node.number() >= P.operands(Fusion).size()
              : !onlyComputes(Node.Op))
      return false;
    if (Given)
      Work.push_back({P.operands(Fusion)[Node.number()], Next.Ordinal});
    else
      for (HloId Operand : P.operands(Next.Id))
        Work.push_back({Operand, 0});
  }
  return true;
}

void CopyFinder::explainRewrite(CopyRow &Row,
                                const InstructionTraffic &R) const {
  ComputationId In = P[R.Id].Parent;
  auto Invariant = [&](HloId Operand) { return isInvariant({Operand, 0}, In); };
  if (roleOf(P, In) == CallRole::Body && callerOf(P, In) &&
      !P.operands(R.Id).empty() && llvm::all_of(P.operands(R.Id), Invariant)) {
    Row.Cause = CopyCause::Invariant;
    Row.Why = "each trip of the loop makes it anew from what no trip changes";
    return;
  }
  if (R.Move == MoveKind::Concatenate) {
    Row.Cause = CopyCause::Concatenate;
    Row.Why = "it is put together anew: all of it is written";
    return;
  }
  if (R.Move == MoveKind::Layout) {
    Row.Cause = CopyCause::Layout;
    Row.Why = "what reads it needs another layout";
    return;
  }
  auto Updates = Bytes.updates(R.Id);
  const auto *Update =
      llvm::find_if(Updates, [](const PartUpdate &U) { return !U.InPlace; });
  Part Source = lookThrough(P, {P.operands(R.Id)[Update->Operand], 0});
  if (Source && isUndonated(Source)) {
    Row.Cause = CopyCause::Undonated;
    Row.From = Flow.at(Source.Id, Source.Ordinal);
    Row.Why = "it is not donated, and this updates it";
    return;
  }
  HloValueId V = Source ? Flow.at(Source.Id, Source.Ordinal) : HloValueId();
  HloId Reader = V ? Sets.lastReader(V) : HloId();
  bool Later =
      Reader && Module.schedule().time(Reader) > Module.schedule().time(R.Id);
  Row.Cause = Later ? CopyCause::Reader : CopyCause::Self;
  Row.Why =
      Later ? fmt::format("{} reads the old value later", spell(Reader, true))
            : "it reads other elements of what it updates, or its result "
              "has other bytes";
}

/// A result like it has to take its memory, and what else reads it must do so
/// before.
std::string CopyFinder::donationOf(const CopyRow &Row, const Way &W) const {
  const HloValue &Given = Flow[Row.From];
  uint64_t Size = Bytes.unpadded({Given.Definition, Given.Ordinal});
  HloId Root = P.root(P.module().Entry);
  bool Fits = false;
  for (uint32_t K = 0; K != P.trees().parts(P[Root].Shape); ++K)
    Fits |= Bytes.unpadded({Root, K}) == Size;
  if (!Fits)
    return "nothing: no result has its size, so that it cannot be given away";
  bool ReadElsewhere = false;
  Flow.forEachUse(Row.From, [&](HloId User, uint32_t, Part) {
    ReadElsewhere |= !llvm::is_contained(W.Copies, User);
  });
  std::string Hint =
      donationHint(Names.frontend(), Names[Module.lineOf(Row.From)].OpName);
  if (ReadElsewhere)
    Hint += ("; and, as something else reads it: " +
             changeFor(CopyCause::Reader, Names.frontend()))
                .str();
  return Hint;
}

CopyTable CopyFinder::find(uint64_t Large) const {
  CopyTable Table;
  Table.All = {Bytes.bounds([](const auto &R) { return R.Read; }).second,
               Bytes.bounds([](const auto &R) { return R.Written; }).second};
  std::tie(Table.LeastCopied, Table.MostCopied) =
      Bytes.bounds([](const InstructionTraffic &R) {
        return R.Move == MoveKind::None ? 0 : R.sum();
      });
  Table.BetweenSpaces = Bytes
                            .bounds([](const InstructionTraffic &R) {
                              return R.Move == MoveKind::Space ? R.sum() : 0;
                            })
                            .second;
  auto IsShown = [&](const CopyRow &Row) {
    return Row.sum() >= Table.All.sum() / ShownShare && !Row.IsSmall;
  };
  auto Add = [&](const Way &W, auto Explain) {
    CopyRow Row = rowOf(W);
    if (!IsShown(Row) && Row.Bytes < Large)
      return;
    describe(Row, W);
    Explain(Row);
    if (Row.Cause == CopyCause::Undonated && Row.From &&
        Module.lineOf(Row.From))
      Row.Change = donationOf(Row, W);
    else if (Row.Change.empty())
      Row.Change = changeFor(Row.Cause, Names.frontend());
    Table.Rows.push_back(std::move(Row));
  };
  for (const Way &W : findWays())
    Add(W, [&](CopyRow &Row) { explain(Row, W); });
  for (const InstructionTraffic &R : Bytes.rows())
    if (R.Move == MoveKind::Layout || R.Move == MoveKind::Rewrite ||
        R.Move == MoveKind::Concatenate)
      Add({P[R.Id].Parent, std::nullopt, {R.Id}, {R.Id, 0}},
          [&](CopyRow &Row) { explainRewrite(Row, R); });
  std::ranges::stable_sort(Table.Rows, std::greater(), &CopyRow::sum);
  Table.NumShown = static_cast<size_t>(llvm::count_if(Table.Rows, IsShown));
  return Table;
}
