// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What thunks are to do.
//
// What follows from an instruction for the attributes of its thunk, as
// Proto/AttributeValues.h spells them: the rules of HLO/StatedAttributes.def.

#ifndef HLOBUF_THUNKS_ATTRIBUTERULES_H
#define HLOBUF_THUNKS_ATTRIBUTERULES_H

#include "Thunks/ThunkGraph.h"

namespace hlobuf {

/// A thunk and what it stands for.
struct AttributeContext {
  const ThunkGraph &G;
  ThunkId Id;
  /// The instruction, or the one that an asynchronous one wraps.
  HloId I;
  llvm::StringRef Key;
  llvm::StringRef Default;
  /// What the thunk says, or means where it says nothing; of several values all
  /// of them, with spaces between.
  llvm::StringRef Stated;

  const Program &program() const { return G.program(); }
  const Thunk &thunk() const { return G.thunks()[Id]; }
  /// Attribute \p Name of \p From, or of I.
  std::optional<llvm::StringRef> attribute(llvm::StringRef Name) const {
    return attribute(I, Name);
  }
  std::optional<llvm::StringRef> attribute(HloId From,
                                           llvm::StringRef Name) const;
  /// Item \p Name of the backend_config, without quotes.
  std::optional<llvm::StringRef> config(llvm::StringRef Name) const;
};

/// How what a thunk says compares with its instruction.
struct AttributeVerdict {
  enum class Answer : uint8_t { Agrees, Differs, Unknown };
  Answer Is = Answer::Agrees;
  /// Where it differs: what it should be; may be empty.
  std::string Expected;

  static AttributeVerdict unknown() { return {Answer::Unknown, ""}; }
  /// Agrees if \p Attr says \p Expected.
  static AttributeVerdict expect(const AttributeContext &Attr,
                                 std::string Expected) {
    if (Attr.Stated == Expected)
      return {};
    return {Answer::Differs, std::move(Expected)};
  }
};

/// A rule of StatedAttributes.def.
using AttributeRule = AttributeVerdict (*)(const AttributeContext &);

// The rules of StatedAttributes.def.
#define row(Key, Default, Rule) rule##Rule(const AttributeContext &Attr)
#define derived(Key, Default, Rule) row(Key, Default, Rule)
#define HLOBUF_CPU_ATTRIBUTES(Kind, ...) AttributeVerdict __VA_ARGS__;
#define HLOBUF_GPU_ATTRIBUTES(Kind, ...) AttributeVerdict __VA_ARGS__;
#include "HLO/StatedAttributes.def"
#undef derived
#undef row

/// A row of StatedAttributes.def.
struct AttributeRow {
  llvm::StringRef Key;
  llvm::StringRef Default;
  AttributeRule Rule;
  /// Emitters compute it: where it differs, nothing is known.
  bool IsDerived;
};

/// The rows of thunks of \p Kind.
llvm::ArrayRef<AttributeRow> attributeRows(ThunkKind Kind, bool ForGpu);

/// What \p Id says as the attribute of \p Row, and where: its value, or the
/// whole line. Several values are joined by spaces.
std::string statedAttribute(const ThunkProgram &T, ThunkId Id,
                            const AttributeRow &Row, llvm::StringRef &Loc);

/// The instruction that \p Id has the attributes of: its own, or the one that
/// is wrapped by that.
HloId wrappedInstruction(const ThunkGraph &G, ThunkId Id);

} // namespace hlobuf

#endif // HLOBUF_THUNKS_ATTRIBUTERULES_H
