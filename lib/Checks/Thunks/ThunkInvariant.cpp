// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// thunk-invariant.
//
// What a kernel was compiled to assume of its arguments holds. CPU: nothing
// writes to an argument that is marked invariant, which LLVM may load at any
// time (!invariant.load), and an argument that a result takes the place of does
// so exactly (noalias): ResultsOverlapWithSlice in kernel_api_ir_builder.cc and
// kernel_api_builder.cc. GPU: an argument is flagged as written if and only if
// a result is there (kernel_arguments.cc). Thunks that launch one kernel pass
// slices that are equal in the same places (GetFusionFingerprint,
// kernel_reuse_cache.cc), and their instructions compute the same; so do the
// comparators of sorts (EmitSortThunk). Kernels of whole calls get no noalias.

#include "Checks/Thunks/ThunkRules.h"
#include "HLO/InstructionParser.h"
#include "Thunks/LaunchProof.h"
#include "llvm/ADT/StringMap.h"
#include <map>

using namespace hlobuf;

namespace {
struct KernelArguments : ThunkRule {
  using ThunkRule::ThunkRule;
  void run();

  void check(ThunkId Id);
  void checkFlags(ThunkId Id);
  void checkOverlap(ThunkId Id);
  void checkShared(ThunkId Id);
  void checkTriton(ThunkId Id);
  void checkOwner(ThunkId Id);
  void checkComparator(ThunkId Id);
  void checkCaptured(ThunkId Id);
  void checkLoaded(ThunkId Id);
  /// Says whether it is not known.
  bool isDifferent(Equality Is);
  SmallVector<int64_t, 8> pattern(ThunkId Id) const;

  /// By kernel: the first thunk that launches it, and its pattern.
  StringMap<std::pair<ThunkId, SmallVector<int64_t, 8>>> First;
  /// By kernel of Triton: the first call that launches it, and its text.
  StringMap<std::pair<ThunkId, StringRef>> Configs;
  /// By kernel: the first thunk whose instruction it is named for.
  StringMap<ThunkId> Owner;
  /// By name.
  DenseMap<StringRef, ComputationId> ByName;
};
} // namespace

bool KernelArguments::isDifferent(Equality Is) {
  if (Is == Equality::Unknown)
    Diags.notChecked(
        "kernels that several instructions launch, whose constants "
        "the module leaves out");
  return Is == Equality::Different;
}

/// A kernel is made, and named, for one of the instructions that launch it;
/// others may launch it that compute the same. Sorts and custom calls of a GPU
/// have kernels of other names.
void KernelArguments::checkOwner(ThunkId Id) {
  HloId I = G.instruction(Id);
  if (T[Id].Kernel.empty())
    return;
  if (T.ForGpu &&
      (P[I].Op != Opcode::Fusion || Ctx.launchProof().coverage().hasSort(I)))
    return Diags.exempt("kernel-name");
  auto First = Owner.find(T[Id].Kernel);
  if (First == Owner.end()) {
    reportThunk(Id, T[Id].Kernel,
                "launches {}, which is the kernel of no instruction that "
                "launches it",
                T[Id].Kernel);
    return;
  }
  HloId Launcher = G.instruction(First->second);
  if (Launcher && Launcher != I &&
      isDifferent(G.equal().compareInstructions(I, Launcher)))
    noteThunk(reportThunk(Id, T[Id].Kernel,
                          "launches {}, the kernel of {}, which computes "
                          "something else",
                          T[Id].Kernel, G.name(First->second)),
              First->second);
}

/// A sort of a CPU calls the comparator that its instruction names, or one that
/// is equal to it.
void KernelArguments::checkComparator(ThunkId Id) {
  ComputationId Own = P.callee(G.instruction(Id), CallRole::ToApply);
  auto Named = ByName.find(T[Id].Comparator);
  if (!Own || Named == ByName.end())
    return Diags.exempt("kernel-name");
  if (isDifferent(G.equal().compare(Own, Named->second)))
    reportThunk(Id, T[Id].Comparator,
                "sorts by {}, but the comparator of its instruction is {}",
                T[Id].Comparator, P.module().name(P.module()[Own]));
}

