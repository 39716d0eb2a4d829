// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared bytes in words.

#ifndef HLOBUF_CHECKS_SHARING_SHARING_H
#define HLOBUF_CHECKS_SHARING_SHARING_H

#include "Checks/Check.h"

namespace hlobuf {

/// `bytes [16, 32) of allocation 3`: what \p V and \p W have in common.
std::string sharedBytes(const Dump &D, const Value &V, const Value &W);

/// `OVERWRITES bytes [16, 32)`: what \p Later does to \p Earlier, which has the
/// same allocation.
std::string spellOverwrite(const Value &Later, const Value &Earlier);

/// `step 9 (fusion.2)`, or `the end of the program`.
std::string spellStep(const Dump &D, int32_t Step);

/// True if the last uses of values are known: those of alternate memory can be
/// compared in time.
bool areLastUsesKnown(const CheckContext &Ctx);

/// Counts the contexts of SparseCore chains in \p Alloc, which are left out.
/// Where no text says whether values are such contexts, \p Diags names them.
void explainContexts(const CheckContext &Ctx, Reporter &Diags,
                     const Allocation &Alloc);

/// Notes where \p V is, at its value line.
void notePlace(Finding &F, const Facts &DumpFacts, ValueId V);

/// Notes the live range of \p V at its row of BufferLiveRange.
void noteRange(Finding &F, const Facts &DumpFacts, ValueId V);

/// `name{index}`.
std::string spellName(const Dump &D, ValueId V);

/// `defined: f32[8], bytes [0, 32) of allocation 3`.
std::string spellDefinition(const Dump &D, ValueId V);

/// Bits of one element of \p V; 0 if unknown.
unsigned elementBits(const Dump &D, ValueId V);

/// The first step at which \p V holds its bytes, by its live range or else by
/// the sequence; -1 if neither says.
int32_t firstStep(const Facts &DumpFacts, ValueId V);

/// An instruction, where the module or the sequence has it.
struct Event {
  StringRef Where;
  /// Without its action. The subject is the instruction.
  TimelineStep Step;
  NameId Name;
};

/// The instruction \p Id of the module.
Event eventAt(const ModuleAnalysis &Analysis, HloId Id);
/// What is known of \p Name. Where is empty if that has no step.
Event eventAt(const Facts &DumpFacts, NameId Name);

/// Adds what \p Subject does at \p E to the timeline.
void addStep(Finding &F, Event E, std::string Subject, std::string Action,
             StepRole Role, unsigned Bits = 0);

/// Adds what \p V does at \p Step to the timeline, at the row of that step, or
/// at the value line where there is none.
void addStep(Finding &F, const Facts &DumpFacts, int32_t Step, ValueId V,
             std::string Action, StepRole Role = StepRole::Overwrites);

/// Adds the first step of \p V, as its definition.
void addDefinition(Finding &F, const Facts &DumpFacts, ValueId V);

/// Adds the last step of \p V: who reads it there.
void addEnd(Finding &F, const Facts &DumpFacts, ValueId V, int32_t Step);

} // namespace hlobuf

#endif // HLOBUF_CHECKS_SHARING_SHARING_H
