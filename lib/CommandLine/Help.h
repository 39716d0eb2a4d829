// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options for people.
//
// What LLVM's CommandLine library lacks.

#ifndef HLOBUF_COMMANDLINE_HELP_H
#define HLOBUF_COMMANDLINE_HELP_H

#include "Support/ExitCodes.h"
#include "Support/LLVM.h"
#include "llvm/Support/CommandLine.h"
#include <string>

namespace hlobuf {

/// Reads the options of a tool. `--version` prints \p Version, of static
/// storage; `--help` has the options of \p Shown, 80 columns wide, after
/// \p Overview. Also takes forms that other programs have: -j2, and
/// --color=always, never and auto; what follows `--` stays. False, with a
/// message on standard error, if the usage is wrong.
bool parseOptions(int Argc, char **Argv, StringRef Version, StringRef Overview,
                  ArrayRef<const llvm::cl::OptionCategory *> Shown);

/// Prints what a tool says without arguments: what it is, and how to go on; the
/// status to end with.
ExitStatus introduce(StringRef Version, StringRef Overview);

/// An option that has no effect where \p Idle is true.
struct IdleOption {
  const llvm::cl::Option *Option;
  bool Idle;
  /// `without --summary`, of static storage.
  StringRef Reason;
};

/// `--top has no effect without --summary`, of the first of \p Rows that was
/// given and is idle; empty if none is.
std::string findIdleOption(ArrayRef<IdleOption> Rows);

/// Reads a number that is not 0.
class PositiveNumber : public llvm::cl::parser<unsigned> {
public:
  using llvm::cl::parser<unsigned>::parser;

  bool parse(llvm::cl::Option &O, StringRef ArgName, StringRef Arg,
             unsigned &Value);
};

/// `--jobs=n` and `-j`; 0, where it is not given, is one for each core.
class JobsOption {
public:
  explicit JobsOption(
      llvm::cl::OptionCategory &Category,
      StringRef Description = "Threads (default: one per core)");

  operator unsigned() const { return Number; }

private:
  llvm::cl::opt<unsigned, false, PositiveNumber> Number;
  llvm::cl::alias Short;
};

/// `--quiet` and `-q`.
class QuietOption {
public:
  QuietOption(llvm::cl::OptionCategory &Category, StringRef Description);

  operator bool() const { return Value; }

private:
  llvm::cl::opt<bool> Value;
  llvm::cl::alias Short;
};

/// Reads one of several names, and lists them for another one.
template <typename T> class NamedValues : public llvm::cl::parser<T> {
public:
  using llvm::cl::parser<T>::parser;

  bool parse(llvm::cl::Option &O, StringRef ArgName, StringRef Arg, T &Value) {
    std::string Names;
    for (const auto &Known : this->Values) {
      if (Known.Name == Arg) {
        Value = Known.V.getValue();
        return false;
      }
      Names += (Names.empty() ? "" : ", ") + Known.Name.str();
    }
    return O.error("'" + Arg + "' is not one of: " + Names, ArgName);
  }
};

} // namespace hlobuf

#endif // HLOBUF_COMMANDLINE_HELP_H
