// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In a program without scans all layers are in one computation. Modules of flax
// linen and Keras put the name of each call into op_name; other calls of a
// function begin and end where the fewest bytes of the forward pass are still
// to be read by it: all else of a layer is read inside of it.

#include "Fit/Layers.h"
#include "Memory/Waste.h"
#include "Support/Format.h"
#include "llvm/ADT/StringExtras.h"
#include <map>
#include <numeric>

using namespace hlobuf;

namespace {
/// The forward pass of the entry computation.
class CallFinder {
public:
  explicit CallFinder(const FitContext &Ctx);

  std::vector<Layer> find();

private:
  /// An instruction and where it is.
  struct Operation {
    HloId Id;
    int32_t Step = 0;
    bool IsProduct = false;
    /// The calls that lead to it, the innermost first.
    std::vector<SourceFrame> Calls;
    /// Where it is in the modules of a library of layers: `jit(f)/net/block_3`.
    std::string Scope;
  };
  /// A value that the backward pass reads.
  struct Kept {
    Residual R;
    size_t Number = 0;
    /// Numbers of operations of the forward pass that read it.
    std::vector<size_t> Readers;
  };
  /// By number of an operation: its call of a function, from 0.
  using CallNumbers = std::vector<std::optional<size_t>>;

  void addKept(size_t Number, HloValueId V);
  const SourceFrame *callOf(size_t Number, StringRef Function) const;
  std::string lineIn(size_t Number, StringRef Function) const;
  CallNumbers numberByScope(StringRef Function,
                            std::vector<std::string> &Modules) const;
  std::vector<size_t> findMarkers(StringRef Function) const;
  bool isRepeated(StringRef Function, ArrayRef<size_t> Markers) const;
  std::vector<uint64_t> bytesInUse() const;
  std::vector<size_t> findLevels(ArrayRef<size_t> Markers) const;
  CallNumbers numberByMarkers(StringRef Function) const;
  void addLayer(StringRef Function, std::vector<Layer> &Layers) const;

  const FitContext &Ctx;
  /// In schedule order.
  std::vector<Operation> Forward;
  DenseMap<uint32_t, size_t> NumberOf;
  std::vector<Kept> All;
  std::vector<uint64_t> InUse;
};
} // namespace

/// Smaller ones do not decide what fits: this part of the peak.
static constexpr uint64_t ResidualShare = 20000;

/// The modules in \p OpName, the outermost first: `ViT/Block_3` of
/// `jit(step)/jvp(ViT)/Block_3/checkpoint/dot_general`.
static std::string scopeOf(StringRef OpName) {
  std::string Scope;
  for (StringRef Rest = OpName.rsplit('/').first; !Rest.empty();) {
    auto [Part, After] = Rest.split('/');
    Rest = After;
    if (Part.starts_with("jit(") || Part == "checkpoint" ||
        Part == "rematted_computation")
      continue;
    Part.consume_front("jvp(");
    Part.consume_back(")");
    if (!Part.empty() && llvm::all_of(Part, [](char C) {
          return llvm::isAlnum(C) || C == '_' || C == '.';
        }))
      Scope += (Scope.empty() ? "" : "/") + Part.str();
  }
  return Scope;
}

CallFinder::CallFinder(const FitContext &Ctx) : Ctx(Ctx) {
  for (HloId Id : Ctx.order(Ctx.P.module().Entry)) {
    int32_t Step = Ctx.step(Id);
    if (Step < 0 || Step >= Ctx.turn() || Ctx.pass(Id) != Pass::Forward)
      continue;
    bool Again = Ctx.P.spell(Id).find(".remat") != std::string::npos;
    NumberOf[Id.index()] = Forward.size();
    Forward.push_back({Id, Step, !Again && Ctx.products(Id) != 0, Ctx.calls(Id),
                       scopeOf(Ctx.opName(Id))});
  }
  InUse = bytesInUse();
  for (size_t I = 0; I != Forward.size(); ++I)
    if (Ctx.P[Forward[I].Id].Op != Opcode::While)
      Ctx.forEachDefined(Forward[I].Id, [&](HloValueId V) { addKept(I, V); });
}

void CallFinder::addKept(size_t Number, HloValueId V) {
  const FitBuffer *B = Ctx.buffer(V);
  if (!B || B->Bytes < std::max(MinWaste, Ctx.Main.Peak / ResidualShare))
    return;
  Kept K;
  K.Number = Number;
  K.R.Value = V;
  K.R.Bytes = B->split();
  K.R.FirstRead = Ctx.Memory.steps();
  int32_t LastForward = Forward[Number].Step;
  for (auto [Step, User] : Ctx.readers(V)) {
    if (auto Entry = NumberOf.find(User.index()); Entry != NumberOf.end())
      K.Readers.push_back(Entry->second);
    if (Step < Ctx.turn())
      LastForward = std::max(LastForward, Step);
    if (Step < Ctx.turn() || accessesNoMemory(Ctx.P[User].Op))
      continue;
    K.R.FirstRead = std::min(K.R.FirstRead, Step);
    K.R.LastRead = std::max(K.R.LastRead, Step);
  }
  if (K.R.LastRead < 0)
    return;
  K.R.Freed.push_back({{LastForward + 1, K.R.LastRead}, -B->split()});
  All.push_back(std::move(K));
}

