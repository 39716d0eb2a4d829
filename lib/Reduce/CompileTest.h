// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A finding as a test.

#ifndef HLOBUF_REDUCE_COMPILETEST_H
#define HLOBUF_REDUCE_COMPILETEST_H

#include "Reduce/Interest.h"
#include "llvm/Support/Error.h"

namespace hlobuf {

/// How candidates are compiled, and what makes them interesting.
struct CompileOptions {
  /// A Python with jax.
  std::string Python = "python3";
  /// `cpu`, `tpu:v5e`, `tpu:v5e:2x2x1`, `cuda:h100` or `cuda:FILE`.
  std::string Target = "cpu";
  /// The checks of which one has to report an error or a warning: globs. Empty
  /// where the numbers decide.
  std::string Checks;
  /// What the finding's message has to contain; may be empty.
  std::string Message;
  /// On CPU: the program has to compute other numbers than an interpreter.
  bool WrongNumbers = false;
};

/// Compiles each module in a Python process that stays alive, and verifies what
/// the compiler dumps. Fails for globs that name no check.
llvm::Expected<std::unique_ptr<Interest>>
makeCompileTest(CompileOptions Options, const TestLimits &Limits);

} // namespace hlobuf

#endif // HLOBUF_REDUCE_COMPILETEST_H
