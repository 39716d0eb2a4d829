// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An entry is its checksum, 8 bytes, then its key and a packed result.

#include "Driver/VerdictStore.h"
#include "Driver/DumpResults.h"
#include "Driver/ResultBytes.h"
#include "Support/Format.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include <algorithm>

using namespace hlobuf;
using llvm::StringRef;
namespace fs = llvm::sys::fs;

/// The file with the StampIndex; those of verdicts are in folders.
static constexpr StringRef IndexName = "files";

namespace {
/// Hashes parts, each with its length, so that none runs into the next.
class KeyHash {
public:
  void add(StringRef Part) {
    uint64_t Size = Part.size();
    Hash.update(StringRef(reinterpret_cast<const char *>(&Size), sizeof(Size)));
    Hash.update(Part);
  }
  bool addFile(const std::string &Path) {
    auto Buffer = llvm::MemoryBuffer::getFile(Path, /*IsText=*/false,
                                              /*RequiresNullTerminator=*/false);
    if (Buffer)
      add((*Buffer)->getBuffer());
    return static_cast<bool>(Buffer);
  }
  template <size_t Bytes = 32> llvm::BLAKE3Result<Bytes> finish() {
    llvm::BLAKE3Result<Bytes> Result;
    Hash.final(Result);
    return Result;
  }

private:
  llvm::BLAKE3 Hash;
};
} // namespace

static StringRef bytesOf(const VerdictStore::Key &K) {
  return StringRef(reinterpret_cast<const char *>(K.data()), K.size());
}

static constexpr size_t SumBytes = sizeof(uint64_t);

/// What shows that \p Bytes are whole.
static std::string sumOf(StringRef Bytes) {
  uint64_t Sum = llvm::xxHash64(Bytes);
  return std::string(reinterpret_cast<const char *>(&Sum), SumBytes);
}

/// What follows the checksum of the file \p Path; nothing if there is no such
/// file, or it is damaged. \p Buffer owns it.
static std::optional<StringRef>
readChecked(const std::string &Path,
            std::unique_ptr<llvm::MemoryBuffer> &Buffer) {
  auto File = llvm::MemoryBuffer::getFile(Path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!File)
    return std::nullopt;
  Buffer = std::move(*File);
  StringRef Bytes = Buffer->getBuffer();
  if (Bytes.size() < SumBytes ||
      Bytes.take_front(SumBytes) != sumOf(Bytes.drop_front(SumBytes)))
    return std::nullopt;
  return Bytes.drop_front(SumBytes);
}

VerdictStore::VerdictStore(StringRef Folder) : Folder(Folder.str()) {
  std::string Own = fs::getMainExecutable(nullptr, nullptr);
  KeyHash Hash;
  if (Own.empty() || !Hash.addFile(Own)) {
    Trouble = "this program cannot read itself, and would not know its entries";
    return;
  }
  Program = Hash.finish();
  std::unique_ptr<llvm::MemoryBuffer> Buffer;
  if (auto Bytes =
          readChecked(fmt::format("{}/{}", this->Folder, IndexName), Buffer))
    Files.load(*Bytes, *Program);
}

/// A file with protos may hold several dumps: a key for each would take reading
/// it as often.
static bool isReadTwice(const Input &In) {
  if (In.Frames || In.Executable || (In.Proto && In.Proto->Cache))
    return false;
  return llvm::all_of(In.Files, [](const InputFile &File) {
    return File.Path.empty() || File.Regular;
  });
}

/// All that the key of \p D depends on but contents.
static KeyHash hashSettings(const PlannedDump &D, const SiblingPaths &Given,
                            const VerdictStore::Key &Program) {
  KeyHash Hash;
  Hash.add(bytesOf(Program));
  const GlobTexts &Texts = D.Applied->Texts;
  for (StringRef Text : {StringRef(Texts.Checks), StringRef(Texts.Require),
                         StringRef(Texts.WarningsAsErrors)})
    Hash.add(Text);
  Hash.add(std::to_string(static_cast<unsigned>(backendOfName(D.In.Path))));
  if (D.In.Proto)
    Hash.add(fmt::format("{}{}", D.In.Proto->Number, D.In.Proto->Stem));
  for (size_t Role = 0; Role != NumFileRoles; ++Role)
    Hash.add(D.In.Files[Role].Path.empty() ? ""
             : Given[Role].empty()         ? "found"
                                           : "given");
  return Hash;
}

