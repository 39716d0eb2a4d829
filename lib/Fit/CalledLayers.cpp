// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In a program without scans all layers are in one computation. A call of a
// function begins and ends where the fewest bytes of the forward pass are
// still to be read by it: all else of a layer is read inside of it.

#include "Fit/Layers.h"
#include "Memory/MemoryTree.h"
#include "Support/Format.h"
#include <map>
#include <numeric>
#include <set>

using namespace hlobuf;
using llvm::StringRef;

namespace {
/// The forward pass of the entry computation.
class CallFinder {
public:
  explicit CallFinder(const FitContext &Ctx);

  CalledLayers find();

private:
  struct Kept {
    Residual R;
    int32_t Step = 0;
    int32_t LastForward = 0;
    std::vector<std::string> Functions;
  };
  /// A call of a function begins at a product of matrices or a convolution.
  struct Marker {
    int32_t Step = 0;
    /// `block_1`, where each call has a scope of its own in op_name.
    std::string Scope;
  };
  void findCrossing();
  void findKept();
  void addKept(HloId Id, HloValueId V, uint32_t Ordinal);
  std::vector<HloId> productsOf(const std::string &Function) const;
  std::map<std::string, std::vector<Marker>>
  productsByLine(const std::string &Function) const;
  std::vector<Marker> markersByScope(const std::string &Function) const;
  std::vector<Marker> findMarkers(const std::string &Function) const;
  std::vector<int32_t> findBounds(const std::string &Function,
                                  llvm::ArrayRef<Marker> Markers) const;
  int32_t narrowest(int32_t From, int32_t To) const;
  Layer makeLayer(const std::string &Function) const;
  LayerCall makeCall(const std::string &Function, int32_t From,
                     int32_t To) const;
  const std::vector<std::string> &functionsOf(HloId Id) const {
    return Functions[Id.index()];
  }
  std::map<std::string, uint64_t> bytesByFunction() const;
  std::set<std::string>
  findWhole(const std::map<std::string, uint64_t> &Bytes) const;
  std::string whyNone(const std::set<std::string> &Whole) const;

