// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Proto/FieldWalk.h"
#include "Proto/Wire.h"
#include "Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include <bitset>

using namespace hlobuf;

namespace {
struct FieldRow {
  uint32_t Number;
  FieldType Type;
  FieldClass Class;
  /// It may be there several times.
  bool Several = false;
};
constexpr bool Many = true;
/// A message of Fields.def.
struct MessageRows {
  StringRef Name;
  /// By number.
  ArrayRef<FieldRow> Fields;
};
} // namespace

// As Fields.def spells them.
#define row(N, Is, Type, ...)                                                  \
  {N, FieldType::Type, FieldClass::Is __VA_OPT__(, ) __VA_ARGS__}
#define source(N, ...) row(N, Source, __VA_ARGS__)
#define compared(N, ...) row(N, Compared, __VA_ARGS__)
#define printed(N, ...) row(N, Printed, __VA_ARGS__)
#define derived(N, ...) row(N, Derived, __VA_ARGS__)
#define unshown(N, ...) row(N, Unshown, __VA_ARGS__)
#define assumed(N, ...) row(N, Assumed, __VA_ARGS__)
#define irrelevant(N, ...) row(N, Irrelevant, __VA_ARGS__)
#define retired(N) row(N, Irrelevant, Retired, Many)
#define HLOBUF_MESSAGE(Name, Text, ...)                                        \
  static constexpr FieldRow Name##Rows[] = {__VA_ARGS__};
#include "Proto/Fields.def"
#undef row
#undef source
#undef compared
#undef printed
#undef derived
#undef unshown
#undef assumed
#undef irrelevant
#undef retired

static constexpr auto FirstMessage = uint8_t(FieldType::Retired) + 1;

static const MessageRows &rowsOf(FieldType Message) {
  static const MessageRows All[] = {
#define HLOBUF_MESSAGE(Name, Text, ...) {Text, Name##Rows},
#include "Proto/Fields.def"
  };
  return All[uint8_t(Message) - FirstMessage];
}

/// Several numbers may be packed into bytes.
static bool isEncodedAs(WireType Wire, FieldType Type) {
  switch (Type) {
  case FieldType::Number:
    return Wire == WireType::Varint;
  case FieldType::Numbers:
    return Wire == WireType::Varint || Wire == WireType::Bytes;
  case FieldType::Fixed32:
    return Wire == WireType::Fixed32;
  case FieldType::Fixed32s:
    return Wire == WireType::Fixed32 || Wire == WireType::Bytes;
  case FieldType::Fixed64:
    return Wire == WireType::Fixed64;
  case FieldType::Fixed64s:
    return Wire == WireType::Fixed64 || Wire == WireType::Bytes;
  case FieldType::Retired:
    return true;
  default:
    return Wire == WireType::Bytes;
  }
}

/// True if a field of \p Type is a list of numbers.
static bool holdsSeveral(FieldType Type) {
  return Type == FieldType::Numbers || Type == FieldType::Fixed32s ||
         Type == FieldType::Fixed64s;
}

void FieldWalk::walk(FieldType In, ArrayRef<StringRef> Parts, unsigned Depth) {
  // Shapes and literals nest; hostile ones without end.
  constexpr unsigned MostDepth = 100;
  ArrayRef<FieldRow> Rows = rowsOf(In).Fields;
  std::bitset<128> Seen;
  auto Visit = [&](const WireField &F) {
    const FieldRow *Row = llvm::partition_point(
        Rows, [&](const FieldRow &R) { return R.Number < F.Number; });
    bool Known = Row != Rows.end() && Row->Number == F.Number &&
                 isEncodedAs(F.Type, Row->Type);
    // Of one that is there twice, readers merge both, or take the last one.
    if (Known && !Row->Several && !holdsSeveral(Row->Type)) {
      auto Index = static_cast<size_t>(Row - Rows.begin());
      Known = !Seen[Index];
      Seen.set(Index);
    }
    bool Empty = F.isMessage() ? F.Bytes.empty() : F.Value == 0;
    if (Known && Row->Class == FieldClass::Compared && !Empty)
      Owed.insert({In, F.Number});
    bool Broken =
        Known && Row->Type == FieldType::Opaque && !isMessage(F.Bytes);
    if (!Known || Broken || (Row->Class == FieldClass::Unshown && !Empty))
      ++Unread[{In, F.Number}];
    else if (isMessage(Row->Type) && Row->Type != FieldType::HloModule &&
             Row->Type != FieldType::BufferAssignment)
      walk(Row->Type, F.Bytes, Depth + 1);
  };
  for (StringRef Part : Parts)
    if (Depth == MostDepth || !forEachField(Part, Visit))
      ++Unread[{In, 0}];
}

void FieldWalk::settle(const FieldRows &Done) {
  for (const auto &Row : Owed)
    if (Done.count(Row) == 0)
      ++Unread[Row];
}

std::string FieldWalk::unreadNames() const {
  std::vector<std::string> All;
  for (const auto &[Field, Count] : Unread)
    All.push_back(fmt::format("{}.{}", rowsOf(Field.first).Name, Field.second));
  return fmt::format("{}", fmt::join(All, ","));
}

std::string FieldWalk::unread() const {
  std::vector<std::string> All;
  for (const auto &[Field, Count] : Unread)
    All.push_back(fmt::format("{}.{} ({})", rowsOf(Field.first).Name,
                              Field.second, Count));
  return fmt::format("{}", fmt::join(All, ", "));
}
