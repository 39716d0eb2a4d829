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
#include "llvm/Support/Allocator.h"
#include <vector>

namespace hlobuf {

/// Gives each distinct name a dense id. The table keeps copies of the names: to
/// compare with a text would bring back pages of it that were released.
class NameTable {
public:
  /// The id of \p Name, new if it was not seen before.
  NameId intern(llvm::StringRef Name);

  /// The id of \p Name, invalid if it was never interned.
  NameId find(llvm::StringRef Name) const;

  /// The name; it stays where it is as long as the table lives.
  llvm::StringRef operator[](NameId Id) const;

  /// Interns all names of \p From, in their order, and empties it; the result
  /// gives the id here for each id there.
  std::vector<NameId> absorb(NameTable &From);

  /// Number of distinct names; ids are below.
  size_t size() const { return Entries.size(); }

private:
  struct Slot {
    uint32_t Hash = 0;
    /// Entry number plus one, 0 is free.
    uint32_t Number = 0;
  };

  void grow();

  /// The size of each name, 32 bits, and its bytes.
  llvm::BumpPtrAllocator Texts;
  std::vector<const char *> Entries;
  /// Open addressing, power of two.
  std::vector<Slot> Slots;
};

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_NAMETABLE_H
