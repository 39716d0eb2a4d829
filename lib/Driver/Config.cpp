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
using llvm::StringRef;
namespace yaml = llvm::yaml;

LLVM_YAML_IS_SEQUENCE_VECTOR(SuppressionEntry)
LLVM_YAML_IS_SEQUENCE_VECTOR(OverrideEntry)
LLVM_YAML_IS_SEQUENCE_VECTOR(BudgetEntry)

static std::string problemWithGlob(StringRef Text) {
  llvm::Expected<llvm::GlobPattern> Pattern = llvm::GlobPattern::create(Text);
  return Pattern ? "" : llvm::toString(Pattern.takeError());
}

/// The line of what \p Io reads now.
static uint32_t lineOf(yaml::IO &Io) {
  StringRef Text = *static_cast<StringRef *>(Io.getContext());
  const char *At = static_cast<yaml::Input &>(Io)
                       .getCurrentNode()
                       ->getSourceRange()
                       .Start.getPointer();
  return static_cast<uint32_t>(1 + std::count(Text.begin(), At, '\n'));
}

namespace llvm::yaml {
template <> struct ScalarTraits<CheckGlobs> {
  static void output(const CheckGlobs &Value, void *, raw_ostream &OS) {
    OS << Value.Text;
  }
  static StringRef input(StringRef Text, void *, CheckGlobs &Value) {
    Value.Text = Text.str();
    Value.Problem = problemWithGlobs(Text);
    return Value.Problem;
  }
  static QuotingType mustQuote(StringRef Text) { return needsQuotes(Text); }
};

template <> struct MappingTraits<SuppressionEntry> {
  static void mapping(IO &Io, SuppressionEntry &S) {
    Io.mapRequired("check", S.Check);
    Io.mapOptional("module", S.Module, std::string());
    Io.mapOptional("path", S.Path, std::string());
    Io.mapOptional("name", S.Name, std::string());
    Io.mapRequired("reason", S.Reason);
    if (!Io.outputting())
      S.Line = lineOf(Io);
  }
  static std::string validate(IO &, SuppressionEntry &S) {
    for (StringRef Glob : {S.Module, S.Path, S.Name})
      if (std::string Problem = problemWithGlob(Glob); !Problem.empty())
        return Problem;
    return StringRef(S.Reason).trim().empty() ? "the reason is empty" : "";
  }
};

template <> struct MappingTraits<OverrideEntry> {
  static void mapping(IO &Io, OverrideEntry &O) {
    Io.mapRequired("paths", O.Paths);
    Io.mapOptional("checks", O.Checks, CheckGlobs());
    Io.mapOptional("warnings-as-errors", O.WarningsAsErrors, CheckGlobs());
    if (!Io.outputting())
      O.Line = lineOf(Io);
  }
  static std::string validate(IO &, OverrideEntry &O) {
    for (StringRef Glob : O.Paths)
      if (std::string Problem = problemWithGlob(Glob); !Problem.empty())
        return Problem;
    return "";
  }
};

template <> struct MappingTraits<BudgetEntry> {
  static void mapping(IO &Io, BudgetEntry &B) {
    Io.mapOptional("module", B.Module, std::string());
    Io.mapOptional("space", B.Space, std::string());
    Io.mapRequired("max", B.Max);
    if (!Io.outputting())
      B.Line = lineOf(Io);
  }
  static std::string validate(IO &, BudgetEntry &B) {
    if (std::string Problem = problemWithGlob(B.Module); !Problem.empty())
      return Problem;
    return parseBytes(B.Max) ? "" : "max: expected bytes, as 12GiB";
  }
};

static void mapGlobs(IO &Io, const char *Key, CheckGlobs &Globs) {
  if (Io.outputting())
    Io.mapRequired(Key, Globs);
  else
    Io.mapOptional(Key, Globs, CheckGlobs());
}

template <> struct MappingTraits<Config> {
  static void mapping(IO &Io, Config &C) {
    // All keys are printed: an empty one says what may be written there.
    mapGlobs(Io, "checks", C.Checks);
    mapGlobs(Io, "warnings-as-errors", C.WarningsAsErrors);
    mapGlobs(Io, "require", C.Require);
    Io.mapOptional("suppressions", C.Suppressions);
    Io.mapOptional("overrides", C.Overrides);
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

llvm::Expected<std::unique_ptr<Config>> hlobuf::readConfig(StringRef Path) {
  Sources Texts;
  // No more than the first bytes of what goes on forever.
  llvm::Expected<StringRef> Read =
      Texts.open(Path, [](StringRef) { return false; });
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
