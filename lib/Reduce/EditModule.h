// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An HLO module that can be edited.
//
// HloModule is a view of one text. Here an instruction owns its parts, so that
// it can be changed and printed again. Numbers of instructions and computations
// stay what they are in a module and its copies: what is removed leaves a gap.

#ifndef HLOBUF_REDUCE_EDITMODULE_H
#define HLOBUF_REDUCE_EDITMODULE_H

#include "HLO/Module.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace hlobuf {

constexpr uint32_t NoNumber = ~uint32_t(0);

// Keys of the header: whether shardings of parameters and outputs may change.
constexpr StringLiteral PropagationToParameters =
    "allow_spmd_sharding_propagation_to_parameters";
constexpr StringLiteral PropagationToOutput =
    "allow_spmd_sharding_propagation_to_output";

/// A computation that an instruction calls.
struct EditCall {
  uint32_t Callee = NoNumber;
  CallRole Role = CallRole::Calls;
};

/// `key=value`; the value is empty for a key by itself.
struct EditAttribute {
  std::string Key;
  std::string Value;

  /// The items of the value, a list in braces; none of another value.
  std::vector<std::string> items() const;
  /// Makes the value a list of \p Items.
  void setItems(ArrayRef<std::string> Items);
};

/// An instruction.
struct EditInstruction {
  std::string Name;
  /// With layouts, without comments.
  std::string Shape;
  std::string OpcodeText;
  Opcode Op = Opcode::Unknown;
  bool Removed = false;
  uint32_t Parent = NoNumber;
  /// Of a parameter its place among the parameters, of a get-tuple-element its
  /// index.
  uint32_t Number = 0;
  /// Instructions of the same computation.
  SmallVector<uint32_t, 4> Operands;
  SmallVector<EditCall, 2> Calls;
  /// The text of a constant.
  std::string Literal;
  /// All but the index of a get-tuple-element.
  std::vector<EditAttribute> Attributes;

  bool is(Opcode O) const { return Op == O; }
  const EditAttribute *attribute(StringRef Key) const;
  /// Element \p Index of a tuple of \p Count arrays has gone: so has its
  /// sharding.
  void dropSharding(size_t Index, size_t Count);
  /// Makes it an instruction without attributes.
  void become(Opcode NewOp, ArrayRef<uint32_t> NewOperands);
};

/// A computation.
struct EditComputation {
  std::string Name;
  /// Operands come before their users.
  std::vector<uint32_t> Order;
  uint32_t Root = NoNumber;
  bool Removed = false;
};

/// An item of input_output_alias.
struct EditAlias {
  SmallVector<uint32_t, 2> Output;
  /// The parameter's instruction.
  uint32_t Parameter = NoNumber;
  SmallVector<uint32_t, 2> Index;
  /// `may-alias` or `must-alias`; empty if the text has neither.
  std::string Kind;
};

/// A module; see above.
class EditModule {
public:
  /// The same with numbers for the names of instructions: equal for modules
  /// that differ only in what new instructions were called.
  std::string textWithoutNames() const;

  /// Instructions that are there.
  unsigned size() const;

  /// Elements of a tuple are used instead of get-tuple-elements of it, and what
  /// the result does not depend on is removed; parameters stay but for those of
  /// the entry computation.
  void cleanUp();

  EditInstruction &operator[](uint32_t Number) { return Instructions[Number]; }
  const EditInstruction &operator[](uint32_t Number) const {
    return Instructions[Number];
  }
  bool isLive(uint32_t Number) const {
    return Number < Instructions.size() && !Instructions[Number].Removed &&
           !Computations[Instructions[Number].Parent].Removed;
  }
  EditComputation &parentOf(uint32_t Number) {
    return Computations[Instructions[Number].Parent];
  }
  bool isRoot(uint32_t Number) const {
    return Computations[Instructions[Number].Parent].Root == Number;
  }
  bool isInEntry(uint32_t Number) const {
    return Instructions[Number].Parent == Entry;
  }

  /// The users of \p Number, each once, in order.
  std::vector<uint32_t> users(uint32_t Number) const;
  /// The instructions that call \p Computation.
  std::vector<uint32_t> callers(uint32_t Computation) const;
  /// Parameter \p Index of \p Computation; NoNumber if there is none.
  uint32_t parameter(uint32_t Computation, uint32_t Index) const;
  /// The computation that \p Number calls as \p Role; NoNumber if none.
  uint32_t callee(uint32_t Number, CallRole Role) const;

  /// Uses \p Replacement wherever \p Number is used, as a root, too.
  void replaceUses(uint32_t Number, uint32_t Replacement);

  /// Adds an instruction to \p Computation before \p Before, or at its end for
  /// NoNumber; its name begins with \p Name.
  uint32_t insert(uint32_t Computation, uint32_t Before, StringRef Name,
                  Opcode Op, StringRef Shape, ArrayRef<uint32_t> Operands);
  /// The same in the computation of \p Before.
  uint32_t insertBefore(uint32_t Before, StringRef Name, Opcode Op,
                        StringRef Shape, ArrayRef<uint32_t> Operands) {
    return insert(Instructions[Before].Parent, Before, Name, Op, Shape,
                  Operands);
  }

  /// Removes \p Number, which nothing uses.
  void remove(uint32_t Number);

  /// A name that no instruction has.
  std::string freshName(StringRef Base);

  /// Numbers the parameters of the entry computation from 0 in their order.
  void numberParameters();

  /// A list of the header with an item for each parameter or output; null if
  /// there is none, or one item is for all.
  EditAttribute *headerList(StringRef Key);

  /// Of the first line, but for aliases and the entry's layout.
  std::vector<EditAttribute> Header;
  std::string Name;
  std::vector<EditInstruction> Instructions;
  std::vector<EditComputation> Computations;
  std::vector<EditAlias> Aliases;
  uint32_t Entry = NoNumber;
  /// Edits may change how often a loop runs, also to forever.
  bool EndlessLoops = false;

private:
  friend class EditModuleReader;
  void forwardElements();
  void removeDead();
  llvm::StringSet<> Names;
  /// By base, the last number that freshName() found.
  StringMap<unsigned> LastNumbers;
};

/// Fails with the first line that cannot be read. Metadata and the tables of
/// source lines are left out, and elements that are operands by their path
/// get a get-tuple-element.
Expected<EditModule> readEditModule(StringRef Text);

/// Reads the file \p Path: an HLO text, or an HloProto (`*.hlo.pb`). Fails
/// where it is neither, or is damaged, or has been scheduled already.
Expected<EditModule> readModuleFile(const std::string &Path);

/// \p M as XLA's parser reads it.
std::string editModuleText(const EditModule &M);

} // namespace hlobuf

#endif // HLOBUF_REDUCE_EDITMODULE_H
