// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Input/Archives.h"
#include "Support/Format.h"
#include "llvm/ADT/STLExtras.h"

using namespace hlobuf;
using llvm::StringRef;

static constexpr StringRef TarTails[] = {".tar",     ".tgz",    ".tar.gz",
                                         ".tar.zst", ".tar.xz", ".tar.bz2"};

static bool isZip(StringRef Path, StringRef Start) {
  return Path.ends_with(".zip") || Start.starts_with("PK\x03\x04") ||
         Start.starts_with("PK\x05\x06");
}

static bool isTar(StringRef Path, StringRef Start) {
  return Start.substr(257).starts_with("ustar") ||
         llvm::any_of(TarTails,
                      [&](StringRef Tail) { return Path.ends_with(Tail); });
}

/// Where \p Path is unpacked to.
static std::string folderFor(StringRef Path) {
  StringRef Folder = Path;
  for (StringRef Tail : TarTails)
    if (Path.ends_with(Tail))
      Folder = Path.drop_back(Tail.size());
  Folder.consume_back(".zip");
  return Folder == Path ? (Path + ".d").str() : Folder.str();
}

std::string hlobuf::unpackCommand(StringRef Path, StringRef Start) {
  std::string Folder = folderFor(Path);
  if (isZip(Path, Start))
    return fmt::format("unzip -d {} {}", Folder, Path);
  if (isTar(Path, Start))
    return fmt::format("mkdir {} && tar -C {} -xf {}", Folder, Folder, Path);
  return "";
}
