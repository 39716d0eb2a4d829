// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fit/BatchDimension.h"
#include <map>

using namespace hlobuf;

/// Shapes of the results, without layouts, each with its number.
static std::map<std::string, unsigned> countResults(const Dump &D) {
  std::map<std::string, unsigned> Count;
  const HloModule &M = D.Module;
  HloId Root = M.Entry ? M[M.Entry].Root : HloId();
  if (!Root)
    return Count;
  const Shape &Result = D.Shapes[M[Root].Shape];
  for (ShapeId Id :
       Result.isTuple() ? ArrayRef(Result.Elements) : ArrayRef(M[Root].Shape))
    ++Count[D.Shapes.plainText(Id)];
  return Count;
}

std::string hlobuf::treeOf(StringRef OpName) {
  return OpName.take_front(OpName.find_first_of("[.")).str();
}

namespace {
/// An array that the caller gives.
struct EntryArgument {
  ShapeId Shape;
  /// What it is part of, as the caller knows it: `state` of
  /// `state[0]['blocks']['w1']`; empty if the program does not name it.
  std::string Tree;
  /// A result has its shape, each result for one argument.
  bool Returned = false;
};
} // namespace

/// In their order; those that are tuples are left out.
static std::vector<EntryArgument> findEntryArguments(const Dump &D,
                                                     const ValueNames &Names) {
  const HloModule &M = D.Module;
  std::map<uint64_t, EntryArgument> Arguments;
  std::map<std::string, unsigned> Results = countResults(D);
  IndexRange All = M.Entry ? M[M.Entry].Instructions : IndexRange();
  for (uint32_t I = All.Begin; I != All.End; ++I)
    if (const HloInstruction &P = M.Instructions[I];
        P.Op == Opcode::Parameter && D.Shapes[P.Shape].isArray())
      Arguments[P.number()] = {P.Shape,
                               treeOf(Names.ofInstruction(P.Name).OpName)};
  for (auto &[Number, A] : Arguments)
    if (unsigned &Left = Results[D.Shapes.plainText(A.Shape)]; Left != 0) {
      --Left;
      A.Returned = true;
    }
  auto Values = llvm::make_second_range(Arguments);
  return {Values.begin(), Values.end()};
}

/// A named argument of more arrays than this is a tree of weights, no data.
static constexpr unsigned MaxDataArrays = 3;

/// The sizes of \p Dimensions that are not 1, sorted.
static std::vector<int64_t> sortedSizes(ArrayRef<Dimension> Dimensions) {
  std::vector<int64_t> Sizes;
  for (Dimension Dim : Dimensions)
    if (Dim.Size != 1)
      Sizes.push_back(Dim.Size);
  llvm::sort(Sizes);
  return Sizes;
}

BatchDimension::BatchDimension(const Facts &DumpFacts, const ValueNames &Names)
    : DumpFacts(DumpFacts) {
  std::vector<EntryArgument> Arguments =
      findEntryArguments(DumpFacts.dump(), Names);
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
    ArrayRef<Dimension> All = Shapes[A.Shape].Dimensions;
    bool Cache =
        A.Returned && Size && A.Tree != Arguments.front().Tree &&
        llvm::any_of(All, [&](Dimension Dim) { return Dim.Size == *Size; });
    if (IsData(A) || Cache)
      continue;
    Weights.insert(sortedSizes(All));
    // A scan takes one of its layers.
    if (All.size() > 2)
      Weights.insert(sortedSizes(All.drop_front()));
  }
}

bool BatchDimension::scales(ShapeId Id) const {
  const Shape &S = DumpFacts.dump().Shapes[Id];
  if (!Size || !S.isArray())
    return false;
  bool Multiple = llvm::any_of(S.Dimensions, [&](Dimension Dim) {
    return Dim.Size > 0 && Dim.Size % *Size == 0;
  });
  return Multiple && Weights.count(sortedSizes(S.Dimensions)) == 0;
}
