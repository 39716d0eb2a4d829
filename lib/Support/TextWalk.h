// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much text a check has seen.

#ifndef HLOBUF_SUPPORT_TEXTWALK_H
#define HLOBUF_SUPPORT_TEXTWALK_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <array>
#include <cstddef>
#include <cstdint>

namespace hlobuf {

/// While it lives, the texts that this thread asks the model for are counted,
/// and what was walked over is released again and again: a check that looks at
/// every instruction does not keep a whole file in memory.
class TextWalk {
public:
  /// \p Release, if it is given, is called for each ChunkBytes of text. It must
  /// live as long as this.
  explicit TextWalk(llvm::function_ref<void()> Release) : Release(Release) {
    Current = this;
  }
  template <typename Fn> explicit TextWalk(const Fn &&Temporary) = delete;
  ~TextWalk() { Current = nullptr; }
  TextWalk(const TextWalk &) = delete;
  TextWalk &operator=(const TextWalk &) = delete;

  /// Counts \p Text.
  static void count(llvm::StringRef Text) {
    if (TextWalk *Walk = Current)
      Walk->add(Text);
  }

private:
  /// Of files that stay in memory, at most, for each thread. Smaller chunks are
  /// read again more often: 1 MiB takes 4 % more time than 4 MiB.
  static constexpr size_t ChunkBytes = size_t(9) << 17;
  /// Touching one byte of a mapped file brings in as many around it.
  static constexpr size_t BlockBytes = size_t(1) << 16;

  void add(llvm::StringRef Text) {
    size_t Block = reinterpret_cast<uintptr_t>(Text.data()) / BlockBytes;
    uintptr_t &Recent = Blocks[Block % Blocks.size()];
    if (Recent == Block && Text.size() < BlockBytes)
      return;
    Recent = Block;
    Bytes += BlockBytes + Text.size() / BlockBytes * BlockBytes;
    if (Bytes < ChunkBytes)
      return;
    Bytes = 0;
    Blocks = {};
    if (Release)
      Release();
  }

  static constinit inline thread_local TextWalk *Current = nullptr;
  llvm::function_ref<void()> Release;
  /// Blocks seen since the last release, by the end of their number.
  std::array<uintptr_t, 64> Blocks = {};
  size_t Bytes = 0;
};

/// \p Text, counted.
inline llvm::StringRef walked(llvm::StringRef Text) {
  TextWalk::count(Text);
  return Text;
}

/// Calls \p Visit for parts of \p Text, in order, which end between lines: a
/// search for what is in a line does not keep the whole text in memory.
template <typename VisitFn>
void forEachPart(llvm::StringRef Text, VisitFn Visit) {
  constexpr size_t PartBytes = size_t(1) << 20;
  while (!Text.empty()) {
    llvm::StringRef Part = Text.take_front(Text.find('\n', PartBytes));
    Visit(walked(Part));
    Text = Text.drop_front(Part.size());
  }
}

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_TEXTWALK_H
