// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Support/NameTable.h"
#include "Support/TextHash.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include <array>

using namespace hlobuf;
using llvm::StringRef;

static constexpr size_t MaxTail = sizeof(uint32_t);

/// The last \p Size bytes of \p Text, at most MaxTail, the first one lowest.
static uint32_t lastBytes(StringRef Text, size_t Size) {
  if (Text.size() >= MaxTail)
    return static_cast<uint32_t>(
        uint64_t(llvm::support::endian::read32le(Text.end() - MaxTail)) >>
        (MaxTail - Size) * 8);
  uint32_t Bytes = 0;
  for (char C : llvm::reverse(Text.take_back(Size)))
    Bytes = Bytes << 8 | static_cast<unsigned char>(C);
  return Bytes;
}

NameText::NameText(StringRef Name) {
  size_t Digits = 0;
  while (Digits != std::min(Name.size(), MaxTail) &&
         llvm::isDigit(Name[Name.size() - Digits - 1]))
    ++Digits;
  Stem = Name.drop_back(Digits);
  Tail = lastBytes(Name, Digits);
}

StringRef NameText::spell(llvm::SmallVectorImpl<char> &Room) const {
  if (Tail == 0)
    return Stem;
  Room.assign(Stem.begin(), Stem.end());
  for (uint32_t Left = Tail; Left != 0; Left >>= 8)
    Room.push_back(static_cast<char>(Left & 0xff));
  return StringRef(Room.data(), Room.size());
}

std::string NameText::str() const {
  llvm::SmallString<64> Room;
  return spell(Room).str();
}

bool NameText::operator==(StringRef Name) const {
  return Name.size() == size() && Name.starts_with(Stem) &&
         lastBytes(Name, Name.size() - Stem.size()) == Tail;
}

bool NameText::operator<(const NameText &Other) const {
  size_t Common = std::min(Stem.size(), Other.Stem.size());
  if (int Order =
          Stem.take_front(Common).compare(Other.Stem.take_front(Common)))
    return Order < 0;
  if (Stem.size() == Other.Stem.size())
    return llvm::byteswap(Tail) < llvm::byteswap(Other.Tail);
  llvm::SmallString<64> Room, OtherRoom;
  return spell(Room) < Other.spell(OtherRoom);
}

auto NameTable::isSame(StringRef Name) const {
  return [this, Name](uint32_t Id) { return (*this)[NameId(Id)] == Name; };
}

NameId NameTable::intern(StringRef Name) {
  return intern(Name, hashText(Name));
}

NameId NameTable::intern(StringRef Name, uint32_t Hash) {
  assert(!Remade && "the table is finished");
  Slots.reserveOneMore(Keys.size());
  HashSlots::Slot &Found = Slots.find(Hash, isSame(Name));
  if (Found.Place == 0) {
    append(Name);
    Found = {Hash, static_cast<uint32_t>(Keys.size())};
  }
  return NameId(Found.Place - 1);
}

void NameTable::internAll(
    size_t Count,
    llvm::function_ref<StringRef(size_t, llvm::SmallVectorImpl<char> &)> NameOf,
    llvm::function_ref<void(size_t, NameId)> Take) {
  constexpr size_t AtOnce = 16;
  std::array<llvm::SmallString<64>, AtOnce> Rooms;
  std::array<StringRef, AtOnce> Names;
  std::array<uint32_t, AtOnce> Hashes;
  for (size_t Begin = 0; Begin < Count; Begin += AtOnce) {
    size_t Size = std::min(AtOnce, Count - Begin);
    Slots.reserveOneMore(Keys.size());
    for (size_t K = 0; K != Size; ++K) {
      Names[K] = NameOf(Begin + K, Rooms[K]);
      Hashes[K] = hashText(Names[K]);
      Slots.prefetch(Hashes[K]);
    }
    for (size_t K = 0; K != Size; ++K)
      if (uint32_t Place = Slots.likelyPlace(Hashes[K]))
        __builtin_prefetch(&Keys[Place - 1]);
    for (size_t K = 0; K != Size; ++K)
      Take(Begin + K, intern(Names[K], Hashes[K]));
  }
}

NameId NameTable::find(StringRef Name) const {
  return find(Name, hashText(Name));
}

NameId NameTable::find(StringRef Name, uint32_t Hash) const {
  if (Keys.empty())
    return NameId();
  const HashSlots &All =
      Remade ? Remade->get([this] { return makeSlots(); }) : Slots;
  const HashSlots::Slot &Found = All.find(Hash, isSame(Name));
  return Found.Place == 0 ? NameId() : NameId(Found.Place - 1);
}

void NameTable::finish() {
  Slots = {};
  Remade = std::make_unique<Lazy<HashSlots>>();
}

HashSlots NameTable::makeSlots() const {
  HashSlots All;
  llvm::SmallString<64> Room;
  for (size_t I = 0; I != Keys.size(); ++I) {
    All.reserveOneMore(I);
    uint32_t Hash = hashText((*this)[NameId(I)].spell(Room));
    All.find(Hash, [](uint32_t) { return false; }) = {
        Hash, static_cast<uint32_t>(I + 1)};
  }
  return All;
}

void NameTable::append(StringRef Name) {
  NameText Parts(Name);
  TextId Stem = Stems.intern(Parts.stem());
  if (Stem.index() == StemTexts.size())
    StemTexts.push_back(Stems[Stem]);
  Keys.push_back({Stem, Parts.tail()});
}
