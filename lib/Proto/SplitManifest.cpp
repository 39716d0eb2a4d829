// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Proto/SplitManifest.h"
#include "Proto/Wire.h"

using namespace hlobuf;

SplitManifest::SplitManifest(ArrayRef<StringRef> Records) {
  constexpr int64_t Assembly = 3, Binary = 4;
  if (Records.empty())
    return;
  Type = bytesField(Records.front(), 1);
  if (!Type.starts_with("xla."))
    return;
  bool AnyMerged = false;
  Good = forEachMessage(Records.front(), 2, [&](StringRef Record) {
    StringRef Override = bytesField(Record, 3);
    size_t Parts = 0;
    forEachMessage(Override, 1, [&](StringRef Part) {
      int64_t Number = numberAt(Part, 1);
      Plain &= ++Parts == 1 && (Number == Assembly || Number == Binary);
    });
    IsMerged.push_back(!Override.data());
    AnyMerged |= IsMerged.back();
    Plain &= IsMerged.back() || !AnyMerged;
  });
  Plain &= Records.size() == IsMerged.size() + 1;
}
