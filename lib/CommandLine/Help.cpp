// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CommandLine/Help.h"
#include "Support/TextColumns.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <deque>
#include <vector>

using namespace hlobuf;
namespace cl = llvm::cl;

static constexpr size_t ScreenWidth = 80;

/// LLVM puts this between an option and its description.
static constexpr StringRef Separator = " - ";

/// True if \p Argument may ask for the descriptions of options: also as `-h`,
/// or in a file of arguments.
static bool asksForHelp(StringRef Argument) {
  StringRef Name = Argument.ltrim('-');
  return Name == "h" || Name.starts_with("help") || Name.starts_with("@");
}

/// Breaks the descriptions of all options between words.
static void wrapDescriptions() {
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
    Texts.push_back(llvm::join(wrapped(O.HelpStr, Width), "\n"));
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

static std::vector<std::string> spellOut(int Argc, char **Argv) {
  std::vector<std::string> Words;
  bool Options = true;
  for (int I = 0; I < Argc; ++I) {
    StringRef Argument = Argv[I];
    Options = Options && Argument != "--";
    if (!Options)
      Words.push_back(Argument.str());
    else if (Argument != "--color=auto")
      Words.push_back(spellOut(Argument));
  }
  return Words;
}

bool hlobuf::parseOptions(int Argc, char **Argv, StringRef Version,
                          StringRef Overview,
                          ArrayRef<const cl::OptionCategory *> Shown) {
  cl::HideUnrelatedOptions(Shown);
  cl::getRegisteredOptions()["help-list"]->setHiddenFlag(cl::Hidden);
  cl::SetVersionPrinter([Version](raw_ostream &OS) { OS << Version << '\n'; });
  if (std::any_of(Argv, Argv + Argc, asksForHelp))
    wrapDescriptions();
  std::vector<std::string> Words = spellOut(Argc, Argv);
  std::vector<const char *> Arguments;
  for (const std::string &Word : Words)
    Arguments.push_back(Word.c_str());
  return cl::ParseCommandLineOptions(static_cast<int>(Arguments.size()),
                                     Arguments.data(), Overview, &llvm::errs());
}

ExitStatus hlobuf::introduce(StringRef Version, StringRef Overview) {
  StringRef Tool = Version.split(' ').first;
  llvm::outs()
      << Tool << ": " << Overview << "\nAll options:   " << Tool << " --help\n"
      << "To get dumps:  XLA_FLAGS=--xla_dump_to=/tmp/dumps python train.py\n";
  return ExitUnreadable;
}

std::string hlobuf::findIdleOption(ArrayRef<IdleOption> Rows) {
  for (const IdleOption &Row : Rows)
    if (Row.Idle && Row.Option->getNumOccurrences() != 0)
      return ("--" + Row.Option->ArgStr + " has no effect " + Row.Reason).str();
  return "";
}

bool PositiveNumber::parse(cl::Option &O, StringRef ArgName, StringRef Arg,
                           unsigned &Value) {
  if (Arg.getAsInteger(0, Value) || Value == 0)
    return O.error("'" + Arg + "' is not a number above 0", ArgName);
  return false;
}

JobsOption::JobsOption(cl::OptionCategory &Category, StringRef Description)
    : Number("jobs", cl::init(0), cl::value_desc("n"), cl::cat(Category),
             cl::desc(Description)),
      Short("j", cl::aliasopt(Number), cl::NotHidden,
            cl::desc("Same as --jobs"), cl::cat(Category)) {}

QuietOption::QuietOption(cl::OptionCategory &Category, StringRef Description)
    : Value("quiet", cl::cat(Category), cl::desc(Description)),
      Short("q", cl::aliasopt(Value), cl::NotHidden,
            cl::desc("Same as --quiet"), cl::cat(Category)) {}
