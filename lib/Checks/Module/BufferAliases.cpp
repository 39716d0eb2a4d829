//===- Checks/Module/BufferAliases.cpp ------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// I03: for each value with an allocation BufferAssignment::ToProto
// (xla/service/buffer_assignment.cc, 2017) lists the other values of its
// buffer, which the alias analysis found before anything was placed. Values of
// one buffer have one place, and are in one alias set of the module. TPU lists
// some of them alone (libtpu 0.0.52), so that a missing row proves nothing.
//
//===----------------------------------------------------------------------===//

#include "Checks/Module/ModuleDifference.h"
#include "Dataflow/ModuleAnalysis.h"
#include "llvm/ADT/DenseMap.h"

using namespace hlobuf;

namespace {
/// Compares the rows with places and with the module.
class AliasRows {
public:
  AliasRows(const CheckContext &A, const ModuleAnalysis &W, Reporter &R)
      : A(A), W(W), D(A.dump()), R(R) {}

  void run();

private:
  void compare(const AliasRow &Row);
  HloValueId valueOf(ValueId V) const {
    return W.find(D[V].Tag.Name, D[V].Tag.Index);
  }

  const CheckContext &A;
  const ModuleAnalysis &W;
  const Dump &D;
  Reporter &R;
  llvm::DenseMap<uint32_t, ValueId> ById;
};
} // namespace

void AliasRows::compare(const AliasRow &Row) {
  llvm::StringRef Where = A.places().traceLine(Row.Line);
  auto Found = ById.find(Row.Value);
  if (Found == ById.end()) {
    R.report(Where, "value {} has an alias, but no place", Row.Value);
    return;
  }
  ValueId V = Found->second;
  // Of an instruction without a tuple, XLA's value tags have no index.
  ValueId Other = A.findValue(Row.Name, Row.Index);
  if (!Other && Row.Index == ShapeIndex::root())
    Other = A.findValue(Row.Name, ShapeIndex());
  if (!Other)
    return; // a value of an allocation that was not made
  Finding Said(nullptr);
  if (D[V].Owner != D[Other].Owner || D[V].Offset != D[Other].Offset)
    Said =
        R.report(Where,
                 "{} and {} are aliases, but the first is at offset {} of "
                 "allocation {}, the second at offset {} of {}",
                 D.spell(D[V].Tag), D.spell(D[Other].Tag), D[V].Offset,
                 D[D[V].Owner].Index, D[Other].Offset, D[D[Other].Owner].Index);
  HloValueId Own = valueOf(V);
  HloValueId Alias = valueOf(Other);
  bool Together =
      !Own || !Alias || W.aliases().group(Own) == W.aliases().group(Alias);
  if (!Together && !W.isUncertain())
    Said = R.report(Where, "{} and {} are aliases, but not in the module",
                    D.spell(D[V].Tag), D.spell(D[Other].Tag));
  Said.about(V).about(Other);
}

void AliasRows::run() {
  for (size_t I = 0; I != D.Values.size(); ++I)
    ById.try_emplace(D.Values[I].Tag.Id, ValueId(I));
  for (const AliasRow &Row : D.Aliases)
    compare(Row);
}

namespace hlobuf {
void checkBufferAliases(const CheckContext &A, Reporter &R) {
  if (const ModuleAnalysis *W = usableModule(A, R))
    AliasRows(A, *W, R).run();
}
} // namespace hlobuf