/// The innermost call of the user's \p Function that leads to an operation;
/// null if none does.
const SourceFrame *CallFinder::callOf(size_t Number, StringRef Function) const {
  const auto &Calls = Forward[Number].Calls;
  auto Found = llvm::find_if(Calls, [&](const SourceFrame &F) {
    return F.Owner == FileOwner::User && F.Function == Function;
  });
  return Found == Calls.end() ? nullptr : &*Found;
}

/// The operation, and the lines from \p Function to it, but not the numbers of
/// modules.
std::string CallFinder::lineIn(size_t Number, StringRef Function) const {
  std::string Lines;
  for (char C : Ctx.opName(Forward[Number].Id))
    if (!llvm::isDigit(C))
      Lines += C;
  const SourceFrame *Last = callOf(Number, Function);
  for (const SourceFrame *F = Forward[Number].Calls.data(); F <= Last; ++F)
    Lines += fmt::format(" {}:{}:{}", F->File, F->Line, F->Column);
  return Lines;
}

/// A call is all that has one scope, the outermost in which nothing else is.
/// Nothing where operations of \p Function are in no such scope.
CallFinder::CallNumbers
CallFinder::numberByScope(StringRef Function,
                          std::vector<std::string> &Modules) const {
  std::map<std::string, size_t> Others;
  auto ForEachScope = [&](size_t I,
                          function_ref<bool(const std::string &)> Visit) {
    const std::string &Scope = Forward[I].Scope;
    for (size_t End = 0; !Scope.empty() && End != std::string::npos;) {
      End = Scope.find('/', End + 1);
      if (!Visit(Scope.substr(0, End)))
        return;
    }
  };
  for (size_t I = 0; I != Forward.size(); ++I)
    if (!callOf(I, Function))
      ForEachScope(I, [&](const std::string &S) { return ++Others[S] != 0; });
  CallNumbers Numbers(Forward.size());
  std::map<std::string, size_t> Known;
  for (size_t I = 0; I != Forward.size(); ++I) {
    if (!callOf(I, Function))
      continue;
    ForEachScope(I, [&](const std::string &S) {
      if (Others.count(S))
        return true;
      Numbers[I] = Known.try_emplace(S, Known.size()).first->second;
      return false;
    });
    if (!Numbers[I] && Forward[I].IsProduct)
      return {};
  }
  Modules.resize(Known.size());
  for (const auto &[Scope, Number] : Known)
    Modules[Number] = Scope.substr(Scope.rfind('/') + 1);
  return Known.size() > 1 ? Numbers : CallNumbers();
}

/// Products that each call of \p Function has once: as often as at least two
/// lines have them, or the fewest if no two agree. Lines that a compiler has
/// moved or joined have fewer.
std::vector<size_t> CallFinder::findMarkers(StringRef Function) const {
  std::map<std::string, std::vector<size_t>> Same;
  for (size_t I = 0; I != Forward.size(); ++I)
    if (Forward[I].IsProduct && callOf(I, Function))
      Same[lineIn(I, Function)].push_back(I);
  std::map<size_t, size_t> Lines;
  for (const auto &[Line, Numbers] : Same)
    ++Lines[Numbers.size()];
  size_t Count = 0;
  for (auto [Number, Sum] : Lines)
    if (Count == 0 || Sum > 1)
      Count = Number;
  // What does not depend on the call before may be computed at any time.
  std::vector<size_t> Widest;
  auto Span = [](ArrayRef<size_t> Numbers) {
    return Numbers.empty() ? 0 : Numbers.back() - Numbers.front() + 1;
  };
  for (const auto &[Line, Numbers] : Same)
    if (Numbers.size() == Count && Span(Numbers) > Span(Widest))
      Widest = Numbers;
  return Widest;
}

/// \p Function itself is called for each of \p Markers: it does something else
/// between them, and nothing only once. Otherwise it has a loop of calls.
bool CallFinder::isRepeated(StringRef Function,
                            ArrayRef<size_t> Markers) const {
  auto Inner = [&](size_t I) {
    const SourceFrame *F = callOf(I, Function);
    return std::tuple(F->Line, F->Column,
                      F == Forward[I].Calls.data() ? std::string()
                                                   : F[-1].Function);
  };
  std::map<std::string, size_t> Times;
  bool Between = std::get<2>(Inner(Markers[0])).empty();
  for (size_t I = 0; I != Forward.size(); ++I) {
    if (!Forward[I].IsProduct || !callOf(I, Function))
      continue;
    ++Times[lineIn(I, Function)];
    Between |= I > Markers.front() && I < Markers.back() &&
               Inner(I) != Inner(Markers[0]);
  }
  return Between &&
         (Markers.size() < 3 ||
          llvm::none_of(Times, [](const auto &T) { return T.second == 1; }));
}

