// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Exec/ProcessWatch.h"
#include "Dump/FileNames.h"
#include "Exec/ProcessTree.h"
#include "Support/FileGuard.h"
#include "Support/Format.h"
#include "Support/RegularFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

using namespace hlobuf;
using llvm::StringRef;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
namespace fs = llvm::sys::fs;

// What Python processes run when they start.
#define HLOBUF_HOOK(Name, Text) static constexpr StringRef Hook = Text;
#include "ExecHook.inc"
#undef HLOBUF_HOOK

/// How often the processes are looked at: XLA takes longer to load.
static constexpr auto Often = 100ms;
static constexpr auto Seldom = 250ms;
/// How long a process that compiles may go on after the command.
static constexpr auto Patience = 2s;

ProcessWatch::ProcessWatch(DumpTarget Target) : Target(std::move(Target)) {}

ProcessWatch::~ProcessWatch() {
  if (Thread.joinable()) {
    Stop = true;
    Thread.join();
  }
  if (Socket >= 0)
    ::close(Socket);
  if (!HookFolder.empty() && fs::remove_directories(HookFolder))
    return; // the system clears its temporary folder
}

/// Opens a socket without a file, whose name is random.
bool ProcessWatch::listen() {
  SocketName = fmt::format("hlobuf-{}-{:08x}{:08x}", ::getpid(),
                           llvm::sys::Process::GetRandomNumber(),
                           llvm::sys::Process::GetRandomNumber());
  sockaddr_un Address = {};
  Address.sun_family = AF_UNIX;
  SocketName.copy(Address.sun_path + 1, sizeof Address.sun_path - 1);
  auto Size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 +
                                     SocketName.size());
  Socket = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  return Socket >= 0 &&
         ::bind(Socket, reinterpret_cast<sockaddr *>(&Address), Size) == 0 &&
         ::listen(Socket, SOMAXCONN) == 0;
}

bool ProcessWatch::installHook() {
  llvm::ErrorOr<std::string> Folder = makePrivateFolder("hlobuf-python");
  if (!Folder)
    return false;
  HookFolder = *Folder;
  std::error_code Error;
  llvm::raw_fd_ostream File(HookFolder + "/sitecustomize.py", Error);
  if (Error)
    return false;
  File << Hook;
  File.close();
  if (!File.has_error())
    return true;
  File.clear_error();
  return false;
}

void ProcessWatch::prepare() {
  // A folder whose name holds the separator cannot be on the path.
  if (!listen() || !installHook() || HookFolder.find(':') != std::string::npos)
    return;
  const char *OldPath = std::getenv("PYTHONPATH");
  std::string Path = HookFolder;
  if (OldPath && *OldPath)
    Path += std::string(":") + OldPath;
  ::setenv("PYTHONPATH", Path.c_str(), /*overwrite=*/1);
  ::setenv("HLOBUF_EXEC", SocketName.c_str(), /*overwrite=*/1);
}

void ProcessWatch::start() {
  sigset_t All, Mask;
  ::sigfillset(&All);
  ::pthread_sigmask(SIG_SETMASK, &All, &Mask);
  Thread = std::thread([this] { run(); });
  ::pthread_sigmask(SIG_SETMASK, &Mask, nullptr);
}

void ProcessWatch::run() {
  auto Next = Clock::now() + Often;
  while (!Stop) {
    pollfd Polled = {Socket, POLLIN, 0};
    ::poll(&Polled, 1, 20);
    answer();
    auto Begin = Clock::now();
    if (Begin < Next)
      continue;
    look();
    // A twentieth of a core, as long as no process can come and go unseen.
    Clock::duration Pause = 20 * (Clock::now() - Begin);
    Next = Begin + std::clamp<Clock::duration>(Pause, Often, Seldom);
  }
}

/// Finds processes that run XLA and did not ask for a folder.
void ProcessWatch::look() {
  for (int Pid : descendants()) {
    if (find(Pid) || Unseen.count(Pid) || Sharing.count(Pid) || !hasXla(Pid))
      continue;
    if (!hasFlags(Pid, Target.spelling()))
      Unseen[Pid] = commandOf(Pid);
    else if (!Forked.insert(Pid).second)
      Sharing[Pid] = commandOf(Pid);
  }
}

