//===- Support/NameTable.cpp ----------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/NameTable.h"
#include "llvm/ADT/Hashing.h"
#include <cstring>

using namespace hlobuf;
using llvm::StringRef;

static uint32_t hashName(StringRef Name) {
  return static_cast<uint32_t>(static_cast<size_t>(llvm::hash_value(Name)));
}

NameId NameTable::intern(StringRef Name) {
  if ((Entries.size() + 1) * 4 > Slots.size() * 3)
    grow();
  uint32_t Hash = hashName(Name);
  size_t Mask = Slots.size() - 1;
  for (size_t At = Hash & Mask;; At = (At + 1) & Mask) {
    uint32_t Slot = Slots[At];
    if (Slot == 0) {
      Entries.push_back(
          {Name.data(), static_cast<uint32_t>(Name.size()), Hash});
      Slots[At] = static_cast<uint32_t>(Entries.size());
      return NameId(Entries.size() - 1);
    }
    const Entry &E = Entries[Slot - 1];
    if (E.Hash == Hash && E.Size == Name.size() &&
        std::memcmp(E.Data, Name.data(), E.Size) == 0)
      return NameId(Slot - 1);
  }
}

NameId NameTable::find(StringRef Name) const {
  if (Slots.empty())
    return NameId();
  uint32_t Hash = hashName(Name);
  size_t Mask = Slots.size() - 1;
  for (size_t At = Hash & Mask; Slots[At] != 0; At = (At + 1) & Mask) {
    const Entry &E = Entries[Slots[At] - 1];
    if (E.Hash == Hash && StringRef(E.Data, E.Size) == Name)
      return NameId(Slots[At] - 1);
  }
  return NameId();
}

void NameTable::grow() {
  size_t Size = Slots.empty() ? 64 : Slots.size() * 2;
  Slots.assign(Size, 0);
  for (size_t I = 0; I != Entries.size(); ++I) {
    size_t At = Entries[I].Hash & (Size - 1);
    while (Slots[At] != 0)
      At = (At + 1) & (Size - 1);
    Slots[At] = static_cast<uint32_t>(I + 1);
  }
}