/// By step: bytes that the forward pass has computed and still reads.
std::vector<uint64_t> CallFinder::bytesInUse() const {
  std::vector<uint64_t> Bytes(static_cast<size_t>(Ctx.turn()) + 2);
  for (const Operation &Op : Forward)
    Ctx.forEachDefined(Op.Id, [&](HloValueId V) {
      int32_t Last = Op.Step;
      for (auto [Step, User] : Ctx.readers(V))
        if (Step < Ctx.turn())
          Last = std::max(Last, Step);
      if (ValueId Line = Ctx.Module.lineOf(V); Line && Last > Op.Step)
        addChange(Bytes, {Op.Step, Last - 1}, Ctx.D[Line].Size);
    });
  std::partial_sum(Bytes.begin(), Bytes.end(), Bytes.begin());
  return Bytes;
}

/// By number: how many of \p Markers it is computed of.
std::vector<size_t> CallFinder::findLevels(ArrayRef<size_t> Markers) const {
  std::vector<size_t> Levels(Forward.size());
  for (size_t I = 0; I != Markers.size(); ++I)
    Levels[Markers[I]] = I + 1;
  for (size_t I = 0; I != Forward.size(); ++I)
    for (HloId Operand : Ctx.P.operands(Forward[I].Id))
      Ctx.forEachPart(Operand, [&](HloValueId V) {
        auto Known = NumberOf.find(Ctx.Flow[V].Definition.index());
        if (Known != NumberOf.end())
          Levels[I] = std::max(Levels[I], Levels[Known->second]);
      });
  return Levels;
}

/// What only the backward pass reads may be computed long after its call: it is
/// of the last one that it is computed of.
CallFinder::CallNumbers CallFinder::numberByMarkers(StringRef Function) const {
  std::vector<size_t> Markers = findMarkers(Function);
  if (Markers.empty() || (Markers.size() > 1 && !isRepeated(Function, Markers)))
    return {};
  std::vector<int32_t> Ends;
  for (size_t I = 1; I != Markers.size(); ++I) {
    auto From = InUse.begin() + Forward[Markers[I - 1]].Step;
    auto To = InUse.begin() + Forward[Markers[I]].Step;
    auto Last = std::min_element(std::reverse_iterator(To),
                                 std::reverse_iterator(From));
    Ends.push_back(static_cast<int32_t>(Last.base() - InUse.begin()) - 1);
  }
  std::vector<size_t> Levels = findLevels(Markers);
  CallNumbers Numbers(Forward.size());
  for (size_t I = 0; I != Forward.size(); ++I)
    if (callOf(I, Function)) {
      auto End = llvm::lower_bound(Ends, Forward[I].Step);
      Numbers[I] = std::min(static_cast<size_t>(End - Ends.begin()), Levels[I]);
    }
  return Numbers;
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

void CallFinder::addLayer(StringRef Function,
                          std::vector<Layer> &Layers) const {
  Layer L;
  CallNumbers Numbers = numberByScope(Function, L.Modules);
  if (Numbers.empty())
    Numbers = numberByMarkers(Function);
  if (Numbers.empty())
    return;
  L.Function = Function.str();
  std::map<size_t, LayerCall> Calls;
  for (size_t I = 0; I != Forward.size(); ++I) {
    if (!Numbers[I])
      continue;
    Calls[*Numbers[I]].Order.push_back(Forward[I].Id);
    L.Count = std::max<uint64_t>(L.Count, *Numbers[I] + 1);
    const SourceFrame *F = callOf(I, Function);
    L.Source = F->File + ":" + std::to_string(F->Line);
  }
  for (const Kept &K : All)
    if (std::optional<size_t> Call = Numbers[K.Number];
        Call &&
        llvm::all_of(K.Readers, [&](size_t I) { return Numbers[I] == Call; }))
      Calls[*Call].Residuals.push_back(K.R);
  for (auto &[Number, Call] : Calls) {
    Call.Anchor = findAnchor(Call.Residuals);
    // What only other calls read is theirs.
    llvm::erase_if(Call.Residuals, [&](const Residual &R) {
      return R.LastRead <= Call.Anchor;
    });
    if (!Call.Residuals.empty())
      L.Calls.push_back(std::move(Call));
  }
  Layers.push_back(std::move(L));
}

std::vector<Layer> CallFinder::find() {
  std::vector<std::string> Functions;
  for (const Kept &K : All)
    for (const SourceFrame &F : Forward[K.Number].Calls)
      if (F.Owner == FileOwner::User && !F.Function.empty() &&
          !F.Function.ends_with(">") &&
          !llvm::is_contained(Functions, F.Function))
        Functions.push_back(F.Function);
  std::vector<Layer> Layers;
  for (const std::string &Function : Functions)
    addLayer(Function, Layers);
  return Layers;
}

std::vector<Layer> hlobuf::findCalledLayers(const FitContext &Ctx) {
  return CallFinder(Ctx).find();
}
