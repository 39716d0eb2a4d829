// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What thunks are to do.
//
// What follows from an instruction for the attributes of its thunk, as
// Proto/AttributeValues.h spells them: the rules of HLO/StatedAttributes.def.

#ifndef HLOBUF_THUNKS_ATTRIBUTERULES_H
#define HLOBUF_THUNKS_ATTRIBUTERULES_H

#include "Proof/Ledger.h"
#include "Thunks/ThunkGraph.h"

namespace hlobuf {

/// What a thunk must say by its instruction; nothing where that is not known.
using ExpectedText = std::optional<std::string>;

/// A thunk and what it stands for.
struct AttributeContext {
  const ThunkGraph &G;
  ThunkId Id;
  /// The instruction, or the one that an asynchronous one wraps.
  HloId I;
  StringRef Key;
  StringRef Default;
  /// What the thunk says, or means where it says nothing; of several values all
  /// of them, with spaces between.
  StringRef Stated;

  /// Whatever the thunk says is right.
  ExpectedText anything() const { return Stated.str(); }
  const Program &program() const { return G.program(); }
  const Thunk &thunk() const { return G.thunks()[Id]; }
  /// Attribute \p Name of \p From, or of I.
  std::optional<StringRef> attribute(StringRef Name) const {
    return attribute(I, Name);
  }
  std::optional<StringRef> attribute(HloId From, StringRef Name) const;
  /// Item \p Name of the backend_config, without quotes.
  std::optional<StringRef> config(StringRef Name) const;
};

/// A rule of StatedAttributes.def.
using AttributeRule = ExpectedText (*)(const AttributeContext &);

// The rules of StatedAttributes.def.
#define row(Key, Default, Rule) rule##Rule(const AttributeContext &Attr)
#define derived(Key, Default, Rule) row(Key, Default, Rule)
#define HLOBUF_CPU_ATTRIBUTES(Kind, ...) ExpectedText __VA_ARGS__;
#define HLOBUF_GPU_ATTRIBUTES(Kind, ...) ExpectedText __VA_ARGS__;
#include "HLO/StatedAttributes.def"
#undef derived
#undef row

/// A row of StatedAttributes.def.
struct AttributeRow {
  StringRef Key;
  StringRef Default;
  AttributeRule Rule;
  /// Emitters compute it: where it differs, nothing is known.
  bool IsDerived;
};

/// The rows of thunks of \p Kind.
ArrayRef<AttributeRow> attributeRows(ThunkKind Kind, bool ForGpu);

/// An attribute that says something else than its instruction.
struct AttributeFault {
  ThunkId Thunk;
  StringRef Key;
  /// In the text.
  StringRef Where;
  std::string Stated, Expected;
};

/// Closes what the thunks of \p G say in addition to their slices
/// (Topic::Attribute), and returns what is wrong.
std::vector<AttributeFault> compareAttributes(const ThunkGraph &G,
                                              proof::Ledger &Book);

/// What \p Id says as the attribute of \p Row, and where: its value, or the
/// whole line. Several values are joined by spaces.
std::string statedAttribute(const ThunkProgram &T, ThunkId Id,
                            const AttributeRow &Row, StringRef &Loc);

/// The instruction that \p Id has the attributes of: its own, or the one that
/// is wrapped by that.
HloId wrappedInstruction(const ThunkGraph &G, ThunkId Id);

} // namespace hlobuf

#endif // HLOBUF_THUNKS_ATTRIBUTERULES_H
