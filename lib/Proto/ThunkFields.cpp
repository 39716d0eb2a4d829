//===- Proto/ThunkFields.cpp ----------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Proto/ThunkFields.h"
#include <vector>

using namespace hlobuf;

namespace {
/// Notes which message the rows belong to.
struct FieldTable {
  FieldTable();
  std::vector<ThunkField> Rows;
  /// By message: the first of its rows; and the end of all.
  std::vector<size_t> Begin;
};
} // namespace

FieldTable::FieldTable() {
  using Use = ThunkField::Use;
  auto In = ThunkMessage();
  auto Add = [&](uint32_t Number, Use Is) -> ThunkField & {
    return Rows.emplace_back(ThunkField{In, Number, Is});
  };
#define HLOBUF_THUNK_MESSAGE(Name)                                             \
  In = ThunkMessage::Name;                                                     \
  Begin.push_back(Rows.size());
#define HLOBUF_THUNK_IMPL(Number, Of, To)                                      \
  {                                                                            \
    ThunkField &Row = Add(Number, Use::Impl);                                  \
    Row.Kind = ThunkKind::Of;                                                  \
    Row.Message = ThunkMessage::To;                                            \
  }
#define HLOBUF_THUNK_SLICE(Number, As, By)                                     \
  {                                                                            \
    ThunkField &Row = Add(Number, Use::Slice);                                 \
    Row.Form = SliceForm::As;                                                  \
    Row.Access = ThunkAccess::By;                                              \
  }
#define HLOBUF_THUNK_PART(Number, To)                                          \
  Add(Number, Use::Part).Message = ThunkMessage::To;
#define HLOBUF_THUNK_SEQUENCE(Number, As)                                      \
  Add(Number, Use::Sequence).Role = ThunkRole::As;
#define HLOBUF_THUNK_LIST(Number) Add(Number, Use::List);
#define HLOBUF_THUNK_VALUE(Number, What)                                       \
  Add(Number, Use::Value).Value = ThunkValue::What;
#define HLOBUF_THUNK_OTHER(Number) Add(Number, Use::Other);
#include "Proto/ThunkFields.def"
  Begin.push_back(Rows.size());
}

const ThunkField *hlobuf::findThunkField(ThunkMessage In, uint32_t Number) {
  static const FieldTable Table;
  auto Message = static_cast<size_t>(In);
  for (size_t I = Table.Begin[Message]; I != Table.Begin[Message + 1]; ++I)
    if (Table.Rows[I].Number == Number)
      return &Table.Rows[I];
  return nullptr;
}

llvm::StringRef hlobuf::thunkMessageName(ThunkMessage Message) {
  static constexpr llvm::StringRef Names[] = {
#define HLOBUF_THUNK_MESSAGE(Name) #Name,
#include "Proto/ThunkFields.def"
  };
  return Names[static_cast<size_t>(Message)];
}
