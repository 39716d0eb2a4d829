// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reduce/ShapeStrings.h"
#include "HLO/TopLevel.h"
#include "llvm/ADT/StringExtras.h"

using namespace hlobuf;

bool hlobuf::equalWithoutLayouts(StringRef A, StringRef B) {
  return A == B || withoutLayouts(A) == withoutLayouts(B);
}

std::vector<std::string> hlobuf::listItems(StringRef Text) {
  std::vector<std::string> Items;
  std::string Plain = withoutComments(Text);
  StringRef Rest = Plain;
  while (!Rest.empty()) {
    StringRef Item = Rest.take_front(
        scanTopLevel(Rest, [&](size_t I) { return Rest[I] == ','; }));
    Items.push_back(Item.trim().str());
    Rest = Rest.drop_front(std::min(Item.size() + 1, Rest.size()));
  }
  return Items;
}

std::vector<std::string> hlobuf::tupleElements(StringRef Shape) {
  if (!isTupleText(Shape))
    return {};
  return listItems(Shape.drop_front().drop_back());
}

std::string hlobuf::tupleOf(ArrayRef<std::string> Elements) {
  return "(" + llvm::join(Elements, ", ") + ")";
}

StringRef hlobuf::arrayType(StringRef Shape) {
  StringRef Type = Shape.take_while([](char C) { return llvm::isAlnum(C); });
  if (Type == "token" || Type == "opaque" ||
      !Shape.drop_front(Type.size()).starts_with("["))
    return "";
  return Type;
}

bool hlobuf::isScalarText(StringRef Shape) {
  StringRef Type = arrayType(Shape);
  return !Type.empty() && Shape.drop_front(Type.size()).starts_with("[]");
}

bool hlobuf::isDynamicText(StringRef Shape) {
  return Shape.contains("<=") || Shape.contains("?");
}

std::string hlobuf::mapNumbers(StringRef Text,
                               function_ref<int64_t(int64_t)> Map,
                               function_ref<bool(size_t)> IsSize) {
  std::string Out;
  for (size_t I = 0; I < Text.size();) {
    StringRef Digits =
        Text.drop_front(I).take_while([](char C) { return llvm::isDigit(C); });
    int64_t Value = 0;
    if (!Digits.empty() && !Digits.getAsInteger(10, Value) && IsSize(I)) {
      Out += std::to_string(Map(Value));
      I += Digits.size();
      continue;
    }
    Out += Digits.empty() ? Text.substr(I, 1) : Digits;
    I += std::max<size_t>(1, Digits.size());
  }
  return Out;
}

std::string hlobuf::mapDimensions(StringRef Shape,
                                  function_ref<int64_t(int64_t)> Map) {
  bool Inside = false;
  size_t Dimension = 0;
  return mapNumbers(Shape, Map, [&](size_t Offset) {
    for (; Dimension != Offset; ++Dimension)
      Inside = (Inside || Shape[Dimension] == '[') && Shape[Dimension] != ']';
    return Inside;
  });
}
