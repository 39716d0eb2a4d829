// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What values are called by those who wrote the program.
//
// Every tool shows values in these words: by the operation that computes them
// and its own source line, arguments by their paths.

#ifndef HLOBUF_MEMORY_VALUENAMES_H
#define HLOBUF_MEMORY_VALUENAMES_H

#include "Dataflow/AliasAnalysis.h"
#include "Memory/MemoryUse.h"
#include "Memory/OperationTrace.h"

namespace hlobuf {

/// What a program was written with: whose words a user knows.
enum class Frontend : uint8_t { Unknown, JAX, PyTorch, TensorFlow };

/// `scan at train.py:32` of `scan at src/train.py:32`.
std::string withoutFolders(StringRef Text);

/// How a user of \p From gives away the argument with the path \p Path.
std::string donationHint(Frontend From, StringRef Path);

/// What a value is to its user.
enum class ValueRole : uint8_t {
  /// An argument, or one that is updated in place.
  Argument,
  Constant,
  /// An operation computes it.
  Computed,
  /// A loop adds one part of it in each trip: residuals that the backward pass
  /// needs, outputs of a scan, gradients of stacked weights.
  Collected,
  /// Memory that something else is written to.
  Blank,
};

/// `argument`, `constant`, `computed`, `collected`, `blank`.
StringRef roleName(ValueRole Role);

/// What a value is called. All texts are printable.
struct ValueName {
  ValueRole Role = ValueRole::Computed;
  /// `dot_general`; of an argument its path: `p['w']`, or `argument 3`. Where
  /// neither is known, the instruction that computes it.
  std::string Operation;
  /// With its scopes: `jit(step)/jvp()/dot_general`; of an argument its path.
  /// Empty if it is not known.
  std::string OpName;
  /// Of what has neither a path nor metadata: OpName of the first operation
  /// that reads it. Empty if it is not known, or not needed.
  std::string ReadBy;
  /// `train.py:12`, the first frame outside of installed packages, of the
  /// operation, or of ReadBy; empty if it is not known.
  std::string Source;
  /// Of the instruction that computes it, which may be inside of a fusion;
  /// nothing if it is not known.
  std::optional<Opcode> ComputedBy;
  /// Of a collected value: the loop, invalid else.
  NameId Loop;
  /// `scan at train.py:32`, or `loop while.7`.
  std::string LoopText;
  /// How many parts a collected value has, 1 else.
  uint64_t Parts = 1;
  /// It is computed in the forward pass, and the backward pass reads it.
  bool ForBackward = false;
  /// Copied on its way from the operation.
  bool Copied = false;
  /// The copy is one from memory of the host, to which it was offloaded.
  bool FromHost = false;
  /// Of an argument of which a loop collects slices.
  bool Sliced = false;
  /// The operation has no metadata: these are those of an operand.
  bool Inherited = false;

  /// Who keeps it, and for what: `kept for the backward pass by the scan at
  /// train.py:32`; where else it was: `from the host`; empty if it is just
  /// computed.
  std::string keeper() const;
  /// `, read by dense/MatMul`; empty without ReadBy.
  std::string reader() const;
  /// One clause: `kept for the backward pass by the scan at train.py:32: sub
  /// train.py:23`, `argument p['w']`, `copy of dot_general train.py:7`.
  std::string text() const;
};

/// Bytes at a peak, and whose they are.
struct NamedBytes {
  /// `fusion.1{0}`.
  std::string Name;
  /// What its user calls it.
  ValueName Called;
  MemoryKind Kind = MemoryKind::Temp;
  /// As placed, and without padding.
  uint64_t Bytes = 0;
  uint64_t Unpadded = 0;
};

/// What instruction \p Name does, by texts alone: what has no metadata is
/// called after its first operand.
ValueName statedName(const Facts &DumpFacts, NameId Name);

/// Names the values of one dump. Built once, in about linear time; names are
/// made when they are asked for, each at a bounded cost. May be asked by
/// several threads.
class ValueNames {
public:
  /// \p Module may be null, or unable to derive anything: then names come from
  /// instruction texts alone, and nothing is followed through fusions and
  /// loops.
  ValueNames(const Facts &DumpFacts, const ModuleAnalysis *Module);

  /// What \p V is called.
  ValueName operator[](ValueId V) const;
  /// What bytes are called that several values share at a time: after the one
  /// that says most. An argument is called by its path, whatever is written
  /// over it.
  ValueName operator[](const HeldValue &V) const;
  /// \p V with that.
  NamedBytes named(const HeldValue &V) const {
    return {D.spell(V.Value), (*this)[V], V.Kind, V.Bytes, V.Unpadded};
  }
  /// \p V as the dump spells it, with what it is called: `fusion.1{0} (sub
  /// train.py:23)`.
  std::string spell(ValueId V) const;
  /// What instruction \p Name does: by its own metadata, also where it updates
  /// an argument; else what its result is called.
  ValueName ofInstruction(NameId Name) const;
  /// Instruction \p Name with that: `fusion.2 (add train.py:15)`.
  std::string spellInstruction(NameId Name) const;

  /// `scan at train.py:32`, or `loop while.7`, of the while loop \p Name.
  std::string loopText(NameId Name) const;

  /// What the program was written with, for hints.
  Frontend frontend() const { return From; }

private:
  ArrayRef<HloValueId> membersOf(HloValueId V) const;
  ValueName ofPart(HloId Id, uint32_t Ordinal) const;
  ValueName ofArgument(HloId Parameter, uint32_t Ordinal) const;
  void describe(ValueName &Out, const TracedOperation &Traced) const;
  void findReader(ValueName &Out, HloId Id, uint32_t Ordinal) const;
  void describeLoop(ValueName &Out, const TracedOperation &Traced,
                    ShapeId Whole) const;
  bool isReadBackward(ValueId V) const;
  bool readsHost(HloId Transfer) const;
  ValueName fillBlank(ValueName Name, HloValueId V) const;

  const Facts &DumpFacts;
  const Dump &D;
  /// Null if nothing can be derived from it.
  const ModuleAnalysis *Module;
  Frontend From;
  /// Nothing without Module.
  std::optional<AliasMembers> Members;
};

} // namespace hlobuf

#endif // HLOBUF_MEMORY_VALUENAMES_H
