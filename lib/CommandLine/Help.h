//===- CommandLine/Help.h - Options for people ---------------*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What LLVM's CommandLine library lacks.
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_COMMANDLINE_HELP_H
#define HLOBUF_COMMANDLINE_HELP_H

#include "llvm/Support/CommandLine.h"
#include <string>
#include <vector>

namespace hlobuf {

/// Breaks the descriptions of all options between words, so that --help is 80
/// columns wide.
void wrapDescriptions();

/// The arguments with forms that other programs take in those of the library:
/// -j2 as -j=2, and --color=always, never and auto. What follows `--` stays.
std::vector<std::string> spellOut(int Argc, char **Argv);

/// Reads one of several names, and lists them for another one.
template <typename T> class NamedValues : public llvm::cl::parser<T> {
public:
  using llvm::cl::parser<T>::parser;

  bool parse(llvm::cl::Option &O, llvm::StringRef ArgName, llvm::StringRef Arg,
             T &Value) {
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
