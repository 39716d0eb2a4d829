// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Proto/Wire.h"
#include "llvm/Support/Endian.h"

using namespace hlobuf;

std::optional<uint64_t> hlobuf::takeAnyVarint(StringRef &Bytes) {
  uint64_t Value = 0;
  for (size_t I = 0; I != Bytes.size() && I != 10; ++I) {
    auto Byte = static_cast<uint8_t>(Bytes[I]);
    Value |= uint64_t(Byte & 127) << (7 * I);
    if (Byte < 128) {
      Bytes = Bytes.drop_front(I + 1);
      return Value;
    }
  }
  return std::nullopt;
}

bool WireReader::next(WireField &Field) {
  if (Failed || Rest.empty())
    return false;
  Failed = true; // until the field was read to its end
  std::optional<uint64_t> Key = takeVarint(Rest);
  if (!Key || *Key >> 3 == 0 || *Key >> 32 != 0)
    return false;
  Field.Number = static_cast<uint32_t>(*Key >> 3);
  Field.Value = 0;
  Field.Bytes = StringRef();
  Field.Type = static_cast<WireType>(*Key & 7);
  auto Take = [&](uint64_t Size) {
    if (Size > Rest.size())
      return false;
    Field.Bytes = Rest.take_front(Size);
    Rest = Rest.drop_front(Size);
    return true;
  };
  std::optional<uint64_t> Number;
  switch (Field.Type) {
  case WireType::Varint:
  case WireType::Bytes:
    Number = takeVarint(Rest);
    if (!Number || (Field.Type == WireType::Bytes && !Take(*Number)))
      return false;
    if (Field.Type == WireType::Varint)
      Field.Value = *Number;
    break;
  case WireType::Fixed64:
    if (!Take(8))
      return false;
    Field.Value = llvm::support::endian::read64le(Field.Bytes.data());
    break;
  case WireType::Fixed32:
    if (!Take(4))
      return false;
    Field.Value = llvm::support::endian::read32le(Field.Bytes.data());
    break;
  default: // groups were given up before XLA began
    return false;
  }
  Failed = false;
  return true;
}

bool hlobuf::isMessage(StringRef Bytes) {
  return forEachField(Bytes, [](const WireField &) {});
}

bool hlobuf::forEachMessage(StringRef Message, uint32_t Number,
                            function_ref<void(StringRef)> Visit) {
  return forEachField(Message, [&](const WireField &F) {
    if (F.Number == Number && F.isMessage())
      Visit(F.Bytes);
  });
}

StringRef hlobuf::bytesField(StringRef Message, uint32_t Number) {
  WireReader In(Message);
  for (WireField Field; In.next(Field);)
    if (Field.Number == Number && Field.isMessage())
      return Field.Bytes;
  return StringRef();
}

std::optional<int64_t> hlobuf::numberField(StringRef Message, uint32_t Number) {
  std::optional<int64_t> Last;
  WireReader In(Message);
  for (WireField Field; In.next(Field);)
    if (Field.Number == Number && !Field.isMessage())
      Last = Field.number();
  return Last;
}

int64_t hlobuf::numberAt(StringRef Message, uint32_t Number) {
  return numberField(Message, Number).value_or(0);
}

bool hlobuf::addNumbers(const WireField &Field, SmallVectorImpl<int64_t> &To) {
  if (!Field.isMessage()) {
    To.push_back(Field.number());
    return true;
  }
  for (StringRef Rest = Field.Bytes; !Rest.empty();) {
    std::optional<uint64_t> Number = takeVarint(Rest);
    if (!Number)
      return false;
    To.push_back(static_cast<int64_t>(*Number));
  }
  return true;
}

SmallVector<int64_t, 4> hlobuf::numbersField(StringRef Message,
                                             uint32_t Number) {
  SmallVector<int64_t, 4> All;
  WireReader In(Message);
  for (WireField Field; In.next(Field);)
    if (Field.Number == Number && !addNumbers(Field, All))
      break;
  return All;
}
