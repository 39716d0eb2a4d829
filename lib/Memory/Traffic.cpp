// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Memory/Traffic.h"
#include "Elements/StartIndices.h"
#include "llvm/Support/MathExtras.h"

using namespace hlobuf;
using llvm::SaturatingAdd;
using llvm::SaturatingMultiply;

Traffic::Traffic(const ModuleAnalysis &Module)
    : Module(Module), P(Module.program()), RowOf(P.numSlots()) {
  for (uint32_t C = 0; C != P.module().Computations.size(); ++C)
    if (ComputationId Id(C); Module.schedule().isFlattened(Id))
      for (HloId I : P.order(Id))
        addRow(I);
  countRuns();
}

const InstructionTraffic *Traffic::row(HloId Id) const {
  uint32_t Slot = P.slot(Id);
  uint32_t Number = Slot == Program::NoSlot ? 0 : RowOf[Slot];
  return Number == 0 ? nullptr : &Rows[Number - 1];
}

/// What an async chain calls runs once, from its start on.
static bool runsCallees(Opcode Op) {
  return isSynchronousCall(Op) || Op == Opcode::AsyncStart;
}

/// Callees come before their callers in the text (HloModule::ToString).
void Traffic::countRuns() {
  Scalars All(P);
  Runs.resize(P.module().Computations.size());
  if (P.module().Entry)
    Runs[P.module().Entry.index()] = {1, 1, {}};
  for (size_t C = Runs.size(); C-- != 0;)
    for (HloId Id : P.order(ComputationId(C))) {
      if (Runs[C].Most == 0 || !runsCallees(P[Id].Op))
        continue;
      uint64_t Count = 1;
      HloId Unknown = Runs[C].Unknown;
      if (P[Id].Op == Opcode::While) {
        std::optional<int64_t> Known = statedRounds(All.attributes(Id));
        if (!Known)
          Known = countRounds(All, Id);
        Trips[Id.index()] = Known;
        Count = static_cast<uint64_t>(Known.value_or(1));
        Unknown = Known ? Unknown : Id;
      }
      bool Chooses = P[Id].Op == Opcode::Conditional && P.calls(Id).size() > 1;
      for (const HloCall &Call : P.calls(Id)) {
        RunCount &To = Runs[Call.Callee.index()];
        uint64_t Times = Count + (Call.Role == CallRole::Condition);
        To.Most =
            SaturatingAdd(To.Most, SaturatingMultiply(Runs[C].Most, Times));
        if (!Chooses)
          To.Least =
              SaturatingAdd(To.Least, SaturatingMultiply(Runs[C].Least, Times));
        To.Unknown = Unknown;
      }
    }
}

std::pair<uint64_t, uint64_t> Traffic::bounds(
    function_ref<uint64_t(const InstructionTraffic &)> Count) const {
  std::vector<std::pair<uint64_t, uint64_t>> All(Runs.size());
  for (const InstructionTraffic &Row : Rows) {
    auto &[Least, Most] = All[P[Row.Id].Parent.index()];
    uint64_t Own = Count(Row);
    Least = SaturatingAdd(Least, Own);
    Most = SaturatingAdd(Most, Own);
  }
  for (size_t C = 0; C != All.size(); ++C)
    for (HloId Id : P.order(ComputationId(C))) {
      if (!runsCallees(P[Id].Op) ||
          !Module.schedule().isFlattened(ComputationId(C)))
        continue;
      auto Loop = Trips.find(Id.index());
      uint64_t Times =
          Loop == Trips.end() ? 1 : uint64_t(Loop->second.value_or(1));
      uint64_t Least = P[Id].Op == Opcode::Conditional ? UINT64_MAX : 0;
      uint64_t Most = 0;
      for (const HloCall &Call : P.calls(Id)) {
        auto [Low, High] = All[Call.Callee.index()];
        uint64_t Each = Times + (Call.Role == CallRole::Condition);
        Low = SaturatingMultiply(Low, Each);
        High = SaturatingMultiply(High, Each);
        if (P[Id].Op == Opcode::Conditional) {
          Least = std::min(Least, Low);
          Most = std::max(Most, High);
          continue;
        }
        Least = SaturatingAdd(Least, Low);
        Most = SaturatingAdd(Most, High);
      }
      All[C].first = SaturatingAdd(All[C].first, Least);
      All[C].second = SaturatingAdd(All[C].second, Most);
    }
  ComputationId Entry = P.module().Entry;
  return Entry ? All[Entry.index()] : std::pair<uint64_t, uint64_t>();
}

bool Traffic::samePlace(Part X, Part Y) const {
  const DataflowAnalysis &Flow = Module.flow();
  HloValueId VX = Flow.at(X.Id, X.Ordinal), VY = Flow.at(Y.Id, Y.Ordinal);
  if (!VX || !VY || VX == VY)
    return VX && VX == VY;
  const Dump &D = Module.facts().dump();
  ValueId LX = Module.lineOf(VX), LY = Module.lineOf(VY);
  if (!LX || !LY)
    return Module.aliases().same(VX, VY);
  return D[LX].Owner == D[LY].Owner && D[LX].Offset == D[LY].Offset;
}

