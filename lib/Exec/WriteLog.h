// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which files were written over.

#ifndef HLOBUF_EXEC_WRITELOG_H
#define HLOBUF_EXEC_WRITELOG_H

#include "llvm/ADT/StringMap.h"
#include <map>
#include <set>
#include <string>
#include <vector>

struct inotify_event; // NOLINT(readability-identifier-naming): of the kernel

namespace hlobuf {

/// Every time that a file of a dump was written, as the kernel reports it
/// (inotify): the content of a file is that of its last writer, and who wrote
/// before is lost.
class WriteLog {
public:
  WriteLog();
  ~WriteLog();
  WriteLog(const WriteLog &) = delete;
  WriteLog &operator=(const WriteLog &) = delete;

  /// Becomes readable when something was written; -1 if the kernel gives none.
  int descriptor() const { return Events; }

  /// From now on, writes to files in \p Folder are logged, also those in
  /// folders that are made below it. False if it cannot be watched.
  bool watch(const std::string &Folder);

  /// Takes what the kernel has reported so far.
  void read();

  /// What became of the modules that were written more than once.
  struct Losses {
    /// Buffer assignments whose text is gone, or mixed with another one.
    unsigned Modules = 0;
    /// Files to leave out: of several processes, as far as is known.
    std::set<std::string> Mixed;
    /// How many, by folder.
    std::map<std::string, unsigned> Folders;
    /// There may be more: the kernel merges equal reports, so that processes
    /// that write a file at the same time can look like fewer.
    bool AtLeast = false;
  };
  Losses losses() const;

  /// The kernel dropped reports, or a folder could not be watched.
  bool isIncomplete() const { return Incomplete; }

private:
  /// From the first to the last byte, in places of the sequence of events.
  struct Write {
    uint64_t Begin = 0;
    uint64_t End = 0;
  };
  struct File {
    std::vector<Write> Writes;
    /// Opened since the last write ended, and how often.
    unsigned Opened = 0;
    /// The last write has not ended.
    bool Open = false;
    /// It was there before its folder was watched: its opening is not known.
    bool Found = false;
    /// Opened again before a write ended.
    bool Overlap = false;
  };
  /// The files of one module, by path.
  using Module = std::map<std::string, File>;

  void take(const ::inotify_event &Event);
  void open(const std::string &Path);
  void begin(const std::string &Path);
  void end(const std::string &Path);
  File &fileOf(const std::string &Path);
  void close(const std::string &Path);
  void addFound(const std::string &Folder);
  static bool isInOrder(const Module &M);
  static bool isChangedLater(const Module &M, const File &Assignment);

  int Events = -1;
  uint64_t Clock = 0;
  bool Incomplete = false;
  std::map<int, std::string> Folders;
  llvm::StringMap<Module> Modules;
};

} // namespace hlobuf

#endif // HLOBUF_EXEC_WRITELOG_H
