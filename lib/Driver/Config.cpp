// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/Config.h"
#include "Driver/CheckSelection.h"
#include "Support/Decompress.h"
#include "Support/Format.h"
#include "Support/HumanBytes.h"
#include "Support/Sources.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/YAMLTraits.h"

using namespace hlobuf;
namespace yaml = llvm::yaml;

LLVM_YAML_IS_SEQUENCE_VECTOR(Suppression)
LLVM_YAML_IS_SEQUENCE_VECTOR(Budget)

/// What is wrong with the first of \p Texts that is not a glob; empty if none.
static std::string firstProblem(ArrayRef<std::string> Texts) {
  for (StringRef Text : Texts)
    if (auto Pattern = llvm::GlobPattern::create(Text); !Pattern)
      return llvm::toString(Pattern.takeError());
  return "";
}

/// The line of what \p Io reads now.
static uint32_t lineOf(yaml::IO &Io) {
  StringRef Text = *static_cast<StringRef *>(Io.getContext());
  const char *Begin = static_cast<yaml::Input &>(Io)
                          .getCurrentNode()
                          ->getSourceRange()
                          .Start.getPointer();
  return static_cast<uint32_t>(1 + std::count(Text.begin(), Begin, '\n'));
}

namespace llvm::yaml {
template <> struct ScalarTraits<CheckGlobs> {
  static void output(const CheckGlobs &, void *, raw_ostream &) {}
  static StringRef input(StringRef Text, void *, CheckGlobs &Value) {
    Value.Text = Text.str();
    Value.Problem = problemWithGlobs(Text, /*Requirements=*/true);
    return Value.Problem;
  }
  static QuotingType mustQuote(StringRef Text) { return needsQuotes(Text); }
};

template <> struct MappingTraits<Suppression> {
  static void mapping(IO &Io, Suppression &S) {
    Io.mapRequired("check", S.Check);
    Io.mapOptional("module", S.Module);
    Io.mapOptional("path", S.Path);
    Io.mapOptional("name", S.Name);
    Io.mapRequired("reason", S.Reason);
    S.Line = lineOf(Io);
  }
  static std::string validate(IO &, Suppression &S) {
    if (StringRef(S.Reason).trim().empty())
      return "the reason is empty";
    return firstProblem({S.Module, S.Path, S.Name});
  }
};

template <> struct MappingTraits<Budget> {
  static void mapping(IO &Io, Budget &B) {
    Io.mapOptional("module", B.Module);
    Io.mapOptional("space", B.Space);
    Io.mapRequired("max", B.Text);
    B.Line = lineOf(Io);
  }
  static std::string validate(IO &, Budget &B) {
    std::optional<uint64_t> Bytes = parseBytes(B.Text);
    B.Bytes = Bytes.value_or(0);
    if (std::string Problem = firstProblem(B.Module); !Problem.empty())
      return Problem;
    return Bytes ? "" : "max: expected bytes, as 12GiB";
  }
};

template <> struct MappingTraits<Config> {
  static void mapping(IO &Io, Config &C) {
    Io.mapOptional("checks", C.Checks);
    Io.mapOptional("warnings-as-errors", C.WarningsAsErrors);
    Io.mapOptional("require", C.Require);
    Io.mapOptional("suppressions", C.Suppressions);
    Io.mapOptional("budgets", C.Budgets);
  }
};
} // namespace llvm::yaml

static void collectDiagnostic(const llvm::SMDiagnostic &D, void *Text) {
  llvm::raw_string_ostream OS(*static_cast<std::string *>(Text));
  D.print(nullptr, OS, /*ShowColors=*/false);
}

std::string hlobuf::absolutePath(StringRef Path) {
  llvm::SmallString<256> Full = Path;
  if (llvm::sys::fs::make_absolute(Full))
    return Path.str();
  llvm::sys::path::remove_dots(Full, /*remove_dot_dot=*/true);
  return std::string(Full);
}

/// True if \p Text nests collections deeper than any configuration does: LLVM
/// reads each level by a call. Brackets in strings count too.
static bool nestsTooDeeply(StringRef Text) {
  constexpr unsigned MaxDepth = 64;
  unsigned Depth = 0;
  unsigned Dashes = 0;
  for (size_t I = 0; I != Text.size(); ++I) {
    char C = Text[I];
    bool Opens = C == '[' || C == '{';
    // `- - - x` and `? ? ? x` open one level each.
    bool Item = (C == '-' || C == '?') && Text.substr(I + 1, 1) == " ";
    Dashes = C == '\n' ? 0 : Dashes + Item;
    if (Opens)
      ++Depth;
    else if ((C == ']' || C == '}') && Depth != 0)
      --Depth;
    if (Depth > MaxDepth || Dashes > MaxDepth)
      return true;
  }
  return false;
}

Expected<std::unique_ptr<Config>> hlobuf::readConfig(StringRef Path) {
  Sources Texts;
  // No more than the first bytes of what goes on forever.
  Expected<StringRef> Read = Texts.open(Path, [](StringRef) { return false; });
  if (!Read)
    return makeError("error: cannot read '{}': {}\n", Path,
                     llvm::toString(Read.takeError()));
  auto C = std::make_unique<Config>();
  StringRef Text = *Read;
  constexpr size_t MaxBytes = ProbeBytes - 1;
  if (Text.size() > MaxBytes || nestsTooDeeply(Text))
    return makeError("error: '{}' is not a configuration: {}\n", Path,
                     Text.size() > MaxBytes ? "over 1 MiB"
                                            : "it is nested too deeply");
  std::string Problem;
  yaml::Input In(llvm::MemoryBufferRef(Text, Path), &Text, collectDiagnostic,
                 &Problem);
  In >> *C;
  if (In.error())
    return makeError("{}", Problem);
  C->File = Path.str();
  C->Folder = llvm::sys::path::parent_path(absolutePath(Path)).str();
  return C;
}
