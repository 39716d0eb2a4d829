// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Proto/ThunkFields.h"
#include "llvm/ADT/ArrayRef.h"

using namespace hlobuf;
using Use = ThunkField::Use;

static constexpr ThunkField other(uint32_t First, uint32_t Last = 0) {
  return {.Number = First, .Last = std::max(First, Last)};
}

// As ThunkFields.def spells them.
#define field(Name, N, ...)                                                    \
  ThunkField {                                                                 \
    .Is = Use::Name, .Number = N, .Last = N __VA_OPT__(, ) __VA_ARGS__         \
  }
#define impl(N, Which, To)                                                     \
  field(Impl, N, .Kind = ThunkKind::Which, .Message = ThunkMessage::To)
#define part(N, To) field(Part, N, .Message = ThunkMessage::To)
#define slice(N, In, Does)                                                     \
  field(Slice, N, .Form = SliceForm::In, .Access = ThunkAccess::Does)
#define sequence(N, Which) field(Sequence, N, .Role = ThunkRole::Which)
#define list(N) field(List, N)
#define attribute(N, Name, Form)                                               \
  field(Attribute, N, .Spelled = AttributeForm::Form, .Key = Name)
#define value(N, Which) field(Value, N, .Value = ThunkValue::Which)
#define HLOBUF_THUNK_MESSAGE(Name, ...)                                        \
  static constexpr ThunkField Name##Fields[] = {__VA_ARGS__};
#include "Proto/ThunkFields.def"
#undef field
#undef impl
#undef part
#undef slice
#undef sequence
#undef list
#undef value
#undef attribute

llvm::ArrayRef<ThunkField> hlobuf::thunkFields(ThunkMessage In) {
  static const llvm::ArrayRef<ThunkField> Fields[] = {
#define HLOBUF_THUNK_MESSAGE(Name, ...) Name##Fields,
#include "Proto/ThunkFields.def"
  };
  return Fields[static_cast<size_t>(In)];
}

const ThunkField *hlobuf::findThunkField(ThunkMessage In, uint32_t Number) {
  for (const ThunkField &Field : thunkFields(In))
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
