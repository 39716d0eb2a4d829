// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CommandLine/Process.h"
#include "Support/Printable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <new>
#include <unistd.h>
#ifndef _WIN32
#include <sys/ioctl.h>
#endif
#ifdef __GLIBC__
#include <malloc.h>
#endif

using namespace hlobuf;
namespace cl = llvm::cl;

static const char *LostWithoutMemory = "";

/// Large arrays go back to the system when they are freed, also after growing:
/// glibc would raise the threshold and keep them. What a small dump needs, a
/// block of its names of 256 KiB included, is kept for the next one.
static void limitHeap() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, (1 << 18) + (1 << 12));
  mallopt(M_TRIM_THRESHOLD, 1 << 21);
#endif
}

/// Ends the process with status 2 if standard output could not be written: the
/// verdict is lost then. LLVM's --help ends it before main() does.
static void checkOutput() {
  llvm::outs().flush();
  std::error_code Error = llvm::outs().error();
  if (!Error)
    return;
  llvm::outs().clear_error();
  llvm::errs() << "error: cannot write standard output: " << Error.message()
               << '\n';
  ::_exit(ExitUnreadable);
}

/// Writes without allocating.
static void writeError(const char *Text) {
  (void)!::write(STDERR_FILENO, Text, std::strlen(Text));
}

/// Memory that nobody limits runs out on big dumps only; a job's limit or
/// ulimit -v must not look like a crash.
static void outOfMemory() {
  llvm::sys::RunInterruptHandlers(); // removes unfinished files
  writeError("error: out of memory: ");
  writeError(LostWithoutMemory);
  writeError("\n");
  std::_Exit(ExitUnreadable);
}

#ifdef SIGBUS
/// Files are mapped: what a program that still writes takes off of one is gone
/// while it is read. Windows does not let it.
static void endOfMapping(int /*Signal*/) {
  llvm::sys::RunInterruptHandlers();
  writeError("error: a file was cut off while it was read\n");
  ::_exit(ExitUnreadable);
}
#endif

void hlobuf::startTool(const char *Consequence) {
  LostWithoutMemory = Consequence;
  limitHeap();
  std::set_new_handler(outOfMemory);
  llvm::install_bad_alloc_error_handler(
      [](void *, const char *, bool) { outOfMemory(); });
#ifdef SIGBUS
  std::signal(SIGBUS, endOfMapping);
#endif
  // After the streams are made, so that it runs before they are destroyed.
  llvm::outs();
  llvm::errs();
  std::atexit(checkOutput);
}

ExitStatus hlobuf::fail(const llvm::Twine &Text) {
  std::string Whole = Text.str();
  llvm::errs() << "error: ";
  for (StringRef Line : llvm::split(StringRef(Whole).rtrim(), '\n'))
    llvm::errs() << printable(Line) << '\n';
  return ExitUnreadable;
}

ExitStatus hlobuf::fail(Error Failed) {
  return fail(llvm::toString(std::move(Failed)));
}

static cl::opt<cl::boolOrDefault> &colorOption() {
  return *static_cast<cl::opt<cl::boolOrDefault> *>(
      cl::getRegisteredOptions()["color"]);
}

void hlobuf::describeColorOption() {
  colorOption().setDescription(
      "Use colors in output: always, never or auto (default: auto)");
}

bool hlobuf::wantsColor() {
  if (colorOption() != cl::BOU_UNSET)
    return colorOption() == cl::BOU_TRUE;
  return llvm::sys::Process::StandardOutHasColors() && !std::getenv("NO_COLOR");
}

unsigned hlobuf::terminalWidth([[maybe_unused]] int Descriptor) {
#ifdef TIOCGWINSZ
  winsize Size = {};
  if (::ioctl(Descriptor, TIOCGWINSZ, &Size) == 0 && Size.ws_col != 0)
    return std::max(unsigned(Size.ws_col), 60U);
#endif
  return 120;
}
