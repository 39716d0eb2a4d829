// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of LLVM that most files use.
//
// As clang/Basic/LLVM.h: they are spelled without `llvm::`. What is only
// declared here needs its own header where it is more than a name.

#ifndef HLOBUF_SUPPORT_LLVM_H
#define HLOBUF_SUPPORT_LLVM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace llvm {
class BitVector;
class raw_ostream;
template <typename KeyT, typename ValueT, typename KeyInfoT, typename BucketT>
class DenseMap;
template <typename ValueT, typename ValueInfoT> class DenseSet;
template <typename ValueTy, typename AllocatorTy> class StringMap;
namespace json {
class OStream;
} // namespace json
} // namespace llvm

namespace hlobuf {

using llvm::ArrayRef;
using llvm::BitVector;
using llvm::DenseMap;
using llvm::DenseSet;
using llvm::Error;
using llvm::Expected;
using llvm::function_ref;
using llvm::raw_ostream;
using llvm::SmallVector;
using llvm::SmallVectorImpl;
using llvm::StringLiteral;
using llvm::StringMap;
using llvm::StringRef;

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_LLVM_H
