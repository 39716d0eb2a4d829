// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// thunk-bounds.
//
// A slice is inside of its allocation, and has the bytes of the shape next to
// it. XLA tests the first when it loads an executable, and nothing else
// (BufferAllocation::Slice::FromProto, 2025). Emitters take slice and shape
// from one assignment. Dynamic shapes have a prefix on some backends and are
// not compared.

#include "Checks/Thunks/ThunkRules.h"
#include "Facts/Sizes.h"
#include "Thunks/LaunchProof.h"

using namespace hlobuf;

/// Copies of a GPU say how many bytes they move.
static bool isCopy(ThunkKind Kind) {
  return Kind == ThunkKind::DeviceToDeviceCopy ||
         Kind == ThunkKind::DeviceToHostCopy ||
         Kind == ThunkKind::HostToDeviceCopy;
}

namespace {
struct SliceBounds : ThunkRule {
  using ThunkRule::ThunkRule;
  void run();

  std::optional<int64_t> sizeOf(const ThunkSlice &S, ThunkId Id) const;
  void check(const ThunkSlice &S, ThunkId Id);
  void checkEmbedded(ThunkId Id);
  void reportShape(const SliceFault &Fault);
  void checkShape(const ThunkSlice &S, ThunkId Id);

  /// Numbers and sizes of the allocations that the executable has.
  std::vector<std::pair<int64_t, int64_t>> Stated;
};
} // namespace

/// The size of the allocation of \p S; nothing if there is none.
std::optional<int64_t> SliceBounds::sizeOf(const ThunkSlice &S,
                                           ThunkId Id) const {
  int64_t Index = S.Bytes.Allocation;
  if (G.isEmbedded(Id)) {
    ArrayRef<uint64_t> Sizes = T[T[Id].In].Sizes;
    if (Index < 0 || Index >= static_cast<int64_t>(Sizes.size()))
      return std::nullopt;
    return static_cast<int64_t>(Sizes[static_cast<size_t>(Index)]);
  }
  if (const Allocation *A = G.allocation(Index))
    return static_cast<int64_t>(A->Size);
  // Passes over thunks may add some.
  auto Entry = llvm::lower_bound(Stated, std::make_pair(Index, INT64_MIN));
  if (Entry != Stated.end() && Entry->first == Index)
    return Entry->second;
  return std::nullopt;
}

void SliceBounds::checkShape(const ThunkSlice &S, ThunkId Id) {
  const ShapeTable &Shapes = G.dump().Shapes;
  // Older releases state none: what is there follows from the instruction.
  if (!S.Shape)
    return;
  std::optional<uint64_t> Bytes = logicalBytes(Shapes, S.Shape);
  if (!Bytes || Shapes[S.Shape].isDynamic())
    return Diags.exempt("size-of-shape");
  if (static_cast<int64_t>(*Bytes) != S.Bytes.Size)
    reportThunk(Id, S.Text, "passes {} bytes for {}, which has {}",
                S.Bytes.Size, Shapes.plainText(S.Shape), *Bytes);
}

void SliceBounds::check(const ThunkSlice &S, ThunkId Id) {
  // What it should be is a matter of reads and writes.
  if (S.Missing)
    return;
  std::optional<int64_t> Size = sizeOf(S, Id);
  int64_t End = 0;
  if (!Size)
    reportThunk(Id, S.Text, "names allocation {}, which does not exist",
                S.Bytes.Allocation);
  else if (S.Bytes.Offset < 0 || S.Bytes.Size < 0 ||
           __builtin_add_overflow(S.Bytes.Offset, S.Bytes.Size, &End) ||
           End > *Size)
    reportThunk(Id, S.Text, "{} {}, which has {} bytes",
                S.writes() ? "writes" : "reads", ThunkGraph::spell(S.Bytes),
                *Size);
  else
    checkShape(S, Id);
  uint64_t Copied = T[Id].CopiedBytes.value_or(0);
  auto Passed = static_cast<uint64_t>(std::max<int64_t>(0, S.Bytes.Size));
  if (isCopy(T[Id].Kind) && Copied != Passed)
    reportThunk(Id, S.Text, "copies {} bytes, but the slice has {}", Copied,
                Passed);
}

/// Thunks inside of a fusion have an allocation for each part that is passed
/// to them.
void SliceBounds::checkEmbedded(ThunkId Id) {
  size_t Parts = T.attributes(T[Id]).size();
  T.forEachSequence(Id, [&](ThunkSequenceId S) {
    if (T[S].Role == ThunkRole::Embedded && T[S].Sizes.size() != Parts)
      reportThunk(Id, T[S].Text,
                  "has {} allocations for {} parts of operands and "
                  "results",
                  T[S].Sizes.size(), Parts);
  });
}

/// Calls are given the shapes of their instruction (FFI). Emitters for other
/// libraries and for copies on a GPU make shapes of their own, like one of five
/// dimensions for a vectorized convolution (cudnn, 2026).
void SliceBounds::reportShape(const SliceFault &Fault) {
  if (T.ForGpu && T[Fault.Thunk].Kind != ThunkKind::CustomCall)
    return Diags.notChecked(
        "shapes next to slices of thunks, which differ from "
        "those of their instructions");
  const ShapeTable &Shapes = G.dump().Shapes;
  const ArrayLeaf &Leaf = *Fault.Expected;
  reportThunk(
      Fault.Thunk, Fault.Slice->Text, "passes {} as {}, but it is {}",
      G.spell(Leaf),
      Fault.Slice->Shape ? Shapes.text(Fault.Slice->Shape) : "no shape",
      Shapes.text(P.trees().part(P[Leaf.Instruction].Shape, Leaf.Ordinal)));
}

void SliceBounds::run() {
  for (const ThunkAllocation &A : T.Allocations)
    Stated.push_back({A.Index, A.Size});
  llvm::sort(Stated);
  for (size_t I = 0; I != T.Thunks.size(); ++I)
    for (const ThunkSlice &S : T.slices(T.Thunks[I]))
      check(S, ThunkId(I));
  for (size_t I = 0; I != T.Thunks.size(); ++I)
    if (T.Thunks[I].Kind == ThunkKind::DynamicSliceFusion)
      checkEmbedded(ThunkId(I));
  for (const SliceFault &Fault : Ctx.launchProof().slices().Shapes)
    reportShape(Fault);
}

void hlobuf::checkThunkBounds(const CheckContext &Ctx, Reporter &Diags) {
  runThunkRule<SliceBounds>(Ctx, Diags);
}
