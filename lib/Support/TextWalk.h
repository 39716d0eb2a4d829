//===- Support/TextWalk.h - How much text a check has seen ------*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_SUPPORT_TEXTWALK_H
#define HLOBUF_SUPPORT_TEXTWALK_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstddef>

namespace hlobuf {

/// While it lives, the texts that this thread asks the model for are counted,
/// and what was walked over is released again and again: a check that looks at
/// every instruction does not keep a whole file in memory.
class TextWalk {
public:
  /// \p Release is called for each ChunkBytes of text.
  explicit TextWalk(llvm::function_ref<void()> Release) : Release(Release) {
    Current = this;
  }
  ~TextWalk() { Current = nullptr; }
  TextWalk(const TextWalk &) = delete;
  TextWalk &operator=(const TextWalk &) = delete;

  /// Counts a text of \p Size bytes.
  static void count(size_t Size) {
    if (TextWalk *Walk = Current)
      Walk->add(Size);
  }

private:
  static constexpr size_t ChunkBytes = size_t(1) << 21;

  void add(size_t Size) {
    Bytes += Size;
    if (Bytes < ChunkBytes)
      return;
    Bytes = 0;
    Release();
  }

  static constinit inline thread_local TextWalk *Current = nullptr;
  llvm::function_ref<void()> Release;
  size_t Bytes = 0;
};

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_TEXTWALK_H
