// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Proof/FusionReads.h"
#include "HLO/AttributeNumbers.h"
#include "Proof/PartSources.h"
#include "Proof/TypeRules.h"

using namespace hlobuf;
using namespace hlobuf::proof;
using llvm::SmallVector;
using llvm::StringRef;

static ReadState moved(StringRef Why) { return {ReadManner::Moved, 0, Why}; }

int64_t ElementWindow::end() const {
  int64_t Last = Offset;
  for (auto [Size, Stride] : Extents)
    Last = boundedAdd(Last, boundedMultiply(Size - 1, Stride));
  return Last + 1;
}

bool ElementWindow::isApart(const ElementWindow &Other) const {
  return Starts.empty() && Other.Starts.empty() &&
         (end() <= Other.Offset || Other.end() <= Offset);
}

/// The window of \p Size in an array like \p Big, in row-major order. A start
/// is a number, or the instruction that computes it, which is valid then.
static ElementWindow
makeWindow(const Shape &Big, const Shape &Size,
           llvm::ArrayRef<std::pair<int64_t, HloId>> Starts) {
  ElementWindow W;
  int64_t Stride = 1;
  for (size_t D = Big.Dimensions.size(); D-- != 0;) {
    int64_t All = Big.Dimensions[D].Size, Some = Size.Dimensions[D].Size;
    auto [Constant, Start] = Starts[D];
    if (All != Some && Start)
      W.Starts.emplace_back(Stride, Start);
    else if (All != Some)
      W.Offset = boundedAdd(
          W.Offset,
          boundedMultiply(
              Stride, std::clamp<int64_t>(Constant, 0,
                                          std::max<int64_t>(All - Some, 0))));
    if (Some > 1)
      W.Extents.emplace_back(Some, Stride);
    Stride = boundedMultiply(Stride, All);
  }
  llvm::sort(W.Starts);
  return W;
}

uint32_t FusionReads::number(ElementWindow W) {
  auto At = llvm::find(Windows, W);
  if (At == Windows.end())
    At = Windows.insert(At, std::move(W));
  return static_cast<uint32_t>(At - Windows.begin());
}

/// Start indices from operand \p First on: numbers of constants, and what
/// computes others. A conversion is not looked through: it may wrap around.
SmallVector<std::pair<int64_t, HloId>, 4>
FusionReads::startIndices(HloId Id, uint32_t First) const {
  SmallVector<std::pair<int64_t, HloId>, 4> All;
  for (HloId Start : X.P.operands(Id).drop_front(First)) {
    while (X.op(Start) == Opcode::Bitcast || X.op(Start) == Opcode::Copy ||
           X.op(Start) == Opcode::Reshape)
      Start = X.P.operands(Start)[0];
    int64_t Number = 0;
    bool Constant =
        X.op(Start) == Opcode::Constant && !X.P.isHidden(Start) &&
        llvm::to_integer(X.P.module().operandsText(X.P.module()[Start]).trim(),
                         Number, 10);
    All.emplace_back(Number, Constant ? HloId() : Start);
  }
  return All;
}

/// Result and operand 0 are row-major, so that equal numbers of elements in
/// memory are equal numbers of elements in their own order.
bool FusionReads::keepsOrder(HloId Id) const {
  return isRowMajor(X.Lines.shape({Id, 0})) &&
         isRowMajor(X.Lines.shape(X.operandPart(Id, 0, 0)));
}

