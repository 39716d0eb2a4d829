// What a compiler's plugin may want: the values of an assignment in memory.

#include "Dump/Reader.h"
#include "Support/Sources.h"

/// The number of values in the buffer assignment \p Path, or -1.
extern "C" long countValues(const char *Path) {
  hlobuf::Sources Texts;
  llvm::Expected<llvm::StringRef> Text = Texts.open(Path);
  if (!Text) {
    llvm::consumeError(Text.takeError());
    return -1;
  }
  std::array<hlobuf::DumpFile, hlobuf::NumFileRoles> Files;
  Files[static_cast<size_t>(hlobuf::FileRole::Assignment)] = {Path, *Text};
  hlobuf::SyntaxErrors Syntax;
  auto Dump = hlobuf::readDump(Files, Syntax);
  return Syntax.empty() ? static_cast<long>(Dump->Values.size()) : -1;
}
