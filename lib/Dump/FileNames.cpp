// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dump/FileNames.h"
#include "Support/Format.h"
#include "Support/LineCursor.h"
#include "llvm/Support/Path.h"

using namespace hlobuf;

static constexpr StringRef Compressions[] = {"", ".gz", ".zst"};

static SmallVector<StringRef, 2> tailsOf(FileRole Role) {
  SmallVector<StringRef, 2> Tails;
  infoOf(Role).Tails.split(Tails, '|');
  return Tails;
}

/// The longest tail of any file of a dump that \p Path ends with.
static StringRef tailOf(StringRef Path) {
  StringRef Longest;
  for (size_t Role = 0; Role != NumFileRoles; ++Role)
    for (StringRef Tail : tailsOf(static_cast<FileRole>(Role)))
      if (Path.ends_with(Tail) && Tail.size() > Longest.size())
        Longest = Tail;
  return Longest;
}

static StringRef withoutCompression(StringRef Path) {
  if (!Path.consume_back(".gz"))
    Path.consume_back(".zst");
  return Path;
}

bool hlobuf::isAssignmentName(StringRef Path) {
  Path = withoutCompression(Path);
  return llvm::any_of(tailsOf(FileRole::Assignment),
                      [&](StringRef Tail) { return Path.ends_with(Tail); });
}

/// Tails of the other texts in a dump folder; the dump points of module texts
/// end in one of these too (format of the file names: xla/service/dump.cc).
static constexpr StringRef OtherTails[] = {
    "after_optimizations.txt", "before_optimizations.txt",
    "_buffer_assignment.txt",  "after_codegen.txt",
    "execution_options.txt",   "hlo_module_config.txt",
    "target_arguments.txt",    "tpu_comp_env.txt",
    "transfer_stats.txt",      "basic_compiler_metadata.txt",
    "host_transfers.txt",      "thunk_sequence.txt"};

bool hlobuf::isFreeName(StringRef Path) {
  Path = withoutCompression(Path);
  return tailOf(Path) == ".txt" &&
         llvm::none_of(OtherTails,
                       [&](StringRef Tail) { return Path.ends_with(Tail); });
}

StringRef hlobuf::stemOf(StringRef Path) {
  Path = withoutCompression(Path);
  return Path.drop_back(tailOf(Path).size());
}

StringRef hlobuf::moduleStemOf(StringRef Path) {
  StringRef Name = llvm::sys::path::filename(Path);
  size_t End = Name.rfind("after_optimizations");
  if (End == StringRef::npos)
    return "";
  Name = Name.take_front(End);
  for (StringRef Device : {".cpu_", ".gpu_", ".any_gpu_", ".sm_", ".gfx"})
    if (size_t Offset = Name.rfind(Device); Offset != StringRef::npos)
      Name = Name.take_front(Offset);
  Name.consume_back(".");
  return Path.take_front(static_cast<size_t>(Name.end() - Path.begin()));
}

std::string
hlobuf::findCandidate(StringRef Stem, FileRole Role,
                      function_ref<bool(const std::string &)> Exists) {
  std::string Name;
  Name.reserve(Stem.size() + 64); // more than any tail has
  for (StringRef Tail : tailsOf(Role))
    for (StringRef Compression : Compressions) {
      Name = Stem;
      Name += Tail;
      Name += Compression;
      if (Exists(Name))
        return Name;
    }
  return "";
}

std::string
hlobuf::assignmentOf(StringRef Path,
                     function_ref<bool(const std::string &)> Exists) {
  return findCandidate(stemOf(Path), FileRole::Assignment, Exists);
}

static std::string judge(size_t Matching, size_t Total, StringRef Text) {
  // One difference is a fault, however short the list.
  if (Matching * 2 >= Total || Total - Matching == 1)
    return "";
  return fmt::format("only {} of its {} {} match the assignment", Matching,
                     Total, Text);
}

/// The smallest id of the values that each name defines.
template <typename Record>
static std::vector<uint32_t> firstIds(const Dump &D,
                                      const std::vector<Record> &All) {
  std::vector<uint32_t> Ids(D.Names.size(), ~uint32_t(0));
  for (const Record &R : All)
    Ids[R.Tag.Name.index()] = std::min(Ids[R.Tag.Name.index()], R.Tag.Id);
  return Ids;
}

static std::string valuesBelong(const Dump &D) {
  std::vector<uint32_t> Placed = firstIds(D, D.Values);
  std::vector<uint32_t> Used = firstIds(D, D.Used);
  size_t Matching = 0;
  size_t Total = 0;
  for (size_t Name = 0; Name != Used.size(); ++Name) {
    if (Used[Name] == ~uint32_t(0))
      continue;
    ++Total;
    Matching += Used[Name] == Placed[Name];
  }
  return judge(Matching, Total, "instructions");
}

/// The names of all values that the dump lists, by name id.
static std::vector<bool> namesOfValues(const Dump &D) {
  std::vector<bool> Known(D.Names.size(), false);
  for (const Value &V : D.Values)
    Known[V.Tag.Name.index()] = true;
  for (const UsedValue &U : D.Used)
    Known[U.Tag.Name.index()] = true;
  return Known;
}

static std::string rangesBelong(const Dump &D) {
  std::vector<bool> Known = namesOfValues(D);
  size_t Matching = llvm::count_if(
      D.Ranges, [&](const LiveRangeRow &R) { return Known[R.Name.index()]; });
  return judge(Matching, D.Ranges.size(), "live ranges");
}

/// Counts the instructions of values that the module defines.
static std::string moduleBelongs(const Dump &D) {
  std::vector<bool> Names = namesOfValues(D);
  size_t Total = llvm::count(Names, true);
  size_t Matching = 0;
  for (size_t Name = 0; Name != Names.size(); ++Name)
    Matching += Names[Name] && D.Module.find(NameId(Name));
  // Of a damaged text what is left must only fit; one that was cut off may
  // have lost all that does.
  bool Damaged = D.state(Section::Module) == SectionState::Damaged;
  bool Fits = Matching != 0 || !D.Module.Entry;
  if (Damaged ? Fits : Matching * 2 >= Total)
    return "";
  return fmt::format(
      "it defines only {} of the {} instructions whose values are assigned",
      Matching, Total);
}

std::string hlobuf::whyForeign(const Dump &D, FileRole Role) {
  if (!D.file(Role).present())
    return "";
  switch (Role) {
  case FileRole::Values:
    return valuesBelong(D);
  case FileRole::LiveRange:
    return rangesBelong(D);
  case FileRole::Module:
    return moduleBelongs(D);
  default:
    return "";
  }
}
