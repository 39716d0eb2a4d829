// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In a program without scans all layers are in one computation. A call of a
// function begins and ends where the fewest bytes of the forward pass are
// still to be read by it: all else of a layer is read inside of it.

#include "Fit/Layers.h"
#include "Memory/Waste.h"
#include <map>
#include <numeric>
#include <set>

using namespace hlobuf;

namespace {
/// The forward pass of the entry computation.
class CallFinder {
public:
  explicit CallFinder(const FitContext &Ctx);

  std::vector<Layer> find();

private:
  struct Kept {
    Residual R;
    int32_t Step = 0;
    int32_t LastForward = 0;
    std::vector<std::string> Functions;
  };
  void findCrossing();
  void findKept();
  void addKept(HloId Id, HloValueId V);
  std::map<std::string, std::vector<int32_t>>
  productsByLine(const std::string &Function) const;
  std::vector<int32_t> findMarkers(const std::string &Function) const;
  std::vector<int32_t> findBounds(const std::string &Function) const;
  int32_t narrowest(int32_t From, int32_t To) const;
  Layer makeLayer(const std::string &Function) const;
  LayerCall makeCall(const std::string &Function, int32_t From,
                     int32_t To) const;
  const std::vector<std::string> &functionsOf(HloId Id) const {
    return Functions[Id.index()];
  }
  std::map<std::string, uint64_t> bytesByFunction() const;

  const FitContext &Ctx;
  /// Instructions of the forward pass, in schedule order.
  std::vector<HloId> Order;
  /// By instruction: the functions that it is in, the innermost first.
  std::vector<std::vector<std::string>> Functions;
  /// By step: bytes that the forward pass has computed and still reads.
  std::vector<int64_t> Crossing;
  std::vector<Kept> All;
};
} // namespace

/// Smaller ones do not decide what fits: this part of the peak.
static constexpr uint64_t ResidualShare = 20000;

CallFinder::CallFinder(const FitContext &Ctx)
    : Ctx(Ctx), Functions(Ctx.P.size()),
      Crossing(static_cast<size_t>(Ctx.Memory.steps()) + 2) {
  for (HloId Id : Ctx.order(Ctx.P.module().Entry)) {
    int32_t Step = Ctx.step(Id);
    if (Step < 0 || Step >= Ctx.turn())
      continue;
    Order.push_back(Id);
    for (const SourceFrame &F : Ctx.frames(Id))
      if (!F.Function.empty() && F.Function != "<module>")
        Functions[Id.index()].push_back(F.Function);
  }
  findCrossing();
  findKept();
}

/// The last step below \p Turn that reads \p V; -1 if none does.
static int32_t lastReadBefore(const FitContext &Ctx, HloValueId V,
                              int32_t Turn) {
  int32_t Last = -1;
  for (auto [Step, User] : Ctx.readers(V))
    if (Step < Turn)
      Last = std::max(Last, Step);
  return Last;
}

void CallFinder::findCrossing() {
  for (HloId Id : Order) {
    if (Ctx.pass(Id) != Pass::Forward || Ctx.P[Id].Op == Opcode::Parameter)
      continue;
    Ctx.forEachDefined(Id, [&](HloValueId V) {
      ValueId Line = Ctx.Module.lineOf(V);
      int32_t Last = Line ? lastReadBefore(Ctx, V, Ctx.turn()) : -1;
      if (Last <= Ctx.step(Id))
        return;
      auto Bytes = static_cast<int64_t>(Ctx.D[Line].Size);
      Crossing[static_cast<size_t>(Ctx.step(Id))] += Bytes;
      Crossing[static_cast<size_t>(Last)] -= Bytes;
    });
  }
  std::partial_sum(Crossing.begin(), Crossing.end(), Crossing.begin());
}

void CallFinder::findKept() {
  for (HloId Id : Order)
    if (Ctx.pass(Id) == Pass::Forward && Ctx.P[Id].Op != Opcode::While)
      Ctx.forEachDefined(Id, [&](HloValueId V) { addKept(Id, V); });
}

void CallFinder::addKept(HloId Id, HloValueId V) {
  const FitBuffer *B = Ctx.buffer(V);
  if (!B || B->Bytes < std::max(MinWaste, Ctx.Main.Peak / ResidualShare))
    return;
  Kept K;
  K.Step = Ctx.step(Id);
  K.LastForward = std::max(K.Step, lastReadBefore(Ctx, V, Ctx.turn()));
  K.R.Definition = Id;
  K.R.Bytes = B->split();
  K.R.FirstRead = Ctx.Memory.steps();
  for (auto [Step, User] : Ctx.readers(V)) {
    if (Step < Ctx.turn() || accessesNoMemory(Ctx.P[User].Op))
      continue;
    K.R.FirstRead = std::min(K.R.FirstRead, Step);
    K.R.LastRead = std::max(K.R.LastRead, Step);
  }
  if (K.R.LastRead < 0)
    return;
  K.R.Freed.push_back({{K.LastForward + 1, K.R.LastRead}, -B->split()});
  K.Functions = functionsOf(Id);
  All.push_back(std::move(K));
}

/// Steps of the products of the forward pass of \p Function, in their order, by
/// the operation that each call has once: by the lines that lead to it inside
/// of the function, and its op_name.
std::map<std::string, std::vector<int32_t>>
CallFinder::productsByLine(const std::string &Function) const {
  std::map<std::string, std::vector<int32_t>> Same;
  for (HloId Id : Order) {
    if (Ctx.products(Id) == 0 || Ctx.pass(Id) != Pass::Forward ||
        !llvm::is_contained(functionsOf(Id), Function) ||
        Ctx.P.spell(Id).find(".remat") != std::string::npos)
      continue;
    std::string Key = Ctx.opName(Id);
    for (const SourceFrame &F : Ctx.frames(Id)) {
      Key += " " + F.File + ":" + std::to_string(F.Line);
      if (F.Function == Function)
        break;
    }
    Same[Key].push_back(Ctx.step(Id));
  }
  return Same;
}

