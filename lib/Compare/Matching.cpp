// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Compare/Matching.h"
#include "Support/Format.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

using namespace hlobuf;

namespace {
/// What two values must share to be paired in a pass, from much to little.
enum class Pass : unsigned {
  Everything,
  /// Not layout and opcode.
  OpName,
  /// Not the scope of the operation, which remat and transforms change.
  Operation,
  /// The kind of its allocation may differ: a donation came or went.
  AnyKind,
  /// Only what reads it is known, or the same: copies and barriers of
  /// jax.checkpoint have other operations than what they forward.
  Readers,
  /// The shape may differ, but not its rank and element type.
  OtherShape,
  OtherShapeAnyScope,
  /// The source line is not known, or the release prints another one. Arguments
  /// have other names.
  NoSource,
  /// The element type may differ.
  OtherType,
};
constexpr unsigned NumValuePasses = static_cast<unsigned>(Pass::OtherType) + 1;
} // namespace

/// The text that values paired in \p P share; empty if \p V takes no part.
static std::string keyOf(const ComparedValue &V, Pass P) {
  auto Key = [](const auto &...Parts) {
    std::string Text;
    (appendFormat(Text, "{}|", Parts), ...);
    return Text;
  };
  unsigned Kind = static_cast<unsigned>(V.Kind);
  StringRef Operation = V.operation();
  const std::string &Source = V.Called.Source;
  switch (P) {
  case Pass::Everything:
    return Key(Kind, V.Called.OpName, Source, V.Shape, V.Opcode);
  case Pass::OpName:
    return Key(Kind, V.Called.OpName, Source, V.PlainShape);
  case Pass::Operation:
    return Key(Kind, Operation, Source, V.PlainShape);
  case Pass::Readers:
    return V.Readers.empty() ? "" : Key(Kind, V.PlainShape, V.Readers);
  case Pass::NoSource:
    return V.Argument ? Key("argument", *V.Argument, V.PlainShape)
                      : Key(Kind, Operation, V.PlainShape);
  default:
    break;
  }
  if (Operation.empty())
    return "";
  if (P == Pass::AnyKind)
    return Key(Operation, Source, V.PlainShape);
  if (P == Pass::OtherType)
    return Key(Operation, Source, V.rank());
  return Key(Kind,
             P == Pass::OtherShape ? StringRef(V.Called.OpName) : Operation,
             Source, V.elementType(), V.rank());
}

std::vector<ValueMatch>
hlobuf::matchByKeys(std::vector<size_t> Old, std::vector<size_t> New,
                    unsigned Passes,
                    function_ref<std::string(bool, size_t, unsigned)> KeyOf) {
  std::vector<ValueMatch> Matches;
  for (unsigned Pass = 0; Pass != Passes; ++Pass) {
    std::map<std::string, std::pair<std::vector<size_t>, std::vector<size_t>>>
        ByKey;
    for (size_t I : Old)
      ByKey[KeyOf(false, I, Pass)].first.push_back(I);
    for (size_t J : New)
      ByKey[KeyOf(true, J, Pass)].second.push_back(J);
    ByKey.erase("");
    DenseSet<size_t> OldDone, NewDone;
    for (const auto &[Key, Numbers] : ByKey)
      for (auto [I, J] : llvm::zip(Numbers.first, Numbers.second)) {
        Matches.push_back({I, J});
        OldDone.insert(I);
        NewDone.insert(J);
      }
    llvm::erase_if(Old, [&](size_t I) { return OldDone.contains(I); });
    llvm::erase_if(New, [&](size_t J) { return NewDone.contains(J); });
  }
  llvm::sort(Matches);
  return Matches;
}

std::vector<size_t> hlobuf::numbersBelow(size_t Count) {
  auto Numbers = llvm::seq<size_t>(0, Count);
  return {Numbers.begin(), Numbers.end()};
}

/// The numbers of \p Values in the order of their steps.
static std::vector<size_t> inOrder(ArrayRef<ComparedValue> Values) {
  std::vector<size_t> Numbers = numbersBelow(Values.size());
  std::ranges::stable_sort(Numbers, {},
                           [&](size_t X) { return Values[X].Step; });
  return Numbers;
}

std::vector<ValueMatch> hlobuf::matchValues(ArrayRef<ComparedValue> Old,
                                            ArrayRef<ComparedValue> New) {
  return matchByKeys(inOrder(Old), inOrder(New), NumValuePasses,
                     [&](bool IsNew, size_t Number, unsigned P) {
                       return keyOf((IsNew ? New : Old)[Number], Pass(P));
                     });
}

/// Arguments and results of \p Memory, without layouts.
static std::string signatureOf(const ProgramMemory &Memory) {
  std::string Text;
  for (const ComparedArgument &Argument : Memory.Arguments)
    Text += Argument.PlainShape + ",";
  return Text + "->" + Memory.Result;
}

static std::string argumentNames(const ProgramMemory &Memory) {
  std::string Text;
  for (const ComparedArgument &Argument : Memory.Arguments)
    Text += Argument.Name + ",";
  return Text;
}

/// The operations of \p Memory, each once, sorted.
static std::string operationsOf(const ProgramMemory &Memory) {
  auto Keys = llvm::to_vector(Memory.Operations.keys());
  llvm::sort(Keys);
  return llvm::join(Keys, ";");
}

static constexpr unsigned NumProgramPasses = 5;

/// What programs that are paired in \p Pass share.
static std::string keyOf(const ProgramMemory &Memory, unsigned Pass) {
  switch (Pass) {
  case 0:
    return Memory.Module + "|" + signatureOf(Memory) + "|" +
           operationsOf(Memory);
  case 1:
    return Memory.Module + "|" + signatureOf(Memory);
  case 2:
    return Memory.Module + "|" + argumentNames(Memory);
  case 3:
    return Memory.Module + "|";
  default:
    return signatureOf(Memory) + "|" + operationsOf(Memory);
  }
}

std::vector<ProgramPair> hlobuf::pairPrograms(ArrayRef<ProgramMemory> Old,
                                              ArrayRef<ProgramMemory> New) {
  if (Old.size() == 1 && New.size() == 1)
    return {{0, 0}};
  std::vector<std::optional<size_t>> OldOf(New.size());
  std::vector<bool> Paired(Old.size());
  for (auto [I, J] : matchByKeys(
           numbersBelow(Old.size()), numbersBelow(New.size()), NumProgramPasses,
           [&](bool IsNew, size_t Number, unsigned Pass) {
             return keyOf((IsNew ? New : Old)[Number], Pass);
           })) {
    OldOf[J] = I;
    Paired[I] = true;
  }
  std::vector<ProgramPair> Pairs;
  for (size_t J = 0; J != New.size(); ++J)
    Pairs.push_back({OldOf[J], J});
  for (size_t I = 0; I != Old.size(); ++I)
    if (!Paired[I])
      Pairs.push_back({I, std::nullopt});
  return Pairs;
}
