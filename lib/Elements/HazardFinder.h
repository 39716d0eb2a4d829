// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One operand, one result.

#ifndef HLOBUF_ELEMENTS_HAZARDFINDER_H
#define HLOBUF_ELEMENTS_HAZARDFINDER_H

#include "Elements/ElementHazard.h"
#include "Elements/ReadRelations.h"

namespace hlobuf {

/// Decides which reads of an operand are hazards where result \p Part of \p Id
/// has its bytes.
///
/// With element f of the result written by iteration f, a hazard is a pair
/// (f, g) where f reads what is at the address of g, g is another element that
/// is overwritten, not with itself, and the scalars have values that they can
/// have together. There is none if that set is empty.
class HazardFinder {
public:
  HazardFinder(AccessMaps &Maps, HloId Id, uint32_t Part, ReadOperand Operand,
               const InPlaceChain &Chain, unsigned long Bound);

  /// Reads \p Relation in the order of array \p Frame.
  void consider(const ReadRelation &Relation, const Shape &Frame);
  /// Reads by which result \p Part itself is computed: elements that these move
  /// to their own places are overwritten with themselves.
  void setOwnReads(ArrayRef<ReadRelation> Own) { OwnReads = Own; }
  /// The result is what \p Reduce makes, in the one loop of all results: what
  /// is read with the elements that are reduced is read before it is written.
  void setReduction(ScopedId Reduce);
  /// The worst hazard, and one for each reason why others are undecided.
  std::vector<ElementHazard> take();
  /// Some question needed more operations than were allowed.
  bool wasExhausted() const { return Exhausted; }

private:
  /// A set of elements that is overwritten.
  struct Window {
    IntegerSet Elements;
    HloId Writer;
  };
  /// A relation between elements of the result, those of another loop included.
  struct Question {
    const ReadRelation &Relation;
    /// f to the operand's element, f to the element g there.
    IntegerMap Reads;
    IntegerMap Conflicts;
    /// The loops may run one after the other in any order.
    bool OtherLoop = false;
  };

  bool isSoundInLoop(const IntegerMap &Reads, const Shape &Frame) const;
  bool isWorstKnown();
  bool isSoundEarly(const ReadRelation &Relation, const Shape &Frame) const;
  std::optional<Question> ask(const ReadRelation &Relation, const Shape &Frame);
  void decide(Question Q);
  void decideWindow(const Question &Q, const Window &W);
  bool decideValues(const Question &Q, const Window &W, const IntegerMap &Bad,
                    const ScalarValues &Fixed, bool &Empty);
  void search(const Question &Q, const Window &W, const IntegerMap &Bad);
  bool tryValues(const Question &Q, const Window &W, const IntegerMap &Bad,
                 ArrayRef<ScalarId> Scalars, size_t Limit);
  SmallVector<int64_t, 64> valuesOf(ScalarId S, bool &All);
  bool confirm(const Question &Q, const Window &W, const IntegerMap &Bad,
               ReadVerdict Verdict, const ScalarValues &Fixed);
  void describe(ElementHazard &Hazard, const Question &Q, const Window &W,
                const IntegerMap &Bad, const IntegerSet &Point) const;
  std::optional<ParameterValues> sample(const IntegerSet &Parameters);
  IntegerSet fix(const ParameterValues &Point) const;
  const std::vector<Window> &windows();
  const IntegerSet &overwrittenWithItself();
  IntegerMap operandToResult() const;
  void found(ElementHazard Hazard);
  void undecided(StringRef Reason);

  AccessMaps &Maps;
  const Program &P;
  HloId Id;
  const Shape &Result;
  const Shape &Operand;
  const InPlaceChain &Chain;
  unsigned long Bound;
  ArrayRef<ReadRelation> OwnReads;
  /// From an element of a reduced result to those of Reduced; null if the
  /// result is not a reduction.
  IntegerMap Iterations;
  const Shape *Reduced = nullptr;
  std::optional<std::vector<Window>> Windows;
  IntegerSet AllWindows;
  std::optional<IntegerSet> Itself;
  std::optional<ElementHazard> Worst;
  std::vector<ElementHazard> Undecided;
  /// Reads that may not happen are undecided, and it was noted.
  bool HasUncertainRead = false;
  size_t Questions = 0;
  size_t AfterWorst = 0;
  bool Exhausted = false;
};

} // namespace hlobuf

#endif // HLOBUF_ELEMENTS_HAZARDFINDER_H
