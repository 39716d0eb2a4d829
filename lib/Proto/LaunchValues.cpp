// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Proto/AttributeValues.h"
#include "Proto/ProtoText.h"
#include "Proto/ShapeText.h"
#include "Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"

using namespace hlobuf;

std::string hlobuf::shapeText(StringRef Shape) {
  std::string Out;
  return printShape(Shape, /*WithLayout=*/true, Out) ? Out : "?";
}

/// Expressions inside of expressions, far more than a start index has.
static constexpr unsigned MostNested = 64;

/// An OffsetExprProto (dynamic_slice_fusion_thunk.proto, 2026):
/// `subtract(5,p1)`.
static std::string offsetText(StringRef Expression, unsigned Depth) {
  static constexpr StringRef Kinds[] = {
      "?",       "constant", "p",      "add",       "subtract", "multiply",
      "compare", "select",   "divide", "remainder", "minimum",  "maximum"};
  int64_t Kind = numberAt(Expression, 1);
  if (Kind <= 0 || Kind >= int64_t(std::size(Kinds)) || Depth > MostNested)
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

std::string hlobuf::dynamicSliceText(StringRef Message, bool Result) {
  uint32_t Shift = Result ? 1 : 0;
  auto Optional = [](StringRef Of, uint32_t Field) {
    std::optional<uint64_t> Number = numberField(Of, Field);
    return Number ? std::to_string(*Number) : "none";
  };
  std::string Out = "{";
  Out += Result ? Optional(Message, 1) : std::to_string(numberAt(Message, 1));
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
  Out += fmt::format(",loop:{},linear:{{{},{}", Optional(Config, 1),
                     numberAt(Config, 2), numberAt(Config, 3));
  // Since July 2026.
  if (Linear.data())
    Out += fmt::format(",{},{}", numberAt(Linear, 1), numberAt(Linear, 2));
  Out += '}';
  if (StringRef Table = bytesField(Config, 4); Table.data())
    Out += ",table:" + indexText(numbersField(Table, 1));
  return Out + '}';
}

std::string hlobuf::packingText(StringRef Message) {
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
    StringRef Constant = bytesField(Argument, 2);
    std::string Text = Known ? std::to_string(Passed) : "?";
    if (!Relocation.data() && Constant.size() == sizeof(uint64_t))
      Text = fmt::format(
          "={}", llvm::support::endian::read64le(Constant.bytes_begin()));
    Out += (Out.size() == 1 ? "" : ",") + Text;
  });
  return Usual ? "" : Out + '}';
}

std::string hlobuf::resourcesText(StringRef Message) {
  static constexpr StringRef Kinds[] = {"?", "token", "communicator"};
  SmallVector<std::string, 2> All;
  forEachField(Message, [&](const WireField &F) {
    bool Present = numberAt(F.Bytes, 2) != 0;
    auto Kind = static_cast<size_t>(numberAt(bytesField(F.Bytes, 1), 1));
    bool Known = Present && Kind < std::size(Kinds);
    All.push_back(Known ? Kinds[Kind].str() : "?");
  });
  return '{' + llvm::join(All, ",") + '}';
}

std::string hlobuf::kernelArgumentsText(StringRef Message) {
  size_t Buffers[3] = {};
  bool Plain = true;
  for (uint32_t Field : {1, 2, 3})
    forEachMessage(Message, Field, [&](StringRef Each) {
      ++Buffers[Field - 1];
      Plain &= Field == 3 || Each.empty();
    });
  // Both are symmetric, in 0.11.0 by a rendezvous, and one for each round; the
  // first is zeroed.
  SmallVector<int64_t, 2> Zeroed;
  forEachMessage(Message, 3, [&](StringRef Scratch) {
    int64_t Symmetric = numberAt(Scratch, 3);
    Plain &= (Symmetric == 1 || Symmetric == 2) && numberAt(Scratch, 5) == 1;
    Zeroed.push_back(numberAt(Scratch, 4));
  });
  Plain &= llvm::equal(Zeroed, std::array<int64_t, 2>{1, 0});
  SmallVector<std::string, 6> Arguments;
  forEachMessage(Message, 4, [&](StringRef Each) {
    std::string &Text = Arguments.emplace_back();
    forEachField(Each, [&](const WireField &F) {
      Text += fmt::format("{}={} ", F.Number, F.number());
    });
  });
  static constexpr StringRef Usual[] = {"2=0 ", "1=1 2=0 ", "1=2 ",
                                        "1=3 ", "1=4 2=0 ", "1=4 2=1 "};
  Plain &= Buffers[0] == 1 && Buffers[1] == 1 && Buffers[2] == 2 &&
           llvm::equal(Arguments, Usual) && numberAt(Message, 5) == 1;
  return Plain ? "" : "other";
}
