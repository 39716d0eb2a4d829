// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an executable for a GPU repeats.

#ifndef HLOBUF_PROTO_GPUCOPIES_H
#define HLOBUF_PROTO_GPUCOPIES_H

#include "Proto/ProtoText.h"
#include <map>

namespace hlobuf {

/// An input_output_alias.
struct ProtoAlias {
  int64_t Parameter = 0;
  SmallVector<int64_t, 4> Index;
  int64_t Kind = 0;

  bool operator==(const ProtoAlias &) const = default;
};
/// By index of the output.
using ProtoAliases = std::map<SmallVector<int64_t, 4>, ProtoAlias>;

/// Compares the copies of allocations, outputs and constants that a GPU runs by
/// with the module, whose aliases are \p Aliases, and the assignment of \p P;
/// as compareFields() does.
FieldRows compareGpuCopies(const HloProto &P, const ProtoAliases &Aliases,
                           function_ref<void(const std::string &)> Report);

} // namespace hlobuf

#endif // HLOBUF_PROTO_GPUCOPIES_H
