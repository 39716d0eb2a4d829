// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A finding step by step.

#ifndef HLOBUF_RESULTS_TIMELINE_H
#define HLOBUF_RESULTS_TIMELINE_H

#include "Results/Result.h"

namespace hlobuf {

/// `live-range:65`: the file of \p R by what it holds, and the line. The file's
/// own name where it is none of these; empty without a place.
std::string shortPlace(const DumpResult &R, const ResultPlace &Where);

/// The notes of \p F, which is a timeline, for people: a line for each step in
/// aligned columns, then `why:`, `also:`, `known:` and `pass:`. Lines are at
/// most \p Width columns where the names allow it. Plain notes are left out.
std::vector<std::string> layOutTimeline(const DumpResult &R,
                                        const ResultFinding &F, size_t Width);

} // namespace hlobuf

#endif // HLOBUF_RESULTS_TIMELINE_H
