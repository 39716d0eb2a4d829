// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HLO/ThunkKind.h"
#include "llvm/ADT/STLExtras.h"

using namespace hlobuf;

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
  static constexpr Backends Backing[] = {
      None,
#define HLOBUF_THUNK_KIND(Enumerator, Text, Met) Met,
#include "HLO/ThunkKinds.def"
  };
  return (Backing[static_cast<size_t>(Kind)] & (ForGpu ? Gpu : Cpu)) != 0;
}

static constexpr ThunkPair Pairs[] = {
#define HLOBUF_THUNK_PAIR(Start, Done, OnHost)                                 \
  {ThunkKind::Start, ThunkKind::Done, OnHost},
#include "HLO/ThunkKinds.def"
};

const ThunkPair *hlobuf::pairStartedBy(ThunkKind Kind) {
  const auto *Match = llvm::find_if(
      Pairs, [&](const ThunkPair &Pair) { return Pair.Start == Kind; });
  return Match != std::end(Pairs) ? Match : nullptr;
}

const ThunkPair *hlobuf::pairEndedBy(ThunkKind Kind) {
  const auto *Match = llvm::find_if(
      Pairs, [&](const ThunkPair &Pair) { return Pair.Done == Kind; });
  return Match != std::end(Pairs) ? Match : nullptr;
}

bool hlobuf::isThunkFrame(ThunkKind Kind) {
  switch (Kind) {
  case ThunkKind::Call:
  case ThunkKind::Sequential:
  case ThunkKind::CollectiveGroup:
  case ThunkKind::AsyncStart:
    return true;
  default:
    return pairEndedBy(Kind) != nullptr;
  }
}

bool hlobuf::isThunkAttribute(StringRef Key) {
  static constexpr StringRef Keys[] = {
#define row(Key, Default, Rule) Key
#define derived(Key, Default, Rule) Key
#define HLOBUF_CPU_ATTRIBUTES(Kind, ...) __VA_ARGS__,
#define HLOBUF_GPU_ATTRIBUTES(Kind, ...) __VA_ARGS__,
#include "HLO/StatedAttributes.def"
#undef derived
#undef row
  };
  return llvm::is_contained(Keys, Key);
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
