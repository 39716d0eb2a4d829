// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value in a temp starts at a multiple of the alignment of its memory: the
// heap places chunks that way, and combined heaps begin aligned too
// (heap_simulator.cc, 2017; buffer_assignment.cc CombineTempAllocations). TPU:
// 16384 in color 0, 4096 in 1 (v4: 3), 512 in 6, 4 in 2, the same on v4 to v7x
// and libtpu 0.0.11 to 0.0.51: an error. GPU 128 (256 since 2025-06-17), CPU 16
// (64 where Eigen is built for AVX-512: jaxlib 0.4.38 on, TensorFlow 2.21 on):
// warnings, because the embedder of XLA chooses them.
//
// Values of size 0 may be anywhere. Unit tests inside XLA use alignment 1.

#include "Checks/Check.h"

using namespace hlobuf;

/// The alignment that is surely kept; 1 where it is not known.
static uint64_t alignmentOf(const CheckContext &Ctx, int32_t Color) {
  if (Ctx.backend() == Backend::GPU)
    return Ctx.release().since(Release::GPUAlignment256) &&
                   !Ctx.release().impossible()
               ? 256
               : 128;
  if (!Ctx.isTPU())
    return 16;
  switch (Color) {
  case 0:
    return 16384;
  case 1:
  case 3:
    return 4096;
  case 6:
    return 512;
  case 2:
    return 4;
  default:
    return 1;
  }
}

void hlobuf::checkOffsetAlignment(const CheckContext &Ctx, Reporter &Diags) {
  const Dump &D = Ctx.dump();
  Backend Target = Ctx.backend();
  for (auto [I, V] : llvm::enumerate(D.Values)) {
    const Allocation &Alloc = D[V.Owner];
    if (!Alloc.PreallocatedTemp || V.Size == 0)
      continue;
    uint64_t Alignment = alignmentOf(Ctx, Alloc.color());
    if (Alignment == 1)
      Diags.exempt("unknown-color");
    if (V.Offset % Alignment == 0)
      continue;
    Diags.reportAs(Target == Backend::TPU ? Severity::Error : Severity::Warning,
                   {Ctx.places().value(V).Offset, ValueId(I)},
                   "value {} is at offset {}, expected a multiple of {} ({} "
                   "alignment of color {})",
                   D.spell(V.Tag), V.Offset, Alignment, backendName(Target),
                   Alloc.color());
  }
}
