// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HLO/Shape.h"

using namespace hlobuf;

ShapeId ShapeTable::known(StringRef Text) const { return ByText.lookup(Text); }

ShapeId ShapeTable::intern(StringRef Text, Shape S) {
  ShapeId Id(Shapes.size());
  S.Unbounded =
      llvm::any_of(S.Dimensions, [](Dimension D) { return D.unbounded(); }) ||
      llvm::any_of(S.Elements,
                   [&](ShapeId Element) { return (*this)[Element].Unbounded; });
  Shapes.push_back(std::move(S));
  Texts.push_back(Text);
  ByText.try_emplace(Text, Id);
  return Id;
}

ShapeId ShapeTable::parse(StringRef Text) {
  if (ShapeId Known = known(Text))
    return Known;
  Scanner In(Text);
  ShapeId Id = parse(In);
  return In.atEnd() ? Id : ShapeId();
}

std::string hlobuf::withoutLayouts(StringRef Shape) {
  std::string Out;
  unsigned Depth = 0;
  for (char C : Shape) {
    Depth += C == '{';
    if (Depth == 0)
      Out += C;
    Depth -= C == '}' && Depth != 0;
  }
  return Out;
}

std::string hlobuf::withoutComments(StringRef Text) {
  std::string Out;
  while (!Text.empty()) {
    auto [Before, After] = Text.split("/*");
    Out += Before;
    Text = After.split("*/").second;
  }
  return Out;
}

bool ShapeTable::equalIgnoringLayout(ShapeId A, ShapeId B) const {
  if (A == B)
    return true;
  const Shape &X = (*this)[A];
  const Shape &Y = (*this)[B];
  if (X.Kind != Y.Kind || X.Element != Y.Element ||
      X.Dimensions != Y.Dimensions || X.Elements.size() != Y.Elements.size())
    return false;
  for (size_t K = 0; K != X.Elements.size(); ++K)
    if (!equalIgnoringLayout(X.Elements[K], Y.Elements[K]))
      return false;
  return true;
}

ShapeId ShapeTable::at(ShapeId Id, ArrayRef<uint32_t> Steps) const {
  for (uint32_t Step : Steps) {
    const Shape &S = (*this)[Id];
    if (!S.isTuple() || Step >= S.Elements.size())
      return ShapeId();
    Id = S.Elements[Step];
  }
  return Id;
}