uint64_t Traffic::bytes(Part At) const {
  const Dump &D = Module.facts().dump();
  if (HloValueId V = Module.flow().hasLocations(At.Id)
                         ? Module.flow().at(At.Id, At.Ordinal)
                         : HloValueId())
    if (ValueId Line = Module.lineOf(V))
      return D[Line].Size;
  return unpadded(At);
}

uint64_t Traffic::unpadded(Part At) const {
  ShapeId Shape = P.trees().part(P[At.Id].Shape, At.Ordinal);
  return logicalBytes(Module.facts().dump().Shapes, Shape).value_or(0);
}

uint64_t Traffic::leafBytes(Part At) const {
  uint64_t Sum = 0;
  uint32_t Count = P.trees().parts(P.trees().part(P[At.Id].Shape, At.Ordinal));
  for (uint32_t I = At.Ordinal; I != At.Ordinal + Count; ++I)
    if (!P.trees().isTuple(P[At.Id].Shape, I))
      Sum += bytes({At.Id, I});
  return Sum;
}

uint64_t Traffic::operandBytes(HloId Id, uint32_t K) const {
  ArrayRef<HloId> Operands = P.operands(Id);
  return K < Operands.size() && Operands[K] ? leafBytes({Operands[K], 0}) : 0;
}

/// \p Id updates one array.
static bool updatesOne(const Program &P, HloId Id) {
  return isUpdate(P[Id].Op) && P.operands(Id).size() >= 2 &&
         !P.trees().isTuple(P[Id].Shape, 0);
}

/// The last operand of a scatter, the second one of a dynamic-update-slice.
static uint32_t updateOperand(const Program &P, HloId Id) {
  return P[Id].Op == Opcode::DynamicUpdateSlice
             ? 1
             : static_cast<uint32_t>(P.operands(Id).size() - 1);
}

/// The parameter that \p At, inside of a fusion, is but for updates, which
/// \p Visit gets the last one first; invalid where there is no update.
static HloId updatedParameter(const Program &P, Part At,
                              function_ref<void(HloId)> Visit) {
  bool Updated = false;
  for (At = lookThroughLayouts(P, At); At && updatesOne(P, At.Id);
       At = lookThroughLayouts(P, {P.operands(At.Id)[0], 0})) {
    Visit(At.Id);
    Updated = true;
  }
  return Updated && At && P[At.Id].Op == Opcode::Parameter && At.Ordinal == 0
             ? At.Id
             : HloId();
}

SmallVector<PartUpdate, 1> Traffic::updates(HloId Id) const {
  SmallVector<PartUpdate, 1> Out;
  Opcode Op = P[Id].Op;
  auto Add = [&](uint32_t Result, uint32_t Operand) {
    if (Operand < P.operands(Id).size() && P.operands(Id)[Operand])
      Out.push_back({Result, Operand,
                     samePlace({Id, Result}, {P.operands(Id)[Operand], 0})});
  };
  if (updatesOne(P, Id))
    Add(0, 0);
  if (Op != Opcode::Fusion)
    return Out;
  HloId Root = P.root(P.callee(Id, CallRole::Calls));
  for (uint32_t I = 0; Root && I != P.trees().parts(P[Id].Shape); ++I)
    if (!P.trees().isTuple(P[Id].Shape, I))
      if (HloId From = updatedParameter(P, {Root, I}, [](HloId) {}))
        Add(I, P[From].number());
  return Out;
}

static bool haveSameLayout(const Shape &X, const Shape &Y) {
  if (!X.Layout || !Y.Layout)
    return !X.Layout && !Y.Layout;
  return X.Layout->MinorToMajor == Y.Layout->MinorToMajor &&
         X.Layout->Tiles == Y.Layout->Tiles;
}

void Traffic::addCopy(InstructionTraffic &Row, Part To) const {
  HloId Source = P.operands(Row.Id)[0];
  if (samePlace(To, {Source, 0}))
    return;
  Row.Read = Row.Written = bytes({Source, 0});
  const Shape &New = shapeOf(P, To.Id, To.Ordinal);
  const Shape &Old = shapeOf(P, Source, 0);
  Row.Move = New.memorySpace() != Old.memorySpace() ? MoveKind::Space
             : haveSameLayout(New, Old)             ? MoveKind::Copy
                                                    : MoveKind::Layout;
}

void Traffic::addUpdate(InstructionTraffic &Row, bool InPlace) const {
  bool Scatter = P[Row.Id].Op == Opcode::Scatter;
  uint64_t Part = operandBytes(Row.Id, updateOperand(P, Row.Id));
  // A scatter reads what it adds to, and where.
  Row.Read = Scatter ? 2 * Part + operandBytes(Row.Id, 1) : Part;
  Row.Written = Part;
  if (InPlace)
    return;
  Row.Move = MoveKind::Rewrite;
  Row.Written = leafBytes({Row.Id, 0});
  Row.Read += operandBytes(Row.Id, 0);
}

