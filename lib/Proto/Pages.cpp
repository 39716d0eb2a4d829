// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Proto/Pages.h"
#include "Proto/Fields.h"
#include "Proto/HloProto.h"
#include "Proto/Wire.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace hlobuf;
using namespace hlobuf::field;
using llvm::StringRef;

bool hlobuf::pagesOfRevision(uint64_t Revision) {
  // PiperOrigin-RevId of the change that prints pages.
  return Revision >= 962183568;
}

std::optional<bool> hlobuf::pagesOfName(StringRef Name) {
  constexpr StringRef Mark = ".cl_";
  size_t At = Name.rfind(Mark);
  if (At == StringRef::npos)
    return std::nullopt;
  uint64_t Revision = 0;
  Name = Name.drop_front(At + Mark.size());
  if (Name.consumeInteger(10, Revision) || !Name.starts_with("."))
    return std::nullopt;
  return pagesOfRevision(Revision);
}

std::optional<bool> hlobuf::pagesOfOptions(StringRef DebugOptions) {
  // The options of 2026-08-04 end with 530, those of 2026-08-10 with 533.
  constexpr uint32_t FirstWithPages = 531;
  uint32_t Newest = 0;
  if (!forEachField(DebugOptions, [&](const WireField &F) {
        Newest = std::max(Newest, F.Number);
      }))
    return std::nullopt;
  if (Newest == 0)
    return std::nullopt;
  return Newest >= FirstWithPages;
}

std::optional<bool> hlobuf::pagesOfCompilation(StringRef CompileOptions) {
  constexpr uint32_t ExecutableBuildOptions = 3;
  constexpr uint32_t DebugOptions = 3;
  return pagesOfOptions(bytesField(
      bytesField(CompileOptions, ExecutableBuildOptions), DebugOptions));
}

bool hlobuf::pagesOfConfig(StringRef ConfigText) {
  // Options 531 to 536.
  constexpr StringRef New[] = {
      "xla_gpu_experimental_cost_model_gemm_tiling_default",
      "xla_gpu_allow_ragged_all_to_all_nccl_send_recv_fallback",
      "xla_gpu_all_reduce_splitter_ignore_profitability_check",
      "xla_gpu_enable_cupti_multi_subscriber",
      "xla_enable_hlo_modules_upload",
      "xla_gpu_collective_domain_assignment"};
  return llvm::any_of(
      New, [&](StringRef Option) { return ConfigText.contains(Option); });
}

/// True if \p I has the form of the releases that print pages: fields that came
/// in 2026, between jaxlib 0.10.2 and 0.12.0.
static bool isOfPagedRelease(const ProtoInstruction &I) {
  constexpr uint32_t DotOptions = 101;      // a message, mostly empty
  constexpr uint32_t ComparisonOrder = 102; // instead of 72
  if (I.Op != Opcode::Compare && I.Op != Opcode::Dot)
    return true;
  uint32_t Needed = I.Op == Opcode::Dot ? DotOptions : ComparisonOrder;
  bool Found = false;
  forEachField(I.Bytes,
               [&](const WireField &F) { Found |= F.Number == Needed; });
  return Found;
}

/// True if all traces have the numbers of their allocations, which until 2026
/// were those from before temps were moved to the end.
static bool tracesAreRenumbered(const ProtoAssignment &A) {
  std::map<int64_t, int64_t> Owners;
  for (const ProtoAllocation &Allocation : A.Allocations)
    for (const ProtoAssigned &Line : Allocation.Assigned)
      Owners.try_emplace(Line.Buffer, Allocation.Index);
  return llvm::all_of(A.Traces, [&](const ProtoTrace &T) {
    if (T.Events.empty())
      return true;
    auto Found = Owners.find(T.Events.front().Buffer);
    return Found == Owners.end() || Found->second == T.Allocation;
  });
}

bool hlobuf::pagesOfForm(const HloProto &P) {
  // Values at the peak, the fields of some instructions and the numbers of
  // traces are of that year.
  return !P.Assignment.Peaks.empty() &&
         llvm::all_of(P.Module.Instructions, isOfPagedRelease) &&
         tracesAreRenumbered(P.Assignment);
}
