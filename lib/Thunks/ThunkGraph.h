// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thunks and their instructions.
//
// Which instruction each thunk stands for, which computation each sequence, and
// where the assignment has what the instruction reads and writes
// (xla/backends/{cpu,gpu}/.../thunk_emitter.cc, 2025-2026).

#ifndef HLOBUF_THUNKS_THUNKGRAPH_H
#define HLOBUF_THUNKS_THUNKGRAPH_H

#include "Dataflow/ModuleAnalysis.h"
#include "Program/EqualComputations.h"
#include "Support/Lazy.h"
#include "Thunks/SliceSet.h"
#include "llvm/ADT/DenseMap.h"
#include <array>
#include <map>

namespace hlobuf {

/// An array that is what an instruction returns or reads, or a part of that.
struct ArrayLeaf {
  HloId Instruction;
  uint32_t Ordinal = 0;
  /// Nothing if it is not known where the array is.
  std::optional<ByteSlice> Bytes;
};

/// Slices of a kernel for a whole call.
enum class CallSlices : uint8_t {
  /// What it names as arguments: operands of all instructions.
  Arguments,
  /// What it names as results: all instructions but parameters.
  Results,
  /// What it writes: results of instructions that define a value.
  Written,
};

/// Slices that follow from the module.
struct ExpectedSlices {
  SliceSet Slices;
  /// False if the place of one is not known.
  bool Known = true;
};

/// The thunks of an executable and the module that they were made from.
class ThunkGraph {
public:
  /// \p Analysis has no obstacle.
  explicit ThunkGraph(const ModuleAnalysis &Analysis);

  const Dump &dump() const { return D; }
  const Program &program() const { return P; }
  const ThunkProgram &thunks() const { return T; }

  /// The instruction that \p Id is named for; invalid if the module has none.
  HloId instruction(ThunkId Id) const { return Instructions[Id.index()]; }
  /// \p Id, which may be invalid, is of a computation that thunks run.
  bool isLaunched(HloId Id) const {
    return Id && P.classOf(P[Id].Parent) == ComputationClass::Global;
  }
  /// The thunks that are named for \p Id, in the order of the text; embedded
  /// ones only for a hero().
  ArrayRef<ThunkId> thunksOf(HloId Id) const {
    return ArrayRef<ThunkId>(ByInstruction)
        .slice(Begin[Id.index()], Begin[Id.index() + 1] - Begin[Id.index()]);
  }
  /// The computation that \p Id runs; invalid for embedded thunks, which have
  /// no computation, and where a thunk around it has no instruction.
  ComputationId computation(ThunkSequenceId Id) const {
    return Computations[Id.index()];
  }
  /// The computation in whose sequence the thunks of \p C are: for a GPU those
  /// of calls and async computations are with their callers'.
  ComputationId home(ComputationId C) const { return Homes[C.index()].Id; }
  /// The instruction of \p C that \p Id is, or is called by, where home() of
  /// what it is in is \p C; else invalid.
  HloId instructionIn(ComputationId C, HloId Id) const;
  /// \p Id is inside of an embedded sequence, whose slices are of other
  /// allocations.
  bool isEmbedded(ThunkId Id) const { return Embedded[Id.index()]; }
  /// findHero(), for the bodies of embedded sequences.
  HloId hero(ComputationId Body) const { return Heroes.lookup(Body.index()); }
  /// \p Id is embedded, and stands for the hero() of the fusion.
  bool isHero(ThunkId Id) const {
    return isEmbedded(Id) && instruction(Id) &&
           P.isFusionBody(P[instruction(Id)].Parent);
  }
  /// The first instruction that has thunks and is named like \p Kernel, of a
  /// GPU: thunks that compute the same share a kernel. Invalid if there is
  /// none.
  HloId kernelOwner(StringRef Kernel) const;
  /// What computes the same.
  const EqualComputations &equal() const;
  /// One kernel for a whole call of a CPU (attribute xla_cpu_small_call):
  /// arguments and results are sets, in any order
  /// (computation_kernel_emitter.cc).
  bool isCallKernel(ThunkId Id) const;

