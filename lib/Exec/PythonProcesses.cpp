// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Exec/PythonProcesses.h"
#include "Dump/FileNames.h"
#include "Input/ProtoInputs.h"
#include "Support/Format.h"
#include "Support/RegularFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <cstdlib>
#include <map>
#include <thread>

using namespace hlobuf;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// What Python processes run when they start.
#define HLOBUF_HOOK(Name, Text) static constexpr StringRef Hook = Text;
#include "ExecHook.inc"
#undef HLOBUF_HOOK

/// How long a process that compiles may go on after the command.
static constexpr auto Patience = 2s;

namespace {
/// What one process noted (python/hlobuf/_exec_hook.py).
struct ProcessNotes {
  int Pid = 0;
  /// The name of its folder.
  std::string Name;
  /// By the first word of a line, what follows:
  ///
  ///   group NAME           of the first process whose flags XLA has read
  ///   started TIME         as the kernel counts: numbers are used again
  ///   command TEXT
  ///   loads                a library that compiles
  ///   wants SOME [FOLDER]  1 for some modules only; where it dumps to
  ///   compiled             a program
  ///   hit [FOLDER]         of the compilation cache
  std::map<StringRef, std::vector<StringRef>> Lines;
  std::unique_ptr<llvm::MemoryBuffer> Text;

  std::vector<StringRef> all(StringRef Word) const {
    auto Found = Lines.find(Word);
    return Found == Lines.end() ? std::vector<StringRef>() : Found->second;
  }
  StringRef last(StringRef Word) const {
    return all(Word).empty() ? "" : all(Word).back();
  }
  int64_t compiled() const {
    return int64_t(all("compiled").size()) - int64_t(all("hit").size());
  }
  std::string label() const {
    return fmt::format("{} ({})", Pid, last("command"));
  }
  /// A library that compiles is there, or was before a fork.
  bool loadsXla() const {
    return !all("loads").empty() || last("group") != Name;
  }
  bool isRunning() const;
};
} // namespace

/// `PID (NAME) STATE .. STARTED ..`, where the name may hold anything
/// (proc_pid_stat(5)).
bool ProcessNotes::isRunning() const {
  constexpr size_t StartedField = 19;
  auto File =
      llvm::MemoryBuffer::getFileAsStream(fmt::format("/proc/{}/stat", Pid));
  SmallVector<StringRef, 64> Fields;
  if (File)
    (*File)->getBuffer().rsplit(") ").second.split(Fields, ' ');
  return Fields.size() > StartedField &&
         Fields[StartedField] == last("started") && Fields[0] != "Z" &&
         Fields[0] != "X";
}

static std::vector<ProcessNotes> readNotes(const std::string &Folder) {
  std::vector<ProcessNotes> All;
  for (const std::string &Path : pathsIn(Folder)) {
    ProcessNotes P;
    StringRef Name = llvm::sys::path::filename(Path);
    P.Name = Name.str();
    auto File = llvm::MemoryBuffer::getFile(Path);
    if (!Name.consume_front("process-") || Name.consumeInteger(10, P.Pid) ||
        !File)
      continue;
    P.Text = std::move(*File);
    for (StringRef Line : llvm::split(P.Text->getBuffer(), '\n'))
      P.Lines[Line.split(' ').first].push_back(Line.split(' ').second);
    All.push_back(std::move(P));
  }
  return All;
}

void PythonProcesses::prepare() {
  Expected<PrivateFolder> Made = PrivateFolder::create("hlobuf-python");
  if (!Made)
    return llvm::consumeError(Made.takeError());
  // A folder whose name holds the separator cannot be on the path.
  if (StringRef(Made->path()).contains(':'))
    return;
  HookFolder = std::move(*Made);
  // Functions of LLVM that keep the old file change how signals are taken.
  std::error_code Error;
  llvm::raw_fd_ostream File(HookFolder.path() + "/sitecustomize.py", Error);
  if (Error)
    return;
  File << Hook;
  File.close();
  if (File.has_error())
    return File.clear_error();
  const char *OldPath = std::getenv("PYTHONPATH");
  std::string Path = HookFolder.path();
  if (OldPath && *OldPath)
    Path += std::string(":") + OldPath;
  ::setenv("PYTHONPATH", Path.c_str(), /*overwrite=*/1);
  ::setenv("HLOBUF_EXEC", Folder.c_str(), /*overwrite=*/1);
}

/// Compares what jax compiled in \p Group, processes that dump into the same
/// folders, with what was dumped; the shortfall, or nothing.
static std::string
compareCounts(const std::string &Folder,
              const std::vector<const ProcessNotes *> &Group) {
  int64_t Compiled = 0;
  std::set<std::string> Folders, Commands;
  for (const ProcessNotes *P : Group) {
    auto [Filtered, Chosen] = P->last("wants").split(' ');
    if (Filtered == "1")
      return "";
    Folders.insert({Folder + "/" + P->Name, Chosen.str()});
    Compiled += P->compiled();
    if (P->compiled() != 0)
      Commands.insert(P->label());
  }
  int64_t Dumped = 0;
  int64_t Saved = 0;
  Folders.erase("");
  for (const std::string &Path : Folders) {
    std::vector<std::string> Files = pathsBelow(Path);
    Dumped += llvm::count_if(Files, isAssignmentName);
    Saved += llvm::count_if(Files, isExecutableName);
  }
  // An executable is verified with its dump, or by itself.
  Dumped = std::max(Dumped, Saved);
  if (Compiled <= Dumped)
    return "";
  return fmt::format(
      "{} that process {} compiled: no dump, so something replaced the flags, "
      "or another process wrote files of the same names",
      counted(uint64_t(Compiled - Dumped), "module"), *Commands.begin());
}

ProcessReport PythonProcesses::finish() const {
  ProcessReport Report;
  if (HookFolder.path().empty())
    return Report;
  auto Until = Clock::now() + Patience;
  auto IsLate = [](const ProcessNotes &P) {
    return P.loadsXla() && P.isRunning();
  };
  std::vector<ProcessNotes> All = readNotes(HookFolder.path());
  while (llvm::any_of(All, IsLate) && Clock::now() < Until) {
    std::this_thread::sleep_for(50ms);
    All = readNotes(HookFolder.path());
  }
  std::map<StringRef, std::vector<const ProcessNotes *>> Groups;
  for (const ProcessNotes &P : All) {
    StringRef Chosen = P.last("wants").split(' ').second;
    Groups[Chosen.empty() ? P.last("group") : Chosen].push_back(&P);
    if (IsLate(P)) {
      Report.Running = true;
      Report.Shortfalls.push_back(fmt::format(
          "what process {} compiles, which goes on after the command",
          P.label()));
    }
    // One below the given folder is found there.
    for (StringRef Wants : P.all("wants"))
      if (StringRef Path = Wants.split(' ').second;
          !Path.empty() && !Path.starts_with(Folder + "/"))
        Report.Others.insert(Path.str());
    for (StringRef Path : P.all("hit"))
      if (!Path.empty())
        Report.CacheFolders.insert(Path.str());
    Report.ProcessFolders.push_back(Folder + "/" + P.Name);
  }
  for (const auto &[Key, Group] : Groups)
    if (std::string Shortfall = compareCounts(Folder, Group);
        !Shortfall.empty())
      Report.Shortfalls.push_back(std::move(Shortfall));
  return Report;
}
