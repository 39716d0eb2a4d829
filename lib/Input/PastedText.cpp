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

/// How long the begin of \p Line is that is like \p Head, also with other
/// numbers in it: times, processes. Blanks at the end of a line get lost.
/// Nothing if it is another one.
static std::optional<size_t> matchHead(StringRef Head, StringRef Line) {
  StringRef Text = Head, Rest = Line;
  while (!Text.empty()) {
    StringRef Number = Text.ltrim(' ').take_while(llvm::isDigit);
    if (Number.empty()) {
      if (Rest.empty() && Text.trim(' ').empty())
        return Line.size();
      if (!Rest.consume_front(Text.take_front(1)))
        return std::nullopt;
      Text = Text.drop_front(1);
      continue;
    }
    Text = Text.ltrim(' ').drop_front(Number.size());
    Rest = Rest.ltrim(' ');
    StringRef Other = Rest.take_while(llvm::isDigit);
    if (Other.empty())
      return std::nullopt;
    Rest = Rest.drop_front(Other.size());
  }
  return Line.size() - Rest.size();
}

/// True if a line of an assignment may begin like \p Line. Text after a dump
/// does not.
static bool isLikeDump(StringRef Line) {
  static constexpr StringRef Heads[] = {"allocation ",
                                        "Total bytes used: ",
                                        "Used values:",
                                        "HloLiveRange ",
                                        "  ",
                                        " value: ",
                                        " positions:",
                                        " uses:",
                                        " from instruction:"};
  if (Line.trim().empty())
    return false;
  return (Line.size() > 1 && Line[0] == '<' && llvm::isDigit(Line[1])) ||
         llvm::any_of(Heads,
                      [&](StringRef Head) { return Line.starts_with(Head); });
}

namespace {
/// A text that may hold a dump.
struct Pasting {
  explicit Pasting(StringRef Text);

  bool beginsAt(size_t I);
  std::optional<StringRef> content(size_t I);
  size_t lastInFence(size_t First);

  /// Without colors, carriage returns and entities.
  std::vector<std::string> Lines;
  /// What each line of the dump begins with.
  std::string Head;
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
  std::optional<size_t> Size =
      I < Lines.size() ? matchHead(Head, Lines[I]) : std::nullopt;
  if (!Size)
    return std::nullopt;
  return StringRef(Lines[I]).drop_front(*Size);
}

/// True if a dump begins in line \p I.
bool Pasting::beginsAt(size_t I) {
  StringRef Line = StringRef(Lines[I]).rtrim();
  Framed = Line.ends_with(" ***") && Line.contains(Frame);
  if (!Framed && !Line.ends_with(Begin))
    return false;
  Head = Line.take_front(Line.rfind(Framed ? Frame : Begin));
  auto Follows = [&](size_t Next) {
    return content(Next).value_or("").starts_with("allocation ");
  };
  Stride = Follows(I + 2) && content(I + 1).value_or("x").empty() ? 2 : 1;
  if (Framed || Follows(I + Stride))
    return true;
  // Some logs have a head for each message, not for each line.
  Head.clear();
  return Follows(I + 1);
}

/// The last line before the fence ends in which line \p First is; the last of
/// all if it is in none.
size_t Pasting::lastInFence(size_t First) {
  auto IsFence = [&](size_t I) {
    StringRef Line = StringRef(Lines[I]).ltrim("> \t");
    return Line.starts_with("```") || Line.starts_with("~~~");
  };
  size_t End = First;
  if (First != 0 && IsFence(First - 1))
    while (End != Lines.size() && !IsFence(End))
      ++End;
  return End != First ? End - 1 : Lines.size() - 1;
}

std::optional<PastedText> hlobuf::undoPasting(StringRef Text) {
  // What is large and has no dump is not taken apart.
  if (!Text.contains(Begin) && !Text.contains(Frame))
    return std::nullopt;
  Pasting In(Text);
  size_t First = 0;
  while (First != In.Lines.size() && !In.beginsAt(First))
    ++First;
  if (First == In.Lines.size())
    return std::nullopt;
  size_t Last = In.lastInFence(First);
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
