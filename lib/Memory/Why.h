// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why values are live, and why two of them have bytes of their own.

#ifndef HLOBUF_MEMORY_WHY_H
#define HLOBUF_MEMORY_WHY_H

#include "Memory/Waste.h"
#include <array>

namespace hlobuf {

/// An answer, a line each; without lines where the dump has nothing of that
/// name.
struct WhyAnswer {
  std::string Question;
  std::vector<std::string> Lines;
};

/// Answers questions about one dump.
class WhyAnswers {
public:
  /// \p Module may be null, or unable to derive anything: why two values are
  /// apart is then known by their live ranges alone.
  WhyAnswers(const MemoryUse &Memory, const ValueNames &Names,
             const ModuleAnalysis *Module, const MemoryAnswers &Answers);

  /// `A`: why A is live: when it is, and what reads it; of a copy, its row.
  /// `A:B`: why A and B do not share their bytes. Each is a value as the dump
  /// spells it (`fusion.1{0}`), an instruction, an argument's name or a source
  /// line (`train.py:17`).
  WhyAnswer answer(StringRef Question) const;

private:
  std::vector<ValueId> find(StringRef Name) const;
  void answerOne(ValueId V, std::vector<std::string> &Lines) const;
  void listReaders(ValueId V, std::vector<std::string> &Lines) const;
  void answerTwo(ValueId X, ValueId Y, std::vector<std::string> &Lines) const;
  void describeArray(StringRef Title, ValueId V,
                     std::vector<std::string> &Lines) const;
  bool explainByPlace(ValueId X, ValueId Y,
                      std::vector<std::string> &Lines) const;
  HloValueId flowOf(ValueId V) const;

  const MemoryUse &Memory;
  const ValueNames &Names;
  const Facts &DumpFacts;
  const Dump &D;
  /// Null if nothing can be derived from it.
  const ModuleAnalysis *Module;
  const MemoryAnswers &Known;
  /// Nothing without Module.
  std::optional<SetConflicts> Sets;
};

/// When two arrays of \p Module hold data together, what writes the one, and
/// what needs the other: two lines.
std::array<std::string, 2> spellConflict(const Conflict &C,
                                         const ModuleAnalysis &Module,
                                         const ValueNames &Names);

/// What keeps \p V to the end of its live range: the one that reads it last,
/// or what has it longer. Empty if its live range is not known.
std::string whatKeeps(const MemoryUse &Memory, const ValueNames &Names,
                      ValueId V);

} // namespace hlobuf

#endif // HLOBUF_MEMORY_WHY_H
