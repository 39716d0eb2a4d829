// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks.def as data, and what findings are about.

#include "Checks/Check.h"
#include "Program/Program.h"

using namespace hlobuf;

StringRef CheckInfo::page() const {
#define HLOBUF_CHECK_DOC(PageId, Text)                                         \
  if (Id == PageId)                                                            \
    return Text;
#include "CheckDocs.inc"
  return "";
}

// As Checks.def spells it.
static constexpr Claim none; // NOLINT(readability-identifier-naming)
static constexpr Claim core(Sentence S, StringRef Instead = {}) {
  return {ClaimRole::Core, S, Instead};
}
static constexpr Claim part(Sentence S, StringRef Instead = {}) {
  return {ClaimRole::Part, S, Instead};
}
[[maybe_unused]] static constexpr Claim extra(Sentence S) {
  return {ClaimRole::Extra, S, {}};
}

namespace {
/// The names that Checks.def uses.
struct Registry {
  using enum Section;
  using enum Sentence;
  static constexpr CheckInfo All[] = {
#define needs(...) (NeedList{__VA_ARGS__})
#define HLOBUF_CHECK(Function, Id, Level, Needs, For, Rules, Summary)          \
  {Id, Severity::Level, Needs, For, Rules, Summary, check##Function},
#include "Checks/Checks.def"
#undef needs
  };
};
} // namespace

ArrayRef<CheckInfo> hlobuf::allChecks() { return Registry::All; }

Subject::Subject(const Program &P, HloId Id)
    : Subject(P.isHidden(Id) || P.isFromTexts() ? Subject(P[Id].Name)
                                                : Subject(P.module(), Id)) {}

Spot::Spot(const Program &P, HloId Id)
    : Where(P.place(Id)), About{Subject(P, Id)} {}
