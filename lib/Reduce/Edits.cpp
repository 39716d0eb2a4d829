// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes and what they share.

#include "Reduce/Edits.h"
#include "Reduce/ShapeStrings.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace hlobuf;

ArrayRef<EditPass> hlobuf::allPasses() {
  static const EditPass Passes[] = {
      {"outputs", dropOutputs},
      {"one instruction", isolate, true, true},
      {"calls", inlineCalls, false, false, false, true},
      {"parameters", useNewParameter},
      {"operands", useOperand},
      {"inputs", useOldParameter},
      {"loop state", dropState, false, false, false, true},
      {"root", moveRoot, true},
      {"branches", takeBranches, false, false, false, true},
      {"single rounds", runLoopOnce, false, false, false, true},
      {"constants", useConstant},
      {"header", dropHeader},
      {"attributes", dropAttributes, false, false, true},
      {"layouts", dropLayouts, false, false, true},
      {"trip counts", lowerTripCounts, false, false, true},
      {"dimensions", shrinkDimensions, true, false, true},
  };
  return Passes;
}

void hlobuf::forEachInstruction(const EditModule &M,
                                function_ref<void(uint32_t)> Visit) {
  auto VisitAll = [&](const EditComputation &C) {
    for (uint32_t I : llvm::reverse(C.Order))
      Visit(I);
  };
  VisitAll(M.Computations[M.Entry]);
  for (auto [Number, C] : llvm::enumerate(M.Computations))
    if (Number != M.Entry && !C.Removed)
      VisitAll(C);
}

std::vector<Edit> hlobuf::editEach(const EditModule &M,
                                   function_ref<bool(uint32_t)> Offers,
                                   bool (*Apply)(EditModule &, uint32_t)) {
  std::vector<Edit> Edits;
  forEachInstruction(M, [&](uint32_t I) {
    if (Offers(I))
      Edits.push_back(
          [I, Apply](EditModule &E) { return E.isLive(I) && Apply(E, I); });
  });
  return Edits;
}

namespace {
/// Marks what decides how often the loops of a module run.
struct LoopControl {
  BitVector run();

  void addLoop(uint32_t While);
  void addComputation(uint32_t Computation);
  /// Marks \p From and what it is computed from; the elements of \p State that
  /// are met are added to \p Elements, or all of them.
  void addSlice(uint32_t From, uint32_t State);

  const EditModule &M;
  BitVector Marked = BitVector(static_cast<unsigned>(M.Instructions.size()));
  /// Of the loop at hand.
  SmallVector<uint32_t, 8> Elements = {};
  bool All = false;
};
} // namespace

void LoopControl::addComputation(uint32_t Computation) {
  SmallVector<uint32_t, 16> Todo = {Computation};
  while (!Todo.empty())
    for (uint32_t I : M.Computations[Todo.pop_back_val()].Order) {
      if (Marked.test(I))
        continue;
      Marked.set(I);
      for (const EditCall &Call : M[I].Calls)
        Todo.push_back(Call.Callee);
    }
}

void LoopControl::addSlice(uint32_t From, uint32_t State) {
  SmallVector<uint32_t, 16> Todo = {From};
  llvm::SmallDenseSet<uint32_t, 16> Seen;
  while (!Todo.empty()) {
    uint32_t I = Todo.pop_back_val();
    if (!Seen.insert(I).second)
      continue;
    Marked.set(I);
    All |= I == State;
    for (const EditCall &Call : M[I].Calls)
      addComputation(Call.Callee);
    if (!M[I].is(Opcode::GetTupleElement) || M[I].Operands.front() != State)
      Todo.append(M[I].Operands.begin(), M[I].Operands.end());
    else if (!llvm::is_contained(Elements, M[I].Number))
      Elements.push_back(M[I].Number);
  }
}

void LoopControl::addLoop(uint32_t While) {
  uint32_t Condition = M.callee(While, CallRole::Condition);
  uint32_t Body = M.callee(While, CallRole::Body);
  if (Condition == NoNumber || Body == NoNumber || M[While].Operands.empty())
    return;
  Elements.clear();
  All = false;
  addSlice(M.Computations[Condition].Root, M.parameter(Condition, 0));
  uint32_t Root = M.Computations[Body].Root;
  uint32_t State = M.parameter(Body, 0);
  All |= !M[Root].is(Opcode::Tuple);
  for (size_t N = 0; N < Elements.size() && !All; ++N) {
    if (Elements[N] < M[Root].Operands.size())
      addSlice(M[Root].Operands[Elements[N]], State);
  }
  uint32_t Init = M[While].Operands.front();
  Marked.set(Root);
  Marked.set(Init);
  if (All)
    addComputation(Body);
  if (All || !M[Init].is(Opcode::Tuple))
    return addSlice(Init, NoNumber);
  for (uint32_t Element : Elements)
    if (Element < M[Init].Operands.size())
      addSlice(M[Init].Operands[Element], NoNumber);
}

