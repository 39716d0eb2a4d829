// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements left out.

#ifndef HLOBUF_PROGRAM_ELIDEDELEMENTS_H
#define HLOBUF_PROGRAM_ELIDEDELEMENTS_H

#include "Facts/Facts.h"
#include "HLO/ShapeTrees.h"

namespace hlobuf {

/// A get-tuple-element that the module's text leaves out and the dump names.
struct ElidedElement {
  NameId Name;
  /// An instruction of the module, or an elided element before this one.
  HloId Source;
  uint32_t Element = 0;
  /// The instruction of the module after which it runs.
  HloId Home;
  /// Sorts the elements of one home.
  uint32_t Rank = 0;
};

/// Since 2026-07-13 module texts leave out every get-tuple-element but roots.
/// Their names and their places in the schedule are in the dump only. What
/// they are elements of follows from the dump's uses and positions; all else
/// about them is derived again, so that a lie of the dump shows.
class ElidedElements {
public:
  ElidedElements(const Facts &DumpFacts, const HloModule &M,
                 const ShapeTrees &Trees);

  /// The module leaves get-tuple-elements out, but for roots.
  bool areLeftOut() const { return LeftOut; }
  /// In the order of their HloIds, of which the first is the number of the
  /// module's instructions.
  ArrayRef<ElidedElement> all() const { return All; }
  /// Names of the dump whose source could not be determined.
  ArrayRef<NameId> unresolved() const { return Pending; }
  /// The element that \p Name is; invalid if it is none.
  HloId find(NameId Name) const { return ByName.lookup(Name.index()); }
  /// The element that operands mean by \p Path, not the root, of \p Source, an
  /// instruction of the module whose shape has it. It is made, without a name,
  /// if the dump names none.
  HloId get(HloId Source, ShapeIndex Path);

  /// Operands after the get-tuple-element \p Id, which is printed because it is
  /// a root, mean it where they name its element.
  void addPrinted(HloId Id);

private:
  struct Hint {
    HloId Source;
    ShapeIndex Path;
  };
  struct Candidate {
    HloId Source;
    uint32_t Element = 0;
    bool FitsHint = false;
    /// Smaller is better.
    std::array<uint32_t, 5> Rank = {};
  };
  /// A path that operands read.
  struct Need {
    /// The number of the first instruction that reads it.
    uint32_t FirstReader = 0;
    /// How many elements provide it.
    uint32_t Provided = 0;
  };

  void collectNames();
  void collectHints();
  void collectNeeds();
  bool resolveAll(bool ByHints);
  bool resolve(NameId Name, bool ByHints);
  bool resolveByHint(NameId Name);
  void consider(NameId Name, NameId SourceName, uint32_t Element);
  void considerAll(NameId Name, UsedId Read);
  bool holdsSameValues(NameId Name, HloId Source, uint32_t Element) const;
  void create(NameId Name, HloId Source, uint32_t Element);
  static IdPair key(HloId Source, ShapeIndex Path) {
    return {Source.index(), Path.canonical().bits()};
  }
  /// The instruction or elided element called \p Name; invalid if none.
  HloId instruction(NameId Name) const;
  NameId nameOf(HloId Id) const;
  ShapeId shapeOf(HloId Id) const;
  ComputationId parentOf(HloId Id) const;
  /// The visible instruction and the path that lead to \p Id.
  Hint pathOf(HloId Id) const;
  ComputationId homeOf(NameId Name) const;

  const Facts &DumpFacts;
  const Dump &D;
  const HloModule &M;
  const ShapeTrees &Trees;
  bool LeftOut;
  std::vector<ElidedElement> All;
  /// By element: its shape.
  std::vector<ShapeId> Shapes;
  DenseMap<uint32_t, HloId> ByName;
  DenseMap<IdPair, HloId> ByPath;
  /// In the order of the sequence, then those without steps.
  std::vector<NameId> Pending;
  /// The visible instruction before a name in the sequence, by name.
  DenseMap<uint32_t, HloId> Before;
  DenseMap<uint32_t, Hint> Hints;
  DenseMap<IdPair, Need> Needs;
  /// Where elements come from, by HloId.
  DenseMap<uint32_t, Hint> Paths;
  std::optional<Candidate> Best;
};

} // namespace hlobuf

#endif // HLOBUF_PROGRAM_ELIDEDELEMENTS_H
