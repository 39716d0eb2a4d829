// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/Emit.h"
#include "Dump/Printer.h"
#include "Support/OrderedRun.h"
#include "Support/Printable.h"
#include "Support/TextPrinter.h"
#include "llvm/Support/raw_ostream.h"

using namespace hlobuf;

namespace {
struct Emitted {
  std::string Text;
  std::string ReadError;
  ExitStatus Status = ExitSound;
};
} // namespace

/// Prints what \p Kind asks for; a dump without it prints nothing.
static void printText(const Dump &D, EmitKind Kind, llvm::raw_ostream &OS) {
  if (Kind == EmitKind::Dump)
    return printDump(D, OS);
  FileRole Role = Kind == EmitKind::Module   ? FileRole::Module
                  : Kind == EmitKind::Traces ? FileRole::Traces
                                             : FileRole::Thunks;
  OS << D.file(Role).Text;
}

static Emitted emitOne(const Input &In, const VerifyOptions &Options) {
  Emitted Result;
  llvm::Expected<std::unique_ptr<LoadedDump>> L = load(In, Options.Siblings);
  if (!L) {
    Result.ReadError =
        "error: " + printable(llvm::toString(L.takeError())) + "\n";
    Result.Status = ExitUnreadable;
    return Result;
  }
  llvm::raw_string_ostream OS((*L)->Syntax.empty() ? Result.Text
                                                   : Result.ReadError);
  if ((*L)->Syntax.empty())
    printText(*(*L)->Model, Options.Emit, OS);
  else
    Result.Status = (*L)->isWhole() ? ExitErrors : ExitUnreadable;
  for (const Diagnostic &F : (*L)->Syntax.Kept)
    printDiagnostic(F, (*L)->Texts, OS, /*Color=*/false);
  return Result;
}

ExitStatus hlobuf::emitDumps(const VerifyOptions &Options, const Plan &P,
                             llvm::raw_ostream &Out, llvm::raw_ostream &Err) {
  ExitStatus Status = P.InputErrors.empty() ? ExitSound : ExitUnreadable;
  for (const InputError &Error : P.InputErrors)
    Err << "error: " << printable(Error.Text) << '\n';
  runInOrder(
      P.Dumps.size(), Options.Jobs,
      [&](size_t I) { return emitOne(P.Dumps[I].In, Options); },
      [&](size_t, Emitted &R) {
        Out << R.Text;
        if (!R.ReadError.empty()) {
          Out.flush();
          Err << R.ReadError;
        }
        Status = std::max(Status, R.Status);
      });
  Out.flush();
  return Status;
}
