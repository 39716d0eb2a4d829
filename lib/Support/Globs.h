// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists of globs.

#ifndef HLOBUF_SUPPORT_GLOBS_H
#define HLOBUF_SUPPORT_GLOBS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/GlobPattern.h"
#include <vector>

namespace hlobuf {

/// Globs separated by commas, as clang-tidy reads them: later ones win, and a
/// leading `-` takes names out again.
class GlobList {
public:
  enum class Match : uint8_t { None, In, Out };

  static llvm::Expected<GlobList> parse(llvm::StringRef Text);

  /// What the last glob that matches \p Name says.
  Match match(llvm::StringRef Name) const;
  bool contains(llvm::StringRef Name) const { return match(Name) == Match::In; }

  /// The globs, without their `-`, that match none of \p Names: misspelled,
  /// most likely.
  std::vector<llvm::StringRef>
  unmatched(llvm::ArrayRef<llvm::StringRef> Names) const;

  /// The globs for which \p Keep(text without -, it excludes) is true.
  GlobList only(llvm::function_ref<bool(llvm::StringRef, bool)> Keep) const;

private:
  struct Glob {
    llvm::StringRef Text;
    llvm::GlobPattern Pattern;
    bool Negative;
  };
  std::vector<Glob> Globs;
};

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_GLOBS_H
