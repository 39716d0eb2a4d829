// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops, calls and branches.

#include "Reduce/Edits.h"
#include "Reduce/ShapeStrings.h"
#include "llvm/ADT/STLExtras.h"

using namespace hlobuf;

std::vector<Edit> hlobuf::inlineCalls(const EditModule &M) {
  return editEach(
      M,
      [&](uint32_t I) {
        return M[I].is(Opcode::Call) && M[I].Calls.size() == 1;
      },
      [](EditModule &E, uint32_t I) {
        SmallVector<uint32_t, 4> Arguments = E[I].Operands;
        return E[I].Calls.size() == 1 &&
               inlineComputation(E, I, E[I].Calls.front().Callee, Arguments);
      });
}

/// Puts branch \p Branch of conditional \p Number in its place.
static bool takeBranch(EditModule &M, uint32_t Number, size_t Branch) {
  if (!M.isLive(Number) || !M[Number].is(Opcode::Conditional) ||
      Branch >= M[Number].Calls.size() ||
      Branch + 1 >= M[Number].Operands.size())
    return false;
  uint32_t Argument = M[Number].Operands[Branch + 1];
  return inlineComputation(M, Number, M[Number].Calls[Branch].Callee, Argument);
}

std::vector<Edit> hlobuf::takeBranches(const EditModule &M) {
  std::vector<Edit> Edits;
  forEachInstruction(M, [&](uint32_t I) {
    if (M[I].is(Opcode::Conditional))
      for (size_t Branch = 0; Branch != M[I].Calls.size(); ++Branch)
        Edits.push_back(
            [I, Branch](EditModule &E) { return takeBranch(E, I, Branch); });
  });
  return Edits;
}

std::vector<Edit> hlobuf::runLoopOnce(const EditModule &M) {
  return editEach(
      M, [&](uint32_t I) { return M[I].is(Opcode::While); },
      [](EditModule &E, uint32_t I) {
        uint32_t Body = E.callee(I, CallRole::Body);
        return Body != NoNumber &&
               inlineComputation(E, I, Body, {E[I].Operands.front()});
      });
}

namespace {
/// A loop of which elements of the state can be taken out.
struct Loop {
  uint32_t While = NoNumber;
  uint32_t Init = NoNumber;
  uint32_t BodyState = NoNumber;
  uint32_t BodyRoot = NoNumber;
  uint32_t ConditionState = NoNumber;
};
} // namespace

/// Every user of \p Tuple takes an element of it, after that.
static void useElementsOnly(EditModule &M, uint32_t Tuple) {
  std::vector<uint32_t> Users = M.users(Tuple);
  llvm::erase_if(Users, [&](uint32_t User) {
    return M[User].is(Opcode::GetTupleElement);
  });
  bool Root = M.isRoot(Tuple);
  if (Users.empty() && !Root)
    return;
  const std::vector<uint32_t> &Order = M.parentOf(Tuple).Order;
  auto After = std::next(llvm::find(Order, Tuple));
  uint32_t Copy =
      insertTupleOfElements(M, After == Order.end() ? NoNumber : *After, Tuple);
  for (uint32_t User : Users)
    std::replace(M[User].Operands.begin(), M[User].Operands.end(), Tuple, Copy);
  if (Root)
    M.parentOf(Tuple).Root = Copy;
}

/// The parts of loop \p While, rewritten so that each has a tuple of its own;
/// nothing where that cannot be.
static std::optional<Loop> openLoop(EditModule &M, uint32_t While) {
  if (!M.isLive(While) || !M[While].is(Opcode::While) ||
      !isTupleText(M[While].Shape))
    return std::nullopt;
  uint32_t Body = M.callee(While, CallRole::Body);
  uint32_t Condition = M.callee(While, CallRole::Condition);
  if (Body == NoNumber || Condition == NoNumber || Body == Condition ||
      M.callers(Body).size() != 1 || M.callers(Condition).size() != 1)
    return std::nullopt;
  Loop L;
  L.While = While;
  L.BodyState = M.parameter(Body, 0);
  L.ConditionState = M.parameter(Condition, 0);
  if (L.BodyState == NoNumber || L.ConditionState == NoNumber)
    return std::nullopt;
  useElementsOnly(M, While);
  useElementsOnly(M, L.BodyState);
  useElementsOnly(M, L.ConditionState);
  L.BodyRoot = M.Computations[Body].Root;
  if (!M[L.BodyRoot].is(Opcode::Tuple) || !M.users(L.BodyRoot).empty()) {
    useElementsOnly(M, L.BodyRoot);
    L.BodyRoot = M.Computations[Body].Root;
  }
  L.Init = M[While].Operands.front();
  if (!M[L.Init].is(Opcode::Tuple) || M.users(L.Init).size() != 1 ||
      M.isRoot(L.Init)) {
    L.Init = insertTupleOfElements(M, While, L.Init);
    M[While].Operands.front() = L.Init;
  }
  return M[L.BodyRoot].is(Opcode::Tuple) ? std::optional(L) : std::nullopt;
}