void ProcessWatch::answer() {
  while (Socket >= 0) {
    int Client = ::accept4(Socket, nullptr, nullptr, SOCK_CLOEXEC);
    if (Client < 0)
      return;
    timeval Limit = {1, 0};
    ::setsockopt(Client, SOL_SOCKET, SO_RCVTIMEO, &Limit, sizeof Limit);
    ucred Peer = {};
    socklen_t Size = sizeof Peer;
    ::getsockopt(Client, SOL_SOCKET, SO_PEERCRED, &Peer, &Size);
    std::vector<char> Bytes(1 << 18);
    ssize_t Count = ::recv(Client, Bytes.data(), Bytes.size(), 0);
    if (Count > 0 && (Peer.uid == ::geteuid() || ::geteuid() == 0)) {
      std::string Text =
          reply(Peer.pid, {Bytes.data(), static_cast<size_t>(Count)});
      ::send(Client, Text.data(), Text.size(), MSG_NOSIGNAL);
    }
    ::close(Client);
  }
}

ProcessWatch::Process *ProcessWatch::find(int Pid) {
  for (auto &P : llvm::reverse(Processes))
    if (P->Pid == Pid)
      return P.get();
  return nullptr;
}

/// Makes a process that has a folder of its own, which nobody else has: a
/// number is used again after a while.
ProcessWatch::Process &ProcessWatch::add(int Pid) {
  auto P = std::make_unique<Process>();
  P->Pid = Pid;
  P->Group = Processes.size();
  P->Command = commandOf(Pid);
  std::string First =
      fmt::format("{}/{}{}", Target.Absolute, ProcessFolderPrefix.str(), Pid);
  std::string Path = First;
  std::error_code Error;
  for (unsigned Try = 2;
       (Error = fs::create_directory(Path, /*IgnoreExisting=*/false)) ==
       std::errc::file_exists;
       ++Try)
    Path = fmt::format("{}-{}", First, Try);
  P->Folder = Error ? Target.Absolute : Path;
  Processes.push_back(std::move(P));
  return *Processes.back();
}

/// The flags for \p P, whose environment holds \p Flags.
std::string ProcessWatch::flagsFor(Process &P, StringRef Flags) {
  std::string Result = flagsOfProcess(Flags, Target, P.Folder, P.Foreign);
  P.Filtered = selectModules(Result);
  if (P.Foreign.empty())
    return Result;
  if (!llvm::sys::path::is_absolute(P.Foreign)) {
    llvm::SmallString<256> Current;
    if (fs::real_path(fmt::format("/proc/{}/cwd", P.Pid), Current))
      return Result;
    llvm::sys::path::append(Current, P.Foreign);
    P.Foreign = std::string(Current);
  }
  Foreign.try_emplace(P.Foreign, P.Foreign);
  return Result;
}

/// Executables are saved next to the dumps of the same programs, in a folder
/// that is ours.
bool ProcessWatch::savesExecutables(const Process &P) const {
  return Target.Temporary && P.Folder != Target.Absolute && P.Foreign.empty() &&
         !P.Filtered;
}

/// What the hook is told that sends \p Message: words that a zero byte ends.
std::string ProcessWatch::reply(int Pid, StringRef Message) {
  auto [Verb, Rest] = Message.split('\0');
  if (Verb == "start")
    return flagsFor(add(Pid), Rest);
  if (Verb == "fork") {
    // PARENT, whether XLA was loaded, and so may have read its flags, FLAGS.
    auto [Number, Below] = Rest.split('\0');
    auto [Loaded, Flags] = Below.split('\0');
    int Parent = 0;
    Process *From = Number.getAsInteger(10, Parent) ? nullptr : find(Parent);
    size_t Group = From ? From->Group : 0;
    Process &P = add(Pid);
    if (From && Loaded == "1")
      P.Group = Group;
    return flagsFor(P, Flags);
  }
  Process *P = find(Pid);
  if (!P)
    return "";
  if (Verb == "flags")
    return flagsFor(*P, Rest);
  if (Verb == "save")
    return savesExecutables(*P) ? P->Folder : "";
  P->Compiled += Verb == "compiled";
  P->Hits += Verb == "hit";
  if (Verb == "hit" && !Rest.empty())
    CacheFolders.insert(Rest.str());
  return "";
}

