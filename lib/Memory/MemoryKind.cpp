// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Colors of TPU: jax/_src/tpu_custom_call.py (MemorySpace.color, 2026), for 3
// dumps of TPU v4. Colors of GPU: xla/service/gpu/gpu_constants.h.

#include "Memory/MemoryKind.h"
#include "Support/Format.h"

using namespace hlobuf;

MemoryKind hlobuf::kindOf(const Allocation &Alloc) {
  if (Alloc.isParameter())
    return MemoryKind::Parameter;
  if (Alloc.Constant)
    return MemoryKind::Constant;
  if (Alloc.ThreadLocal)
    return MemoryKind::ThreadLocal;
  if (Alloc.MaybeLiveOut)
    return MemoryKind::LiveOut;
  return Alloc.PreallocatedTemp ? MemoryKind::Temp : MemoryKind::Other;
}

StringRef hlobuf::kindName(MemoryKind Kind) {
  static constexpr StringRef Names[NumMemoryKinds] = {
      "parameter", "constant", "thread-local", "live-out", "temp", "other"};
  return Names[static_cast<size_t>(Kind)];
}

static StringRef tpuSpace(int32_t Color) {
  static constexpr StringRef Names[] = {"HBM",
                                        "VMEM",
                                        "semaphores",
                                        "CMEM",
                                        "SMEM",
                                        "",
                                        "",
                                        "",
                                        "SparseCore semaphores",
                                        "",
                                        "SparseCore semaphores",
                                        "SparseCore SMEM",
                                        "SparseCore SMEM"};
  return Color >= 0 && size_t(Color) < std::size(Names) ? Names[Color] : "";
}

std::string hlobuf::spaceName(Backend B, int32_t Color) {
  StringRef Name;
  if (Color == HostMemorySpace)
    Name = "host";
  else if (B == Backend::TPU)
    Name = tpuSpace(Color);
  else if (Color == 0)
    Name = B == Backend::GPU ? "device" : "memory";
  else if (Color == 1 && B == Backend::GPU)
    Name = "collective";
  return Name.empty() ? fmt::format("color {}", Color) : Name.str();
}
