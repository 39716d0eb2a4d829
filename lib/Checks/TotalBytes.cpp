//===- Checks/TotalBytes.cpp ----------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `Total bytes used` is the sum of all allocation sizes, parameters, constants
// and thread-local ones included, and the text in parentheses is that number
// made readable. XLA adds them up while printing (buffer_assignment.cc, the
// line since 2019-10-14, the text since 2021-08-09). No exception is known.
//
//===----------------------------------------------------------------------===//

#include "Checks/Check.h"
#include "Support/HumanBytes.h"

using namespace hlobuf;

namespace hlobuf {
void checkTotalBytes(const Analysis &A, Reporter &R) {
  const Dump &D = A.dump();
  uint64_t Sum = 0;
  for (const Allocation &Alloc : D.Allocations)
    Sum += Alloc.Size;
  RowTexts Texts = A.places().total();
  if (D.Total != Sum) {
    R.report(Texts.First,
             "total is {} bytes, but the sizes of the {} allocations add up to "
             "{}",
             D.Total, D.Allocations.size(), Sum)
        .about(Section::Total);
    return;
  }
  if (D.TotalHuman && *D.TotalHuman != humanBytes(D.Total))
    R.report(Texts.Second, "readable total is '{}', expected '{}' for {} bytes",
             *D.TotalHuman, humanBytes(D.Total), D.Total)
        .about(Section::Total);
}
} // namespace hlobuf
