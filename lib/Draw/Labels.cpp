//===- Draw/Labels.cpp ----------------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Draw/Labels.h"
#include "Support/Format.h"
#include "Support/Printable.h"

using namespace hlobuf;
using llvm::StringRef;

std::string hlobuf::spaceName(const Facts &A, int32_t Color) {
  if (A.isTPU()) {
    static constexpr StringRef Names[] = {"HBM", "VMEM", "sync flags"};
    if (Color >= 0 && static_cast<size_t>(Color) < std::size(Names))
      return Names[Color].str();
  } else if (Color == 0) {
    return "memory";
  }
  return fmt::format("memory space {}", Color);
}

StringRef hlobuf::allocationKind(const Allocation &Alloc) {
  if (Alloc.isParameter())
    return "parameter";
  if (Alloc.Constant)
    return "constant";
  if (Alloc.ThreadLocal)
    return "thread-local";
  if (Alloc.MaybeLiveOut)
    return "output";
  return Alloc.PreallocatedTemp ? "temp" : "other";
}

/// The attributes of \p Name, from the used values or from the module.
static StringRef attributesOf(const Facts &A, NameId Name) {
  if (const Instruction *I = A.instruction(Name))
    return A.dump().attributes(*I);
  const HloModule &Module = A.dump().Module;
  HloId Id = Module.find(Name);
  return Id ? Module.attributes(Module[Id]) : "";
}

std::string hlobuf::opName(const Facts &A, NameId Name) {
  std::optional<StringRef> Text =
      findMetadata(attributesOf(A, Name), "op_name");
  return Text ? printable(unescape(*Text)) : "";
}

std::string hlobuf::sourceOf(const Facts &A, NameId Name) {
  return A.sourceLine(attributesOf(A, Name));
}