const std::vector<FusionRead> &FusionReads::find(Part Result, unsigned Depth) {
  IdPair Key(Result.Id.index(), Result.Ordinal);
  auto [Entry, New] = Known.try_emplace(Key);
  if (!New)
    return Entry->second;
  // More than a few levels of fusions were never printed.
  if (X.P.calls(Result.Id).empty() || Depth > 100) {
    for (auto [K, Operand] : llvm::enumerate(X.P.operands(Result.Id)))
      for (uint32_t Leaf : X.Lines.leaves(Operand))
        Entry->second.push_back(
            {static_cast<uint32_t>(K), Leaf, moved("fusion")});
    return Entry->second;
  }
  std::vector<Item> Above = std::move(Work);
  Work = {{{X.P.root(X.P.calls(Result.Id)[0].Callee), Result.Ordinal}, {}}};
  std::vector<FusionRead> Reads;
  llvm::DenseMap<IdPair, SmallVector<ReadState, 2>> Seen;
  while (!Work.empty()) {
    Item It = Work.back();
    Work.pop_back();
    auto &States = Seen[{It.At.Id.index(), It.At.Ordinal}];
    if (llvm::is_contained(States, It.State))
      continue;
    States.push_back(It.State);
    if (X.op(It.At.Id) != Opcode::Parameter) {
      walk(It, Depth);
      continue;
    }
    if (It.State.Kind == ReadManner::Window)
      It.State = moved("update reads elsewhere");
    Reads.push_back({X.P[It.At.Id].number(), It.At.Ordinal, It.State});
  }
  Work = std::move(Above);
  return Known[Key] = std::move(Reads);
}

void FusionReads::walk(Item It, unsigned Depth) {
  Opcode Op = X.op(It.At.Id);
  if (Op == Opcode::Fusion)
    return walkFusion(It, Depth);
  if (isUpdate(Op))
    return walkUpdate(It);
  if (Op == Opcode::Slice || Op == Opcode::DynamicSlice)
    return walkSlice(It);
  if (Op == Opcode::Bitcast || Op == Opcode::BitcastConvert ||
      (isElementwise(Op) && Op != Opcode::Copy))
    return walkElementwise(It);
  if (accessesNoMemory(Op) || (Op == Opcode::Copy && It.At.Ordinal != 0)) {
    if (auto From = X.P.forwardedPart(It.At.Id, It.At.Ordinal))
      go(It, From->Operand, It.State, From->Ordinal);
    return;
  }
  if (Op == Opcode::Copy || Op == Opcode::Reshape || Op == Opcode::Broadcast ||
      Op == Opcode::Transpose)
    return walkReshaped(It);
  walkOther(It);
}

void FusionReads::walkElementwise(Item It) {
  HloId Id = It.At.Id;
  const Shape &Result = X.Lines.shape(It.At);
  Opcode Op = X.op(Id);
  for (uint32_t K = 0; K != X.P.operands(Id).size(); ++K) {
    const Shape &Operand = X.Lines.shape(X.operandPart(Id, K, 0));
    bool Scalar = (Op == Opcode::Clamp || Op == Opcode::Select) &&
                  Operand.Dimensions.empty() && !Result.Dimensions.empty();
    bool Turned = Op != Opcode::Bitcast &&
                  Operand.Dimensions.size() == Result.Dimensions.size() &&
                  !hasSameOrder(Operand, Result) &&
                  !(isRowMajor(Operand) && isRowMajor(Result));
    ReadState State = It.State;
    if (Scalar && State.Kind == ReadManner::Identity)
      State = moved("one element for all");
    else if (Turned && !Scalar)
      State = moved("elementwise, another layout");
    go(It, K, State);
  }
}

/// What moves no element if nothing changes the order in memory.
void FusionReads::walkReshaped(Item It) {
  HloId Id = It.At.Id;
  const Shape &Result = X.Lines.shape(It.At);
  const Shape &Operand = X.Lines.shape(X.operandPart(Id, 0, 0));
  Opcode Op = X.op(Id);
  bool Keeps = keepsOrder(Id);
  if (Op == Opcode::Copy)
    Keeps = isSameType(Result, Operand);
  if (Op == Opcode::Broadcast || Op == Opcode::Transpose) {
    auto Dimensions = numbersIn(
        findAttribute(X.P.module().attributes(X.P.module()[Id]), "dimensions"));
    bool Transposes = Op == Opcode::Transpose;
    Keeps &= Dimensions &&
             ascends(*Dimensions, Transposes ? Operand : Result) &&
             (Transposes || countElements(Operand) == countElements(Result));
  }
  go(It, 0, Keeps ? It.State : moved(opcodeText(Op)));
}

