// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/Settings.h"
#include "Support/Format.h"
#include "Support/HumanBytes.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace hlobuf;
using llvm::StringRef;
namespace path = llvm::sys::path;

/// \p Path below the folder of \p C; absolute if it is elsewhere.
static std::string belowConfig(StringRef Path, const Config &C) {
  std::string Full = absolutePath(Path);
  StringRef Rest = Full;
  if (Rest.consume_front(C.Folder) &&
      (Rest.starts_with("/") || C.Folder == "/"))
    return Rest.ltrim('/').str();
  return Full;
}

static std::optional<llvm::GlobPattern> glob(StringRef Text) {
  if (Text.empty())
    return std::nullopt;
  return llvm::cantFail(llvm::GlobPattern::create(Text));
}

static bool matches(const std::optional<llvm::GlobPattern> &Glob,
                    StringRef Text) {
  return !Glob || Glob->match(Text);
}

/// The globs were read before, when the file was: they are well-formed.
static void activate(ActiveConfig &Active) {
  for (const SuppressionEntry &Entry : Active.Source->Suppressions) {
    Suppression &S = Active.Suppressions.emplace_back();
    S.Entry = &Entry;
    S.Check = llvm::cantFail(GlobList::parse(Entry.Check.Text));
    S.Module = glob(Entry.Module);
    S.Path = glob(Entry.Path);
    S.Name = glob(Entry.Name);
  }
  for (const OverrideEntry &Entry : Active.Source->Overrides) {
    auto &Globs = Active.Overrides.emplace_back();
    for (const std::string &Text : Entry.Paths)
      Globs.push_back(llvm::cantFail(llvm::GlobPattern::create(Text)));
  }
  Active.OverrideMet.resize(Active.Overrides.size());
}

llvm::Expected<ActiveConfig *> SettingsFinder::open(StringRef File) {
  std::unique_ptr<ActiveConfig> &Active = Configs[File.str()];
  if (Active)
    return Active.get();
  llvm::Expected<std::unique_ptr<Config>> Source = readConfig(File);
  if (!Source)
    return Source.takeError();
  Active = std::make_unique<ActiveConfig>();
  Active->Source = std::move(*Source);
  activate(*Active);
  return Active.get();
}

/// True if what is at \p Path.
static bool isNoFile(StringRef Path) {
  llvm::sys::fs::file_status Status;
  return !llvm::sys::fs::status(Path, Status) &&
         Status.type() != llvm::sys::fs::file_type::regular_file &&
         Status.type() != llvm::sys::fs::file_type::character_file;
}

llvm::Expected<ActiveConfig *> SettingsFinder::configFor(StringRef Folder) {
  if (auto Known = ByFolder.find(Folder); Known != ByFolder.end())
    return Known->second;
  llvm::SmallString<256> File = Folder;
  path::append(File, ConfigName);
  StringRef Above = path::parent_path(Folder);
  ActiveConfig *Found = nullptr;
  bool Here = llvm::sys::fs::exists(File);
  if (Here && isNoFile(File))
    return makeError("error: '{}' is not a regular file: name it with --config "
                     "to read it\n",
                     StringRef(File));
  if (Here || !Above.empty()) {
    llvm::Expected<ActiveConfig *> Nearest =
        Here ? open(File) : configFor(Above);
    if (!Nearest)
      return Nearest.takeError();
    Found = *Nearest;
  }
  ByFolder[Folder] = Found;
  return Found;
}

/// Globs of a later source win.
static void append(std::string &Globs, StringRef More) {
  if (!Globs.empty() && !More.empty())
    Globs += ',';
  Globs += More;
}

/// The globs of \p File with the overrides that \p Applies names, and the
/// options, which win.
static GlobTexts mergeGlobs(const ActiveConfig *File,
                            const std::vector<bool> &Applies,
                            const VerifyOptions &Options) {
  GlobTexts Texts;
  if (File) {
    const Config &C = *File->Source;
    Texts = {C.Checks.Text, C.WarningsAsErrors.Text, C.Require.Text};
    for (size_t I = 0; I != Applies.size(); ++I) {
      append(Texts.Checks, Applies[I] ? C.Overrides[I].Checks.Text : "");
      append(Texts.WarningsAsErrors,
             Applies[I] ? C.Overrides[I].WarningsAsErrors.Text : "");
    }
  }
  append(Texts.Checks, Options.Checks);
  append(Texts.WarningsAsErrors, Options.WarningsAsErrors);
  append(Texts.Require, Options.Require);
  return Texts;
}

