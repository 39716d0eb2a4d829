//===- Proto/AttributePrinter.h - Attributes of one instruction -*- C++ -* -*-
//C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_PROTO_ATTRIBUTEPRINTER_H
#define HLOBUF_PROTO_ATTRIBUTEPRINTER_H

#include "Proto/Fields.h"
#include "Proto/ProtoText.h"
#include "Support/Format.h"

namespace hlobuf {

/// Prints the attributes of one instruction.
class AttributePrinter {
public:
  AttributePrinter(const ProtoModule &M, const ProtoInstruction &I,
                   TextSink &To)
      : M(M), I(I), To(To) {}

  void print();

private:
  // AttributeText.cpp
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
  void list(llvm::StringRef Key, llvm::ArrayRef<int64_t> All);
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
  void printByOpcode();
  void printCollective();
  void printIndexed();
  // DimensionText.cpp
  void printSlice();
  void printPermute();
  void printWindow();
  void printPadding();
  void printConvolution();
  void printDot(llvm::StringRef Numbers);
  void printGather();
  void printScatter();
  void printAliases();
  void printCalls();
  void callee(llvm::StringRef Key, llvm::ArrayRef<int64_t> All, size_t Number);
  void printFrontend();
  void printPredecessors();
  void printMetadata();
  void printBackendConfig();

  const ProtoModule &M;
  const ProtoInstruction &I;
  TextSink &To;
};

} // namespace hlobuf

#endif // HLOBUF_PROTO_ATTRIBUTEPRINTER_H
