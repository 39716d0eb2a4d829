// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module, ready to be analyzed.
//
// The instructions of a module with every get-tuple-element spelled out, each
// computation in the order of its schedule. An HloId below the number of the
// module's instructions is that instruction; those above are
// get-tuple-elements that the text leaves out.

#ifndef HLOBUF_PROGRAM_PROGRAM_H
#define HLOBUF_PROGRAM_PROGRAM_H

#include "Program/AsyncChains.h"
#include "Program/ElidedElements.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

namespace hlobuf {

/// What a program is built from.
enum class ProgramSource : uint8_t {
  /// The HLO module: everything is known.
  Module,
  /// Texts, positions and uses of 'Used values': one computation, and opaque
  /// instructions (StatedNodes).
  Texts,
};

/// Operand number \p Operand of \p User.
struct ProgramUse {
  HloId User;
  uint32_t Operand = 0;
};

/// Which buffers the values of a computation get (xla/service/
/// buffer_assignment.cc, GatherComputationsByAllocationType).
enum class ComputationClass : uint8_t {
  /// Never reached, or the body of a fusion: none.
  None,
  /// The entry and what it reaches through control flow.
  Global,
  /// Called by reduce, sort, map, ..
  ThreadLocal,
};

/// The instructions of a module, with operands, users and callees.
class Program : public ProgramGraph {
public:
  /// \p DumpFacts's dump gives names and places of get-tuple-elements that the
  /// text leaves out, and the order where the module is not scheduled. From
  /// texts there is no module(); nothing is called.
  explicit Program(const Facts &DumpFacts,
                   ProgramSource Source = ProgramSource::Module);
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;

  bool isFromTexts() const { return Source == ProgramSource::Texts; }
  const HloModule &module() const { return M; }
  const Facts &facts() const { return DumpFacts; }

  /// Most instructions are in bodies of fusions, of which tables keep nothing:
  /// the number of \p Id among all others, below numSlots(), or NoSlot.
  uint32_t slot(HloId Id) const {
    if (Id.index() >= Printed.size())
      return Id.index() - Fused;
    uint32_t Before = FusedBefore[Printed[Id.index()].Parent.index()];
    return Before == NoSlot ? NoSlot : Id.index() - Before;
  }
  static constexpr uint32_t NoSlot = ~uint32_t(0);
  size_t numSlots() const { return size() - Fused; }
  /// Calls \p Visit(Id) for each instruction that has one, in their order.
  template <typename VisitFn> void forEachSlot(VisitFn Visit) const {
    for (size_t C = 0; C != FusedBefore.size(); ++C) {
      IndexRange All = M.Computations[C].Instructions;
      for (uint32_t I = All.Begin; FusedBefore[C] != NoSlot && I != All.End;
           ++I)
        Visit(HloId(I));
    }
    for (size_t I = Printed.size(); I != size(); ++I)
      Visit(HloId(I));
  }

  /// All operands that are \p Id, which has a slot, in the order of their
  /// users' HloIds.
  ArrayRef<ProgramUse> users(HloId Id) const {
    uint32_t Slot = slot(Id);
    assert(Slot != NoSlot);
    return ArrayRef<ProgramUse>(Users).slice(
        UserBegin[Slot], UserBegin[Slot + 1] - UserBegin[Slot]);
  }
  /// \p Id, which need not have a slot, is an operand; and it is so only once.
  bool isRead(HloId Id) const { return Read[Id.index()]; }
  bool isReadOnce(HloId Id) const {
    return Read[Id.index()] && !ReadAgain[Id.index()];
  }
  /// The entry_computation_layout has the shapes, layouts aside, of half of
  /// what the entry takes and returns, where the module is named `extracted` of
  /// all: what was taken out of another module has the header of that, or of an
  /// instruction that it was (SparseCore, libtpu 0.0.51).
  bool hasOwnHeader() const;
  /// What \p Id calls. An async-update or -done without `calls=` calls what
  /// the start of its chain calls.
  ArrayRef<HloCall> calls(HloId Id) const;
  /// The one callee in \p Role; invalid if there is none.
  ComputationId callee(HloId Id, CallRole Role) const;

