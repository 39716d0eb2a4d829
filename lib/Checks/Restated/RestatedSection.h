// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stated against derived.
//
// Some sections of a dump say again what others say: the peak list, the stack
// breakdown, the total, the memory usage report. What they must be is derived
// line by line, and compared with what they are. The first line that differs
// is one finding, at the field that is wrong.

#ifndef HLOBUF_CHECKS_RESTATED_RESTATEDSECTION_H
#define HLOBUF_CHECKS_RESTATED_RESTATEDSECTION_H

#include "Checks/Check.h"

namespace hlobuf {

/// A field of a line.
struct RestatedField {
  enum class Role : uint8_t {
    /// Tells which row of its table a line is.
    Key,
    /// Says something about that row alone.
    Own,
    /// Depends on the rows around it, too: a sum, a percentage.
    Running,
  };
  Role What;
  /// The text between the field before and this one, without spaces that align
  /// columns.
  llvm::StringLiteral Before;
  /// How a message says it: `{} bytes`; for a key the row, `row for offset {}`.
  /// Empty for a text of several words, of which a message shows those that
  /// differ.
  llvm::StringLiteral Phrase;
  /// What it follows from, after the expected text: `, the sum of the list`.
  llvm::StringLiteral Reason = "";
};

/// The fields of a line, from left to right, and the text after the last one.
struct LineFormat {
  llvm::ArrayRef<RestatedField> Fields;
  llvm::StringLiteral End;

  /// The texts of the fields of \p Line; none if it has another format. Texts
  /// are looked for from the right: the first field may hold anything.
  llvm::SmallVector<llvm::StringRef, 6> split(llvm::StringRef Line) const;
  /// The text of the key of \p Line; empty if it has none.
  llvm::StringRef key(llvm::StringRef Line) const;
  /// The row of \p Line in messages; `line` if it has no key.
  std::string row(llvm::StringRef Line) const;
};

/// How a section departs from what was derived.
enum class LineFault : uint8_t {
  /// A field of a line is wrong, or the text around its fields.
  Edited,
  /// A line stands for another one.
  Replaced,
  /// The derived line is there, but further down.
  Misplaced,
  /// A derived line is missing before this one.
  Missing,
  /// A line is there that was not derived.
  Extra,
};

/// A difference between lines, both numbered from 0 and one past the last at
/// the end.
struct LineDifference {
  LineFault Fault = LineFault::Edited;
  size_t Derived = 0;
  size_t Stated = 0;
  /// The field of an edited line; null if the whole line is compared.
  const RestatedField *Field = nullptr;
  /// Where a misplaced line is.
  size_t Place = 0;
};

/// A section as it is stated, and as the rest of the dump implies it.
class RestatedSection {
public:
  virtual ~RestatedSection();

  virtual size_t statedLines() const = 0;
  virtual size_t derivedLines() const = 0;
  /// A line of the file, without its newline.
  virtual llvm::StringRef stated(size_t Line) const = 0;
  virtual std::string derived(size_t Line) const = 0;
  /// True if both lines are the same.
  virtual bool isSame(size_t Derived, size_t Stated) const {
    return derived(Derived) == stated(Stated);
  }
  /// Null for lines that have no fields.
  virtual const LineFormat *format(size_t Derived) const = 0;

  /// `peak list`, in messages.
  virtual llvm::StringRef noun() const = 0;
  /// A derived line in messages: `the row for offset 64`.
  virtual std::string describe(size_t Derived) const;
  /// A stated line that was not derived, after `unexpected`; \p Name is `row
  /// for offset 64`, or `line`.
  virtual std::string describeExtra(size_t, std::string Name) const {
    return Name;
  }
  /// `rows are ordered by value id`.
  virtual llvm::StringRef order() const = 0;
  /// Adds to \p F what \p D follows from, and what it is about.
  virtual void explain(Finding &F, const LineDifference &D) = 0;
  /// The place of a finding in a section without lines.
  virtual llvm::StringRef heading() const = 0;
};

/// Reports where \p S first departs from what was derived. Near linear.
void compareRestated(RestatedSection &S, Reporter &Diags);

} // namespace hlobuf

#endif // HLOBUF_CHECKS_RESTATED_RESTATEDSECTION_H
