// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Input/ProgramDigest.h"
#include "Dump/FileNames.h"
#include "Support/LineCursor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace hlobuf;
using llvm::StringRef;

static std::optional<ProgramDigest>
digestOfTexts(StringRef Module, StringRef Assignment, DigestDetail Detail) {
  std::optional<ProgramDigest> Known = digestOfModule(Module, Detail);
  if (!Known)
    return std::nullopt;
  std::vector<StringRef> Lines;
  for (LineCursor In(Assignment); !In.atEnd(); In.advanceRaw())
    if (StringRef Line = In.line(); Line.starts_with("allocation "))
      Lines.push_back(Line.split(',').first);
    else if (Line.starts_with(" value: "))
      Lines.push_back(Line.split("): ").first);
  llvm::sort(Lines);
  llvm::TruncatedBLAKE3<16> Hash;
  Hash.update(*Known);
  for (StringRef Line : Lines) {
    Hash.update(Line);
    Hash.update("\n");
  }
  return Hash.final();
}

std::optional<ProgramDigest> hlobuf::digestOfDump(const std::string &Assignment,
                                                  DigestDetail Detail) {
  std::string Module = findCandidate(
      stemOf(Assignment), FileRole::Module,
      [](const std::string &Name) { return llvm::sys::fs::exists(Name); });
  if (Module.empty())
    return std::nullopt;
  Sources Texts;
  llvm::Expected<StringRef> Parts[] = {Texts.open(Module),
                                       Texts.open(Assignment)};
  std::optional<ProgramDigest> Digest;
  if (Parts[0] && Parts[1])
    Digest = digestOfTexts(*Parts[0], *Parts[1], Detail);
  // Who verifies the text says what is wrong.
  for (llvm::Expected<StringRef> &Part : Parts)
    llvm::consumeError(Part.takeError());
  return Digest;
}

std::optional<ProtoProgram> hlobuf::programOfProto(const std::string &Path,
                                                   StringRef Bytes,
                                                   DigestDetail Detail) {
  ProtoFile File = findProtoPlaces(Path, Bytes);
  if (File.Places.size() != 1 || !File.Trouble.empty())
    return std::nullopt;
  Sources Texts;
  std::array<DumpFile, NumFileRoles> Printed;
  if (llvm::Error Failed =
          printProto(File.Places.front(), Bytes, Texts, Printed)) {
    llvm::consumeError(std::move(Failed));
    return std::nullopt;
  }
  auto TextOf = [&](FileRole Role) {
    return Printed[static_cast<size_t>(Role)].Text;
  };
  llvm::TruncatedBLAKE3<16> Hash;
  Hash.update(TextOf(FileRole::Thunks));
  return ProtoProgram{std::move(File.Places.front()),
                      digestOfTexts(TextOf(FileRole::Module),
                                    TextOf(FileRole::Assignment), Detail),
                      Hash.final(), File.Searched};
}
