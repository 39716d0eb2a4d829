// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All fields of a message and of those inside of it.

#ifndef HLOBUF_PROTO_FIELDWALK_H
#define HLOBUF_PROTO_FIELDWALK_H

#include "Support/LLVM.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <set>

namespace hlobuf {

/// What a field holds; see Fields.def.
enum class FieldType : uint8_t {
  Number,
  Numbers,
  Fixed32,
  Fixed32s,
  Fixed64,
  Fixed64s,
  Text,
  Opaque,
  Retired,
#define HLOBUF_MESSAGE(Name, ...) Name,
#include "Proto/Fields.def"
};

/// True if a field of \p Type holds a message of Fields.def.
constexpr bool isMessage(FieldType Type) { return Type > FieldType::Retired; }

/// What a field is for; see Fields.def.
enum class FieldClass : uint8_t {
  Source,
  Compared,
  Printed,
  Derived,
  Unshown,
  Assumed,
  Irrelevant
};

/// Rows of Fields.def: a message and the number of a field.
using FieldRows = std::set<std::pair<FieldType, uint32_t>>;

/// Finds fields that nobody reads: those that are newer than Fields.def, are
/// encoded in another way, damaged, there twice, or change what others mean;
/// and those that must be compared.
class FieldWalk {
public:
  /// Walks \p Parts, which together are an \p In of Fields.def, to their ends,
  /// but not the module and the assignment inside of another message. What
  /// cannot be read counts as a field 0.
  void walk(FieldType In, ArrayRef<StringRef> Parts, unsigned Depth = 0);

  /// Counts compared rows that were met, and are not in \p Done: whatever kept
  /// them from being compared, nobody knows what they say.
  void settle(const FieldRows &Done);

  /// A part could not be read at all.
  bool isDamaged() const {
    return llvm::any_of(
        Unread, [](const auto &Each) { return Each.first.second == 0; });
  }

  /// Counts the field \p Number of an \p In, whose value nobody reads.
  void addUnread(FieldType In, uint32_t Number) { ++Unread[{In, Number}]; }

  /// `xla.LayoutProto.9 (3)`: how often, each with a comma between.
  std::string unread() const;
  /// `xla.LayoutProto.9,xla.TileProto.2`.
  std::string unreadNames() const;

private:
  FieldRows Owed;
  std::map<std::pair<FieldType, uint32_t>, size_t> Unread;
};

} // namespace hlobuf

#endif // HLOBUF_PROTO_FIELDWALK_H
