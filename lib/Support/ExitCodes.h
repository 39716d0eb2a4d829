// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a process ends.

#ifndef HLOBUF_SUPPORT_EXITCODES_H
#define HLOBUF_SUPPORT_EXITCODES_H

namespace hlobuf {

/// Exit statuses of our tools.
enum ExitStatus : int {
  /// No error; nothing differs.
  ExitSound = 0,
  /// At least one error, or a required check that could not run; something
  /// differs.
  ExitErrors = 1,
  /// Bad usage, or an input that could not be read.
  ExitUnreadable = 2,
};

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_EXITCODES_H
