// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opcodes and what is known of them.

#ifndef HLOBUF_HLO_OPCODE_H
#define HLOBUF_HLO_OPCODE_H

#include "Support/LLVM.h"
#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>

namespace hlobuf {

/// The opcodes of all releases.
enum class Opcode : uint8_t {
  /// Not in Opcodes.def: newer than this tool.
  Unknown,
#define HLOBUF_OPCODE(Enumerator, Text, Operands, Traits) Enumerator,
#include "HLO/Opcodes.def"
};

/// What Opcodes.def says of an opcode.
enum class OpcodeTrait : uint32_t {
  None = 0,
  /// An element of the result is computed from the elements of the operands at
  /// its own index.
  Elementwise = 1 << 0,
  /// Result k is computed from operand k, one pair after the other.
  Paired = 1 << 1,
  /// The result does not depend on any element of an operand.
  ReadsNoElement = 1 << 2,
  /// No memory is read or written: the result is there already.
  NoAccess = 1 << 3,
  /// No part of the result has a value of its own, but for phis
  /// (HloDataflowAnalysis::InitializeInstructionValueSets, 2017 on).
  DefinesNothing = 1 << 4,
  /// Of an operand only the tuple index table is used; what is below is passed
  /// on (HloDataflowAnalysis::DoesNotUseOperandBuffer, 2017 on).
  UsesTop = 1 << 5,
  /// Operands are forwarded and not used.
  UsesNothing = 1 << 6,
  /// Operands may be tuples, or tokens that stand for no data.
  TakesTuples = 1 << 7,
  /// Callees take part in the schedule of the caller.
  ControlFlow = 1 << 8,
  /// Operands are read by the callees alone.
  CalleeReads = 1 << 9,
  /// GPU prints async ops that wrap collectives with these texts (2026-06-29
  /// on, CUDA and ROCm), so that the text does not tell them apart.
  MaySugar = 1 << 10,
  /// Host or another device is on the other side.
  Transfer = 1 << 11,
  /// Every element of the result is an element of an operand.
  MovesElements = 1 << 12,
  /// All elements of an operand are in the result, but for those that an update
  /// replaces.
  KeepsElements = 1 << 13,
  /// No instruction makes its value: constant, parameter.
  Given = 1 << 14,
  /// An update replaces elements of operand 0, which the result is otherwise.
  Updates = 1 << 15,
  /// The result may have the bytes of an operand
  /// (HloDataflowAnalysis::GetInPlaceInputOutputPairs, 2017 on).
  InPlace = 1 << 16,
  /// Several devices take part, and the text says which; dones of such have
  /// none.
  Collective = 1 << 17,
  /// async-start, async-update, async-done.
  Async = 1 << 18,
  /// May have output_to_operand_aliasing.
  DeclaresAliases = 1 << 19,
  /// Its text has a number that says which one it is.
  Numbered = 1 << 20,
};

constexpr OpcodeTrait operator|(OpcodeTrait A, OpcodeTrait B) {
  return OpcodeTrait(uint32_t(A) | uint32_t(B));
}

/// How many operands an opcode has: Least, Least + Step, .. up to Most.
struct OperandCount {
  uint32_t Least = 0;
  uint32_t Most = ~0U;
  uint32_t Step = 1;