  const FitContext &Ctx;
  /// Instructions of the forward pass, in schedule order.
  std::vector<HloId> Order;
  /// The same of the backward pass.
  std::vector<HloId> Backward;
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
    if (Step >= Ctx.turn())
      Backward.push_back(Id);
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
    Ctx.forEachDefined(Id, [&](HloValueId V, uint32_t) {
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
      Ctx.forEachDefined(
          Id, [&](HloValueId V, uint32_t Ordinal) { addKept(Id, V, Ordinal); });
}

void CallFinder::addKept(HloId Id, HloValueId V, uint32_t Ordinal) {
  const FitBuffer *B = Ctx.buffer(V);
  if (!B || B->Bytes < std::max(MinWaste, Ctx.Main.Peak / ResidualShare))
    return;
  Kept K;
  K.Step = Ctx.step(Id);
  K.LastForward = std::max(K.Step, lastReadBefore(Ctx, V, Ctx.turn()));
  K.R = makeResidual(Ctx, Id, Ordinal, *B);
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

/// Products of matrices and convolutions of the forward pass.
std::vector<HloId> CallFinder::productsOf(const std::string &Function) const {
  std::vector<HloId> Products;
  for (HloId Id : Order)
    if (Ctx.Operations[Id] != 0 && Ctx.pass(Id) == Pass::Forward &&
        llvm::is_contained(functionsOf(Id), Function) &&
        Ctx.P.spell(Id).find(".remat") == std::string::npos)
      Products.push_back(Id);
  return Products;
}

/// `block` of `block_12`.
static std::string withoutNumber(StringRef Scope) {
  return Scope.rtrim("0123456789").rtrim('_').str();
}

/// Only Keras calls layers so; the tables of the module begin with the files.
static bool isKerasCall(const FitContext &Ctx, StringRef Function) {
  StringRef Tables = Ctx.D.file(FileRole::Module).Text;
  Tables = Tables.take_front(Tables.find("\nFunctionNames\n"));
  return Function.ends_with(".call") &&
         Tables.contains("/keras/src/layers/layer.py\"");
}

/// Layers of Keras have names of their own, `block`, `block_1`, so that op_name
/// has each call in another scope: the first scopes that differ, if only by
/// their numbers.
std::vector<CallFinder::Marker>
CallFinder::markersByScope(const std::string &Function) const {
  if (!isKerasCall(Ctx, Function))
    return {};
  std::vector<HloId> Products = productsOf(Function);
  std::vector<Marker> Markers;
  std::set<std::string> Names;
  for (size_t Level = 0; Names.size() < 2; ++Level) {
    Markers.clear();
    Names.clear();
    for (HloId Id : Products) {
      std::vector<std::string> Scopes = splitScopes(Ctx.opName(Id));
      if (Level + 1 >= Scopes.size())
        continue;
      StringRef Scope = Scopes[Level];
      Scope.consume_front("jvp(");
      Scope = Scope.rtrim(')');
      if (Names.insert(Scope.str()).second)
        Markers.push_back({Ctx.step(Id), Scope.str()});
    }
    if (Markers.empty())
      return {};
  }
  bool Numbered = llvm::all_of(Markers, [&](const Marker &M) {
    return withoutNumber(M.Scope) == withoutNumber(Markers.front().Scope);
  });
  return Numbered ? Markers : std::vector<Marker>();
}

/// Steps of the products of \p Function, in their order, by the operation that
/// each call has once: by the lines that lead to it inside of the function, and
/// its op_name.
std::map<std::string, std::vector<CallFinder::Marker>>
CallFinder::productsByLine(const std::string &Function) const {
  std::map<std::string, std::vector<Marker>> Same;
  for (HloId Id : productsOf(Function)) {
    std::string Key = Ctx.opName(Id);
    for (const SourceFrame &F : Ctx.frames(Id)) {
      Key += " " + F.File + ":" + std::to_string(F.Line);
      if (F.Function == Function)
        break;
    }
    Same[Key].push_back({Ctx.step(Id), ""});
  }
  return Same;
}

/// One operation of \p Function that each call has once: of its products, as
/// often as most of them are there.
std::vector<CallFinder::Marker>
CallFinder::findMarkers(const std::string &Function) const {
  std::vector<Marker> ByScope = markersByScope(Function);
  if (!ByScope.empty())
    return ByScope;
  auto Same = productsByLine(Function);
  std::map<size_t, size_t> Votes;
  for (const auto &[Key, Marked] : Same)
    Votes[Marked.size()] += Marked.size();
  size_t Count = 0;
  for (auto [Number, Sum] : Votes)
    if (Count == 0 || Sum > Votes[Count])
      Count = Number;
  std::vector<Marker> First;
  for (const auto &[Key, Marked] : Same)
    if (Marked.size() == Count &&
        (First.empty() || Marked.front().Step < First.front().Step))
      First = Marked;
  return First;
}

/// The last of the steps [From, To) after which the fewest bytes are still
/// read.
int32_t CallFinder::narrowest(int32_t From, int32_t To) const {
  int32_t Best = From;
  for (int32_t Step = From; Step < To; ++Step)
    if (Crossing[static_cast<size_t>(Step)] <=
        Crossing[static_cast<size_t>(Best)])
      Best = Step;
  return Best;
}

/// Calls of \p Function are the steps (B[i], B[i+1]].
std::vector<int32_t>
CallFinder::findBounds(const std::string &Function,
                       llvm::ArrayRef<Marker> Markers) const {
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
    Bounds.push_back(narrowest(Markers[I - 1].Step, Markers[I].Step));
  Bounds.push_back(Last);
  return Bounds;
}

/// The step before the backward pass of a call, which has the residuals \p All.
/// Few bytes may be read long before the others: a mask that calls share.
static int32_t findAnchor(llvm::ArrayRef<Residual> All) {
  std::vector<std::pair<int32_t, uint64_t>> Reads;
  uint64_t Sum = 0;
  for (const Residual &R : All) {
    Reads.push_back({R.FirstRead, R.Bytes});
    Sum += R.Bytes;
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
  for (const Kept &K : All) {
    if (K.Step <= From || K.Step > To || K.LastForward > To ||
        !llvm::is_contained(K.Functions, Function))
      continue;
    Call.Residuals.push_back(K.R);
  }
  Call.Anchor = findAnchor(Call.Residuals);
  return Call;
}

Layer CallFinder::makeLayer(const std::string &Function) const {
  Layer L;
  L.Function = Function;
  std::vector<Marker> Markers = findMarkers(Function);
  std::vector<int32_t> Bounds = findBounds(Function, Markers);
  for (size_t I = 1; I < Bounds.size(); ++I)
    if (LayerCall Call = makeCall(Function, Bounds[I - 1], Bounds[I]);
        !Call.Residuals.empty())
      L.Calls.push_back(std::move(Call));
  L.Count = L.Calls.size();
  llvm::DenseSet<uint32_t> Missing;
  for (const LayerCall &Call : L.Calls)
    for (const Residual &R : Call.Residuals)
      Missing.insert(R.Definition.index());
  // The scheduler of TPU looks for the least memory, that of GPU for latency.
  for (LayerCall &Call : L.Calls)
    if (Ctx.DumpFacts.isTPU())
      Call.Earlier = findEarlierWork(Ctx, Call, Backward, Missing);
  for (const LayerCall &Call : L.Calls)
    for (const SourceFrame &F : Ctx.frames(Call.Residuals[0].Definition))
      if (F.Function == Function)
        L.Source = F.File + ":" + std::to_string(F.Line);
  for (const Marker &M : Markers)
    if (!M.Scope.empty())
      L.KerasLayers.push_back(M.Scope);
  // Keras keeps nothing of such a layer by name.
  if (L.KerasLayers.empty())
    groupResiduals(Ctx, L);
  return L;
}

std::map<std::string, uint64_t> CallFinder::bytesByFunction() const {
  std::map<std::string, uint64_t> Bytes;
  for (const Kept &K : All)
    for (const std::string &Function :
         std::set(K.Functions.begin(), K.Functions.end()))
      Bytes[Function] += K.R.Bytes;
  return Bytes;
}

/// Functions that are the whole program, or nearly all of it, which would only
/// be computed twice: they keep nearly all. Layers of Keras may, where no other
/// one that they call does: those are known to be more than one.
std::set<std::string>
CallFinder::findWhole(const std::map<std::string, uint64_t> &Bytes) const {
  uint64_t Most = 0;
  for (const auto &[Function, Sum] : Bytes)
    Most = std::max(Most, Sum);
  std::set<std::string> Whole;
  std::set<std::string> Repeated;
  for (const auto &[Function, Sum] : Bytes)
    if (Sum > Most - Most / 50)
      (markersByScope(Function).empty() ? Whole : Repeated).insert(Function);
  for (const Kept &K : All) {
    const std::string *Innermost = nullptr;
    for (const std::string &Function : K.Functions) {
      if (Repeated.count(Function) == 0)
        continue;
      if (!Innermost)
        Innermost = &Function;
      if (Function != *Innermost)
        Whole.insert(Function);
    }
  }
  return Whole;
}

/// Where functions \p Whole are the whole program, and no other one is found.
std::string CallFinder::whyNone(const std::set<std::string> &Whole) const {
  std::string Share =
      std::to_string(100 / WasteShare) + "% of the peak for the backward pass";
  for (const Kept &K : All)
    for (const std::string &Function : K.Functions)
      if (Whole.count(Function) != 0)
        return fmt::format(
            "{} keeps nearly all that the backward pass reads, and is taken "
            "for the whole program; no function inside of it keeps {}",
            Function, Share);
  return "no function of the program keeps " + Share;
}

CalledLayers CallFinder::find() {
  std::map<std::string, uint64_t> Bytes = bytesByFunction();
  std::set<std::string> Whole = findWhole(Bytes);
  CalledLayers Called;
  for (const auto &[Function, Sum] : Bytes) {
    if (Sum < Ctx.Main.Peak / WasteShare || Whole.count(Function) != 0)
      continue;
    Layer L = makeLayer(Function);
    bool Known = L.KerasLayers.empty() || Ctx.DumpFacts.isTPU();
    if (L.hasResiduals() && Known)
      Called.Layers.push_back(std::move(L));
    else if (!Known)
      Called.WhyNone = Function +
                       " can be, in a keras.RematScope, but what that "
                       "takes is predicted well for TPU only";
    else
      Called.WhyNone =
          "no product of matrices or convolution shows where calls "
          "of " +
          Function + " begin and end";
  }
  llvm::stable_sort(Called.Layers, [](const Layer &X, const Layer &Y) {
    return X.keptBytes() > Y.keptBytes();
  });
  if (!Called.Layers.empty())
    Called.WhyNone.clear();
  else if (Called.WhyNone.empty())
    Called.WhyNone = whyNone(Whole);
  return Called;
}

CalledLayers hlobuf::findCalledLayers(const FitContext &Ctx) {
  return CallFinder(Ctx).find();
}
