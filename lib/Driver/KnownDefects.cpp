// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/KnownDefects.h"
#include "Driver/Capacity.h"
#include "Dump/FileNames.h"
#include "Support/Format.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace hlobuf;

namespace {
struct KnownDefect {
  unsigned Number;
  StringRef Anchor;
  Backend Target;
  StringRef Checks;
  StringRef Program;
  StringRef Defined;
  StringRef Overwriting;
  StringRef Reading;
  unsigned Bits;
  StringRef Upstream;
  StringRef WayAround;

  std::string id() const { return fmt::format("defect-{}", Number); }
};
} // namespace

static constexpr KnownDefect KnownDefects[] = {
#define HLOBUF_KNOWN_DEFECT(Number, Anchor, By, Checks, Program, Defined,      \
                            Overwriting, Reading, Bits, Upstream, WayAround)   \
  {Number,      Anchor,  Backend::By, Checks,   Program,  Defined,             \
   Overwriting, Reading, Bits,        Upstream, WayAround},
#include "Driver/KnownDefects.def"
};

/// docs/defects.md.
static constexpr StringRef DefectsPage =
#define HLOBUF_DEFECTS(Name, Text) Text
#include "DefectsPage.inc"
#undef HLOBUF_DEFECTS
    ;

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

/// True if the module of \p D has an instruction of the opcode \p Text, or with
/// that in its name or attributes; any if that is empty.
static bool hasInstruction(const Dump &D, StringRef Text) {
  return Text.empty() ||
         llvm::any_of(D.Module.Instructions, [&](const HloInstruction &I) {
           return opcodeText(I.Op) == Text || D.Module.name(I).contains(Text) ||
                  D.Module.attributes(I).contains(Text);
         });
}

static bool isLike(const Diagnostic &D, const KnownDefect &Known) {
  return isListed(Known.Checks, D.Check) &&
         fits(D, StepRole::Defines, Known.Defined) &&
         fits(D, StepRole::Overwrites, Known.Overwriting) &&
         fits(D, StepRole::Reads, Known.Reading) && fitsBits(D, Known.Bits);
}

/// `a row is read after it was overwritten in place`.
static std::string titleOf(const KnownDefect &Known) {
  std::string Title = Known.Anchor.str();
  std::replace(Title.begin(), Title.end(), '-', ' ');
  return Title;
}

static Note makeNote(NoteKind Kind, std::string Message,
                     const KnownDefect &Known) {
  Note N;
  N.Kind = Kind;
  N.Message = std::move(Message);
  N.Event.Subject = Known.id();
  return N;
}

void hlobuf::noteKnownDefects(const Dump &Of, Backend Target,
                              std::vector<Diagnostic> &All) {
  for (Diagnostic &D : All) {
    if (!D.isTimeline())
      continue;
    const auto *Known = llvm::find_if(KnownDefects, [&](const KnownDefect &K) {
      return K.Target == Target && isLike(D, K) &&
             hasInstruction(Of, K.Program);
    });
    if (Known == std::end(KnownDefects))
      continue;
    D.Notes.push_back(makeNote(
        NoteKind::Known,
        fmt::format("may be defect {}, {}: {} (hlobuf-verify --explain={})",
                    Known->Number, titleOf(*Known),
                    Known->Upstream.empty() ? "no issue that we know of"
                                            : Known->Upstream,
                    Known->id()),
        *Known));
    if (!Known->WayAround.empty())
      D.Notes.push_back(
          makeNote(NoteKind::Next,
                   fmt::format("way around: {}", Known->WayAround), *Known));
  }
}

/// What hlobuf-reduce compiles the module of the dump \p Path for.
static std::string targetOf(Backend Target, StringRef Path) {
  if (Target == Backend::CPU)
    return "cpu";
  if (Target == Backend::GPU)
    return "cuda:h100";
  SummaryOptions Memory;
  findCapacity(Path, Memory);
  StringRef Chip = Memory.Chip;
  return Chip.consume_front("TPU ") ? ("tpu:" + Chip).str() : "tpu:v5e";
}

/// `hlobuf-reduce --check=clobbered-read --target=tpu:v5e MODULE`; with a
/// report where nobody reported the defect.
static std::string reduceCommand(const KnownDefect &Known, StringRef Check,
                                 StringRef Path) {
  StringRef Stem = moduleStemOf(Path);
  std::string Module = (Stem + ".before_optimizations.txt").str();
  if (Stem.empty() || !llvm::sys::fs::exists(Module))
    Module = "MODULE.before_optimizations.txt";
  std::string Quoted;
  llvm::raw_string_ostream Out(Quoted);
  llvm::sys::printArg(Out, Module, /*Quote=*/false);
  return fmt::format("hlobuf-reduce --check={} --target={}{} {}", Check,
                     targetOf(Known.Target, Path),
                     Known.Upstream.empty() ? " --report=report" : "",
                     Out.str());
}

void hlobuf::noteReductions(DumpResult &R) {
  for (ResultFinding &F : R.Findings) {
    auto Finding = llvm::find_if(
        F.Notes, [](const ResultNote &N) { return N.Kind == NoteKind::Known; });
    if (!F.isLoud() || Finding == F.Notes.end())
      continue;
    for (const KnownDefect &Known : KnownDefects)
      if (Known.id() == Finding->Event.Subject) {
        ResultNote N;
        N.Kind = NoteKind::Next;
        N.Message = "make it small: " + reduceCommand(Known, F.Check, R.Path);
        F.Notes.push_back(std::move(N));
        break;
      }
  }
}

/// The anchor of a heading.
static std::string anchorOf(StringRef Title) {
  std::string Anchor;
  for (char C : Title.lower())
    if (llvm::isAlnum(C) || C == '-' || C == ' ')
      Anchor += C == ' ' ? '-' : C;
  return Anchor;
}

std::string hlobuf::explainDefect(StringRef Id) {
  std::string Page;
  for (const KnownDefect &Known : KnownDefects) {
    bool IsShown = false;
    for (StringRef Line : llvm::split(DefectsPage, '\n')) {
      if (StringRef Title = Line; Title.consume_front("## "))
        IsShown = Known.id() == Id && anchorOf(Title) == Known.Anchor;
      if (IsShown && !Line.starts_with("!["))
        Page += (Line + "\n").str();
    }
  }
  return Page;
}
