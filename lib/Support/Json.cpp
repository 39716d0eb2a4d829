// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Support/Json.h"

using namespace hlobuf;
namespace json = llvm::json;

/// How deep the values of \p Text are nested at most.
static size_t depthOf(StringRef Text) {
  size_t Depth = 0;
  size_t Most = 0;
  bool Quoted = false;
  for (size_t I = 0; I < Text.size(); ++I) {
    char C = Text[I];
    if (C == '"')
      Quoted = !Quoted;
    else if (Quoted)
      I += C == '\\';
    else if (C == '[' || C == '{')
      Most = std::max(Most, ++Depth);
    else if ((C == ']' || C == '}') && Depth != 0)
      --Depth;
  }
  return Most;
}

std::optional<json::Object> hlobuf::parseJsonObject(StringRef Text) {
  constexpr size_t MaxDepth = 64;
  if (depthOf(Text) > MaxDepth)
    return std::nullopt;
  Expected<json::Value> Parsed = json::parse(Text);
  if (!Parsed) {
    llvm::consumeError(Parsed.takeError());
    return std::nullopt;
  }
  json::Object *Object = Parsed->getAsObject();
  return Object ? std::optional(std::move(*Object)) : std::nullopt;
}
