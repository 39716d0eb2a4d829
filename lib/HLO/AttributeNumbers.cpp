// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HLO/AttributeNumbers.h"

using namespace hlobuf;
using Numbers = AttributeNumbers;

std::optional<Numbers> hlobuf::numbersBetweenCommas(StringRef Text) {
  Numbers All;
  SmallVector<StringRef, 6> Items;
  Text.split(Items, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef Item : Items)
    if (Item.trim(" \"").getAsInteger(10, All.emplace_back()))
      return std::nullopt;
  return All;
}

std::optional<Numbers> hlobuf::numbersIn(std::optional<StringRef> Text) {
  if (!Text || !Text->consume_front("{") || !Text->consume_back("}"))
    return std::nullopt;
  return numbersBetweenCommas(*Text);
}

/// Two numbers of \p Text, or three, between \p Separator; false if there are
/// others.
template <typename T>
static bool numbersBetween(StringRef Text, char Separator, T &First, T &Second,
                           T &Third) {
  SmallVector<StringRef, 3> Parts;
  Text.split(Parts, Separator);
  return Parts.size() >= 2 && Parts.size() <= 3 &&
         !Parts[0].getAsInteger(10, First) &&
         !Parts[1].getAsInteger(10, Second) &&
         (Parts.size() < 3 || !Parts[2].getAsInteger(10, Third));
}

std::optional<SmallVector<DimensionSlice, 6>>
hlobuf::sliceBounds(std::optional<StringRef> Text) {
  constexpr int64_t Most = int64_t(1) << 40;
  if (!Text || !Text->consume_front("{") || !Text->consume_back("}"))
    return std::nullopt;
  SmallVector<DimensionSlice, 6> All;
  SmallVector<StringRef, 6> Items;
  Text->split(Items, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef Item : Items) {
    DimensionSlice &D = All.emplace_back();
    Item = Item.trim();
    if (!Item.consume_front("[") || !Item.consume_back("]") ||
        !numbersBetween(Item, ':', D.Begin, D.Limit, D.Stride) || D.Begin < 0 ||
        D.Limit < D.Begin || D.Limit >= Most || D.Stride < 1 ||
        D.Stride >= Most)
      return std::nullopt;
  }
  return All;
}

std::optional<SmallVector<DimensionPadding, 6>>
hlobuf::paddings(std::optional<StringRef> Text) {
  if (!Text)
    return std::nullopt;
  SmallVector<DimensionPadding, 6> All;
  SmallVector<StringRef, 6> Items;
  if (!Text->empty())
    Text->split(Items, 'x');
  for (StringRef Item : Items) {
    DimensionPadding &D = All.emplace_back();
    if (!numbersBetween(Item, '_', D.Below, D.Above, D.Between))
      return std::nullopt;
  }
  return All;
}
