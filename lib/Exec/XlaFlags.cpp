// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Exec/XlaFlags.h"
#include "Support/FileGuard.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MemoryBuffer.h"
#include <algorithm>
#include <vector>

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

namespace {
/// A flag as it is given, and as XLA reads it.
struct Flag {
  StringRef Text;
  std::string Read;

  bool isFolder() const { return StringRef(Read).starts_with(DumpTo); }
  std::string folder() const { return Read.substr(DumpTo.size()); }
};
} // namespace

static std::vector<Flag> splitFlags(StringRef Flags) {
  std::vector<Flag> All;
  for (StringRef Rest = Flags.ltrim(Blanks); !Rest.empty();
       Rest = Rest.ltrim(Blanks)) {
    const char *Begin = Rest.data();
    std::string Read = takeFlag(Rest);
    All.push_back({StringRef(Begin, static_cast<size_t>(Rest.data() - Begin)),
                   std::move(Read)});
  }
  return All;
}

/// True if \p Folder is one: `-` is standard output, which is the program's
/// own.
static bool isFolder(StringRef Folder) {
  return !Folder.empty() && Folder != "-" && Folder != "sponge";
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

/// \p Flags themselves. Anything but a flag is the name of a file with flags,
/// and nothing can be added to that (tsl/util/command_line_flags,
/// xla/parse_flags_from_env.cc).
static std::string readFlags(StringRef Flags) {
  std::string Result = Flags.trim().str();
  if (Result.empty() || Result[0] == '-')
    return Result;
  keepFile(Result);
  auto File = llvm::MemoryBuffer::getFile(Result);
  Result = File ? (*File)->getBuffer().trim().str() : "";
  std::replace(Result.begin(), Result.end(), '\n', ' ');
  return Result;
}

std::string hlobuf::dumpFolder(StringRef Flags) {
  // XLA takes the last one.
  std::string Folder;
  std::string All = readFlags(Flags);
  for (const Flag &F : splitFlags(All))
    if (F.isFolder())
      Folder = F.folder();
  return isFolder(Folder) ? Folder : "";
}

bool DumpTarget::covers(StringRef Path) const {
  if (Path == Folder || Path == Absolute)
    return true;
  return Path.consume_front(Absolute) && Path.consume_front("/") &&
         Path.starts_with(ProcessFolderPrefix);
}

std::string DumpTarget::spelling() const {
  std::string Text = DumpTo.str() + quoted(Absolute);
  if (Text.back() == '"')
    Text.pop_back();
  return Text;
}

std::string hlobuf::flagsOfProcess(StringRef Flags, const DumpTarget &Target,
                                   StringRef Own, std::string &Foreign) {
  std::string All = readFlags(Flags);
  Foreign = dumpFolder(All);
  if (Target.covers(Foreign) || Target.Override)
    Foreign.clear();
  llvm::SmallVector<StringRef, 4> Extra;
  StringRef(Target.Extra).split(Extra, ' ');
  std::string Result;
  for (const Flag &F : splitFlags(All)) {
    bool Ours = F.isFolder() && Target.covers(F.folder());
    if (!Ours && !llvm::is_contained(Extra, F.Text))
      Result += F.Text.str() + ' ';
  }
  if (Foreign.empty())
    Result += DumpTo.str() + quoted(Own) + ' ';
  return Result + Target.Extra;
}

bool hlobuf::selectModules(StringRef Flags) {
  return Flags.contains("--xla_dump_hlo_module_re") ||
         Flags.contains("--xla_dump_max_hlo_modules");
}