/// \p Hash with the stamps of \p In's files. Nothing if one has none, or is so
/// new that another change may not show.
static std::optional<StampIndex::Stamp> stampsOf(const Input &In,
                                                 KeyHash Hash) {
  for (const InputFile &File : In.Files) {
    if (File.Path.empty())
      continue;
    std::optional<FileStamp> Stamp = stampOf(File.Path);
    if (!Stamp || !Stamp->isSettled())
      return std::nullopt;
    for (uint64_t Part : {Stamp->Device, Stamp->Inode, Stamp->Size,
                          static_cast<uint64_t>(Stamp->Modified),
                          static_cast<uint64_t>(Stamp->Changed)})
      Hash.add(StringRef(reinterpret_cast<const char *>(&Part), sizeof(Part)));
  }
  return Hash.finish<16>();
}

std::optional<VerdictStore::Key>
VerdictStore::keyOf(const PlannedDump &D, const SiblingPaths &Given) {
  if (!Program || !isReadTwice(D.In))
    return std::nullopt;
  const KeyHash Settings = hashSettings(D, Given, *Program);
  std::optional<StampIndex::Stamp> Stamp = stampsOf(D.In, Settings);
  if (Stamp)
    if (std::optional<Key> Known = Files.find(*Stamp))
      return Known;
  KeyHash Hash = Settings;
  for (const InputFile &File : D.In.Files)
    if (!File.Path.empty() && !Hash.addFile(File.Path))
      return std::nullopt;
  Key K = Hash.finish();
  // What was read may be another file by now.
  if (Stamp && stampsOf(D.In, Settings) == Stamp)
    Files.add(*Stamp, K);
  else
    Files.use(K);
  return K;
}

std::string VerdictStore::fileOf(const Key &K) const {
  std::string Name = llvm::toHex(K, /*LowerCase=*/true);
  return fmt::format("{}/{}/{}", Folder, Name.substr(0, 2), Name.substr(2));
}

static StringRef nameOf(const InputFile &File) {
  return llvm::sys::path::filename(File.Path);
}

/// True if the files of \p X and \p Y have the same names in their folders.
static bool haveSameNames(const Input &X, const Input &Y) {
  return std::equal(X.Files.begin(), X.Files.end(), Y.Files.begin(),
                    [](const InputFile &A, const InputFile &B) {
                      return nameOf(A) == nameOf(B);
                    });
}

static bool haveSamePaths(const Input &X, const Input &Y) {
  return X.Path == Y.Path &&
         std::equal(X.Files.begin(), X.Files.end(), Y.Files.begin(),
                    [](const InputFile &A, const InputFile &B) {
                      return A.Path == B.Path;
                    });
}

/// True if some text of \p Said names a file, which retarget() would not change
/// there.
static bool namesFiles(const StoredResult &Said) {
  auto Names = [&](StringRef Text) {
    return llvm::any_of(Said.In.Files, [&](const InputFile &File) {
      return !File.Path.empty() && Text.contains(nameOf(File));
    });
  };
  const DumpResult &R = Said.Result;
  auto NamesNote = [&](const ResultNote &N) {
    return Names(N.Message) || Names(N.Event.Action);
  };
  return llvm::any_of(R.Findings,
                      [&](const ResultFinding &F) {
                        return Names(F.Message) || Names(F.Reason) ||
                               llvm::any_of(F.Notes, NamesNote);
                      }) ||
         llvm::any_of(R.Complaints, NamesNote) ||
         llvm::any_of(R.Skipped,
                      [&](const SkippedCheck &S) { return Names(S.Reason); });
}

