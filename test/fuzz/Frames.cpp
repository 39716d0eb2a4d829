// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Frames.h"
#include "Support/Scanner.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace hlobuf;
using llvm::StringRef;

static constexpr StringRef BeginMark = "*** Begin ";
static constexpr StringRef EndMark = "*** End ";
static constexpr StringRef MarkEnd = " ***\n";

std::vector<Frame> hlobuf::takeFrames(StringRef Text) {
  std::vector<Frame> Frames;
  while (true) {
    size_t Begin = Text.find(BeginMark);
    size_t NameEnd = Text.find(MarkEnd, Begin);
    if (Begin == StringRef::npos || NameEnd == StringRef::npos)
      return Frames;
    StringRef Name = Text.slice(Begin + BeginMark.size(), NameEnd);
    size_t Start = NameEnd + MarkEnd.size();
    std::string Close = (EndMark + Name + MarkEnd.drop_back()).str();
    size_t End = Text.find(Close, Start);
    if (End == StringRef::npos)
      return Frames;
    StringRef Content = Text.slice(Start, End);
    Content.consume_back("\n");
    Frames.push_back({Name.str(), Content.str()});
    Text = Text.drop_front(End + Close.size());
  }
}

std::string hlobuf::joinFrames(const std::vector<Frame> &Frames) {
  std::string Text;
  for (const Frame &F : Frames)
    Text += (BeginMark + F.Name + MarkEnd + F.Content + "\n" + EndMark +
             F.Name + MarkEnd)
                .str();
  return Text;
}

/// The words (names and numbers) of \p Line.
static std::vector<StringRef> wordsOf(StringRef Line) {
  std::vector<StringRef> Words;
  while (!Line.empty()) {
    StringRef Word = Line.take_while(isNameByte);
    if (!Word.empty())
      Words.push_back(Word);
    Line = Line.drop_front(std::max<size_t>(Word.size(), 1));
  }
  return Words;
}

/// \p Line with one of its words replaced by one of \p Other.
static std::string exchangeWord(StringRef Line, StringRef Other,
                                std::minstd_rand &Random) {
  std::vector<StringRef> Mine = wordsOf(Line);
  std::vector<StringRef> Theirs = wordsOf(Other);
  if (Mine.empty() || Theirs.empty())
    return Line.str();
  StringRef Old = Mine[Random() % Mine.size()];
  StringRef New = Theirs[Random() % Theirs.size()];
  auto At = static_cast<size_t>(Old.data() - Line.data());
  return (Line.take_front(At) + New + Line.drop_front(At + Old.size())).str();
}

std::string hlobuf::changeLines(StringRef Text, StringRef Other,
                                std::minstd_rand &Random) {
  llvm::SmallVector<StringRef, 0> Lines;
  llvm::SmallVector<StringRef, 0> Theirs;
  Text.split(Lines, '\n');
  Other.split(Theirs, '\n');
  size_t At = Random() % Lines.size();
  size_t With = Random() % Lines.size();
  std::string Owned;
  switch (Random() % 7) {
  case 0:
    Lines.erase(Lines.begin() + At);
    break;
  case 1:
    Lines.insert(Lines.begin() + At, StringRef(Lines[With]));
    break;
  case 2:
    std::swap(Lines[At], Lines[With]);
    break;
  case 3:
    Lines[At] = Theirs[Random() % Theirs.size()];
    break;
  case 4:
    Lines.resize(At + 1);
    break;
  case 5:
    Lines[At] = Lines[At].take_front(Random() % (Lines[At].size() + 1));
    break;
  default:
    Owned = exchangeWord(Lines[At], Lines[With], Random);
    Lines[At] = Owned;
    break;
  }
  return llvm::join(Lines, "\n");
}
