// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/Verify.h"
#include "Reduce/Compiler.h"
#include "Reduce/Interest.h"

using namespace hlobuf;

namespace {
class CompileTest : public Interest {
public:
  CompileTest(CompileOptions Options, unsigned Slots)
      : Options(std::move(Options)), Workers(Slots) {}

  Error selectChecks();

  TestOutcome test(unsigned Slot, const std::string &File,
                   const std::string &Folder) override;
  void startAfresh() override {
    for (std::unique_ptr<Compiler> &Worker : Workers)
      Worker.reset();
  }

private:
  TestOutcome verifyDumps(const std::string &Folder) const;

  CompileOptions Options;
  /// Selection points into it.
  GlobTexts Globs;
  CheckSelection Selection;
  /// By slot.
  std::vector<std::unique_ptr<Compiler>> Workers;
};
} // namespace

TestOutcome CompileTest::verifyDumps(const std::string &Folder) const {
  InputList Inputs = findInputs({Folder});
  TestOutcome Outcome;
  Outcome.Problem = Inputs.Dumps.empty()
                        ? "the compiler dumped no buffer assignment"
                        : "the checks report nothing";
  for (const Input &In : Inputs.Dumps) {
    Expected<std::unique_ptr<LoadedDump>> L = load(In);
    if (!L) {
      Outcome.Problem = llvm::toString(L.takeError());
      continue;
    }
    CheckContext Context(*(*L)->Model);
    for (const ResultFinding &F : verify(In, **L, Context, Selection).Findings)
      if (F.Level != Severity::Lint &&
          Selection.match(F.Check) == GlobList::Match::In &&
          StringRef(F.Message).contains(Options.Message))
        return {true};
  }
  return Outcome;
}

TestOutcome CompileTest::test(unsigned Slot, const std::string &File,
                              const std::string &Folder) {
  std::unique_ptr<Compiler> &Worker = Workers[Slot];
  if (!Worker || !Worker->isRunning())
    Worker = std::make_unique<Compiler>(Options.Python, Options.Target, Folder,
                                        Options.Seconds);
  Compiler::Answer A =
      Worker->ask(Options.WrongNumbers ? "run" : "compile", File);
  if (A.Word == "absent")
    return {false, A.Rest, true};
  if (A.Word == "failed")
    return {false, "it cannot be compiled: " + A.Rest};
  if (Options.WrongNumbers && A.Word != "wrong")
    return {false, "its numbers are right: " + A.Rest};
  return Options.Checks.empty() ? TestOutcome{true} : verifyDumps(Folder);
}

Error CompileTest::selectChecks() {
  // No other check runs, which finding of this one might become a note of.
  Globs.Checks = "-*," + Options.Checks;
  Expected<CheckSelection> Created = CheckSelection::create(Globs);
  if (!Created)
    return Created.takeError();
  Selection = std::move(*Created);
  return Error::success();
}

Expected<std::unique_ptr<Interest>>
hlobuf::makeCompileTest(CompileOptions Options, unsigned Slots) {
  auto Test = std::make_unique<CompileTest>(std::move(Options), Slots);
  if (Error Error = Test->selectChecks())
    return std::move(Error);
  return Test;
}
