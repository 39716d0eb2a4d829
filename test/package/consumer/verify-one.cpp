// Verifies the dumps that its arguments name, through the library.

#include "hlobuf/Driver/Driver.h"
#include "llvm/Support/raw_ostream.h"

int main(int Argc, char **Argv) {
  hlobuf::VerifyOptions Options;
  Options.Inputs.assign(Argv + 1, Argv + Argc);
  return hlobuf::runVerify(Options, llvm::outs(), llvm::errs());
}