/// A fusion with \p Body ends in a concatenate, but for how it is laid out. TPU
/// has the greatest of padded arrays instead.
static bool endsInConcatenate(const Program &P, ComputationId Body,
                              bool OnlyMoves) {
  Part Root = lookThroughLayouts(P, {P.root(Body), 0});
  if (!Root || P[Root.Id].Op == Opcode::Concatenate)
    return Root && OnlyMoves;
  return isElementwise(P[Root.Id].Op) && P.operands(Root.Id).size() == 2 &&
         llvm::all_of(P.operands(Root.Id), [&](HloId Operand) {
           return Operand && P[Operand].Op == Opcode::Pad;
         });
}

/// The bytes of \p Elements of \p All that take \p Bytes.
static uint64_t shareOf(uint64_t Bytes, uint64_t Elements, uint64_t All) {
  if (All == 0)
    return 0;
  return Bytes % All == 0
             ? Bytes / All * Elements
             : uint64_t(double(Bytes) * double(Elements) / double(All));
}

void Traffic::addFusion(InstructionTraffic &Row) const {
  ComputationId Body = P.callee(Row.Id, CallRole::Calls);
  HloId Root = Body ? P.root(Body) : HloId();
  if (!Root)
    return;
  FusionReads Reads(P, Body);
  SmallVector<PartUpdate, 1> Updates = updates(Row.Id);
  for (uint32_t I = 0; I != P.trees().parts(P[Row.Id].Shape); ++I) {
    if (P.trees().isTuple(P[Row.Id].Shape, I))
      continue;
    uint64_t All = elementsOf(P, {Row.Id, I});
    const auto *Update = llvm::find_if(
        Updates, [&](const PartUpdate &U) { return U.Result == I; });
    if (Update == Updates.end() || !Update->InPlace) {
      Row.Written += bytes({Row.Id, I});
      Reads.need({Root, I}, All);
      if (Update != Updates.end())
        Row.Move = MoveKind::Rewrite;
      continue;
    }
    uint64_t Changed = 0;
    updatedParameter(P, {Root, I}, [&](HloId Id) {
      Changed += elementsOf(P, {P.operands(Id)[updateOperand(P, Id)], 0});
      for (HloId Each : P.operands(Id).drop_front())
        Reads.need({Each, 0}, elementsOf(P, {Each, 0}));
    });
    Row.Written += shareOf(bytes({Row.Id, I}), std::min(Changed, All), All);
  }
  uint64_t Largest = 0;
  for (const FusionReads::Need &N : Reads.parameters()) {
    if (N.Parameter >= P.operands(Row.Id).size() ||
        !P.operands(Row.Id)[N.Parameter])
      continue;
    Part From{P.operands(Row.Id)[N.Parameter], N.Ordinal};
    uint64_t Bytes = shareOf(bytes(From), N.Elements, elementsOf(P, From));
    Row.Read += Bytes;
    Largest = std::max(Largest, Bytes);
  }
  // What is mostly filled is not put together.
  if (Row.Move != MoveKind::None || 2 * Largest < Row.Written)
    return;
  bool OnlyMoves = Reads.onlyMoves();
  Part Copied = lookThrough(P, {Root, 0});
  if (endsInConcatenate(P, Body, OnlyMoves))
    Row.Move = MoveKind::Concatenate;
  else if (OnlyMoves && Copied && copiedPart(P, Copied.Id) &&
           !haveSameLayout(shapeOf(P, Copied.Id, 0),
                           shapeOf(P, P.operands(Copied.Id)[0], 0)))
    Row.Move = MoveKind::Layout;
}

void Traffic::addRow(HloId Id) {
  Opcode Op = P[Id].Op;
  // Of what is called each instruction counts, and a done only waits.
  if (P.slot(Id) == Program::NoSlot || accessesNoMemory(Op) || isGiven(Op) ||
      isSynchronousCall(Op) || endedBy(Op) ||
      (isAsync(Op) && !P.calls(Id).empty()))
    return;
  InstructionTraffic Row{{}, Id};
  SmallVector<PartUpdate, 1> Updates = updates(Id);
  if (Part Copied = copiedPart(P, Id)) {
    addCopy(Row, Copied);
  } else if (Op == Opcode::Fusion) {
    addFusion(Row);
  } else if (!Updates.empty()) {
    addUpdate(Row, Updates[0].InPlace);
  } else {
    Row.Written = leafBytes({Id, 0});
    bool Slices = Op == Opcode::Slice || Op == Opcode::DynamicSlice ||
                  Op == Opcode::Gather;
    Row.Read = Slices ? Row.Written : 0;
    for (uint32_t K = Slices; K < P.operands(Id).size(); ++K)
      Row.Read += operandBytes(Id, K);
    if (Op == Opcode::Concatenate)
      Row.Move = MoveKind::Concatenate;
  }
  Rows.push_back(Row);
  RowOf[P.slot(Id)] = static_cast<uint32_t>(Rows.size());
}
