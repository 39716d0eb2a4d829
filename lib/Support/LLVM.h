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
#include <algorithm>
#include <cstdint>
#include <functional>

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

/// The sum of what \p Of, a function or a member, says of the items of
/// \p Range.
template <typename RangeT, typename OfT>
uint64_t sumOf(const RangeT &Range, OfT Of) {
  uint64_t Sum = 0;
  for (const auto &Item : Range)
    Sum += std::invoke(Of, Item);
  return Sum;
}

/// The largest; 0 if there is none.
template <typename RangeT, typename OfT>
uint64_t largestOf(const RangeT &Range, OfT Of) {
  uint64_t Most = 0;
  for (const auto &Item : Range)
    Most = std::max<uint64_t>(Most, std::invoke(Of, Item));
  return Most;
}

/// Takes the first items of \p Rest off, as many as \p Of says the same of.
template <typename T, typename OfT>
ArrayRef<T> takeRun(ArrayRef<T> &Rest, OfT Of) {
  ArrayRef<T> Run = Rest.take_while(
      [&](const T &Item) { return Of(Item) == Of(Rest.front()); });
  Rest = Rest.drop_front(Run.size());
  return Run;
}

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_LLVM_H
