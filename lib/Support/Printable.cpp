// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Support/Printable.h"
#include "Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace hlobuf;

/// The bytes of the UTF-8 sequence that \p First begins; 1 for any other byte.
static size_t sequenceSize(unsigned char First) {
  if (First >= 0xc2 && First < 0xe0)
    return 2;
  if (First >= 0xe0 && First < 0xf0)
    return 3;
  return First >= 0xf0 && First < 0xf5 ? 4 : 1;
}

/// Takes one character off the front of \p Rest, and its number; bytes that are
/// not UTF-8 are characters of their own.
static StringRef takeCharacter(StringRef &Rest, uint32_t &Number) {
  size_t Size = sequenceSize(static_cast<unsigned char>(Rest.front()));
  Number = static_cast<unsigned char>(Rest.front());
  uint32_t Sum = Number & (0xffu >> (Size + 1));
  for (size_t I = 1; I < Size; ++I) {
    if (I >= Rest.size() || !isContinuation(Rest[I])) {
      Size = 1;
      break;
    }
    Sum = Sum << 6 | (static_cast<unsigned char>(Rest[I]) & 0x3f);
  }
  if (Size != 1)
    Number = Sum;
  StringRef Character = Rest.take_front(Size);
  Rest = Rest.drop_front(Size);
  return Character;
}

/// Control characters, line ends of Unicode, and what turns the direction of
/// the text.
static bool isHarmful(uint32_t C) {
  return C < 0x20 || (C >= 0x7f && C < 0xa0) || (C >= 0x2028 && C <= 0x202e) ||
         (C >= 0x2066 && C <= 0x2069) || C == 0xfeff || C == 0xfffe ||
         C == 0xffff;
}

static std::string escaped(uint32_t C) {
  if (C == '\n')
    return "\\n";
  return C < 0x100 ? fmt::format("\\x{:02x}", C) : fmt::format("\\u{:04x}", C);
}

/// Nothing in \p Text has to be escaped: so it is of nearly all texts.
static bool isPlain(StringRef Text) {
  return llvm::all_of(Text, llvm::isPrint) && !Text.contains("##");
}

/// \p Text with what \p Spell makes of each harmful character.
static std::string replaceHarmful(StringRef Text,
                                  std::string (*Spell)(uint32_t)) {
  std::string Out;
  Out.reserve(Text.size());
  while (!Text.empty()) {
    uint32_t Number = 0;
    StringRef Character = takeCharacter(Text, Number);
    bool Command = Number == '#' && !Out.empty() && Out.back() == '#';
    if (isHarmful(Number) || Command)
      Out += Spell(Number);
    else
      Out += Character;
  }
  return Out;
}

std::string hlobuf::printable(StringRef Text) {
  return isPlain(Text) ? Text.str() : replaceHarmful(Text, escaped);
}

std::string hlobuf::printableStart(StringRef Text) {
  std::string Out = printable(Text);
  // Logs are searched for commands with white space taken off.
  return StringRef(Out).ltrim().starts_with("::") ? "./" + Out : Out;
}

std::string hlobuf::printableLine(StringRef Line) {
  std::string Out =
      replaceHarmful(Line, [](uint32_t) { return std::string(" "); });
  // `:::error` is a command again without its first colon.
  for (size_t Column = Out.find_first_not_of(' ');
       StringRef(Out).substr(Column).starts_with("::"); ++Column)
    Out[Column] = ' ';
  return Out;
}

std::string hlobuf::printableLines(StringRef Text) {
  return llvm::join(llvm::map_range(llvm::split(Text, '\n'), printableLine),
                    "\n");
}

size_t hlobuf::columns(StringRef Text) {
  return static_cast<size_t>(
      llvm::count_if(Text, [](char C) { return !isContinuation(C); }));
}
