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
#include "llvm/ADT/STLExtras.h"
#include <cassert>
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
  /// The instruction has the next one, too.
  bool More = false;
};

/// An operand as printed: an instruction of the same computation, or an element
/// of it where the text leaves get-tuple-elements out (2026-07-13 on).
struct HloOperand {
  /// Invalid if the computation defines no such instruction.
  HloId Source;
  /// The element's path; the root if none was printed.
  ShapeIndex Path = ShapeIndex::root();
};

/// What an instruction is in the graph of a program. There are as many as
/// lines in a module: what is added here costs a large dump a percent.
struct HloNode {
  /// Invalid if it has none.
  NameId Name;
  ComputationId Parent;
  ShapeId Shape;
  /// See number(). With HasCalls, the index of the first one in
  /// HloModule::Calls.
  uint32_t NumberOrCall = 0;
  /// Index into the operands of the module or program. The next instruction's
  /// are those after its own.
  uint32_t FirstOperand = 0;
  Opcode Op = Opcode::Unknown;
  /// Printed as WRAPPED-start, -update or -done.
  bool Sugar : 1 = false;
  bool Root : 1 = false;
  /// Only its name is known, and what positions and uses say of it; ReadsParts
  /// then: they show that it reads all parts of its operands.
  bool Opaque : 1 = false;
  bool ReadsParts : 1 = false;
  /// By texts, a tuple that is read and not a root: it uses nothing.
  bool Inner : 1 = false;
  /// The text may hold output_to_operand_aliasing.
  bool MayDeclareAliases : 1 = false;
  bool HasCalls : 1 = false;
  /// The text holds control-predecessors.
  bool HasPredecessors : 1 = false;

  /// Of isNumbered() `parameter(N)` or `index=N`, else 0.
  uint32_t number() const { return HasCalls ? 0 : NumberOrCall; }
};

/// An instruction of a module: a node, and its place in the text.
struct HloInstruction : HloNode, TextExtent {};
/// There are more of them than of anything else.
static_assert(sizeof(HloInstruction) == 40);

/// The operands of \p Node, one of \p All, among \p Operands, theirs.
template <typename NodeT>
ArrayRef<HloId> operandsOf(const NodeT &Node, ArrayRef<NodeT> All,
                           ArrayRef<HloId> Operands) {
  assert(All.begin() <= &Node && &Node < All.end());
  const NodeT *Next = &Node + 1;
  size_t End = Next == All.end() ? Operands.size() : Next->FirstOperand;
  return Operands.slice(Node.FirstOperand, End - Node.FirstOperand);
}

/// A computation.
struct HloComputation {
  /// Offset of the heading in the module's text.
  uint32_t Line = 0;
  /// Its instructions, half-open, in text order.
  IndexRange Instructions;
  /// The one marked ROOT, else the last one; invalid if it is empty.
  HloId Root;
  bool Entry = false;
  /// The text says `execution_thread=`: another one than the program's.
  bool OtherThread = false;
};

/// An item `{output}: (parameter, {index})` of input_output_alias.
struct HloAlias {
  ShapeIndex Output;
  uint32_t Parameter = 0;
  ShapeIndex Index;
  /// Where the item is.
  StringRef Text;
};

/// An item `(parameter, {index})` of buffer_donor.
struct HloDonor {
  uint32_t Parameter = 0;
  ShapeIndex Index;
  /// Where the item is.
  StringRef Text;
};

/// A module as a view of its text, in flat arrays. What verifyModule() says is
/// so if nothing of it was refused.
struct HloModule {
  StringRef Text;
  StringRef Name;
  /// The first key of the header or of an instruction that no known release
  /// prints; empty if there is none. It may be a known one, misspelled.
  StringRef UnknownKey;
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
  /// The sources of all operands; invalid where the computation defines no
  /// such instruction.
  std::vector<HloId> Operands;
  /// The paths of operands, which may be fewer: the others are the root.
  std::vector<ShapeIndex> Paths;
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
  /// The sources of operands of \p I, one of Instructions, without paths.
  ArrayRef<HloId> operands(const HloInstruction &I) const {
    return operandsOf<HloInstruction>(I, Instructions, Operands);
  }
  ShapeIndex path(const HloInstruction &I, size_t K) const {
    size_t Offset = I.FirstOperand + K;
    return Offset < Paths.size() ? Paths[Offset] : ShapeIndex::root();
  }
  HloOperand operand(const HloInstruction &I, size_t K) const {
    return {Operands[I.FirstOperand + K], path(I, K)};
  }
  ArrayRef<HloCall> calls(const HloInstruction &I) const {
    if (!I.HasCalls)
      return {};
    size_t Count = 1;
    while (Calls[I.NumberOrCall + Count - 1].More)
      ++Count;
    return ArrayRef<HloCall>(Calls).slice(I.NumberOrCall, Count);
  }
  /// The name in the heading of \p C, without `%`.
  StringRef name(const HloComputation &C) const {
    StringRef Heading = Text.drop_front(C.Line);
    Heading.consume_front("ENTRY ");
    Heading.consume_front("%");
    return Heading.take_front(nameSize(Heading));
  }
  StringRef text(const HloInstruction &I) const { return I.text(Text); }
  /// The text before the `(` of the operands.
  StringRef head(const HloInstruction &I) const { return I.head(Text); }
  /// The name as the text has it, without `%`.
  StringRef name(const HloInstruction &I) const {
    StringRef Head = head(I);
    Head.consume_front("%");
    return Head.take_front(Head.find(' '));
  }
  StringRef operandsText(const HloInstruction &I) const {
    return I.operandsText(Text);
  }
  /// After the closing parenthesis, with the leading `, `.
  StringRef attributes(const HloInstruction &I) const {
    return I.attributes(Text);
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

} // namespace hlobuf

#endif // HLOBUF_HLO_MODULE_H
