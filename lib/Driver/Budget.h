// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much memory a program may need.

#ifndef HLOBUF_DRIVER_BUDGET_H
#define HLOBUF_DRIVER_BUDGET_H

#include "Results/Result.h"
#include "Support/HumanBytes.h"

namespace hlobuf {

/// The check that errors of budgets name.
constexpr StringLiteral BudgetCheck = "memory-budget";

/// The most that a program may need of a memory space.
struct Budget {
  /// See matchesGlob().
  std::string Module;
  /// As spaceName() spells it, in any case; empty for color 0.
  std::string Space;
  uint64_t Bytes = 0;
  /// As it was given.
  std::string Text = {};
  /// Of the configuration; 0 for the command line.
  uint32_t Line = 0;
};

/// True if \p Text matches \p Glob, which is well-formed; an empty one matches
/// everything.
bool matchesGlob(StringRef Glob, StringRef Text);

/// Reads `[MODULE:][SPACE=]BYTES`, as `jit_step*:HBM=12GiB`; nothing if \p Text
/// is not that.
std::optional<Budget> parseBudget(StringRef Text);

/// Adds an error to \p R for each budget that \p Memory is over, with the
/// values that hold the most, and notes in \p R which budgets are about it.
void checkBudgets(const MemorySummary &Memory, ArrayRef<const Budget *> Budgets,
                  DumpResult &R);

} // namespace hlobuf

#endif // HLOBUF_DRIVER_BUDGET_H
