// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As ShapeUtil::PrintHumanString and Layout::Print (xla/shape_util.cc,
// layout.cc, 2019-2026).

#include "Proto/ShapeText.h"
#include "Proto/Wire.h"
#include "Support/Format.h"

using namespace hlobuf;

namespace {
enum ShapeField : uint32_t {
  ElementType = 2,
  Sizes = 3,
  TupleShape = 4,
  LayoutOf = 5,
  DynamicDimension = 6,
};
enum LayoutField : uint32_t {
  MinorToMajor = 1,
  Tile = 6,
  ElementBits = 7,
  MemorySpace = 8,
  PhysicalShape = 10,
  IndexType = 11,
  PointerType = 12,
  MetadataBytes = 15,
  TailPadding = 16,
  SplitConfig = 17,
};
} // namespace

/// Tuples in tuples; XLA's own are a handful deep.
static constexpr unsigned MaxDepth = 64;

StringRef hlobuf::primitiveName(int64_t Type) {
  static constexpr StringRef Names[] = {
      "invalid",    "pred",    "s8",       "s16",           "s32",
      "s64",        "u8",      "u16",      "u32",           "u64",
      "f16",        "f32",     "f64",      "tuple",         "opaque",
      "c64",        "bf16",    "token",    "c128",          "f8e5m2",
      "f8e4m3fn",   "s4",      "u4",       "f8e4m3b11fnuz", "f8e5m2fnuz",
      "f8e4m3fnuz", "s2",      "u2",       "f8e4m3",        "f8e3m4",
      "s1",         "u1",      "f4e2m1fn", "f8e8m0fnu",     "b",
      "f6e3m2fn",   "f6e2m3fn"};
  return Type >= 0 && Type < int64_t(std::size(Names)) ? Names[Type]
                                                       : StringRef();
}

int64_t hlobuf::elementType(StringRef Shape) {
  return numberAt(Shape, ElementType);
}

std::optional<StringRef> SubshapeCache::at(StringRef Shape,
                                           ArrayRef<int64_t> Index) {
  for (int64_t Step : Index) {
    auto [Known, New] = Elements.try_emplace(Shape.data());
    if (New)
      forEachMessage(
          Shape, TupleShape,
          [&Parts = Known->second](StringRef Part) { Parts.push_back(Part); });
    if (Step < 0 || static_cast<uint64_t>(Step) >= Known->second.size())
      return std::nullopt;
    Shape = Known->second[static_cast<size_t>(Step)];
  }
  return Shape;
}

static void printNumbers(ArrayRef<int64_t> All, std::string &Out) {
  appendFormat(Out, "{}", fmt::join(All, ","));
}

/// `(8,128)`; a dimension that takes all is INT64_MIN.
static void printTile(StringRef Tile, std::string &Out) {
  Out += '(';
  StringRef Separator;
  for (int64_t Size : numbersField(Tile, 1)) {
    Out += Separator;
    Out += Size == INT64_MIN ? "*" : std::to_string(Size);
    Separator = ",";
  }
  Out += ')';
}

static void printSplit(StringRef Split, std::string &Out) {
  Out += fmt::format("({}:", numberAt(Split, 1));
  printNumbers(numbersField(Split, 2), Out);
  Out += ')';
}

static bool printShapeAt(StringRef Shape, bool WithLayout, std::string &Out,
                         unsigned Depth);

