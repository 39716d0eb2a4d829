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
  forEachMessage(Message, Number, [&](StringRef Item) {
    Out += (Out.size() == 1 ? "" : ",") + Spell(Item);
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
    return fmt::format("{{{},{}}}", numberAt(Pair, 1), numberAt(Pair, 2));
  });
}

/// For each message in field \p Number its first three numbers.
static std::vector<std::array<int64_t, 3>> triples(StringRef Message,
                                                   uint32_t Number) {
  std::vector<std::array<int64_t, 3>> All;
  forEachMessage(Message, Number, [&](StringRef Item) {
    All.push_back({numberAt(Item, 1), numberAt(Item, 2), numberAt(Item, 3)});
  });
  return All;
}

std::string hlobuf::sliceText(StringRef Message, uint32_t Number) {
  auto All = triples(Message, Number);
  bool Strided = llvm::any_of(All, [](const auto &D) { return D[2] != 1; });
  std::vector<std::string> Ranges;
  for (auto [Start, Limit, Stride] : All)
    Ranges.push_back(Strided ? fmt::format("[{}:{}:{}]", Start, Limit, Stride)
                             : fmt::format("[{}:{}]", Start, Limit));
  return fmt::format("{{{}}}", fmt::join(Ranges, ", "));
}

std::string hlobuf::paddingText(StringRef Config) {
  auto All = triples(Config, 1);
  bool Interior = llvm::any_of(All, [](const auto &D) { return D[2] != 0; });
  std::vector<std::string> Edges;
  for (auto [Low, High, Between] : All)
    Edges.push_back(Interior ? fmt::format("{}_{}_{}", Low, High, Between)
                             : fmt::format("{}_{}", Low, High));
  return fmt::format("{}", fmt::join(Edges, "x"));
}

/// window_util::ToString (xla/window_util.cc).
std::string hlobuf::windowText(StringRef Window) {
  struct Part {
    uint32_t Field;
    StringRef Heading;
    int64_t Usual;
  };
  static constexpr Part Parts[] = {
      {1, "size", INT64_MIN}, {2, " stride", 1},     {3, " pad", 0},
      {6, " lhs_dilate", 1},  {5, " rhs_dilate", 1}, {7, " rhs_reversal", 0}};
  llvm::SmallVector<StringRef, 6> All;
  forEachMessage(Window, 1, [&](StringRef D) { All.push_back(D); });
  if (All.empty())
    return "";
  std::string Out = "{";
  for (const Part &P : Parts) {
    auto Has = [&](StringRef D, uint32_t Field) {
      return numberAt(D, Field) != P.Usual;
    };
    bool Pad = P.Field == 3;
    if (llvm::none_of(All, [&](StringRef D) {
          return Has(D, P.Field) || (Pad && Has(D, 4));
        }))
      continue;
    Out += P.Heading;
    StringRef Separator = "=";
    for (StringRef D : All) {
      Out += fmt::format("{}{}", Separator, numberAt(D, P.Field));
      if (Pad)
        Out += fmt::format("_{}", numberAt(D, 4));
      Separator = "x";
    }
  }
  return Out + '}';
}

/// The letters of one operand of a convolution, such as `b01f`.
static std::string dimensionLabels(int64_t First, char FirstLabel,
                                   int64_t Second, char SecondLabel,
                                   llvm::ArrayRef<int64_t> Spatial) {
  constexpr int64_t MostDimensions = 64;
  std::string Labels(Spatial.size() + 2, '?');
  auto Put = [&](int64_t At, char Label) {
    if (At < 0 || At >= MostDimensions)
      return;
    if (static_cast<size_t>(At) >= Labels.size())
      Labels.resize(static_cast<size_t>(At) + 1, '?');
    Labels[static_cast<size_t>(At)] = Label;
  };
  Put(First, FirstLabel);
  Put(Second, SecondLabel);
  for (size_t D = 0; D != Spatial.size() && D != 10; ++D)
    Put(Spatial[D], static_cast<char>('0' + D));
  return Labels;
}

std::string hlobuf::convolutionLabels(StringRef N) {
  auto At = [&](uint32_t Field) { return numberAt(N, Field); };
  return fmt::format(
      "{}_{}->{}", dimensionLabels(At(7), 'b', At(8), 'f', numbersField(N, 11)),
      dimensionLabels(At(3), 'i', At(4), 'o', numbersField(N, 6)),
      dimensionLabels(At(9), 'b', At(10), 'f', numbersField(N, 12)));
}

std::string hlobuf::meshGroupsText(StringRef Message) {
  std::vector<std::string> Names, Axes, Along;
  bool Plain = true;
  forEachField(bytesField(Message, 1), [&](const WireField &F) {
    Plain &= F.Number == 1 && F.isMessage();
    Names.push_back(fmt::format("'{}'", plainName(bytesField(F.Bytes, 1))));
    Axes.push_back(fmt::format("{}={}", Names.back(), numberAt(F.Bytes, 2)));
  });
  forEachField(Message, [&](const WireField &F) {
    if (F.Number == 1)
      return;
    auto Axis = static_cast<uint64_t>(numberAt(F.Bytes, 1));
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
