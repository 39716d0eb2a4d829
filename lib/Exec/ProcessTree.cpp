// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Exec/ProcessTree.h"
#include "Support/Format.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <unistd.h>

using namespace hlobuf;
using llvm::StringRef;
namespace fs = llvm::sys::fs;

/// The file \p Name of \p Process in /proc, whose size the kernel does not say;
/// nothing if the process is gone or somebody else's.
static std::optional<std::string> readFile(int Process, StringRef Name) {
  auto File = llvm::MemoryBuffer::getFileAsStream(
      fmt::format("/proc/{}/{}", Process, Name));
  if (!File)
    return std::nullopt;
  return (*File)->getBuffer().str();
}

/// The parent of \p Process; 0 if it has ended. `PID (NAME) STATE PARENT ..`,
/// where the name may hold anything (proc_pid_stat(5)).
static int parentOf(int Process) {
  std::optional<std::string> Text = readFile(Process, "stat");
  int Parent = 0;
  if (!Text)
    return 0;
  StringRef Rest = StringRef(*Text).rsplit(") ").second;
  auto [State, Numbers] = Rest.split(' ');
  if (State == "Z" || State == "X" ||
      Numbers.split(' ').first.getAsInteger(10, Parent))
    return 0;
  return Parent;
}

std::vector<int> hlobuf::descendants() {
  llvm::DenseMap<int, int> Parents;
  std::error_code Error;
  for (fs::directory_iterator Entry("/proc", Error, false), End;
       Entry != End && !Error; Entry.increment(Error)) {
    int Process = 0;
    if (!llvm::sys::path::filename(Entry->path()).getAsInteger(10, Process))
      if (int Parent = parentOf(Process))
        Parents[Process] = Parent;
  }
  std::vector<int> Processes;
  for (auto [Process, Parent] : Parents) {
    // A process that was reused while we looked could close a circle.
    size_t Steps = 0;
    int Above = Parent;
    while (Above != ::getpid() && Above > 1 && ++Steps <= Parents.size())
      Above = Parents.lookup(Above);
    if (Above == ::getpid())
      Processes.push_back(Process);
  }
  llvm::sort(Processes);
  return Processes;
}

std::string hlobuf::commandOf(int Process) {
  constexpr size_t Longest = 160;
  std::string Text = readFile(Process, "cmdline").value_or("");
  auto [Program, Arguments] = StringRef(Text).rtrim('\0').split('\0');
  std::string Line = llvm::sys::path::filename(Program).str();
  if (!Arguments.empty())
    Line += ' ' + Arguments.str();
  std::string Result;
  for (char C : Line)
    Result += C > 0 && C < ' ' ? ' ' : C == 0 ? ' ' : C;
  if (Result.size() > Longest)
    Result = Result.substr(0, Longest - 2) + "..";
  return Result.empty() ? fmt::format("{}", Process)
                        : fmt::format("{} ({})", Process, Result);
}

bool hlobuf::hasXla(int Process) {
  static constexpr StringRef Libraries[] = {
      "/libjax_common.so",           // jaxlib, 2025 on
      "xla_extension.so",            // jaxlib before, and bindings for others
      "/_XLAC",                      // PyTorch/XLA
      "/libtpu.so",                  // also in frameworks of its own
      "/xla_cuda_plugin.so",         // jax on CUDA
      "/xla_rocm_plugin.so",         // jax on ROCm
      "pjrt_c_api_",                 // plugins of others
      "/libtensorflow_cc.so",        // TensorFlow, 2023 on
      "_pywrap_tensorflow_internal", // and before
      "/libReactantExtra.so",        // Julia
      "/libexla.so",                 // Elixir
  };
  std::string Maps = readFile(Process, "maps").value_or("");
  return llvm::any_of(Libraries, [&](StringRef Library) {
    return StringRef(Maps).contains(Library);
  });
}

bool hlobuf::hasFlags(int Process, StringRef Text) {
  std::optional<std::string> Environment = readFile(Process, "environ");
  if (!Environment)
    return true;
  for (StringRef Variable : llvm::split(*Environment, '\0'))
    if (Variable.consume_front("XLA_FLAGS="))
      return Variable.contains(Text);
  return false;
}
