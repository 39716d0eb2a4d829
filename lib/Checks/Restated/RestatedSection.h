// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stated against derived.
//
// Some sections of a dump say again what others say: the peak list, the stack
// breakdown, the memory usage report. What they must be is derived line by
// line, and compared with what they are. One finding says which line is wrong,
// and what it must be.

#ifndef HLOBUF_CHECKS_RESTATED_RESTATEDSECTION_H
#define HLOBUF_CHECKS_RESTATED_RESTATEDSECTION_H

#include "Checks/Check.h"

namespace hlobuf {

/// A section as it is stated, and as the rest of the dump implies it.
class RestatedSection {
public:
  virtual ~RestatedSection();

  virtual size_t statedLines() const = 0;
  virtual size_t derivedLines() const = 0;
  /// A line of the file, without its newline.
  virtual StringRef stated(size_t Line) const = 0;
  virtual std::string derived(size_t Line) const = 0;
  /// True if both lines are the same.
  virtual bool isSame(size_t Derived, size_t Stated) const {
    return derived(Derived) == stated(Stated);
  }
  /// What \p Line says by itself: without sums, which depend on others.
  virtual StringRef own(StringRef Line) const { return Line; }

  /// `peak list`, in messages.
  virtual StringRef noun() const = 0;
  /// The place of a finding in a section without lines.
  virtual StringRef heading() const = 0;
  /// Adds to \p F what it is about and what the line follows from: a derived
  /// line and the stated one in its place, either of which may be missing.
  virtual void explain(Finding &F, std::optional<size_t> Derived,
                       std::optional<size_t> Stated) = 0;
};

/// What \p Text has and \p Other has not: all between the words that both begin
/// and end with.
StringRef differentText(StringRef Text, StringRef Other);

/// Reports where \p S departs from what was derived. Near linear.
void compareRestated(RestatedSection &S, Reporter &Diags);

} // namespace hlobuf

#endif // HLOBUF_CHECKS_RESTATED_RESTATEDSECTION_H
