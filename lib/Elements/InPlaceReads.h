// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads of overwritten elements.
//
// Whether an instruction whose result has the bytes of an operand reads an
// element there that another element has overwritten, for some value of the
// scalars that nothing is known of: decided with integer sets, never by trying
// values. No header of isl is needed here.

#ifndef HLOBUF_ELEMENTS_INPLACEREADS_H
#define HLOBUF_ELEMENTS_INPLACEREADS_H

#include "Elements/ElementHazard.h"
#include "Elements/OperandAccesses.h"
#include <memory>

namespace hlobuf {

/// True if results of \p Id are computed in one loop, by threads in any order:
/// an input fusion on GPU (reduction emitters of xla/service/gpu, 2019, and of
/// xla/backends/gpu/codegen/emitters, 2024), group by group.
bool isOneLoop(const Program &P, HloId Id);

/// True if the emitter of \p Id copies what it scatters before it writes
/// (libtpu, 2026).
bool copiesUpdates(const Program &P, HloId Id, const InPlaceChain &Chain);

/// True if \p Hazard, one of \p Id that is decided, is wrong however \p Id is
/// emitted. \p Chain says what is overwritten.
bool isCertain(const Program &P, HloId Id, const ElementHazard &Hazard,
               const InPlaceChain &Chain);

/// Answers for the instructions of one program.
class InPlaceReads {
public:
  explicit InPlaceReads(const Program &P);
  ~InPlaceReads();

  /// How part \p Part of \p Id comes from an operand.
  InPlaceChain chain(HloId Id, uint32_t Part);

  /// The reads of \p Operand by \p Id that are not proved to be sound where its
  /// result \p Part has that operand's bytes: the worst that is certain, and
  /// one for each reason why others are not decided. \p Chain says what is
  /// overwritten there; \p Operands are all that will be asked about.
  std::vector<ElementHazard> find(HloId Id, uint32_t Part, ReadOperand Operand,
                                  const InPlaceChain &Chain,
                                  ArrayRef<ReadOperand> Operands);

  /// Operations of isl for one question. Reached, it is not decided; tests set
  /// it.
  static unsigned long MaxOperations;

private:
  struct State;
  const Program &P;
  size_t Budget;
  Scalars All;
  std::unique_ptr<State> Current;
};

} // namespace hlobuf

#endif // HLOBUF_ELEMENTS_INPLACEREADS_H
