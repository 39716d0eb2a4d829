// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The module to reduce.

#ifndef HLOBUF_REDUCE_MODULEINPUT_H
#define HLOBUF_REDUCE_MODULEINPUT_H

#include "Reduce/EditModule.h"

namespace hlobuf {

/// Reads the file \p Path: an HLO text, or an HloProto (`*.hlo.pb`). Fails
/// where it is neither, or is damaged, or has been scheduled already.
llvm::Expected<EditModule> readModuleFile(const std::string &Path);

} // namespace hlobuf

#endif // HLOBUF_REDUCE_MODULEINPUT_H
