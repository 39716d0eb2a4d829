// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Headers and value lines.

#include "Dump/Lines.h"

using namespace hlobuf;
using llvm::StringRef;

/// The text between the rest of \p Before and the rest of \p In.
static StringRef passed(StringRef Before, const Scanner &In) {
  return Before.drop_back(In.rest().size());
}

static bool parseOptionalIndex(Scanner &In, HloTables &T, ShapeIndex &Index,
                               StringRef &Text) {
  StringRef Before = In.rest();
  if (In.front() == '{' && !T.Indices.parse(In, Index))
    return false;
  Text = passed(Before, In);
  return true;
}

/// ` @N`, if it is there.
static bool parseColor(Scanner &In, ValueTag &Tag, StringRef &Text) {
  if (!In.literal(" @"))
    return true;
  Tag.HasColor = true;
  return In.signedNumber(Tag.Color, &Text);
}

/// Value ids stay below 2^31: the keys of hash tables have room.
static bool parseId(Scanner &In, ValueTag &Tag, TagTexts &Out) {
  return In.number(Tag.Id, &Out.Id) && Tag.Id <= INT32_MAX;
}

bool hlobuf::parseTag(Scanner &In, HloTables &T, ValueTag &Tag,
                      TagTexts *Texts) {
  TagTexts Local;
  TagTexts &Out = Texts ? *Texts : Local;
  StringRef Before = In.rest();
  if (!In.literal('<') || !parseId(In, Tag, Out) || !In.literal(' ') ||
      !In.name(Out.Name) || !parseOptionalIndex(In, T, Tag.Index, Out.Index))
    return false;
  StringRef BeforePhi = In.rest();
  Tag.Phi = In.literal(" (phi)");
  Out.Phi = passed(BeforePhi, In);
  if (!parseColor(In, Tag, Out.Color) || !In.literal('>'))
    return false;
  Tag.Name = T.Names.intern(Out.Name);
  Out.Whole = passed(Before, In);
  return true;
}

/// A shape without layout between bars, or the text for an unknown one.
static bool parseBarredShape(Scanner &In, HloTables &T, ShapeId &Shape,
                             bool *Unknown, StringRef &Text) {
  if (!In.literal('|'))
    return false;
  StringRef Before = In.rest();
  if (Unknown && In.literal("<unknown shape>"))
    *Unknown = true;
  else if (!(Shape = T.Shapes.parse(In)))
    return false;
  Text = passed(Before, In);
  return In.literal('|');
}

static bool parseParameter(Scanner &In, HloTables &T, Allocation &A,
                           AllocationTexts &Texts) {
  bool Unknown = false;
  if (!In.number(A.ParameterNumber, &Texts.Parameter))
    return false;
  if (In.literal(", shape ") &&
      !parseBarredShape(In, T, A.ParameterShape, &Unknown,
                        Texts.ParameterShape))
    return false;
  A.Parameter = true;
  A.UnknownParameterShape = Unknown;
  if (!In.literal(" at ShapeIndex "))
    return false;
  StringRef Before = In.rest();
  if (!T.Indices.parse(In, A.ParameterIndex))
    return false;
  Texts.ParameterIndex = passed(Before, In);
  return true;
}

/// Takes an attribute that this tool does not know: up to the next comma or
/// the final colon.
static bool parseUnknownAttribute(Scanner &In, StringRef &Unknown) {
  StringRef Before = In.rest();
  In.literal(", ");
  if (!isLower(In.front()))
    return false;
  size_t Size = In.rest().find(", ");
  if (Size == StringRef::npos)
    Size = In.rest().size() - 1;
  StringRef Attribute = In.take(Size);
  if (Attribute.empty() || Attribute.contains(':') || Attribute.contains('|'))
    return false;
  // Known ones must not come again, or misspelled by order.
  for (StringRef Known :
       {"size ", "color ", "page ", "parameter ", "output ", "constant",
        "thread-local", "maybe-live-out", "preallocated-temp", "shape "})
    if (Attribute.starts_with(Known))
      return false;
  if (!Unknown.empty())
    return false; // one run of them, so that printing keeps their place
  Unknown = passed(Before, In);
  return true;
}