/// Of a GPU: the flags of arguments say where results are.
void KernelArguments::checkFlags(ThunkId Id) {
  if (T[Id].Flags)
    reportThunk(Id, T[Id].Text, "has {} flags for {} arguments", *T[Id].Flags,
                T[Id].Slices.size());
  std::vector<ByteSlice> Places;
  for (const ArrayLeaf &Leaf : G.leaves(G.instruction(Id))) {
    if (!Leaf.Bytes)
      return countUnknown(1);
    Places.push_back(*Leaf.Bytes);
  }
  SliceSet Results(Places);
  for (const ThunkSlice &S : T.slices(T[Id])) {
    bool Written = Results.contains(S.Bytes);
    if (Written && !S.writes())
      reportThunk(Id, S.Text, "marks {} as read, but its result is there",
                  ThunkGraph::spell(S.Bytes));
    else if (!Written && S.writes())
      reportThunk(Id, S.Text,
                  "marks {} as written, but no result of it is there",
                  ThunkGraph::spell(S.Bytes));
  }
}

void KernelArguments::checkOverlap(ThunkId Id) {
  if (T[Id].StrayInvariant)
    reportThunk(Id, T[Id].Text,
                "marks argument {} as invariant, which it does not "
                "have",
                *T[Id].StrayInvariant);
  std::vector<ByteSlice> Places;
  for (const ThunkSlice &S : T.slices(T[Id]))
    if (S.writes() && !S.Missing)
      Places.push_back(S.Bytes);
  SliceSet Results(Places);
  for (const ThunkSlice &Argument : T.slices(T[Id])) {
    if (Argument.writes() || Argument.Missing)
      continue;
    if (Argument.Access == ThunkAccess::Invariant) {
      if (const ByteSlice *Result = Results.overlapping(Argument.Bytes))
        reportThunk(Id, Argument.Text, "marks {} as invariant, but writes {}",
                    ThunkGraph::spell(Argument.Bytes),
                    ThunkGraph::spell(*Result));
      continue;
    }
    const ByteSlice *Result = T.ForGpu
                                  ? Results.overlapping(Argument.Bytes)
                                  : Results.overlappingOther(Argument.Bytes);
    if (Result && !G.isCallKernel(Id))
      reportThunk(
          Id, Argument.Text, "reads {} and writes {}, which overlap in part",
          ThunkGraph::spell(Argument.Bytes), ThunkGraph::spell(*Result));
  }
}

/// Which slices are equal, how they are marked and, on a CPU, how large they
/// are.
SmallVector<int64_t, 8> KernelArguments::pattern(ThunkId Id) const {
  SmallVector<int64_t, 8> Pattern;
  std::map<ByteSlice, size_t> Numbers;
  for (const ThunkSlice &S : T.slices(T[Id])) {
    size_t Same = Numbers.insert({S.Bytes, Numbers.size()}).first->second;
    Pattern.push_back(static_cast<int64_t>(Same));
    Pattern.push_back(static_cast<int64_t>(S.Access));
    if (!T.ForGpu)
      Pattern.push_back(S.Bytes.Size);
  }
  return Pattern;
}

/// A kernel that is given to Triton is shared by all calls with the same
/// configuration, whatever they alias (EmitTritonCustomCall,
/// xla/service/gpu/thunk_emitter.cc, 2026).
void KernelArguments::checkTriton(ThunkId Id) {
  HloId I = G.instruction(Id);
  StringRef Config =
      findAttribute(P.module().attributes(P.module()[I]), "backend_config")
          .value_or("");
  auto [Known, New] = Configs.insert({T[Id].Kernel, {Id, Config}});
  if (!New && Known->second.second != Config)
    noteThunk(reportThunk(Id, T[Id].Kernel,
                          "launches {} with another configuration than {}",
                          T[Id].Kernel, G.name(Known->second.first)),
              Known->second.first);
}

