//===- Support/NameTable.h - Interned names ---------------------*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_SUPPORT_NAMETABLE_H
#define HLOBUF_SUPPORT_NAMETABLE_H

#include "Support/Ids.h"
#include "llvm/ADT/StringRef.h"
#include <vector>

namespace hlobuf {

/// Gives each distinct name a dense id. The names stay where they are: the
/// texts they point into must outlive the table.
class NameTable {
public:
  /// The id of \p Name, new if it was not seen before.
  NameId intern(llvm::StringRef Name);

  /// The id of \p Name, invalid if it was never interned.
  NameId find(llvm::StringRef Name) const;

  llvm::StringRef operator[](NameId Id) const {
    return llvm::StringRef(Entries[Id.index()].Data, Entries[Id.index()].Size);
  }

  /// Number of distinct names; ids are below.
  size_t size() const { return Entries.size(); }

private:
  struct Entry {
    const char *Data;
    uint32_t Size;
    uint32_t Hash;
  };

  void grow();

  std::vector<Entry> Entries;
  /// Open addressing, power of two; entry number plus one, 0 is free.
  std::vector<uint32_t> Slots;
};

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_NAMETABLE_H
