// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Does a release print pages?.
//
// Releases since 2026-08-10 print `page 0` in the header of each allocation
// (BufferAllocation::ToShortString, xla/service/buffer_assignment.cc). No field
// of a proto says which release wrote it; these functions look elsewhere.

#ifndef HLOBUF_PROTO_PAGES_H
#define HLOBUF_PROTO_PAGES_H

#include "llvm/ADT/StringRef.h"
#include <optional>

namespace hlobuf {

struct HloProto;

/// What the source revision \p Revision of a libtpu says. Release branches get
/// revisions weeks after they were cut.
bool pagesOfRevision(uint64_t Revision);

/// What the name of a dump says: libtpu puts its source revision into it,
/// `module_0000.jit_f.cl_1014260217.after_optimizations.hlo.pb`. Nothing if
/// there is none.
std::optional<bool> pagesOfName(llvm::StringRef Name);

/// What a DebugOptions message says: most options are written with their
/// defaults, and new ones get the next number. Nothing if it has no field or is
/// damaged.
std::optional<bool> pagesOfOptions(llvm::StringRef DebugOptions);

/// What a CompileOptionsProto says, which PJRT clients write as
/// `compile_options.pb` when they dump.
std::optional<bool> pagesOfCompilation(llvm::StringRef CompileOptions);

/// What the text of a HloModuleConfigProto says, which compilers for GPUs dump
/// as `config.pbtxt`: it names all options.
bool pagesOfConfig(llvm::StringRef ConfigText);

/// What \p P itself suggests, where nothing else is known.
bool pagesOfForm(const HloProto &P);

} // namespace hlobuf

#endif // HLOBUF_PROTO_PAGES_H
