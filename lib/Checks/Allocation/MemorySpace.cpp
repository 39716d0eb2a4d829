//===- Checks/Allocation/MemorySpace.cpp ----------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The memory space `S(n)` in the layout of a value's array is the value's
// color, and is not printed for color 0: XLA writes the color into the layout
// of every position of a value (buffer_assignment.cc AddAssignment,
// 2019-07-30). Tuples and tokens have no layout of their own. No exception is
// known: where GPU gives temps a color of their own, only the allocation's
// changes.
//
//===----------------------------------------------------------------------===//

#include "Checks/Check.h"

using namespace hlobuf;
using llvm::StringRef;

/// The `S(n)` inside \p Shape, or its layout, or all of it.
static StringRef memorySpaceText(StringRef Shape) {
  StringRef Layout = Shape.drop_front(std::min(Shape.find('{'), Shape.size()));
  size_t At = Layout.find("S(");
  if (At == StringRef::npos)
    return Layout.empty() ? Shape : Layout;
  StringRef Group = Layout.drop_front(At);
  return Group.take_front(Group.find(')') + 1);
}

namespace hlobuf {
void checkMemorySpace(const CheckContext &A, Reporter &R) {
  const Dump &D = A.dump();
  for (uint32_t I = 0; I != D.Values.size(); ++I) {
    const Value &V = D.Values[I];
    const Shape &S = D.Shapes[V.Shape];
    if (!S.isArray() || !V.Tag.HasColor || S.memorySpace() == V.Tag.Color)
      continue;
    ValueTexts Texts = A.places().value(V);
    // Of the two, the one that differs from the allocation is wrong.
    bool WrongColor = S.memorySpace() == D[V.Owner].color();
    R.report(WrongColor ? Texts.Tag.Color : memorySpaceText(Texts.Shape),
             "value {} has color {}, but its layout has memory space {}",
             D.spell(V.Tag), V.Tag.Color, S.memorySpace())
        .about(ValueId(I));
  }
}
} // namespace hlobuf
