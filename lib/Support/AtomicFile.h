//===- Support/AtomicFile.h - A file written as a whole ---------*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_SUPPORT_ATOMICFILE_H
#define HLOBUF_SUPPORT_ATOMICFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>
#include <string>

namespace hlobuf {

/// Takes the place of a file when everything is written, and not before. What
/// is not a regular file (a pipe, a terminal) is written directly.
class AtomicFile {
public:
  static llvm::Expected<std::unique_ptr<AtomicFile>>
  create(llvm::StringRef Path);
  /// Discards what was not committed.
  ~AtomicFile();

  llvm::raw_ostream &os() { return *OS; }
  llvm::Error commit();

private:
  std::string Path;
  /// Empty where Path is written directly. A signal removes it.
  std::string Temporary;
  std::unique_ptr<llvm::raw_fd_ostream> OS;
};

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_ATOMICFILE_H
