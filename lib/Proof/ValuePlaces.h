// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of instructions, and the value lines that place them.
//
// Of a dump only value lines and allocations are used here: no live ranges, no
// positions, no uses.

#ifndef HLOBUF_PROOF_VALUEPLACES_H
#define HLOBUF_PROOF_VALUEPLACES_H

#include "Program/Program.h"
#include "llvm/ADT/DenseSet.h"

namespace hlobuf::proof {

/// Bytes [Begin, End) of an allocation.
struct BytePlace {
  AllocationId Memory;
  uint64_t Begin = 0;
  uint64_t End = 0;

  bool operator==(const BytePlace &) const = default;
  bool empty() const { return Begin == End; }
  /// Some byte is in both.
  bool meets(const BytePlace &Other) const {
    return Memory == Other.Memory &&
           std::max(Begin, Other.Begin) < std::min(End, Other.End);
  }
  bool beginsLike(const BytePlace &Other) const {
    return Memory == Other.Memory && Begin == Other.Begin;
  }
};

/// What the program \p P and its value lines are made of.
class ValuePlaces {
public:
  explicit ValuePlaces(const Program &P);

  const Program &program() const { return P; }
  const Dump &dump() const { return P.facts().dump(); }

  /// The computations that run, in the order of the text.
  ArrayRef<ComputationId> computations() const { return Running; }
  bool runs(ComputationId C) const {
    return P.classOf(C) != ComputationClass::None && !P.isFusionBody(C);
  }
  /// Embedded in an instruction of another computation, which gives it its
  /// arguments.
  bool isLocal(ComputationId C) const {
    return P.classOf(C) == ComputationClass::ThreadLocal;
  }
  /// A custom call carries \p C to where it is compiled again: nobody runs it
  /// from these places.
  bool isCarried(ComputationId C) const {
    return isLocal(C) && P.runsElsewhere(C);
  }
  /// Calls \p Visit(Id) for each instruction that runs.
  template <typename VisitFn> void forEach(VisitFn Visit) const {
    for (ComputationId C : Running)
      for (HloId Id : P.order(C))
        Visit(Id);
  }

  /// The parts of \p Id that are arrays, and hold data; tuple tables and tokens
  /// do not.
  ArrayRef<uint32_t> leaves(HloId Id) const;
  /// The shape of \p At; of a buffer that of its array.
  const Shape &shape(Part At) const;
  ShapeId shapeId(Part At) const {
    return P.trees().part(P[At.Id].Shape, At.Ordinal);
  }
  Part partAt(HloId Id, ArrayRef<uint32_t> Steps) const {
    return P.partAt(Id, Steps);
  }
  SmallVector<uint32_t, 4> steps(Part At) const { return P.steps(At); }
  /// `name{1,0}`.
  std::string spell(Part At) const;
  std::string spell(ValueId Line) const;

  /// Parts that run have numbers below numParts().
  static constexpr uint32_t NoNumber = ~uint32_t(0);
  uint32_t number(Part At) const;
  size_t numParts() const { return Lines.size(); }

  /// The value line that names \p At; invalid if there is none.
  ValueId line(Part At) const {
    uint32_t N = number(At);
    return N == NoNumber ? ValueId() : Lines[N];
  }
  /// What \p Line names; invalid if it names nothing that the module has.
  Part part(ValueId Line) const { return Named[Line.index()]; }
  BytePlace place(ValueId Line) const {
    const Value &V = dump()[Line];
    return {V.Owner, V.Offset, V.Offset + V.Size};
  }
  /// The program may not write \p Line: a constant, or an argument that is not
  /// donated.
  bool isReadOnly(ValueId Line) const;
  /// \p At, a constant or an argument with a line, begins the one allocation
  /// for it.
  bool isGivenThere(Part At) const;
  /// Parameter \p Number at \p Index is donated to a result; or nothing says,
  /// because the header is that of another module.
  bool isDonated(uint32_t Number, ShapeIndex Index) const {
    return !OwnHeader || Donated.contains({Number, Index.canonical().bits()});
  }

private:
  void findDonated();
  void findArguments();
  void numberParts();
  void placeParts();

  const Program &P;
  std::vector<ComputationId> Running;
  /// What input_output_alias names is there.
  bool OwnHeader = true;
  /// Numbers and indices of parameters.
  DenseSet<IdPair> Donated;
  /// How many allocations there are for it, by its number and index.
  DenseMap<IdPair, uint32_t> Arguments;
  /// By slot: the number of its first part, NoNumber if it does not run.
  std::vector<uint32_t> PartBegin;
  /// By number of a part.
  std::vector<ValueId> Lines;
  /// By value line.
  std::vector<Part> Named;
  /// By shape: the ordinals of its arrays, once they were asked for.
  mutable std::vector<std::optional<std::vector<uint32_t>>> Leaves;
};

} // namespace hlobuf::proof

#endif // HLOBUF_PROOF_VALUEPLACES_H
