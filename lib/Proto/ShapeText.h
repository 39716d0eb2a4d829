// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ShapeProto as XLA prints it.

#ifndef HLOBUF_PROTO_SHAPETEXT_H
#define HLOBUF_PROTO_SHAPETEXT_H

#include "Support/LLVM.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include <optional>
#include <string>
#include <vector>

namespace hlobuf {

/// PrimitiveType.TUPLE.
constexpr int64_t TupleType = 13;

/// PrimitiveType of the ShapeProto \p Shape; 0 if it has none.
int64_t elementType(StringRef Shape);

/// `f32` of PrimitiveType \p Type; empty if it is unknown.
StringRef primitiveName(int64_t Type);

/// Appends \p Shape to \p Out as ShapeUtil::HumanString does, with or without
/// layout. False where the proto is damaged or nested too deep.
bool printShape(StringRef Shape, bool WithLayout, std::string &Out);

/// Texts of shapes: those of a program are a few, again and again.
class ShapeTexts {
public:
  /// As printShape().
  bool print(StringRef Shape, bool WithLayout, std::string &Out);

private:
  /// By their protos, without and with layouts.
  StringMap<std::string> Texts[2];
};

/// Parts of shapes. Each tuple is taken apart once: loops have thousands of
/// elements, and a value for each.
class SubshapeCache {
public:
  /// The part of \p Shape at \p Index; nothing if it has none.
  std::optional<StringRef> at(StringRef Shape, ArrayRef<int64_t> Index);

private:
  DenseMap<const char *, std::vector<StringRef>> Elements;
};

} // namespace hlobuf

#endif // HLOBUF_PROTO_SHAPETEXT_H
