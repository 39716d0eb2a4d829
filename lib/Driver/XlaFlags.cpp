//===- Driver/XlaFlags.cpp ------------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/XlaFlags.h"
#include "llvm/Support/MemoryBuffer.h"
#include <algorithm>

using namespace hlobuf;
using llvm::StringRef;

static constexpr StringRef DumpTo = "--xla_dump_to=";
static constexpr StringRef Blanks = " \t\r\n";

/// Takes the first flag, without quotes, off \p Rest. As XLA reads them
/// (parse_flags_from_env.cc, 2018 on): a value that begins with a quote ends at
/// the next one, and a backslash counts between double quotes only.
static std::string takeFlag(StringRef &Rest) {
  size_t Assign = Rest.find_first_of("= \t\r\n");
  StringRef Value = Rest.drop_front(std::min(Assign, Rest.size()));
  char Quote = Value.size() > 1 ? Value[1] : ' ';
  if (!Value.starts_with("=") || (Quote != '"' && Quote != '\'')) {
    StringRef Plain =
        Rest.take_until([](char C) { return Blanks.contains(C); });
    Rest = Rest.drop_front(Plain.size());
    return Plain.str();
  }
  std::string Flag = Rest.take_front(Assign + 1).str();
  size_t I = 2;
  for (; I < Value.size() && Value[I] != Quote; ++I) {
    if (Quote == '"' && Value[I] == '\\' && I + 1 != Value.size())
      ++I;
    Flag += Value[I];
  }
  Rest = Value.drop_front(std::min(I + 1, Value.size()));
  return Flag;
}

/// The folder that \p Flags name last, as XLA decides; empty if there is none.
static std::string dumpFolder(StringRef Flags) {
  std::string Folder;
  for (StringRef Rest = Flags.ltrim(Blanks); !Rest.empty();
       Rest = Rest.ltrim(Blanks)) {
    std::string Flag = takeFlag(Rest);
    if (StringRef(Flag).starts_with(DumpTo))
      Folder = Flag.substr(DumpTo.size());
  }
  // `-` is standard output, which is the program's own.
  return Folder == "-" || Folder == "sponge" ? "" : Folder;
}

/// \p Value as XLA reads it back.
static std::string quoted(StringRef Value) {
  if (Value.find_first_of(" \t\r\n'\"") == StringRef::npos)
    return Value.str();
  std::string Result = "\"";
  for (char C : Value) {
    if (C == '"' || C == '\\')
      Result += '\\';
    Result += C;
  }
  return Result + '"';
}

std::string hlobuf::addDumpFlags(StringRef Flags, std::string &Folder,
                                 bool Override) {
  std::string Result = Flags.trim().str();
  // Anything but a flag is the name of a file with flags, and nothing can be
  // added to that (tsl/util/command_line_flags, xla/parse_flags_from_env.cc).
  if (!Result.empty() && Result[0] != '-') {
    auto File = llvm::MemoryBuffer::getFile(Result);
    Result = File ? (*File)->getBuffer().trim().str() : "";
    std::replace(Result.begin(), Result.end(), '\n', ' ');
  }
  std::string Own = Override ? "" : dumpFolder(Result);
  if (!Own.empty())
    Folder = Own;
  else
    Result += (Result.empty() ? "" : " ") + DumpTo.str() + quoted(Folder);
  return Result + " --xla_dump_hlo_as_text";
}
