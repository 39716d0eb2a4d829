//===- Memory/WasteFinder.cpp ---------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory/WasteFinder.h"
#include "Dataflow/ModuleAnalysis.h"
#include "Memory/MemoryTree.h"
#include "Memory/Origin.h"
#include "Memory/Waste.h"
#include "Support/Format.h"

using namespace hlobuf;

llvm::StringRef hlobuf::checkOf(WasteKind Kind) {
  static constexpr llvm::StringRef Checks[] = {
      "lint-possible-donation", "lint-unused-donation",   "lint-tile-padding",
      "lint-fragmentation",     "lint-large-constant",    "lint-same-constant",
      "lint-recomputable",      "lint-early-definition",  "lint-wide-copy",
      "lint-argument-copy",     "lint-returned-argument", "lint-peak-copy"};
  return Checks[static_cast<size_t>(Kind)];
}

WasteFinder::WasteFinder(const MemoryUse &Use, const SpaceUse &Main,
                         const ModuleAnalysis *W)
    : Use(Use), A(Use.facts()), D(A.dump()), Main(Main), W(W),
      Threshold(std::max(MinWaste, Main.Allocated / WasteShare)),
      Told(D.Allocations.size(), false) {}

std::vector<Waste> WasteFinder::run() {
  if (Use.isTimed())
    Held = Use.heldAt(Main.Color, Main.PeakStep);
  // Smaller ones save less than the threshold.
  llvm::erase_if(Held, [&](const HeldValue &V) { return V.Bytes < Threshold; });
  findEntry();
  findCopies();
  findDonations();
  findUnusedDonations();
  addArguments();
  findHeld();
  findPadding();
  findFragmentation();
  findConstants();
  llvm::stable_sort(Found, [](const Waste &X, const Waste &Y) {
    return std::pair(X.Kind, Y.Saved) < std::pair(Y.Kind, X.Saved);
  });
  return std::move(Found);
}

void WasteFinder::add(Waste W) {
  W.Small = W.Saved < Threshold;
  if (W.Small && W.Kind != WasteKind::PossibleDonation &&
      W.Kind != WasteKind::UnusedDonation)
    return;
  if (!W.Owner && W.Value)
    W.Owner = D[W.Value].Owner;
  Found.push_back(std::move(W));
}

void WasteFinder::addArgument(Waste W) {
  std::string Name = findOrigin(A, D[W.Value].Tag.Name).OpName;
  auto [At, New] = Arguments.try_emplace(
      std::tuple(W.Kind, D[W.Value].Shape, withoutIndices(Name)), W);
  if (New)
    return;
  At->second.Saved += W.Saved;
  ++At->second.Count;
}

void WasteFinder::addArguments() {
  for (auto &[Key, W] : Arguments) {
    const auto &[Kind, Shape, Name] = Key;
    std::string Who = describe(W.Value);
    if (W.Count > 1)
      Who = fmt::format("{} arguments {}", W.Count,
                        Name.empty() ? "like " + spell(W.Value) : Name);
    std::string Text = Shape ? D.Shapes.plainText(Shape) : "";
    if (Kind == WasteKind::UnusedDonation)
      W.Message = fmt::format("{} {} donated, but no result of the program "
                              "takes the memory ({})",
                              Who, W.Count > 1 ? "are" : "is", Text);
    else if (W.Count > 1)
      W.Message = fmt::format("{} are not donated, but as many results have "
                              "their shape {}",
                              Who, Text);
    else
      W.Message =
          fmt::format("{} is not donated, but result {} has its shape {}", Who,
                      spell(W.Other), Text);
    add(std::move(W));
  }
}

std::string WasteFinder::spell(ValueId V) const {
  return D.spell(D[V].Tag.Name, D[V].Tag.Index);
}

std::string WasteFinder::describe(ValueId V) const {
  Origin From = findOrigin(A, D[V].Tag.Name);
  bool Argument = isEntryParameter(V);
  if (Argument && !From.OpName.empty())
    return fmt::format("argument {}", From.OpName);
  std::string Text = Argument
                         ? fmt::format("argument {}", *D[D[V].Owner].Parameter)
                         : spell(V);
  if (!Argument && !From.Source.empty())
    Text += fmt::format(" ({})", From.Source);
  return Text;
}

