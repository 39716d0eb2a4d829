// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `Total bytes used` is the sum of all allocation sizes, parameters, constants
// and thread-local ones included, and the text in parentheses is that number
// made readable. XLA adds them up while printing (buffer_assignment.cc, the
// line since 2019-10-14, the text since 2021-08-09). No exception is known.

#include "Checks/Check.h"
#include "Support/HumanBytes.h"

using namespace hlobuf;

/// The allocation whose size alone would be wrong: with the missing bytes it
/// ends where its values do. Invalid if there is not just one.
static AllocationId suspect(const Dump &D, uint64_t Excess) {
  AllocationId Suspect;
  for (auto [I, Alloc] : llvm::enumerate(D.Allocations)) {
    uint64_t End = largestOf(D.values(Alloc), &Value::end);
    if (Alloc.Size == End || Alloc.Size - Excess != End)
      continue;
    if (Suspect)
      return AllocationId();
    Suspect = AllocationId(I);
  }
  return Suspect;
}

void hlobuf::checkTotalBytes(const CheckContext &Ctx, Reporter &Diags) {
  const Dump &D = Ctx.dump();
  uint64_t Sum = sumOf(D.Allocations, &Allocation::Size);
  RowTexts Texts = Ctx.places().total();
  if (D.Total != Sum) {
    Finding F = Diags.report(
        {Texts.First, Section::Total},
        "total is {} bytes, but the sizes of the {} allocations add up to {}",
        D.Total, D.Allocations.size(), Sum);
    // A header that is missing explains the difference.
    for (uint32_t I = 0; I != D.Allocations.size(); ++I)
      if (D.Allocations[I].Index != I) {
        F.about(AllocationId(I));
        break;
      }
    if (AllocationId Id = suspect(D, Sum - D.Total))
      F.note(Ctx.places().header(D[Id]).Size,
             "should this be {}, where the last value ends?",
             D[Id].Size - (Sum - D.Total))
          .about(Id);
    return;
  }
  if (D.TotalHuman && *D.TotalHuman != humanBytes(D.Total))
    Diags.report({Texts.Second, Section::Total},
                 "human-readable total is '{}', expected '{}' for {} bytes",
                 *D.TotalHuman, humanBytes(D.Total), D.Total);
}
