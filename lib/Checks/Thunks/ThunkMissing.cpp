// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// thunk-missing.
//
// Every scheduled instruction that moves bytes has its thunk, and none twice
// (ThunkEmitter::EmitHloComputation of both backends walks the schedule). What
// a thunk launches is in the object files (CompilationResultProto's symbols).
// Exceptions: calls and async computations of a GPU are inlined; a sort of a
// GPU is a series of equal kernels.

#include "Checks/Thunks/ThunkRules.h"
#include "Thunks/LaunchProof.h"
#include "llvm/ADT/StringSet.h"

using namespace hlobuf;

namespace {
struct MissingThunks : ThunkRule {
  using ThunkRule::ThunkRule;
  void run();

  void checkSymbols();
  void checkNames(ArrayRef<StringRef> Stored, StringRef Thunk::*Named);
};
} // namespace

/// Kernels and comparators that the object files do not have.
void MissingThunks::checkSymbols() {
  for (size_t I = 0; I != T.Thunks.size(); ++I)
    if (StringRef Absent = T.Thunks[I].Absent; !Absent.empty())
      reportThunk(ThunkId(I), Absent,
                  "launches {}, which its binary does not have", Absent);
  if (!T.HasSymbols)
    return;
  checkNames(T.Kernels, &Thunk::Kernel);
  checkNames(T.Comparators, &Thunk::Comparator);
}

/// The symbols \p Stored of the object files against those that thunks have as
/// \p Named.
void MissingThunks::checkNames(ArrayRef<StringRef> Stored,
                               StringRef Thunk::*Named) {
  llvm::StringSet<> Known, Used;
  for (StringRef Name : Stored)
    Known.insert(Name);
  for (size_t I = 0; I != T.Thunks.size(); ++I) {
    StringRef Name = T.Thunks[I].*Named;
    if (Name.empty())
      continue;
    Used.insert(Name);
    if (!Known.contains(Name))
      reportThunk(
          ThunkId(I), Name,
          "launches {}, which the symbols of the object files do not have",
          Name);
  }
  for (StringRef Name : Stored)
    if (!Used.contains(Name))
      Diags.report(
          Name,
          "the symbols of the object files have {}, which no thunk launches",
          Name);
}

void MissingThunks::run() {
  const ThunkCoverage &Coverage = Ctx.launchProof().coverage();
  for (HloId I : Coverage.missing())
    Diags.report({P, I}, "no thunk computes {}, a {}", P.spell(I),
                 opcodeText(P[I].Op));
  for (ThunkId Id : Coverage.repeated())
    reportThunk(Id, T[Id].Text, "runs twice");
  checkSymbols();
}

void hlobuf::checkThunkMissing(const CheckContext &Ctx, Reporter &Diags) {
  runThunkRule<MissingThunks>(Ctx, Diags);
}
