// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Checks/Execution/ElementOrder.h"
#include "Thunks/ThunkGraph.h"

using namespace hlobuf;

/// True if \p Id, in a fusion, works on whole arrays, not element by element:
/// a scatter next to other results too.
static bool isWhole(const Program &P, HloId Id) {
  Opcode Op = P[Id].Op;
  if (Op == Opcode::Fusion && !P.calls(Id).empty())
    return llvm::any_of(P.order(P.calls(Id)[0].Callee),
                        [&](HloId Inner) { return isWhole(P, Inner); });
  return Op == Opcode::Sort || isCollective(Op) ||
         (Op == Opcode::Scatter &&
          P[P.root(P[Id].Parent)].Op == Opcode::Tuple) ||
         (Op == Opcode::CustomCall &&
          P.customCallTarget(Id, Backend::TPU) != "AssumeGatherIndicesInBound");
}

/// The call that works in place on a slice of \p Parameter, if nothing else
/// reads that: a fusion of slices and one library call, whose result may update
/// the array (GPU, dynamic_slice_fusion_rewriter.cc, 2024). Else invalid.
static HloId onlyReaderInPlace(const Program &P, HloId Parameter) {
  HloId Last = Parameter;
  HloId Call;
  if (P.facts().backend() != Backend::GPU)
    return {};
  for (HloId Id : P.order(P[Parameter].Parent)) {
    ArrayRef<HloId> Operands = P.operands(Id);
    Opcode Op = P[Id].Op;
    auto Reads = llvm::count(Operands, Parameter);
    if (Reads == 0 && (Call || !llvm::is_contained(Operands, Last)))
      continue;
    if (Reads == 1 && isUpdate(Op) && Operands[0] == Parameter)
      continue;
    bool Passes =
        Last == Parameter ? isSlice(Op) : Op == Opcode::Bitcast && Reads == 0;
    bool InPlace = Last != Parameter && Reads == 0 &&
                   Op == Opcode::CustomCall &&
                   llvm::count(Operands, Last) == 1 &&
                   llvm::any_of(declaredPairs(P, Id), [&](auto &Pair) {
                     return Operands[Pair.Operand] == Last;
                   });
    if (Call || !(InPlace || (Passes && P.isReadOnce(Id))))
      return {};
    (InPlace ? Call : Last) = Id;
  }
  return Call;
}

namespace {
/// What a fusion does with an operand that a result is on.
struct FusedReads {
  FusedReads(const Program &P, const proof::ElementQuestion &Asked);

  /// All but updates of the operand, once for each use.
  SmallVector<HloId, 4> Readers;
  /// What works on whole arrays reads of the operand.
  bool ReadsWhole = false;
  /// It makes the result.
  bool MakesWhole = false;
};
} // namespace

FusedReads::FusedReads(const Program &P, const proof::ElementQuestion &Asked) {
  ComputationId Body = P.calls(Asked.Id)[0].Callee;
  HloId Root = P.root(Body);
  HloId Parameter = P.parameter(Body, Asked.Read.Operand);
  if (!Parameter) // a damaged module: nothing reads the operand
    return;
  DenseSet<uint32_t> Derived = {Parameter.index()};
  DenseSet<uint32_t> Makers = {Root.index()};
  if (P[Root].Op == Opcode::Tuple)
    if (auto From = P.forwardedPart(Root, Asked.Result))
      Makers = {P.operands(Root)[From->Operand].index()};
  auto IsDerived = [&](HloId Id) { return Derived.contains(Id.index()); };
  HloId InPlace = onlyReaderInPlace(P, Parameter);
  for (HloId Id : P.order(Body)) {
    ArrayRef<HloId> Operands = P.operands(Id);
    size_t Uses = llvm::count_if(Operands, IsDerived);
    if (Uses == 0)
      continue;
    Derived.insert(Id.index());
    size_t Kept = P[Id].Op == Opcode::Scatter ? Operands.size() / 2 : 1;
    bool Updates = isUpdate(P[Id].Op) &&
                   llvm::none_of(Operands.drop_front(Kept), IsDerived);
    if (accessesNoMemory(P[Id].Op) || Updates)
      continue;
    Readers.append(Uses, Id);
    ReadsWhole |= Id != InPlace && isWhole(P, Id);
  }
  for (HloId Id : llvm::reverse(P.order(Body)))
    if (Makers.contains(Id.index())) {
      MakesWhole |= Id != InPlace && isWhole(P, Id);
      for (HloId Source : P.operands(Id))
        Makers.insert(Source.index());
    }
}

