// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Smaller arrays.

#include "Reduce/Edits.h"
#include "Reduce/ShapeStrings.h"
#include <set>

using namespace hlobuf;

using SizeMap = std::function<int64_t(int64_t)>;

/// The sizes that attribute \p A states, in elements, replaced.
static void mapAttribute(EditAttribute &A, const SizeMap &Map) {
  StringRef Value = A.Value;
  if (A.Key == "slice") // the limits: `{[0:8], [2:4:2]}`
    A.Value = mapNumbers(Value, Map, [&](size_t I) {
      StringRef Before = Value.take_front(I);
      return Before.consume_back(":") &&
             !Before.substr(Before.rfind('[')).contains(':');
    });
  else if (A.Key == "dynamic_slice_sizes" || A.Key == "slice_sizes")
    A.Value = mapNumbers(Value, Map, [](size_t) { return true; });
  else if (A.Key == "window") {
    size_t Begin = Value.find("size=");
    size_t End = std::min(Value.find(' ', Begin), Value.size());
    A.Value =
        mapNumbers(Value, Map, [&](size_t I) { return I > Begin && I < End; });
  }
}

static bool mapSizes(EditModule &M, const SizeMap &Map) {
  bool Changed = false;
  forEachInstruction(M, [&](uint32_t I) {
    std::string Shape = mapDimensions(M[I].Shape, Map);
    Changed |= Shape != M[I].Shape;
    M[I].Shape = Shape;
    for (EditAttribute &A : M.Instructions[I].Attributes)
      mapAttribute(A, Map);
  });
  return Changed;
}

/// All sizes of dimensions, the largest first.
static std::set<int64_t, std::greater<>> sizesOf(const EditModule &M) {
  std::set<int64_t, std::greater<>> Sizes;
  forEachInstruction(M, [&](uint32_t I) {
    mapDimensions(M[I].Shape, [&](int64_t Size) {
      Sizes.insert(Size);
      return Size;
    });
  });
  return Sizes;
}

std::vector<Edit> hlobuf::shrinkDimensions(const EditModule &M) {
  std::vector<Edit> Edits;
  auto Add = [&](const SizeMap &Map) {
    Edits.push_back([Map](EditModule &E) { return mapSizes(E, Map); });
  };
  std::set<int64_t, std::greater<>> Sizes = sizesOf(M);
  for (int64_t From : Sizes)
    for (int64_t To : {1, 2, 4, 8, 128}) {
      if (To >= From)
        continue;
      Add([=](int64_t Size) { return Size == From ? To : Size; });
      // Products of dimensions, as of reshapes.
      Add([=](int64_t Size) {
        return Size % From == 0 ? Size / From * To : Size;
      });
      // Arrays that are a little smaller, as of slices.
      Add([=](int64_t Size) {
        return Size <= From && Size > From / 2
                   ? std::max<int64_t>(1, Size - (From - To))
                   : Size;
      });
    }
  return Edits;
}
