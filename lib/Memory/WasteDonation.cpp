//===- Memory/WasteDonation.cpp -----------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A result takes the memory of an argument where input_output_alias says so: of
// the same shape, and the argument is not read after the result is written
// (xla/hlo/ir/hlo_input_output_alias_config.h, 2019). JAX finds the pairs by
// shape (jax/_src/interpreters/mlir.py, _set_up_aliases).
//
//===----------------------------------------------------------------------===//

#include "Dataflow/ModuleAnalysis.h"
#include "Memory/Origin.h"
#include "Memory/WasteFinder.h"
#include "Support/Format.h"
#include "Support/Scanner.h"
#include "llvm/ADT/DenseSet.h"
#include <map>

using namespace hlobuf;
using llvm::StringRef;

/// Arguments of its size that a result asks, at most: programs have as many as
/// layers, and each result finds its own among the first.
static constexpr unsigned MaxTried = 64;

void WasteFinder::findEntry() {
  for (uint32_t I = 0; I != D.Allocations.size(); ++I) {
    const Allocation &Alloc = D.Allocations[I];
    if (Alloc.color() != Main.Color || !Alloc.isParameter())
      continue;
    for (uint32_t V = Alloc.Values.Begin; V != Alloc.Values.End; ++V)
      if (isEntryParameter(ValueId(V))) {
        Parameters.push_back({AllocationId(I), ValueId(V)});
        break;
      }
  }
  markDonated();
  const HloModule &M = D.Module;
  if (!W || !M.Entry || !M[M.Entry].Root)
    return;
  HloId Root = M[M.Entry].Root;
  const DataflowAnalysis &Flow = W->flow();
  std::vector<bool> Seen(D.Allocations.size(), false);
  uint32_t Parts = W->program().trees().parts(W->program()[Root].Shape);
  for (uint32_t Ordinal = 0; Ordinal != Parts; ++Ordinal) {
    HloValueId V = Flow.at(Root, Ordinal);
    ValueId Line = V ? W->lineOf(V) : ValueId();
    if (!Line || Seen[D[Line].Owner.index()])
      continue;
    const Allocation &Alloc = D[D[Line].Owner];
    if (Alloc.color() != Main.Color || Alloc.isParameter() || Alloc.Constant ||
        !Alloc.MaybeLiveOut)
      continue;
    Seen[D[Line].Owner.index()] = true;
    Results.push_back({D[Line].Owner, Line});
  }
}

/// Marks what input_output_alias and buffer_donor name, which the module's
/// heading prints as `{ (0, {}), (1, {2}) }`.
void WasteFinder::markDonated() {
  std::map<std::pair<uint32_t, uint32_t>, EntryParameter *> ByNumber;
  for (EntryParameter &P : Parameters) {
    const Allocation &Alloc = D[P.Owner];
    ByNumber.try_emplace(
        std::pair(*Alloc.Parameter, Alloc.ParameterIndex.canonical().bits()),
        &P);
    P.Aliased = Alloc.MaybeLiveOut;
  }
  for (const HloAlias &Item : D.Module.Aliases)
    if (auto At = ByNumber.find(
            std::pair(Item.Parameter, Item.Index.canonical().bits()));
        At != ByNumber.end())
      At->second->Aliased = At->second->Asked = true;
  StringRef Heading = D.Module.Text.split('\n').first;
  size_t At = Heading.find("buffer_donor={ ");
  if (At == StringRef::npos)
    return;
  StringRef Rest = Heading.drop_front(At + StringRef("buffer_donor={ ").size());
  while (Rest.consume_front("(")) {
    uint32_t Number = 0;
    if (Rest.consumeInteger(10, Number) || !Rest.consume_front(", "))
      return;
    Scanner In(Rest);
    ShapeIndex Index;
    if (!D.Indices.parseSpaced(In, Index))
      return;
    Rest = In.rest();
    if (auto P = ByNumber.find(std::pair(Number, Index.canonical().bits()));
        P != ByNumber.end())
      P->second->Donor = !P->second->Aliased;
    if (!Rest.consume_front("), "))
      return;
  }
}

/// \p Op computes each element from the elements at the same place, and may
/// write it there.
static bool isInPlace(Opcode Op, uint32_t Operand) {
  if (Op == Opcode::DynamicUpdateSlice || Op == Opcode::Scatter)
    return Operand == 0;
  return isElementwise(Op) || Op == Opcode::Bitcast || Op == Opcode::Tuple ||
         Op == Opcode::Select || Op == Opcode::GetTupleElement;
}

/// Instruction \p Name, which reads \p Source, can write its result over it. A
/// fusion can if each instruction on the way from there can
/// (HloDataflowAnalysis::CanShareOperandBufferWithUser, 2019); what a loop
/// reads is needed until it ends.
bool WasteFinder::readsInPlace(NameId Name, NameId Source) const {
  HloId Id = D.Module.find(Name);
  if (!Id || !W)
    return false;
  const Program &P = W->program();
  Opcode Op = P[Id].Op;
  ComputationId Body = Op == Opcode::Fusion ? P.callee(Id, CallRole::Calls)
                       : Op == Opcode::Call ? P.callee(Id, CallRole::ToApply)
                                            : ComputationId();
  std::vector<HloId> Work;
  bool Reads = false;
  for (uint32_t I = 0; I != P.operands(Id).size(); ++I) {
    if (D.Module[P.operands(Id)[I]].Name != Source)
      continue;
    Reads = true;
    if (!Body && !isInPlace(Op, I))
      return false;
    if (Body && P.parameter(Body, I))
      Work.push_back(P.parameter(Body, I));
  }
  llvm::DenseSet<uint32_t> Seen;
  while (!Work.empty()) {
    HloId At = Work.back();
    Work.pop_back();
    if (!Seen.insert(At.index()).second)
      continue;
    for (const ProgramUse &Use : P.users(At)) {
      if (!isInPlace(P[Use.User].Op, Use.Operand))
        return false;
      Work.push_back(Use.User);
    }
  }
  return Reads;
}

