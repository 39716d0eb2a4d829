// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Compare/ProgramPairs.h"
#include "Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace hlobuf;

/// Arguments and results of \p Memory, without layouts.
static std::string signatureOf(const ProgramMemory &Memory) {
  std::string Text;
  for (const ComparedArgument &Argument : Memory.Arguments)
    Text += Argument.PlainShape + ",";
  return Text + "->" + Memory.Result;
}

static std::string argumentNames(const ProgramMemory &Memory) {
  std::string Text;
  for (const ComparedArgument &Argument : Memory.Arguments)
    Text += Argument.Name + ",";
  return Text;
}

/// The operations of \p Memory, each once, sorted.
static std::string operationsOf(const ProgramMemory &Memory) {
  std::vector<llvm::StringRef> Keys;
  for (const auto &Entry : Memory.Operations)
    Keys.push_back(Entry.getKey());
  llvm::sort(Keys);
  std::string Text;
  for (llvm::StringRef Key : Keys)
    Text += (Key + ";").str();
  return Text;
}

static constexpr unsigned NumPasses = 5;

/// What programs that are paired in \p Pass share.
static std::string keyOf(const ProgramMemory &Memory, unsigned Pass) {
  switch (Pass) {
  case 0:
    return Memory.Module + "|" + signatureOf(Memory) + "|" +
           operationsOf(Memory);
  case 1:
    return Memory.Module + "|" + signatureOf(Memory);
  case 2:
    return Memory.Module + "|" + argumentNames(Memory);
  case 3:
    return Memory.Module;
  default:
    return signatureOf(Memory) + "|" + operationsOf(Memory);
  }
}

std::vector<ProgramPair>
hlobuf::pairPrograms(llvm::ArrayRef<ProgramMemory> Old,
                     llvm::ArrayRef<ProgramMemory> New) {
  if (Old.size() == 1 && New.size() == 1)
    return {{0, 0}};
  std::vector<bool> OldDone(Old.size());
  std::vector<std::optional<size_t>> OldOf(New.size());
  for (unsigned Pass = 0; Pass != NumPasses; ++Pass) {
    std::map<std::string, std::vector<size_t>> Waiting;
    for (size_t I = Old.size(); I-- != 0;)
      if (!OldDone[I])
        Waiting[keyOf(Old[I], Pass)].push_back(I);
    for (size_t J = 0; J != New.size(); ++J) {
      if (OldOf[J])
        continue;
      auto At = Waiting.find(keyOf(New[J], Pass));
      if (At == Waiting.end() || At->second.empty())
        continue;
      OldOf[J] = At->second.back();
      OldDone[At->second.back()] = true;
      At->second.pop_back();
    }
  }
  std::vector<ProgramPair> Pairs;
  for (size_t J = 0; J != New.size(); ++J)
    Pairs.push_back({OldOf[J], J});
  for (size_t I = 0; I != Old.size(); ++I)
    if (!OldDone[I])
      Pairs.push_back({I, std::nullopt});
  return Pairs;
}
