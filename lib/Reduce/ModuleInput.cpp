// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reduce/ModuleInput.h"
#include "Proto/Container.h"
#include "Proto/ProtoText.h"
#include "Support/Format.h"
#include "Support/Sources.h"

using namespace hlobuf;
using llvm::StringRef;

/// The text of the module in \p Bytes, an HloProto; empty if it is none.
static std::string textOfProto(StringRef Bytes) {
  if (!isMessage(Bytes))
    return "";
  constexpr uint32_t ModuleField = 1; // HloProto.hlo_module
  llvm::Expected<HloProto> P = readHloProto(bytesField(Bytes, ModuleField), "");
  if (!P) {
    llvm::consumeError(P.takeError());
    return "";
  }
  TextSink Sink;
  Sink.Limit = 64 * Bytes.size() + 4096;
  printModule(P->Module, Sink);
  return Sink.stopped() ? "" : std::move(Sink.Out);
}

llvm::Expected<EditModule> hlobuf::readModuleFile(const std::string &Path) {
  Sources Texts;
  llvm::Expected<StringRef> Read = Texts.open(Path, [](StringRef Start) {
    return Start.ltrim().starts_with("HloModule ") || mayHoldProto(Start);
  });
  if (!Read)
    return makeError("{}: {}", Path, llvm::toString(Read.takeError()));
  StringRef Text = *Read;
  std::string Printed;
  if (!Text.ltrim().starts_with("HloModule ")) {
    Printed = textOfProto(Text);
    if (Printed.empty())
      return makeError("{}: it is neither the text of an HLO module, as in "
                       "*.before_optimizations.txt, nor an HloProto",
                       Path);
    Text = Printed;
  }
  llvm::Expected<EditModule> M = EditModule::read(Text);
  if (!M)
    return makeError("{}: {}", Path, llvm::toString(M.takeError()));
  for (const EditAttribute &A : M->Header)
    if (A.Key == "is_scheduled" && A.Value == "true")
      return makeError("{}: it is scheduled; a compiler takes the module as "
                       "it was before: *.before_optimizations.txt",
                       Path);
  return M;
}
