// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Python below a command.

#ifndef HLOBUF_EXEC_PYTHONPROCESSES_H
#define HLOBUF_EXEC_PYTHONPROCESSES_H

#include "Support/PrivateFolder.h"
#include <set>
#include <string>
#include <vector>

namespace hlobuf {

/// What the Python processes of a command did that the folders of dumps do not
/// say.
struct ProcessReport {
  /// Folders that the program chose itself, outside of the given one.
  std::set<std::string> Others;
  /// Folders of jax's compilation cache that executables were taken from.
  std::set<std::string> CacheFolders;
  /// What was not seen, a sentence each.
  std::vector<std::string> Shortfalls;
  /// Folders that were made for one process, empty ones included.
  std::vector<std::string> ProcessFolders;
  /// Processes go on after the command.
  bool Running = false;
};

/// Makes the Python processes of a command run a file of ours when they start
/// (docs/get-a-dump.md), which gives each a folder of its own to dump into, and
/// notes what the process does. All other processes share the given folder.
class PythonProcesses {
public:
  /// The command dumps into \p Folder, an absolute path.
  explicit PythonProcesses(StringRef Folder) : Folder(Folder.str()) {}

  /// Sets the variables that lead Python processes to the file. What fails is
  /// not done.
  void prepare();

  /// To be called when the command has ended: waits a moment for processes that
  /// still compile, and says what was noted.
  ProcessReport finish() const;

private:
  std::string Folder;
  /// The file that Python processes run is in it, and what they note.
  PrivateFolder HookFolder;
};

} // namespace hlobuf

#endif // HLOBUF_EXEC_PYTHONPROCESSES_H
