// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Proto/Container.h"
#include "Proto/Fields.h"
#include "Proto/Framing.h"
#include "Proto/Riegeli.h"
#include "Proto/Wire.h"
#include "Support/Decompress.h"
#include "Support/Format.h"
#include "Support/Sources.h"
#include "llvm/ADT/StringExtras.h"

using namespace hlobuf;
using namespace hlobuf::field;

StringRef hlobuf::moduleName(StringRef Module) {
  return bytesField(Module, ModuleName);
}

bool hlobuf::mayHoldProto(StringRef Start) {
  if (isCompressed(Start) || isZlib(Start) || isPickle(Start))
    return true;
  if (!isBinary(Start))
    return false;
  return Start.starts_with("\n") || Start.contains(RiegeliSignature) ||
         Start.contains("pjrt") || Start.contains("jit_");
}

namespace hlobuf {
/// Fills one ProtoContainer.
class ContainerReader {
public:
  ContainerReader(ProtoContainer &C, uint64_t MaxBytes)
      : C(C), MaxBytes(MaxBytes) {}

  void search(StringRef Bytes, unsigned Depth, bool Unpacked = false);

private:
  void noteDevice(StringRef Bytes);
  void checkOptions(StringRef Bytes, StringRef Message);
  void searchRecords(StringRef Bytes, unsigned Depth);
  void scan(StringRef Bytes);
  bool isModule(StringRef Bytes);
  bool isAssignment(StringRef Bytes);
  std::optional<StringRef> assignmentAfter(StringRef Rest);
  void keepProto(StringRef Module, StringRef Assignment, StringRef Rest);
  void findCpuThunks(FoundProto &P, StringRef Rest);
  void findGpuThunks(ArrayRef<StringRef> Records, size_t FirstProto);
  bool spend();
  StringRef firstField(StringRef Message, uint32_t Number);
  void keep(std::string Bytes, unsigned Depth);
  void trouble(StringRef Reason) {
    if (C.Trouble.empty())
      C.Trouble = Reason.str();
  }
  void cutOff(std::string Evidence) {
    C.Around = Wrapper::CutOff;
    C.Trouble = std::move(Evidence);
  }

  ProtoContainer &C;
  uint64_t MaxBytes;
  /// Fields that may still be looked at: hostile bytes must not cost more than
  /// real ones.
  uint64_t Budget = 0;
  /// Where scan() looks for modules.
  StringRef Scanned;
};
} // namespace hlobuf

/// Searches what was unpacked.
void ContainerReader::keep(std::string Bytes, unsigned Depth) {
  MaxBytes -= std::min<uint64_t>(MaxBytes, Bytes.size());
  C.Unpacked.push_back(std::make_unique<std::string>(std::move(Bytes)));
  search(*C.Unpacked.back(), Depth + 1, /*Unpacked=*/true);
}

/// Executables name the class of their version, profiles their planes.
void ContainerReader::noteDevice(StringRef Bytes) {
  static constexpr std::pair<StringRef, Device> Marks[] = {
      {"xla::GpuXlaExecutable", Device::GPU},
      {"xla::TpuXlaExecutable", Device::TPU},
      {"/device:GPU:", Device::GPU},
      {"/device:TPU:", Device::TPU},
      {"/host:CPU", Device::CPU}};
  for (auto [Mark, Target] : Marks)
    if (C.Target == Device::Unknown && Bytes.contains(Mark))
      C.Target = Target;
}

static std::string endsAfter(StringRef Bytes) {
  return fmt::format("it ends after {} bytes: it was cut off", Bytes.size());
}

/// Of an executable for CPUs, which is the first field of \p Message, the
/// second one has the compile options (jaxlib 0.5.3 to 0.12.0). \p Bytes are
/// the file.
void ContainerReader::checkOptions(StringRef Bytes, StringRef Message) {
  uint32_t Last = 0;
  forEachField(Message,
               [&](const WireField &F) { Last = std::max(Last, F.Number); });
  if (C.Protos.empty() || C.Protos.front().Whole)
    return;
  if (Last == 1)
    cutOff(endsAfter(Bytes));
  else if (Last <= 3) // an ExecutableAndOptionsProto
    C.Protos.front().Options = bytesField(Message, 2);
}