ValueId WasteFinder::operand(NameId Name, uint32_t Number) const {
  NameId Source = findOperand(A, Name, Number);
  if (!Source)
    return ValueId();
  ValueId Best;
  for (uint32_t P : A.positionsAt(Source))
    if (D.Positions[P].Index.isRoot() ||
        D.Positions[P].Index.canonical().isRoot())
      if (UsedId U = A.ownerOfPosition(P))
        Best = A.valueOf(U);
  return Best;
}

bool WasteFinder::isEntryParameter(ValueId V) const {
  // The state of a loop is in the allocation of a donated argument, too.
  ComputationId Parent = parentOf(D[V].Tag.Name);
  return D[D[V].Owner].isParameter() && (!Parent || Parent == D.Module.Entry) &&
         findOpcode(A, D[V].Tag.Name) == Opcode::Parameter;
}

int32_t WasteFinder::useAfter(ValueId V, int32_t Step) const {
  int32_t First = -1;
  if (UsedId U = A.usedOf(V))
    for (const struct Use &Reader : D.uses(D[U]))
      if (int32_t T = Use.stepOf(Reader.Name);
          T > Step && (First < 0 || T < First))
        First = T;
  return First;
}

int32_t WasteFinder::useUntil(ValueId V, int32_t Step) const {
  std::optional<StepRange> Range = Use.range(V);
  int32_t Last = Range ? Range->Start : -1;
  if (UsedId U = A.usedOf(V))
    for (const struct Use &Reader : D.uses(D[U]))
      if (int32_t T = Use.stepOf(Reader.Name); T <= Step)
        Last = std::max(Last, T);
  return Last;
}

int32_t WasteFinder::lastUse(ValueId V) const {
  int32_t Last = -1;
  if (UsedId U = A.usedOf(V))
    for (const struct Use &Reader : D.uses(D[U]))
      Last = std::max(Last, Use.stepOf(Reader.Name));
  return Last;
}

NameId WasteFinder::readerAt(ValueId V, int32_t Step) const {
  if (UsedId U = A.usedOf(V))
    for (const struct Use &Reader : D.uses(D[U]))
      if (Step >= 0 && Use.stepOf(Reader.Name) == Step)
        return Reader.Name;
  return NameId();
}

ComputationId WasteFinder::parentOf(NameId Name) const {
  HloId Id = D.Module.find(Name);
  return Id ? D.Module[Id].Parent : ComputationId();
}

/// Callers of callers that are asked, at most.
static constexpr unsigned MaxDepth = 64;

bool WasteFinder::isInside(NameId Name, ComputationId Outer) const {
  ComputationId At = parentOf(Name);
  for (unsigned Depth = 0; W && At && At != Outer; ++Depth) {
    llvm::ArrayRef<HloId> Callers = W->program().callers(At);
    if (Callers.empty() || Depth == MaxDepth)
      return false;
    At = D.Module[Callers.front()].Parent;
  }
  return At && At == Outer;
}

bool WasteFinder::isRunBy(NameId Name, HloId Caller) const {
  ComputationId At = parentOf(Name);
  for (unsigned Depth = 0; W && At && Depth != MaxDepth; ++Depth) {
    llvm::ArrayRef<HloId> Callers = W->program().callers(At);
    if (Callers.empty())
      return false;
    if (llvm::is_contained(Callers, Caller))
      return true;
    At = D.Module[Callers.front()].Parent;
  }
  return false;
}

bool WasteFinder::isUsersOwn(NameId Name) const {
  Origin From = findOrigin(A, Name);
  return !From.Inherited && !From.OpName.empty();
}

/// A value that is written over in place is no longer the one that could be
/// made again.
bool WasteFinder::isAlone(const HeldValue &V) const {
  if (V.Kind != MemoryKind::Temp || !V.Others.empty())
    return false;
  std::optional<StepRange> Range = Use.range(V.Value);
  return Range && Range->End <= lastUse(V.Value);
}

std::vector<Waste> hlobuf::findWaste(const MemoryUse &Use,
                                     const ModuleAnalysis *W) {
  const SpaceUse *Main = Use.space(0);
  if (!Main)
    return {};
  if (W && !W->obstacle().empty())
    W = nullptr;
  return WasteFinder(Use, *Main, W).run();
}
