// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What rules of thunks share.

#ifndef HLOBUF_CHECKS_THUNKS_THUNKRULES_H
#define HLOBUF_CHECKS_THUNKS_THUNKRULES_H

#include "Checks/Check.h"
#include "Thunks/ThunkGraph.h"

namespace hlobuf {

/// The thunks and their instructions; null where they cannot be compared, and
/// \p Diags says why.
const ThunkGraph *usableThunks(const CheckContext &Ctx, Reporter &Diags);

/// A rule about the thunks of one executable.
class ThunkRule {
public:
  ThunkRule(const CheckContext &Ctx, const ThunkGraph &Graph, Reporter &Diags)
      : Ctx(Ctx), G(Graph), P(Graph.program()), T(Graph.thunks()),
        Diags(Diags) {}

protected:
  /// Starts a finding at \p Where: `NAME TEXT`, where NAME is that of \p Id's
  /// instruction. See severityOf().
  template <typename... Ts>
  Finding reportThunk(ThunkId Id, StringRef Where,
                      fmt::format_string<Ts...> Format, Ts &&...Args) {
    return noteInstruction(
        Diags.reportAs(severityOf(Id), Where, "{} {}", G.name(Id),
                       fmt::format(Format, std::forward<Ts>(Args)...)),
        Id);
  }
  /// An error, or a warning for thunks of kinds that no real executable has
  /// shown yet: what they read and write is known from XLA's sources alone.
  Severity severityOf(ThunkId Id) const;
  /// Adds the line of \p Id to \p F.
  Finding noteThunk(Finding F, ThunkId Id) const;
  /// Adds the instruction of \p Id to \p F: its line in the module, and its
  /// source.
  Finding noteInstruction(Finding F, ThunkId Id) const;
  /// `bytes [0, 32) of allocation 2, which is a.1`; the value only where it is
  /// known.
  std::string spellSlice(ThunkId Id, const ThunkSlice &S);
  /// Says that \p Count values or slices could not be compared.
  void countUnknown(size_t Count);

  const CheckContext &Ctx;
  const ThunkGraph &G;
  const Program &P;
  const ThunkProgram &T;
  Reporter &Diags;

private:
  /// What is near the thunk that was last asked for: findings come one thunk
  /// after the other.
  HloId NearTo;
  ThunkGraph::Holders Near;
};

/// Runs \p Rule, a ThunkRule, where thunks can be compared.
template <typename Rule>
void runThunkRule(const CheckContext &Ctx, Reporter &Diags) {
  if (const ThunkGraph *G = usableThunks(Ctx, Diags))
    Rule(Ctx, *G, Diags).run();
}

} // namespace hlobuf

#endif // HLOBUF_CHECKS_THUNKS_THUNKRULES_H
