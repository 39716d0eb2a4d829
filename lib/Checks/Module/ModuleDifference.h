// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dump against program.
//
// What the checks that compare a dump with its program share: from which source
// a part can be derived, and how much of it is said.

#ifndef HLOBUF_CHECKS_MODULE_MODULEDIFFERENCE_H
#define HLOBUF_CHECKS_MODULE_MODULEDIFFERENCE_H

#include "Checks/Check.h"
#include "Dataflow/ModuleAnalysis.h"

namespace hlobuf {

/// What the module implies, to be compared with the dump; null where that
/// cannot be, and \p Diags says why.
const ModuleAnalysis *usableModule(const CheckContext &Ctx, Reporter &Diags);

/// What the program implies of \p Part: from the module or, where that cannot
/// be used, from the used values. Null where the two do not tell, and \p Diags
/// says why.
const ModuleAnalysis *usableProgram(const CheckContext &Ctx, Reporter &Diags,
                                    DerivedPart Part);

/// What a difference between dump and module is told with.
struct ModuleAnswer {
  template <typename... Ts>
  Finding report(const Spot &At, fmt::format_string<Ts...> Format,
                 Ts &&...Args) const {
    return Diags.reportAs(Level, At, Format, std::forward<Ts>(Args)...);
  }

  /// The same about \p Name, with a note where \p Id is; invalid ones are left
  /// out.
  template <typename... Ts>
  Finding tell(StringRef Where, HloId Id, NameId Name,
               fmt::format_string<Ts...> Format, Ts &&...Args) const {
    Finding F = report({Where, Name}, Format, std::forward<Ts>(Args)...);
    if (Id)
      F.note(P.place(Id), "{} is here", P.spell(Id));
    return F;
  }

  /// How the source is called that says something else: \p Texts without the
  /// module.
  const char *source(const char *Texts) const {
    return P.isFromTexts() ? Texts : "the module";
  }

  const ModuleAnalysis &Analysis;
  Reporter &Diags;
  Severity Level;
  const Facts &DumpFacts = Analysis.facts();
  const Dump &D = DumpFacts.dump();
  const Program &P = Analysis.program();
  const Places &LinePlaces = DumpFacts.places();
};

/// Says one difference.
using DescribeFn =
    function_ref<Finding(const ModuleAnswer &, const Difference &)>;

/// Compares \p Part of the dump with its program. The differences of the first
/// part that differs are findings of their own; those of later parts follow
/// from them and become notes of the first.
void reportDifferences(const CheckContext &Ctx, Reporter &Diags,
                       DerivedPart Part, DescribeFn Describe);

} // namespace hlobuf

#endif // HLOBUF_CHECKS_MODULE_MODULEDIFFERENCE_H
