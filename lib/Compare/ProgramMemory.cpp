// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Compare/ProgramMemory.h"
#include "Dataflow/ModuleAnalysis.h"
#include "Memory/Instructions.h"
#include "Memory/MemoryTree.h"
#include "Memory/Why.h"
#include "Support/Format.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

using namespace hlobuf;

/// Of values of less than this part of a peak nobody asks what keeps them.
static constexpr uint64_t SmallPart = 1000;
/// Arrays of less than this part of a peak are not compared, and of those at a
/// peak only so many with each other.
static constexpr uint64_t ArrayPart = 100;
static constexpr size_t MaxHeldArrays = 16;
/// The same of arrays with fewer bytes, which are semaphores and counters, and
/// of copies, unless they are a large part of all.
static constexpr uint64_t LeastBytes = 4096;
/// Readers by which a value is known, at most.
static constexpr size_t MaxReaders = 8;

StringRef ComparedValue::operation() const {
  StringRef OpName = Called.OpName;
  return Kind == MemoryKind::Parameter ? OpName : lastScope(OpName);
}

StringRef ComparedValue::elementType() const {
  return StringRef(PlainShape).take_until([](char C) { return C == '['; });
}

size_t ComparedValue::rank() const {
  StringRef Dimensions = StringRef(PlainShape).split('[').second;
  return Dimensions.starts_with("]") ? 0 : Dimensions.count(',') + 1;
}

std::string hlobuf::identityOf(StringRef Operation, StringRef Source,
                               StringRef PlainShape) {
  return (Operation + "|" + Source + "|" + PlainShape).str();
}

namespace {
/// What the texts say of an instruction: another compiler moves operations
/// between fusions.
struct StatedOperation {
  std::string OpName;
  /// The identity of its value, up to the shape.
  std::string Identity;
  /// Its metadata are not those of an operand.
  bool IsOwn = false;
};

class Describer {
public:
  Describer(const MemoryUse &Memory, const ValueNames &Names,
            const ModuleAnalysis *Module)
      : Memory(Memory), DumpFacts(Memory.facts()), D(DumpFacts.dump()),
        Names(Names),
        Module(Module && Module->derivesTime() ? Module : nullptr),
        Operations(D.Names.size()) {
    if (this->Module)
      Copies.emplace(*Module, Names);
  }

  ProgramMemory run(StringRef Title);
  ComparedValue describe(const HeldValue &Entry);

private:
  const StatedOperation &stated(NameId Name);
  std::string plainShape(ShapeId Shape) const {
    return Shape ? D.Shapes.plainText(Shape) : "";
  }
  std::string identity(ValueId V) {
    return stated(D[V].Tag.Name).Identity + plainShape(D[V].Shape);
  }
  ValueId parameterOf(AllocationId Owner);
  std::string readersOf(ValueId V);
  HloValueId flowOf(ValueId V) const {
    return Module ? Module->find(D[V].Tag.Name, D[V].Tag.Index) : HloValueId();
  }
  int32_t startOf(HloValueId V) const {
    std::optional<StepRange> Range = Module->ranges()[V];
    return Range ? Range->Start : Memory.steps();
  }
  std::string arrayKey(HloValueId &First) const;
  void addArrays();
  void compareArrays(ArrayRef<ComparedValue> Held);
  void addSpaces();
  void addValues();
  void addArguments();

  const MemoryUse &Memory;
  const Facts &DumpFacts;
  const Dump &D;
  const ValueNames &Names;
  /// Null if no times can be derived from it; then there are no Copies.
  const ModuleAnalysis *Module;
  std::optional<CopyFinder> Copies;
  /// The keys of arrays by the representatives of their sets.
  DenseMap<uint32_t, std::string> Arrays;
  /// By name, of those that were asked for.
  std::vector<std::optional<StatedOperation>> Operations;
  /// By allocation, of those that were asked for.
  DenseMap<uint32_t, ValueId> Parameters;
  ProgramMemory Described;
};
} // namespace

const StatedOperation &Describer::stated(NameId Name) {
  std::optional<StatedOperation> &Known = Operations[Name.index()];
  if (!Known) {
    ValueName Called = statedName(DumpFacts, Name);
    bool IsOwn = !Called.Inherited && !Called.OpName.empty();
    Known = {Called.OpName,
             identityOf(lastScope(Called.OpName), Called.Source, ""), IsOwn};
  }
  return *Known;
}

/// The value of \p Owner that its parameter instruction defines; invalid if
/// there is none.
ValueId Describer::parameterOf(AllocationId Owner) {
  const Allocation &Alloc = D[Owner];
  if (!Alloc.isParameter())
    return ValueId();
  auto [Known, New] = Parameters.try_emplace(Owner.index());
  auto Values = Dump::valueIds(Alloc);
  auto Parameter = llvm::find_if(Values, [&](ValueId V) {
    return findOpcode(DumpFacts, D[V].Tag.Name) == Opcode::Parameter;
  });
  if (New && Parameter != Values.end())
    Known->second = *Parameter;
  return Known->second;
}

