// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Proto/AttributeForms.h"
#include "Proto/AttributeValues.h"
#include "Proto/ProtoText.h"
#include "Proto/ShapeText.h"
#include "Proto/Wire.h"
#include "Support/Format.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include <map>

using namespace hlobuf;
using llvm::StringRef;

/// Expressions inside of expressions, far more than a start index has.
static constexpr unsigned MostDepth = 64;

/// The numbers in the fields 1 to \p Last.
static std::string fieldsText(StringRef Message, uint32_t Last) {
  llvm::SmallVector<int64_t, 8> All;
  for (uint32_t N = 1; N <= Last; ++N)
    All.push_back(numberAt(Message, N));
  return indexText(All);
}

/// A ScalarProto, ArrayProto, string or dictionary, of xla/ffi/attribute.proto:
/// what its fields hold, in their order.
static std::string callAttributeText(StringRef Message, unsigned Depth) {
  std::string Out;
  forEachField(Message, [&](const WireField &F) {
    if (!Out.empty())
      Out += ',';
    if (F.isMessage() && Depth < MostDepth && !F.Bytes.empty() &&
        isMessage(F.Bytes))
      Out += callAttributeText(F.Bytes, Depth + 1);
    else if (F.isMessage())
      Out += '"' + escaped(F.Bytes) + '"';
    else if (F.Type == WireType::Fixed32)
      Out += fmt::format("{}", llvm::bit_cast<float>(uint32_t(F.Value)));
    else if (F.Type == WireType::Fixed64)
      Out += fmt::format("{}", llvm::bit_cast<double>(F.Value));
    else
      Out += fmt::format("{}", F.number());
  });
  return Out;
}

/// As MLIR prints it, in quotes unless it is an identifier.
static std::string callAttributeKey(StringRef Key) {
  bool Bare = !Key.empty() && !llvm::isDigit(Key.front()) &&
              llvm::all_of(Key, [](char C) {
                return llvm::isAlnum(C) || C == '_' || C == '$' || C == '.';
              });
  return Bare ? Key.str() : '"' + escaped(Key) + '"';
}

static std::string callAttributesText(StringRef Map) {
  // A map has its entries in any order.
  std::map<std::string, std::string> Sorted;
  forEachMessage(Map, 1, [&](StringRef Entry) {
    Sorted[callAttributeKey(bytesField(Entry, 1))] =
        callAttributeText(bytesField(Entry, 2), 0);
  });
  std::string Out = "{";
  for (const auto &[Key, Value] : Sorted)
    Out += fmt::format("{}{}={}", Out.size() == 1 ? "" : ",", Key, Value);
  return Out + '}';
}

static std::string shapeText(StringRef Shape) {
  std::string Out;
  return printShape(Shape, /*WithLayout=*/true, Out) ? Out : "?";
}

/// An OffsetExprProto (dynamic_slice_fusion_thunk.proto, 2026):
/// `subtract(5,p1)`.
static std::string offsetText(StringRef Expression, unsigned Depth) {
  static constexpr StringRef Kinds[] = {
      "?",       "constant", "p",      "add",       "subtract", "multiply",
      "compare", "select",   "divide", "remainder", "minimum",  "maximum"};
  int64_t Kind = numberAt(Expression, 1);
  if (Kind <= 0 || Kind >= static_cast<int64_t>(std::size(Kinds)) ||
      Depth > MostDepth)
    return "?";
  int64_t Value = numberAt(Expression, 2);
  if (Kind == 1)
    return std::to_string(Value);
  std::string Out = Kinds[Kind].str();
  if (Kind == 2)
    return Out + std::to_string(Value);
  static constexpr StringRef Directions[] = {"?",  "EQ", "NE", "GE",
                                             "GT", "LE", "LT"};
  int64_t Direction = numberAt(Expression, 3);
  if (Direction > 0 && Direction < static_cast<int64_t>(std::size(Directions)))
    Out += '-' + Directions[Direction].str();
  StringRef Separator = "(";
  forEachMessage(Expression, 4, [&](StringRef Operand) {
    Out += Separator.str() + offsetText(Operand, Depth + 1);
    Separator = ",";
  });
  return Out + ')';
}

/// A ParameterProto or ResultProto of a dynamic-slice fusion, which has one
/// number more: `{1,f32[6,4]{1,0},f32[1,4]{1,0},{0:p1,1:0},loop:0,
/// linear:{80,-16,80,-16}}`, the offset and stride in bytes twice.
static std::string dynamicSliceText(StringRef Message, bool Result) {
  uint32_t Shift = Result ? 1 : 0;
  std::string Out = fmt::format("{{{}", numberAt(Message, 1));
  if (Result)
    Out += fmt::format(",{}", numberAt(Message, 2));
  for (uint32_t Field : {2 + Shift, 3 + Shift})
    Out += ',' + shapeText(bytesField(Message, Field));
  Out += ",{";
  StringRef Separator = "";
  forEachMessage(Message, 5 + Shift, [&](StringRef Offset) {
    Out += fmt::format("{}{}:{}", Separator, numberAt(Offset, 1),
                       offsetText(bytesField(Offset, 4), 0));
    Separator = ",";
  });
  Out += '}';
  StringRef Config = bytesField(Message, 4 + Shift);
  if (!Config.data())
    return Out + '}';
  StringRef Linear = bytesField(Config, 5);
  Out += fmt::format(",loop:{},linear:{{{},{},{},{}}}", numberAt(Config, 1),
                     numberAt(Config, 2), numberAt(Config, 3),
                     numberAt(Linear, 1), numberAt(Linear, 2));
  if (StringRef Table = bytesField(Config, 4); Table.data())
    Out += ",table:" + indexText(numbersField(Table, 1));
  return Out + '}';
}

