// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As *-buffer-assignment.txt.
//
// BufferAssignment::ToString (xla/service/buffer_assignment.cc). The proto does
// not hold the pages and the rows about other colors (2026 on); the phi marks,
// kinds and shapes follow from the module.

#include "HLO/ForwardRules.h"
#include "Proto/Fields.h"
#include "Proto/ProtoText.h"
#include "Proto/ShapeText.h"
#include "Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace hlobuf;

/// The instruction where \p Place is, of any release.
static const ProtoInstruction *instructionAt(const ProtoModule &M,
                                             const ProtoLocation &Place) {
  if (const ProtoInstruction *I = M.instruction(Place.Instruction);
      I && (Place.Name.empty() || I->Name == Place.Name))
    return I;
  return Place.Name.empty() ? nullptr : M.named(Place.Name);
}

/// Values that loops and conditionals define, and parameters of loops, are
/// phis: without one the dataflow analysis has no value there.
static bool isPhi(const ProtoModule &M, const ProtoInstruction &I) {
  return joinsValues(I.Op) || (I.Op == Opcode::Parameter &&
                               std::binary_search(M.LoopComputations.begin(),
                                                  M.LoopComputations.end(),
                                                  M.Computations[I.Parent].Id));
}

void hlobuf::appendValueTag(std::string &Out, const HloProto &P, int64_t Id) {
  const ProtoBuffer *B = P.Assignment.buffer(Id);
  const ProtoInstruction *I = B ? instructionAt(P.Module, B->Place) : nullptr;
  ((Out += '<') += std::to_string(Id)) += ' ';
  appendName(Out, I ? I->Name : StringRef());
  if (I && elementType(I->Shape) == TupleType)
    Out += indexText(B->Place.Index);
  if (I && isPhi(P.Module, *I))
    Out += " (phi)";
  ((Out += " @") += std::to_string(B ? B->Color : 0)) += '>';
}

namespace {
/// A BufferAllocationProto; sizes in bytes.
struct ProtoAllocation {
  int64_t Index = 0, Size = 0, Color = 0, Parameter = 0;
  SmallVector<int64_t, 2> ParameterIndex;
  bool IsParameter = false, ThreadLocal = false, Constant = false;
  bool MaybeLiveOut = false, HoldsOutput = false;
  /// The lines of its values.
  std::string Values;
};

/// Prints one assignment.
struct AssignmentPrinter {
  AssignmentPrinter(const HloProto &P, TextSink &To)
      : P(P), M(P.Module), To(To) {
    findRoot();
  }

  void print();

  void findRoot();
  void printParameter(const ProtoAllocation &A);
  void printHeader(const ProtoAllocation &A);
  void printAllocation(StringRef Message);
  void printValue(StringRef Assigned, ProtoAllocation &A);

  const HloProto &P;
  const ProtoModule &M;
  TextSink &To;
  std::map<int64_t, const ProtoInstruction *> Parameters;
  SubshapeCache Subshapes;
  const ProtoInstruction *Root = nullptr;
  /// Id of the value at the entry root; nothing if it is not known.
  std::optional<int64_t> Output;
};

/// An instruction and an index into its shape.
struct Spot {
  const ProtoInstruction *Node = nullptr;
  SmallVector<int64_t, 2> Index;
};
} // namespace

/// The operand \p Number of \p I; null if it has none.
static const ProtoInstruction *
operandOf(const ProtoModule &M, const ProtoInstruction &I, int64_t Number) {
  auto All = I.numbers(field::Operands);
  return Number >= 0 && static_cast<uint64_t>(Number) < All.size()
             ? M.operand(I.Parent, All[static_cast<size_t>(Number)])
             : nullptr;
}

/// The root of the computation that \p I calls first.
static const ProtoInstruction *rootOfCallee(const ProtoModule &M,
                                            const ProtoInstruction &I) {
  auto All = I.numbers(field::CalledComputations);
  const ProtoComputation *C = All.empty() ? nullptr : M.computation(All[0]);
  return C ? M.root(*C) : nullptr;
}

/// The root of what the chain of \p I, its last link, calls; null if no link
/// says.
static const ProtoInstruction *rootOfChain(const ProtoModule &M,
                                           const ProtoInstruction *I) {
  constexpr unsigned Longest = 1000; // A damaged chain may be a circle.
  for (unsigned N = 0; I && isAsync(I->Op) && N != Longest; ++N) {
    if (const ProtoInstruction *Root = rootOfCallee(M, *I))
      return Root;
    I = operandOf(M, *I, 0);
  }
  return nullptr;
}

/// Where the result of \p I, an async-update or async-done, has \p Index from.
/// The start may have no operands and no result yet (2026-07-13).
static Spot asyncResult(const ProtoModule &M, const ProtoInstruction &I,
                        SmallVector<int64_t, 2> Index) {
  const ProtoInstruction *Before = operandOf(M, I, 0);
  if (Before && isAsync(Before->Op))
    if (const ProtoInstruction *Root = rootOfChain(M, &I))
      return {Root, std::move(Index)};
  Index.insert(Index.begin(), 1);
  return {Before, std::move(Index)};
}

