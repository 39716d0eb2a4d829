// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Input/PastedText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"

using namespace hlobuf;
using llvm::Regex;

/// How a dump begins: an assignment, a file in a frame.
static constexpr StringRef Begin = "BufferAssignment:", Frame = "*** Begin ";

/// \p Line without colors and, if it is \p Escaped, HTML entities.
static std::string plain(StringRef Line, bool Escaped) {
  static constexpr std::pair<StringRef, StringRef> Entities[] = {
      {"&lt;", "<"},  {"&gt;", ">"},   {"&quot;", "\""},
      {"&#39;", "'"}, {"&#x27;", "'"}, {"&amp;", "&"}};
  std::string Out = Line.rtrim('\r').str();
  for (Regex Color("\x1b\\[[0-9;]*[A-Za-z]"); Color.match(Out);)
    Out = Color.sub("", Out);
  if (Escaped)
    for (auto [Entity, Character] : Entities)
      for (size_t At = Out.find(Entity); At != std::string::npos;
           At = Out.find(Entity, At + 1))
        Out.replace(At, Entity.size(), Character);
  return Out;
}

/// What matches \p Head, the begin of a line, also with other numbers in it:
/// times, processes. Blanks at the end of a line get lost.
static Regex likeHead(StringRef Head) {
  std::string Form = "^";
  StringRef Text = Head.rtrim(' ');
  size_t Blanks = Head.size() - Text.size();
  while (!Text.empty()) {
    size_t Digits = Text.ltrim(' ').find_if_not(llvm::isDigit);
    if (Digits != 0) {
      Form += " *[0-9]+";
      Text = Text.ltrim(' ').substr(Digits);
    } else {
      Form += Regex::escape(Text.take_front(1));
      Text = Text.drop_front(1);
    }
  }
  if (Blanks != 0)
    Form += "(" + std::string(Blanks, ' ') + "|$)";
  return Regex(Form);
}

/// True if a line of an assignment may begin like \p Line. Text after a dump
/// does not.
static bool isLikeDump(StringRef Line) {
  static const Regex Heads(
      "^(allocation |Total bytes used: |Used values:|<[0-9]|"
      "HloLiveRange |  | value: | (positions|uses|from "
      "instruction):)");
  return Heads.match(Line) && !Line.trim().empty();
}

namespace {
/// A text that may hold a dump.
struct Pasting {
  explicit Pasting(StringRef Text);

  bool beginsAt(size_t I);
  std::optional<StringRef> content(size_t I);

  /// Without colors, carriage returns and entities.
  std::vector<std::string> Lines;
  /// What each line of the dump begins with.
  Regex Head = Regex("^");
  /// How many lines on the next one of the dump is.
  size_t Stride = 1;
  bool Framed = false;
};
} // namespace

Pasting::Pasting(StringRef Text) {
  bool Escaped = Text.contains(" value: &lt;");
  Text.consume_back("\n");
  for (StringRef Line : llvm::split(Text, '\n'))
    Lines.push_back(plain(Line, Escaped));
}

/// The line \p I without its head; nothing if it has none.
std::optional<StringRef> Pasting::content(size_t I) {
  SmallVector<StringRef, 2> Groups;
  if (I >= Lines.size() || !Head.match(Lines[I], &Groups))
    return std::nullopt;
  return StringRef(Lines[I]).drop_front(Groups.front().size());
}

/// True if a dump begins in line \p I.
bool Pasting::beginsAt(size_t I) {
  StringRef Line = StringRef(Lines[I]).rtrim();
  Framed = Line.ends_with(" ***") && Line.contains(Frame);
  if (!Framed && !Line.ends_with(Begin))
    return false;
  Head = likeHead(Line.take_front(Line.rfind(Framed ? Frame : Begin)));
  auto Follows = [&](size_t Next) {
    return content(Next).value_or("").starts_with("allocation ");
  };
  Stride = Follows(I + 2) && content(I + 1).value_or("x").empty() ? 2 : 1;
  if (Framed || Follows(I + Stride))
    return true;
  // Some logs have a head for each message, not for each line.
  Head = Regex("^");
  return Follows(I + 1);
}

std::optional<PastedText> hlobuf::undoPasting(StringRef Text) {
  // What is large and has no dump is not taken apart.
  if (!Text.contains(Begin) && !Text.contains(Frame))
    return std::nullopt;
  Pasting In(Text);
  size_t First = 0, Last = In.Lines.size() - 1;
  while (First <= Last && !In.beginsAt(First))
    ++First;
  if (First > Last)
    return std::nullopt;
  while (!In.Framed && Last != First &&
         !isLikeDump(In.content(Last).value_or("")))
    --Last;
  PastedText Out;
  for (size_t I = 0; I != In.Lines.size(); ++I) {
    StringRef Line = In.Lines[I];
    if (I < First || I > Last) {
      Out.Around += !Line.trim().empty();
      continue;
    }
    Line = I == First
               ? Line.substr(Line.rfind(In.Framed ? Frame : Begin)).rtrim()
               : In.content(I).value_or(Line);
    if ((I - First) % In.Stride != 0 && Line.empty())
      continue;
    Out.Text += Line;
    Out.Text += '\n';
    Out.Lines.push_back(static_cast<uint32_t>(I + 1));
  }
  if (Last + 1 == In.Lines.size() && !Text.ends_with("\n"))
    Out.Text.pop_back();
  return Out.Text != Text ? std::optional(std::move(Out)) : std::nullopt;
}
