// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a module implies.
//
// From the scheduled module alone: the values, their positions and uses, the
// alias sets, the flattened schedule, live ranges and peak, under the rules of
// the release that fit the dump best.

#ifndef HLOBUF_DATAFLOW_MODULEANALYSIS_H
#define HLOBUF_DATAFLOW_MODULEANALYSIS_H

#include "Dataflow/Comparison.h"

namespace hlobuf {

/// The sections that \p Part takes without the module; none if texts do not
/// tell.
ArrayRef<Section> sectionsInTexts(DerivedPart Part);

/// All that follows from one module, and what explains the dump best.
class ModuleAnalysis {
public:
  /// Derives everything from \p P, the program of a complete module.
  explicit ModuleAnalysis(const Program &P);
  /// The same from a program of its own.
  ModuleAnalysis(const Facts &DumpFacts, ProgramSource Source);

  const Facts &facts() const { return DumpFacts; }
  /// Why nothing can be derived; empty if it can. Nothing else may then be
  /// asked for but program().
  StringRef obstacle() const { return Obstacle; }

  const Program &program() const { return P; }
  /// What the rules imply that explain the dump best.
  const Derivation &derived() const { return *Best; }
  const DataflowAnalysis &flow() const { return Best->flow(); }
  const AliasAnalysis &aliases() const { return Best->aliases(); }
  const Schedule &schedule() const { return Best->schedule(); }
  const LiveRanges &ranges() const { return Best->ranges(); }

  /// The steps of the schedule are known.
  bool isTimed() const { return P.isTimed(); }
  /// Overlaps and damaged reads can be determined from the module alone.
  bool derivesTime() const { return isUsable() && isTimed(); }
  /// The dump states \p Part, so that it can be compared.
  bool states(DerivedPart Part) const;
  /// The dump states something else than the module implies.
  bool differs(DerivedPart Part) const {
    return Differing & (1u << static_cast<unsigned>(Part));
  }
  /// The first part that differs; nothing if none does.
  std::optional<DerivedPart> firstDifference() const;

  /// Names that only one of dump and module has; if they are many, the two are
  /// from different compilation stages.
  bool isOfAnotherTime() const { return AnotherTime; }
  /// What it implies can be compared with the dump.
  bool isUsable() const { return Obstacle.empty() && !AnotherTime; }
  /// All values of some kind differ in the first part that differs, which a
  /// rule may decide, and the dump may be newer than this tool: the kind, for a
  /// message; else empty. These values are excused.
  StringRef newRuleFor() const { return NewRuleFor; }
  size_t numExcused() const { return NumExcused; }
  /// A release may have another rule for \p Part: for values, positions, uses
  /// and live ranges. Where something is, how large it is and what that
  /// makes of an allocation is not a matter of rules.
  static bool mayBeNewRule(DerivedPart Part);
  /// Part \p Ordinal of \p Id is a value that aliases an excused one.
  bool isExcused(HloId Id, uint32_t Ordinal) const;
  /// \p Diff is about a value that aliases an excused one.
  bool mayFollowFromExcuse(DerivedPart Part, const Difference &Diff) const;
  /// An instruction whose dataflow this tool may not know reads or defines \p
  /// V, or what it aliases.
  bool isGuess(HloValueId V) const {
    return V && !Guessed.empty() && Guessed[aliases().group(V).index()];
  }
  /// The same of the value at \p Line.
  bool isGuess(ValueId Line) const;
  /// The module has an instruction whose dataflow this tool may not know, and
  /// \p Diff may come from that.
  bool isGuess(DerivedPart Part, const Difference &Diff) const;

  /// The value of the module that the dump calls (name, index); invalid if it
  /// has none.
  HloValueId find(NameId Name, ShapeIndex Index) const {
    return Best->find(Name, Index);
  }
  /// The value line of \p V; invalid if the dump has none.
  ValueId lineOf(HloValueId V) const { return Best->lineOf(V); }
  /// The used value of \p V; invalid if the dump has none.
  UsedId usedOf(HloValueId V) const { return Best->usedOf(V); }

private:
  void derive();
  void findBest();
  unsigned findDiffering(const Derivation &Candidate) const;
  void countStrangers();
  void findUnknownOpcodes();
  void findNewRule();
  bool isLost(DerivedPart Part, const Difference &Diff) const;
  std::vector<HloValueId> differingValues(DerivedPart Part) const;
  bool touchesAsync(HloValueId V) const;
  HloValueId valueOf(const Difference &Diff) const;
  bool concerns(const std::vector<bool> &Groups, DerivedPart Part,
                const Difference &Diff) const;
  std::vector<ReleaseRules> distinctRules() const;

  const Facts &DumpFacts;
  /// Null where somebody else has it.
  std::unique_ptr<const Program> Own;
  const Program &P;
  StringRef Obstacle;
  std::optional<DataflowAnalysis> Flow;
  std::unique_ptr<Derivation> Best;
  /// A bit for each part of Best that differs from the dump.
  unsigned Differing = 0;
  bool AnotherTime = false;
  StringRef NewRuleFor;
  size_t NumExcused = 0;
  /// By alias set; empty if there are none.
  std::vector<bool> Excused;
  std::vector<bool> Guessed;
};

} // namespace hlobuf

#endif // HLOBUF_DATAFLOW_MODULEANALYSIS_H
