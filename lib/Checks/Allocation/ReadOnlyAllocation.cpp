//===- Checks/Allocation/ReadOnlyAllocation.cpp ---------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The allocation of a constant, or of a parameter that is not donated, is read
// only and holds one value: XLA places nothing else there (buffer_assignment.cc
// IsReadOnly and MaybeAssignBuffer, 2018). The module's input_output_alias says
// which parameters are donated. Their allocations are always maybe-live-out,
// but so is that of a parameter that the program returns: without the module
// such allocations are not checked. Before 2019-09 a parameter's allocation
// could also hold the phi of a loop that only forwards it (TensorFlow 1.14):
// not checked there. What a loop forwards may be copied to alternate memory and
// back to its own place (TPU: a sharded training step with libtpu 0.0.52).
// Values without bytes share nothing: a token goes through a loop or branch
// with ordered effects in the place of the caller's.
//
//===----------------------------------------------------------------------===//

#include "Checks/Check.h"
#include "Dataflow/CopyBack.h"
#include "Dataflow/ModuleAnalysis.h"
#include "llvm/ADT/DenseSet.h"

using namespace hlobuf;

namespace {
class ReadOnlyAllocations {
public:
  ReadOnlyAllocations(const CheckContext &A, Reporter &R)
      : A(A), R(R), D(A.dump()), M(A.moduleAnalysis()) {
    for (const HloAlias &Item : D.Module.Aliases)
      Donated.insert({Item.Parameter, Item.Index.canonical().bits()});
  }

  void run();

private:
  bool isReadOnly(const Allocation &Alloc);
  bool isUnchanged(const Allocation &Alloc) const;
  bool holdsSeveral(const Allocation &Alloc) const;
  void report(AllocationId Id);

  const CheckContext &A;
  Reporter &R;
  const Dump &D;
  const ModuleAnalysis *M;
  /// Parameter numbers and indices.
  llvm::DenseSet<IdPair> Donated;
};
} // namespace

bool ReadOnlyAllocations::isReadOnly(const Allocation &Alloc) {
  if (Alloc.Constant || !Alloc.isParameter())
    return Alloc.Constant;
  if (M)
    return !Donated.contains(
        {*Alloc.Parameter, Alloc.ParameterIndex.canonical().bits()});
  if (Alloc.MaybeLiveOut)
    R.notCheckedWithout(A, Section::Module,
                        "parameters that may be donated: needs the HLO module");
  return !Alloc.MaybeLiveOut;
}

/// True if all values of \p Alloc but one are loop phis that take that one
/// over, or copies back to its place: no byte changes.
bool ReadOnlyAllocations::isUnchanged(const Allocation &Alloc) const {
  if (!M || !M->obstacle().empty())
    return false;
  unsigned Others = 0, Copies = 0;
  for (uint32_t K = Alloc.Values.Begin; K != Alloc.Values.End; ++K) {
    HloValueId V = M->find(D.Values[K].Tag.Name, D.Values[K].Tag.Index);
    if (!V)
      return false;
    bool Copied =
        copiesBack(M->flow(), V, [&](HloValueId Of) { return M->lineOf(Of); });
    Copies += Copied;
    Others += !Copied && !M->flow()[V].Phi;
  }
  return Others == 1 && Copies != 0;
}

/// More than one value of \p Alloc has bytes.
bool ReadOnlyAllocations::holdsSeveral(const Allocation &Alloc) const {
  return Alloc.Values.size() > 1 &&
         llvm::count_if(D.values(Alloc),
                        [](const Value &V) { return V.Size != 0; }) > 1;
}

/// Says of one value that it does not belong into \p Id.
void ReadOnlyAllocations::report(AllocationId Id) {
  const Allocation &Alloc = D[Id];
  Opcode Own = Alloc.Constant ? Opcode::Constant : Opcode::Parameter;
  // The owner is the first value of that opcode, or just the first one.
  uint32_t Owner = Alloc.Values.Begin;
  while (Owner != Alloc.Values.End && A.opcode(D.Values[Owner].Tag.Name) != Own)
    ++Owner;
  if (Owner == Alloc.Values.End)
    Owner = Alloc.Values.Begin;
  uint32_t Other = Owner == Alloc.Values.Begin ? Owner + 1 : Alloc.Values.Begin;
  Finding F = R.report(
      A.places().value(D.Values[Other]).Tag.Whole,
      "value {} shares {} allocation {} with {}, expected only one value",
      D.spell(D.Values[Other].Tag),
      Alloc.Constant ? "constant" : "read-only parameter", Alloc.Index,
      D.spell(D.Values[Owner].Tag));
  F.note(A.places().line(Alloc), "{}",
         Alloc.MaybeLiveOut && !Alloc.Constant
             ? "input_output_alias does not list the parameter"
             : "the allocation is never written");
  F.about(ValueId(Other)).about(Id);
}

void ReadOnlyAllocations::run() {
  for (uint32_t K = 0; K != D.Allocations.size(); ++K)
    if (holdsSeveral(D.Allocations[K]) && isReadOnly(D.Allocations[K]) &&
        !isUnchanged(D.Allocations[K]))
      report(AllocationId(K));
}

namespace hlobuf {
void checkReadOnlyAllocation(const CheckContext &A, Reporter &R) {
  if (A.dump().Values2019 != ValueForm::Tagged)
    R.notApplicable("value lines from before 2019-09");
  else
    ReadOnlyAllocations(A, R).run();
}
} // namespace hlobuf
