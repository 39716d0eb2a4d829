// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HLO/InstructionParser.h"
#include "HLO/TopLevel.h"
#include "llvm/ADT/StringSwitch.h"

using namespace hlobuf;

/// True if \p Text has `, ` at \p Pos.
static bool isSeparator(StringRef Text, size_t Pos) {
  return Pos + 1 < Text.size() && Text[Pos] == ',' && Text[Pos + 1] == ' ';
}

std::optional<InstructionHead> hlobuf::takeHead(Scanner &In) {
  InstructionHead Head;
  Head.Root = In.literal("ROOT ");
  In.literal('%');
  if (!In.name(Head.Name) || !In.literal(" = "))
    return std::nullopt;
  Head.End = In.rest().data();
  return Head;
}

std::optional<InstructionText> hlobuf::parseInstruction(StringRef Text,
                                                        ShapeTable &Shapes) {
  Scanner In(Text);
  std::optional<InstructionHead> Head = takeHead(In);
  return Head ? parseInstruction(*Head, Text.end(), Shapes) : std::nullopt;
}

std::optional<InstructionText>
hlobuf::parseInstruction(const InstructionHead &Head, const char *End,
                         ShapeTable &Shapes) {
  InstructionText I;
  static_cast<InstructionHead &>(I) = Head;
  Scanner In(StringRef(Head.End, static_cast<size_t>(End - Head.End)));
  StringRef Before = In.rest();
  I.Result = Shapes.parse(In);
  if (!I.Result || In.front() != ' ')
    return std::nullopt;
  I.ShapeText = Before.drop_back(In.rest().size());
  In.literal(' ');
  if (!In.name(I.OpcodeText) || !In.literal('('))
    return std::nullopt;
  I.Op = parseOpcode(I.OpcodeText);
  size_t Close = closingBracket(In.rest());
  if (Close == StringRef::npos || In.rest()[Close] != ')')
    return std::nullopt;
  I.Operands = In.take(Close);
  In.literal(')');
  I.Attributes = In.rest();
  if (!I.Attributes.empty() && !isSeparator(I.Attributes, 0))
    return std::nullopt;
  return I;
}

/// Takes `#0#1` at the front of \p Rest; empty if there is none.
static StringRef takeElementPath(StringRef &Rest) {
  size_t Size = 0;
  while (Size != Rest.size() &&
         (Rest[Size] == '#' || llvm::isDigit(Rest[Size])))
    ++Size;
  StringRef Path = Rest.take_front(Size);
  if (!Path.empty() &&
      (Path.front() != '#' || Path.back() == '#' || Path.contains("##")))
    return StringRef();
  Rest = Rest.drop_front(Size);
  return Path;
}

/// Takes an operand that is a bare `%name` up to the `, ` after it or the end
/// of \p Rest: nearly all are. Leaves anything else alone.
static bool takeBareOperand(StringRef &Rest, OperandText &Operand) {
  StringRef In = Rest;
  if (In[0] == '%')
    In = In.drop_front();
  size_t Size = nameSize(In);
  if (Size == 0 || llvm::isDigit(In[0]) || In[0] == '.' || In[0] == '-')
    return false;
  Operand.Name = In.take_front(Size);
  In = In.drop_front(Size);
  if (!In.empty() && In[0] == '#')
    Operand.Path = takeElementPath(In);
  if (!In.empty() && !isSeparator(In, 0))
    return false;
  Rest = In;
  return true;
}

/// Takes any operand: an optional comment, an optional shape, a name.
static bool takeOperand(StringRef &Rest, OperandText &Operand) {
  size_t Comma = scanTopLevel(Rest, [&](size_t I) { return Rest[I] == ','; });
  StringRef Item = Rest.take_front(Comma);
  Rest = Rest.drop_front(Item.size());
  if (Item.consume_front("/*")) {
    size_t Close = Item.find("*/");
    if (Close == StringRef::npos)
      return false;
    Item = Item.drop_front(Close + 2);
  }
  size_t Space = Item.rfind(' ');
  if (Space != StringRef::npos) {
    Operand.Shape = Item.take_front(Space);
    Item = Item.drop_front(Space + 1);
  }
  Item.consume_front("%");
  Scanner In(Item);
  if (!In.name(Operand.Name))
    return false;
  StringRef Path = In.rest();
  Operand.Path = takeElementPath(Path);
  return Path.empty();
}

bool hlobuf::forEachOperand(StringRef Operands,
                            function_ref<void(OperandText)> Visit) {
  StringRef Rest = Operands;
  while (!Rest.empty()) {
    OperandText Operand;
    if (!takeBareOperand(Rest, Operand)) {
      Operand = OperandText();
      if (!takeOperand(Rest, Operand))
        return false;
    }
    Visit(Operand);
    if (Rest.empty())
      return true;
    if (!isSeparator(Rest, 0) || Rest.size() == 2)
      return false;
    Rest = Rest.drop_front(2);
  }
  return true;
}

/// Bytes of the item at the front of \p Rest, up to the `, ` that ends it.
static size_t itemSize(StringRef Rest) {
  size_t End =
      scanTopLevel(Rest, [&](size_t I) { return isSeparator(Rest, I); });
  return std::min(End, Rest.size());
}

bool hlobuf::holdsKey(StringRef Text, StringRef Key) {
  for (size_t Offset = Text.find('='); Offset != StringRef::npos;
       Offset = Text.find('=', Offset + 1))
    if (Offset >= Key.size() && Text[Offset - 1] == Key.back() &&
        Text.take_front(Offset).ends_with(Key))
      return true;
  return false;
}