BitVector LoopControl::run() {
  forEachInstruction(M, [&](uint32_t I) {
    if (M[I].is(Opcode::While))
      addLoop(I);
  });
  return std::move(Marked);
}

BitVector hlobuf::loopControl(const EditModule &M, bool Always) {
  if (M.EndlessLoops && !Always)
    return BitVector(static_cast<unsigned>(M.Instructions.size()));
  return LoopControl{M}.run();
}

bool hlobuf::makeConstant(EditModule &M, uint32_t Number) {
  StringRef Type = arrayType(M[Number].Shape);
  if (Type.empty() || isDynamicText(M[Number].Shape))
    return false;
  std::string Literal = Type == "pred"          ? "false"
                        : Type.starts_with("c") ? "(1, 0)"
                                                : "1";
  if (isScalarText(M[Number].Shape)) {
    M[Number].become(Opcode::Constant, {});
    M[Number].Literal = Literal;
    return true;
  }
  uint32_t Scalar = M.insertBefore(Number, "constant", Opcode::Constant,
                                   Type.str() + "[]", {});
  M[Scalar].Literal = Literal;
  M[Number].become(Opcode::Broadcast, Scalar);
  M[Number].Attributes.push_back({"dimensions", "{}"});
  return true;
}

bool hlobuf::makeParameter(EditModule &M, uint32_t Number) {
  if (arrayType(M[Number].Shape).empty() || !M.isInEntry(Number))
    return false;
  const EditAttribute *Sharding = M[Number].attribute("sharding");
  std::vector<EditAttribute> Shardings;
  if (Sharding)
    Shardings.push_back(*Sharding);
  M[Number].become(Opcode::Parameter, {});
  M[Number].Attributes = std::move(Shardings);
  // After those that are there; cleanUp() numbers them without gaps.
  M[Number].Number = static_cast<uint32_t>(M.Instructions.size()) + Number;
  return true;
}

uint32_t hlobuf::insertElement(EditModule &M, uint32_t Before, uint32_t Tuple,
                               uint32_t Index) {
  std::vector<std::string> Shapes = tupleElements(M[Tuple].Shape);
  // A damaged module may say less of a tuple than it has.
  std::string Shape = Index < Shapes.size() ? Shapes[Index] : "opaque[]";
  uint32_t New = M.insert(M[Tuple].Parent, Before, "get-tuple-element",
                          Opcode::GetTupleElement, Shape, Tuple);
  M[New].Number = Index;
  return New;
}

uint32_t hlobuf::insertTupleOfElements(EditModule &M, uint32_t Before,
                                       uint32_t Tuple) {
  SmallVector<uint32_t, 8> Elements;
  for (size_t K = 0, E = tupleElements(M[Tuple].Shape).size(); K != E; ++K)
    Elements.push_back(insertElement(M, Before, Tuple, uint32_t(K)));
  std::string Shape = M[Tuple].Shape;
  return M.insert(M[Tuple].Parent, Before, "tuple", Opcode::Tuple, Shape,
                  Elements);
}

bool hlobuf::inlineComputation(EditModule &M, uint32_t Number,
                               uint32_t Computation,
                               ArrayRef<uint32_t> Arguments) {
  DenseMap<uint32_t, uint32_t> Copies;
  std::vector<uint32_t> Order = M.Computations[Computation].Order;
  for (uint32_t I : Order) {
    if (M[I].is(Opcode::Parameter)) {
      if (M[I].Number >= Arguments.size())
        return false;
      Copies[I] = Arguments[M[I].Number];
      continue;
    }
    std::string Name = M[I].Name;
    std::string Shape = M[I].Shape;
    uint32_t New = M.insertBefore(Number, Name, M[I].Op, Shape, {});
    EditInstruction Copy = M[I];
    Copy.Name = M[New].Name;
    Copy.Parent = M[New].Parent;
    for (uint32_t &Operand : Copy.Operands)
      Operand = Copies.lookup(Operand);
    M[New] = std::move(Copy);
    Copies[I] = New;
  }
  M.replaceUses(Number, Copies.lookup(M.Computations[Computation].Root));
  M.remove(Number);
  // Calls of it would be copied again with each caller of the caller.
  if (M.callers(Computation).empty())
    M.Computations[Computation].Removed = true;
  return true;
}