/// Searches \p Bytes, which were \p Unpacked from a compressed file. Nobody
/// compresses those again and again; 282 bytes can so stand for 1 GiB.
void ContainerReader::search(StringRef Bytes, unsigned Depth, bool Unpacked) {
  constexpr unsigned MostWrappers = 6;
  if (Depth > MostWrappers)
    return trouble("it is wrapped too often");
  if (Unpacked && isCompressed(Bytes))
    return trouble("it is compressed more than twice");
  std::string NotZlib;
  StringRef Outermost;
  StringRef Header;
  if (isCompressed(Bytes) || isZlib(Bytes)) {
    Expected<std::string> Text = decompress(Bytes, MaxBytes, mayHoldProto);
    if (Text)
      return keep(std::move(*Text), Depth);
    std::string Reason = llvm::toString(Text.takeError());
    if (isCompressed(Bytes))
      return trouble(Reason);
    NotZlib = std::move(Reason);
  } else if (Depth == 0 || (Unpacked && mayHoldProto(Bytes))) {
    Framing Frames = framingOf(Bytes);
    if (Frames.Is == Framing::Kind::CutOff)
      return cutOff(endsAfter(Bytes));
    if (Frames.Is == Framing::Kind::Whole)
      C.Around = Wrapper::Known;
    Outermost = Frames.Message;
    Header = Frames.Header;
  }
  noteDevice(Bytes.take_front(1 << 16));
  searchRecords(Bytes, Depth);
  if (Depth != 0 && !Unpacked)
    return;
  // Programs inside of an executable follow it.
  if (!C.Protos.empty())
    C.Protos.front().Header = Header;
  checkOptions(Bytes, Outermost);
  // Two bytes are not enough to know zlib by.
  if (C.Protos.empty() && C.Modules == 0)
    trouble(NotZlib);
}

/// Files of records may be anywhere; what is between them is scanned.
void ContainerReader::searchRecords(StringRef Bytes, unsigned Depth) {
  while (!Bytes.empty()) {
    size_t Offset = Bytes.find(RiegeliSignature);
    scan(Bytes.take_front(Offset));
    if (Offset == StringRef::npos)
      return;
    RiegeliRecords Records = readRiegeli(Bytes.drop_front(Offset), MaxBytes);
    if (Records.Trouble && endsInsideRiegeli(Bytes.drop_front(Offset)))
      cutOff(Records.Trouble);
    else if (Records.Trouble)
      trouble(Records.Trouble);
    else if (size_t Rows = SplitManifest(Records.All).IsMerged.size();
             Records.All.size() <= Rows)
      cutOff(fmt::format("it has {} of {} records: it was cut off",
                         Records.All.size(), Rows + 1));
    for (auto &Owned : Records.Owned) {
      MaxBytes -= std::min<uint64_t>(MaxBytes, Owned->size());
      C.Unpacked.push_back(std::move(Owned));
    }
    size_t FirstProto = C.Protos.size();
    // Less holds no module.
    constexpr size_t Least = 16;
    for (StringRef Record : Records.All)
      if (Record.size() >= Least)
        search(Record, Depth + 1);
    findGpuThunks(Records.All, FirstProto);
    Bytes = Bytes.drop_front(
        std::min(Bytes.size(), Offset + std::max<size_t>(1, Records.Size)));
  }
}

/// False once too many fields were looked at.
bool ContainerReader::spend() {
  if (Budget == 0)
    return false;
  --Budget;
  return true;
}

/// The first message in the field \p Number, which may be empty; null if there
/// is none, or if the budget does not last.
StringRef ContainerReader::firstField(StringRef Message, uint32_t Number) {
  WireReader In(Message);
  for (WireField F; spend() && In.next(F);)
    if (F.Number == Number && F.isMessage())
      return F.Bytes;
  return StringRef();
}

/// A name of XLA's.
static bool isName(StringRef Text) {
  constexpr size_t Longest = 4096;
  return !Text.empty() && Text.size() < Longest &&
         llvm::all_of(
             Text, [](char C) { return llvm::isPrint(C) && C != ' '; });
}

