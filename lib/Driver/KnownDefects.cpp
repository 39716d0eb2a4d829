// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/KnownDefects.h"
#include "Support/Format.h"
#include "llvm/ADT/StringExtras.h"

using namespace hlobuf;
using llvm::StringRef;

namespace {
struct KnownDefect {
  StringRef Anchor;
  Backend By;
  StringRef Checks;
  StringRef Defined;
  StringRef Overwriting;
  StringRef Reading;
  unsigned Bits;
};
} // namespace

static constexpr KnownDefect KnownDefects[] = {
#define HLOBUF_KNOWN_DEFECT(Anchor, By, Checks, Defined, Overwriting, Reading, \
                            Bits)                                              \
  {Anchor, Backend::By, Checks, Defined, Overwriting, Reading, Bits},
#include "Driver/KnownDefects.def"
};

/// True if \p Name is one of \p List, which is separated by spaces.
static bool isListed(StringRef List, StringRef Name) {
  return llvm::is_contained(llvm::split(List, ' '), Name);
}

/// True if the steps of \p D with \p Role fit \p Opcodes: there is one, and it
/// has one of them.
static bool fits(const Diagnostic &D, StepRole Role, StringRef Opcodes) {
  return Opcodes.empty() || llvm::any_of(D.Notes, [&](const Note &N) {
           return N.Kind == NoteKind::Step && N.Event.Role == Role &&
                  isListed(Opcodes, N.Event.Opcode);
         });
}

static bool fitsBits(const Diagnostic &D, unsigned Bits) {
  return Bits == 0 || llvm::any_of(D.Notes, [&](const Note &N) {
           return N.Kind == NoteKind::Step &&
                  N.Event.Role == StepRole::Defines && N.Event.Bits != 0 &&
                  N.Event.Bits <= Bits;
         });
}

static bool isLike(const Diagnostic &D, const KnownDefect &Known) {
  return isListed(Known.Checks, D.Check) &&
         fits(D, StepRole::Defines, Known.Defined) &&
         fits(D, StepRole::Overwrites, Known.Overwriting) &&
         fits(D, StepRole::Reads, Known.Reading) && fitsBits(D, Known.Bits);
}

void hlobuf::noteKnownDefects(Backend By, std::vector<Diagnostic> &All) {
  for (Diagnostic &D : All) {
    if (!D.isTimeline())
      continue;
    for (const KnownDefect &Known : KnownDefects)
      if (Known.By == By && isLike(D, Known)) {
        Note N;
        N.Message = fmt::format("may be docs/defects.md#{}", Known.Anchor);
        N.Kind = NoteKind::Known;
        D.Notes.push_back(std::move(N));
        break;
      }
  }
}