/// Where \p S has its value from, if it defines none itself.
static Spot forwarded(const ProtoModule &M, Spot S) {
  const ProtoInstruction &I = *S.Node;
  bool OfState =
      hasAsyncState(I.Op) && !S.Index.empty() && S.Index.front() == 1;
  if (OfState)
    S.Index.erase(S.Index.begin());
  if (I.Op == Opcode::AsyncDone || (OfState && I.Op == Opcode::AsyncUpdate))
    return asyncResult(M, I, std::move(S.Index));
  if (I.Op == Opcode::While || I.Op == Opcode::AsyncUpdate)
    return {operandOf(M, I, 0), std::move(S.Index)};
  if (OfState || isSynchronousCall(I.Op))
    return {rootOfCallee(M, I), std::move(S.Index)};
  SmallVector<uint32_t, 4> Steps(S.Index.begin(), S.Index.end());
  auto Own = static_cast<uint32_t>(I.number(field::TupleIndex));
  for (const ForwardRule &Rule : forwardRules(I.Op))
    if (auto From = forwardedPath(Rule, Steps, /*IsTuple=*/false, Own))
      return {operandOf(M, I, From->Operand),
              {From->Steps.begin(), From->Steps.end()}};
  return {};
}

void AssignmentPrinter::findRoot() {
  const ProtoComputation *Entry = M.computation(M.Entry);
  if (!Entry)
    return;
  for (const ProtoInstruction &I : M.instructions(*Entry))
    if (I.Op == Opcode::Parameter)
      Parameters.try_emplace(I.number(field::ParameterNumber), &I);
  Root = M.root(*Entry);
  std::vector<std::pair<Spot, int64_t>> Defined;
  for (const ProtoBuffer &B : P.Assignment.Buffers)
    if (const ProtoInstruction *I = instructionAt(M, B.Place))
      Defined.push_back({{I, B.Place.Index}, B.Id});
  auto Before = [](const Spot &A, const Spot &B) {
    return A.Node != B.Node ? A.Node < B.Node : A.Index < B.Index;
  };
  llvm::sort(Defined, [&](const auto &A, const auto &B) {
    return Before(A.first, B.first);
  });
  Spot S;
  S.Node = Root;
  // Who comes back that often goes in a circle; so does an index that deep.
  constexpr size_t Deepest = 64;
  DenseMap<const ProtoInstruction *, unsigned> Visits;
  while (S.Node && ++Visits[S.Node] < Deepest && S.Index.size() < Deepest) {
    auto Entry =
        llvm::lower_bound(Defined, S, [&](const auto &D, const Spot &Key) {
          return Before(D.first, Key);
        });
    if (Entry != Defined.end() && !Before(S, Entry->first)) {
      Output = Entry->second;
      return;
    }
    S = forwarded(M, std::move(S));
  }
}

void AssignmentPrinter::printParameter(const ProtoAllocation &A) {
  To.Out += fmt::format(", parameter {}, shape |", A.Parameter);
  auto Entry = Parameters.find(A.Parameter);
  std::optional<StringRef> Part;
  if (Entry != Parameters.end())
    Part = Subshapes.at(Entry->second->Shape, A.ParameterIndex);
  if (Part)
    To.shape(*Part, false, To.Out);
  else
    To.Out += "<unknown shape>";
  To.Out += "| at ShapeIndex " + indexText(A.ParameterIndex);
}

void AssignmentPrinter::printHeader(const ProtoAllocation &A) {
  To.Out += fmt::format("allocation {}: size {}", A.Index, A.Size);
  if (A.Color != 0)
    To.Out += fmt::format(", color {}", A.Color);
  if (A.IsParameter)
    printParameter(A);
  if (A.HoldsOutput) {
    To.Out += ", output shape is |";
    To.shape(Root->Shape, false, To.Out);
    To.Out += '|';
  }
  if (A.Constant)
    To.Out += ", constant";
  if (A.ThreadLocal)
    To.Out += ", thread-local";
  if (A.MaybeLiveOut)
    To.Out += ", maybe-live-out";
  if (!A.IsParameter && !A.Constant && !A.ThreadLocal && !A.MaybeLiveOut)
    To.Out += ", preallocated-temp";
  To.Out += ":\n";
}

/// A BufferAllocationProto.Assigned: the place of a value of \p A.
void AssignmentPrinter::printValue(StringRef Assigned, ProtoAllocation &A) {
  int64_t Id = 0, Offset = 0, Size = 0;
  if (!readFields(Assigned, into(1, Id), into(2, Offset), into(3, Size)))
    To.damaged("its BufferAllocationProto.Assigned");
  if (To.stopped() || A.Values.size() > To.Limit)
    return;
  const ProtoBuffer *B = P.Assignment.buffer(Id);
  A.HoldsOutput |= Root && Output == Id;
  appendValueTag(A.Values += " value: ", P, Id);
  appendFormat(A.Values, " (size={},offset={}): ", Size, Offset);
  const ProtoInstruction *I = B ? instructionAt(M, B->Place) : nullptr;
  std::optional<StringRef> Part;
  if (I)
    Part = Subshapes.at(I->Shape, B->Place.Index);
  if (Part)
    To.shape(*Part, true, A.Values);
  else
    A.Values += '?';
  A.Values += '\n';
}

void AssignmentPrinter::printAllocation(StringRef Message) {
  ProtoAllocation A;
  if (!readFields(Message, into(1, A.Index), into(2, A.Size),
                  into(3, A.ThreadLocal), into(5, A.IsParameter),
                  into(6, A.Parameter), into(7, A.MaybeLiveOut),
                  into(8, A.Color),
                  into(9, [&](StringRef Assigned) { printValue(Assigned, A); }),
                  into(10, A.ParameterIndex), into(12, A.Constant)))
    To.damaged("its BufferAllocationProto");
  if (To.stopped())
    return;
  printHeader(A);
  To.Out += A.Values;
}

void AssignmentPrinter::print() {
  To.Out += "BufferAssignment:\n";
  forEachMessage(P.Assignment.Bytes, 3,
                 [&](StringRef Message) { printAllocation(Message); });
}

void hlobuf::printAssignment(const HloProto &P, TextSink &To) {
  AssignmentPrinter(P, To).print();
}