/// Computations with instructions, each with a name and an opcode.
bool ContainerReader::isModule(StringRef Bytes) {
  if (!Bytes.starts_with("\n"))
    return false;
  StringRef Rest = Bytes.drop_front();
  std::optional<uint64_t> Size = takeVarint(Rest);
  if (!Size || *Size > Rest.size() || !isName(Rest.take_front(*Size)))
    return false;
  bool HasInstruction = false;
  WireReader In(Bytes);
  for (WireField F; In.next(F);) {
    if (!spend())
      return false;
    if (HasInstruction || F.Number != ModuleComputation || !F.isMessage())
      continue;
    StringRef First = firstField(F.Bytes, ComputationInstruction);
    HasInstruction = isName(firstField(First, Name)) &&
                     isName(firstField(First, OpcodeName)) &&
                     !firstField(First, Shape).empty();
  }
  return HasInstruction && !In.failed();
}

/// Logical buffers, and allocations that they are assigned to.
bool ContainerReader::isAssignment(StringRef Bytes) {
  bool HasBuffer = false;
  bool HasAllocation = false;
  WireReader In(Bytes);
  for (WireField F; In.next(F);) {
    if (!spend())
      return false;
    if (!F.isMessage() || F.Number > 16)
      return false;
    if (F.Number == 1 && !HasBuffer)
      HasBuffer = firstField(F.Bytes, 3).data() != nullptr;
    else if (F.Number == 3 && !HasAllocation)
      // Buffer 0 with 0 bytes at offset 0 is an empty message.
      HasAllocation = firstField(F.Bytes, 9).data() != nullptr;
  }
  return HasBuffer && HasAllocation && !In.failed();
}

/// The assignment among the next fields of \p Rest, of whichever message they
/// are: that after the module (HloProto), or that after the configuration that
/// follows it (CPU executables, 2023 on).
std::optional<StringRef> ContainerReader::assignmentAfter(StringRef Rest) {
  constexpr unsigned MostFields = 8;
  WireReader In(Rest);
  WireField F;
  for (unsigned I = 0; I != MostFields && In.next(F); ++I) {
    if (!F.isMessage())
      continue;
    // A program without buffers has an empty one.
    if (isAssignment(F.Bytes) ||
        (I == 0 && F.Number == HloProtoAssignment && F.Bytes.empty()))
      return F.Bytes;
    if (isModule(F.Bytes) || isModule(firstField(F.Bytes, 1)))
      break;
  }
  return std::nullopt;
}

/// True if \p Rest begins with the field \p Number, which holds more bytes.
static bool isTooLong(StringRef Rest, uint32_t Number) {
  std::optional<uint64_t> Key = takeVarint(Rest);
  if (!Key || *Key != (Number << 3 | static_cast<uint32_t>(WireType::Bytes)))
    return false;
  std::optional<uint64_t> Size = takeVarint(Rest);
  return Size && *Size > Rest.size();
}

/// Extends \p Message, the first field of another one in \p Bytes, to the front
/// by its key and size; empty if these are not there.
static StringRef withHead(StringRef Bytes, StringRef Message) {
  std::string Head = "\n";
  size_t Size = Message.size();
  for (; Size > 127; Size >>= 7)
    Head += static_cast<char>(Size | 128);
  Head += static_cast<char>(Size);
  auto Begin = static_cast<size_t>(Message.data() - Bytes.data());
  if (!Bytes.take_front(Begin).ends_with(Head))
    return "";
  return Bytes.substr(Begin - Head.size(), Head.size() + Message.size());
}

/// The size that \p Bytes have before \p Begin of the message that is there, a
/// field 1 or 3; nothing if there is none that fits.
static std::optional<uint64_t> sizeBefore(StringRef Bytes, size_t Begin) {
  constexpr size_t Longest = 5;
  for (size_t Length = 1; Length <= Longest && Length < Begin; ++Length) {
    StringRef Size = Bytes.slice(Begin - Length, Begin);
    // Of a HostOffloadingExecutableProto it is field 3.
    if (char Key = Bytes[Begin - Length - 1]; Key != '\n' && Key != '\x1a')
      continue;
    std::optional<uint64_t> Whole = takeVarint(Size);
    if (Whole && Size.empty() && *Whole <= Bytes.size() - Begin)
      return Whole;
  }
  return std::nullopt;
}

