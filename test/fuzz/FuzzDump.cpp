// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any text as a dump.
//
// For libFuzzer: see utils/fuzz. Each input is a file, so compressed texts and
// fragments come up, too. Most are framed texts with all files of a dump, and
// what is changed is a file inside.

#include "Driver/Driver.h"
#include "Frames.h"
#include "Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

using namespace hlobuf;

/// LLVM's allocators poison memory in their headers, which are instrumented
/// here, and lift that in its library, which is not.
extern "C" const char *__asan_default_options() {
  return "allow_user_poisoning=0:detect_leaks=0";
}

static void require(bool Holds, llvm::StringRef What) {
  if (Holds)
    return;
  llvm::errs() << "fuzz: " << What << '\n';
  std::abort();
}

namespace {
/// A file in memory that takes one text after the other.
class MemoryFile {
public:
  MemoryFile() : Descriptor(::memfd_create("dump", 0)) {}

  std::string path() const {
    return fmt::format("/proc/self/fd/{}", Descriptor);
  }
  void write(llvm::StringRef Text) const {
    auto Size = static_cast<off_t>(Text.size());
    require(::ftruncate(Descriptor, Size) == 0 &&
                ::pwrite(Descriptor, Text.data(), Text.size(), 0) == Size,
            "cannot write");
  }

private:
  int Descriptor;
};

struct Run {
  ExitStatus Status;
  std::string Out;
  std::string Err;
};
} // namespace

static Run verifyFile(const MemoryFile &File, const VerifyOptions &Options) {
  VerifyOptions O = Options;
  O.Inputs = {File.path()};
  O.NoConfig = true;
  O.Jobs = 1;
  Run R;
  llvm::raw_string_ostream Out(R.Out);
  llvm::raw_string_ostream Err(R.Err);
  R.Status = runVerify(O, Out, Err);
  return R;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  static const MemoryFile File;
  llvm::StringRef Text(reinterpret_cast<const char *>(Data), Size);
  File.write(Text);

  VerifyOptions All;
  All.Globs.Checks = "*";
  All.WantMemory = true;
  All.Format = OutputFormat::Json;
  Run Verdict = verifyFile(File, All);
  require(Verdict.Status != ExitUnreadable || !Verdict.Err.empty() ||
              llvm::StringRef(Verdict.Out).contains("\"unreadable\""),
          "what cannot be read has a reason");
  require(Verdict.Status != ExitErrors || !Verdict.Out.empty(),
          "errors are told");

  // What is printed back says the same as what was read. Of frames, the
  // sections of several files are printed one after another.
  VerifyOptions Emit;
  Emit.Emit = EmitKind::Dump;
  Run First = verifyFile(File, Emit);
  if (First.Status != ExitSound || Text.contains("*** Begin "))
    return 0;
  File.write(First.Out);
  Run Second = verifyFile(File, Emit);
  require(Second.Status == ExitSound, "what was printed can be read");
  require(Second.Out == First.Out, "what was printed stays the same");
  return 0;
}

extern "C" size_t LLVMFuzzerMutate(uint8_t *Data, size_t Size, size_t MaxSize);

/// Changes bytes of \p Text as libFuzzer does.
static std::string changeBytes(llvm::StringRef Text) {
  constexpr size_t Growth = 200;
  std::vector<uint8_t> Bytes(Text.begin(), Text.end());
  Bytes.resize(Text.size() + Growth);
  Bytes.resize(LLVMFuzzerMutate(Bytes.data(), Text.size(), Bytes.size()));
  return std::string(Bytes.begin(), Bytes.end());
}

static size_t copyBack(llvm::StringRef Text, uint8_t *Data, size_t MaxSize) {
  size_t Size = std::min(Text.size(), MaxSize);
  std::copy_n(Text.begin(), Size, Data);
  return Size;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *Data, size_t Size,
                                          size_t MaxSize, unsigned Seed) {
  std::minstd_rand Random(Seed);
  std::vector<Frame> Frames =
      takeFrames({reinterpret_cast<const char *>(Data), Size});
  // Now and then the frames themselves.
  if (Frames.empty() || Random() % 16 == 0)
    return LLVMFuzzerMutate(Data, Size, MaxSize);
  Frame &Changed = Frames[Random() % Frames.size()];
  const Frame &Other = Frames[Random() % Frames.size()];
  Changed.Content = Random() % 2 == 0
                        ? changeBytes(Changed.Content)
                        : changeLines(Changed.Content, Other.Content, Random);
  return copyBack(joinFrames(Frames), Data, MaxSize);
}

/// Takes a file of the same kind, by the end of its name, from another dump.
extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *Data1, size_t Size1,
                                            const uint8_t *Data2, size_t Size2,
                                            uint8_t *Out, size_t MaxSize,
                                            unsigned Seed) {
  std::minstd_rand Random(Seed);
  std::vector<Frame> Frames =
      takeFrames({reinterpret_cast<const char *>(Data1), Size1});
  std::vector<Frame> Others =
      takeFrames({reinterpret_cast<const char *>(Data2), Size2});
  if (Frames.empty() || Others.empty())
    return 0;
  auto Tail = [](llvm::StringRef Name) {
    return Name.rsplit('.').first.take_back(8);
  };
  Frame &Changed = Frames[Random() % Frames.size()];
  for (const Frame &Other : Others)
    if (Tail(Other.Name) == Tail(Changed.Name))
      Changed.Content = Other.Content;
  return copyBack(joinFrames(Frames), Out, MaxSize);
}
