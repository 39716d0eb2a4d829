// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Start indices, symbolic.
//
// Start indices as parameters of integer sets, and all values that they can
// have together: what is clamped is a piecewise affine function of scalars that
// nothing is known of but their type, modulo 2^bits.

#ifndef HLOBUF_ELEMENTS_STARTINDICES_H
#define HLOBUF_ELEMENTS_STARTINDICES_H

#include "Elements/IntegerSets.h"
#include "Elements/Scalars.h"

namespace hlobuf {

/// Values Begin, Begin + Step, .. of which the last one is at most Last.
struct CounterRange {
  int64_t Begin = 0;
  int64_t Last = 0;
  int64_t Step = 1;
};

/// How often loop \p While runs its body, by a part of its state that counts
/// upwards from a constant, and that its condition compares with one; nothing
/// for other loops.
std::optional<int64_t> countRounds(Scalars &All, HloId While);
/// The `known_trip_count` in \p Attributes of a loop; nothing without one.
std::optional<int64_t> statedRounds(StringRef Attributes);

/// The start indices of one question. Each that is not constant is a parameter
/// of its own; so is each scalar that they depend on.
class StartIndices {
public:
  StartIndices(Scalars &All, const IntegerSets &Sets) : All(All), Sets(Sets) {}

  Scalars &All;
  const IntegerSets &Sets;

  /// The start index \p S, clamped to [0, \p Max].
  SymbolicIndex start(ScalarId S, int64_t Max);

  /// What follows from \p Used, numbers of start indices, being in range alone.
  IntegerSet ranges(ArrayRef<unsigned> Used);
  /// All values that \p Used can have together, where the scalars in \p Fixed
  /// have those values. Scalars that no arithmetic is known of may have any.
  IntegerSet define(ArrayRef<unsigned> Used, const ScalarValues &Fixed = {});

  /// Scalars that start indices of \p Used depend on; if \p UnderUnknown, those
  /// of unknown arithmetic, as in i * j: where they are fixed, define() knows
  /// more.
  SmallVector<ScalarId, 4> scalarsOf(ArrayRef<unsigned> Used,
                                     bool UnderUnknown);

  /// Values of the scalars in \p Point that nothing computes.
  ScalarValues scalars(const ParameterValues &Point) const;
  /// True if the start indices in \p Point follow from the scalars \p Known.
  bool confirms(const ParameterValues &Point, const ScalarValues &Known) const;
  /// True if parameter \p Number is a start index, not a scalar.
  bool isStart(unsigned Number) const { return Entries[Number].IsStart; }
  /// The values that scalar \p S has by its type and by the loop that it
  /// counts; nothing if its type is not known.
  std::optional<CounterRange> rangeOf(ScalarId S);

private:
  struct Entry {
    ScalarId S;
    int64_t Max;
    bool IsStart;
    /// Arithmetic that is not affine makes it.
    bool Computed = false;
  };
  /// The symbolic value of scalars for one assignment of fixed ones.
  struct Values {
    const ScalarValues &Fixed;
    std::map<ScalarId, SymbolicNumber> Known;
    std::vector<unsigned> Used;
  };

  SymbolicNumber value(ScalarId S, Values &V, unsigned Depth = 0);
  SymbolicNumber compute(ScalarId S, Values &V, unsigned Depth);
  SymbolicNumber unknown(ScalarId S, Values &V, bool Computed);
  SymbolicNumber constant(int64_t Value) const {
    return SymbolicNumber::constant(Sets, Value);
  }
  IntegerSet valuesOf(unsigned K);
  unsigned number(ScalarId S, int64_t Max, bool IsStart);
  void collect(ScalarId S, SmallVectorImpl<ScalarId> &Out,
               std::map<ScalarId, bool> &Seen, unsigned Depth);

  /// By number of the parameter.
  std::vector<Entry> Entries;
  std::map<std::pair<ScalarId, int64_t>, unsigned> NumberOf;
};

} // namespace hlobuf

#endif // HLOBUF_ELEMENTS_STARTINDICES_H
