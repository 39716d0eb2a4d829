// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiler opens each file of a dump once, truncates it, writes and closes
// it. So a second end of a write is a second writer. The kernel merges equal
// reports that follow each other: that is why reports of changes, which lie
// between two writes of one file, are asked for as well. Two writers whose
// openings follow each other, and whose ends do, look like one: of 1,200 pairs
// that a barrier let go at the same time 2 did (Linux 6.18).

#include "Exec/WriteLog.h"
#include "Dump/FileNames.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <algorithm>
#include <array>
#include <cstring>
#include <sys/inotify.h>
#include <unistd.h>

using namespace hlobuf;
namespace fs = llvm::sys::fs;

WriteLog::WriteLog() : Events(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
  Incomplete = Events < 0;
}

WriteLog::~WriteLog() {
  if (Events >= 0)
    ::close(Events);
}

bool WriteLog::watch(const std::string &Folder) {
  constexpr uint32_t Wanted = IN_CREATE | IN_OPEN | IN_MODIFY | IN_CLOSE_WRITE |
                              IN_MOVED_TO | IN_ONLYDIR;
  int Watch =
      Events < 0 ? -1 : ::inotify_add_watch(Events, Folder.c_str(), Wanted);
  if (Watch < 0) {
    Incomplete = true;
    return false;
  }
  Folders[Watch] = Folder;
  return true;
}

WriteLog::File &WriteLog::fileOf(const std::string &Path) {
  return Modules[stemOf(Path)][Path];
}

void WriteLog::open(const std::string &Path) {
  File &F = fileOf(Path);
  ++F.Opened;
  F.Overlap |= F.Open && F.Opened > 1;
}

void WriteLog::begin(const std::string &Path) {
  File &F = fileOf(Path);
  if (!F.Open)
    F.Writes.push_back({++Clock, 0});
  F.Open = true;
}

void WriteLog::end(const std::string &Path) {
  begin(Path);
  File &F = fileOf(Path);
  F.Writes.back().End = ++Clock;
  F.Open = false;
  F.Opened = 0;
}

/// A second writer that closes the file, and whose opening was merged with that
/// of the first, has opened it before the first one closed it.
void WriteLog::close(const std::string &Path) {
  File &F = fileOf(Path);
  F.Overlap |= F.Opened == 0 && !F.Found;
  F.Found = false;
  end(Path);
}

/// Files that were there before the folder was watched. The process that made
/// the folder may still be writing.
void WriteLog::addFound(const std::string &Folder) {
  std::error_code Error;
  for (fs::directory_iterator At(Folder, Error, false), End;
       At != End && !Error; At.increment(Error)) {
    if (At->type() != fs::file_type::directory_file) {
      begin(At->path());
      fileOf(At->path()).Found = true;
    } else if (watch(At->path())) {
      addFound(At->path());
    }
  }
}

void WriteLog::take(const inotify_event &Event) {
  Incomplete |= (Event.mask & IN_Q_OVERFLOW) != 0;
  auto Folder = Folders.find(Event.wd);
  if (Folder == Folders.end() || Event.len == 0)
    return;
  std::string Path = Folder->second + "/" + Event.name;
  if (Event.mask & IN_ISDIR) {
    if ((Event.mask & (IN_CREATE | IN_MOVED_TO)) && watch(Path))
      addFound(Path);
  } else if (Event.mask & IN_CLOSE_WRITE) {
    close(Path);
  } else if (Event.mask & IN_MOVED_TO) {
    end(Path);
  } else if (Event.mask & IN_OPEN) {
    open(Path);
  } else {
    begin(Path);
  }
}

void WriteLog::read() {
  alignas(inotify_event) std::array<char, 1 << 16> Bytes;
  while (Events >= 0) {
    ssize_t Count = ::read(Events, Bytes.data(), Bytes.size());
    if (Count < 0 && errno == EINTR)
      continue;
    if (Count <= 0)
      return;
    for (size_t At = 0; At < static_cast<size_t>(Count);) {
      ::inotify_event Event;
      std::memcpy(&Event, Bytes.data() + At, sizeof Event);
      take(*reinterpret_cast<const inotify_event *>(Bytes.data() + At));
      At += sizeof Event + Event.len;
    }
  }
}

/// True if the files of each writer were all written before the next one began:
/// then those of the last writer are complete.
bool WriteLog::isInOrder(const Module &M) {
  size_t Writes = M.begin()->second.Writes.size();
  std::vector<Write> All(Writes, {~uint64_t(0), 0});
  for (const auto &[Path, F] : M) {
    if (F.Writes.size() != Writes || F.Open || F.Overlap)
      return false;
    for (size_t I = 0; I != Writes; ++I) {
      All[I].Begin = std::min(All[I].Begin, F.Writes[I].Begin);
      All[I].End = std::max(All[I].End, F.Writes[I].End);
    }
  }
  for (size_t I = 1; I < Writes; ++I)
    if (All[I].Begin < All[I - 1].End)
      return false;
  return true;
}

/// True if a file of \p M was written again after \p Assignment: it is another
/// process's.
bool WriteLog::isChangedLater(const Module &M, const File &Assignment) {
  return llvm::any_of(M, [&](const auto &Entry) {
    const std::vector<Write> &Writes = Entry.second.Writes;
    return Writes.size() > 1 &&
           Writes.back().Begin > Assignment.Writes.back().End;
  });
}

WriteLog::Losses WriteLog::losses() const {
  Losses Found;
  for (const auto &Entry : Modules) {
    const Module &M = Entry.second;
    auto Assignment = llvm::find_if(
        M, [](const auto &File) { return isAssignmentName(File.first); });
    if (Assignment == M.end() || Assignment->second.Writes.empty())
      continue;
    const auto &[Path, File] = *Assignment;
    size_t Written = File.Writes.size();
    bool Whole = fs::exists(Path) && !File.Overlap &&
                 (Written == 1 ? !isChangedLater(M, File) : isInOrder(M));
    if (Whole && Written == 1)
      continue;
    auto Lost = static_cast<unsigned>(Written - (Whole ? 1 : 0));
    Found.Modules += Lost;
    Found.Folders[llvm::sys::path::parent_path(Path).str()] += Lost;
    if (Whole)
      continue;
    Found.Mixed.insert(Path);
    Found.AtLeast = true;
  }
  return Found;
}
