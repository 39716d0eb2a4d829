// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Support/TextTable.h"
#include "Support/TextHash.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace hlobuf;
using llvm::StringRef;

namespace {
constexpr uint32_t UnitBytes = 4;
constexpr unsigned StretchBits = 16;
/// 256 KiB.
constexpr uint32_t UnitsOfStretch = 1u << StretchBits;

struct EntryHead {
  uint32_t Id;
  uint32_t Size;
};
} // namespace

static EntryHead headOf(const char *Entry) {
  EntryHead Head;
  std::memcpy(&Head, Entry, sizeof(Head));
  return Head;
}

static StringRef textAt(const char *Entry) {
  return StringRef(Entry + sizeof(EntryHead), headOf(Entry).Size);
}

const char *TextTable::entry(uint32_t Place) const {
  return Stretches[Place >> StretchBits] +
         size_t(Place & (UnitsOfStretch - 1)) * UnitBytes;
}

StringRef TextTable::operator[](TextId Id) const {
  return textAt(entry(Places[Id.index()]));
}

uint32_t TextTable::append(StringRef Text) {
  size_t Units = llvm::divideCeil(sizeof(EntryHead) + Text.size(), UnitBytes);
  if (End + Units > Stretches.size() * UnitsOfStretch) {
    End = static_cast<uint32_t>(Stretches.size() * UnitsOfStretch);
    size_t Count = llvm::divideCeil(Units, UnitsOfStretch);
    constexpr size_t Bytes = size_t(UnitsOfStretch) * UnitBytes;
    // Not initialized: pages that are never written cost nothing.
    Blocks.emplace_back(new char[Count * Bytes]);
    for (size_t I = 0; I != Count; ++I)
      Stretches.push_back(Blocks.back().get() + I * Bytes);
  }
  uint32_t Place = End;
  char *To = Stretches[Place >> StretchBits] +
             size_t(Place & (UnitsOfStretch - 1)) * UnitBytes;
  EntryHead Head = {static_cast<uint32_t>(Places.size()),
                    static_cast<uint32_t>(Text.size())};
  std::memcpy(To, &Head, sizeof(Head));
  if (!Text.empty())
    std::memcpy(To + sizeof(Head), Text.data(), Text.size());
  End += static_cast<uint32_t>(Units);
  Places.push_back(Place);
  return Place;
}

size_t TextTable::slotOf(StringRef Text, uint32_t Hash) const {
  size_t Mask = Slots.size() - 1;
  size_t At = Hash & Mask;
  while (Slots[At].Place != 0 &&
         (Slots[At].Hash != Hash || textAt(entry(Slots[At].Place - 1)) != Text))
    At = (At + 1) & Mask;
  return At;
}

TextId TextTable::intern(StringRef Text) {
  return intern(Text, hashText(Text));
}

TextId TextTable::intern(StringRef Text, uint32_t Hash) {
  if ((Places.size() + 1) * 4 > Slots.size() * 3)
    grow();
  Slot &Found = Slots[slotOf(Text, Hash)];
  if (Found.Place == 0)
    Found = {Hash, append(Text) + 1};
  return TextId(headOf(entry(Found.Place - 1)).Id);
}

TextId TextTable::find(StringRef Text) const {
  if (Slots.empty())
    return TextId();
  const Slot &Found = Slots[slotOf(Text, hashText(Text))];
  return Found.Place == 0 ? TextId()
                          : TextId(headOf(entry(Found.Place - 1)).Id);
}

void TextTable::clear() {
  // After a large text, emptying what it needed would cost each small one.
  constexpr size_t FewSlots = 256;
  if (Slots.size() > FewSlots) {
    *this = TextTable();
    return;
  }
  if (Slots.empty())
    return;
  std::memset(static_cast<void *>(Slots.data()), 0,
              Slots.size() * sizeof(Slot));
  Places.clear();
  Blocks.resize(std::min<size_t>(Blocks.size(), 1));
  End = 0;
}

void TextTable::grow() {
  std::vector<Slot> Old = std::move(Slots);
  Slots.assign(Old.empty() ? 64 : Old.size() * 2, Slot());
  size_t Mask = Slots.size() - 1;
  for (const Slot &S : Old) {
    if (S.Place == 0)
      continue;
    size_t At = S.Hash & Mask;
    while (Slots[At].Place != 0)
      At = (At + 1) & Mask;
    Slots[At] = S;
  }
}
