// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Exec/DumpFolder.h"
#include "Driver/Config.h"
#include "Support/FileGuard.h"
#include "Support/Format.h"
#include "Support/RegularFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <cstdlib>

using namespace hlobuf;
namespace fs = llvm::sys::fs;

static constexpr StringRef DumpTo = "--xla_dump_to=";

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

/// XLA takes the last one. A value that begins with a quote ends at the next
/// one, and a backslash counts between double quotes only
/// (parse_flags_from_env.cc, 2018 on).
std::string hlobuf::dumpFolder(StringRef Flags) {
  std::string All = readFlags(Flags);
  size_t Begin = StringRef(All).rfind(DumpTo);
  if (Begin == StringRef::npos)
    return "";
  StringRef Value = StringRef(All).drop_front(Begin + DumpTo.size());
  std::string Folder;
  if (char Quote = Value.empty() ? ' ' : Value[0];
      Quote != '"' && Quote != '\'') {
    Folder = Value.substr(0, Value.find_first_of(" \t\r\n")).str();
  } else {
    for (size_t I = 1; I != Value.size() && Value[I] != Quote; ++I) {
      if (Quote == '"' && Value[I] == '\\' && I + 1 != Value.size())
        ++I;
      Folder += Value[I];
    }
  }
  // That is standard output, which is the program's own, and no folder.
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

static void setVariable(const char *Name, const std::string &Value) {
  ::setenv(Name, Value.c_str(), /*overwrite=*/1);
}

Error DumpFolder::create(const VerifyOptions &Options) {
  const char *Variable = std::getenv("XLA_FLAGS");
  std::string Flags = readFlags(Variable ? Variable : "");
  // The program may work elsewhere.
  std::string Given =
      Options.DumpsFolder.empty() ? dumpFolder(Flags) : Options.DumpsFolder;
  bool Temporary = Given.empty();
  if (Temporary) {
    Expected<PrivateFolder> Made = PrivateFolder::create("hlobuf");
    if (!Made)
      return Made.takeError();
    Own = std::move(*Made);
    Own.Keep = Options.KeepDumps;
    Given = Own.path();
  }
  Path = absolutePath(Given);
  if (std::error_code Error = fs::create_directories(Path))
    return makeError("cannot make the folder '{}': {}", Path, Error.message());
  std::string Added = DumpTo.str() + quoted(Path) + " --xla_dump_hlo_as_text";
  setVariable("XLA_FLAGS", Flags.empty() ? Added : Flags + " " + Added);
  // For python/hlobuf/_exec_hook.py: executables are saved next to the dumps of
  // the same programs, in a folder that is ours.
  setVariable("HLOBUF_OVERRIDE", Options.DumpsFolder.empty() ? "" : "1");
  if (!Temporary)
    setVariable("HLOBUF_EXECUTABLES", "0");
  return Error::success();
}

/// Moves what is in \p From up, unless there is anything but files, or another
/// program wrote a file of such a name.
static void moveUp(const std::string &From, const std::string &To,
                   const StartMark &Start) {
  auto Above = [&](StringRef Path) {
    return (To + "/" + llvm::sys::path::filename(Path)).str();
  };
  std::vector<std::string> Paths = pathsIn(From);
  for (const std::string &Path : Paths)
    if (fs::get_file_type(Path, false) != fs::file_type::regular_file ||
        (fs::exists(Above(Path)) && !Start.isOlder(Above(Path))))
      return;
  for (const std::string &Path : Paths)
    if (fs::rename(Path, Above(Path)))
      return; // it is verified where it is
  if (fs::remove(From))
    return; // somebody writes into it
}

void DumpFolder::tidy(const StartMark &Start,
                      const ProcessReport &Report) const {
  if (Report.Running)
    return;
  std::vector<std::string> Used;
  for (const std::string &Folder : Report.ProcessFolders)
    if (fs::remove(Folder)) // it is not empty
      Used.push_back(Folder);
  if (Used.size() == 1)
    moveUp(Used.front(), Path, Start);
}