/// A KernelArgsPackingSpecProto
/// (xla/stream_executor/kernel_args_packing_spec.h, 2025): each argument is the
/// address of the slice of its number.
static std::string packingText(StringRef Message) {
  std::string Out = "{";
  bool Usual = true;
  int64_t Number = 0;
  forEachMessage(Message, 1, [&](StringRef Argument) {
    StringRef Relocation = bytesField(Argument, 1);
    bool Known =
        numberAt(Relocation, 1) == 1 && !bytesField(Argument, 2).data();
    forEachField(Argument, [&](const WireField &Each) {
      Known &= Each.Number == 1 && Each.Bytes.data() == Relocation.data();
    });
    int64_t Passed = numberAt(Relocation, 2);
    Usual &= Known && Passed == Number++;
    Out +=
        (Out.size() == 1 ? "" : ",") + (Known ? std::to_string(Passed) : "?");
  });
  return Usual ? "" : Out + '}';
}

/// The text of one message or number; empty for what is left out.
static std::string valueText(const ThunkField &Row, const WireField &F) {
  switch (Row.Spelled) {
  case AttributeForm::Number:
    return std::to_string(F.number());
  case AttributeForm::Flag:
    return F.Value != 0 ? "true" : "";
  case AttributeForm::Real:
    return fmt::format("{}", llvm::bit_cast<double>(F.Value));
  case AttributeForm::Word:
    return plainName(F.Bytes);
  case AttributeForm::Quoted:
    return '"' + escaped(F.Bytes) + '"';
  case AttributeForm::Optional:
    return numberAt(F.Bytes, 2) != 0 ? std::to_string(numberAt(F.Bytes, 1))
                                     : "";
  case AttributeForm::OptionalFlag:
    return numberAt(F.Bytes, 2) != 0 && numberAt(F.Bytes, 1) != 0 ? "true" : "";
  case AttributeForm::Window:
    return windowText(F.Bytes);
  case AttributeForm::Labels:
    return convolutionLabels(F.Bytes);
  case AttributeForm::FftType:
    return fftTypeName(F.number()).str();
  case AttributeForm::CallVersion:
    return callVersionName(F.number()).str();
  case AttributeForm::SolveTranspose:
    return solveTransposeName(F.number()).str();
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
    return fieldsText(F.Bytes, 8);
  case AttributeForm::Packing:
    return packingText(F.Bytes);
  case AttributeForm::DynamicSlice:
    return dynamicSliceText(F.Bytes, StringRef(Row.Key) == "result");
  case AttributeForm::Collective:
  case AttributeForm::List:
  case AttributeForm::Groups:
  case AttributeForm::Pairs:
  case AttributeForm::Types:
    break;
  }
  return "";
}

static bool isNumber(AttributeForm Form) {
  switch (Form) {
  case AttributeForm::Number:
  case AttributeForm::Flag:
  case AttributeForm::Real:
  case AttributeForm::FftType:
  case AttributeForm::CallVersion:
  case AttributeForm::SolveTranspose:
    return true;
  default:
    return false;
  }
}

/// All values of a repeated field; empty if there are none.
static std::string repeatedText(const ThunkField &Row, StringRef Message) {
  switch (Row.Spelled) {
  case AttributeForm::List:
  case AttributeForm::Types: {
    auto All = numbersField(Message, Row.Number);
    if (All.empty() || Row.Spelled == AttributeForm::List)
      return All.empty() ? "" : indexText(All);
    std::string Out = "{";
    for (int64_t Type : All)
      Out += (Out.size() == 1 ? "" : ",") + primitiveName(Type).str();
    return Out + '}';
  }
  case AttributeForm::Groups:
    return groupsText(Message, Row.Number);
  case AttributeForm::Pairs:
    return pairsText(Message, Row.Number);
  default:
    return "";
  }
}

bool hlobuf::printAttribute(const ThunkField &Row, StringRef Message,
                            std::string &To) {
  std::string All = repeatedText(Row, Message);
  if (!All.empty() && All != "{}")
    To += fmt::format(" {}={}", Row.Key, All);
  bool Good = true;
  forEachField(Message, [&](const WireField &F) {
    if (F.Number != Row.Number)
      return;
    if (Row.Spelled == AttributeForm::Collective) {
      To += fmt::format(" collective={}", Row.Key);
      return;
    }
    bool Repeated = Row.Spelled == AttributeForm::List ||
                    Row.Spelled == AttributeForm::Types;
    if (!Repeated && F.isMessage() == isNumber(Row.Spelled)) {
      Good = false;
      return;
    }
    if (std::string Text = valueText(Row, F); !Text.empty())
      To += fmt::format(" {}={}", Row.Key, Text);
  });
  return Good;
}
