// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which checks run.

#ifndef HLOBUF_DRIVER_CHECKSELECTION_H
#define HLOBUF_DRIVER_CHECKSELECTION_H

#include "Checks/Check.h"
#include "llvm/Support/GlobPattern.h"
#include <vector>

namespace hlobuf {

/// Globs separated by commas, as clang-tidy reads them: later ones win, and a
/// leading `-` takes names out again.
class GlobList {
public:
  enum class Match : uint8_t { None, In, Out };

  static Expected<GlobList> parse(StringRef Text);

  /// What the last glob that matches \p Name says.
  Match match(StringRef Name) const;
  bool contains(StringRef Name) const { return match(Name) == Match::In; }

  /// True if \p Name is one of the globs.
  bool names(StringRef Name) const {
    return llvm::any_of(
        Globs, [&](const Glob &G) { return !G.Negative && G.Text == Name; });
  }

  /// The globs, without their `-`, that match none of \p Names: misspelled,
  /// most likely.
  std::vector<StringRef> unmatched(ArrayRef<StringRef> Names) const;

  /// The globs for which \p Keep(text without -, it excludes) is true.
  GlobList only(function_ref<bool(StringRef, bool)> Keep) const;

private:
  struct Glob {
    StringRef Text;
    llvm::GlobPattern Pattern;
    bool Negative;
  };
  std::vector<Glob> Globs;
};

/// What a CheckSelection is made of; it must outlive the selection.
struct GlobTexts {
  std::string Checks;
  std::string WarningsAsErrors;
  std::string Require;
};

/// A sentence on \p Name, a name or a glob that no check has. It suggests the
/// nearest name if at most a third of its characters differ.
std::string unknownCheck(StringRef Name);

/// What is wrong with \p Globs, as a list of globs of checks and, in
/// requirements, of keys of sentences; empty if nothing.
std::string problemWithGlobs(StringRef Globs, bool Requirements = false);

/// What names of lints about waste begin with.
constexpr StringLiteral WastePrefix = "lint-";

/// The globs, read once.
struct CheckSelection {
  GlobList Checks;
  GlobList WarningsAsErrors;
  GlobList Require;
  /// Those of Checks that are about lints of waste by name, and exclusions: `*`
  /// does not ask for advice.
  GlobList Waste;

  /// Fails for a glob that is malformed or names no check.
  static Expected<CheckSelection> create(const GlobTexts &Texts);

  /// True if no check is enabled.
  bool isEmpty() const;

  /// Lints run, and are shown, only where they are asked for by name.
  bool enabled(const CheckInfo &Info) const;
  bool showsLint(StringRef Id) const {
    return match(Id) == GlobList::Match::In;
  }
  GlobList::Match match(StringRef Id) const {
    return (Id.starts_with(WastePrefix) ? Waste : Checks).match(Id);
  }
};

} // namespace hlobuf

#endif // HLOBUF_DRIVER_CHECKSELECTION_H
