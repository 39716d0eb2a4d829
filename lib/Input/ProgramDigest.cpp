// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Input/ProgramDigest.h"
#include "Dump/FileNames.h"
#include "Input/ProtoInputs.h"
#include "Support/LineCursor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace hlobuf;
using llvm::StringRef;

std::optional<ProgramDigest> hlobuf::digestOfProgram(StringRef Module,
                                                     StringRef Assignment,
                                                     DigestDetail Detail) {
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

static std::optional<ProgramDigest> digestOfText(const std::string &Path) {
  std::string Module = findCandidate(
      stemOf(Path), FileRole::Module,
      [](const std::string &Name) { return llvm::sys::fs::exists(Name); });
  if (Module.empty())
    return std::nullopt;
  Sources Texts;
  llvm::Expected<StringRef> Parts[] = {Texts.open(Module), Texts.open(Path)};
  std::optional<ProgramDigest> Digest;
  if (Parts[0] && Parts[1])
    Digest = digestOfProgram(*Parts[0], *Parts[1], DigestDetail::Attributes);
  // Who verifies the text says what is wrong.
  for (llvm::Expected<StringRef> &Part : Parts)
    llvm::consumeError(Part.takeError());
  return Digest;
}

bool hlobuf::saysTheSame(const std::string &Path, StringRef Bytes,
                         const std::string &Assignment) {
  ProtoFile File = findProtoPlaces(Path, Bytes);
  if (File.Places.size() != 1 || !File.Trouble.empty())
    return false;
  std::optional<ProgramDigest> Text = digestOfText(Assignment);
  if (!Text)
    return false;
  Sources Texts;
  std::array<DumpFile, NumFileRoles> Printed;
  if (llvm::Error Failed =
          printProto(File.Places.front(), Bytes, Texts, Printed)) {
    llvm::consumeError(std::move(Failed));
    return false;
  }
  auto PrintedText = [&](FileRole Role) {
    return Printed[static_cast<size_t>(Role)].Text;
  };
  return Text == digestOfProgram(PrintedText(FileRole::Module),
                                 PrintedText(FileRole::Assignment),
                                 DigestDetail::Attributes);
}
