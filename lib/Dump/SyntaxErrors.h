// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines that cannot be read.

#ifndef HLOBUF_DUMP_SYNTAXERRORS_H
#define HLOBUF_DUMP_SYNTAXERRORS_H

#include "Support/Diagnostic.h"

namespace hlobuf {

/// The id under which the reader reports lines that it cannot read.
constexpr StringRef SyntaxCheck = "syntax";

/// The id of findings about damage that comes from how the files were
/// written, not in what the compiler said: the exit status is that of an input
/// that cannot be read.
constexpr StringRef UnreadableCheck = "unreadable";

/// Lines that cannot be read. More than anybody looks at are only counted.
struct SyntaxErrors {
  static constexpr size_t MaxKept = 100;

  std::vector<Diagnostic> Errors;
  unsigned Uncounted = 0;

  bool empty() const { return Errors.empty(); }
  void add(StringRef Where, std::string Message, StringRef Rule = SyntaxCheck) {
    if (Errors.size() == MaxKept) {
      ++Uncounted;
      return;
    }
    Diagnostic &Error = Errors.emplace_back();
    Error.Check = Rule;
    Error.Where = Where;
    Error.Message = std::move(Message);
  }
};

} // namespace hlobuf

#endif // HLOBUF_DUMP_SYNTAXERRORS_H