/// The first step at which \p R, or loop state that becomes it, is written.
std::optional<int32_t> WasteFinder::firstWrite(const EntryResult &R) const {
  std::optional<int32_t> First;
  const Allocation &Alloc = D[R.Owner];
  for (uint32_t I = Alloc.Values.Begin; I != Alloc.Values.End; ++I) {
    std::optional<StepRange> Range = Use.range(ValueId(I));
    if (Range && (!First || Range->Start < *First) &&
        sameSet(ValueId(I), R.Value))
      First = Range->Start;
  }
  return First;
}

/// The bytes of \p P are free when \p R is written, or the instruction that
/// writes it at \p Written may do so in place.
bool WasteFinder::mayTake(const EntryResult &R, int32_t Written,
                          const EntryParameter &P) const {
  const Value &Given = D[P.Value];
  const Value &Taken = D[R.Value];
  if (P.Aliased || !Given.Shape || !Taken.Shape || Given.Size != Taken.Size ||
      !D.Shapes.equalIgnoringLayout(Given.Shape, Taken.Shape) ||
      Given.Tag.Name == Taken.Tag.Name)
    return false;
  std::optional<StepRange> Last = Use.range(R.Value);
  if (!Last)
    return false;
  // Later readers can be scheduled earlier where they do not need the result,
  // but not before a loop that works in its memory all the time.
  if (lastUse(P.Value) > Written &&
      (Written != Last->Start || !isOnlyReturned(R.Value)))
    return false;
  NameId Reader = readerAt(P.Value, Written);
  return !Reader || readsInPlace(Reader, Given.Tag.Name);
}

/// Nothing but the root reads \p V.
bool WasteFinder::isOnlyReturned(ValueId V) const {
  UsedId U = A.usedOf(V);
  NameId Root = D.Module[D.Module[D.Module.Entry].Root].Name;
  return U && llvm::all_of(D.uses(D[U]), [&](const struct Use &Reader) {
           return Reader.Name == Root;
         });
}

/// The allocation of \p R goes away; other values that are in it while \p R is
/// not written need another place.
uint64_t WasteFinder::savedByDonation(const EntryResult &R) const {
  const Allocation &Alloc = D[R.Owner];
  uint64_t Displaced = 0;
  std::optional<StepRange> Own = Use.range(R.Value);
  for (uint32_t I = Alloc.Values.Begin; I != Alloc.Values.End; ++I) {
    std::optional<StepRange> Range = Use.range(ValueId(I));
    if (Range && Own && Range->End < Own->Start && ValueId(I) != R.Value &&
        !sameSet(ValueId(I), R.Value) && Range->Start <= Main.PeakStep &&
        Main.PeakStep <= Range->End)
      Displaced = std::max(Displaced, D.Values[I].Size);
  }
  return Alloc.Size - std::min(Alloc.Size, Displaced);
}

void WasteFinder::findDonations() {
  if (!W || !Use.isTimed())
    return;
  // Arguments by their bytes: a result asks only those of its own size.
  std::map<uint64_t, std::vector<EntryParameter *>> BySize;
  for (EntryParameter &P : Parameters)
    if (!P.Aliased && D[P.Owner].Size >= MinWaste)
      BySize[D[P.Value].Size].push_back(&P);
  for (const EntryResult &R : Results) {
    if (Told[R.Owner.index()])
      continue;
    auto Known = BySize.find(D[R.Value].Size);
    if (Known == BySize.end())
      continue;
    std::optional<int32_t> Written = firstWrite(R);
    unsigned Tried = 0;
    for (EntryParameter *P : Known->second) {
      if (P->Aliased)
        continue;
      if (++Tried > MaxTried)
        break;
      if (!Written || !mayTake(R, *Written, *P))
        continue;
      P->Aliased = true;
      addArgument({WasteKind::PossibleDonation, P->Value, R.Owner, R.Value,
                   savedByDonation(R), 1, false, "",
                   "where the caller does not need it afterwards, donate it: "
                   "jax.jit(f, donate_argnames=...)"});
      break;
    }
  }
}

/// A result of its own could be in the memory of a donated argument if it had
/// its shape: each result for one argument, the largest first.
void WasteFinder::findUnusedDonations() {
  std::vector<const EntryParameter *> Lost;
  for (const EntryParameter &P : Parameters) {
    if (P.Donor || (P.Asked && !D[P.Owner].MaybeLiveOut))
      Lost.push_back(&P);
  }
  std::vector<uint64_t> Sizes;
  for (const EntryResult &R : Results)
    Sizes.push_back(D[R.Owner].Size);
  llvm::sort(Sizes, std::greater<>());
  Sizes.resize(std::max(Sizes.size(), Lost.size()));
  llvm::stable_sort(Lost, [&](const auto *X, const auto *Y) {
    return D[X->Owner].Size > D[Y->Owner].Size;
  });
  for (size_t I = 0; I != Lost.size(); ++I)
    addArgument({WasteKind::UnusedDonation, Lost[I]->Value, Lost[I]->Owner,
                 ValueId(), std::min(D[Lost[I]->Owner].Size, Sizes[I]), 1,
                 false, "",
                 "return an array of the same shape, type and sharding instead "
                 "of one of another shape or type, or do not donate it"});
}
