// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text to shapes.

#include "HLO/Shape.h"
#include "HLO/TopLevel.h"
#include "llvm/ADT/StringSwitch.h"

using namespace hlobuf;

namespace hlobuf {
/// Recursive descent over one shape text.
class ShapeParser {
public:
  explicit ShapeParser(ShapeTable &Table) : Table(Table) {}

  /// A shape that is not part of another one.
  ShapeId parseWhole(Scanner &In);

private:
  ShapeId parse(Scanner &In, unsigned Depth);
  ShapeId parseFresh(Scanner &In, unsigned Depth);
  bool parseTuple(Scanner &In, Shape &S, unsigned Depth);
  bool parseBuffer(Scanner &In, Shape &S, unsigned Depth);
  bool parseArray(Scanner &In, Shape &S);
  bool parseDimensions(Scanner &In, Shape &S);
  bool parseLayout(Scanner &In, Layout &L, size_t Rank);
  bool parseProperty(Scanner &In, Layout &L);
  bool parseTiles(Scanner &In, Layout &L);
  bool parseSplits(Scanner &In, Layout &L);

  ShapeTable &Table;
};
} // namespace hlobuf

/// Deeper tuples than any program has; guards the stack.
static constexpr unsigned MaxDepth = 200;

/// The number of bytes up to the bracket that closes the one at the front; 0
/// if it is not closed.
static size_t balancedSize(StringRef Text) {
  size_t Inside = closingBracket(Text.drop_front());
  return Inside == StringRef::npos ? 0 : Inside + 2;
}

/// The number of bytes of the shape at the front of \p Text, judged by its
/// brackets alone; 0 if it cannot be one.
static size_t extent(StringRef Text) {
  if (Text.empty())
    return 0;
  if (Text[0] == '(')
    return balancedSize(Text);
  if (Text[0] == 'b' && Text.starts_with("b("))
    return 1 + balancedSize(Text.drop_front(1));
  size_t Open = Text.find_if_not(llvm::isAlnum);
  if (Open == 0 || Open == StringRef::npos || Text[Open] != '[')
    return 0;
  size_t Close = Text.find(']', Open);
  if (Close == StringRef::npos)
    return 0;
  size_t Size = Close + 1;
  if (Size != Text.size() && Text[Size] == '{') {
    size_t Braces = balancedSize(Text.drop_front(Size));
    if (Braces == 0)
      return 0;
    Size += Braces;
  }
  return Size;
}

static unsigned elementBits(StringRef Element) {
#define HLOBUF_PRIMITIVE(Text, Bits)                                           \
  if (Element == Text)                                                         \
    return Bits;
#include "HLO/PrimitiveTypes.def"
  return 0;
}

ShapeId ShapeParser::parse(Scanner &In, unsigned Depth) {
  size_t Size = extent(In.rest());
  if (Size == 0 || Depth > MaxDepth)
    return ShapeId();
  StringRef Text = In.rest().take_front(Size);
  if (ShapeId Known = Table.known(Text)) {
    In.take(Size);
    return Known;
  }
  Scanner Inner(Text);
  ShapeId Id = parseFresh(Inner, Depth);
  if (!Id || !Inner.atEnd())
    return ShapeId();
  In.take(Size);
  return Id;
}

ShapeId ShapeParser::parseWhole(Scanner &In) {
  // The shape of an array ends at a space, or with the line; in a module, one
  // instruction after the other has the same few.
  StringRef Text = In.rest();
  size_t Size = std::min(Text.find(' '), Text.size());
  if (ShapeId Id = Table.known(Text.take_front(Size))) {
    In.take(Size);
    return Id;
  }
  return parse(In, 0);
}

ShapeId ShapeParser::parseFresh(Scanner &In, unsigned Depth) {
  StringRef Text = In.rest();
  Shape S;
  bool Read = In.front() == '('        ? parseTuple(In, S, Depth)
              : Text.starts_with("b(") ? parseBuffer(In, S, Depth)
                                       : parseArray(In, S);
  if (!Read)
    return ShapeId();
  return Table.intern(Text.drop_back(In.rest().size()), std::move(S));
}

bool ShapeParser::parseTuple(Scanner &In, Shape &S, unsigned Depth) {
  S.Kind = ShapeKind::Tuple;
  if (!In.literal('('))
    return false;
  if (In.literal(')'))
    return true;
  for (uint32_t K = 0;; ++K) {
    if (K != 0 && !In.literal(", "))
      return false;
    if (K != 0 && K % 5 == 0) {
      bool Comment = In.literal("/*index=");
      uint32_t Index = 0;
      if (Comment && (!In.number(Index) || Index != K || !In.literal("*/")))
        return false;
      if (K > 5 && Comment != S.IndexComments)
        return false;
      S.IndexComments = Comment;
    }
    ShapeId Element = parse(In, Depth + 1);
    if (!Element)
      return false;
    S.Elements.push_back(Element);
    S.Places.push_back(S.Nodes);
    S.Nodes += Table[Element].Nodes;
    if (In.literal(')'))
      break;
  }
  if (S.isFlat())
    S.Places = {};
  return true;
}

bool ShapeParser::parseBuffer(Scanner &In, Shape &S, unsigned Depth) {
  S.Kind = ShapeKind::Buffer;
  In.literal("b(");
  ShapeId Inner = parse(In, Depth + 1);
  if (!Inner || !In.literal(')'))
    return false;
  S.Elements.push_back(Inner);
  return true;
}

