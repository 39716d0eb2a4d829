// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reduce/CompileTest.h"
#include "Driver/Verify.h"
#include "Reduce/Compiler.h"

using namespace hlobuf;
using llvm::StringRef;

namespace {
class CompileTest : public Interest {
public:
  CompileTest(CompileOptions Options, const TestLimits &Limits)
      : Options(std::move(Options)), Limits(Limits), Slots(Limits.Slots) {}

  llvm::Error selectChecks();

  bool test(unsigned Slot, const std::string &File,
            const std::string &Folder) override;
  void startAfresh() override {
    for (OneSlot &S : Slots)
      S.Worker.reset();
  }
  std::string lastProblem(unsigned Slot) const override {
    return Slots[Slot].Problem;
  }
  bool wasUnable(unsigned Slot) const override { return Slots[Slot].Unable; }

private:
  struct OneSlot {
    std::unique_ptr<Compiler> Worker;
    std::string Problem;
    bool Unable = false;
  };
  bool isReported(const std::string &Folder, std::string &Problem) const;

  CompileOptions Options;
  /// Selection points into it.
  GlobTexts Globs;
  CheckSelection Selection;
  TestLimits Limits;
  std::vector<OneSlot> Slots;
};
} // namespace

bool CompileTest::isReported(const std::string &Folder,
                             std::string &Problem) const {
  InputList Found = findInputs({Folder});
  if (Found.Dumps.empty())
    Problem = "the compiler dumped no buffer assignment";
  else
    Problem = "the checks report nothing";
  for (Input &In : Found.Dumps) {
    locateFiles(In, {});
    llvm::Expected<std::unique_ptr<LoadedDump>> L = load(In, {});
    if (!L) {
      Problem = llvm::toString(L.takeError());
      continue;
    }
    for (const Diagnostic &D : verify(**L, Selection).Findings)
      if (D.Level != Severity::Lint &&
          Selection.match(D.Check) == GlobList::Match::In &&
          StringRef(D.Message).contains(Options.Message))
        return true;
  }
  return false;
}

bool CompileTest::test(unsigned Slot, const std::string &File,
                       const std::string &Folder) {
  OneSlot &S = Slots[Slot];
  if (!S.Worker || !S.Worker->isRunning())
    S.Worker = std::make_unique<Compiler>(Options.Python, Options.Target,
                                          Folder, Limits.Seconds);
  Compiler::Answer A = Options.WrongNumbers ? S.Worker->ask("run", File)
                                            : S.Worker->ask("compile", File);
  S.Unable = A.Word == "absent";
  if (S.Unable) {
    S.Problem = A.Rest;
    return false;
  }
  if (A.Word == "failed") {
    S.Problem = "it cannot be compiled: " + A.Rest;
    return false;
  }
  if (Options.WrongNumbers && A.Word != "wrong") {
    S.Problem = "its numbers are right: " + A.Rest;
    return false;
  }
  return Options.Checks.empty() || isReported(Folder, S.Problem);
}

llvm::Error CompileTest::selectChecks() {
  // No other check runs, which finding of this one might become a note of.
  Globs.Checks = "-*," + Options.Checks;
  llvm::Expected<CheckSelection> Made = CheckSelection::create(Globs);
  if (!Made)
    return Made.takeError();
  Selection = std::move(*Made);
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<Interest>>
hlobuf::makeCompileTest(CompileOptions Options, const TestLimits &Limits) {
  auto Test = std::make_unique<CompileTest>(std::move(Options), Limits);
  if (llvm::Error Error = Test->selectChecks())
    return std::move(Error);
  return Test;
}