/// The uses of element \p Index of \p Tuple are replaced by \p Replace, and
/// later elements move up.
static void removeElement(EditModule &M, uint32_t Tuple, uint32_t Index,
                          function_ref<void(uint32_t)> Replace) {
  for (uint32_t User : M.users(Tuple)) {
    if (!M[User].is(Opcode::GetTupleElement))
      continue;
    if (M[User].Number == Index)
      Replace(User);
    else
      M[User].Number -= M[User].Number > Index;
  }
}

static bool dropElement(EditModule &M, uint32_t While, uint32_t Index) {
  std::optional<Loop> L = openLoop(M, While);
  if (!L || Index >= M[L->Init].Operands.size())
    return false;
  std::vector<std::string> Shapes = tupleElements(M[While].Shape);
  if (Shapes.size() < 2 || Index >= Shapes.size() ||
      Index >= M[L->BodyRoot].Operands.size() ||
      arrayType(Shapes[Index]).empty() || isDynamicText(Shapes[Index]))
    return false;
  uint32_t Initial = M[L->Init].Operands[Index];
  removeElement(M, While, Index,
                [&](uint32_t User) { M.replaceUses(User, Initial); });
  for (uint32_t State : {L->BodyState, L->ConditionState})
    removeElement(M, State, Index,
                  [&](uint32_t User) { makeConstant(M, User); });
  for (uint32_t Tuple : {L->Init, L->BodyRoot})
    M[Tuple].Operands.erase(M[Tuple].Operands.begin() + Index);
  size_t Count = Shapes.size();
  Shapes.erase(Shapes.begin() + Index);
  for (uint32_t I :
       {While, L->Init, L->BodyState, L->BodyRoot, L->ConditionState}) {
    M[I].dropSharding(Index, Count);
    M[I].Shape = tupleOf(Shapes);
  }
  return true;
}

/// The elements of the state of \p While that say how often it runs.
static std::vector<bool> controlElements(const EditModule &M, uint32_t While,
                                         const BitVector &Control,
                                         size_t Count) {
  std::vector<bool> Is(Count);
  for (CallRole Role : {CallRole::Condition, CallRole::Body}) {
    uint32_t Computation = M.callee(While, Role);
    uint32_t State =
        Computation == NoNumber ? NoNumber : M.parameter(Computation, 0);
    if (State == NoNumber)
      continue;
    for (uint32_t User : M.users(State))
      if (Control.test(User) && M[User].is(Opcode::GetTupleElement) &&
          M[User].Number < Count)
        Is[M[User].Number] = true;
  }
  return Is;
}

std::vector<Edit> hlobuf::dropState(const EditModule &M) {
  std::vector<Edit> Edits;
  BitVector Control = loopControl(M);
  forEachInstruction(M, [&](uint32_t I) {
    if (!M[I].is(Opcode::While))
      return;
    size_t Count = tupleElements(M[I].Shape).size();
    std::vector<bool> Needed = controlElements(M, I, Control, Count);
    // The last one first: others keep their numbers then.
    for (auto Index = static_cast<uint32_t>(Count); Index-- != 0;)
      if (!Needed[Index])
        Edits.push_back(
            [I, Index](EditModule &E) { return dropElement(E, I, Index); });
  });
  return Edits;
}

std::vector<Edit> hlobuf::lowerTripCounts(const EditModule &M) {
  static constexpr int64_t Rounds = 3;
  BitVector Control = loopControl(M, /*Always=*/true);
  auto IsTripCount = [&](uint32_t I) {
    int64_t Value = 0;
    return Control.test(I) && M[I].is(Opcode::Constant) &&
           isScalarText(M[I].Shape) &&
           !StringRef(M[I].Literal).getAsInteger(10, Value) && Value > Rounds;
  };
  return editEach(M, IsTripCount, [](EditModule &E, uint32_t I) {
    E[I].Literal = std::to_string(Rounds);
    return true;
  });
}
