// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One printed instruction.

#ifndef HLOBUF_HLO_INSTRUCTIONPARSER_H
#define HLOBUF_HLO_INSTRUCTIONPARSER_H

#include "HLO/Opcode.h"
#include "HLO/Shape.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

namespace hlobuf {

/// `[ROOT ][%]name = `, with which an instruction begins.
struct InstructionHead {
  llvm::StringRef Name;
  /// Where the text goes on.
  const char *End = nullptr;
  /// The line began with `ROOT `.
  bool Root = false;
};

/// Takes the head of an instruction; nothing if there is none.
std::optional<InstructionHead> takeHead(Scanner &In);

/// The parts of `%name = shape opcode(operands), attributes`. Texts point into
/// the line that was read.
struct InstructionText : InstructionHead {
  ShapeId Result;
  llvm::StringRef ShapeText;
  llvm::StringRef OpcodeText;
  PrintedOpcode Op;
  /// Between the parentheses: operands, a literal, or a parameter number.
  llvm::StringRef Operands;
  /// After the closing parenthesis, with the leading `, `; empty if none.
  llvm::StringRef Attributes;
};

/// Where an instruction is in a text that holds others, too, in bytes.
struct TextExtent {
  /// Of the name, or its `%`.
  uint32_t TextOffset = 0;
  /// Of all, of what is before the `(` of the operands, and of what is between
  /// the parentheses.
  uint32_t TextSize = 0;
  uint32_t HeadSize = 0;
  uint32_t OperandsSize = 0;

  TextExtent() = default;
  /// \p Own is the text of the instruction, a part of \p Whole, and has
  /// \p Operands between the parentheses.
  TextExtent(llvm::StringRef Whole, llvm::StringRef Own,
             llvm::StringRef Operands)
      : TextOffset(static_cast<uint32_t>(Own.data() - Whole.data())),
        TextSize(static_cast<uint32_t>(Own.size())),
        HeadSize(static_cast<uint32_t>(Operands.data() - Own.data() - 1)),
        OperandsSize(static_cast<uint32_t>(Operands.size())) {}

  // The parts of a text that is in Whole.
  llvm::StringRef text(llvm::StringRef Whole) const {
    return {Whole.data() + TextOffset, TextSize};
  }
  llvm::StringRef head(llvm::StringRef Whole) const {
    return {Whole.data() + TextOffset, HeadSize};
  }
  llvm::StringRef operandsText(llvm::StringRef Whole) const {
    return {Whole.data() + TextOffset + HeadSize + 1, OperandsSize};
  }
  /// After the closing parenthesis, with the leading `, `.
  llvm::StringRef attributes(llvm::StringRef Whole) const {
    return text(Whole).drop_front(HeadSize + OperandsSize + 2);
  }
};

/// Takes one instruction apart; `%` in front of names is optional. Nothing if
/// the text is not an instruction up to its closing parenthesis.
std::optional<InstructionText> parseInstruction(llvm::StringRef Text,
                                                ShapeTable &Shapes);
/// The same of a text up to \p End whose \p Head was taken before.
std::optional<InstructionText> parseInstruction(const InstructionHead &Head,
                                                const char *End,
                                                ShapeTable &Shapes);

/// One operand as printed.
struct OperandText {
  /// Empty since 2025-03-11.
  llvm::StringRef Shape;
  /// Without `%`.
  llvm::StringRef Name;
  /// `#0#1`: the element that is meant, in module texts since 2026-07-13;
  /// empty if the operand is the instruction itself.
  llvm::StringRef Path;
};

/// Calls \p Visit for each operand in order. False where the text is not a
/// list of operands (a literal, a parameter number, a damaged text).
bool forEachOperand(llvm::StringRef Operands,
                    llvm::function_ref<void(OperandText)> Visit);

/// True if \p Text has \p Key, which is not empty, somewhere in front of a `=`:
/// only then it may have such an attribute.
bool holdsKey(llvm::StringRef Text, llvm::StringRef Key);

/// The text of attribute \p Key, up to the comma that ends it; nothing if
/// there is none. Strings and brackets are skipped by XLA's quoting rules.
std::optional<llvm::StringRef> findAttribute(llvm::StringRef Attributes,
                                             llvm::StringRef Key);

/// `custom_call_target` without its quotes; empty if it is not there.
llvm::StringRef customCallTarget(llvm::StringRef Attributes);

/// True for an async-start whose computation runs on a SparseCore of a TPU
/// (hlo_instructions.cc, HloAsyncStartInstruction::PrintExtraAttributesImpl).
bool runsOnSparseCore(llvm::StringRef Attributes);

/// Takes `, key=` off the front of \p Rest, which then begins with the value.
/// An item without `=` is all key. False at the end.
bool takeAttributeKey(llvm::StringRef &Rest, llvm::StringRef &Key);

/// Takes the value that takeAttributeKey() left at the front of \p Rest.
llvm::StringRef takeAttributeValue(llvm::StringRef &Rest);

/// What `metadata={..}` says of where an instruction comes from: C-escaped
/// texts without their quotes, and digits.
struct InstructionMetadata {
  std::optional<llvm::StringRef> OpName;
  std::optional<llvm::StringRef> SourceFile;
  std::optional<llvm::StringRef> SourceLine;
  std::optional<llvm::StringRef> StackFrame;
};

/// Reads it in one walk over \p Attributes.
InstructionMetadata readMetadata(llvm::StringRef Attributes);

/// Undoes C escapes (`\n`, `\"`, `\303`).
std::string unescape(llvm::StringRef Text);

/// One item `{output}: (operand, {index})` of output_to_operand_aliasing.
struct DeclaredAlias {
  ShapeIndex Output;
  uint32_t Operand = 0;
  ShapeIndex Index;
  /// Where the item is.
  llvm::StringRef Text;
};

/// The items of \p Value, the value of that attribute; nothing if it is
/// something else.
std::optional<llvm::SmallVector<DeclaredAlias, 2>>
parseAliases(llvm::StringRef Value, ShapeIndexTable &Indices);

/// The items of `output_to_operand_aliasing={..}`; none where the attribute is
/// absent or damaged.
llvm::SmallVector<DeclaredAlias, 2> declaredAliases(llvm::StringRef Attributes,
                                                    ShapeIndexTable &Indices);

} // namespace hlobuf

#endif // HLOBUF_HLO_INSTRUCTIONPARSER_H
