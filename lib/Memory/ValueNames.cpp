// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Memory/ValueNames.h"
#include "Dataflow/ModuleAnalysis.h"
#include "Memory/Instructions.h"
#include "Memory/MemoryTree.h"
#include "Support/Format.h"
#include "Support/Printable.h"
#include "llvm/ADT/StringExtras.h"

using namespace hlobuf;

StringRef hlobuf::roleName(ValueRole Role) {
  static constexpr StringRef Names[] = {"argument", "constant", "computed",
                                        "collected", "blank"};
  return Names[static_cast<size_t>(Role)];
}

std::string ValueName::keeper() const {
  std::string Text = ForBackward ? "kept for the backward pass" : "";
  if (FromHost)
    Text += Text.empty() ? "from the host" : ", from the host";
  if (Role != ValueRole::Collected)
    return Text;
  return fmt::format("{} by the {}", Text.empty() ? "collected" : Text,
                     LoopText);
}

std::string ValueName::text() const {
  std::string Text = keeper();
  if (!Text.empty())
    Text += ": ";
  if (Copied)
    Text += "copy of ";
  if (Sliced)
    Text += "slices of ";
  if (Role == ValueRole::Argument)
    Text += "argument ";
  Text += Operation + reader();
  if (!Source.empty() && (Role != ValueRole::Argument || !ReadBy.empty()))
    Text += " " + Source;
  return Text;
}

std::string ValueName::reader() const {
  return ReadBy.empty() ? "" : ", read by " + ReadBy;
}

/// Of a set of values, those that are asked for a name or for readers.
static constexpr size_t MaxMembers = 64;
/// Operands that are asked where an operation has no metadata.
static constexpr unsigned MaxOperands = 8;

/// The more, the more a name says.
static int weight(const ValueName &Name) {
  switch (Name.Role) {
  case ValueRole::Argument:
    return 6;
  case ValueRole::Collected:
    return 5;
  case ValueRole::Computed:
    return Name.Source.empty() ? !Name.OpName.empty() + 1 : 4 - Name.Inherited;
  case ValueRole::Constant:
    return 1;
  case ValueRole::Blank:
    return 0;
  }
  return 0;
}

/// Operations that are asked for their names, at most.
static constexpr size_t MaxOperations = 200;

static Frontend ofModule(StringRef Name) {
  for (StringRef Prefix : {"jit_", "pjit_", "pmap_", "xmap_"})
    if (Name.starts_with(Prefix))
      return Frontend::JAX;
  for (StringRef Prefix : {"SyncTensorsGraph", "PropagateAll", "IrToHlo"})
    if (Name.starts_with(Prefix))
      return Frontend::PyTorch;
  for (StringRef Prefix : {"cluster_", "a_inference_", "__inference_"})
    if (Name.starts_with(Prefix))
      return Frontend::TensorFlow;
  return Frontend::Unknown;
}

static Frontend ofOperation(StringRef Attributes) {
  std::optional<StringRef> Name = readMetadata(Attributes).OpName;
  if (!Name)
    return Frontend::Unknown;
  for (StringRef Prefix : {"jit(", "pjit(", "pmap("})
    if (Name->starts_with(Prefix))
      return Frontend::JAX;
  if (Name->contains("aten__") || Name->contains("xla__"))
    return Frontend::PyTorch;
  return Frontend::Unknown;
}

/// Judges by the name of the module and, where that does not tell, by the
/// names of operations: jax/_src/interpreters/mlir.py (jit_, pmap_),
/// torch_xla/csrc/xla_graph_executor.cpp (SyncTensorsGraph), tensorflow/
/// compiler/jit (cluster_N, __inference_), all as of 2026.
static Frontend findFrontend(const Dump &D) {
  Frontend From = ofModule(D.Module.Name);
  auto Ask = [&](const auto &Instructions, auto Attributes) {
    for (const auto &I : ArrayRef(Instructions).take_front(MaxOperations))
      if (From == Frontend::Unknown)
        From = ofOperation(Attributes(I));
  };
  Ask(D.Module.Instructions,
      [&](const HloInstruction &I) { return D.Module.attributes(I); });
  Ask(D.Instructions, [&](const Instruction &I) { return D.attributes(I); });
  return From;
}

std::string hlobuf::withoutFolders(StringRef Text) {
  std::string Out;
  for (StringRef Word : llvm::split(Text, ' ')) {
    bool IsPlace = !Word.empty() && llvm::isDigit(Word.back()) &&
                   Word.contains('/') && Word.contains(':');
    Out += (Out.empty() ? "" : " ") +
           (IsPlace ? Word.substr(Word.rfind('/') + 1) : Word).str();
  }
  return Out;
}

