//===- HLO/ThunkKind.cpp --------------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HLO/ThunkKind.h"

using namespace hlobuf;
using llvm::StringRef;

static constexpr StringRef KindTexts[] = {
    "unknown",
#define HLOBUF_THUNK_KIND(Enumerator, Text, Met) Text,
#include "HLO/ThunkKinds.def"
};

StringRef hlobuf::thunkKindText(ThunkKind Kind) {
  return KindTexts[static_cast<size_t>(Kind)];
}

ThunkKind hlobuf::parseThunkKind(StringRef Text) {
  for (size_t I = 1; I != std::size(KindTexts); ++I)
    if (KindTexts[I] == Text)
      return static_cast<ThunkKind>(I);
  return ThunkKind::Unknown;
}

bool hlobuf::isThunkKindMet(ThunkKind Kind, bool ForGpu) {
  enum Backends : uint8_t { None, Cpu, Gpu, Both };
  static constexpr Backends Met[] = {
      None,
#define HLOBUF_THUNK_KIND(Enumerator, Text, Met) Met,
#include "HLO/ThunkKinds.def"
  };
  return (Met[static_cast<size_t>(Kind)] & (ForGpu ? Gpu : Cpu)) != 0;
}

StringRef hlobuf::thunkAccessText(ThunkAccess Access) {
  static constexpr StringRef Texts[] = {"read", "invariant", "write", "update"};
  return Texts[static_cast<size_t>(Access)];
}

StringRef hlobuf::thunkRoleText(ThunkRole Role) {
  static constexpr StringRef Texts[] = {"thunks", "condition", "body", "branch",
                                        "embedded"};
  return Texts[static_cast<size_t>(Role)];
}
