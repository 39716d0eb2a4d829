// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each process and its dumps.

#ifndef HLOBUF_EXEC_PROCESSWATCH_H
#define HLOBUF_EXEC_PROCESSWATCH_H

#include "Exec/FreshDumps.h"
#include "Exec/XlaFlags.h"
#include "llvm/Support/Error.h"
#include <atomic>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace hlobuf {

/// What the processes of a command did that the folders of dumps do not say.
struct WatchReport {
  /// Folders that the program chose itself.
  std::vector<FolderSnapshot> Others;
  /// Folders of jax's compilation cache that executables were taken from.
  std::set<std::string> CacheFolders;
  /// What was not seen, a sentence each.
  std::vector<std::string> Shortfalls;
  /// Folders that were made for one process, empty ones included.
  std::vector<std::string> ProcessFolders;
  /// Processes go on after the command.
  bool Running = false;
};

/// Gives each process of a command a folder of its own to dump into, and notes
/// what that does not reach.
///
/// Python processes run a file of ours when they start (docs/get-a-dump.md),
/// which asks here for flags, through a socket without a file. It asks again
/// after a fork, and when the program changes XLA_FLAGS, and for a folder to
/// save executables in (Driver/SavedExecutables), and it says how many programs
/// jax compiled. All other processes share the given folder: those that run
/// XLA are looked for in /proc, and so are those that run it with other flags.
class ProcessWatch {
public:
  /// \p Target says where the command's XLA_FLAGS lead.
  explicit ProcessWatch(DumpTarget Target);
  ~ProcessWatch();
  ProcessWatch(const ProcessWatch &) = delete;
  ProcessWatch &operator=(const ProcessWatch &) = delete;

  /// Sets the variables that lead Python processes here. What fails is not
  /// done, and noted.
  void prepare();

  /// Starts the thread that answers and looks.
  void start();

  /// To be called when the command has ended: waits a moment for processes that
  /// still compile, and says what was seen.
  WatchReport finish();

private:
  struct Process {
    int Pid = 0;
    /// Compared with the processes that share its folder.
    size_t Group = 0;
    /// What it was told to dump into; that of the group's first process counts.
    std::string Folder;
    std::string Command;
    /// What it dumps into instead.
    std::string Foreign;
    unsigned Compiled = 0;
    unsigned Hits = 0;
    /// The program wants some modules only.
    bool Filtered = false;
  };

  bool listen();
  bool installHook();
  void run();
  void look();
  void answer();
  std::string reply(int Pid, llvm::StringRef Message);
  Process *find(int Pid);
  Process &add(int Pid);
  bool savesExecutables(const Process &P) const;
  std::string flagsFor(Process &P, llvm::StringRef Flags);
  void waitForOthers(WatchReport &Report);
  void compareCounts(WatchReport &Report);
  void addUnseen(WatchReport &Report);

  DumpTarget Target;
  int Socket = -1;
  std::string SocketName;
  /// The file that Python processes run is in it.
  std::string HookFolder;
  std::thread Thread;
  std::atomic<bool> Stop = false;
  std::vector<std::unique_ptr<Process>> Processes;
  std::map<std::string, FolderSnapshot> Foreign;
  std::set<std::string> CacheFolders;
  /// Processes that run XLA without a folder of ours, and what they are.
  std::map<int, std::string> Unseen;
  /// Processes that run XLA and dump into the given folder, seen twice: until
  /// it starts its own program, a child has the libraries of its parent.
  std::map<int, std::string> Sharing;
  std::set<int> Forked;
};

} // namespace hlobuf

#endif // HLOBUF_EXEC_PROCESSWATCH_H
