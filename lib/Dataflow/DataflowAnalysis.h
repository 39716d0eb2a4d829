// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of a module.
//
// A location is a part of an instruction's result: base(instruction) plus the
// ordinal of the part. Parts of a part are consecutive, so that forwarding a
// subtree copies an interval (xla/hlo/analysis/hlo_dataflow_analysis.cc).

#ifndef HLOBUF_DATAFLOW_DATAFLOWANALYSIS_H
#define HLOBUF_DATAFLOW_DATAFLOWANALYSIS_H

#include "Dataflow/LocationGraph.h"

namespace hlobuf {

/// A value that the module defines.
using HloValueId = Id<struct FlowTag>;

/// A value: where it is defined (xla/hlo/analysis/hlo_value.h, 2017).
struct HloValue {
  HloId Definition;
  /// Which part of the definition.
  uint32_t Ordinal = 0;
  bool Phi = false;
};

/// Which value each part of each instruction holds
/// (xla/hlo/analysis/hlo_dataflow_analysis.cc, 2017 on).
class DataflowAnalysis {
public:
  DataflowAnalysis(const Program &P, const ReleaseWindow &Window);

  const Program &program() const { return P; }

  ArrayRef<HloValue> values() const { return Values; }
  const HloValue &operator[](HloValueId Id) const { return Values[Id.index()]; }

  /// True if \p Id has locations: all but the bodies of fusions have.
  bool hasLocations(HloId Id) const { return base(Id) != NoBase; }
  /// The value at part \p Ordinal of \p Id; invalid if there is none.
  HloValueId at(HloId Id, uint32_t Ordinal) const {
    uint32_t First = base(Id);
    return First == NoBase ? HloValueId() : ValueOf[First + Ordinal];
  }
  /// Numbers of parts of instructions, below numLocations(); \p Id has some.
  uint32_t location(HloId Id, uint32_t Ordinal) const {
    return base(Id) + Ordinal;
  }
  size_t numLocations() const { return ValueOf.size(); }
  /// The same at \p Index; invalid if there is no such part.
  HloValueId at(HloId Id, ShapeIndex Index) const;
  /// The value that \p Id defines at part \p Ordinal, phis included.
  HloValueId definedAt(HloId Id, uint32_t Ordinal) const {
    HloValueId V = at(Id, Ordinal);
    return V && Values[V.index()].Definition == Id &&
                   Values[V.index()].Ordinal == Ordinal
               ? V
               : HloValueId();
  }

  /// The definition first, then all other positions.
  ArrayRef<Part> positions(HloValueId Id) const {
    return ArrayRef<Part>(Positions).slice(PositionBegin[Id.index()],
                                           PositionBegin[Id.index() + 1] -
                                               PositionBegin[Id.index()]);
  }

  /// True if \p User, an instruction that reads the instruction at which \p V
  /// is at \p Ordinal, is a use of V (HloValue::ComputeUses in
  /// xla/service/hlo_value.cc).
  bool isUse(HloValueId V, HloId User, uint32_t Ordinal) const;

  /// Calls \p Visit(User, Operand, Position) for each use of \p V.
  template <typename VisitFn>
  void forEachUse(HloValueId V, VisitFn Visit) const {
    for (const Part &Pos : positions(V))
      for (const ProgramUse &Use : usersOf(Pos))
        if (isUse(V, Use.User, Pos.Ordinal))
          Visit(Use.User, Use.Operand, Pos);
  }

  /// A name for diagnostics: `fusion.1{0}`.
  std::string spell(HloValueId Id) const;

private:
  static constexpr uint32_t NoBase = LocationGraph::NoBase;

  /// Where \p Id's locations begin, or NoBase.
  uint32_t base(HloId Id) const { return Base[Id.index()]; }

  /// The users of an instruction that may be uses of a value at \p Pos: all,
  /// or of what is inside a tuple those that do more than take an element.
  ArrayRef<ProgramUse> usersOf(const Part &Pos) const {
    if (Pos.Ordinal == 0)
      return P.users(Pos.Id);
    auto Row = llvm::lower_bound(InnerBegin, std::pair(Pos.Id, 0u));
    if (Row == InnerBegin.end() || Row->first != Pos.Id)
      return {};
    auto Next = std::next(Row);
    size_t End = Next == InnerBegin.end() ? InnerUsers.size() : Next->second;
    return ArrayRef<ProgramUse>(InnerUsers)
        .slice(Row->second, End - Row->second);
  }
  void collectInnerUsers();
  bool isPosition(HloValueId V, HloId Id) const;

  void collectValues(LocationGraph &Graph);
  void collectPositions();

  const Program &P;
  std::vector<uint32_t> Base;
  std::vector<HloValueId> ValueOf;
  std::vector<HloValue> Values;
  std::vector<uint32_t> PositionBegin;
  std::vector<Part> Positions;
  /// Where users begin that may use what is inside the tuple of an instruction,
  /// of the instructions that have some. A tuple of n elements has n users that
  /// take one each, and every element would ask all.
  std::vector<std::pair<HloId, uint32_t>> InnerBegin;
  std::vector<ProgramUse> InnerUsers;
};

/// By value: true for parameters that the module lets an output take the bytes
/// of.
std::vector<bool> donatedValues(const DataflowAnalysis &Flow);

} // namespace hlobuf

#endif // HLOBUF_DATAFLOW_DATAFLOWANALYSIS_H