void KernelArguments::checkShared(ThunkId Id) {
  if (T[Id].Kernel.empty())
    return;
  if (P.customCallTarget(G.instruction(Id)) == "__gpu$xla.gpu.triton")
    return checkTriton(Id);
  SmallVector<int64_t, 8> Own = pattern(Id);
  const auto &[Known, Pattern] =
      First.insert({T[Id].Kernel, {Id, Own}}).first->second;
  // Names of other kernels are compared with those of instructions.
  HloId I = G.instruction(Id);
  if (T.ForGpu && Known != Id && Ctx.launchProof().coverage().hasSort(I) &&
      isDifferent(G.equal().compareInstructions(I, G.instruction(Known))))
    noteThunk(reportThunk(Id, T[Id].Kernel,
                          "launches {}, as does {}, which computes something "
                          "else",
                          T[Id].Kernel, G.name(Known)),
              Known);
  if (Pattern == Own)
    return;
  noteThunk(reportThunk(Id, T[Id].Kernel,
                        "launches {} with slices that are equal or marked "
                        "in other places than those of {}",
                        T[Id].Kernel, G.name(Known)),
            Known);
}

/// What is loaded has the kernel's name and as many arguments, but for top-k,
/// which is a part of XLA.
void KernelArguments::checkLoaded(ThunkId Id) {
  const Thunk &Each = T[Id];
  if (Each.Kernel.starts_with("topk"))
    return Diags.exempt("kernel-name");
  if (!Each.Loads.empty())
    reportThunk(Id, Each.Loads, "launches {}, but loads {}", Each.Kernel,
                Each.Loads);
  if (Each.Arity)
    reportThunk(Id, T[Id].Text, "passes {} slices to a kernel of {}",
                Each.Slices.size(), *Each.Arity);
}

/// XNNPACK packs the right side of a product once for each address
/// (XnnDotThunk, jaxlib 0.8.1), whatever is there later.
void KernelArguments::checkCaptured(ThunkId Id) {
  ArrayRef<ThunkSlice> All = T.slices(T[Id]);
  if (All.size() < 2)
    return;
  const Allocation *A = G.allocation(All[1].Bytes.Allocation);
  if (A && !A->Constant)
    reportThunk(Id, All[1].Text,
                "keeps a copy of {}, by its address, from one run to the "
                "next, but it is not a constant",
                spellSlice(Id, All[1]));
}

void KernelArguments::check(ThunkId Id) {
  // Other rules are about these.
  if (!T[Id].Understood || !G.instruction(Id) ||
      (G.isEmbedded(Id) && !G.isHero(Id)))
    return;
  ThunkKind Kind = T[Id].Kind;
  checkLoaded(Id);
  if (!T[Id].Comparator.empty())
    checkComparator(Id);
  if (T[Id].Captures)
    checkCaptured(Id);
  // Nothing is assumed of the slices of other kinds.
  if (Kind != ThunkKind::Kernel && Kind != ThunkKind::CustomKernel &&
      Kind != ThunkKind::Cudnn)
    return;
  if (T.ForGpu)
    checkFlags(Id);
  if (T[Id].Kernel.empty() && Kind != ThunkKind::Cudnn)
    reportThunk(Id, T[Id].Text, "names no kernel");
  checkOverlap(Id);
  checkShared(Id);
  checkOwner(Id);
}

void KernelArguments::run() {
  for (size_t C = 0; C != P.module().Computations.size(); ++C)
    ByName.insert(
        {P.module().name(P.module().Computations[C]), ComputationId(C)});
  for (size_t I = 0; I != T.Thunks.size(); ++I)
    if (StringRef Kernel = T.Thunks[I].Kernel;
        !Kernel.empty() && T.Thunks[I].Instruction &&
        // Until 2025, and for calls, `_kernel` follows.
        Kernel.starts_with(kernelName(G.name(ThunkId(I)), T.ForGpu)))
      Owner.insert({Kernel, ThunkId(I)});
  for (ThunkId Id : ids<ThunkId>(T.Thunks.size()))
    check(Id);
}

void hlobuf::checkThunkInvariant(const CheckContext &Ctx, Reporter &Diags) {
  runThunkRule<KernelArguments>(Ctx, Diags);
}
