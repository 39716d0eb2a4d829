// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Input/ProtoInputs.h"
#include "Dump/FileNames.h"
#include "Proto/Fields.h"
#include "Proto/ProtoText.h"
#include "Proto/Wire.h"
#include "Support/Format.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"

using namespace hlobuf;

static StringRef withoutCompressionTail(StringRef Path) {
  if (!Path.consume_back(".gz"))
    Path.consume_back(".zst");
  return Path;
}

bool hlobuf::isProtoName(StringRef Path) {
  StringRef Name = withoutCompressionTail(Path);
  return Name.ends_with(".hlo.pb") || Name.ends_with(".xplane.pb") ||
         Name.ends_with("-cache") || isExecutableName(Path);
}

std::string hlobuf::textBeside(StringRef Path) {
  StringRef Stem = withoutCompressionTail(Path);
  if (!Stem.consume_back(".hlo.pb") && !Stem.consume_back(".pjrt"))
    return "";
  return assignmentOf((Stem + ".txt").str(), [](const std::string &Name) {
    return llvm::sys::fs::exists(Name);
  });
}

/// How XLA names the dump of a module for that device (xla/service/dump.cc).
static StringRef stage(Device Target) {
  return Target == Device::CPU   ? ".cpu_after_optimizations"
         : Target == Device::GPU ? ".any_gpu_after_optimizations"
                                 : ".after_optimizations";
}

static std::string plainStem(StringRef Module) {
  std::string Stem = plainName(Module);
  for (char &C : Stem)
    if (C == '/' || C == '\\')
      C = '_';
  return Stem;
}

/// Newer executables for TPUs have a second module of the same name, from after
/// the assignment (libtpu 0.0.30; not yet 0.0.13).
static unsigned countUnassigned(const ProtoContainer &C) {
  llvm::StringSet<> Assigned;
  for (const FoundProto &P : C.Protos)
    Assigned.insert(moduleName(P.Module));
  return llvm::count_if(C.ScheduledModules, [&](StringRef Module) {
    return !Assigned.count(moduleName(Module));
  });
}

ProtoFile hlobuf::findProtoPlaces(const std::string &Path, StringRef Bytes) {
  ProtoContainer C = findProtos(Bytes, Sources::MaxBytes);
  ProtoFile File;
  File.Searched = C.Around == Wrapper::Unknown;
  File.OnlyModules = C.Modules != 0;
  File.ScheduledModules = countUnassigned(C);
  File.Trouble = C.Trouble;
  StringMap<unsigned> Stems;
  for (const FoundProto &P : C.Protos) {
    ProtoPlace Place;
    Place.File = Path;
    Place.Number = static_cast<unsigned>(File.Places.size());
    if (C.Around != Wrapper::None) {
      Place.Stem = plainStem(moduleName(P.Module));
      if (unsigned Before = Stems[Place.Stem]++)
        Place.Stem += fmt::format(".{}", Before + 1);
      // Host computations of another device's program are compiled for CPUs.
      bool OfHost = P.Thunks.Target == ThunkSource::Backend::CPU;
      Place.Stem += stage(OfHost ? Device::CPU : C.Target);
      Place.DumpStem = fmt::format(
          "module_{:04}.{}",
          numberField(P.Module, field::ModuleNumber).value_or(0), Place.Stem);
    }
    File.Places.push_back(std::move(Place));
  }
  return File;
}

std::string hlobuf::whyNoProto(const std::string &Path, const ProtoFile &File) {
  if (!File.Trouble.empty())
    return fmt::format("cannot read '{}': {}", Path, File.Trouble);
  if (File.ScheduledModules != 0)
    return fmt::format("'{}' holds an HLO module without a buffer assignment: "
                       "it is from before the assignment, or was cut off",
                       Path);
  if (File.OnlyModules)
    return fmt::format("'{}' holds an HLO module without a buffer assignment",
                       Path);
  return fmt::format(
      "'{}' is not a buffer assignment: it is binary, and holds no HloProto",
      Path);
}

static Error failed(const ProtoPlace &Place, StringRef Reason) {
  return makeError("cannot read '{}': {}", Place.File, Reason);
}

/// Opens the file of \p Place.
static Expected<std::shared_ptr<const OpenProtoFile>>
openFile(const ProtoPlace &Place, std::optional<StringRef> Bytes) {
  auto File = std::make_shared<OpenProtoFile>();
  if (!Bytes) {
    Expected<StringRef> Read = File->Texts.open(Place.File);
    if (!Read)
      return failed(Place, llvm::toString(Read.takeError()));
    Bytes = *Read;
  }
  File->Container = findProtos(*Bytes, Sources::MaxBytes);
  return File;
}

Expected<std::shared_ptr<const OpenProtoFile>>
ProtoCache::open(const ProtoPlace &Place, std::optional<StringRef> Bytes) {
  // Others who want the same file wait for it.
  std::lock_guard<std::mutex> Hold(Lock);
  if (Last && Path == Place.File)
    return Last;
  Last = nullptr;
  auto File = openFile(Place, Bytes);
  if (!File)
    return File.takeError();
  Path = Place.File;
  Last = *File;
  return Last;
}

Error hlobuf::printProto(const ProtoPlace &Place,
                         std::optional<StringRef> Bytes, Sources &Texts,
                         std::array<DumpFile, NumFileRoles> &Files) {
  auto Open =
      Place.Cache ? Place.Cache->open(Place, Bytes) : openFile(Place, Bytes);
  if (!Open)
    return Open.takeError();
  const ProtoContainer &C = (*Open)->Container;
  if (Place.Number >= C.Protos.size())
    return failed(Place, "it changed while it was read");
  const FoundProto &Proto = C.Protos[Place.Number];
  Expected<HloProto> P = readHloProto(Proto.Module, Proto.Assignment);
  if (!P)
    return failed(Place, llvm::toString(P.takeError()));
  P->Thunks = Proto.Thunks;
  P->Result = Proto.Result;
  P->Header = Proto.Header;
  P->Options = Proto.Options;
  P->Module.EntryLayout = Proto.EntryLayout;
  Expected<ProtoTexts> Printed = printTexts(*P);
  if (!Printed)
    return failed(Place, llvm::toString(Printed.takeError()));
  auto Add = [&](FileRole Role, StringRef Tail, std::string &Text) {
    if (Text.empty())
      return;
    std::string Name = Place.File + "!" + Place.Stem + Tail.str();
    if (Place.Stem.empty())
      Name = Place.File + "!" + Tail.drop_front().str();
    DumpFile &File = Files[static_cast<size_t>(Role)];
    File.Text = Texts.add(Name, std::move(Text));
    File.Path = std::move(Name);
    File.FromProto = true;
  };
  StringRef Module = Place.Stem.empty() ? "-module.txt" : ".txt";
  Add(FileRole::Assignment, "-buffer-assignment.txt", Printed->Assignment);
  Add(FileRole::Module, Module, Printed->Module);
  Add(FileRole::Traces, "-traces.txt", Printed->Traces);
  Add(FileRole::Thunks, "-thunks.txt", Printed->Thunks);
  return Error::success();
}
