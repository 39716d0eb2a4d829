// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which computations a line calls.

#include "HLO/ModuleCalls.h"

using namespace hlobuf;
using llvm::StringRef;

static constexpr std::pair<StringRef, CallRole> Roles[] = {
    {"calls", CallRole::Calls},
    {"to_apply", CallRole::ToApply},
    {"condition", CallRole::Condition},
    {"body", CallRole::Body},
    {"branch_computations", CallRole::Branch},
    {"true_computation", CallRole::Branch},
    {"false_computation", CallRole::Branch},
    {"called_computations", CallRole::Called},
    {"select", CallRole::Select},
    {"scatter", CallRole::Scatter}};

/// True if some key that forEachCall() asks for begins with \p First: most do
/// not.
static bool mayMatter(char First) {
  switch (First) {
  case 'b':
  case 'c':
  case 'f':
  case 'i':
  case 'm':
  case 's':
  case 't':
    return true;
  default:
    return false;
  }
}

StringRef hlobuf::callKey(CallRole Role) {
  return llvm::find_if(Roles,
                       [&](const auto &Row) { return Row.second == Role; })
      ->first;
}

std::optional<CallRole> hlobuf::callRole(StringRef Key) {
  for (auto [Text, Role] : Roles)
    if (Key == Text)
      return Role;
  return std::nullopt;
}

/// Called computations come before these in the fixed order of attributes
/// (HloInstruction::ExtraAttributesToString).
static bool endsCalls(StringRef Key) {
  static constexpr StringRef Later[] = {
      "metadata",     "backend_config",      "sharding",
      "is_composite", "frontend_attributes", "control-predecessors",
      "statistics"};
  for (StringRef Text : Later)
    if (Key == Text)
      return true;
  return false;
}

/// The names of \p Value, one or a list in braces.
static void addCalls(StringRef Value, CallRole Role,
                     llvm::function_ref<void(StringRef, CallRole)> Visit) {
  Value.consume_front("{");
  Value.consume_back("}");
  while (!Value.empty()) {
    // Most are one.
    size_t Comma = Value.find(',');
    StringRef Name = Value.take_front(
        Comma == StringRef::npos ? Comma : Value.find(", ", Comma));
    Value = Value.drop_front(std::min(Value.size(), Name.size() + 2));
    Name.consume_front("%");
    Scanner Rest(Name);
    StringRef Text;
    if (Rest.name(Text) && Rest.atEnd())
      Visit(Text, Role);
  }
}

StringRef hlobuf::forEachCall(
    StringRef Attributes, llvm::function_ref<void(StringRef, CallRole)> Visit,
    llvm::function_ref<void(StringRef, StringRef)> VisitAttribute) {
  // `calls=%a, %b` names several without braces (hlo_instruction.cc).
  bool More = false;
  StringRef Key;
  while (takeAttributeKey(Attributes, Key)) {
    bool Matters = !Key.empty() && mayMatter(Key[0]);
    if (Matters && endsCalls(Key))
      return "";
    StringRef Value = takeAttributeValue(Attributes);
    std::optional<CallRole> Role =
        Matters ? callRole(Key) : std::optional<CallRole>();
    bool HasValue = Value.begin() != Key.end();
    if (HasValue)
      VisitAttribute(Key, Value);
    else if (!More)
      return Key;
    if (Role)
      addCalls(Value, *Role, Visit);
    else if (!HasValue)
      addCalls(Key, CallRole::Calls, Visit);
    More = Role == CallRole::Calls || (More && !HasValue);
  }
  return Attributes;
}
