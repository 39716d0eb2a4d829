// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions of a module by name.

#include "HLO/ModuleNames.h"

using namespace hlobuf;

/// By computation: reached from ENTRY, and no body of a fusion.
static std::vector<bool> mayHaveBuffers(const HloModule &M) {
  std::vector<bool> Reached(M.Computations.size());
  std::vector<bool> Fused(M.Computations.size());
  if (M.Entry)
    Reached[M.Entry.index()] = true;
  // Callers come after their callees.
  for (size_t C = M.Computations.size(); C-- != 0;) {
    if (!Reached[C])
      continue;
    IndexRange All = M.Computations[C].Instructions;
    for (uint32_t I = All.Begin; I != All.End; ++I)
      for (const HloCall &Call : M.calls(M.Instructions[I])) {
        if (!Call.Callee)
          continue;
        Reached[Call.Callee.index()] = true;
        // What `fusion-start` calls is the body of the wrapped fusion.
        const HloInstruction &Caller = M.Instructions[I];
        if (Caller.Op == Opcode::Fusion || Caller.Sugar)
          Fused[Call.Callee.index()] = true;
      }
  }
  for (size_t C = 0; C != Reached.size(); ++C)
    Reached[C] = Reached[C] && !Fused[C];
  return Reached;
}

/// By computation: all that call it are fusions.
static std::vector<bool> fusionBodies(const HloModule &M) {
  std::vector<bool> Fused(M.Computations.size());
  std::vector<bool> Other(M.Computations.size());
  if (M.Entry)
    Other[M.Entry.index()] = true;
  for (const HloInstruction &I : M.Instructions)
    for (const HloCall &Call : M.calls(I))
      if (Call.Callee)
        (I.Op == Opcode::Fusion ? Fused : Other)[Call.Callee.index()] = true;
  for (size_t C = 0; C != Fused.size(); ++C)
    Fused[C] = Fused[C] && !Other[C];
  return Fused;
}

void hlobuf::nameInstructions(HloModule &M, NameTable &Names) {
  std::vector<bool> Fused = fusionBodies(M);
  for (HloInstruction &I : M.Instructions)
    I.Name = Fused[I.Parent.index()] ? Names.find(M.name(I))
                                     : Names.intern(M.name(I));
}

void hlobuf::indexNames(
    HloModule &M, size_t NumNames,
    llvm::function_ref<void(llvm::StringRef, std::string)> Refuse) {
  std::vector<bool> HasBuffers = mayHaveBuffers(M);
  M.ByName.assign(NumNames, HloId());
  for (size_t I = 0; I != M.Instructions.size(); ++I) {
    const HloInstruction &Own = M.Instructions[I];
    if (!Own.Name)
      continue;
    HloId &Known = M.ByName[Own.Name.index()];
    bool Counts = HasBuffers[Own.Parent.index()];
    if (!Known) {
      Known = HloId(I);
      continue;
    }
    bool KnownCounts = HasBuffers[M[Known].Parent.index()];
    if (Counts && !KnownCounts)
      Known = HloId(I);
    // Inside one computation the reader has said so.
    else if (Counts && M[Known].Parent != Own.Parent)
      Refuse(M.text(Own).take_until([](char C) { return C == ' '; }),
             "an instruction of another computation has this name, and both "
             "may have buffers");
  }
}
