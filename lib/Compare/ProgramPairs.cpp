//===- Compare/ProgramPairs.cpp -------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compare/ProgramPairs.h"
#include "Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace hlobuf;

/// Arguments and results of \p P, without layouts.
static std::string signatureOf(const ProgramMemory &P) {
  std::string Text;
  for (const ComparedArgument &A : P.Arguments)
    Text += A.PlainShape + ",";
  return Text + "->" + P.Result;
}

static std::string argumentNames(const ProgramMemory &P) {
  std::string Text;
  for (const ComparedArgument &A : P.Arguments)
    Text += A.Name + ",";
  return Text;
}

/// The operations of \p P, each once, sorted.
static std::string operationsOf(const ProgramMemory &P) {
  std::vector<llvm::StringRef> Keys;
  for (const auto &Entry : P.Operations)
    Keys.push_back(Entry.getKey());
  llvm::sort(Keys);
  std::string Text;
  for (llvm::StringRef Key : Keys)
    Text += (Key + ";").str();
  return Text;
}

static constexpr unsigned NumPasses = 5;

/// What programs that are paired in \p Pass share.
static std::string keyOf(const ProgramMemory &P, unsigned Pass) {
  switch (Pass) {
  case 0:
    return P.Module + "|" + signatureOf(P) + "|" + operationsOf(P);
  case 1:
    return P.Module + "|" + signatureOf(P);
  case 2:
    return P.Module + "|" + argumentNames(P);
  case 3:
    return P.Module;
  default:
    return signatureOf(P) + "|" + operationsOf(P);
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
