// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/Capacity.h"
#include "Dump/FileNames.h"
#include "Support/RegularFile.h"
#include "llvm/ADT/StringExtras.h"

using namespace hlobuf;

namespace {
struct Chip {
  StringRef Version;
  StringRef Variant;
  StringRef Name;
  /// Of HBM that programs get, as libtpu's out-of-memory messages say.
  double GiB;
};
} // namespace

/// Chips whose limit is not published are left out.
static constexpr Chip Chips[] = {
    {"TPU_VERSION_PUFFERFISH", "", "TPU v4", 30.75},
    {"TPU_VERSION_VIPERFISH", "lite", "TPU v5e", 15.75},
    {"TPU_VERSION_VIPERFISH", "", "TPU v5p", 95.74},
    {"TPU_VERSION_GHOSTLITE", "", "TPU v6e", 31.25},
};

/// The value after `Key: ` on a line of \p Text, without quotes.
static StringRef field(StringRef Text, StringRef Key) {
  for (StringRef Line : llvm::split(Text, '\n'))
    if (Line = Line.trim(); Line.consume_front(Key) && Line.consume_front(": "))
      return Line.trim('"');
  return "";
}

void hlobuf::findCapacity(StringRef Path, SummaryOptions &Memory) {
  StringRef Module = moduleStemOf(Path);
  if (Module.empty())
    return;
  if (auto File = openRegularFile(Module + ".target_arguments.txt")) {
    StringRef Version = field(File->getBuffer(), "version");
    StringRef Variant = field(File->getBuffer(), "variant");
    for (const Chip &C : Chips)
      if (C.Version == Version && C.Variant == Variant) {
        Memory.Capacity = static_cast<uint64_t>(C.GiB * (1 << 30));
        Memory.Chip = C.Name.str();
        return;
      }
  } else if (auto Config =
                 openRegularFile(Module + ".gpu_target_config.pbtxt")) {
    uint64_t Bytes = 0;
    if (field(Config->getBuffer(), "device_memory_size")
            .getAsInteger(10, Bytes) ||
        Bytes == 0)
      return;
    Memory.Capacity = Bytes;
    Memory.Chip = field(Config->getBuffer(), "device_description_str").str();
  }
}