  constexpr bool has(size_t Count) const {
    return Count >= Least && Count <= Most && (Count - Least) % Step == 0;
  }
};

/// How an instruction calls a computation: the attribute's name.
enum class CallRole : uint8_t {
  Calls,
  ToApply,
  Condition,
  Body,
  /// true_computation, false_computation, branch_computations in this order.
  Branch,
  /// called_computations
  Called,
  Select,
  Scatter,
};

/// What the parameters of a called computation follow from.
enum class CalleeParameters : uint8_t {
  /// From nothing that the text says.
  Unchecked,
  /// Parameter k is operand k, and the root is the result; of an async-start it
  /// is element {1}.
  Operands,
  /// The one parameter is operand 0.
  State,
  /// The one parameter of computation k is operand k + 1, and the root is the
  /// result.
  OneEach,
  /// Scalars: one for each operand, for each but one, two for each, or two.
  PerOperand,
  PerOperandButOne,
  TwoPerOperand,
  Two,
};

/// A row HLOBUF_CALLEE of Opcodes.def.
struct CalleeRule {
  Opcode Op = Opcode::Unknown;
  CallRole Role = CallRole::Calls;
  /// How many computations are named so.
  uint32_t Least = 0;
  uint32_t Most = 0;
  CalleeParameters Parameters = CalleeParameters::Unchecked;
};

namespace detail {
/// How Opcodes.def spells counts.
struct OperandCounts {
  static constexpr OperandCount any() { return {}; }
  static constexpr OperandCount exactly(uint32_t N) { return {N, N}; }
  static constexpr OperandCount atLeast(uint32_t N) { return {N}; }
  static constexpr OperandCount between(uint32_t Least, uint32_t Most) {
    return {Least, Most};
  }
  /// As many inputs as initial values; with one operand more.
  static constexpr OperandCount pairs() { return {2, ~0U, 2}; }
  static constexpr OperandCount pairsAndOne() { return {3, ~0U, 2}; }
};

/// The columns of Opcodes.def.
struct OpcodeTable : OperandCounts {
  using enum OpcodeTrait;
  /// By opcode.
  static constexpr OperandCount Operands[] = {
      any(),
#define HLOBUF_OPCODE(Enumerator, Text, Operands, Traits) Operands,
#include "HLO/Opcodes.def"
  };
  /// By opcode.
  static constexpr OpcodeTrait Traits[] = {
      None,
#define HLOBUF_OPCODE(Enumerator, Text, Operands, Traits) Traits,
#include "HLO/Opcodes.def"
  };
};
} // namespace detail

/// True if Opcodes.def gives \p Trait to \p Op.
inline bool hasTrait(Opcode Op, OpcodeTrait Trait) {
  auto Own = static_cast<uint32_t>(detail::OpcodeTable::Traits[uint8_t(Op)]);
  return (Own & static_cast<uint32_t>(Trait)) != 0;
}

/// See OperandCount; any number of an opcode that is not known.
inline OperandCount operandCount(Opcode Op) {
  return detail::OpcodeTable::Operands[uint8_t(Op)];
}

/// `1`, `at least 2`, `2, 4, ..`
std::string spellCount(OperandCount Count);

/// The rows of the array \p Rows, sorted by its members Op, that are for \p Op.
template <const auto &Rows> auto rowsFor(Opcode Op) {
  static constexpr size_t Count = std::size(Rows);
  static_assert(
      std::is_sorted(std::begin(Rows), std::end(Rows),
                     [](const auto &X, const auto &Y) { return X.Op < Y.Op; }),
      "sort the rows by opcode");
  /// By opcode; one more ends the last.
  static constexpr auto Begin = [] {
    std::array<uint8_t, std::size(detail::OpcodeTable::Traits) + 1> Places = {};
    static_assert(Count < 256);
    uint8_t Row = 0;
    for (size_t Number = 0; Number != Places.size(); ++Number) {
      while (Row != Count && uint8_t(Rows[Row].Op) < Number)
        ++Row;
      Places[Number] = Row;
    }
    return Places;
  }();
  return ArrayRef(Rows).slice(Begin[uint8_t(Op)],
                              Begin[uint8_t(Op) + 1u] - Begin[uint8_t(Op)]);
}

/// The rows of Opcodes.def for \p Op: none if it names no computations.
ArrayRef<CalleeRule> calleeRules(Opcode Op);

/// The traits that OpcodeTrait explains, as questions.
#define HLOBUF_TRAIT(Question, Trait)                                          \
  inline bool Question(Opcode Op) { return hasTrait(Op, OpcodeTrait::Trait); }
HLOBUF_TRAIT(isElementwise, Elementwise)
HLOBUF_TRAIT(movesElements, MovesElements)
HLOBUF_TRAIT(keepsElements, KeepsElements)
HLOBUF_TRAIT(isPaired, Paired)
HLOBUF_TRAIT(readsNoElement, ReadsNoElement)
HLOBUF_TRAIT(accessesNoMemory, NoAccess)
HLOBUF_TRAIT(definesNothing, DefinesNothing)
HLOBUF_TRAIT(usesNothing, UsesNothing)
HLOBUF_TRAIT(mayBeSugar, MaySugar)
HLOBUF_TRAIT(calleeReads, CalleeReads)
HLOBUF_TRAIT(isTransfer, Transfer)
HLOBUF_TRAIT(isGiven, Given)
HLOBUF_TRAIT(isUpdate, Updates)
HLOBUF_TRAIT(mayWorkInPlace, InPlace)
HLOBUF_TRAIT(isCollective, Collective)
HLOBUF_TRAIT(mayDeclareAliases, DeclaresAliases)
HLOBUF_TRAIT(isNumbered, Numbered)
// async-start, async-update or async-done, sugar included.
HLOBUF_TRAIT(isAsync, Async)
// call, while and conditional: callees run in the caller's own schedule.
HLOBUF_TRAIT(isSynchronousCall, ControlFlow)
#undef HLOBUF_TRAIT

/// The elements of an array between two of them.
inline bool isSlice(Opcode Op) {
  return Op == Opcode::Slice || Op == Opcode::DynamicSlice;
}

/// True if parts of operands below the top are forwarded and not used.
inline bool usesTopAtMost(Opcode Op) {
  return hasTrait(Op, OpcodeTrait::UsesTop) || usesNothing(Op);
}
/// True if \p Op does nothing but compute its result from its operands.
bool onlyComputes(Opcode Op);
/// See OpcodeTrait; true for an opcode that is not known.
inline bool takesTuples(Opcode Op) {
  return Op == Opcode::Unknown || hasTrait(Op, OpcodeTrait::TakesTuples);
}
/// collective-permute and its start, with one operand or four of them.
inline bool isPermute(Opcode Op) {
  return Op == Opcode::CollectivePermute ||
         Op == Opcode::CollectivePermuteStart;
}
/// async-update or async-done, sugar included.
inline bool continuesAsync(Opcode Op) {
  return isAsync(Op) && Op != Opcode::AsyncStart;
}
/// async-start or async-update, sugar included: the result is operands, results
/// and contexts.
inline bool hasAsyncState(Opcode Op) {
  return isAsync(Op) && Op != Opcode::AsyncDone;
}
/// while and conditional: values of several computations join in the result.
inline bool joinsValues(Opcode Op) {
  return isSynchronousCall(Op) && Op != Opcode::Call;
}
/// call and fusion: the result is that of the one callee, whose parameters are
/// the operands.
inline bool wrapsComputation(Opcode Op) {
  return Op == Opcode::Call || Op == Opcode::Fusion;
}
/// call, while, conditional and async ops: callees take part in the schedule.
inline bool isControlFlow(Opcode Op) {
  return isSynchronousCall(Op) || isAsync(Op);
}

/// A start and the done that waits for it.
struct AsyncOpcodes {
  Opcode Start;
  Opcode Done;
  /// The element of the start's result that the done's is; nothing for all of
  /// it.
  std::optional<uint32_t> Result;
};

/// What \p Op starts; null if nothing that could be read.
const AsyncOpcodes *startedBy(Opcode Op);
/// What \p Op is the done of; null if nothing that could be read.
const AsyncOpcodes *endedBy(Opcode Op);

/// An opcode as printed: `fusion-start` is an async-start that wraps a fusion
/// (2022-03-17 on), `copy-start` an opcode of its own.
struct PrintedOpcode {
  Opcode Op = Opcode::Unknown;
  /// Printed as WRAPPED-start, -update or -done.
  bool Sugar = false;
};

/// Unknown if no release prints \p Text.
PrintedOpcode parseOpcode(StringRef Text);

/// As printed; empty for Unknown.
StringRef opcodeText(Opcode Op);

/// The known opcode whose text is \p Text but for one letter; Unknown if there
/// is none.
Opcode findSimilarOpcode(StringRef Text);

} // namespace hlobuf

#endif // HLOBUF_HLO_OPCODE_H
