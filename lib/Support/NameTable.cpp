//===- Support/NameTable.cpp ----------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/NameTable.h"
#include <cstring>

using namespace hlobuf;
using llvm::StringRef;

static uint64_t load(const char *From, size_t Size) {
  uint64_t Bytes = 0;
  std::memcpy(&Bytes, From, Size);
  return Bytes;
}

/// The two halves of the product, folded.
static uint64_t mix(uint64_t A, uint64_t B) {
  __extension__ using Wide = unsigned __int128;
  Wide Product = static_cast<Wide>(A) * B;
  return static_cast<uint64_t>(Product) ^ static_cast<uint64_t>(Product >> 64);
}

/// Names are short and most of what is read; llvm::hash_value costs twice as
/// much.
static uint32_t hashName(StringRef Name) {
  constexpr uint64_t Odd = 0x9e3779b97f4a7c15;
  uint64_t Hash = Odd ^ Name.size();
  const char *At = Name.data();
  size_t Left = Name.size();
  for (; Left > 8; At += 8, Left -= 8)
    Hash = mix(Hash ^ load(At, 8), Odd);
  Hash = mix(Hash ^ load(At, Left), 0xd6e8feb86659fd93);
  return static_cast<uint32_t>(Hash ^ Hash >> 32);
}

static StringRef nameAt(const char *Entry) {
  uint32_t Size = 0;
  std::memcpy(&Size, Entry, sizeof(Size));
  return StringRef(Entry + sizeof(Size), Size);
}

StringRef NameTable::operator[](NameId Id) const {
  return nameAt(Entries[Id.index()]);
}

NameId NameTable::intern(StringRef Name) {
  if ((Entries.size() + 1) * 4 > Slots.size() * 3)
    grow();
  uint32_t Hash = hashName(Name);
  size_t Mask = Slots.size() - 1;
  size_t At = Hash & Mask;
  for (; Slots[At].Number != 0; At = (At + 1) & Mask)
    if (Slots[At].Hash == Hash && nameAt(Entries[Slots[At].Number - 1]) == Name)
      return NameId(Slots[At].Number - 1);
  auto Size = static_cast<uint32_t>(Name.size());
  auto *Copy = static_cast<char *>(
      Texts.Allocate(sizeof(Size) + Name.size(), alignof(uint32_t)));
  std::memcpy(Copy, &Size, sizeof(Size));
  if (!Name.empty())
    std::memcpy(Copy + sizeof(Size), Name.data(), Name.size());
  Entries.push_back(Copy);
  Slots[At] = {Hash, static_cast<uint32_t>(Entries.size())};
  return NameId(Entries.size() - 1);
}

NameId NameTable::find(StringRef Name) const {
  if (Slots.empty())
    return NameId();
  uint32_t Hash = hashName(Name);
  size_t Mask = Slots.size() - 1;
  for (size_t At = Hash & Mask; Slots[At].Number != 0; At = (At + 1) & Mask)
    if (Slots[At].Hash == Hash && nameAt(Entries[Slots[At].Number - 1]) == Name)
      return NameId(Slots[At].Number - 1);
  return NameId();
}

std::vector<NameId> NameTable::absorb(NameTable &From) {
  From.Slots = {};
  std::vector<NameId> Here;
  Here.reserve(From.size());
  for (const char *Entry : From.Entries)
    Here.push_back(intern(nameAt(Entry)));
  From.Entries = {};
  From.Texts.Reset();
  return Here;
}

void NameTable::grow() {
  std::vector<Slot> Old = std::move(Slots);
  Slots.assign(Old.empty() ? 64 : Old.size() * 2, Slot());
  size_t Mask = Slots.size() - 1;
  for (const Slot &S : Old) {
    if (S.Number == 0)
      continue;
    size_t At = S.Hash & Mask;
    while (Slots[At].Number != 0)
      At = (At + 1) & Mask;
    Slots[At] = S;
  }
}
