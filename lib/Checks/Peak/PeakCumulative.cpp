//===- Checks/Peak/PeakCumulative.cpp -------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `(cumulative: N bytes)` is the running sum of the rows' bytes
// (hlo_live_range.cc, since 2025-05-16; older rows do not print it). No
// exception is known.
//
//===----------------------------------------------------------------------===//

#include "Checks/Check.h"

using namespace hlobuf;

static void report(const CheckContext &A, Reporter &R, size_t I,
                   uint64_t Expected) {
  const Dump &D = A.dump();
  const PeakRow &Row = D.Peak[I];
  Finding F = R.report(A.places().row(Row).Second,
                       "cumulative bytes are {}, expected {}", Row.Cumulative,
                       Expected);
  if (I != 0)
    F.note(A.places().row(D.Peak[I - 1]).Second,
           "{} bytes up to here, plus {} more", Expected - Row.Bytes,
           Row.Bytes);
  F.about(Row.Name);
  UsedId U = A.findUsed(Row.Name, Row.Index);
  if (ValueId V = U ? A.valueOf(U) : ValueId())
    F.about(V);
}

namespace hlobuf {
void checkPeakCumulative(const CheckContext &A, Reporter &R) {
  const Dump &D = A.dump();
  if (D.Peak.empty() || D.PeakRows != PeakForm::Cumulative)
    return;
  // A row goes on from the row before it, or from the sum of all: so one wrong
  // number is one finding.
  uint64_t Sum = 0;
  uint64_t Before = 0;
  for (size_t I = 0; I != D.Peak.size(); ++I) {
    Sum += D.Peak[I].Bytes;
    uint64_t Expected = Before + D.Peak[I].Bytes;
    Before = D.Peak[I].Cumulative;
    if (Before != Expected && Before != Sum)
      report(A, R, I, Expected);
  }
}
} // namespace hlobuf