std::string hlobuf::donationHint(Frontend From, StringRef Path) {
  std::string Hint = "where the caller does not need it afterwards, donate it";
  switch (From) {
  case Frontend::PyTorch:
    return Hint + ": update the tensor in place between two torch_xla.sync()";
  case Frontend::TensorFlow:
    return Hint + ": make it a tf.Variable that the function assigns";
  case Frontend::JAX:
  case Frontend::Unknown:
    break;
  }
  // `a[0]` may be one of `*a`, which has no name.
  StringRef Name = Path.take_front(Path.find_first_of("[."));
  StringRef Rest = Path.drop_front(Name.size());
  bool HasName =
      !Name.empty() && !Name.contains(' ') &&
      !(Rest.starts_with("[") && Rest.size() > 1 && llvm::isDigit(Rest[1]));
  return Hint + (HasName ? ": jax.jit(f, donate_argnames='" + Name.str() + "')"
                         : ": jax.jit(f, donate_argnames=...)");
}

ValueNames::ValueNames(const Facts &DumpFacts, const ModuleAnalysis *Module)
    : DumpFacts(DumpFacts), D(DumpFacts.dump()),
      Module(Module && Module->obstacle().empty() ? Module : nullptr),
      From(findFrontend(D)) {
  if (this->Module)
    Members.emplace(Module->flow(), Module->aliases());
}

ArrayRef<HloValueId> ValueNames::membersOf(HloValueId V) const {
  return (*Members)[V].take_front(MaxMembers);
}

/// \p OpName without what a framework calls all of its arguments:
/// tensorflow/compiler/tf2xla/xla_compiler.cc (XLA_Args), torch_xla/csrc/
/// lowering_context.cpp (xla__device_data, after the user's prefix), 2025.
static StringRef withoutFramework(StringRef OpName) {
  if (OpName == "XLA_Args")
    return "";
  if (OpName.consume_back("xla__device_data"))
    OpName.consume_back("/");
  return OpName;
}

/// Gives \p Out the operation and the source line of the metadata in
/// \p Attributes; false if there are none.
static bool takeMetadata(ValueName &Out, const Facts &DumpFacts,
                         StringRef Attributes) {
  InstructionMetadata Metadata = readMetadata(Attributes);
  std::string Source = DumpFacts.sourceLine(Metadata);
  StringRef Op = withoutFramework(Metadata.OpName.value_or(""));
  if (Op.empty() && Source.empty())
    return false;
  Out.Source = std::move(Source);
  if (!Op.empty()) {
    Out.OpName = printable(unescape(Op));
    Out.Operation = lastScope(Out.OpName).str();
  }
  return true;
}

/// What \p Traced computes, by its own metadata, those of its fusion, or those
/// of what its largest operand is.
void ValueNames::describe(ValueName &Out, const TracedOperation &Traced) const {
  const Program &P = Module->program();
  Out.ComputedBy = P[Traced.Computed].Op;
  Out.Operation =
      printable(P.spell(Traced.Buffered ? Traced.Buffered : Traced.Computed));
  // A tuple index table has no operation.
  bool Table = P.trees().isTuple(P[Traced.Computed].Shape, Traced.Ordinal);
  TracedOperation Named = Traced;
  for (unsigned Hop = 0; Hop != MaxOperands; ++Hop) {
    Out.Inherited = Hop != 0;
    if (takeMetadata(Out, DumpFacts,
                     attributesOf(Module->program(), Named.Computed)) &&
        !Out.Source.empty())
      return;
    if (Named.Buffered && Named.Buffered != Named.Computed &&
        takeMetadata(Out, DumpFacts,
                     attributesOf(Module->program(), Named.Buffered)))
      return;
    if (!Out.OpName.empty() || Table)
      return;
    HloId Largest;
    uint64_t Most = 0;
    for (HloId Operand : P.operands(Named.Computed)) {
      std::optional<uint64_t> Bytes =
          Operand ? logicalBytes(D.Shapes, P[Operand].Shape) : std::nullopt;
      if (Operand && (!Largest || Bytes.value_or(0) > Most)) {
        Largest = Operand;
        Most = Bytes.value_or(0);
      }
    }
    if (!Largest)
      return;
    Named = traceOperation(P, Largest, 0);
    if (!Named.Computed)
      return;
  }
}

ValueName ValueNames::ofArgument(HloId Parameter, uint32_t Ordinal) const {
  const Program &P = Module->program();
  ValueName Out;
  Out.Role = ValueRole::Argument;
  Out.ComputedBy = P[Parameter].Op;
  StringRef Op =
      withoutFramework(readMetadata(attributesOf(Module->program(), Parameter))
                           .OpName.value_or(""));
  if (!Op.empty()) {
    Out.OpName = Out.Operation = printable(unescape(Op));
    return Out;
  }
  Out.Operation = fmt::format("{}", P[Parameter].number());
  for (uint32_t Step : P.trees().steps(P[Parameter].Shape, Ordinal))
    Out.Operation += fmt::format("[{}]", Step);
  findReader(Out, Parameter, Ordinal);
  return Out;
}

