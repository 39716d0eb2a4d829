// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Proto/AttributeValues.h"
#include "Proto/ProtoText.h"
#include "Proto/Wire.h"
#include "Support/Format.h"
#include "llvm/ADT/STLExtras.h"

using namespace hlobuf;
using llvm::StringRef;

/// `{A,B}` of what \p Spell makes of each message in field \p Number.
static std::string listText(StringRef Message, uint32_t Number,
                            llvm::function_ref<std::string(StringRef)> Spell) {
  std::string Out = "{";
  forEachField(Message, [&](const WireField &F) {
    if (F.Number == Number && F.isMessage())
      Out += (Out.size() == 1 ? "" : ",") + Spell(F.Bytes);
  });
  return Out + '}';
}

std::string hlobuf::groupsText(StringRef Message, uint32_t Number) {
  return listText(Message, Number, [](StringRef Group) {
    return indexText(numbersField(Group, 1));
  });
}

std::string hlobuf::pairsText(StringRef Message, uint32_t Number) {
  return listText(Message, Number, [](StringRef Pair) {
    return fmt::format("{{{},{}}}", numberField(Pair, 1).value_or(0),
                       numberField(Pair, 2).value_or(0));
  });
}

std::string hlobuf::meshGroupsText(StringRef Message) {
  std::vector<std::string> Names, Axes, Along;
  bool Plain = true;
  forEachField(bytesField(Message, 1), [&](const WireField &F) {
    Plain &= F.Number == 1 && F.isMessage();
    Names.push_back(fmt::format("'{}'", plainName(bytesField(F.Bytes, 1))));
    Axes.push_back(fmt::format("{}={}", Names.back(),
                               numberField(F.Bytes, 2).value_or(0)));
  });
  forEachField(Message, [&](const WireField &F) {
    if (F.Number == 1)
      return;
    auto Axis = static_cast<uint64_t>(numberField(F.Bytes, 1).value_or(0));
    Plain &= F.Number == 2 && F.isMessage() && !bytesField(F.Bytes, 2).data() &&
             Axis < Names.size();
    Along.push_back(Axis < Names.size() ? Names[Axis] : "?");
  });
  return Plain ? fmt::format("mesh[{}] {{{}}}", fmt::join(Axes, ","),
                             fmt::join(Along, ","))
               : "mesh";
}

std::string hlobuf::iotaText(llvm::ArrayRef<int64_t> Groups,
                             llvm::ArrayRef<int64_t> Sizes,
                             llvm::ArrayRef<int64_t> Order) {
  std::string Out =
      fmt::format("[{}]<=[{}]", fmt::join(Groups, ","), fmt::join(Sizes, ","));
  if (!llvm::is_sorted(Order))
    Out += fmt::format("T({})", fmt::join(Order, ","));
  return Out;
}

/// Name number \p N of \p Names.
static StringRef nameOf(llvm::ArrayRef<StringRef> Names, int64_t N) {
  return N >= 0 && N < static_cast<int64_t>(Names.size())
             ? Names[static_cast<size_t>(N)]
             : "?";
}

StringRef hlobuf::fftTypeName(int64_t Type) {
  return nameOf({"FFT", "IFFT", "RFFT", "IRFFT"}, Type);
}

StringRef hlobuf::callVersionName(int64_t Version) {
  return nameOf({"API_VERSION_UNSPECIFIED", "API_VERSION_ORIGINAL",
                 "API_VERSION_STATUS_RETURNING",
                 "API_VERSION_STATUS_RETURNING_UNIFIED",
                 "API_VERSION_TYPED_FFI"},
                Version);
}

StringRef hlobuf::solveTransposeName(int64_t Transpose) {
  return nameOf({"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"},
                Transpose);
}
