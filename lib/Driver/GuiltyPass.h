// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which pass made an instruction.

#ifndef HLOBUF_DRIVER_GUILTYPASS_H
#define HLOBUF_DRIVER_GUILTYPASS_H

#include "Results/Result.h"
#include "llvm/ADT/StringMap.h"

namespace hlobuf {

/// A module as it was after a pass.
struct PassDump {
  std::string Path;
  unsigned Number = 0;
  std::string Pipeline;
  std::string Pass;
};

/// Finds the pass that made an instruction, in the modules that
/// --xla_dump_hlo_pass_re dumped.
class GuiltyPasses {
public:
  /// Adds to each loud finding of \p R a note with the pass after which the
  /// youngest of its instructions is there for the first time, by its name.
  /// Nothing is read without a finding, and each folder is listed once.
  void note(DumpResult &R);

private:
  /// By module, as in `module_0001.jit_f`, in the order of the passes.
  using Folder = llvm::StringMap<std::vector<PassDump>>;
  const Folder &list(llvm::StringRef Path);

  llvm::StringMap<Folder> Folders;
};

} // namespace hlobuf

#endif // HLOBUF_DRIVER_GUILTYPASS_H