/// The operand of \p Id that \p Whole, which may be in its body, makes part
/// \p Result of; nothing where more than that is computed.
static std::optional<uint32_t> madeOf(const Program &P, HloId Id, HloId Whole,
                                      uint32_t Result) {
  if (!isPaired(P[Whole].Op))
    return std::nullopt;
  Part At = {Id == Whole ? Id : P.root(P[Whole].Parent), Result};
  while (At.Id != Whole) {
    auto From = P.forwardedPart(At.Id, At.Ordinal);
    if (!From)
      return std::nullopt;
    At = {P.operands(At.Id)[From->Operand], From->Ordinal};
  }
  uint32_t Number = At.Ordinal == 0 ? 0 : At.Ordinal - 1;
  if (Id == Whole)
    return Number;
  HloId Operand = P.operands(Whole)[Number];
  return P[Operand].Op == Opcode::Parameter
             ? std::optional<uint32_t>(P[Operand].number())
             : std::nullopt;
}

/// The answer where whole arrays are read or made; nothing where elements are.
/// A fusion of dynamic slices may read rows \p Apart from those that it writes,
/// where nothing but a call is in it that works on them.
static std::optional<ElementAnswer>
askWhole(const Program &P, const proof::ElementQuestion &Asked, bool &Apart) {
  ElementAnswer Answer;
  HloId Whole = Asked.Id;
  if (P[Whole].Op == Opcode::Fusion && !P.calls(Whole).empty()) {
    FusedReads Does(P, Asked);
    if (!Does.ReadsWhole && (!Does.MakesWhole || Does.Readers.empty()))
      return std::nullopt;
    Whole = Does.Readers.size() == 1 ? Does.Readers[0] : HloId();
    if (!Whole || !madeOf(P, Asked.Id, Whole, Asked.Result)) {
      // Sound programs have what makes a result next to another reader.
      Apart = Does.ReadsWhole && Does.MakesWhole &&
              findHero(P, P.calls(Asked.Id)[0].Callee) &&
              P.facts().backend() == Backend::GPU;
      if (Does.ReadsWhole)
        Answer.Doubt = "when a fusion reads whole arrays is not known";
      return Answer;
    }
  } else if (!isPaired(P[Whole].Op) && P[Whole].Op != Opcode::CustomCall) {
    return std::nullopt;
  }
  if (madeOf(P, Asked.Id, Whole, Asked.Result) == Asked.Read.Operand)
    return std::nullopt;
  // Its text shows nothing about its elements.
  Answer.Worst.Verdict = ReadVerdict::Anywhere;
  Answer.Sound = false;
  return Answer;
}

/// Why \p Hazard is not decided. TPU orders the loops of fusions, and GPU the
/// threads of their one loop, in a way that nothing shows.
static StringRef doubtOf(const Program &P, HloId Id,
                         const ElementHazard &Hazard,
                         const InPlaceChain &Chain) {
  if (Hazard.Verdict == ReadVerdict::Undecided)
    return Hazard.Reason == OtherLoop && (P.facts().isTPU() || isOneLoop(P, Id))
               ? ""
               : Hazard.Reason;
  return copiesUpdates(P, Id, Chain) ? ""
                                     : "in which order tiles are read and "
                                       "written in place is not known";
}

ElementAnswer hlobuf::askElements(const Program &P, InPlaceReads &Reads,
                                  const proof::ElementQuestion &Asked) {
  bool Apart = false;
  std::optional<ElementAnswer> Whole = askWhole(P, Asked, Apart);
  if (Whole && !Apart)
    return *Whole;
  ElementAnswer Answer;
  ReadOperand Read = {Asked.Read.Operand, Asked.Read.Ordinal};
  InPlaceChain Chain = Reads.chain(Asked.Id, Asked.Result);
  Chain.HasOperand = Chain.HasOperand &&
                     Asked.IsThere({Chain.Begin.Operand, Chain.Begin.Part});
  std::vector<ElementHazard> Hazards =
      Reads.find(Asked.Id, Asked.Result, Read, Chain, Read);
  if (Whole && !(Hazards.empty() && !Chain.Scatters))
    return *Whole;
  Answer.Sound = true;
  for (ElementHazard &Hazard : Hazards) {
    if (Hazard.Verdict != ReadVerdict::Undecided &&
        isCertain(P, Asked.Id, Hazard, Chain) &&
        !copiesUpdates(P, Asked.Id, Chain)) {
      Answer.Sound = false;
      Answer.Worst = std::move(Hazard);
      return Answer;
    }
    Answer.Sound.reset();
    if (Answer.Doubt.empty())
      Answer.Doubt = doubtOf(P, Asked.Id, Hazard, Chain);
  }
  bool FillsFirst =
      Chain.Scatters && !Chain.HasOperand && !copiesUpdates(P, Asked.Id, Chain);
  if (Answer.Sound && (FillsFirst || P[Asked.Id].Op == Opcode::Dot)) {
    Answer.Sound.reset();
    Answer.Doubt = FillsFirst
                       ? "a scatter writes its operand to its result first"
                       : "a library may clear the result of a product first";
  }
  return Answer;
}

proof::Proof hlobuf::proveWithElements(const Program &P,
                                       proof::ProvedRows Proved) {
  InPlaceReads Reads(P);
  return proof::prove(
      P,
      [&](const proof::ElementQuestion &Asked) {
        return askElements(P, Reads, Asked).Sound;
      },
      Proved);
}
