// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions about values: why they are where and when they are.

#ifndef HLOBUF_MEMORY_WHY_H
#define HLOBUF_MEMORY_WHY_H

#include <string>
#include <vector>

namespace hlobuf {

class MemoryUse;
class ValueNames;

/// What is asked about values, which are spelled as the dump does:
/// `fusion.1{0}`.
struct WhyQuestion {
  enum class Kind { Live, Apart, NotInPlace };
  Kind Topic = Kind::Live;
  std::string Value;
  /// Of Apart the second value.
  std::string Other;
};

/// An answer, a line each; without lines where the dump has no such value.
struct WhyAnswer {
  std::string Question;
  std::vector<std::string> Lines;
};

/// Answers \p Question: what reads the value, in the order of steps; what is in
/// the bytes of \p Question.Value while the other one is live; which operand
/// the value could be written over, and what reads that afterwards. Says so
/// where the dump has no live ranges. No lines where it has no such value.
WhyAnswer answer(const MemoryUse &Memory, const ValueNames &Names,
                 const WhyQuestion &Question);

} // namespace hlobuf

#endif // HLOBUF_MEMORY_WHY_H