  /// The arrays of \p Id's result in pre-order; of a custom call of a CPU,
  /// tokens are passed like arrays (thunk_emitter.cc, 2025-2026).
  SmallVector<ArrayLeaf, 4> leaves(HloId Id, bool Tokens = false) const;
  /// The leaves of all operands.
  SmallVector<ArrayLeaf, 8> operandLeaves(HloId Id, bool Tokens = false) const;
  /// What the thunks of \p Id must write: of a start, what its done gives.
  SmallVector<ArrayLeaf, 4> writtenLeaves(HloId Id) const;
  /// What one of them may write: of an async operation, the results of the
  /// wrapped one too.
  SmallVector<ArrayLeaf, 4> writableLeaves(HloId Id) const;
  /// What a thunk of \p Id writes, in order: of a start, what its done gives.
  SmallVector<ArrayLeaf, 4> orderedResults(HloId Id) const;
  /// The place of part \p Ordinal of \p Id; of a hero() and its operands in
  /// the allocations of the embedded sequence.
  std::optional<ByteSlice> place(HloId Id, uint32_t Ordinal) const;
  /// The part of an operand that a copy for fusion \p I reads: its root is a
  /// slice of a parameter. Nothing where it is something else.
  std::optional<ByteSlice> slicedOperand(HloId I) const;
  /// \p Id is a bitcast, or several, of an array of shape \p Source: libraries
  /// of a GPU are given that.
  bool isBitcastOf(HloId Id, ShapeId Source) const;
  /// The slices of what is below the call that the call kernel \p Id is.
  const ExpectedSlices &callSlices(ThunkId Id, CallSlices Role) const;

  /// `fusion.1{0}`.
  std::string spell(const ArrayLeaf &Leaf) const;
  /// `bytes [0, 32) of allocation 2`.
  static std::string spell(const ByteSlice &Bytes);
  /// Leaves by their places; of several at one place the first.
  using Holders = std::map<ByteSlice, ArrayLeaf>;
  /// The operands and results of \p User, which may be invalid.
  Holders holders(HloId User) const;
  /// `, which is add.1`: what of \p Near, or else of the assignment, is at
  /// \p Bytes; empty if nothing.
  std::string spellHolder(const ByteSlice &Bytes, const Holders &Near) const;
  /// The allocation numbered \p Index; null if there is none.
  const Allocation *allocation(int64_t Index) const;
  /// The name of \p Id's instruction, for messages.
  std::string name(ThunkId Id) const;

private:
  void bindInstructions();
  void bindHero(const ThunkSequence &S);
  void bindSequences();
  void findHomes();
  void findCallSlices();
  void addCallSlices(ComputationId Callee);
  ByteSlice placeOf(const Value &V) const;
  ComputationId computationOf(const ThunkSequence &S) const;

  const ModuleAnalysis &Analysis;
  const Program &P;
  const Dump &D;
  const ThunkProgram &T;
  std::vector<HloId> Instructions;
  std::vector<ComputationId> Computations;
  std::vector<bool> Embedded;
  /// By body of a dynamic-slice fusion.
  DenseMap<uint32_t, HloId> Heroes;
  /// Where a hero() finds its operands, and puts its results.
  std::map<Part, ByteSlice> HeroPlaces;
  /// Thunks sorted by their instructions, and where each instruction's begin.
  std::vector<ThunkId> ByInstruction;
  std::vector<uint32_t> Begin;
  struct Home {
    ComputationId Id;
    /// What leads there; invalid for itself.
    HloId Caller;
  };
  /// By computation.
  std::vector<Home> Homes;
  /// By what a call kernel calls: the sets of CallSlices.
  std::map<ComputationId, std::array<ExpectedSlices, 3>> CallSets;
  /// Instructions that were looked at for CallSets.
  size_t CallSteps = 0;
  /// Printed numbers of allocations, and where they are; sorted.
  std::vector<std::pair<int64_t, uint32_t>> ByNumber;
  /// Values by their places, of equal ones the first.
  using ValuePlaces = std::map<ByteSlice, ValueId>;
  mutable Lazy<ValuePlaces> ByPlace;
  mutable Lazy<StringMap<HloId>> KernelOwners;
  mutable Lazy<EqualComputations> Equal;
};

/// The name of a kernel of an instruction \p Name: for a GPU that of a symbol.
std::string kernelName(StringRef Name, bool ForGpu);

/// What a dynamic-slice fusion, \p Body its body, runs on the parts: the one
/// instruction that moves bytes, and does not slice, update, or compute a start
/// index; invalid if there is none (FindHero in dynamic_slice_fusion.cc, 2026).
HloId findHero(const Program &P, ComputationId Body);

/// Bytes of an operand before the first element that \p I, a slice, takes of
/// it; nothing where \p I is something else, or is more than one run of bytes.
std::optional<int64_t> staticSliceOffset(const Program &P, HloId I);

} // namespace hlobuf

#endif // HLOBUF_THUNKS_THUNKGRAPH_H