/// The steps of one operation of \p Function that each call has once: of its
/// products, as often as most of them are there.
std::vector<int32_t>
CallFinder::findMarkers(const std::string &Function) const {
  auto Same = productsByLine(Function);
  std::map<size_t, size_t> Votes;
  for (const auto &[Key, Steps] : Same)
    Votes[Steps.size()] += Steps.size();
  size_t Count = 0;
  for (auto [Number, Sum] : Votes)
    if (Count == 0 || Sum > Votes[Count])
      Count = Number;
  std::vector<int32_t> First;
  for (const auto &[Key, Steps] : Same)
    if (Steps.size() == Count && (First.empty() || Steps[0] < First[0]))
      First = Steps;
  return First;
}

/// The last of the steps [From, To) after which the fewest bytes are still
/// read.
int32_t CallFinder::narrowest(int32_t From, int32_t To) const {
  int32_t Best = From;
  for (int32_t Step = From; Step < To; ++Step)
    if (Crossing[size_t(Step)] <= Crossing[size_t(Best)])
      Best = Step;
  return Best;
}

/// Calls of \p Function are the steps (B[i], B[i+1]].
std::vector<int32_t> CallFinder::findBounds(const std::string &Function) const {
  std::vector<int32_t> Markers = findMarkers(Function);
  if (Markers.empty())
    return {};
  int32_t First = Ctx.turn();
  int32_t Last = 0;
  for (HloId Id : Order) {
    if (!llvm::is_contained(functionsOf(Id), Function) ||
        Ctx.pass(Id) != Pass::Forward)
      continue;
    First = std::min(First, Ctx.step(Id));
    Last = std::max(Last, Ctx.step(Id));
  }
  std::vector<int32_t> Bounds = {First - 1};
  for (size_t I = 1; I != Markers.size(); ++I)
    Bounds.push_back(narrowest(Markers[I - 1], Markers[I]));
  Bounds.push_back(Last);
  return Bounds;
}

/// The step before the backward pass of a call, which has the residuals \p All.
/// Few bytes may be read long before the others: a mask that calls share.
static int32_t findAnchor(ArrayRef<Residual> All) {
  std::vector<std::pair<int32_t, uint64_t>> Reads;
  uint64_t Sum = 0;
  for (const Residual &R : All) {
    Reads.push_back({R.FirstRead, static_cast<uint64_t>(R.Bytes.total())});
    Sum += Reads.back().second;
  }
  llvm::sort(Reads);
  uint64_t Read = 0;
  for (auto [Step, Bytes] : Reads) {
    Read += Bytes;
    if (Read * 10 >= Sum)
      return Step - 1;
  }
  return -1;
}

LayerCall CallFinder::makeCall(const std::string &Function, int32_t From,
                               int32_t To) const {
  LayerCall Call;
  for (HloId Id : Order)
    if (Ctx.step(Id) > From && Ctx.step(Id) <= To)
      Call.Order.push_back(Id);
  for (const Kept &K : All)
    if (K.Step > From && K.Step <= To && K.LastForward <= To &&
        llvm::is_contained(K.Functions, Function))
      Call.Residuals.push_back(K.R);
  Call.Anchor = findAnchor(Call.Residuals);
  return Call;
}

Layer CallFinder::makeLayer(const std::string &Function) const {
  Layer L;
  L.Function = Function;
  std::vector<int32_t> Bounds = findBounds(Function);
  for (size_t I = 1; I < Bounds.size(); ++I)
    if (LayerCall Call = makeCall(Function, Bounds[I - 1], Bounds[I]);
        !Call.Residuals.empty())
      L.Calls.push_back(std::move(Call));
  L.Count = L.Calls.size();
  for (const LayerCall &Call : L.Calls)
    for (const SourceFrame &F : Ctx.frames(Call.Residuals[0].Definition))
      if (F.Function == Function)
        L.Source = F.File + ":" + std::to_string(F.Line);
  return L;
}

std::map<std::string, uint64_t> CallFinder::bytesByFunction() const {
  std::map<std::string, uint64_t> Bytes;
  for (const Kept &K : All)
    for (const std::string &Function :
         std::set(K.Functions.begin(), K.Functions.end()))
      Bytes[Function] += static_cast<uint64_t>(K.R.Bytes.total());
  return Bytes;
}

std::vector<Layer> CallFinder::find() {
  std::map<std::string, uint64_t> Bytes = bytesByFunction();
  uint64_t Most = largestOf(llvm::make_second_range(Bytes), std::identity());
  std::vector<Layer> Layers;
  for (const auto &[Function, Sum] : Bytes) {
    // What keeps nearly all is the whole program, which would only be computed
    // twice.
    if (Sum < Ctx.Main.Peak / WasteShare || Sum > Most - Most / 50)
      continue;
    if (Layer L = makeLayer(Function); L.keptBytes() != 0)
      Layers.push_back(std::move(L));
  }
  std::ranges::stable_sort(Layers, std::greater(), &Layer::keptBytes);
  return Layers;
}

std::vector<Layer> hlobuf::findCalledLayers(const FitContext &Ctx) {
  return CallFinder(Ctx).find();
}
