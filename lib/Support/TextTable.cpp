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

auto TextTable::isSame(StringRef Text) const {
  return [this, Text](uint32_t Place) { return textAt(entry(Place)) == Text; };
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

TextId TextTable::intern(StringRef Text) {
  return intern(Text, hashText(Text));
}

TextId TextTable::intern(StringRef Text, uint32_t Hash) {
  Slots.reserveOneMore(Places.size());
  HashSlots::Slot &Found = Slots.find(Hash, isSame(Text));
  if (Found.Place == 0)
    Found = {Hash, append(Text) + 1};
  return TextId(headOf(entry(Found.Place - 1)).Id);
}

TextId TextTable::find(StringRef Text) const {
  if (Slots.size() == 0)
    return TextId();
  const HashSlots::Slot &Found = Slots.find(hashText(Text), isSame(Text));
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
  Slots.clear();
  Places.clear();
  Blocks.resize(std::min<size_t>(Blocks.size(), 1));
  End = 0;
}
