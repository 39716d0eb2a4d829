// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Single elements and their values.
//
// The scalars that start indices are computed from: where they come from, and
// their values by the arithmetic of the machine.

#ifndef HLOBUF_ELEMENTS_SCALARS_H
#define HLOBUF_ELEMENTS_SCALARS_H

#include "Elements/IntegerType.h"
#include "HLO/AttributeNumbers.h"
#include "Program/Program.h"
#include <map>

namespace hlobuf {

/// An instruction inside one chain of nested fusions.
struct ScopedId {
  /// Number of the fusion call that runs it; 0 outside of all fusions.
  uint32_t Scope = 0;
  HloId Id;
  auto operator<=>(const ScopedId &) const = default;
};

/// One element of an array: part Part of what At makes, elements counted with
/// the last dimension fastest.
struct ScalarId {
  ScopedId Inst;
  uint32_t Part = 0;
  int64_t Element = 0;
  auto operator<=>(const ScalarId &) const = default;
};

/// Where an operand has what a result has at an index, in one dimension: at
/// Factor * the index in dimension Source of the result + Offset, or at 0 if
/// Source is negative.
struct MovedDimension {
  int64_t Source = 0;
  int64_t Factor = 1;
  int64_t Offset = 0;
};
using MovedDimensions = SmallVector<MovedDimension, 6>;

/// `key={1,0}`, empty without it; nothing unless every number is a dimension
/// below \p Rank, and none is there twice.
std::optional<AttributeNumbers> dimensionsIn(StringRef Attributes,
                                             StringRef Key, unsigned Rank);

/// The shape of part \p Part of what \p Id makes.
inline const Shape &shapeOf(const Program &P, HloId Id, uint32_t Part) {
  return P.trees().shape(P.trees().part(P[Id].Shape, Part));
}

/// Values of scalars.
using ScalarValues = std::map<ScalarId, int64_t>;

/// Follows scalars of one program.
class Scalars {
public:
  explicit Scalars(const Program &P) : P(P), Scopes(1) {}

  const Program &program() const { return P; }
  /// The scope of what \p Call runs.
  uint32_t enter(ScopedId Call);
  /// The fusion that runs \p Scope, which is not 0.
  ScopedId caller(uint32_t Scope) const { return Scopes[Scope]; }

  /// The element that \p S is a copy of: through fusions, calls, branches, loop
  /// state that a loop does not change, tuples, and whatever moves elements.
  ScalarId resolve(ScalarId S);
  /// How people know \p S: the instruction that picks it.
  HloId nameOf(ScalarId S);
  /// Operand \p K of the elementwise instruction that makes \p S, which is
  /// resolved.
  ScalarId operand(ScalarId S, size_t K) const;
  const Shape &shape(ScalarId S) const { return shapeOf(P, S.Inst.Id, S.Part); }
  /// How slice, broadcast, transpose, reverse or concatenate \p Id moves
  /// operand \p Operand; nothing for other opcodes.
  std::optional<MovedDimensions> moved(HloId Id, size_t Operand);
  /// The value in a constant; nothing if it is not an integer.
  std::optional<int64_t> literal(ScalarId S);

  /// The value of \p S where \p Known gives those of others, resolved ones;
  /// nothing if it depends on scalars that are not in it, or on arithmetic that
  /// is not followed.
  std::optional<int64_t> evaluate(ScalarId S, const ScalarValues &Known);

  /// The attributes of \p Id; empty for what the text leaves out.
  StringRef attributes(HloId Id) const {
    return P.isHidden(Id) ? "" : P.module().attributes(P.module()[Id]);
  }

private:
  /// Where operands of a concatenate begin along a dimension, up to one that
  /// does not fit.
  struct Joined {
    int64_t Along = 0;
    std::vector<int64_t> Begins;
  };

  const Joined &joined(HloId Concatenate);
  bool step(ScalarId &S);
  bool stepOutOf(ScalarId &S);
  bool stepOverMove(ScalarId &S);
  bool leaveLoop(ScalarId &S, HloId While);
  std::optional<int64_t> compute(ScalarId S, const ScalarValues &Known,
                                 ScalarValues &Done, unsigned Depth);

  const Program &P;
  std::vector<ScopedId> Scopes;
  DenseMap<IdPair, uint32_t> ScopeOf;
  std::map<ScalarId, ScalarId> Resolved;
  std::map<ScalarId, HloId> Names;
  /// The elements of constants, as far as they were asked for.
  DenseMap<uint32_t, std::vector<int64_t>> Literals;
  DenseMap<uint32_t, Joined> Concatenates;
  unsigned Nested = 0;
};

} // namespace hlobuf

#endif // HLOBUF_ELEMENTS_SCALARS_H