/// A flag: consumes `, word` and notes where the word is.
static bool parseFlag(Scanner &In, StringRef Word, StringRef &Text) {
  StringRef Rest = In.rest();
  if (!Rest.consume_front(", ") || !Rest.starts_with(Word))
    return false;
  StringRef After = Rest.drop_front(Word.size());
  if (!After.starts_with(",") && !After.starts_with(":"))
    return false;
  In.literal(", ");
  Text = In.take(Word.size());
  return true;
}

/// `0x..., `, if it is there.
static bool parsePointer(Scanner &In, uint64_t &Pointer) {
  if (!In.rest().starts_with("0x"))
    return true;
  StringRef Hex = In.rest().drop_front(2).take_while(
      [](char C) { return llvm::isHexDigit(C) && !isUpper(C); });
  if (Hex.empty() || (Hex.size() > 1 && Hex.front() == '0') ||
      Hex.getAsInteger(16, Pointer) || Pointer == 0)
    return false;
  In.take(Hex.size() + 2);
  return In.literal(", ");
}

bool hlobuf::parseAllocationLine(StringRef Line, HloTables &T, Allocation &A,
                                 AllocationTexts *Texts) {
  AllocationTexts Local;
  AllocationTexts &Out = Texts ? *Texts : Local;
  Scanner In(Line);
  if (!In.literal("allocation ") || !In.number(A.Index, &Out.Index) ||
      !In.literal(": ") || !parsePointer(In, A.Pointer))
    return false;
  if (!In.literal("size ") || !In.number(A.Size, &Out.Size))
    return false;
  if (In.literal(", color ") &&
      (!In.signedNumber(A.Color, &Out.Color) || A.Color == 0))
    return false;
  if (In.literal(", page ") && !In.signedNumber(A.Page.emplace(), &Out.Page))
    return false;
  if (In.literal(", parameter ") && !parseParameter(In, T, A, Out))
    return false;
  if (In.literal(", output shape is ") &&
      !parseBarredShape(In, T, A.OutputShape, nullptr, Out.OutputShape))
    return false;
  A.Constant = parseFlag(In, "constant", Out.Constant);
  A.ThreadLocal = parseFlag(In, "thread-local", Out.ThreadLocal);
  A.MaybeLiveOut = parseFlag(In, "maybe-live-out", Out.MaybeLiveOut);
  A.PreallocatedTemp = parseFlag(In, "preallocated-temp", Out.PreallocatedTemp);
  if (In.rest().starts_with(", ") && !parseUnknownAttribute(In, A.Unknown))
    return false;
  return In.literal(':') && In.atEnd();
}

static bool parseShapeToEnd(Scanner &In, HloTables &T, Value &V,
                            StringRef &Text) {
  if (!In.literal(": "))
    return false;
  Text = In.rest();
  V.Shape = T.Shapes.parse(In);
  return V.Shape && In.atEnd();
}

/// False where offset + size does not fit.
static bool fits(const Value &V) { return V.end() >= V.Offset; }

bool hlobuf::parseValueLine(StringRef Line, HloTables &T, Value &V,
                            ValueTexts *Texts) {
  ValueTexts Local;
  ValueTexts &Out = Texts ? *Texts : Local;
  Scanner In(Line);
  return In.literal(" value: ") && parseTag(In, T, V.Tag, &Out.Tag) &&
         In.literal(" (size=") && In.number(V.Size, &Out.Size) &&
         In.literal(",offset=") && In.number(V.Offset, &Out.Offset) &&
         In.literal(')') && fits(V) && parseShapeToEnd(In, T, V, Out.Shape);
}

bool hlobuf::parseReusedLine(StringRef Line, HloTables &T, ReusedValue &R,
                             TagTexts *Texts) {
  Scanner In(Line);
  return In.literal("  value: ") && parseTag(In, T, R.Tag, Texts) &&
         In.literal(" (color=") && In.signedNumber(R.Color) &&
         In.literal(')') && In.atEnd();
}
