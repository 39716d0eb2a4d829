// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HLO/Shape.h"
#include "Support/Format.h"
#include <iterator>

using namespace hlobuf;
using llvm::StringRef;

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

template <typename Range>
static void printList(const Range &Numbers, std::string &Out) {
  bool First = true;
  for (int64_t Number : Numbers) {
    if (!First)
      Out += ',';
    First = false;
    if (Number == CombineDimension)
      Out += '*';
    else
      Out += std::to_string(Number);
  }
}

static void printProperty(const Layout &L, LayoutProperty P, size_t &NextRaw,
                          std::string &Out) {
  switch (P) {
  case LayoutProperty::Tiles:
    Out += 'T';
    for (const Tile &T : L.Tiles) {
      Out += '(';
      printList(T, Out);
      Out += ')';
    }
    return;
  case LayoutProperty::Split:
    Out += "SC";
    for (const SplitConfig &Split : L.Splits) {
      appendFormat(Out, "({}:", Split.Dimension);
      printList(Split.Indices, Out);
      Out += ')';
    }
    return;
  case LayoutProperty::TailPadding:
    appendFormat(Out, "L({})", L.TailPadding);
    return;
  case LayoutProperty::ElementBits:
    appendFormat(Out, "E({})", L.ElementBits);
    return;
  case LayoutProperty::MemorySpace:
    appendFormat(Out, "S({})", L.MemorySpace);
    return;
  case LayoutProperty::MetadataPrefix:
    appendFormat(Out, "M({})", L.MetadataPrefix);
    return;
  case LayoutProperty::DimLevels:
  case LayoutProperty::IndexType:
  case LayoutProperty::PointerType:
  case LayoutProperty::PhysicalShape:
  case LayoutProperty::Unknown:
    Out += L.Raw[NextRaw++];
    return;
  }
}

static void printLayout(const Layout &L, std::string &Out) {
  Out += '{';
  printList(L.MinorToMajor, Out);
  if (!L.Order.empty())
    Out += ':';
  size_t NextRaw = 0;
  for (LayoutProperty P : L.Order)
    printProperty(L, P, NextRaw, Out);
  Out += '}';
}

static void printDimensions(const Shape &S, std::string &Out) {
  Out += '[';
  bool First = true;
  for (Dimension D : S.Dimensions) {
    if (!First)
      Out += ',';
    First = false;
    if (D.unbounded())
      Out += '?';
    else
      appendFormat(Out, "{}{}", D.Dynamic ? "<=" : "", D.Size);
  }
  Out += ']';
}

void ShapeTable::print(ShapeId Id, bool WithLayout, std::string &Out) const {
  const Shape &S = (*this)[Id];
  switch (S.Kind) {
  case ShapeKind::Tuple:
    Out += '(';
    for (size_t K = 0; K != S.Elements.size(); ++K) {
      if (K != 0)
        Out += ", ";
      if (S.IndexComments && K != 0 && K % 5 == 0)
        appendFormat(Out, "/*index={}*/", K);
      print(S.Elements[K], WithLayout, Out);
    }
    Out += ')';
    return;
  case ShapeKind::Buffer:
    Out += "b(";
    print(S.Elements.front(), WithLayout, Out);
    Out += ')';
    return;
  case ShapeKind::Array:
  case ShapeKind::Token:
  case ShapeKind::Opaque:
    Out += S.Element;
    printDimensions(S, Out);
    if (WithLayout && S.Layout)
      printLayout(*S.Layout, Out);
    return;
  }
}

std::string ShapeTable::plainText(ShapeId Id) const {
  std::string Out;
  print(Id, /*WithLayout=*/false, Out);
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

ShapeId ShapeTable::at(ShapeId Id, llvm::ArrayRef<uint32_t> Steps) const {
  for (uint32_t Step : Steps) {
    const Shape &S = (*this)[Id];
    if (!S.isTuple() || Step >= S.Elements.size())
      return ShapeId();
    Id = S.Elements[Step];
  }
  return Id;
}
