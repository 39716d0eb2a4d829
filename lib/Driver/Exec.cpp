//===- Driver/Exec.cpp ---------------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/Exec.h"
#include "Driver/Driver.h"
#include "Support/Format.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <cstdlib>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace hlobuf;
using llvm::StringRef;

static constexpr StringRef DumpTo = "--xla_dump_to=";

/// Shells say so where a signal ended a command.
static constexpr int SignalBase = 128;

std::string hlobuf::addDumpFlags(StringRef Flags, std::string &Folder) {
  std::string Result = Flags.trim().str();
  // Anything but a flag is the name of a file with flags, and nothing can be
  // added to that (tsl/util/command_line_flags, xla/parse_flags_from_env.cc).
  if (!Result.empty() && Result[0] != '-') {
    auto File = llvm::MemoryBuffer::getFile(Result);
    Result = File ? (*File)->getBuffer().trim().str() : "";
    std::replace(Result.begin(), Result.end(), '\n', ' ');
  }
  StringRef Own;
  llvm::SmallVector<StringRef, 16> Words;
  StringRef(Result).split(Words, ' ', -1, /*KeepEmpty=*/false);
  for (StringRef Word : Words)
    if (Word.consume_front(DumpTo))
      Own = Word;
  // `-` is standard output, which is the program's own.
  if (!Own.empty() && Own != "-" && Own != "sponge")
    Folder = Own.str();
  else
    Result += fmt::format("{}{}{}", Result.empty() ? "" : " ", DumpTo, Folder);
  return Result + " --xla_dump_hlo_as_text";
}

static pid_t Child = 0;

static void passOn(int Signal) {
  if (Child > 0)
    ::kill(Child, Signal);
}

/// Waits like a shell: the terminal's signals are the command's, others are
/// passed on to it.
static int waitForChild() {
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGQUIT, SIG_IGN);
  std::signal(SIGTERM, passOn);
  std::signal(SIGHUP, passOn);
  int Status = 0;
  while (::waitpid(Child, &Status, 0) < 0 && errno == EINTR)
    ;
  for (int Signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP})
    std::signal(Signal, SIG_DFL);
  return WIFSIGNALED(Status) ? SignalBase + WTERMSIG(Status)
                             : WEXITSTATUS(Status);
}

/// Runs \p Command with XLA_FLAGS set to \p Flags; its exit status.
static llvm::Expected<int> runCommand(const std::vector<std::string> &Command,
                                      const std::string &Flags) {
  std::vector<char *> Arguments;
  for (const std::string &Argument : Command)
    Arguments.push_back(const_cast<char *>(Argument.c_str()));
  Arguments.push_back(nullptr);
  if (::setenv("XLA_FLAGS", Flags.c_str(), /*overwrite=*/1) != 0)
    return llvm::errorCodeToError(
        std::error_code(errno, std::generic_category()));
  if (int Error = ::posix_spawnp(&Child, Arguments.front(), nullptr, nullptr,
                                 Arguments.data(), environ))
    return llvm::errorCodeToError(
        std::error_code(Error, std::generic_category()));
  return waitForChild();
}

namespace {
/// A folder for dumps that goes away unless it is kept.
class DumpFolder {
public:
  ~DumpFolder() {
    if (!Temporary.empty() && !Keep &&
        llvm::sys::fs::remove_directories(Temporary))
      return; // the system clears its temporary folder
  }
  std::error_code create() {
    llvm::SmallString<128> Made;
    std::error_code Error =
        llvm::sys::fs::createUniqueDirectory("hlobuf", Made);
    Temporary = std::string(Made);
    return Error;
  }

  std::string Temporary;
  bool Keep = false;
};
} // namespace

/// Verifies the dumps in \p Folder; standard output belongs to the command.
static int verifyFolder(VerifyOptions Options, const std::string &Folder,
                        llvm::raw_ostream &Err) {
  Options.Inputs = {Folder};
  Options.Color = Options.Color && Options.Progress;
  return runVerify(Options, Err, Err);
}

static bool isEmptyFolder(const std::string &Folder) {
  std::error_code Error;
  return llvm::sys::fs::directory_iterator(Folder, Error) ==
         llvm::sys::fs::directory_iterator();
}

int hlobuf::runExec(const VerifyOptions &Options, bool HasCommand,
                    llvm::raw_ostream &Out, llvm::raw_ostream &Err) {
  if (!HasCommand) {
    Err << "error: --exec needs a command: hlobuf-verify --exec -- python "
           "train.py\n";
    return ExitTrouble;
  }
  DumpFolder Dumps;
  if (std::error_code Error = Dumps.create()) {
    Err << "error: cannot make a folder for dumps: " << Error.message() << '\n';
    return ExitTrouble;
  }
  std::string Folder = Dumps.Temporary;
  const char *Flags = std::getenv("XLA_FLAGS");
  std::string NewFlags = addDumpFlags(Flags ? Flags : "", Folder);
  Out.flush();
  llvm::Expected<int> Status = runCommand(Options.Inputs, NewFlags);
  if (!Status) {
    Err << "error: cannot run '" << Options.Inputs.front()
        << "': " << llvm::toString(Status.takeError()) << '\n';
    return ExitTrouble;
  }
  if (isEmptyFolder(Folder)) {
    Err << "hlobuf-verify: XLA compiled nothing in this program, or took it "
           "from a compilation cache: nothing was verified\n";
    return *Status != 0 ? *Status : int(ExitTrouble);
  }
  int Verdict = verifyFolder(Options, Folder, Err);
  if (Verdict != ExitSound && Folder == Dumps.Temporary) {
    Dumps.Keep = true;
    Err << "hlobuf-verify: the dumps are in " << Folder << '\n';
  }
  return *Status != 0 ? *Status : Verdict;
}
