// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How results read operands.
//
// Follows the results of an instruction back to its operands, through fused
// and nested computations. Relations are united at every instruction, users
// first, so that no path is followed twice.

#ifndef HLOBUF_ELEMENTS_READRELATIONS_H
#define HLOBUF_ELEMENTS_READRELATIONS_H

#include "Elements/AccessMaps.h"

namespace hlobuf {

/// How far a relation can be trusted.
enum class ReadKind : uint8_t {
  /// These elements are read.
  Exact,
  /// Any of these may be read, by definition of an opcode.
  Any,
  /// The same, because the text does not tell what is read.
  Unknown,
};

/// An update that hides a window of what its operand 0 is read for.
struct HiddenWindow {
  ScopedId Update;
  /// The update's indices are those of the frame; else its addresses are.
  bool SameIndex;
  bool operator==(const HiddenWindow &) const = default;
};

/// Which elements of an array are read for the elements of the frame, the array
/// whose elements are written one by one.
struct ReadRelation {
  ReadKind Kind = ReadKind::Exact;
  /// What is written is what is read, not computed from it.
  bool Moves = true;
  /// Some of these reads do not happen.
  bool Overestimated = false;
  /// An element may be written more than once, and read between.
  bool Repeated = false;
  /// What is read has the address, or the index, of what is written; Map is
  /// null then.
  bool SameAddress = true;
  bool SameIndex = true;
  SmallVector<HiddenWindow, 2> Hidden;
  /// From an index of the frame to those that are read.
  IntegerMap Map;
  /// Parameters of Map.
  SmallVector<unsigned, 4> Used;
  /// The instruction that last moved elements; invalid if none did.
  HloId Cause;

  bool isIdentity() const { return SameAddress || SameIndex; }
};

/// The reads of the operands that were asked for.
struct OperandReads {
  std::map<ReadOperand, std::vector<ReadRelation>> Reads;
  /// Too many paths: reads are missing.
  bool Incomplete = false;
};

/// Walks through one instruction.
class ReadWalk {
public:
  ReadWalk(AccessMaps &Maps, size_t &Budget)
      : P(Maps.All.program()), All(Maps.All), Maps(Maps), Sets(Maps.Sets),
        Budget(Budget) {}

  /// Where the elements of the frame are computed; several places have frames
  /// of one shape.
  void begin(ScopedId Inst, uint32_t Part);
  /// The reads of \p Operands, parts of operands of the instruction.
  OperandReads run(ArrayRef<ReadOperand> Operands);

private:
  struct Edge {
    uint32_t To;
    AccessKind Kind;
    std::optional<uint32_t> Operand;
  };

  uint32_t number(const ReadNode &N);
  const Shape &shape(const ReadNode &N) const {
    return shapeOf(P, N.Inst.Id, N.Part);
  }
  bool findOrder();
  void prune(ArrayRef<ReadOperand> Operands);
  void propagate(uint32_t From);
  std::optional<ReadRelation> through(const ReadRelation &Relation,
                                      uint32_t Node, const Edge &E);
  static bool isSameBytes(const Edge &E, const Shape &X, const Shape &Y);
  ReadRelation followIdentity(const ReadRelation &Relation,
                              const ReadNode &From, const Edge &E, bool &Done);
  void readAll(ReadRelation &Relation, const Shape &Array, const Shape &Source,
               ReadKind Kind);
  void add(uint32_t To, ReadRelation Relation);

  const Program &P;
  Scalars &All;
  AccessMaps &Maps;
  const IntegerSets &Sets;
  size_t &Budget;
  const Shape *Frame = nullptr;
  std::vector<ReadNode> Nodes;
  /// By their fields, packed.
  llvm::SmallDenseMap<std::pair<uint64_t, uint64_t>, uint32_t, 16> Numbers;
  std::vector<SmallVector<Edge, 2>> Edges;
  std::vector<bool> Reaches;
  std::vector<std::vector<ReadRelation>> Relations;
  /// Users come after what they use.
  std::vector<uint32_t> Order;
  std::vector<uint32_t> Begins;
  bool Incomplete = false;
};

/// Makes the relation of \p Relation, which is an identity at array \p Array,
/// explicit: the map then goes from \p Frame to \p Array. False where that is
/// not known.
bool makeExplicit(AccessMaps &Maps, const Shape &Frame, const Shape &Array,
                  ReadRelation &Relation);

} // namespace hlobuf

#endif // HLOBUF_ELEMENTS_READRELATIONS_H
