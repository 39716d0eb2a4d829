// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fit/StepBytes.h"

using namespace hlobuf;

StepBytes::StepBytes(const SpaceUse &Space, int32_t Steps,
                     ArrayRef<uint64_t> Scaling)
    : Base(static_cast<size_t>(Steps) + 1), Begins(Base.size() + 1) {
  for (size_t I = 0; I != Base.size(); ++I) {
    uint64_t Bytes = Space.heldAt(static_cast<int32_t>(I));
    uint64_t Grows = std::min(Scaling[I], Bytes);
    Base[I] = SplitBytes::of(Bytes - Grows, false);
    Base[I] += SplitBytes::of(Grows, true);
  }
}

void StepBytes::apply(ArrayRef<BytesChange> Changes) {
  auto Last = static_cast<int32_t>(Base.size()) - 1;
  for (const BytesChange &C : Changes) {
    int32_t Start = std::max(C.Range.Start, 0);
    int32_t End = std::min(C.Range.End, Last);
    if (Start > End)
      continue;
    Begins[static_cast<size_t>(Start)] += C.Bytes;
    Begins[static_cast<size_t>(End) + 1] += -C.Bytes;
  }
}

uint64_t StepBytes::peak(unsigned Divisor) const {
  SplitBytes Sum;
  int64_t Most = 0;
  for (size_t I = 0; I != Base.size(); ++I) {
    Sum += Begins[I];
    SplitBytes Bytes = Base[I];
    Bytes += Sum;
    Most = std::max(Most, Bytes.dividedBy(Divisor));
  }
  return static_cast<uint64_t>(Most);
}
