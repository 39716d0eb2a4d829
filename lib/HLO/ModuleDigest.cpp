// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HLO/ModuleDigest.h"
#include "HLO/InstructionParser.h"
#include "HLO/ModuleReader.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace hlobuf;
using llvm::StringRef;

namespace {
/// Spells the parts of a module in one way.
class ModuleSpelling {
public:
  ModuleSpelling(StringRef Text, DigestDetail Detail)
      : Detail(Detail), M(readModule(Text, {Names, Shapes, Indices},
                                     [this](StringRef, const std::string &) {
                                       Refused = true;
                                     })) {}

  std::optional<ProgramDigest> digest() const;

private:
  std::string spell(HloOperand Operand) const;
  std::string spell(const HloInstruction &I) const;
  std::string spell(const HloComputation &C) const;
  std::string spellHeader() const;
  std::vector<bool> wrappers() const;

  DigestDetail Detail;
  NameTable Names;
  ShapeTable Shapes;
  ShapeIndexTable Indices;
  bool Refused = false;
  HloModule M;
};
} // namespace

/// With get-tuple-elements as a path, `%loop#1`.
std::string ModuleSpelling::spell(HloOperand Operand) const {
  // Only a broken module has more of them in a row.
  constexpr unsigned DeepestTuple = 64;
  std::string Path;
  for (unsigned Depth = 0; Operand.Source && Depth != DeepestTuple; ++Depth) {
    std::string Steps;
    for (uint32_t Step : Indices.steps(Operand.Path))
      Steps += '#' + std::to_string(Step);
    Path.insert(0, Steps);
    const HloInstruction &I = M[Operand.Source];
    if (I.Op != Opcode::GetTupleElement || M.operands(I).size() != 1)
      return M.name(I).str() + Path;
    Path.insert(0, '#' + std::to_string(I.number()));
    Operand = M.operand(I, 0);
  }
  return "?" + Path;
}

/// With the members of backend_config, which texts have in any order, sorted.
static std::string spellAttributes(StringRef Attributes) {
  // A config is that deep at most; a text made by hand may be deeper.
  constexpr size_t Deepest = 100;
  std::string Text;
  for (StringRef Key; takeAttributeKey(Attributes, Key);) {
    StringRef Value = takeAttributeValue(Attributes);
    (Text += ", ") += Key;
    if (Key != "backend_config" ||
        Value.count('{') + Value.count('[') > Deepest) {
      (Text += '=') += Value;
      continue;
    }
    llvm::Expected<llvm::json::Value> Config = llvm::json::parse(Value);
    if (Config)
      llvm::raw_string_ostream(Text) << '=' << *Config;
    else
      (Text += '=') += Value;
    llvm::consumeError(Config.takeError());
  }
  return Text += Attributes;
}

std::string ModuleSpelling::spell(const HloInstruction &I) const {
  std::string Text = M.name(I).str();
  if (I.Root)
    Text += " ROOT";
  Text += '=';
  if (I.Shape)
    Text += Shapes.text(I.Shape);
  Text += opcodeText(I.Op);
  for (size_t K = 0; K != M.operands(I).size(); ++K)
    Text += ' ' + spell(M.operand(I, K));
  if (!isAsync(I.Op))
    for (const HloCall &Call : M.calls(I))
      if (Call.Callee)
        Text += " @" + M.name(M[Call.Callee]).str();
  if (Detail == DigestDetail::Attributes && !isAsync(I.Op))
    Text += spellAttributes(M.attributes(I));
  return Text + '\n';
}

std::string ModuleSpelling::spellHeader() const {
  std::string Text = M.Name.str();
  if (Detail == DigestDetail::Structure)
    return Text;
  for (const HloAlias &Alias : M.Aliases)
    Text += Alias.Text;
  for (const HloDonor &Donor : M.Donors)
    Text += Donor.Text;
  for (ShapeId Shape : M.EntryParameters)
    Text += Shapes.text(Shape);
  if (M.EntryResult)
    Text += Shapes.text(M.EntryResult);
  return Text;
}

std::string ModuleSpelling::spell(const HloComputation &C) const {
  std::string Text = M.name(C).str() + '\n';
  for (uint32_t I = C.Instructions.Begin; I != C.Instructions.End; ++I)
    if (const HloInstruction &Instruction = M.Instructions[I];
        Instruction.Op != Opcode::GetTupleElement || Instruction.Root)
      Text += spell(Instruction);
  return Text;
}

/// The computations around what is asynchronous, which most texts leave out.
std::vector<bool> ModuleSpelling::wrappers() const {
  std::vector<bool> IsWrapper(M.Computations.size());
  for (const HloInstruction &I : M.Instructions)
    if (isAsync(I.Op) && !I.Sugar)
      for (const HloCall &Call : M.calls(I))
        if (Call.Callee)
          IsWrapper[Call.Callee.index()] = true;
  return IsWrapper;
}

static ProgramDigest digestOf(StringRef Text) {
  llvm::TruncatedBLAKE3<16> Hash;
  Hash.update(Text);
  return Hash.final();
}

std::optional<ProgramDigest> ModuleSpelling::digest() const {
  if (Refused)
    return std::nullopt;
  std::vector<bool> Wrappers = wrappers();
  std::vector<ProgramDigest> Computations;
  for (size_t C = 0; C != M.Computations.size(); ++C)
    if (!Wrappers[C])
      Computations.push_back(digestOf(spell(M.Computations[C])));
  // Releases order them in several ways.
  llvm::sort(Computations);
  llvm::TruncatedBLAKE3<16> Hash;
  Hash.update(spellHeader());
  for (const ProgramDigest &C : Computations)
    Hash.update(C);
  return Hash.final();
}

std::optional<ProgramDigest> hlobuf::digestOfModule(StringRef Text,
                                                    DigestDetail Detail) {
  return ModuleSpelling(Text, Detail).digest();
}
