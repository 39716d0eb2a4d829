// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// thunk-place.
//
// A thunk is named for an instruction of the computation that its sequence runs
// (ThunkInfo, thunk.h): for a GPU, or of one that is inlined there. A while has
// a condition and a body, a conditional as many branches as computations. What
// an executable for a GPU says of allocations, constants and outputs is what
// the assignment says (GpuExecutable::ToProto, 2026).

#include "Checks/Thunks/ThunkRules.h"

using namespace hlobuf;

namespace {
struct ThunkPlaces : ThunkRule {
  using ThunkRule::ThunkRule;
  void run();

  void checkThunk(ThunkId Id);
  void checkBranches(ThunkId Id, HloId I);
  void checkAllocation(const ThunkAllocation &A);
  void checkConstant(const ThunkEntry &Entry);
  void checkOutput(const ThunkEntry &Entry);
};
} // namespace

void ThunkPlaces::checkBranches(ThunkId Id, HloId I) {
  size_t Stated = 0;
  T.forEachSequence(Id, [&](ThunkSequenceId) { ++Stated; });
  size_t Expected = 2;
  if (T[Id].Kind == ThunkKind::Conditional)
    Expected = llvm::count_if(P.calls(I), [](const HloCall &Call) {
      return Call.Role == CallRole::Branch;
    });
  if (Stated != Expected)
    reportThunk(Id, T[Id].Text, "has {} sequences of thunks, but {} {}", Stated,
                Expected,
                T[Id].Kind == ThunkKind::Conditional
                    ? "branches"
                    : "computations: condition and body");
}

void ThunkPlaces::checkThunk(ThunkId Id) {
  const Thunk &Each = T[Id];
  HloId I = G.instruction(Id);
  if (G.isEmbedded(Id) || Each.Kind == ThunkKind::Sequential)
    return;
  if (!I) {
    Diags.reportAs(severityOf(Id), Each.Text,
                   "thunk {} stands for no instruction of the module",
                   Each.Instruction ? G.name(Id) : Each.Text.str());
    return;
  }
  ComputationId Runs = G.computation(Each.In);
  ComputationId Has = P[I].Parent;
  if (Runs && G.home(Has) != G.home(Runs))
    reportThunk(Id, T[Id].Text, "runs with {}, but the module has it in {}",
                P.module().name(P.module()[Runs]),
                P.module().name(P.module()[Has]));
  if (Each.Kind == ThunkKind::While || Each.Kind == ThunkKind::Conditional) {
    bool IsOne =
        P[I].Op ==
        (Each.Kind == ThunkKind::While ? Opcode::While : Opcode::Conditional);
    if (IsOne)
      return checkBranches(Id, I);
    Diags.report(Each.Text, "{} is a {} in the module",
                 Each.Text.split(':').first, opcodeText(P[I].Op));
  }
}

void ThunkPlaces::checkAllocation(const ThunkAllocation &A) {
  // Passes over thunks may add some.
  const Allocation *Stated = G.allocation(A.Index);
  if (!Stated)
    return Diags.exempt("added-allocation");
  std::optional<int64_t> Parameter;
  if (Stated->isParameter())
    Parameter = Stated->ParameterNumber;
  if (A.Size != static_cast<int64_t>(Stated->Size))
    Diags.report(A.Text, "allocation {} has {} bytes, but {} in the assignment",
                 A.Index, A.Size, Stated->Size);
  else if (A.Constant != Stated->Constant || A.Parameter != Parameter ||
           A.MaybeLiveOut != Stated->MaybeLiveOut)
    Diags.report(A.Text,
                 "allocation {} is marked otherwise than in the assignment: "
                 "parameter, constant, or maybe-live-out",
                 A.Index);
}

void ThunkPlaces::checkConstant(const ThunkEntry &Entry) {
  // Constants that nothing reads have no allocation: -1.
  const Allocation *Stated = G.allocation(Entry.Allocation);
  if (Entry.Allocation >= 0 && !(Stated && Stated->Constant))
    Diags.report(Entry.Text, "a constant is in allocation {}, which is {}",
                 Entry.Allocation, Stated ? "not constant" : "not there");
}

void ThunkPlaces::checkOutput(const ThunkEntry &Entry) {
  HloId Root = P.root(P.module().Entry);
  std::optional<uint32_t> Ordinal =
      Root ? P.trees().ordinal(P[Root].Shape, Entry.Index) : std::nullopt;
  if (!Ordinal) {
    Diags.report(Entry.Text, "the program has no output {}",
                 G.dump().Indices.text(Entry.Index));
    return;
  }
  std::optional<ByteSlice> Place = G.place(Root, *Ordinal);
  countUnknown(!Place);
  if (Place && Place->Allocation != Entry.Allocation)
    Diags.report(Entry.Text,
                 "output {} is in allocation {}, but in {} in the assignment",
                 G.dump().Indices.text(Entry.Index), Entry.Allocation,
                 Place->Allocation);
}

void ThunkPlaces::run() {
  for (ThunkId Id : ids<ThunkId>(T.Thunks.size()))
    checkThunk(Id);
  for (const ThunkAllocation &A : T.Allocations)
    checkAllocation(A);
  for (const ThunkEntry &Entry : T.Constants)
    checkConstant(Entry);
  if (P.module().Entry)
    for (const ThunkEntry &Entry : T.Outputs)
      checkOutput(Entry);
  for (auto [S, Sequence] : llvm::enumerate(T.Sequences)) {
    if (!G.computation(ThunkSequenceId(S)) &&
        Sequence.Role != ThunkRole::Embedded &&
        !(Sequence.Owner && G.isEmbedded(Sequence.Owner)))
      Diags.notChecked("a sequence of thunks whose computation is not known");
  }
}

void hlobuf::checkThunkPlace(const CheckContext &Ctx, Reporter &Diags) {
  runThunkRule<ThunkPlaces>(Ctx, Diags);
}