std::optional<DumpResult> VerdictStore::find(const Key &K,
                                             const Input &In) const {
  std::unique_ptr<llvm::MemoryBuffer> Buffer;
  std::optional<StringRef> Bytes = readChecked(fileOf(K), Buffer);
  if (!Bytes || !Bytes->consume_front(bytesOf(K)))
    return std::nullopt;
  std::optional<StoredResult> Stored = unpackResult(*Bytes);
  if (!Stored)
    return std::nullopt;
  if (haveSamePaths(Stored->In, In))
    return std::move(Stored->Result);
  if (!haveSameNames(Stored->In, In) && namesFiles(*Stored))
    return std::nullopt;
  return retarget(Stored->Result, Stored->In, In);
}

std::error_code VerdictStore::write(const std::string &Path,
                                    StringRef Bytes) const {
  if (std::error_code Error =
          fs::create_directories(llvm::sys::path::parent_path(Path)))
    return Error;
  // Not an AtomicFile: each of those slows down the next one.
  std::string Temporary =
      fmt::format("{}.{:08x}.tmp", Path, llvm::sys::Process::GetRandomNumber());
  int Descriptor = -1;
  if (std::error_code Error =
          fs::openFileForWrite(Temporary, Descriptor, fs::CD_CreateNew))
    return Error;
  llvm::raw_fd_ostream Out(Descriptor, /*shouldClose=*/true,
                           /*unbuffered=*/true);
  Out << Bytes;
  Out.close();
  std::error_code Error = Out.error();
  Out.clear_error();
  if (!Error)
    Error = fs::rename(Temporary, Path);
  if (Error) {
    [[maybe_unused]] std::error_code Ignored = fs::remove(Temporary);
  }
  return Error;
}

void VerdictStore::add(const Key &K, const Input &In, const DumpResult &R) {
  if (!trouble().empty())
    return;
  StoredResult Stored;
  Stored.In.Path = In.Path;
  for (size_t Role = 0; Role != NumFileRoles; ++Role)
    Stored.In.Files[Role].Path = In.Files[Role].Path;
  Stored.Result = R;
  std::string Bytes = bytesOf(K).str() + packResult(std::move(Stored));
  note(write(fileOf(K), sumOf(Bytes) + Bytes));
}

/// Removes only verdicts.
void VerdictStore::prune() const {
  using namespace std::chrono;
  auto Oldest = system_clock::now() - hours(24 * StampIndex::KeptDays);
  std::set<Key> Used = Files.used();
  // What cannot be removed is tried again by the next run.
  [[maybe_unused]] std::error_code Left;
  std::error_code Error;
  for (fs::recursive_directory_iterator At(Folder, Error, false), End;
       At != End && !Error; At.increment(Error)) {
    StringRef Path = At->path();
    std::string Name =
        (llvm::sys::path::filename(llvm::sys::path::parent_path(Path)) +
         llvm::sys::path::filename(Path))
            .str();
    std::string Bytes;
    Key K;
    if (At.level() != 1 || Name.size() != 2 * K.size() ||
        !llvm::tryGetFromHex(Name, Bytes))
      continue;
    llvm::copy(Bytes, K.begin());
    llvm::ErrorOr<fs::basic_file_status> Status = At->status();
    std::unique_ptr<llvm::MemoryBuffer> Buffer;
    if (!Status || Status->getLastModificationTime() >= Oldest ||
        Used.count(K) != 0)
      continue;
    std::optional<StringRef> Verdict = readChecked(Path.str(), Buffer);
    if (Verdict && Verdict->starts_with(bytesOf(K)))
      Left = fs::remove(Path);
  }
}

void VerdictStore::finish() {
  if (!Program || !trouble().empty())
    return;
  if (Files.takePruning())
    prune();
  if (std::optional<std::string> Bytes = Files.bytes(*Program))
    note(
        write(fmt::format("{}/{}", Folder, IndexName), sumOf(*Bytes) + *Bytes));
}

void VerdictStore::note(std::error_code Error) {
  if (!Error)
    return;
  std::lock_guard<std::mutex> Guard(Lock);
  if (Trouble.empty())
    Trouble = Error.message();
}

std::string VerdictStore::trouble() const {
  std::lock_guard<std::mutex> Guard(Lock);
  return Trouble;
}