std::string Describer::readersOf(ValueId V) {
  std::set<std::string> Readers;
  for (const Use &Reader : DumpFacts.readers(V)) {
    const StatedOperation &From = stated(Reader.Name);
    if (From.IsOwn)
      Readers.insert(From.Identity);
    if (Readers.size() == MaxReaders)
      break;
  }
  return llvm::join(Readers, ";");
}

ComparedValue Describer::describe(const HeldValue &Entry) {
  // An argument is known by its own name, whatever is written over it.
  ValueId Known = Entry.Value;
  AllocationId Owner = D[Entry.Value].Owner;
  if (ValueId Parameter = parameterOf(Owner))
    Known = Parameter;
  const Value &V = D[Known];
  ComparedValue C;
  static_cast<NamedBytes &>(C) = Names.named(Entry);
  C.Name = D.spell(V.Tag.Name, V.Tag.Index);
  C.Shape = V.Shape ? D.Shapes.text(V.Shape).str() : "";
  C.PlainShape = plainShape(V.Shape);
  C.Opcode = opcodeText(findOpcode(DumpFacts, V.Tag.Name)).str();
  C.Step = Memory.stepOf(V.Tag.Name);
  if (D[Owner].isParameter())
    C.Argument = D[Owner].ParameterNumber;
  C.Readers = readersOf(Known);
  C.Shared.push_back(identity(Known));
  if (Known != Entry.Value)
    C.Shared.push_back(identity(Entry.Value));
  for (ValueId Other : Entry.Others)
    C.Shared.push_back(identity(Other));
  if (HloValueId Flow = flowOf(Entry.Value))
    C.Array = Arrays.lookup(Module->aliases().group(Flow).index());
  return C;
}

/// What the array of \p First is known by, which becomes its first value.
std::string Describer::arrayKey(HloValueId &First) const {
  const SetConflicts &Sets = Copies->conflicts();
  HloId Reader;
  for (HloValueId V : Sets.members(First)) {
    if (startOf(V) < startOf(First))
      First = V;
    HloId Id = Sets.lastReader(V);
    if (Id && (!Reader ||
               Module->schedule().time(Id) > Module->schedule().time(Reader)))
      Reader = Id;
  }
  auto Operation = [&](HloId Id) {
    NameId Name = Id ? Module->program()[Id].Name : NameId();
    return Name ? lastScope(statedName(DumpFacts, Name).OpName).str() : "";
  };
  return Operation(Sets.writer(First)) + "|" + Operation(Reader);
}

void Describer::addArrays() {
  std::map<std::string, std::multimap<int32_t, ComparedArray>> Alike;
  for (ValueId V : ids<ValueId>(D.Values.size())) {
    const SpaceUse *Space = Memory.space(D[D[V].Owner].color());
    HloValueId First = flowOf(V);
    if (!First || !Space || Memory.kind(V) != MemoryKind::Temp ||
        D[V].Size < std::max(Space->Peak / ArrayPart, LeastBytes) ||
        !Arrays.try_emplace(Module->aliases().group(First).index()).second)
      continue;
    std::string Key = fmt::format("{}|{}|{}", Space->Color,
                                  plainShape(D[V].Shape), arrayKey(First));
    ByteSpan Bytes = spanOf(D[D[V].Owner], D[V]);
    Alike[Key].insert({startOf(First), {D[V].Owner, Bytes, First}});
  }
  for (const auto &[Key, InOrder] : Alike)
    for (const auto &[I, Entry] : llvm::enumerate(InOrder)) {
      std::string Full = fmt::format("{}|{} of {}", Key, I, InOrder.size());
      Arrays[Module->aliases().group(Entry.second.First).index()] = Full;
      Described.Arrays[Full] = Entry.second;
    }
}

/// Why the arrays of the largest of \p Held do not share bytes.
void Describer::compareArrays(ArrayRef<ComparedValue> Held) {
  SmallVector<const ComparedValue *, MaxHeldArrays> Before;
  for (const ComparedValue &X : Held) {
    if (X.Array.empty() || Before.size() == MaxHeldArrays)
      continue;
    for (const ComparedValue *Y : Before) {
      HloValueId FX = Described.Arrays[X.Array].First;
      HloValueId FY = Described.Arrays[Y->Array].First;
      const SetConflicts &Sets = Copies->conflicts();
      std::optional<Conflict> C = Sets.find({FX, FY});
      if (!C)
        continue;
      HloId Writer = Sets.writer(FX);
      std::string Which = fmt::format("{} and {} no longer share bytes",
                                      Module->flow().spell(C->Older),
                                      Module->flow().spell(C->Newer));
      if (Writer == Sets.writer(FY))
        appendFormat(Which, ": {} fills both at step {}",
                     Module->program().spell(Writer), startOf(FX));
      auto [Writes, Needs] = spellConflict(*C, *Module, Names);
      Described.Apart[{X.Array, Y->Array}] = {
          Which, fmt::format("{}, {}", Writes, Needs)};
    }
    Before.push_back(&X);
  }
}