void FusionReads::walkUpdate(Item It) {
  HloId Id = It.At.Id;
  auto Count = static_cast<uint32_t>(X.P.operands(Id).size());
  if (X.op(Id) == Opcode::Scatter) {
    uint32_t Inputs = (Count - 1) / 2;
    auto Steps = X.Lines.steps(It.At);
    for (uint32_t K = 0; K != Count; ++K)
      go(It, K,
         K < Inputs && (Steps.empty() || K == Steps[0])
             ? It.State
             : moved("scatter of it"));
    return;
  }
  go(It, 0, It.State);
  const Shape &Update = X.Lines.shape(X.operandPart(Id, 1, 0));
  const Shape &Result = X.Lines.shape(It.At);
  auto Starts = startIndices(Id, 2);
  if (Starts.size() != Result.Dimensions.size() || !isRowMajor(Result) ||
      !isRowMajor(Update))
    go(It, 1, moved("update in another layout"));
  else if (It.State.Kind != ReadManner::Identity)
    go(It, 1, moved("update of a window"));
  else
    go(It, 1,
       {ReadManner::Window, number(makeWindow(Result, Update, Starts)), ""});
  goAll(It, 2, {ReadManner::Index, 0, ""});
}

/// What \p Slice takes of its operand; nothing if that is not a box.
std::optional<ElementWindow> FusionReads::windowOf(HloId Slice) const {
  const Shape &Operand = X.Lines.shape(X.operandPart(Slice, 0, 0));
  SmallVector<std::pair<int64_t, HloId>, 4> Starts;
  if (X.op(Slice) == Opcode::DynamicSlice) {
    Starts = startIndices(Slice, 1);
  } else {
    auto Bounds = sliceBounds(
        findAttribute(X.P.module().attributes(X.P.module()[Slice]), "slice"));
    if (!Bounds)
      return std::nullopt;
    for (const DimensionSlice &D : *Bounds) {
      if (D.Stride != 1)
        return std::nullopt;
      Starts.emplace_back(D.Begin, HloId());
    }
  }
  if (Starts.size() != Operand.Dimensions.size() || !keepsOrder(Slice))
    return std::nullopt;
  return makeWindow(Operand, X.Lines.shape({Slice, 0}), Starts);
}

void FusionReads::walkSlice(Item It) {
  HloId Id = It.At.Id;
  StringRef Op = opcodeText(X.op(Id));
  bool InWindow = It.State.Kind == ReadManner::Window;
  std::optional<ElementWindow> Mine = windowOf(Id);
  ReadState State = moved(Op);
  if (hasSameSizes(X.Lines.shape(X.operandPart(Id, 0, 0)),
                   X.Lines.shape(It.At)))
    State = It.State;
  else if (InWindow && Mine && *Mine == Windows[It.State.Number])
    State = {ReadManner::Identity, 0, ""};
  else if (InWindow && Mine && Mine->isApart(Windows[It.State.Number]))
    State = {ReadManner::Apart, 0, ""};
  else if (InWindow)
    State = moved(Op == "slice" ? "slice of another window"
                                : "dynamic-slice of another window");
  go(It, 0, State);
  goAll(It, 1, {ReadManner::Index, 0, ""});
}

void FusionReads::walkFusion(Item It, unsigned Depth) {
  std::vector<FusionRead> Inner = find(It.At, Depth + 1);
  for (const FusionRead &R : Inner) {
    ReadState State = moved("two moves");
    if (It.State.Kind == ReadManner::Identity)
      State = R.State;
    else if (R.State.Kind == ReadManner::Identity)
      State = It.State;
    go(It, R.Operand, State, R.Ordinal);
  }
}

void FusionReads::walkOther(Item It) {
  HloId Id = It.At.Id;
  Opcode Op = X.op(Id);
  if (Op == Opcode::Reduce) {
    goAll(It, 0,
          It.State.Kind == ReadManner::Identity
              ? ReadState{ReadManner::Reduced, 0, ""}
              : moved("reduce of a window"));
    return;
  }
  for (uint32_t K = 0; K != X.P.operands(Id).size(); ++K)
    for (uint32_t Leaf : X.Lines.leaves(X.P.operands(Id)[K]))
      go(It, K,
         moved(Op == Opcode::Unknown ? "unknown opcode" : opcodeText(Op)),
         Leaf);
}
