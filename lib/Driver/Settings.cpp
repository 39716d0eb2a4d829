// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/Settings.h"
#include "Support/Format.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace hlobuf;
namespace path = llvm::sys::path;

/// \p Path below the folder of \p C; absolute if it is elsewhere.
static std::string belowConfig(StringRef Path, const Config &C) {
  std::string Full = absolutePath(Path);
  StringRef Rest = Full;
  bool IsBelow = Rest.consume_front(C.Folder) &&
                 (Rest.starts_with("/") || C.Folder == "/");
  return IsBelow ? Rest.ltrim('/').str() : Full;
}

Expected<Config *> SettingsFinder::open(StringRef File) {
  std::unique_ptr<Config> &Active = Configs[File.str()];
  if (Active)
    return Active.get();
  Expected<std::unique_ptr<Config>> Read = readConfig(File);
  if (!Read)
    return Read.takeError();
  Active = std::move(*Read);
  return Active.get();
}

/// True if what is at \p Path is not a file that may be opened unasked.
static bool isNoFile(StringRef Path) {
  llvm::sys::fs::file_status Status;
  return !llvm::sys::fs::status(Path, Status) &&
         Status.type() != llvm::sys::fs::file_type::regular_file &&
         Status.type() != llvm::sys::fs::file_type::character_file;
}

Expected<Config *> SettingsFinder::configFor(StringRef Folder) {
  if (auto Known = ByFolder.find(Folder); Known != ByFolder.end())
    return Known->second;
  llvm::SmallString<256> File = Folder;
  path::append(File, ConfigName);
  StringRef Above = path::parent_path(Folder);
  Config *Result = nullptr;
  bool HasConfig = llvm::sys::fs::exists(File);
  if (HasConfig && isNoFile(File))
    return makeError(
        "error: '{}' is not a regular file: name it with --config to read it\n",
        StringRef(File));
  if (HasConfig || !Above.empty()) {
    Expected<Config *> Nearest = HasConfig ? open(File) : configFor(Above);
    if (!Nearest)
      return Nearest.takeError();
    Result = *Nearest;
  }
  ByFolder[Folder] = Result;
  return Result;
}

/// Globs of a later source win.
static void append(std::string &Globs, StringRef More) {
  if (!Globs.empty() && !More.empty())
    Globs += ',';
  Globs += More;
}

/// The globs of \p File and the options, which win.
static GlobTexts mergeGlobs(const Config *File, const VerifyOptions &Options) {
  GlobTexts Texts;
  if (File)
    Texts = {File->Checks.Text, File->WarningsAsErrors.Text,
             File->Require.Text};
  append(Texts.Checks, Options.Globs.Checks);
  append(Texts.WarningsAsErrors, Options.Globs.WarningsAsErrors);
  append(Texts.Require, Options.Globs.Require);
  return Texts;
}

/// The checks that the options alone would run and \p Selection does not.
static std::vector<StringRef> switchedOff(const CheckSelection &Selection,
                                          const VerifyOptions &Options) {
  Expected<CheckSelection> Alone = CheckSelection::create(Options.Globs);
  if (!Alone) {
    llvm::consumeError(Alone.takeError());
    return {};
  }
  std::vector<StringRef> Disabled;
  for (const CheckInfo &Info : allChecks())
    if (Alone->enabled(Info) && !Selection.enabled(Info))
      Disabled.push_back(Info.Id);
  return Disabled;
}

Expected<const Settings *> SettingsFinder::find(StringRef Path) {
  Config *File = nullptr;
  if (!Options.NoConfig) {
    Expected<Config *> Opened =
        Options.ConfigFile.empty()
            ? configFor(path::parent_path(absolutePath(Path)))
            : open(Options.ConfigFile);
    if (!Opened)
      return Opened.takeError();
    File = *Opened;
  }
  std::unique_ptr<Settings> &S = Known[File];
  if (S)
    return S.get();
  S = std::make_unique<Settings>();
  S->File = File;
  S->Texts = mergeGlobs(File, Options);
  Expected<CheckSelection> Selection = CheckSelection::create(S->Texts);
  if (!Selection)
    return makeError("error: {}\n", llvm::toString(Selection.takeError()));
  // A run without checks would pass everything.
  if (Selection->isEmpty() && !Options.WantMemory &&
      Options.Emit == EmitKind::Findings)
    return makeError("error: no check is left to run: {} '{}'\n",
                     Options.Globs.Checks.empty() ? File->File + ": checks:"
                                                  : "--checks:",
                     S->Texts.Checks);
  S->Selection = std::move(*Selection);
  for (const Budget &B : Options.Budgets)
    S->Budgets.push_back(&B);
  if (File)
    for (const Budget &B : File->Budgets)
      S->Budgets.push_back(&B);
  if (File && Options.ConfigFile.empty())
    S->SwitchedOff = switchedOff(S->Selection, Options);
  return S.get();
}

static bool isAbout(const Suppression &S, const ResultFinding &F) {
  return S.Name.empty() || llvm::any_of(F.Names, [&](const std::string &Name) {
           return matchesGlob(S.Name, Name);
         });
}

void SettingsFinder::suppress(DumpResult &R, const Settings &Applied) {
  if (!Applied.File || Applied.File->Suppressions.empty())
    return;
  std::string Below = belowConfig(R.Path, *Applied.File);
  for (Suppression &S : Applied.File->Suppressions) {
    if (!matchesGlob(S.Module, R.Module) || !matchesGlob(S.Path, Below))
      continue;
    GlobList Checks = llvm::cantFail(GlobList::parse(S.Check.Text));
    S.Matched = true;
    for (ResultFinding &F : R.Findings)
      if (Checks.contains(F.Check) && isAbout(S, F)) {
        S.Used = true;
        F.Silenced = Silence::Suppressed;
        F.Reason = S.Reason;
      }
    S.InScope = S.InScope || S.Used || ran(Checks, R, Applied.Selection);
  }
}

std::vector<std::string> SettingsFinder::idleSuppressions() const {
  std::vector<std::string> Lines;
  bool Whole = Options.Verbose || Options.hasFolder();
  for (const auto &[File, Active] : Configs) {
    for (const Suppression &S : Active->Suppressions) {
      bool Idle = S.InScope && !S.Used;
      if (!Idle && (!Whole || S.Matched))
        continue;
      Lines.push_back(fmt::format(
          "{}:{}: {}: the suppression of '{}' ({}) {}", File, S.Line,
          Idle ? "warning" : "note", S.Check.Text, S.Reason,
          Idle ? "suppresses nothing" : "is about no dump of this run"));
    }
  }
  return Lines;
}