/// The CompilationResultProto in \p Bytes, up to \p End or longer; empty where
/// its size says that it is shorter. It begins with the module and its
/// configuration, both in one message.
static StringRef resultAround(StringRef Bytes, const FoundProto &P,
                              const char *End) {
  StringRef Inner = withHead(Bytes, P.Module);
  if (Inner.empty())
    return "";
  WireReader In(StringRef(Inner.data(), size_t(End - Inner.data())));
  WireField F;
  size_t Size = 0;
  // The assignment is a field 2, too.
  for (uint32_t Number = 1; Number != 3 && In.next(F) && F.Number == Number &&
                            F.Bytes.data() != P.Assignment.data();
       ++Number)
    Size = static_cast<size_t>(F.Bytes.end() - Inner.data());
  StringRef Outer = withHead(Bytes, StringRef(Inner.data(), Size));
  if (Outer.empty())
    return "";
  auto Begin = static_cast<size_t>(Outer.data() - Bytes.data());
  auto Read = static_cast<size_t>(End - Outer.data());
  uint64_t Whole = sizeBefore(Bytes, Begin).value_or(Read);
  return Whole < Read ? "" : Bytes.substr(Begin, Whole);
}

/// The rest of a CompilationResultProto (xla/service/cpu/executable.proto): the
/// fields of \p Rest from the assignment of \p P on. What follows the message
/// has a smaller field number. Until 2025-01-29 there were no thunks; programs
/// that have nothing to do have none today, but say which kind of object files
/// they have.
void ContainerReader::findCpuThunks(FoundProto &P, StringRef Rest) {
  constexpr uint32_t OldFiles = 4, Kind = 5, Thunks = 6, Symbols = 7, Files = 8;
  constexpr uint64_t Kernels = 2;
  WireReader In(Rest);
  WireField F;
  while (In.next(F) && F.Bytes.data() != P.Assignment.data())
    ;
  StringRef Result = In.rest();
  StringRef Next = Result;
  uint32_t Before = 0;
  bool HasThunks = false, HasFiles = false, HasKernels = false;
  for (; spend() && In.next(F) && F.Number > 2 && F.Number >= Before;
       Before = F.Number) {
    Next = In.rest();
    // The first thunk begins with its kind. Of executables for GPUs, which have
    // other fields of these numbers, field 6 is a compute capability.
    bool IsSequence =
        F.Number == Thunks && isName(firstField(firstField(F.Bytes, 1), 1));
    // What is launched has a thunk, whether that can be read or not.
    HasThunks |= IsSequence || F.Number == Symbols;
    HasFiles |= F.Number == OldFiles || F.Number == Files;
    HasKernels |= F.Number == Kind && F.Value == Kernels;
  }
  // Kernels without thunks: jaxlib 0.4.38 does not store these.
  if (HasThunks || (HasKernels && !HasFiles))
    P.Thunks.Target = ThunkSource::Backend::CPU;
  if (P.Thunks.Target == ThunkSource::Backend::CPU) {
    P.Result = resultAround(Scanned, P, Next.data());
    const char *End = P.Result.empty() ? Next.data() : P.Result.end();
    P.Thunks.Parts = {StringRef(Result.data(), size_t(End - Result.data()))};
  }
  // In a file of an unknown kind, nothing else shows the cut.
  if (In.failed() && isTooLong(Next, Thunks))
    cutOff("it ends inside the thunks of an executable: it was cut off");
}

