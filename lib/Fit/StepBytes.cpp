// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fit/StepBytes.h"

using namespace hlobuf;

void FitEffect::add(const FitEffect &Other) {
  llvm::append_range(Changes, Other.Changes);
  llvm::append_range(Moments, Other.Moments);
  Flops += Other.Flops;
  RewrittenBytes += Other.RewrittenBytes;
  MovedBytes += Other.MovedBytes;
}

StepBytes::StepBytes(const SpaceUse &Space, int32_t Steps,
                     llvm::ArrayRef<int64_t> Scaling)
    : Base(static_cast<size_t>(Steps) + 1), Begins(Base.size() + 1) {
  for (size_t I = 0; I != Base.size(); ++I) {
    auto Held = static_cast<int64_t>(Space.heldAt(static_cast<int32_t>(I)));
    int64_t Grows = std::clamp(Scaling[I], int64_t(0), Held);
    Base[I] = {Held - Grows, Grows};
  }
}

void StepBytes::apply(const FitEffect &Effect) {
  auto Last = static_cast<int32_t>(Base.size()) - 1;
  for (const BytesChange &C : Effect.Changes) {
    int32_t Start = std::max(C.Range.Start, 0);
    int32_t End = std::min(C.Range.End, Last);
    if (Start > End)
      continue;
    Begins[static_cast<size_t>(Start)] += C.Bytes;
    Begins[static_cast<size_t>(End) + 1] += -C.Bytes;
  }
  llvm::append_range(Moments, Effect.Moments);
}

std::pair<uint64_t, int32_t> StepBytes::peak(unsigned Divisor) const {
  std::vector<SplitBytes> At(Base.size());
  SplitBytes Sum;
  int64_t Most = 0;
  int32_t Step = 0;
  auto Count = [&](SplitBytes Bytes, size_t I) {
    if (int64_t Total = Bytes.dividedBy(Divisor); Total > Most) {
      Most = Total;
      Step = static_cast<int32_t>(I);
    }
  };
  for (size_t I = 0; I != Base.size(); ++I) {
    Sum += Begins[I];
    At[I] = Base[I];
    At[I] += Sum;
    Count(At[I], I);
  }
  for (const BytesMoment &M : Moments) {
    size_t I = static_cast<size_t>(std::max(M.Step, 0));
    if (I >= At.size())
      continue;
    SplitBytes Bytes = At[I];
    Bytes += M.Bytes;
    Count(Bytes, I);
  }
  return {static_cast<uint64_t>(Most), Step};
}
