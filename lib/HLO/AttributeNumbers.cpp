// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HLO/AttributeNumbers.h"

using namespace hlobuf;
using llvm::StringRef;
using Numbers = AttributeNumbers;

std::optional<Numbers> hlobuf::numbersIn(std::optional<StringRef> Text) {
  if (!Text || !Text->consume_front("{") || !Text->consume_back("}"))
    return std::nullopt;
  Numbers All;
  llvm::SmallVector<StringRef, 6> Items;
  Text->split(Items, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef Item : Items)
    if (Item.trim().getAsInteger(10, All.emplace_back()))
      return std::nullopt;
  return All;
}

std::optional<Numbers> hlobuf::sliceSizes(std::optional<StringRef> Text) {
  if (!Text || !Text->consume_front("{") || !Text->consume_back("}"))
    return std::nullopt;
  Numbers Sizes;
  llvm::SmallVector<StringRef, 6> Items;
  Text->split(Items, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef Item : Items) {
    Item = Item.trim();
    llvm::SmallVector<StringRef, 3> Parts;
    if (!Item.consume_front("[") || !Item.consume_back("]"))
      return std::nullopt;
    Item.split(Parts, ':');
    int64_t Begin, Limit, Stride = 1;
    if (Parts.size() < 2 || Parts[0].getAsInteger(10, Begin) ||
        Parts[1].getAsInteger(10, Limit) ||
        (Parts.size() > 2 && Parts[2].getAsInteger(10, Stride)) ||
        Stride <= 0 || Begin < 0 || Limit < Begin)
      return std::nullopt;
    Sizes.push_back((Limit - Begin) / Stride +
                    ((Limit - Begin) % Stride != 0 ? 1 : 0));
  }
  return Sizes;
}

std::optional<Numbers> hlobuf::paddedSizes(std::optional<StringRef> Text,
                                           Numbers Sizes) {
  llvm::SmallVector<StringRef, 6> Items;
  if (Text && !Text->empty())
    Text->split(Items, 'x');
  if (Items.size() != Sizes.size())
    return std::nullopt;
  for (size_t K = 0; K != Items.size(); ++K) {
    llvm::SmallVector<StringRef, 3> Parts;
    Items[K].split(Parts, '_');
    int32_t Low, High, Between = 0;
    if (Parts.size() < 2 || Parts[0].getAsInteger(10, Low) ||
        Parts[1].getAsInteger(10, High) ||
        (Parts.size() > 2 && Parts[2].getAsInteger(10, Between)) ||
        Sizes[K] > INT32_MAX)
      return std::nullopt;
    Sizes[K] += int64_t(Low) + High +
                std::max<int64_t>(0, Sizes[K] - 1) * int64_t(Between);
  }
  return Sizes;
}
