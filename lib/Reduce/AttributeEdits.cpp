// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes, layouts, the header.

#include "Reduce/Edits.h"
#include "Reduce/ShapeStrings.h"
#include "llvm/ADT/StringExtras.h"

using namespace hlobuf;

/// XLA reads the instruction without it, too.
static bool isOptional(StringRef Key) {
  static constexpr StringRef Keys =
      "sharding frontend_attributes backend_config statistics "
      "control-predecessors operand_precision result_accuracy "
      "indices_are_sorted unique_indices execution_threads algorithm";
  return llvm::is_contained(llvm::split(Keys, ' '), Key);
}

std::vector<Edit> hlobuf::dropAttributes(const EditModule &M) {
  std::vector<Edit> Edits;
  forEachInstruction(M, [&](uint32_t I) {
    for (const EditAttribute &A : M[I].Attributes)
      if (isOptional(A.Key))
        Edits.push_back([I, Key = A.Key](EditModule &E) {
          llvm::erase_if(E[I].Attributes,
                         [&](const EditAttribute &B) { return B.Key == Key; });
          return true;
        });
  });
  return Edits;
}

std::vector<Edit> hlobuf::dropHeader(const EditModule &M) {
  std::vector<Edit> Edits;
  for (const EditAttribute &A : M.Header)
    Edits.push_back([Key = A.Key](EditModule &E) {
      llvm::erase_if(E.Header,
                     [&](const EditAttribute &B) { return B.Key == Key; });
      return true;
    });
  for (auto Number = static_cast<uint32_t>(M.Aliases.size()); Number-- != 0;)
    Edits.push_back([Number](EditModule &E) {
      if (Number >= E.Aliases.size())
        return false;
      E.Aliases.erase(E.Aliases.begin() + Number);
      return true;
    });
  return Edits;
}

std::vector<Edit> hlobuf::dropLayouts(const EditModule &M) {
  return editEach(
      M, [&](uint32_t I) { return M[I].Shape != withoutLayouts(M[I].Shape); },
      [](EditModule &E, uint32_t I) {
        E[I].Shape = withoutLayouts(E[I].Shape);
        return true;
      });
}
