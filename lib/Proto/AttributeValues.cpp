// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Proto/AttributeValues.h"
#include "Proto/ProtoText.h"
#include "Proto/ShapeText.h"
#include "Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"
#include <map>

using namespace hlobuf;

/// `{A,B}` of what \p Spell makes of each message in field \p Number.
static std::string listText(StringRef Message, uint32_t Number,
                            function_ref<std::string(StringRef)> Spell) {
  std::string Out = "{";
  forEachMessage(Message, Number, [&](StringRef Item) {
    Out += (Out.size() == 1 ? "" : ",") + Spell(Item);
  });
  return Out + '}';
}

static std::string groupsText(StringRef Message, uint32_t Number) {
  return listText(Message, Number, [](StringRef Group) {
    return indexText(numbersField(Group, 1));
  });
}

static std::string pairsText(StringRef Message, uint32_t Number) {
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

static std::string sliceText(StringRef Message, uint32_t Number) {
  auto All = triples(Message, Number);
  bool Strided = llvm::any_of(All, [](const auto &D) { return D[2] != 1; });
  std::vector<std::string> Ranges;
  for (auto [Start, Limit, Stride] : All)
    Ranges.push_back(Strided ? fmt::format("[{}:{}:{}]", Start, Limit, Stride)
                             : fmt::format("[{}:{}]", Start, Limit));
  return fmt::format("{{{}}}", fmt::join(Ranges, ", "));
}

static std::string paddingText(StringRef Config) {
  auto All = triples(Config, 1);
  bool Interior = llvm::any_of(All, [](const auto &D) { return D[2] != 0; });
  std::vector<std::string> Edges;
  for (auto [Low, High, Between] : All)
    Edges.push_back(Interior ? fmt::format("{}_{}_{}", Low, High, Between)
                             : fmt::format("{}_{}", Low, High));
  return fmt::format("{}", fmt::join(Edges, "x"));
}

/// window_util::ToString (xla/window_util.cc).
static std::string windowText(StringRef Window) {
  struct Part {
    uint32_t Field;
    StringRef Heading;
    int64_t Usual;
  };
  static constexpr Part Parts[] = {
      {1, "size", INT64_MIN}, {2, " stride", 1},     {3, " pad", 0},
      {6, " lhs_dilate", 1},  {5, " rhs_dilate", 1}, {7, " rhs_reversal", 0}};
  SmallVector<StringRef, 6> All;
  forEachMessage(Window, 1, [&](StringRef D) { All.push_back(D); });
  if (All.empty())
    return "";
  std::string Out = "{";
  for (const Part &P : Parts) {
    auto HasField = [&](StringRef D, uint32_t Field) {
      return numberAt(D, Field) != P.Usual;
    };
    bool Pad = P.Field == 3;
    if (llvm::none_of(All, [&](StringRef D) {
          return HasField(D, P.Field) || (Pad && HasField(D, 4));
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
                                   ArrayRef<int64_t> Spatial) {
  constexpr int64_t MostDimensions = 64;
  std::string Labels(Spatial.size() + 2, '?');
  auto Put = [&](int64_t Dimension, char Label) {
    if (Dimension < 0 || Dimension >= MostDimensions)
      return;
    if (static_cast<size_t>(Dimension) >= Labels.size())
      Labels.resize(static_cast<size_t>(Dimension) + 1, '?');
    Labels[static_cast<size_t>(Dimension)] = Label;
  };
  Put(First, FirstLabel);
  Put(Second, SecondLabel);
  for (size_t D = 0; D != Spatial.size() && D != 10; ++D)
    Put(Spatial[D], static_cast<char>('0' + D));
  return Labels;
}

static std::string convolutionLabels(StringRef N) {
  auto Number = [&](uint32_t Field) { return numberAt(N, Field); };
  return fmt::format(
      "{}_{}->{}",
      dimensionLabels(Number(7), 'b', Number(8), 'f', numbersField(N, 11)),
      dimensionLabels(Number(3), 'i', Number(4), 'o', numbersField(N, 6)),
      dimensionLabels(Number(9), 'b', Number(10), 'f', numbersField(N, 12)));
}

std::string hlobuf::meshGroupsText(StringRef Message) {
  std::vector<std::string> Names, Axes, Along;
  bool Plain = true;
  std::string Devices;
  forEachField(bytesField(Message, 1), [&](const WireField &F) {
    if (F.Number == 3) {
      Devices =
          fmt::format("<=[{}]T({})", fmt::join(numbersField(F.Bytes, 1), ","),
                      fmt::join(numbersField(F.Bytes, 2), ","));
      return;
    }
    Plain &= F.Number == 1 && F.isMessage();
    Names.push_back(fmt::format("'{}'", plainName(bytesField(F.Bytes, 1))));
    Axes.push_back(fmt::format("{}={}", Names.back(), numberAt(F.Bytes, 2)));
  });
  forEachField(Message, [&](const WireField &F) {
    if (F.Number == 1)
      return;
    auto Axis = static_cast<uint64_t>(numberAt(F.Bytes, 1));
    Plain &= F.Number == 2 && F.isMessage() && Axis < Names.size();
    Along.push_back(Axis < Names.size() ? Names[Axis] : "?");
    if (StringRef Part = bytesField(F.Bytes, 2); Part.data())
      Along.back() +=
          fmt::format(":({}){}", numberAt(Part, 1), numberAt(Part, 2));
  });
  return Plain ? fmt::format("mesh[{}]{} {{{}}}", fmt::join(Axes, ","), Devices,
                             fmt::join(Along, ","))
               : "mesh";
}

std::string hlobuf::iotaText(StringRef Message) {
  auto Order = numbersField(Message, 4);
  std::string Out =
      fmt::format("[{},{}]<=[{}]", numberAt(Message, 1), numberAt(Message, 2),
                  fmt::join(numbersField(Message, 3), ","));
  if (!llvm::is_sorted(Order))
    Out += fmt::format("T({})", fmt::join(Order, ","));
  return Out;
}

/// Name number \p N of \p Names.
static std::string nameOf(ArrayRef<StringRef> Names, int64_t N) {
  return N >= 0 && N < int64_t(Names.size()) ? Names[size_t(N)].str() : "?";
}

/// The numbers in the fields 1 to \p Last.
static std::string fieldsText(StringRef Message, uint32_t Last) {
  SmallVector<int64_t, 8> All;
  for (uint32_t N = 1; N <= Last; ++N)
    All.push_back(numberAt(Message, N));
  return indexText(All);
}

/// As MLIR prints it, in quotes unless it is an identifier.
static std::string callAttributeKey(StringRef Key) {
  bool Bare = !Key.empty() && !llvm::isDigit(Key.front()) &&
              llvm::all_of(Key, [](char C) {
                return llvm::isAlnum(C) || C == '_' || C == '$' || C == '.';
              });
  return Bare ? Key.str() : quoted(Key);
}

static std::string callAttributesText(StringRef Map, unsigned Depth = 0);

/// An AttributeProto (xla/ffi/attribute_map.proto, 2025), as MLIR prints it but
/// without spaces, and with all types: `true`, `85:ui8`, `array<i64:1,2>`, a
/// text, a dictionary; `?` for arrays of floats.
static std::string callAttributeText(StringRef Attribute, unsigned Depth) {
  static constexpr StringRef Types[] = {"i8",   "i16",  "i32",  "i64", "ui8",
                                        "ui16", "ui32", "ui64", "f32", "f64"};
  std::string Out = "?";
  forEachField(Attribute, [&](const WireField &F) {
    WireField V;
    bool Any = F.isMessage() && WireReader(F.Bytes).next(V);
    // Of a scalar, 1 is a truth value.
    size_t Type = V.Number - (F.Number == 1 ? 2 : 1);
    if (F.Number == 1 && Any && V.Number == 1)
      Out = V.Value != 0 ? "true" : "false";
    else if (F.Number == 1 && Any && V.Type == WireType::Fixed32)
      Out = fmt::format("{}:f32", llvm::bit_cast<float>(uint32_t(V.Value)));
    else if (F.Number == 1 && Any && V.Type == WireType::Fixed64)
      Out = fmt::format("{}:f64", llvm::bit_cast<double>(V.Value));
    else if (F.Number == 1 && Any && Type < std::size(Types))
      Out = fmt::format("{}:{}", V.number(), Types[Type]);
    else if (F.Number == 2 && Any && Type + 2 < std::size(Types))
      Out = fmt::format("array<{}:{}>", Types[Type],
                        fmt::join(numbersField(V.Bytes, 1), ","));
    else if (F.Number == 3)
      Out = quoted(F.Bytes);
    else if (F.Number == 4)
      Out = callAttributesText(F.Bytes, Depth + 1);
  });
  return Out;
}

static std::string callAttributesText(StringRef Map, unsigned Depth) {
  constexpr unsigned MostDepth = 64;
  // A map has its entries in any order.
  std::map<std::string, std::string> Sorted;
  if (!isMessage(Map) || Depth > MostDepth)
    return "?";
  forEachMessage(Map, 1, [&](StringRef Entry) {
    Sorted[callAttributeKey(bytesField(Entry, 1))] =
        callAttributeText(bytesField(Entry, 2), Depth);
  });
  std::string Out = "{";
  for (const auto &[Key, Value] : Sorted)
    Out += fmt::format("{}{}={}", Out.size() == 1 ? "" : ",", Key, Value);
  return Out + '}';
}

std::string hlobuf::valueText(AttributeForm Form, const WireField &F) {
  switch (Form) {
  case AttributeForm::Number:
    return std::to_string(F.number());
  case AttributeForm::Flag:
    return F.Value != 0 ? "true" : "";
  case AttributeForm::Real:
    return fmt::format("{}", llvm::bit_cast<double>(F.Value));
  case AttributeForm::Word:
    return plainName(F.Bytes);
  case AttributeForm::Quoted:
    return quoted(F.Bytes);
  case AttributeForm::Optional:
    return numberAt(F.Bytes, 2) != 0 ? std::to_string(numberAt(F.Bytes, 1))
                                     : "";
  case AttributeForm::OptionalFlag:
    return numberAt(F.Bytes, 2) != 0 && numberAt(F.Bytes, 1) != 0 ? "true" : "";
  case AttributeForm::Padding:
    return paddingText(F.Bytes);
  case AttributeForm::Window:
    return windowText(F.Bytes);
  case AttributeForm::Labels:
    return convolutionLabels(F.Bytes);
  case AttributeForm::FftType:
    return nameOf({"FFT", "IFFT", "RFFT", "IRFFT"}, F.number());
  case AttributeForm::CallVersion:
    return nameOf({"API_VERSION_UNSPECIFIED", "API_VERSION_ORIGINAL",
                   "API_VERSION_STATUS_RETURNING",
                   "API_VERSION_STATUS_RETURNING_UNIFIED",
                   "API_VERSION_TYPED_FFI"},
                  F.number());
  case AttributeForm::SolveTranspose:
    return nameOf({"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"},
                  F.number());
  case AttributeForm::Shape:
    return shapeText(F.Bytes);
  case AttributeForm::Dimensions:
    return fieldsText(F.Bytes, 3);
  case AttributeForm::LaunchDimensions: {
    WireField Inner;
    return WireReader(F.Bytes).next(Inner) ? fieldsText(Inner.Bytes, 3) : "";
  }
  case AttributeForm::CallAttributes:
    return callAttributesText(F.Bytes);
  case AttributeForm::Matrix:
    return fmt::format("{},{}}}", StringRef(fieldsText(F.Bytes, 7)).drop_back(),
                       primitiveName(numberAt(F.Bytes, 8)));
  case AttributeForm::Packing:
    return packingText(F.Bytes);
  case AttributeForm::SlicedParameter:
  case AttributeForm::SlicedResult:
    return dynamicSliceText(F.Bytes, Form == AttributeForm::SlicedResult);
  case AttributeForm::Place: {
    StringRef Slice = bytesField(F.Bytes, 1);
    return fmt::format("{{{},{},{},{}}}", numberAt(Slice, 3),
                       numberAt(Slice, 1), numberAt(Slice, 2),
                       shapeText(bytesField(F.Bytes, 2)));
  }
  case AttributeForm::Resources:
    return resourcesText(F.Bytes);
  case AttributeForm::Symbol:
    return plainName(bytesField(F.Bytes, 1));
  case AttributeForm::KernelArguments:
    return kernelArgumentsText(F.Bytes);
  default: // Collective, which has no value, and repeated forms
    return "";
  }
}

FieldType hlobuf::fieldOf(AttributeForm Form) {
  switch (Form) {
  case AttributeForm::Number:
  case AttributeForm::Flag:
  case AttributeForm::Real:
  case AttributeForm::FftType:
  case AttributeForm::CallVersion:
  case AttributeForm::SolveTranspose:
    return FieldType::Number;
  case AttributeForm::List:
  case AttributeForm::FirstOfList:
  case AttributeForm::Types:
    return FieldType::Numbers;
  case AttributeForm::Optional:
  case AttributeForm::OptionalFlag:
    return FieldType::CpuOptional;
  case AttributeForm::Padding:
    return FieldType::PaddingConfig;
  case AttributeForm::Window:
    return FieldType::Window;
  case AttributeForm::Labels:
    return FieldType::ConvolutionDimensionNumbers;
  case AttributeForm::Shape:
    return FieldType::Shape;
  case AttributeForm::Dimensions:
    return FieldType::Triple;
  case AttributeForm::LaunchDimensions:
    return FieldType::LaunchTriple;
  case AttributeForm::Matrix:
    return FieldType::MatrixLayout;
  case AttributeForm::Packing:
    return FieldType::ArgumentsPacking;
  case AttributeForm::SlicedParameter:
    return FieldType::SlicedParameter;
  case AttributeForm::SlicedResult:
    return FieldType::SlicedResult;
  case AttributeForm::Place:
    return FieldType::ShapedSlice;
  case AttributeForm::CallAttributes:
    return FieldType::CallAttributes;
  case AttributeForm::Resources:
    return FieldType::CpuResources;
  case AttributeForm::Symbol:
    return FieldType::LibrarySymbol;
  case AttributeForm::KernelArguments:
    return FieldType::KernelArguments;
  case AttributeForm::Groups:
    return FieldType::ReplicaGroup;
  case AttributeForm::Pairs:
    return FieldType::SourceTarget;
  case AttributeForm::Slice:
    return FieldType::SliceDimensions;
  default:
    return FieldType::Opaque;
  }
}

bool hlobuf::isRepeatedForm(AttributeForm Form) {
  return fieldOf(Form) == FieldType::Numbers || Form == AttributeForm::Groups ||
         Form == AttributeForm::Pairs || Form == AttributeForm::Slice;
}

std::string hlobuf::repeatedText(AttributeForm Form, StringRef Message,
                                 uint32_t Number) {
  auto Numbers = [&] { return numbersField(Message, Number); };
  switch (Form) {
  case AttributeForm::List:
    return indexText(Numbers());
  case AttributeForm::FirstOfList: {
    auto All = Numbers();
    return std::to_string(All.empty() ? 0 : All.front());
  }
  case AttributeForm::Types: {
    SmallVector<StringRef, 4> Names;
    for (int64_t Type : Numbers())
      Names.push_back(primitiveName(Type));
    return '{' + llvm::join(Names, ",") + '}';
  }
  case AttributeForm::Groups:
    return groupsText(Message, Number);
  case AttributeForm::Pairs:
    return pairsText(Message, Number);
  case AttributeForm::Slice:
    return sliceText(Message, Number);
  default:
    return "";
  }
}
