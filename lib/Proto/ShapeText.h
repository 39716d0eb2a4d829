// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ShapeProto as XLA prints it.

#ifndef HLOBUF_PROTO_SHAPETEXT_H
#define HLOBUF_PROTO_SHAPETEXT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace hlobuf {

/// PrimitiveType.TUPLE.
constexpr int64_t TupleType = 13;

/// PrimitiveType of the ShapeProto \p Shape; 0 if it has none.
int64_t elementType(llvm::StringRef Shape);

/// `f32` of PrimitiveType \p Type; empty if it is unknown.
llvm::StringRef primitiveName(int64_t Type);

/// Appends \p Shape to \p Out as ShapeUtil::HumanString does, with or without
/// layout. False where the proto is damaged or nested too deep.
bool printShape(llvm::StringRef Shape, bool WithLayout, std::string &Out);

/// Texts of shapes: those of a program are a few, again and again.
class ShapeTexts {
public:
  /// As printShape().
  bool print(llvm::StringRef Shape, bool WithLayout, std::string &Out);

private:
  /// By their protos, without and with layouts.
  llvm::StringMap<std::string> Texts[2];
};

/// Parts of shapes. Each tuple is taken apart once: loops have thousands of
/// elements, and a value for each.
class SubshapeCache {
public:
  /// The part of \p Shape at \p Index; nothing if it has none.
  std::optional<llvm::StringRef> at(llvm::StringRef Shape,
                                    llvm::ArrayRef<int64_t> Index);

private:
  llvm::DenseMap<const char *, std::vector<llvm::StringRef>> Elements;
};

} // namespace hlobuf

#endif // HLOBUF_PROTO_SHAPETEXT_H
