// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dump/CutOff.h"
#include "Support/Format.h"

using namespace hlobuf;

static constexpr StringRef Advice =
    "if several processes wrote it, give each its own folder (--xla_dump_to)";

/// The offset of the line of \p Text that the first one of \p Syntax is about;
/// the size of the text if there is none. They are in the order of reading:
/// names are looked up after that, and may have other lines' meanings by then.
static size_t firstDamage(StringRef Text, ArrayRef<Diagnostic> Syntax) {
  for (const Diagnostic &Error : Syntax) {
    if (Error.Where.data() < Text.begin() || Error.Where.data() >= Text.end())
      continue;
    auto Offset = static_cast<size_t>(Error.Where.data() - Text.begin());
    return Text.take_front(Offset).rfind('\n') + 1;
  }
  return Text.size();
}

/// True if \p Text before \p End is a whole file, and what follows is the rest
/// of another one: two texts of one program end alike. A text that was cut off
/// ends in a line.
static bool continuesAfterEnd(StringRef Text, size_t End) {
  StringRef Head = Text.take_front(End), Tail = Text.drop_front(End);
  return !Tail.empty() && Tail.size() < Head.size() && Head.ends_with(Tail) &&
         Tail.ends_with("\n");
}

/// The number \p Text, if it can be an address of a 64-bit host from \p Lowest
/// on; 0 if it cannot.
static uint64_t asAddress(StringRef Text, uint64_t Lowest) {
  constexpr uint64_t Highest = uint64_t(1) << 56;
  uint64_t Number = 0;
  return !Text.getAsInteger(10, Number) && Number >= Lowest && Number < Highest
             ? Number
             : 0;
}

/// True if \p Text can hardly be anything but the address of an object.
static bool isFarAddress(StringRef Text) {
  uint64_t Number = asAddress(Text, uint64_t(1) << 32);
  return Number != 0 && Number % 8 == 0;
}

/// True if constant \p Id is a 64-bit integer that custom calls read and
/// nothing else: so callbacks are handed to the host.
static bool isHandedToHost(const Dump &D, HloId Id) {
  const HloModule &M = D.Module;
  const Shape &S = D.Shapes[M[Id].Shape];
  if (!S.isArray() || !S.Dimensions.empty() ||
      (S.Element != "s64" && S.Element != "u64"))
    return false;
  bool AnyReader = false;
  for (const HloInstruction &I : M.Instructions)
    for (HloId Operand : M.operands(I)) {
      if (Operand != Id)
        continue;
      AnyReader = true;
      if (I.Op != Opcode::CustomCall)
        return false;
    }
  return AnyReader;
}

/// True if constant \p Id of the module is an address there, and another one,
/// \p InValues, in the values. Programs that are loaded at fixed places keep
/// their heap in the first 4 GiB, where other numbers are likely too: what
/// reads the constant decides.
static bool isOtherAddress(const Dump &D, StringRef InValues, HloId Id) {
  constexpr uint64_t FirstPages = 65536;
  StringRef Own = D.Module.operandsText(D.Module[Id]);
  return Own != InValues && asAddress(InValues, FirstPages) &&
         asAddress(Own, FirstPages) &&
         ((isFarAddress(InValues) && isFarAddress(Own)) ||
          isHandedToHost(D, Id));
}

/// The constant that holds one address in the values and another in the module;
/// invalid if none does. Compilers put addresses of host functions into
/// constants.
static NameId differingAddress(const Dump &D) {
  if (!D.complete(Section::Texts) || !D.complete(Section::Module))
    return NameId();
  for (const Instruction &I : D.Instructions) {
    if (I.Op.Op != Opcode::Constant)
      continue;
    HloId Id = D.Module.find(I.Name);
    if (Id && D.Module[Id].Op == Opcode::Constant &&
        isOtherAddress(D, D.operandsText(I), Id))
      return I.Name;
  }
  return NameId();
}

std::string hlobuf::tracesOfTwoWriters(const Dump &D,
                                       ArrayRef<Diagnostic> Syntax) {
  for (size_t Role = 0; Role != NumFileRoles; ++Role) {
    StringRef Text = D.Files[Role].Text;
    size_t End = firstDamage(Text, Syntax);
    if (End != 0 && Text.drop_front(End).starts_with("HloModule "))
      return fmt::format("'{}' holds two modules", D.Files[Role].Path);
    if (continuesAfterEnd(Text, End))
      return fmt::format("{}:{}:1: the file continues after its end: {}",
                         D.Files[Role].Path,
                         Text.take_front(End).count('\n') + 1, Advice);
  }
  if (NameId Name = differingAddress(D))
    return fmt::format(
        "'{}' and '{}' are from different processes: the host address in "
        "constant {} differs; give each process its own folder (--xla_dump_to)",
        D.file(FileRole::Assignment).Path, D.file(FileRole::Module).Path,
        D.Names[Name]);
  return "";
}