/// Of what part \p Ordinal of \p Id has no name for: the first operation that
/// reads it, or a copy of it; one with a line, if there is any.
void ValueNames::findReader(ValueName &Out, HloId Id, uint32_t Ordinal) const {
  const Program &P = Module->program();
  SmallVector<HloValueId, MaxMembers> Todo;
  auto Follow = [&](HloId From, uint32_t Part) {
    HloValueId V = Module->flow().hasLocations(From)
                       ? Module->flow().at(From, Part)
                       : HloValueId();
    if (V && !llvm::is_contained(Todo, V))
      Todo.push_back(V);
  };
  unsigned Asked = 0;
  auto Ask = [&](HloId User, uint32_t, Part) {
    if (!Out.Source.empty() || ++Asked > MaxMembers)
      return;
    TracedOperation Traced = traceOperation(P, User, 0);
    ValueName Reader;
    if (Traced.Computed && P[Traced.Computed].Op != Opcode::Parameter)
      describe(Reader, Traced);
    if (Reader.OpName.empty() || Reader.Inherited)
      for (uint32_t K = 0;
           K != std::min(MaxOperands, P.trees().parts(P[User].Shape)); ++K)
        Follow(User, K);
    else if (Out.ReadBy.empty() || !Reader.Source.empty())
      std::tie(Out.ReadBy, Out.Source) = {Reader.OpName, Reader.Source};
  };
  Follow(Id, Ordinal);
  for (size_t I = 0;
       I != Todo.size() && Out.Source.empty() && Asked < MaxMembers; ++I)
    Module->flow().forEachUse(Todo[I], Ask);
}

/// The loop of \p Traced, and how many of the operation's results a value of
/// shape \p Whole has.
void ValueNames::describeLoop(ValueName &Out, const TracedOperation &Traced,
                              ShapeId Whole) const {
  const Program &P = Module->program();
  Out.Role = ValueRole::Collected;
  Out.Sliced = Traced.Sliced;
  Out.Loop = P[Traced.Loop].Name;
  Out.LoopText = loopText(Out.Loop);
  ShapeId Part = P.trees().part(P[Traced.Added].Shape, 0);
  uint64_t WholeBytes = logicalBytes(D.Shapes, Whole).value_or(0);
  uint64_t PartBytes = logicalBytes(D.Shapes, Part).value_or(0);
  if (PartBytes != 0 && WholeBytes % PartBytes == 0)
    Out.Parts = std::max<uint64_t>(1, WholeBytes / PartBytes);
}

ValueName ValueNames::ofPart(HloId Id, uint32_t Ordinal) const {
  const Program &P = Module->program();
  ValueName Out;
  TracedOperation Traced = traceOperation(P, Id, Ordinal);
  if (!Traced.Computed) {
    Out.Operation = P.spell(Id);
    return Out;
  }
  bool Entry = P[Traced.Computed].Parent == D.Module.Entry;
  if (P[Traced.Computed].Op == Opcode::Parameter && Entry)
    Out = ofArgument(Traced.Computed, Traced.Ordinal);
  else
    describe(Out, Traced);
  if (Out.OpName.empty() && Out.ReadBy.empty() && Out.Source.empty() &&
      !P.trees().isTuple(P[Id].Shape, Ordinal)) {
    findReader(Out, Id, Ordinal);
    Out.Inherited |= !Out.ReadBy.empty();
  }
  Out.Copied = Traced.Copied;
  Out.FromHost = Traced.Transfer && readsHost(Traced.Transfer);
  if (P[Traced.Computed].Op == Opcode::Constant)
    Out.Role = ValueRole::Constant;
  else if (Traced.Blank)
    Out.Role = ValueRole::Blank;
  if (Traced.Loop)
    describeLoop(Out, Traced, P.trees().part(P[Id].Shape, Ordinal));
  return Out;
}

/// \p Transfer, a copy-start, reads memory of the host.
bool ValueNames::readsHost(HloId Transfer) const {
  const Program &P = Module->program();
  if (P.operands(Transfer).empty())
    return false;
  HloId Source = P.operands(Transfer)[0];
  return Source && P[Source].Shape &&
         D.Shapes[P[Source].Shape].memorySpace() == HostMemorySpace;
}

