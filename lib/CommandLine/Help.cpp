//===- CommandLine/Help.cpp
//------------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine/Help.h"
#include "llvm/ADT/StringExtras.h"
#include <deque>

using namespace hlobuf;
using llvm::StringRef;
namespace cl = llvm::cl;

static constexpr size_t ScreenWidth = 80;

/// LLVM puts this between an option and its description.
static constexpr StringRef Separator = " - ";

/// \p Text with line breaks between words, no line wider than \p Width if its
/// words are not.
static std::string wrap(StringRef Text, size_t Width) {
  std::string Result;
  size_t Column = 0;
  while (!Text.empty()) {
    auto [Word, Rest] = Text.split(' ');
    Text = Rest;
    bool Fits = Column + 1 + Word.size() <= Width;
    if (!Result.empty())
      Result += Fits ? ' ' : '\n';
    Column = Fits && !Result.empty() ? Column + 1 + Word.size() : Word.size();
    Result += Word;
  }
  return Result;
}

void hlobuf::wrapDescriptions() {
  // Options keep references; these last as long as they do.
  static std::deque<std::string> Texts;
  size_t Widest = 0;
  for (const auto &Known : cl::getRegisteredOptions())
    if (Known.second->getOptionHiddenFlag() == cl::NotHidden)
      Widest = std::max(Widest, Known.second->getOptionWidth());
  size_t Width =
      ScreenWidth - std::min(Widest + Separator.size(), ScreenWidth / 2);
  for (const auto &Known : cl::getRegisteredOptions()) {
    cl::Option &O = *Known.second;
    Texts.push_back(wrap(O.HelpStr, Width));
    O.setDescription(Texts.back());
  }
}

static std::string spellOut(StringRef Argument) {
  StringRef Rest = Argument;
  if (Rest.consume_front("-j") && !Rest.empty() &&
      llvm::all_of(Rest, llvm::isDigit))
    return ("-j=" + Rest).str();
  Rest = Argument;
  if (Rest.consume_front("--color=")) {
    if (Rest == "always")
      return "--color=true";
    if (Rest == "never")
      return "--color=false";
  }
  return Argument.str();
}

std::vector<std::string> hlobuf::spellOut(int Argc, char **Argv) {
  std::vector<std::string> Words;
  bool Options = true;
  for (int I = 0; I < Argc; ++I) {
    StringRef Argument = Argv[I];
    Options = Options && Argument != "--";
    if (!Options)
      Words.push_back(Argument.str());
    else if (Argument != "--color=auto")
      Words.push_back(::spellOut(Argument));
  }
  return Words;
}
