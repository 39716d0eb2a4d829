// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a verdict consists of.

#ifndef HLOBUF_SUPPORT_SENTENCE_H
#define HLOBUF_SUPPORT_SENTENCE_H

#include "Support/LLVM.h"
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace hlobuf {

/// What a verdict says, in this order. docs/verdict.md states each as a
/// theorem with its assumptions.
enum class Sentence : uint8_t {
  /// No two values that are live together share bytes.
  NoOverlap,
  /// Every read finds its value, also within an instruction.
  Execution,
  /// The dump says what the module implies.
  Agreement,
  /// The program that runs does what the assignment says.
  Program,
  /// Everything that the dump restates follows from the rest.
  Consistency,
};
constexpr std::array AllSentences = {Sentence::NoOverlap, Sentence::Execution,
                                     Sentence::Agreement, Sentence::Program,
                                     Sentence::Consistency};

/// `no overlap`, for people.
StringRef sentenceName(Sentence S);
/// `no_overlap`, for JSON.
StringRef sentenceKey(Sentence S);

/// What a check does for the proof of its sentence.
enum class ClaimRole : uint8_t {
  /// It has no sentence: a lint.
  None,
  /// Without it there is no proof, whatever keeps it from running.
  Core,
  /// It belongs to the proof wherever it applies.
  Part,
  /// Others prove what it looks for: only its findings count.
  Extra,
};

/// What a check claims: the column of Checks.def.
struct Claim {
  ClaimRole Role = ClaimRole::None;
  Sentence Subject = Sentence::Consistency;
  /// The id of a check that proves the same: where that one passed, this one
  /// need not have run. Empty if there is none.
  StringRef Instead = {};
};

/// What a check says of its proof.
struct CheckProof {
  /// The module was not used: what is found, and what is not checked, is about
  /// the consistency of the dump, and nothing agrees with a module.
  bool FromTexts = false;
  /// How much was looked at, `21 thunks, 41 slices`.
  std::string Extent;
  /// What of the dump it rests on, `the stated live ranges`; empty for nothing.
  std::string Assumption;
  /// Kinds of statements, of static storage, and how many of each are proved,
  /// assumed, open, violated.
  std::vector<std::pair<StringRef, std::array<size_t, 4>>> Obligations;
};

/// How a sentence ended.
enum class Standing : uint8_t { Proved, NotShown, Broken };

/// `proved`, `not shown` or `broken`.
StringRef standingName(Standing S);

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_SENTENCE_H
