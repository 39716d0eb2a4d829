// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Compare/ValueMatching.h"
#include "Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace hlobuf;
using llvm::StringRef;

namespace {
/// What two values must share to be paired in a pass, from much to little.
enum class Pass {
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
constexpr Pass Passes[] = {Pass::Everything,
                           Pass::OpName,
                           Pass::Operation,
                           Pass::AnyKind,
                           Pass::Readers,
                           Pass::OtherShape,
                           Pass::OtherShapeAnyScope,
                           Pass::NoSource,
                           Pass::OtherType};
} // namespace

/// The text that values paired in \p P share; empty if \p V takes no part.
static std::string keyOf(const ComparedValue &V, Pass P) {
  unsigned Kind = static_cast<unsigned>(V.Kind);
  StringRef Operation = V.operation();
  switch (P) {
  case Pass::Everything:
    return fmt::format("{}|{}|{}|{}|{}", Kind, V.OpName, V.Source, V.Shape,
                       V.Opcode);
  case Pass::OpName:
    return fmt::format("{}|{}|{}|{}", Kind, V.OpName, V.Source, V.PlainShape);
  case Pass::Operation:
    return fmt::format("{}|{}|{}|{}", Kind, Operation, V.Source, V.PlainShape);
  case Pass::AnyKind:
    return Operation.empty()
               ? ""
               : fmt::format("{}|{}|{}", Operation, V.Source, V.PlainShape);
  case Pass::Readers:
    return V.Readers.empty()
               ? ""
               : fmt::format("{}|{}|{}", Kind, V.PlainShape, V.Readers);
  case Pass::OtherShape:
    return Operation.empty() ? ""
                             : fmt::format("{}|{}|{}|{}|{}", Kind, V.OpName,
                                           V.Source, V.elementType(), V.rank());
  case Pass::OtherShapeAnyScope:
    return Operation.empty() ? ""
                             : fmt::format("{}|{}|{}|{}|{}", Kind, Operation,
                                           V.Source, V.elementType(), V.rank());
  case Pass::NoSource:
    return V.Argument ? fmt::format("argument {}|{}", *V.Argument, V.PlainShape)
                      : fmt::format("{}|{}|{}", Kind, Operation, V.PlainShape);
  case Pass::OtherType:
    return Operation.empty()
               ? ""
               : fmt::format("{}|{}|{}", Operation, V.Source, V.rank());
  }
  return "";
}

namespace {
/// Values of one side that are not paired, by key.
using Waiting = std::map<std::string, std::vector<size_t>>;
} // namespace

static Waiting gather(llvm::ArrayRef<ComparedValue> Values,
                      const std::vector<bool> &Done, Pass P) {
  Waiting ByKey;
  for (size_t I = 0; I != Values.size(); ++I)
    if (!Done[I])
      if (std::string Key = keyOf(Values[I], P); !Key.empty())
        ByKey[std::move(Key)].push_back(I);
  for (auto &[Key, Numbers] : ByKey)
    llvm::stable_sort(Numbers, [&](size_t X, size_t Y) {
      return Values[X].Step < Values[Y].Step;
    });
  return ByKey;
}

std::vector<ValueMatch> hlobuf::matchValues(llvm::ArrayRef<ComparedValue> Old,
                                            llvm::ArrayRef<ComparedValue> New) {
  std::vector<bool> OldDone(Old.size());
  std::vector<bool> NewDone(New.size());
  std::vector<ValueMatch> Matches;
  for (Pass P : Passes) {
    Waiting FromOld = gather(Old, OldDone, P);
    Waiting FromNew = gather(New, NewDone, P);
    for (const auto &[Key, Numbers] : FromOld) {
      auto At = FromNew.find(Key);
      if (At == FromNew.end())
        continue;
      size_t Count = std::min(Numbers.size(), At->second.size());
      for (size_t I = 0; I != Count; ++I) {
        Matches.push_back({Numbers[I], At->second[I]});
        OldDone[Numbers[I]] = NewDone[At->second[I]] = true;
      }
    }
  }
  llvm::sort(Matches);
  return Matches;
}
