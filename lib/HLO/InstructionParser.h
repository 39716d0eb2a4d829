// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One printed instruction.

#ifndef HLOBUF_HLO_INSTRUCTIONPARSER_H
#define HLOBUF_HLO_INSTRUCTIONPARSER_H

#include "HLO/Opcode.h"
#include "HLO/Shape.h"
#include <optional>

namespace hlobuf {

/// `[ROOT ][%]name = `, with which an instruction begins.
struct InstructionHead {
  StringRef Name;
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
  StringRef ShapeText;
  StringRef OpcodeText;
  PrintedOpcode Op;
  /// Between the parentheses: operands, a literal, or a parameter number.
  StringRef Operands;
  /// After the closing parenthesis, with the leading `, `; empty if none.
  StringRef Attributes;
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
  TextExtent(StringRef Whole, StringRef Own, StringRef Operands)
      : TextOffset(static_cast<uint32_t>(Own.data() - Whole.data())),
        TextSize(static_cast<uint32_t>(Own.size())),
        HeadSize(static_cast<uint32_t>(Operands.data() - Own.data() - 1)),
        OperandsSize(static_cast<uint32_t>(Operands.size())) {}

  // The parts of a text that is in Whole.
  StringRef text(StringRef Whole) const {
    return {Whole.data() + TextOffset, TextSize};
  }
  StringRef head(StringRef Whole) const {
    return {Whole.data() + TextOffset, HeadSize};
  }
  StringRef operandsText(StringRef Whole) const {
    return {Whole.data() + TextOffset + HeadSize + 1, OperandsSize};
  }
  /// After the closing parenthesis, with the leading `, `.
  StringRef attributes(StringRef Whole) const {
    return text(Whole).drop_front(HeadSize + OperandsSize + 2);
  }
};

/// Takes one instruction apart; `%` in front of names is optional. Nothing if
/// the text is not an instruction up to its closing parenthesis.
std::optional<InstructionText> parseInstruction(StringRef Text,
                                                ShapeTable &Shapes);
/// The same of a text up to \p End whose \p Head was taken before.
std::optional<InstructionText> parseInstruction(const InstructionHead &Head,
                                                const char *End,
                                                ShapeTable &Shapes);

/// One operand as printed.
struct OperandText {
  /// Empty since 2025-03-11.
  StringRef Shape;
  /// Without `%`.
  StringRef Name;
  /// `#0#1`: the element that is meant, in module texts since 2026-07-13;
  /// empty if the operand is the instruction itself.
  StringRef Path;
};

/// Calls \p Visit for each operand in order. False where the text is not a
/// list of operands (a literal, a parameter number, a damaged text).
bool forEachOperand(StringRef Operands, function_ref<void(OperandText)> Visit);

/// True if \p Text has \p Key, which is not empty, somewhere in front of a `=`:
/// only then it may have such an attribute.
bool holdsKey(StringRef Text, StringRef Key);

/// The text of attribute \p Key, up to the comma that ends it; nothing if
/// there is none. Strings and brackets are skipped by XLA's quoting rules.
std::optional<StringRef> findAttribute(StringRef Attributes, StringRef Key);

/// `custom_call_target` without its quotes; empty if it is not there.
StringRef customCallTarget(StringRef Attributes);

/// True for an async-start whose computation runs on a SparseCore of a TPU
/// (hlo_instructions.cc, HloAsyncStartInstruction::PrintExtraAttributesImpl).
bool runsOnSparseCore(StringRef Attributes);

/// True for a call by several SparseCores, each with a part of its operands and
/// results (libtpu 0.0.23).
bool isSharded(Opcode Op, StringRef Attributes);

/// Takes `, key=` off the front of \p Rest, which then begins with the value.
/// An item without `=` is all key. False at the end.
bool takeAttributeKey(StringRef &Rest, StringRef &Key);

/// Takes the value that takeAttributeKey() left at the front of \p Rest.
StringRef takeAttributeValue(StringRef &Rest);

/// What `metadata={..}` says of where an instruction comes from: C-escaped
/// texts without their quotes, and digits.
struct InstructionMetadata {
  std::optional<StringRef> OpName;
  std::optional<StringRef> SourceFile;
  std::optional<StringRef> SourceLine;
  std::optional<StringRef> StackFrame;
};

/// Reads it in one walk over \p Attributes.
InstructionMetadata readMetadata(StringRef Attributes);

/// Undoes C escapes (`\n`, `\"`, `\303`).
std::string unescape(StringRef Text);

/// One item `{output}: (operand, {index})` of output_to_operand_aliasing.
struct DeclaredAlias {
  ShapeIndex Output;
  uint32_t Operand = 0;
  ShapeIndex Index;
  /// Where the item is.
  StringRef Text;
};

/// The items of \p Value, the value of that attribute; nothing if it is
/// something else.
std::optional<SmallVector<DeclaredAlias, 2>>
parseAliases(StringRef Value, ShapeIndexTable &Indices);

/// The items of `output_to_operand_aliasing={..}`; none where the attribute is
/// absent or damaged.
SmallVector<DeclaredAlias, 2> declaredAliases(StringRef Attributes,
                                              ShapeIndexTable &Indices);

} // namespace hlobuf

#endif // HLOBUF_HLO_INSTRUCTIONPARSER_H