bool ShapeParser::parseArray(Scanner &In, Shape &S) {
  StringRef Text = In.rest();
  size_t Open = Text.find('[');
  S.Element = In.take(Open);
  if (!isLower(S.Element.front()))
    return false;
  if (S.Element == "token" || S.Element == "opaque") {
    S.Kind = S.Element == "token" ? ShapeKind::Token : ShapeKind::Opaque;
    return In.literal("[]");
  }
  S.Bits = elementBits(S.Element);
  if (!parseDimensions(In, S))
    return false;
  if (In.front() != '{')
    return true;
  S.Layout.emplace();
  return parseLayout(In, *S.Layout, S.Dimensions.size());
}

bool ShapeParser::parseDimensions(Scanner &In, Shape &S) {
  if (!In.literal('['))
    return false;
  if (In.literal(']'))
    return true;
  do {
    Dimension D;
    if (In.literal('?')) {
      D = {-1, true};
    } else {
      D.Dynamic = In.literal("<=");
      if (!In.number(D.Size))
        return false;
    }
    S.Dimensions.push_back(D);
  } while (In.literal(','));
  return In.literal(']');
}

bool ShapeParser::parseLayout(Scanner &In, Layout &L, size_t Rank) {
  if (!In.literal('{'))
    return false;
  SmallVector<bool, 8> Seen(Rank, false);
  if (In.front() != ':' && In.front() != '}') {
    do {
      uint32_t Dimension = 0;
      if (!In.number(Dimension) || Dimension >= Rank || Seen[Dimension])
        return false;
      Seen[Dimension] = true;
      L.MinorToMajor.push_back(Dimension);
    } while (In.literal(','));
  }
  if (L.MinorToMajor.size() != Rank)
    return false;
  if (In.literal(':')) {
    do {
      if (!parseProperty(In, L))
        return false;
    } while (In.front() != '}');
  } else if (Rank == 0) {
    return false; // XLA omits braces that would be empty.
  }
  return In.literal('}');
}

bool ShapeParser::parseProperty(Scanner &In, Layout &L) {
  StringRef Text = In.rest();
  size_t KeySize = Text.find('(');
  if (KeySize == 0 || KeySize == StringRef::npos)
    return false;
  StringRef Key = Text.take_front(KeySize);
  LayoutProperty P = llvm::StringSwitch<LayoutProperty>(Key)
                         .Case("D", LayoutProperty::DimLevels)
                         .Case("T", LayoutProperty::Tiles)
                         .Case("L", LayoutProperty::TailPadding)
                         .Case("#", LayoutProperty::IndexType)
                         .Case("*", LayoutProperty::PointerType)
                         .Case("E", LayoutProperty::ElementBits)
                         .Case("S", LayoutProperty::MemorySpace)
                         .Case("SC", LayoutProperty::Split)
                         .Case("P", LayoutProperty::PhysicalShape)
                         .Case("M", LayoutProperty::MetadataPrefix)
                         .Default(LayoutProperty::Unknown);
  if (P != LayoutProperty::Unknown && L.has(P))
    return false; // Nothing is printed twice.
  L.Groups.push_back(P);
  auto ReadNumber = [&](int64_t &Value) {
    In.take(KeySize + 1);
    return In.number(Value) && In.literal(')');
  };
  switch (P) {
  case LayoutProperty::Tiles:
    return parseTiles(In, L);
  case LayoutProperty::Split:
    return parseSplits(In, L);
  case LayoutProperty::TailPadding:
    return ReadNumber(L.TailPadding) && L.TailPadding > 0;
  case LayoutProperty::ElementBits:
    return ReadNumber(L.ElementBits);
  case LayoutProperty::MemorySpace:
    return ReadNumber(L.MemorySpace);
  case LayoutProperty::MetadataPrefix:
    return ReadNumber(L.MetadataPrefix);
  default:
    break;
  }
  size_t Size = KeySize;
  // Further parenthesis groups belong to the same key.
  do {
    size_t Group = balancedSize(Text.drop_front(Size));
    if (Group == 0)
      return false;
    Size += Group;
  } while (Text.drop_front(Size).starts_with("("));
  L.Raw.push_back(In.take(Size));
  return llvm::all_of(
      Key, [](char C) { return isUpper(C) || C == '#' || C == '*'; });
}

/// Takes `8,128)`; in a tile, where no number is 0, `*` as well.
static bool takeGroup(Scanner &In, SmallVectorImpl<int64_t> &Numbers,
                      bool IsTile) {
  do {
    int64_t &Number = Numbers.emplace_back(CombineDimension);
    bool Combines = IsTile && In.literal('*');
    if (!Combines && (!In.number(Number) || (IsTile && Number == 0)))
      return false;
  } while (In.literal(','));
  return In.literal(')');
}

bool ShapeParser::parseTiles(Scanner &In, Layout &L) {
  In.literal('T');
  while (In.literal('('))
    if (!takeGroup(In, L.Tiles.emplace_back(), /*IsTile=*/true))
      return false;
  return true;
}

bool ShapeParser::parseSplits(Scanner &In, Layout &L) {
  In.literal("SC");
  while (In.literal('(')) {
    SplitConfig &Split = L.Splits.emplace_back();
    if (!In.number(Split.Dimension) || !In.literal(':') ||
        !takeGroup(In, Split.Indices, /*IsTile=*/false))
      return false;
  }
  return true;
}

ShapeId hlobuf::parseShape(ShapeTable &Table, Scanner &In) {
  return ShapeParser(Table).parseWhole(In);
}