/// The checks that the options alone would run and \p Selection does not.
static std::vector<StringRef> switchedOff(const CheckSelection &Selection,
                                          const VerifyOptions &Options) {
  // A selection refers to its texts.
  const GlobTexts Texts = {Options.Checks, Options.WarningsAsErrors,
                           Options.Require};
  llvm::Expected<CheckSelection> Alone = CheckSelection::create(Texts);
  if (!Alone) {
    llvm::consumeError(Alone.takeError());
    return {};
  }
  std::vector<StringRef> Off;
  for (const CheckInfo &Info : allChecks())
    if (Alone->enabled(Info) && !Selection.enabled(Info))
      Off.push_back(Info.Id);
  return Off;
}

llvm::Expected<const Settings *> SettingsFinder::find(StringRef Path) {
  ActiveConfig *File = nullptr;
  if (!Options.NoConfig) {
    llvm::Expected<ActiveConfig *> Found =
        Options.ConfigFile.empty()
            ? configFor(path::parent_path(absolutePath(Path)))
            : open(Options.ConfigFile);
    if (!Found)
      return Found.takeError();
    File = *Found;
  }
  std::vector<bool> Applies;
  if (File && !File->Overrides.empty()) {
    std::string Below = belowConfig(Path, *File->Source);
    for (const auto &Globs : File->Overrides)
      Applies.push_back(llvm::any_of(
          Globs, [&](const llvm::GlobPattern &G) { return G.match(Below); }));
    for (size_t I = 0; I != Applies.size(); ++I)
      if (Applies[I])
        File->OverrideMet[I] = true;
  }
  std::unique_ptr<Settings> &S = Known[{File, Applies}];
  if (S)
    return S.get();
  S = std::make_unique<Settings>();
  S->File = File;
  S->Texts = mergeGlobs(File, Applies, Options);
  llvm::Expected<CheckSelection> Selection = CheckSelection::create(S->Texts);
  if (!Selection)
    return makeError("error: {}\n", llvm::toString(Selection.takeError()));
  // A run without checks would pass everything.
  if (Selection->isEmpty() && !Options.WantMemory &&
      Options.Emit == EmitKind::Findings)
    return makeError("error: no check is left to run: {} '{}'\n",
                     Options.Checks.empty() ? File->Source->File + ": checks:"
                                            : "--checks:",
                     S->Texts.Checks);
  S->Selection = std::move(*Selection);
  S->Budgets = Options.Budgets;
  if (File)
    for (const BudgetEntry &Entry : File->Source->Budgets)
      S->Budgets.push_back({Entry.Module.empty() ? "*" : Entry.Module,
                            Entry.Space, parseBytes(Entry.Max).value_or(0), "",
                            Entry.Line});
  if (File && Options.ConfigFile.empty())
    S->SwitchedOff = switchedOff(S->Selection, Options);
  return S.get();
}

static bool isAbout(const Suppression &S, const ResultFinding &F) {
  return S.Check.contains(F.Check) &&
         (!S.Name || llvm::any_of(F.Names, [&](const std::string &Name) {
           return S.Name->match(Name);
         }));
}

void SettingsFinder::suppress(DumpResult &R, const Settings &Applied) {
  if (!Applied.File || Applied.File->Suppressions.empty())
    return;
  std::string Below = belowConfig(R.Path, *Applied.File->Source);
  for (Suppression &S : Applied.File->Suppressions) {
    if (!matches(S.Module, R.Module) || !matches(S.Path, Below))
      continue;
    S.Met = true;
    for (ResultFinding &F : R.Findings)
      if (isAbout(S, F)) {
        S.Used = true;
        F.Silenced = Silence::Suppressed;
        F.Reason = S.Entry->Reason;
      }
    // Nothing shows what those name that were only counted.
    for (ResultUncounted &U : R.Uncounted)
      if (!S.Name && S.Check.contains(U.Check))
        U.Silenced = Silence::Suppressed;
    S.InScope = S.InScope || S.Used || ran(S.Check, R, Applied.Selection);
  }
}

std::vector<std::string> SettingsFinder::idleSuppressions() const {
  std::vector<std::string> Lines;
  bool Whole = Options.Verbose || Options.hasFolder();
  for (const auto &[File, Active] : Configs) {
    for (const Suppression &S : Active->Suppressions)
      if (S.InScope && !S.Used)
        Lines.push_back(fmt::format(
            "{}:{}: warning: the suppression of '{}' ({}) suppresses nothing",
            File, S.Entry->Line, S.Entry->Check.Text, S.Entry->Reason));
      else if (Whole && !S.Met)
        Lines.push_back(fmt::format(
            "{}:{}: note: the suppression of '{}' ({}) is about no dump of "
            "this run",
            File, S.Entry->Line, S.Entry->Check.Text, S.Entry->Reason));
    for (size_t I = 0; I != Active->OverrideMet.size(); ++I)
      if (Whole && !Active->OverrideMet[I])
        Lines.push_back(fmt::format(
            "{}:{}: note: this override is about no dump of this run", File,
            Active->Source->Overrides[I].Line));
  }
  return Lines;
}
