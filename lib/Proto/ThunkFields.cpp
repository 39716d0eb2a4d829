//===- Proto/ThunkFields.cpp ----------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Proto/ThunkFields.h"
#include "llvm/ADT/ArrayRef.h"

using namespace hlobuf;
using Use = ThunkField::Use;

static constexpr ThunkField other(uint32_t First, uint32_t Last = 0) {
  ThunkField Field;
  Field.Number = First;
  Field.Last = std::max(First, Last);
  return Field;
}

static constexpr ThunkField makeField(Use Is, uint32_t Number) {
  ThunkField Field = other(Number);
  Field.Is = Is;
  return Field;
}

static constexpr ThunkField makeImpl(uint32_t Number, ThunkKind Kind,
                                     ThunkMessage To) {
  ThunkField Field = makeField(Use::Impl, Number);
  Field.Kind = Kind;
  Field.Message = To;
  return Field;
}

static constexpr ThunkField makePart(uint32_t Number, ThunkMessage To) {
  ThunkField Field = makeField(Use::Part, Number);
  Field.Message = To;
  return Field;
}

static constexpr ThunkField makeSlice(uint32_t Number, SliceForm Form,
                                      ThunkAccess Access) {
  ThunkField Field = makeField(Use::Slice, Number);
  Field.Form = Form;
  Field.Access = Access;
  return Field;
}

static constexpr ThunkField makeSequence(uint32_t Number, ThunkRole Role) {
  ThunkField Field = makeField(Use::Sequence, Number);
  Field.Role = Role;
  return Field;
}

static constexpr ThunkField makeValue(uint32_t Number, ThunkValue Value) {
  ThunkField Field = makeField(Use::Value, Number);
  Field.Value = Value;
  return Field;
}

// As ThunkFields.def spells them.
#define impl(Number, Kind, To)                                                 \
  makeImpl(Number, ThunkKind::Kind, ThunkMessage::To)
#define part(Number, To) makePart(Number, ThunkMessage::To)
#define slice(Number, Form, Access)                                            \
  makeSlice(Number, SliceForm::Form, ThunkAccess::Access)
#define sequence(Number, Role) makeSequence(Number, ThunkRole::Role)
#define list(Number) makeField(Use::List, Number)
#define value(Number, Value) makeValue(Number, ThunkValue::Value)
#define HLOBUF_THUNK_MESSAGE(Name, ...)                                        \
  static constexpr ThunkField Name##Fields[] = {__VA_ARGS__};
#include "Proto/ThunkFields.def"
#undef impl
#undef part
#undef slice
#undef sequence
#undef list
#undef value

const ThunkField *hlobuf::findThunkField(ThunkMessage In, uint32_t Number) {
  static const llvm::ArrayRef<ThunkField> Fields[] = {
#define HLOBUF_THUNK_MESSAGE(Name, ...) Name##Fields,
#include "Proto/ThunkFields.def"
  };
  for (const ThunkField &Field : Fields[static_cast<size_t>(In)])
    if (Number >= Field.Number && Number <= Field.Last)
      return &Field;
  return nullptr;
}

llvm::StringRef hlobuf::thunkMessageName(ThunkMessage Message) {
  static constexpr llvm::StringRef Names[] = {
#define HLOBUF_THUNK_MESSAGE(Name, ...) #Name,
#include "Proto/ThunkFields.def"
  };
  return Names[static_cast<size_t>(Message)];
}
