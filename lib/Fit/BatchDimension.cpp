// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fit/BatchDimension.h"
#include <map>

using namespace hlobuf;
using llvm::StringRef;

/// A named argument of more arrays than this is a tree of weights, no data.
static constexpr unsigned MaxDataArrays = 3;

BatchDimension::BatchDimension(const Facts &DumpFacts,
                               llvm::ArrayRef<EntryArgument> Arguments)
    : DumpFacts(DumpFacts) {
  const ShapeTable &Shapes = DumpFacts.dump().Shapes;
  std::map<std::string, unsigned> Arrays;
  for (const EntryArgument &A : Arguments)
    ++Arrays[A.Tree];
  auto IsInteger = [&](const EntryArgument &A) {
    StringRef Element = Shapes[A.Shape].Element;
    return Element.starts_with("s") || Element.starts_with("u");
  };
  // The token that comes next is like the one before. Keys of random numbers
  // are two or four words.
  auto IsData = [&](const EntryArgument &A) {
    const auto &Dimensions = Shapes[A.Shape].Dimensions;
    bool Key = Dimensions.size() == 1 && Dimensions[0].Size <= 4 &&
               Shapes[A.Shape].Element == "u32";
    return (!A.Returned || IsInteger(A)) && !Dimensions.empty() && !Key &&
           Arrays[A.Tree] <= MaxDataArrays;
  };
  auto Take = [&](const EntryArgument &A) {
    Size = Shapes[A.Shape].Dimensions.front().Size;
    Argument = A.Tree;
  };
  // Tokens and labels are integers; weights hardly ever are.
  for (bool Integers : {true, false})
    for (const EntryArgument &A : Arguments)
      if (!Size && IsData(A) && IsInteger(A) == Integers)
        Take(A);
  if (Size && *Size < 2)
    Size.reset();
  for (const EntryArgument &A : Arguments) {
    Sizes All = sortedSizes(A.Shape);
    bool Cache = A.Returned && Size && A.Tree != Arguments.front().Tree &&
                 llvm::is_contained(All, *Size);
    if (!IsData(A) && !Cache)
      addWeight(A.Shape);
  }
}

BatchDimension::Sizes BatchDimension::sortedSizes(ShapeId Id) const {
  Sizes Found;
  for (Dimension Dim : DumpFacts.dump().Shapes[Id].Dimensions)
    if (Dim.Size != 1)
      Found.push_back(Dim.Size);
  llvm::sort(Found);
  return Found;
}

void BatchDimension::addWeight(ShapeId Id) {
  Weights.insert(sortedSizes(Id));
  // A scan takes one of its layers.
  const auto &Dimensions = DumpFacts.dump().Shapes[Id].Dimensions;
  Sizes Layer;
  for (Dimension Dim : llvm::drop_begin(Dimensions, Dimensions.empty() ? 0 : 1))
    if (Dim.Size != 1)
      Layer.push_back(Dim.Size);
  llvm::sort(Layer);
  if (Dimensions.size() > 2)
    Weights.insert(Layer);
}

bool BatchDimension::scales(ShapeId Id) const {
  const Shape &S = DumpFacts.dump().Shapes[Id];
  if (!Size || !S.isArray())
    return false;
  bool Multiple = llvm::any_of(S.Dimensions, [&](Dimension Dim) {
    return Dim.Size > 0 && Dim.Size % *Size == 0;
  });
  return Multiple && Weights.find(sortedSizes(Id)) == Weights.end();
}
