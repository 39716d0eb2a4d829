// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions about values, and answers.

#ifndef HLOBUF_MEMORY_WHYANSWER_H
#define HLOBUF_MEMORY_WHYANSWER_H

#include <string>
#include <vector>

namespace hlobuf {

/// What is asked about values, which are spelled as the dump does:
/// `fusion.1{0}`.
struct WhyQuestion {
  enum class Kind { Live, Apart, NotInPlace };
  Kind What = Kind::Live;
  std::string Value;
  /// Of Apart the second value.
  std::string Other;
};

/// An answer, a line each; without lines where the dump has no such value.
struct WhyAnswer {
  std::string Question;
  std::vector<std::string> Lines;
};

} // namespace hlobuf

#endif // HLOBUF_MEMORY_WHYANSWER_H
