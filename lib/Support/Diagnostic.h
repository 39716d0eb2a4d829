//===- Support/Diagnostic.h - Findings as data ------------------*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_SUPPORT_DIAGNOSTIC_H
#define HLOBUF_SUPPORT_DIAGNOSTIC_H

#include "Support/Ids.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace hlobuf {

/// How much a finding matters, in ascending order.
enum class Severity : uint8_t {
  /// Wasteful or unusual, never wrong. Off by default.
  Lint,
  /// Contradicts the known compilers, but some release could mean it.
  Warning,
  /// The assignment is broken or contradicts itself on every release.
  Error,
};

/// `lint`, `warning` or `error`.
llvm::StringRef severityName(Severity Level);

/// A line elsewhere that explains a finding.
struct Note {
  llvm::StringRef Where;
  std::string Message;
};

/// One finding. Texts are lower case, without a final period; what is there
/// comes first, then what was expected.
struct Diagnostic {
  Severity Level = Severity::Error;
  /// The id of the check, or of the reader's rule.
  llvm::StringRef Check;
  /// The narrowest wrong span, inside one of the sources.
  llvm::StringRef Where;
  std::string Message;
  std::vector<Note> Notes;
  /// What the finding is about: a kind (value, allocation, instruction, ..)
  /// and a number of that kind. Findings that share one have one cause.
  llvm::SmallVector<IdPair, 4> Subjects;
  /// The instructions and values that it is about, for filters; no prose.
  llvm::SmallVector<std::string, 2> Names;
  /// Order of causes: of findings about one subject the lowest rank leads.
  unsigned Rank = 0;
};

/// Folds findings that share a subject into one: the most severe leads, then
/// the one with the lowest rank, then the first of \p All, which the caller
/// has sorted by place; the others become its notes. One planted fault so gives
/// one finding, not a cascade.
void foldRelated(std::vector<Diagnostic> &All);

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_DIAGNOSTIC_H
