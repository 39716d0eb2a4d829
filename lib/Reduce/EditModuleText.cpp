// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading and printing.

#include "HLO/ModuleReader.h"
#include "Proto/Container.h"
#include "Proto/ProtoText.h"
#include "Proto/Wire.h"
#include "Reduce/Edits.h"
#include "Reduce/ShapeStrings.h"
#include "Support/Format.h"
#include "Support/Sources.h"
#include "llvm/ADT/STLExtras.h"

using namespace hlobuf;

namespace hlobuf {
/// Turns an HloModule into one that can be edited.
class EditModuleReader {
public:
  EditModuleReader(StringRef Text, EditModule &E) : Text(Text), E(E) {}
  Error read();

private:
  void addHeader();
  void addInstruction(uint32_t Number);
  uint32_t element(uint32_t Source, ArrayRef<uint32_t> Path,
                   uint32_t Computation);
  void addAliases();

  StringRef Text;
  EditModule &E;
  NameTable Names;
  ShapeTable Shapes;
  ShapeIndexTable Indices;
  HloModule M;
};
} // namespace hlobuf

static std::vector<EditAttribute> readAttributes(StringRef Rest) {
  std::vector<EditAttribute> Attributes;
  StringRef Key;
  while (takeAttributeKey(Rest, Key)) {
    StringRef Value = takeAttributeValue(Rest);
    // These say where an instruction comes from, and no more.
    if (Key != "metadata" && Key != "origin" && Key != "original_value")
      Attributes.push_back({Key.str(), Value.str()});
  }
  return Attributes;
}

Error EditModuleReader::read() {
  std::string Problem;
  auto Refuse = [&](StringRef Loc, std::string Reason) {
    if (!Problem.empty())
      return;
    size_t Pos = static_cast<size_t>(Loc.data() - Text.data());
    size_t Line = Pos <= Text.size() ? Text.take_front(Pos).count('\n') + 1 : 0;
    Problem = fmt::format("line {}: {}", Line, Reason);
  };
  M = readModule(Text, {Names, Shapes, Indices}, Refuse);
  if (!Problem.empty())
    return makeError("{}", Problem);
  addHeader();
  E.Instructions.resize(M.Instructions.size());
  for (const HloComputation &C : M.Computations) {
    EditComputation To;
    To.Name = M.name(C).str();
    To.Root = C.Root ? static_cast<uint32_t>(C.Root.index()) : NoNumber;
    E.Computations.push_back(std::move(To));
    for (uint32_t I = C.Instructions.Begin; I != C.Instructions.End; ++I)
      E.Names.insert(M.name(M.Instructions[I]));
  }
  E.Entry = static_cast<uint32_t>(M.Entry.index());
  for (uint32_t I = 0; I != M.Instructions.size(); ++I)
    addInstruction(I);
  addAliases();
  return Error::success();
}

void EditModuleReader::addHeader() {
  StringRef Line = Text.ltrim().split('\n').first;
  Line.consume_front("HloModule ");
  E.Name = M.Name.str();
  Line = Line.drop_front(std::min(Line.size(), Line.find(',')));
  E.Header = readAttributes(Line);
  llvm::erase_if(E.Header, [](const EditAttribute &A) {
    return A.Key == "input_output_alias" || A.Key == "entry_computation_layout";
  });
  // One item is for all parameters, or outputs.
  for (StringRef Key : {PropagationToParameters, PropagationToOutput})
    if (EditAttribute *List = E.headerList(Key)) {
      std::vector<std::string> Items = List->items();
      if (llvm::count(Items, Items.front()) == ptrdiff_t(Items.size()))
        List->setItems(Items.front());
    }
}

/// The element of \p Source at \p Path: a chain of get-tuple-elements, one for
/// all users of it.
uint32_t EditModuleReader::element(uint32_t Source, ArrayRef<uint32_t> Path,
                                   uint32_t Computation) {
  for (uint32_t Index : Path) {
    EditComputation &C = E.Computations[Computation];
    auto Entry = llvm::find_if(C.Order, [&](uint32_t I) {
      const EditInstruction &G = E[I];
      return G.is(Opcode::GetTupleElement) && G.Number == Index &&
             G.Operands.front() == Source;
    });
    Source = Entry == C.Order.end() ? insertElement(E, NoNumber, Source, Index)
                                    : *Entry;
  }
  return Source;
}

void EditModuleReader::addInstruction(uint32_t Number) {
  const HloInstruction &From = M.Instructions[Number];
  EditInstruction I;
  I.Name = M.name(From).str();
  I.Shape = withoutComments(Shapes.text(From.Shape));
  I.Op = From.Op;
  I.Parent = static_cast<uint32_t>(From.Parent.index());
  I.Number = From.number();
  StringRef Head = M.head(From);
  I.OpcodeText = Head.substr(Head.rfind(' ') + 1).str();
  I.Attributes = readAttributes(M.attributes(From));
  if (I.is(Opcode::GetTupleElement))
    llvm::erase_if(I.Attributes,
                   [](const EditAttribute &A) { return A.Key == "index"; });
  for (const HloCall &Call : M.calls(From))
    if (Call.Callee)
      I.Calls.push_back({uint32_t(Call.Callee.index()), Call.Role});
  size_t NumOperands = M.operands(From).size();
  for (size_t K = 0; K != NumOperands; ++K)
    if (HloOperand Operand = M.operand(From, K); Operand.Source)
      I.Operands.push_back(element(uint32_t(Operand.Source.index()),
                                   Indices.steps(Operand.Path), I.Parent));
  if (NumOperands == 0 && !I.is(Opcode::Parameter))
    I.Literal = M.operandsText(From).str();
  E.Computations[I.Parent].Order.push_back(Number);
  E.Instructions[Number] = std::move(I);
}