/// Waits for processes that outlive the command and run XLA.
void ProcessWatch::waitForOthers(WatchReport &Report) {
  auto Until = Clock::now() + Patience;
  std::vector<int> Remaining;
  do {
    answer();
    Remaining.clear();
    for (int Pid : descendants())
      if (hasXla(Pid))
        Remaining.push_back(Pid);
    if (!Remaining.empty())
      std::this_thread::sleep_for(50ms);
  } while (!Remaining.empty() && Clock::now() < Until);
  Report.Running = !Remaining.empty();
  for (int Pid : Remaining)
    Report.Shortfalls.push_back(
        fmt::format("what process {} compiles, which goes on after the "
                    "command",
                    commandOf(Pid)));
}

namespace {
/// Processes that dump into the same folders.
struct GroupCounts {
  int64_t Compiled = 0;
  std::set<std::string> Folders;
  std::set<std::string> Commands;
  bool Filtered = false;
};
} // namespace

/// Compares what jax compiled with what was dumped.
void ProcessWatch::compareCounts(WatchReport &Report) {
  std::map<std::string, GroupCounts> All;
  for (const auto &P : Processes) {
    std::string Key =
        P->Foreign.empty() ? fmt::format("{}", P->Group) : P->Foreign;
    GroupCounts &S = All[Key];
    S.Compiled += int64_t(P->Compiled) - int64_t(P->Hits);
    S.Filtered |= P->Filtered;
    S.Folders.insert(P->Folder);
    if (!P->Foreign.empty())
      S.Folders.insert(P->Foreign);
    if (P->Compiled != P->Hits)
      S.Commands.insert(P->Command);
  }
  for (const auto &[Key, S] : All) {
    int64_t Dumped = 0;
    int64_t Saved = 0;
    for (const std::string &Folder : S.Folders) {
      Dumped += llvm::count_if(pathsBelow(Folder), isAssignmentName);
      Saved += static_cast<int64_t>(findExecutables(Folder).size());
    }
    // An executable is verified with its dump, or by itself.
    Dumped = std::max(Dumped, Saved);
    if (S.Filtered || S.Compiled <= Dumped)
      continue;
    Report.Shortfalls.push_back(fmt::format(
        "{} that process {} compiled: no dump, so something replaced the "
        "flags, or another process wrote files of the same names",
        counted(static_cast<uint64_t>(S.Compiled - Dumped), "module"),
        *S.Commands.begin()));
  }
}

void ProcessWatch::addUnseen(WatchReport &Report) {
  std::erase_if(Sharing, [&](const auto &Known) { return find(Known.first); });
  if (Sharing.size() > 1)
    Report.Shortfalls.push_back(fmt::format(
        "modules that {} processes, such as process {}, may have written over: "
        "they dump into one folder",
        Sharing.size(), Sharing.begin()->second));
  for (const auto &[Pid, Command] : Unseen)
    if (!find(Pid))
      Report.Shortfalls.push_back(fmt::format(
          "what process {} compiled, if anything: it runs XLA, and something "
          "replaced the flags",
          Command));
}

WatchReport ProcessWatch::finish() {
  WatchReport Report;
  Stop = true;
  if (Thread.joinable())
    Thread.join();
  look();
  waitForOthers(Report);
  answer();
  compareCounts(Report);
  addUnseen(Report);
  // One below the given folder is found there.
  for (const auto &[Folder, Before] : Foreign)
    if (!StringRef(Folder).starts_with(Target.Absolute + "/"))
      Report.Others.push_back(Before);
  for (const auto &P : Processes)
    if (P->Folder != Target.Absolute)
      Report.ProcessFolders.push_back(P->Folder);
  Report.CacheFolders = CacheFolders;
  return Report;
}