/// The thunks of the proto that was found in \p Records, if they are an
/// executable for GPUs. Computations on the host may have protos of their own
/// in it.
void ContainerReader::findGpuThunks(ArrayRef<StringRef> Records,
                                    size_t FirstProto) {
  constexpr uint32_t WithConfig = 1, Allocations = 10, Thunk = 13, OldThunk = 7;
  SplitManifest Head(Records);
  std::vector<StringRef> Merged;
  if (Head.Type == "xla.gpu.GpuExecutableProto" && Head.Good &&
      Head.IsMerged.size() < Records.size())
    for (size_t I = 0; I != Head.IsMerged.size(); ++I)
      if (Head.IsMerged[I])
        Merged.push_back(Records[I + 1]);
  for (size_t I = FirstProto; I != C.Protos.size(); ++I) {
    FoundProto &P = C.Protos[I];
    bool Own = llvm::any_of(Merged, [&](StringRef Record) {
      return bytesField(bytesField(Record, WithConfig), 1).data() ==
             P.Module.data();
    });
    if (!Own)
      continue;
    P.Thunks = ThunkSource();
    P.Thunks.Overridden = !Head.Plain;
    for (StringRef Record : Merged) {
      P.Thunks.Parts.push_back(Record);
      bool Good = forEachField(Record, [&](const WireField &F) {
        if (F.Number == Allocations || F.Number == Thunk ||
            F.Number == OldThunk)
          P.Thunks.Target = ThunkSource::Backend::GPU;
      });
      if (!Good)
        trouble("a record of the executable is damaged");
    }
  }
}

/// \p Rest is what follows \p Module.
void ContainerReader::keepProto(StringRef Module, StringRef Assignment,
                                StringRef Rest) {
  FoundProto &P = C.Protos.emplace_back();
  P.Module = Module;
  P.Assignment = Assignment;
  // The key and the size of the second field are all that may be between.
  P.Whole = Assignment.data() - Module.end() <= 11;
  if (P.Whole)
    return;
  P.EntryLayout = firstField(firstField(Rest, ModuleConfig), ConfigEntryLayout);
  findCpuThunks(P, Rest);
}

void ContainerReader::scan(StringRef Bytes) {
  constexpr uint64_t Least = 1 << 16;
  Budget += Bytes.size() * 4 + Least;
  Scanned = Bytes;
  size_t Offset = 0;
  while ((Offset = Bytes.find('\n', Offset)) != StringRef::npos) {
    StringRef Rest = Bytes.drop_front(++Offset);
    std::optional<uint64_t> Size = takeVarint(Rest);
    if (!Size || *Size > Rest.size() || !isModule(Rest.take_front(*Size))) {
      if (Budget == 0)
        return trouble("it has too many parts that look like a module");
      continue;
    }
    StringRef Module = Rest.take_front(*Size);
    Rest = Rest.drop_front(*Size);
    if (std::optional<StringRef> Assignment = assignmentAfter(Rest)) {
      keepProto(Module, *Assignment, Rest);
    } else {
      ++C.Modules;
      if (!bytesField(Module, ModuleSchedule).empty())
        C.ScheduledModules.push_back(Module);
    }
    Offset = static_cast<size_t>(Module.end() - Bytes.data());
  }
}

/// What kind of file \p Bytes are.
static Wrapper wrapperOf(StringRef Bytes, const ProtoContainer &C) {
  if (C.Protos.size() == 1) {
    const FoundProto &P = C.Protos.front();
    if (P.Module.data() - Bytes.data() <= 11 &&
        P.Module.data() > Bytes.data() && P.Assignment.end() == Bytes.end())
      return Wrapper::None;
  }
  bool Known = isCompressed(Bytes) || isZlib(Bytes) || isPickle(Bytes);
  return Known ? Wrapper::Known : C.Around;
}

ProtoContainer hlobuf::findProtos(StringRef Bytes, uint64_t MaxBytes) {
  ProtoContainer C;
  ContainerReader(C, MaxBytes).search(Bytes, 0);
  if (C.Around == Wrapper::CutOff) {
    C.Protos.clear();
    C.ScheduledModules.clear();
    C.Modules = 0;
    return C;
  }
  C.Around = wrapperOf(Bytes, C);
  // CPU executables (2023 on) have no HloProto, and no records around it.
  bool Records = Bytes.take_front(1 << 16).contains(RiegeliSignature);
  if (C.Target == Device::Unknown && !C.Protos.empty() &&
      !C.Protos.front().Whole && !Records)
    C.Target = Device::CPU;
  return C;
}
