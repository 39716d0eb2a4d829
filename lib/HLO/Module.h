// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A whole HLO module as printed.
//
// Flat arrays, filled by readModule() and immutable afterwards. Names and
// shapes are interned in tables that the caller shares with other texts.

#ifndef HLOBUF_HLO_MODULE_H
#define HLOBUF_HLO_MODULE_H

#include "HLO/InstructionParser.h"
#include "HLO/Opcode.h"
#include "HLO/Shape.h"
#include "HLO/ShapeIndex.h"
#include "Support/Ids.h"
#include "Support/NameTable.h"
#include "Support/TextWalk.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>
#include <vector>

namespace hlobuf {

/// An instruction of a module, in text order.
using HloId = Id<struct HloTag>;
/// A computation of a module, in text order.
using ComputationId = Id<struct ComputationTag>;

/// A computation that an instruction names.
struct HloCall {
  ComputationId Callee;
  CallRole Role = CallRole::Calls;
};

/// An operand: an instruction of the same computation, or an element of it
/// where the text leaves get-tuple-elements out (2026-07-13 on).
struct HloOperand {
  /// Invalid if the computation defines no such instruction.
  HloId Source;
  /// The element's path; the root if none was printed.
  ShapeIndex Path = ShapeIndex::root();
};

/// An instruction: a place in the text, and what the line says.
struct HloInstruction {
  /// Offset in the module's text, and bytes: from the name (or its `%`) on.
  uint32_t TextOffset = 0;
  uint32_t TextSize = 0;
  /// Offset of the `(` after the opcode, inside the text.
  uint32_t OperandsOffset = 0;
  /// Bytes between the parentheses.
  uint32_t OperandsSize = 0;
  NameId Name;
  ComputationId Parent;
  ShapeId Shape;
  /// Indices into HloModule::Operands and HloModule::Calls, half-open.
  IndexRange Operands;
  IndexRange Calls;
  /// `parameter(N)`, or the `index=N` of a get-tuple-element.
  uint32_t Number = 0;
  PrintedOpcode Op;
  bool Root = false;
  /// The text may hold output_to_operand_aliasing.
  bool MayDeclareAliases = false;
};

/// A computation.
struct HloComputation {
  /// Offset of the heading in the module's text.
  uint32_t Line = 0;
  NameId Name;
  /// Its instructions, half-open, in text order.
  IndexRange Instructions;
  /// The one marked ROOT, else the last one; invalid if it is empty.
  HloId Root;
  bool Entry = false;
};

/// An item `{output}: (parameter, {index})` of input_output_alias.
struct HloAlias {
  ShapeIndex Output;
  uint32_t Parameter = 0;
  ShapeIndex Index;
  /// Where the item is.
  llvm::StringRef Text;
};

/// An item `(parameter, {index})` of buffer_donor.
struct HloDonor {
  uint32_t Parameter = 0;
  ShapeIndex Index;
  /// Where the item is.
  llvm::StringRef Text;
};

/// A module as a view of its text, in flat arrays. What verifyModule() says is
/// so if nothing of it was refused.
struct HloModule {
  llvm::StringRef Text;
  llvm::StringRef Name;
  /// `is_scheduled=true`: text order is the schedule.
  bool Scheduled = false;
  /// Some line of the text begins with `//`.
  bool Commented = false;
  /// Some operand has a path: get-tuple-elements are left out.
  bool Compact = false;
  /// The computation marked ENTRY; invalid if there is none.
  ComputationId Entry;
  std::vector<HloComputation> Computations;
  std::vector<HloInstruction> Instructions;
  std::vector<HloOperand> Operands;
  std::vector<HloCall> Calls;
  std::vector<HloAlias> Aliases;
  std::vector<HloDonor> Donors;
  /// Of entry_computation_layout; the result is invalid if it is not printed.
  std::vector<ShapeId> EntryParameters;
  ShapeId EntryResult;

  const HloInstruction &operator[](HloId Id) const {
    return Instructions[Id.index()];
  }
  const HloComputation &operator[](ComputationId Id) const {
    return Computations[Id.index()];
  }
  llvm::ArrayRef<HloOperand> operands(const HloInstruction &I) const {
    return llvm::ArrayRef<HloOperand>(Operands).slice(I.Operands.Begin,
                                                      I.Operands.size());
  }
  llvm::ArrayRef<HloCall> calls(const HloInstruction &I) const {
    return llvm::ArrayRef<HloCall>(Calls).slice(I.Calls.Begin, I.Calls.size());
  }
  llvm::StringRef text(const HloInstruction &I) const {
    return walked(Text.substr(I.TextOffset, I.TextSize));
  }
  llvm::StringRef operandsText(const HloInstruction &I) const {
    return text(I).substr(I.OperandsOffset + 1, I.OperandsSize);
  }
  /// After the closing parenthesis, with the leading `, `.
  llvm::StringRef attributes(const HloInstruction &I) const {
    return text(I).drop_front(I.OperandsOffset + I.OperandsSize + 2);
  }
  /// The instruction of that name; of several, one that may have buffers.
  /// Invalid if there is none.
  HloId find(NameId Name) const {
    return Name && Name.index() < ByName.size() ? ByName[Name.index()]
                                                : HloId();
  }

  /// By name; filled by the reader.
  std::vector<HloId> ByName;
};

/// The tables that turn texts of one dump into ids.
struct HloTables {
  NameTable &Names;
  ShapeTable &Shapes;
  ShapeIndexTable &Indices;
};

/// From the numbers of one set of tables to those of another.
class HloRenumbering {
public:
  /// Adds all that is in \p From to \p To, in the order of \p From, whose names
  /// and shapes are gone then.
  HloRenumbering(HloTables From, HloTables To)
      : Names(To.Names.absorb(From.Names)),
        Shapes(To.Shapes.absorb(From.Shapes)),
        Indices(To.Indices.absorb(From.Indices)) {}

  void move(NameId &Name) const { Name = Names[Name.index()]; }
  void move(ShapeId &Shape) const {
    if (Shape)
      Shape = Shapes[Shape.index()];
  }
  void move(ShapeIndex &Index) const {
    if (Indices.empty())
      return;
    auto Found = Indices.find(Index.bits());
    if (Found != Indices.end())
      Index = Found->second;
  }

private:
  std::vector<NameId> Names;
  std::vector<ShapeId> Shapes;
  llvm::DenseMap<uint32_t, ShapeIndex> Indices;
};

/// Renumbers the names, shapes and indices of \p M, which is all that was read
/// with the tables \p From, as if it had been read with \p To. Empties \p From.
void renumber(HloModule &M, HloTables From, HloTables To);

} // namespace hlobuf

#endif // HLOBUF_HLO_MODULE_H
