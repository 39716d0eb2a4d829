// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Compare/MemoryDiff.h"
#include "Support/Format.h"
#include "Support/HumanBytes.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

using namespace hlobuf;

/// Names that a line lists.
static constexpr size_t MaxNames = 3;

namespace {
/// Arguments with something in common.
struct ArgumentGroup {
  std::vector<std::string> Names;
  uint64_t Bytes = 0;

  void add(const ComparedArgument &Argument) {
    Names.push_back(Argument.Name);
    Bytes += Argument.Bytes;
  }
};

struct CauseFinder {
  std::vector<std::string> run();

  void pairArguments();
  void addDonations();
  void add(StringRef Text, const ArgumentGroup &Group);
  void addDimensions();
  void addRecomputation();
  void addCompiler();

  const ProgramMemory &Old;
  const ProgramMemory &New;
  std::vector<std::pair<const ComparedArgument *, const ComparedArgument *>>
      Both = {};
  ArgumentGroup Came = {};
  ArgumentGroup Went = {};
  std::vector<std::string> Causes = {};
};
} // namespace

/// Arguments are known by their names, and by number where these changed.
void CauseFinder::pairArguments() {
  bool Renamed = Old.Arguments.size() == New.Arguments.size();
  auto KeyOf = [&](bool IsNew, size_t Number, unsigned Pass) {
    const ComparedArgument &A = (IsNew ? New : Old).Arguments[Number];
    return Pass == 0 ? A.Name : fmt::format("{}", A.Number);
  };
  std::vector<bool> OldDone(Old.Arguments.size());
  std::vector<bool> NewDone(New.Arguments.size());
  for (auto [I, J] :
       matchByKeys(numbersBelow(OldDone.size()), numbersBelow(NewDone.size()),
                   Renamed ? 2 : 1, KeyOf)) {
    OldDone[I] = NewDone[J] = true;
    Both.push_back({&Old.Arguments[I], &New.Arguments[J]});
  }
  for (const auto &[I, A] : llvm::enumerate(Old.Arguments))
    if (!OldDone[I])
      Went.add(A);
  for (const auto &[J, A] : llvm::enumerate(New.Arguments))
    if (!NewDone[J])
      Came.add(A);
}

void CauseFinder::addDonations() {
  ArgumentGroup Dropped, Added, Unused, Reused;
  for (auto [X, Y] : Both) {
    if (X->IsReused == Y->IsReused)
      continue;
    if (X->IsReused)
      (Y->IsDonated ? Unused : Dropped).add(*Y);
    else
      (X->IsDonated ? Reused : Added).add(*Y);
  }
  add("no longer donated", Dropped);
  add("donated as before, but no longer used for a result", Unused);
  add("newly donated", Added);
  add("donated as before, and newly used for a result", Reused);
}

void CauseFinder::add(StringRef Text, const ArgumentGroup &Group) {
  if (!Group.Names.empty())
    Causes.push_back(fmt::format(
        "{}: {}, {}: {}", Text, counted(Group.Names.size(), "argument"),
        humanBytes(Group.Bytes), listNames(Group.Names, MaxNames)));
}

/// The dimensions of `f32[8,16]`; none where they are not all numbers.
static SmallVector<uint64_t, 4> dimensionsOf(StringRef Shape) {
  SmallVector<uint64_t, 4> Dimensions;
  StringRef Text = Shape.split('[').second.split(']').first;
  for (StringRef Number : llvm::split(Text, ','))
    if (Number.getAsInteger(10, Dimensions.emplace_back()))
      return {};
  return Dimensions;
}

/// Dimensions of arguments that changed.
void CauseFinder::addDimensions() {
  std::map<std::pair<uint64_t, uint64_t>, ArgumentGroup> Changes;
  ArgumentGroup Others;
  for (auto [X, Y] : Both) {
    if (X->PlainShape == Y->PlainShape)
      continue;
    auto From = dimensionsOf(X->PlainShape);
    auto To = dimensionsOf(Y->PlainShape);
    bool Named = false;
    for (size_t D = 0; From.size() == To.size() && D != From.size(); ++D)
      if (From[D] != To[D] && From[D] != 0) {
        Changes[{From[D], To[D]}].add(*Y);
        Named = true;
      }
    if (!Named)
      Others.add(*Y);
  }
  for (const auto &[Dimension, Group] : Changes)
    Causes.push_back(fmt::format("a dimension of {} changed from {} to {} ({})",
                                 counted(Group.Names.size(), "argument"),
                                 Dimension.first, Dimension.second,
                                 listNames(Group.Names, MaxNames)));
  add("another type or rank", Others);
}

void CauseFinder::addRecomputation() {
  if (Old.Recomputed == New.Recomputed)
    return;
  bool None = Old.Recomputed == 0 || New.Recomputed == 0;
  size_t More = std::max(Old.Recomputed, New.Recomputed);
  size_t Less = std::min(Old.Recomputed, New.Recomputed);
  // A program that changed otherwise recomputes a little more or less.
  if (!None && More - Less < More / 2)
    return;
  Causes.push_back(fmt::format(
      "recomputed instructions (checkpointing, rematerialization): {} -> {}",
      Old.Recomputed, New.Recomputed));
}

/// How much of two sets of operations is in both, from 0 to 1.
static double commonPart(const StringMap<unsigned> &X,
                         const StringMap<unsigned> &Y) {
  size_t Common = sumOf(X.keys(), [&](StringRef Key) { return Y.count(Key); });
  size_t All = X.size() + Y.size() - Common;
  return All == 0 ? 1.0 : double(Common) / double(All);
}

/// Releases that differ for sure, or a program that is the same but for what
/// was done with it.
void CauseFinder::addCompiler() {
  bool Newer = Old.Before <= New.From;
  if (Newer || New.Before <= Old.From) {
    std::string Text = "another release of XLA: ";
    Text += Newer ? fmt::format("from before {} to {} or later",
                                dateText(Old.Before), dateText(New.From))
                  : fmt::format("from {} or later to before {}",
                                dateText(Old.From), dateText(New.Before));
    Causes.push_back(Text);
  }
  if (!Causes.empty())
    return;
  unsigned Percent = unsigned(100 * commonPart(Old.Operations, New.Operations));
  Causes.push_back(
      Old.Result == New.Result
          ? fmt::format("arguments, donations and results are the same, and "
                        "{}% of the operations: another compiler, other flags, "
                        "or a change inside of the program",
                        Percent)
          : fmt::format("arguments and donations are the same, results are "
                        "not, and {}% of the operations: the program changed",
                        Percent));
}

std::vector<std::string> CauseFinder::run() {
  pairArguments();
  addDonations();
  add("new arguments", Came);
  add("arguments that are gone", Went);
  addDimensions();
  addRecomputation();
  addCompiler();
  return std::move(Causes);
}

std::vector<std::string> hlobuf::findCauses(const ProgramMemory &Old,
                                            const ProgramMemory &New) {
  return CauseFinder{Old, New}.run();
}