ValueName hlobuf::statedName(const Facts &DumpFacts, NameId Name) {
  ValueName Out;
  Out.ComputedBy = findOpcode(DumpFacts, Name);
  Out.Operation = printable(DumpFacts.dump().Names[Name].str());
  if (Out.ComputedBy == Opcode::Constant)
    Out.Role = ValueRole::Constant;
  for (unsigned Hop = 0; Hop != MaxOperands && Name; ++Hop) {
    if (takeMetadata(Out, DumpFacts, findAttributes(DumpFacts, Name))) {
      Out.Inherited = Hop != 0;
      break;
    }
    Name = findSource(DumpFacts, Name);
  }
  return Out;
}

/// The backward pass is what jax calls `transpose(..)`.
static bool isBackward(std::optional<StringRef> OpName) {
  return OpName && OpName->contains("transpose(");
}

bool ValueNames::isReadBackward(ValueId V) const {
  HloValueId Flow =
      Module ? Module->find(D[V].Tag.Name, D[V].Tag.Index) : HloValueId();
  if (!Flow) {
    auto Readers = DumpFacts.readers(V);
    return llvm::any_of(Readers.take_front(MaxMembers), [&](const Use &Reader) {
      return isBackward(findOpName(DumpFacts, Reader.Name));
    });
  }
  bool IsRead = false;
  for (HloValueId Member : membersOf(Flow))
    Module->flow().forEachUse(Member, [&](HloId User, uint32_t, Part) {
      IsRead = IsRead ||
               isBackward(
                   readMetadata(attributesOf(Module->program(), User)).OpName);
    });
  return IsRead;
}

/// Of memory that is written later, the name of what is written there.
ValueName ValueNames::fillBlank(ValueName Name, HloValueId V) const {
  for (HloValueId Member : membersOf(V)) {
    const HloValue &Other = Module->flow()[Member];
    ValueName Better = ofPart(Other.Definition, Other.Ordinal);
    if (weight(Better) > weight(Name))
      Name = std::move(Better);
  }
  if (Name.Role == ValueRole::Blank && !Name.OpName.empty())
    Name.Role = ValueRole::Computed;
  return Name;
}

ValueName ValueNames::operator[](ValueId V) const {
  const ValueTag &Tag = D[V].Tag;
  HloValueId Flow = Module ? Module->find(Tag.Name, Tag.Index) : HloValueId();
  ValueName Out;
  if (Flow) {
    const HloValue &Defined = Module->flow()[Flow];
    Out = ofPart(Defined.Definition, Defined.Ordinal);
    if (Out.Role == ValueRole::Blank)
      Out = fillBlank(std::move(Out), Flow);
  } else {
    Out = statedName(DumpFacts, Tag.Name);
    const Allocation &Alloc = D[D[V].Owner];
    if (Alloc.isParameter() &&
        findOpcode(DumpFacts, Tag.Name) == Opcode::Parameter) {
      Out.Role = ValueRole::Argument;
      Out.Operation = Out.OpName.empty()
                          ? fmt::format("{}", Alloc.ParameterNumber)
                          : Out.OpName;
    }
  }
  StringRef Scopes = Out.OpName;
  Out.ForBackward = Out.Role != ValueRole::Argument &&
                    Out.Role != ValueRole::Constant &&
                    Scopes.contains("jvp(") && !Scopes.contains("transpose(") &&
                    isReadBackward(V);
  if (Out.Role == ValueRole::Argument && Out.Loop)
    Out.Role = ValueRole::Collected;
  return Out;
}

ValueName ValueNames::operator[](const HeldValue &V) const {
  ValueName Best = (*this)[V.Value];
  // An argument is known by its own name, whatever is written over it.
  if (D[D[V.Value].Owner].isParameter())
    return Best;
  for (ValueId Other : ArrayRef(V.Others).take_front(MaxMembers)) {
    ValueName Name = (*this)[Other];
    if (weight(Name) > weight(Best))
      Best = std::move(Name);
  }
  return Best;
}

static std::string withWords(StringRef Spelled, const ValueName &Called) {
  std::string Words = Called.text();
  return Words.empty() || Words == Spelled
             ? Spelled.str()
             : fmt::format("{} ({})", Spelled, Words);
}

std::string ValueNames::spell(ValueId V) const {
  return withWords(D.spell(V), (*this)[V]);
}

std::string ValueNames::spellInstruction(NameId Name) const {
  return withWords(D.Names[Name].str(), ofInstruction(Name));
}

std::string ValueNames::loopText(NameId Name) const {
  std::string Source = DumpFacts.sourceLine(findAttributes(DumpFacts, Name));
  return fmt::format("{} {}", From == Frontend::JAX ? "scan" : "loop",
                     Source.empty() ? printable(D.Names[Name].str())
                                    : "at " + Source);
}

ValueName ValueNames::ofInstruction(NameId Name) const {
  ValueName Own = statedName(DumpFacts, Name);
  HloId Id = Module ? Module->program().find(Name) : HloId();
  return !Id || (!Own.Inherited && !Own.OpName.empty()) ? Own : ofPart(Id, 0);
}