void EditModuleReader::addAliases() {
  for (const HloAlias &From : M.Aliases) {
    EditAlias A;
    A.Output = Indices.steps(From.Output);
    A.Parameter = E.parameter(E.Entry, From.Parameter);
    A.Index = Indices.steps(From.Index);
    for (StringRef Kind : {"may-alias", "must-alias"})
      if (From.Text.contains(Kind))
        A.Kind = Kind.str();
    if (A.Parameter != NoNumber)
      E.Aliases.push_back(std::move(A));
  }
}

Expected<EditModule> hlobuf::readEditModule(StringRef Text) {
  EditModule E;
  if (Error Error = EditModuleReader(Text, E).read())
    return std::move(Error);
  return std::move(E);
}

/// The text of the module in \p Bytes, an HloProto; empty if it is none.
static std::string textOfProto(StringRef Bytes) {
  if (!isMessage(Bytes))
    return "";
  constexpr uint32_t ModuleField = 1; // HloProto.hlo_module
  Expected<HloProto> P = readHloProto(bytesField(Bytes, ModuleField), "");
  if (!P) {
    llvm::consumeError(P.takeError());
    return "";
  }
  TextSink Sink;
  Sink.Limit = 64 * Bytes.size() + 4096;
  printModule(P->Module, Sink);
  return Sink.stopped() ? "" : std::move(Sink.Out);
}

Expected<EditModule> hlobuf::readModuleFile(const std::string &Path) {
  Sources Texts;
  Expected<StringRef> Read = Texts.open(Path, [](StringRef Start) {
    return Start.ltrim().starts_with("HloModule ") || mayHoldProto(Start);
  });
  if (!Read)
    return makeError("{}: {}", Path, llvm::toString(Read.takeError()));
  StringRef Text = *Read;
  std::string Printed;
  if (!Text.ltrim().starts_with("HloModule ")) {
    Printed = textOfProto(Text);
    if (Printed.empty())
      return makeError("{}: it is neither the text of an HLO module, as in "
                       "*.before_optimizations.txt, nor an HloProto",
                       Path);
    Text = Printed;
  }
  Expected<EditModule> M = readEditModule(Text);
  if (!M)
    return makeError("{}: {}", Path, llvm::toString(M.takeError()));
  for (const EditAttribute &A : M->Header)
    if (A.Key == "is_scheduled" && A.Value == "true")
      return makeError("{}: it is scheduled; a compiler takes the module as it "
                       "was before: *.before_optimizations.txt",
                       Path);
  return M;
}

static std::string listText(ArrayRef<uint32_t> Numbers) {
  return fmt::format("{{{}}}", fmt::join(Numbers, ","));
}

static void printAttribute(const EditAttribute &A, std::string &Out) {
  Out += ", " + A.Key;
  if (!A.Value.empty())
    Out += "=" + A.Value;
}

static void print(const EditModule &M, uint32_t Number, std::string &Out) {
  const EditInstruction &I = M[Number];
  Out += M.isRoot(Number) ? "  ROOT %" : "  %";
  Out += I.Name + " = " + I.Shape + ' ' + I.OpcodeText + '(';
  if (I.is(Opcode::Parameter))
    Out += std::to_string(I.Number);
  else
    Out += I.Literal;
  for (auto [Place, Operand] : llvm::enumerate(I.Operands)) {
    if (Place != 0)
      Out += ", ";
    Out += '%' + M[Operand].Name;
  }
  Out += ')';
  if (I.is(Opcode::GetTupleElement))
    Out += ", index=" + std::to_string(I.Number);
  for (const EditAttribute &A : I.Attributes)
    printAttribute(A, Out);
  Out += '\n';
}

std::string hlobuf::editModuleText(const EditModule &M) {
  std::string Out = "HloModule " + M.Name;
  if (!M.Aliases.empty()) {
    Out += ", input_output_alias={";
    for (auto [Place, A] : llvm::enumerate(M.Aliases))
      Out += fmt::format("{} {}: ({}, {}{}{})", Place == 0 ? "" : ",",
                         listText(A.Output), M.Instructions[A.Parameter].Number,
                         listText(A.Index), A.Kind.empty() ? "" : ", ", A.Kind);
    Out += " }";
  }
  for (const EditAttribute &A : M.Header)
    printAttribute(A, Out);
  Out += '\n';
  for (auto [Number, C] : llvm::enumerate(M.Computations)) {
    if (C.Removed)
      continue;
    Out += Number == M.Entry ? "\nENTRY %" : "\n%";
    Out += C.Name + " {\n";
    for (uint32_t I : C.Order)
      print(M, I, Out);
    Out += "}\n";
  }
  return Out;
}
