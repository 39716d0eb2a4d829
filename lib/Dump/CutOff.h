// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that end before their end, and files of two processes.

#ifndef HLOBUF_DUMP_CUTOFF_H
#define HLOBUF_DUMP_CUTOFF_H

#include "Dump/Model.h"
#include "Support/Diagnostic.h"

namespace hlobuf {

/// \p Text up to its last newline. XLA ends each line of a dump with one, but
/// for the only one of a file that says that there are no live ranges
/// (2026-04-13 on).
StringRef wholeLines(StringRef Text);

/// True if \p Text is the begin of a file of \p Role, and too short to say so:
/// it ends inside of its first line. An empty text does not count.
bool endsInFirstLine(StringRef Text, FileRole Role);

/// True if the texts of \p D end where they were meant to if they end after a
/// line: protos and frames say where that is, and files with comments, which no
/// compiler writes, were written by hand.
bool endsAsMeant(const Dump &D);

/// The sections that the file of \p Role may hold, in order.
SmallVector<Section, 8> sectionsOf(const Dump &D, FileRole Role);

/// Forgets what a cut assignment holds from the cut on: its sections are
/// damaged then, all of the dump if the allocations are cut.
void dropCutSections(Dump &D);

/// `the file ends inside 'Used values': it was cut off`.
std::string describeCut(const CutOff &Cut);

/// What shows that several processes wrote the files of \p D into one folder at
/// the same time, as jobs on several hosts do; empty if nothing does. Each of
/// them empties a file and writes it from its begin: where one text is longer,
/// the end of the longer text stays, and files of one module may come from
/// different processes. \p Syntax is what could not be read. Such a dump says
/// nothing about the compiler.
std::string tracesOfTwoWriters(const Dump &D, ArrayRef<Diagnostic> Syntax);

} // namespace hlobuf

#endif // HLOBUF_DUMP_CUTOFF_H