  /// The instructions of \p C in schedule order.
  auto order(ComputationId C) const {
    IndexRange All;
    if (!Order.empty())
      All = {OrderBegin[C.index()], OrderBegin[C.index() + 1]};
    else if (!M.Computations.empty())
      All = M[C].Instructions;
    return llvm::map_range(
        llvm::seq(All.Begin, All.End),
        [Sorted = Order.empty() ? nullptr : Order.data()](uint32_t I) {
          return Sorted ? Sorted[I] : HloId(I);
        });
  }
  /// Number \p N of these; invalid if there are fewer.
  HloId inOrder(ComputationId C, size_t N) const {
    auto All = order(C);
    auto Count = static_cast<size_t>(All.end() - All.begin());
    return N < Count ? *(All.begin() + static_cast<ptrdiff_t>(N)) : HloId();
  }
  HloId root(ComputationId C) const { return M[C].Root; }
  /// Parameter number \p N; invalid if there is none.
  HloId parameter(ComputationId C, uint32_t N) const;
  uint32_t numParameters(ComputationId C) const {
    return ParameterBegin[C.index() + 1] - ParameterBegin[C.index()];
  }
  ComputationClass classOf(ComputationId C) const { return Classes[C.index()]; }
  /// Reached through an instruction that is not control flow: its parameters
  /// define values.
  bool isEmbedded(ComputationId C) const { return Embedded[C.index()]; }
  /// A custom call hands \p C to another execution thread (host, SparseCore),
  /// where it is compiled again: nobody runs it from these places.
  bool runsElsewhere(ComputationId C) const { return Elsewhere[C.index()]; }
  bool anyRunsElsewhere() const { return llvm::is_contained(Elsewhere, true); }
  bool isFusionBody(ComputationId C) const { return FusionBody[C.index()]; }
  /// Values of \p Id get buffers.
  bool hasBuffers(HloId Id) const {
    return classOf((*this)[Id].Parent) != ComputationClass::None;
  }

  const AsyncChains &chains() const { return Chains; }

  /// True if \p Id is a collective-permute, or its start, that writes slices
  /// of operand 0 into operand 1 (HloCollectivePermuteInstruction::inplace()).
  bool isInPlacePermute(HloId Id) const;
  /// True for what is there before the first step: a constant, or a parameter
  /// of the entry computation.
  bool isInput(HloId Id) const {
    const HloNode &N = (*this)[Id];
    return isGiven(N.Op) && (N.Op == Opcode::Constant || N.Parent == M.Entry);
  }

  /// The target of custom-call \p Id; empty for other instructions.
  StringRef customCallTarget(HloId Id) const;
  /// The same for a program of backend \p B, and empty for any other: a
  /// name means what one compiler means by it, and nothing elsewhere. Programs
  /// that may be for CPU or GPU count as both.
  StringRef customCallTarget(HloId Id, Backend B) const;

  /// True if \p Id is a get-tuple-element that the text leaves out.
  bool isHidden(HloId Id) const {
    return Id.index() >= M.Instructions.size() && !isFromTexts();
  }
  /// The instruction named \p Name, hidden ones included.
  HloId find(NameId Name) const;
  /// Its name, or how the text spells the element: `x#0`.
  std::string spell(HloId Id) const;
  /// The instruction's line in the module; of a hidden one, its source's.
  StringRef place(HloId Id) const;

  /// The text leaves get-tuple-elements out (2026-07-13 on): only roots are
  /// printed.
  bool leavesElementsOut() const { return Elided.areLeftOut(); }
  /// Hidden names of the dump whose source could not be determined.
  ArrayRef<NameId> unresolved() const { return Elided.unresolved(); }
  /// The order of some computation was taken from the dump.
  bool adoptedOrder() const { return AdoptedOrder; }
  /// The order of all steps is known: from the module, or from the dump.
  bool isTimed() const { return M.Scheduled || AdoptedAll; }
  /// Why nothing can be derived from this module; empty if it can.
  StringRef obstacle() const { return Obstacle; }

private:
  void addModuleNodes();
  void addStatedNodes();
  void adoptOrder();
  void linkOperands();
  void buildOrder();
  void findParameters();
  void numberSlots();
  void linkUsers();
  void linkCallers();
  void classify();
  void addElement(const ElidedElement &E);

  const Facts &DumpFacts;
  const ProgramSource Source;
  const HloModule &M;
  /// By name, where the program is from texts.
  std::vector<HloId> Stated;
  ElidedElements Elided;
  /// Instructions in bodies of fusions: all, and by computation those before
  /// it, NoSlot in such a body.
  uint32_t Fused = 0;
  std::vector<uint32_t> FusedBefore;
  std::vector<bool> Read, ReadAgain;
  /// By slot.
  std::vector<uint32_t> UserBegin;
  std::vector<ProgramUse> Users;
  /// By computation.
  std::vector<uint32_t> OrderBegin;
  std::vector<HloId> Order;
  std::vector<uint32_t> ParameterBegin;
  std::vector<HloId> Parameters;
  std::vector<ComputationClass> Classes;
  std::vector<bool> Embedded;
  std::vector<bool> Elsewhere;
  std::vector<bool> FusionBody;
  AsyncChains Chains;
  bool AdoptedOrder = false;
  bool AdoptedAll = false;
  StringRef Obstacle;
};

/// A computation of the schedule that several instructions call.
struct SharedCallee {
  ComputationId Callee;
  /// In text order; at least two.
  SmallVector<HloId, 2> Callers;
  /// None of them is a call, loop or conditional: several async chains may wrap
  /// one computation (CallGraph::IsFlattened in xla/service/call_graph.cc,
  /// 2022).
  bool Async = false;
};

/// The computations that take part in the schedule and are called by more than
/// one instruction, in text order. Values inside of them would need a place
/// for each call.
std::vector<SharedCallee> sharedCallees(const Program &P);

} // namespace hlobuf

#endif // HLOBUF_PROGRAM_PROGRAM_H
