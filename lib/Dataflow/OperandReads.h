//===- Dataflow/OperandReads.h - What opcodes read of operands --*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How each opcode reads its operands: the steps that ElementReads puts
// together.
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_DATAFLOW_OPERANDREADS_H
#define HLOBUF_DATAFLOW_OPERANDREADS_H

#include "Dataflow/StartIndices.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace hlobuf {

/// Part \p Part of operand number \p Operand of an instruction, as \p Map has
/// it.
using OperandReadFn = llvm::function_ref<void(uint32_t Operand, uint32_t Part,
                                              const ElementMap &Map)>;

/// Tells what single instructions read; fusions and parameters are the
/// caller's.
class OperandReads {
public:
  OperandReads(const Program &P, StartIndices &Starts) : P(P), Starts(Starts) {}

  /// Calls \p Visit for each operand that part \p Part of \p At reads, where
  /// \p Map says which elements of that part are wanted.
  void visit(ScopedId At, uint32_t Part, const ElementMap &Map,
             OperandReadFn Visit);

  /// The shape of part \p Part of \p Id.
  const Shape &shape(HloId Id, uint32_t Part) const {
    return P.trees().shape(P.trees().part(P[Id].Shape, Part));
  }

private:
  /// One instruction with what is wanted of it.
  struct Step {
    ScopedId At;
    uint32_t Part;
    const ElementMap &Map;
    const Shape &Result;
    llvm::ArrayRef<HloId> Operands;
    OperandReadFn Visit;
  };

  void forward(const Step &S, uint32_t Operand, uint32_t Part);
  void whole(const Step &S, uint32_t Operand, MapKind Kind);
  void elementwise(const Step &S, uint32_t Operand);
  void all(const Step &S, MapKind Kind);
  void dispatch(const Step &S);
  void element(const Step &S);
  void renumbered(const Step &S);
  void reinterpreted(const Step &S);
  void moved(const Step &S);
  void padded(const Step &S);
  void sliced(const Step &S);
  void updated(const Step &S);
  void joined(const Step &S);
  void reduced(const Step &S);
  void scattered(const Step &S);
  void started(const Step &S);
  void done(const Step &S);
  void paired(const Step &S);
  void customCall(const Step &S);
  AffineIndex start(const Step &S, size_t First, size_t D, int64_t Max);
  llvm::SmallVector<int64_t, 6> numbers(HloId Id, llvm::StringRef Key) const;
  const Shape *operandShape(const Step &S, uint32_t Operand) const;
  void emit(const Step &S, uint32_t Operand, ElementMap &Map);

  const Program &P;
  StartIndices &Starts;
};

} // namespace hlobuf

#endif // HLOBUF_DATAFLOW_OPERANDREADS_H
