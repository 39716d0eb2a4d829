// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A finding keeps its fingerprint while its module is renumbered, moved, or
// compiled again with other instructions before it. What goes into it is the
// check, the module's name, and the message with all numbers taken out that a
// recompilation changes.

#include "Results/Result.h"
#include "Support/Format.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

using namespace hlobuf;

/// True if the `[` at \p Bracket opens the dimensions of a shape: it follows a
/// name.
static bool opensShape(StringRef Text, size_t Bracket) {
  return Bracket != 0 && llvm::isAlnum(Text[Bracket - 1]);
}

std::string hlobuf::withoutNumbers(StringRef Message) {
  std::string Result;
  bool InShape = false;
  for (size_t I = 0; I != Message.size(); ++I) {
    char C = Message[I];
    InShape = C == '[' ? opensShape(Message, I) : InShape && C != ']';
    size_t Digits = I + (C == '.');
    size_t End = Message.find_if_not(llvm::isDigit, Digits);
    End = std::min(End, Message.size());
    bool PartOfName = C != '.' && I != 0 &&
                      (llvm::isAlpha(Message[I - 1]) || Message[I - 1] == '_');
    if (End == Digits || InShape) {
      Result += C;
      continue;
    }
    // `f32` and `layer_1` keep their digits, `fusion.12` is `fusion`.
    if (PartOfName)
      Result += Message.slice(I, End);
    else if (C != '.')
      Result += '#';
    I = End - 1;
  }
  return Result;
}

StringRef hlobuf::moduleNameOf(StringRef Path) {
  StringRef Name = llvm::sys::path::filename(Path);
  if (!Name.consume_front("module_"))
    return "";
  Name = Name.drop_while(llvm::isDigit);
  size_t End = Name.find("after_optimizations");
  if (!Name.consume_front(".") || End == StringRef::npos)
    return "";
  Name = Name.take_front(End - 1);
  // What compilers append to the name (xla/service/dump.cc and its callers).
  for (StringRef Tail : {".cl_", ".sm_", ".gfx", ".cpu_", ".gpu_"})
    if (size_t Begin = Name.rfind(Tail); Begin != StringRef::npos)
      return Name.take_front(Begin);
  return Name.rtrim('.');
}

StringRef hlobuf::moduleNameOf(const Dump &D, StringRef Path) {
  return D.Module.Name.empty() ? moduleNameOf(Path) : D.Module.Name;
}

std::string hlobuf::fingerprint(StringRef Check, StringRef Module,
                                StringRef Message, unsigned Before) {
  std::string Key = fmt::format("{}\n{}\n{}", Check, withoutNumbers(Module),
                                withoutNumbers(Message));
  if (Before != 0)
    Key += fmt::format("\n{}", Before);
  return fmt::format("{:016x}", llvm::xxHash64(Key));
}

void hlobuf::setFingerprints(DumpResult &R) {
  StringMap<unsigned> Counts;
  for (ResultFinding &F : R.Findings) {
    std::string First = fingerprint(F.Check, R.Module, F.Message, 0);
    unsigned Before = Counts[First]++;
    F.Fingerprint = Before == 0
                        ? std::move(First)
                        : fingerprint(F.Check, R.Module, F.Message, Before);
  }
}
