// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fields of one instruction.

#ifndef HLOBUF_PROTO_FIELDPRINTER_H
#define HLOBUF_PROTO_FIELDPRINTER_H

#include "Proto/Fields.h"
#include "Proto/ProtoText.h"
#include "Support/Format.h"

namespace hlobuf {

/// Prints fields of one instruction as attributes.
class FieldPrinter {
public:
  FieldPrinter(const ProtoInstruction &I, TextSink &To) : I(I), To(To) {}

protected:
  /// The message in \p Field; an empty one if it is damaged.
  llvm::StringRef message(uint32_t Field) {
    llvm::StringRef Bytes = bytesField(I.Bytes, Field);
    if (isMessage(Bytes))
      return Bytes;
    if (!To.Damaged)
      To.Damaged = "HloInstructionProto";
    return llvm::StringRef();
  }
  bool is(llvm::StringRef Opcode) const { return I.Opcode == Opcode; }
  bool has(uint32_t Field) const {
    return numberField(I.Bytes, Field).value_or(0) != 0;
  }
  void list(llvm::StringRef Key, llvm::ArrayRef<int64_t> All) {
    To.Out += fmt::format(", {}={}", Key, indexText(All));
  }
  void listIfAny(llvm::StringRef Key, llvm::ArrayRef<int64_t> All) {
    if (!All.empty())
      list(Key, All);
  }
  void number(llvm::StringRef Key, uint32_t Field) {
    To.Out +=
        fmt::format(", {}={}", Key, numberField(I.Bytes, Field).value_or(0));
  }
  void flag(llvm::StringRef Key, uint32_t Field) {
    if (has(Field))
      To.Out += fmt::format(", {}=true", Key);
  }

  const ProtoInstruction &I;
  TextSink &To;
};

} // namespace hlobuf

#endif // HLOBUF_PROTO_FIELDPRINTER_H
