// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reduce/Compiler.h"
#include "Reduce/Interest.h"
#include "Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace hlobuf;

// The program that the process runs.
#define HLOBUF_WORKER(Name, Text) Text "\n"
static constexpr const char *WorkerText =
#include "CompileWorker.inc"
    ;
#undef HLOBUF_WORKER

/// The last line that is not empty of the file \p Path.
static std::string lastLine(const std::string &Path) {
  auto Buffer = llvm::MemoryBuffer::getFile(Path);
  if (!Buffer)
    return "";
  StringRef Text = (*Buffer)->getBuffer().rtrim();
  return Text.substr(Text.rfind('\n') + 1).take_front(300).str();
}

/// Where the process writes what is for people: next to the folder that has the
/// one of the dumps, which each test clears.
static std::string logOf(StringRef Folder) {
  return (llvm::sys::path::parent_path(Folder) + ".log").str();
}

bool Compiler::start(std::string &Reason) {
  std::string Log = logOf(Folder);
  if (std::error_code Error =
          Process.start({Python, "-c", WorkerText, Target, Folder, Flags}, Log,
                        /*Talk=*/true)) {
    Reason = fmt::format("cannot run '{}': {}", Python, Error.message());
    return false;
  }
  auto Until = ChildProcess::Clock::now() + std::chrono::seconds(Seconds);
  std::optional<std::string> Line = Process.readLine(Until, wasInterrupted);
  if (Line == "ready")
    return true;
  Process.kill();
  Reason = Line ? *Line
                : fmt::format("'{}' does not start: {}", Python, lastLine(Log));
  return false;
}

Compiler::Answer Compiler::ask(StringRef Verb, StringRef Arguments) {
  std::string Reason;
  if (!isRunning() && !start(Reason))
    return {"absent", Reason};
  auto Until = ChildProcess::Clock::now() + std::chrono::seconds(Seconds);
  std::optional<std::string> Line;
  if (Process.writeLine((Verb + "\t" + Arguments).str()))
    Line = Process.readLine(Until, wasInterrupted);
  if (!Line) {
    bool Late = ChildProcess::Clock::now() > Until;
    Process.kill();
    return {"failed", Late ? fmt::format("it takes more than {} s", Seconds)
                           : "the compiler died: " + lastLine(logOf(Folder))};
  }
  auto [Word, Rest] = StringRef(*Line).split(' ');
  return {Word.str(), Rest.str()};
}
