// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lint for each kind of waste.
//
// Each row of Memory/Waste.def is a lint, off by default. A finding has the
// bytes that the waste costs at the peak and what a user can do.

#include "Checks/Check.h"
#include "Memory/Waste.h"
#include "Support/HumanBytes.h"

using namespace hlobuf;

static void reportWaste(const CheckContext &Context, Reporter &Diags,
                        WasteKind Kind, bool NeedsTimes) {
  const MemoryUse &Use = Context.memory();
  const SpaceUse *Main = Use.space(0);
  if (!Main)
    return Diags.notApplicable("no allocation has color 0");
  if (NeedsTimes && !Use.isTimed())
    return Diags.notChecked("live ranges are not known");
  const Dump &D = Context.dump();
  for (const Waste &Item : Context.answers().Wasted) {
    if (Item.Kind != Kind || Item.Small)
      continue;
    Diags
        .report({Context.places().line(D[Item.Value]), Item.Value},
                "{}: {} of {} in {}", Item.Message, humanBytes(Item.Saved),
                humanBytes(Main->Allocated), Main->Name)
        .why(Context.places().line(D[Item.Owner]), "{}", Item.Hint);
  }
}

namespace hlobuf {
static constexpr bool Timed = true;
static constexpr bool Untimed = false;
#define HLOBUF_WASTE(Kind, Id, When, Needs, Summary)                           \
  void checkLint##Kind(const CheckContext &Context, Reporter &Diags) {         \
    reportWaste(Context, Diags, WasteKind::Kind, When);                        \
  }
#include "Memory/Waste.def"
} // namespace hlobuf