/// From attribute \p Key on, whose value may be followed by others; nothing if
/// there is none.
static std::optional<StringRef> fromAttribute(StringRef Attributes,
                                              StringRef Key) {
  StringRef Rest = Attributes;
  for (bool IsFirst = true; isSeparator(Rest, 0); IsFirst = false) {
    Rest = Rest.drop_front(2);
    if (Rest.size() > Key.size() && Rest[Key.size()] == '=' &&
        Rest.starts_with(Key))
      return Rest;
    // Most texts hold no such attribute; a plain search settles them.
    if (IsFirst && !holdsKey(Rest, Key))
      return std::nullopt;
    Rest = Rest.drop_front(itemSize(Rest));
  }
  return std::nullopt;
}

std::optional<StringRef> hlobuf::findAttribute(StringRef Attributes,
                                               StringRef Key) {
  std::optional<StringRef> Rest = fromAttribute(Attributes, Key);
  if (Rest)
    Rest = Rest->take_front(itemSize(*Rest)).drop_front(Key.size() + 1);
  return Rest;
}

StringRef hlobuf::customCallTarget(StringRef Attributes) {
  return findAttribute(Attributes, "custom_call_target").value_or("").trim('"');
}

bool hlobuf::runsOnSparseCore(StringRef Attributes) {
  return findAttribute(Attributes, "async_execution_thread") ==
         StringRef("\"sparsecore\"");
}

bool hlobuf::isSharded(Opcode Op, StringRef Attributes) {
  return Op == Opcode::Call && Attributes.contains("\"implicit_sharding\":{");
}

bool hlobuf::takeAttributeKey(StringRef &Rest, StringRef &Key) {
  if (!isSeparator(Rest, 0))
    return false;
  size_t End = 2;
  while (End != Rest.size() && Rest[End] != '=' && Rest[End] != ',')
    ++End;
  Key = Rest.slice(2, End);
  bool HasValue = End != Rest.size() && Rest[End] == '=';
  Rest = Rest.drop_front(HasValue ? End + 1 : End);
  return true;
}

StringRef hlobuf::takeAttributeValue(StringRef &Rest) {
  StringRef Value = Rest.take_front(itemSize(Rest));
  Rest = Rest.drop_front(Value.size());
  return Value;
}

InstructionMetadata hlobuf::readMetadata(StringRef Attributes) {
  InstructionMetadata M;
  // A walk that ends with the bracket need not look for the end first.
  std::optional<StringRef> Metadata = fromAttribute(Attributes, "metadata");
  if (!Metadata || !Metadata->consume_front("metadata={"))
    return M;
  StringRef Rest = *Metadata;
  while (!Rest.empty() && Rest.front() != '}') {
    size_t End = scanTopLevel(Rest, [&](size_t I) { return Rest[I] == ' '; });
    auto [Key, Value] = Rest.take_front(End).split('=');
    bool IsEmpty = End == 0;
    Rest = Rest.drop_front(std::min(End, Rest.size()));
    if (!Rest.consume_front(" ") && IsEmpty)
      break; // a bracket that was never opened
    std::optional<StringRef> *Item =
        llvm::StringSwitch<std::optional<StringRef> *>(Key)
            .Case("op_name", &M.OpName)
            .Case("source_file", &M.SourceFile)
            .Case("source_line", &M.SourceLine)
            .Case("stack_frame_id", &M.StackFrame)
            .Default(nullptr);
    if (!Item || *Item)
      continue;
    if (Value.consume_front("\""))
      Value.consume_back("\"");
    *Item = Value;
  }
  return M;
}

static bool isOctal(char C) { return C >= '0' && C <= '7'; }

std::string hlobuf::unescape(StringRef Text) {
  if (!Text.contains('\\'))
    return Text.str();
  std::string Out;
  Out.reserve(Text.size());
  for (size_t I = 0; I < Text.size(); ++I) {
    if (Text[I] != '\\' || I + 1 == Text.size()) {
      Out += Text[I];
      continue;
    }
    char C = Text[++I];
    if (I + 2 < Text.size() && isOctal(C) && isOctal(Text[I + 1]) &&
        isOctal(Text[I + 2])) {
      Out += static_cast<char>((C - '0') * 64 + (Text[I + 1] - '0') * 8 +
                               (Text[I + 2] - '0'));
      I += 2;
      continue;
    }
    Out += C == 'n' ? '\n' : C == 'r' ? '\r' : C == 't' ? '\t' : C;
  }
  return Out;
}

std::optional<SmallVector<DeclaredAlias, 2>>
hlobuf::parseAliases(StringRef Value, ShapeIndexTable &Indices) {
  SmallVector<DeclaredAlias, 2> Aliases;
  Scanner In(Value);
  if (!In.literal('{'))
    return std::nullopt;
  if (In.literal('}'))
    return In.atEnd() ? std::optional(Aliases) : std::nullopt;
  do {
    DeclaredAlias Alias;
    StringRef Before = In.rest();
    if (!Indices.parse(In, Alias.Output, true) || !In.literal(": (") ||
        !In.number(Alias.Operand) || !In.literal(", ") ||
        !Indices.parse(In, Alias.Index, true) || !In.literal(')'))
      return std::nullopt;
    Alias.Text = Before.drop_back(In.rest().size());
    Aliases.push_back(Alias);
  } while (In.literal(", "));
  if (!In.literal('}') || !In.atEnd())
    return std::nullopt;
  return Aliases;
}

SmallVector<DeclaredAlias, 2>
hlobuf::declaredAliases(StringRef Attributes, ShapeIndexTable &Indices) {
  std::optional<StringRef> Text =
      findAttribute(Attributes, "output_to_operand_aliasing");
  return parseAliases(Text.value_or("{}"), Indices)
      .value_or(SmallVector<DeclaredAlias, 2>());
}
