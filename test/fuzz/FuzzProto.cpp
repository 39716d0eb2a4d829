// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes as a proto.
//
// For libFuzzer: see utils/fuzz. Half of the changes are to one field of a
// message, with the sizes around it made right again: bytes alone hardly ever
// reach what comes after them.

#include "Driver/Verify.h"
#include "Input/ProtoInputs.h"
#include "Proto/Wire.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <random>

using namespace hlobuf;
using llvm::StringRef;

extern "C" const char *__asan_default_options() {
  return "allow_user_poisoning=0:detect_leaks=0";
}

static void require(bool Holds, StringRef What) {
  if (Holds)
    return;
  llvm::errs() << "fuzz: " << What << '\n';
  std::abort();
}

static void verifyPlace(const ProtoPlace &Place, StringRef Bytes) {
  static const CheckSelection Selection =
      llvm::cantFail(CheckSelection::create({"*", "", ""}));
  LoadedDump L;
  std::array<DumpFile, NumFileRoles> Files;
  if (llvm::Error Failed = printProto(Place, Bytes, L.Texts, Files)) {
    require(!llvm::toString(std::move(Failed)).empty(),
            "what cannot be read has a reason");
    return;
  }
  L.Model = readDump(Files, L.Syntax);
  CheckContext Context(*L.Model);
  verify({}, L, Context, Selection);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  StringRef Bytes(reinterpret_cast<const char *>(Data), Size);
  ProtoFile File = findProtoPlaces("fuzz.hlo.pb", Bytes);
  require(!File.Places.empty() || !whyNoProto("fuzz.hlo.pb", File).empty(),
          "a file without a proto has a reason");
  for (const ProtoPlace &Place : File.Places)
    verifyPlace(Place, Bytes);
  return 0;
}

static void putVarint(uint64_t Value, std::string &Out) {
  for (; Value > 127; Value >>= 7)
    Out += static_cast<char>((Value & 127) | 128);
  Out += static_cast<char>(Value);
}

static void putField(const WireField &F, std::string &Out) {
  putVarint(uint64_t(F.Number) << 3 | static_cast<uint64_t>(F.Type), Out);
  if (F.Type == WireType::Varint)
    return putVarint(F.Value, Out);
  if (F.Type == WireType::Bytes)
    putVarint(F.Bytes.size(), Out);
  Out += F.Bytes;
}

static uint64_t otherNumber(uint64_t Old, std::minstd_rand &Random) {
  switch (Random() % 6) {
  case 0:
    return Old + 1;
  case 1:
    return Old - 1;
  case 2:
    return 0;
  case 3:
    return Old ^ (uint64_t(1) << Random() % 64);
  case 4:
    return Random() % 64;
  default:
    return ~uint64_t(0) >> Random() % 64;
  }
}

/// \p Message with one field changed, somewhere inside.
static std::string changeField(StringRef Message, std::minstd_rand &Random,
                               unsigned Depth) {
  std::vector<WireField> Fields;
  forEachField(Message, [&](const WireField &F) { Fields.push_back(F); });
  std::string Out;
  if (Fields.empty())
    return Out;
  size_t At = Random() % Fields.size();
  std::string Inner;
  WireField &Changed = Fields[At];
  bool Enter = Changed.isMessage() && isMessage(Changed.Bytes) && Depth < 8;
  switch (Random() % 8) {
  case 0:
    Fields.erase(Fields.begin() + static_cast<ptrdiff_t>(At));
    break;
  case 1:
    Fields.push_back(WireField(Changed));
    break;
  case 2:
    std::swap(Changed, Fields[Random() % Fields.size()]);
    break;
  default:
    if (Enter) {
      Inner = changeField(Changed.Bytes, Random, Depth + 1);
      Changed.Bytes = Inner;
    } else if (Changed.Type == WireType::Varint) {
      Changed.Value = otherNumber(Changed.Value, Random);
    } else {
      Changed.Bytes = Changed.Bytes.drop_back(!Changed.Bytes.empty());
    }
  }
  for (const WireField &F : Fields)
    if (F.Type == WireType::Bytes || F.Type == WireType::Varint)
      putField(F, Out);
  return Out;
}

extern "C" size_t LLVMFuzzerMutate(uint8_t *Data, size_t Size, size_t MaxSize);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *Data, size_t Size,
                                          size_t MaxSize, unsigned Seed) {
  std::minstd_rand Random(Seed);
  StringRef Bytes(reinterpret_cast<const char *>(Data), Size);
  if (Random() % 2 == 0 || !isMessage(Bytes))
    return LLVMFuzzerMutate(Data, Size, MaxSize);
  std::string Changed = changeField(Bytes, Random, 0);
  size_t Taken = std::min(Changed.size(), MaxSize);
  std::copy_n(Changed.begin(), Taken, Data);
  return Taken;
}
