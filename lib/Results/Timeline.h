// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A finding step by step.

#ifndef HLOBUF_RESULTS_TIMELINE_H
#define HLOBUF_RESULTS_TIMELINE_H

#include "Results/Result.h"

namespace hlobuf {

/// Columns that timelines are laid out for where no terminal shows them.
constexpr size_t ReportWidth = 120;

/// `live-range:65`: the file of \p R by what it holds, and the line. The file's
/// own name where it is none of these; empty without a place.
std::string shortPlace(const DumpResult &R, const SourceSpan &Loc);

/// The notes of \p F, which is a timeline, for people: a line for each step in
/// aligned columns, then `why:`, `also:`, `known:` and `next:`. Lines
/// are at most \p Width columns where the names allow it. Plain notes are left
/// out.
std::vector<std::string> layOutTimeline(const DumpResult &R,
                                        const ResultFinding &F, size_t Width);

/// The notes of \p F for people, laid out like that if they are a timeline;
/// else a line `file:line:col: note: message` each.
std::vector<std::string> tellNotes(const DumpResult &R, const ResultFinding &F,
                                   size_t Width);

/// True if \p N says what is known of its finding and what to do, and is about
/// no place of the dump.
bool isAdvice(const ResultNote &N);

} // namespace hlobuf

#endif // HLOBUF_RESULTS_TIMELINE_H