void Describer::addSpaces() {
  for (const SpaceUse &Space : Memory.spaces()) {
    ComparedSpace C;
    static_cast<SpaceTotals &>(C) = Space;
    for (const HeldValue &V : Memory.heldAtPeak(Space)) {
      C.Values.push_back(describe(V));
      std::optional<StepRange> Range = Memory.range(V.Value);
      if (Range && V.Bytes >= Space.Peak / SmallPart)
        C.Values.back().Kept = fmt::format(
            "{}, live from step {} to {}: {}", Names.spell(V.Value),
            Range->Start, Range->End, whatKeeps(Memory, Names, V.Value));
      C.Padding += V.Bytes - std::min(V.Bytes, V.Unpadded);
    }
    compareArrays(C.Values);
    Described.Spaces.push_back(std::move(C));
  }
}

void Describer::addValues() {
  for (ValueId V : ids<ValueId>(D.Values.size())) {
    if (Memory.kind(V) == MemoryKind::ThreadLocal)
      continue;
    ++Described.Values[D[D[V].Owner].color()][identity(V)];
    const StatedOperation &From = stated(D[V].Tag.Name);
    if (From.IsOwn && Memory.kind(V) != MemoryKind::Parameter)
      ++Described.Operations[From.Identity];
  }
  StringRef Text = D.Module.Text.empty() ? D.usedText() : D.Module.Text;
  for (StringRef Mark : {"/rematted_computation", ".remat"})
    for (size_t Begin = Text.find(Mark); Begin != StringRef::npos;
         Begin = Text.find(Mark, Begin + Mark.size()))
      ++Described.Recomputed;
}

void Describer::addArguments() {
  std::set<std::pair<uint32_t, uint32_t>> Donated;
  for (const HloAlias &Item : D.Module.Aliases)
    Donated.insert({Item.Parameter, Item.Index.canonical().bits()});
  for (uint32_t I = 0; I != D.Allocations.size(); ++I) {
    const Allocation &Alloc = D.Allocations[I];
    if (!Alloc.isParameter())
      continue;
    ComparedArgument Argument;
    Argument.Number = Alloc.ParameterNumber;
    Argument.Bytes = Alloc.Size;
    Argument.IsReused = Alloc.MaybeLiveOut;
    if (Alloc.ParameterShape)
      Argument.PlainShape = D.Shapes.plainText(Alloc.ParameterShape);
    if (ValueId V = parameterOf(AllocationId(I)))
      Argument.Name = stated(D[V].Tag.Name).OpName;
    if (Argument.Name.empty())
      Argument.Name = fmt::format("argument {}", Argument.Number);
    ShapeIndex Index = Alloc.ParameterIndex.canonical();
    Argument.IsDonated = Donated.count({Argument.Number, Index.bits()}) != 0;
    Described.Arguments.push_back(std::move(Argument));
  }
  std::ranges::stable_sort(Described.Arguments, {},
                           [](const auto &X) { return X.Number; });
  const HloModule &M = D.Module;
  if (M.Entry && M[M.Entry].Root && M[M[M.Entry].Root].Shape)
    Described.Result = D.Shapes.plainText(M[M[M.Entry].Root].Shape);
}

ProgramMemory Describer::run(StringRef Title) {
  Described.Module = Title.str();
  if (Copies)
    Described.Copies = Copies->find(LeastBytes);
  Described.Timed = Memory.isTimed();
  Described.From = DumpFacts.release().From;
  Described.Before = DumpFacts.release().Before;
  addArrays();
  addSpaces();
  addValues();
  addArguments();
  return std::move(Described);
}

ProgramMemory hlobuf::describeProgram(const MemoryUse &Memory,
                                      const ValueNames &Names,
                                      const ModuleAnalysis *Module,
                                      StringRef Title) {
  return Describer(Memory, Names, Module).run(Title);
}

ProgramMemory hlobuf::describeReport(const MemorySummary &Report) {
  ProgramMemory Described;
  Described.OfReport = true;
  for (const SpaceSummary &Space : Report.Spaces)
    static_cast<SpaceTotals &>(Described.Spaces.emplace_back()) = Space;
  ComparedSpace &Main = Described.Spaces.front();
  for (const HeldRow &Row : Report.Largest) {
    std::string Identity = identityOf(kindName(Row.Kind), "", Row.Shape);
    ++Described.Values[Main.Color][Identity];
    ComparedValue &V = Main.Values.emplace_back();
    static_cast<NamedBytes &>(V) = Row;
    V.Shape = V.PlainShape = Row.Shape;
    V.Called.OpName = kindName(Row.Kind);
    V.Shared = {std::move(Identity)};
  }
  return Described;
}