static bool printLayout(StringRef Layout, bool Scalar, std::string &Out,
                        unsigned Depth) {
  SmallVector<int64_t, 6> Order;
  std::string Tiles, Splits;
  StringRef Physical;
  int64_t Tail = 1, Bits = 0, Space = 0, Index = 0, Pointer = 0, Metadata = 0;
  bool Good = true;
  auto AddTile = [&](StringRef Message) {
    Good &= isMessage(Message);
    printTile(Message, Tiles);
  };
  auto AddSplit = [&](StringRef Message) { printSplit(Message, Splits); };
  if (!readFields(Layout, into(MinorToMajor, Order), into(Tile, AddTile),
                  into(ElementBits, Bits), into(MemorySpace, Space),
                  into(PhysicalShape, Physical), into(IndexType, Index),
                  into(PointerType, Pointer), into(MetadataBytes, Metadata),
                  into(TailPadding, Tail), into(SplitConfig, AddSplit)) ||
      !Good)
    return false;
  std::string After;
  if (!Tiles.empty())
    After += "T" + Tiles;
  if (Tail > 1) // 0 is what releases before 2023 leave out
    After += fmt::format("L({})", Tail);
  if (Index != 0)
    After += fmt::format("#({})", primitiveName(Index));
  if (Pointer != 0)
    After += fmt::format("*({})", primitiveName(Pointer));
  if (Bits != 0)
    After += fmt::format("E({})", Bits);
  if (Space != 0)
    After += fmt::format("S({})", Space);
  if (!Splits.empty())
    After += "SC" + Splits;
  if (!Physical.empty()) {
    After += "P(";
    if (!printShapeAt(Physical, true, After, Depth + 1))
      return false;
    After += ')';
  }
  if (Metadata > 0)
    After += fmt::format("M({})", Metadata);
  if (Scalar && Order.empty() && After.empty())
    return true;
  Out += '{';
  printNumbers(Order, Out);
  if (!After.empty())
    Out += ":" + After;
  Out += '}';
  return true;
}

/// \p Tuple is the message of a tuple.
static bool printTuple(StringRef Tuple, bool WithLayout, std::string &Out,
                       unsigned Depth) {
  int64_t Number = 0;
  bool Good = true;
  Out += '(';
  Good &= forEachMessage(Tuple, TupleShape, [&](StringRef Element) {
    if (Number != 0)
      Out += ", ";
    if (Number != 0 && Number % 5 == 0)
      Out += fmt::format("/*index={}*/", Number);
    ++Number;
    Good = Good && printShapeAt(Element, WithLayout, Out, Depth + 1);
  });
  Out += ')';
  return Good;
}

static bool printShapeAt(StringRef Shape, bool WithLayout, std::string &Out,
                         unsigned Depth) {
  if (Depth > MaxDepth)
    return false;
  int64_t Type = elementType(Shape);
  if (Type == TupleType)
    return printTuple(Shape, WithLayout, Out, Depth);
  SmallVector<int64_t, 6> Extents;
  SmallVector<int64_t, 6> Dynamic;
  StringRef Layout;
  StringRef Inner;
  bool Good = readFields(Shape, into(ShapeField::Sizes, Extents),
                         into(DynamicDimension, Dynamic),
                         into(LayoutOf, Layout), into(TupleShape, Inner));
  StringRef Name = primitiveName(Type);
  if (!Good || Name.empty())
    return false;
  if (Name == "b") { // a buffer around one shape (2025 on)
    Out += "b(";
    Good = printShapeAt(Inner, WithLayout, Out, Depth + 1);
    Out += ')';
    return Good;
  }
  Out += Name;
  Out += '[';
  for (size_t I = 0; I != Extents.size(); ++I) {
    if (I != 0)
      Out += ',';
    if (I >= Dynamic.size() || Dynamic[I] == 0)
      Out += std::to_string(Extents[I]);
    else
      Out += Extents[I] == INT64_MIN ? "?" : fmt::format("<={}", Extents[I]);
  }
  Out += ']';
  bool HasLayout = Name != "opaque" && Name != "token" && Name != "invalid";
  if (!WithLayout || !HasLayout || !Layout.data())
    return true;
  return printLayout(Layout, Extents.empty(), Out, Depth);
}

bool hlobuf::printShape(StringRef Shape, bool WithLayout, std::string &Out) {
  return printShapeAt(Shape, WithLayout, Out, 0);
}

bool ShapeTexts::print(StringRef Shape, bool WithLayout, std::string &Out) {
  constexpr size_t Longest = 64; // Large tuples are hardly there twice.
  if (Shape.size() > Longest)
    return printShape(Shape, WithLayout, Out);
  auto [Entry, New] = Texts[WithLayout ? 1 : 0].try_emplace(Shape);
  if (New && !printShape(Shape, WithLayout, Entry->second))
    return false;
  Out += Entry->second;
  return true;
}
