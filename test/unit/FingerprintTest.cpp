// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a fingerprint is made of.

#include "Results/Result.h"
#include "gtest/gtest.h"

using namespace hlobuf;

TEST(Fingerprint, NumbersOfInstructionsValuesAndStepsAreOut) {
  EXPECT_EQ(withoutNumbers("fusion.12 reads <33 arg.0{1} (phi) @0> at step 23"),
            withoutNumbers("fusion.7 reads <4 arg.311{2} (phi) @1> at step 9"));
  EXPECT_EQ(withoutNumbers("fusion"), withoutNumbers("fusion.1"));
  EXPECT_EQ(withoutNumbers("copy.2.clone.1"), "copy.clone");
}

TEST(Fingerprint, BytesAndAllocationsAreOut) {
  EXPECT_EQ(withoutNumbers("bytes [0, 512) of allocation 7"),
            "bytes [#, #) of allocation #");
  EXPECT_EQ(withoutNumbers("39.5KiB"), withoutNumbers("1.25KiB"));
}

TEST(Fingerprint, ShapesAndNamesStay) {
  EXPECT_EQ(withoutNumbers("f32[8,128]{1,0:T(8,128)}"),
            "f32[8,128]{#,#:T(#,#)}");
  EXPECT_NE(withoutNumbers("f32[8]"), withoutNumbers("f16[8]"));
  EXPECT_NE(withoutNumbers("f32[8]"), withoutNumbers("f32[9]"));
  EXPECT_NE(withoutNumbers("layer_1"), withoutNumbers("layer_2"));
  EXPECT_NE(withoutNumbers("conv2d"), withoutNumbers("conv3d"));
}

TEST(Fingerprint, OddTexts) {
  EXPECT_EQ(withoutNumbers(""), "");
  EXPECT_EQ(withoutNumbers("."), ".");
  EXPECT_EQ(withoutNumbers("7"), "#");
  EXPECT_EQ(withoutNumbers("a."), "a.");
  EXPECT_EQ(withoutNumbers("]["), "][");
}

static std::vector<std::string> fingerprints(std::vector<std::string> Messages,
                                             std::string Module = "jit_f") {
  DumpResult R;
  R.Module = std::move(Module);
  for (std::string &Message : Messages) {
    R.Findings.emplace_back().Message = std::move(Message);
    R.Findings.back().Check = "phi";
  }
  setFingerprints(R);
  std::vector<std::string> Result;
  for (const ResultFinding &F : R.Findings)
    Result.push_back(F.Fingerprint);
  return Result;
}

TEST(Fingerprint, EqualFindingsOfOneDumpDiffer) {
  auto Two = fingerprints({"value 1", "value 2"});
  EXPECT_NE(Two[0], Two[1]);
  EXPECT_EQ(Two, fingerprints({"value 8", "value 9"}));
  EXPECT_EQ(Two[0], fingerprints({"value 3"})[0]);
  EXPECT_NE(Two[0], fingerprints({"value 1"}, "jit_g")[0]);
  EXPECT_EQ(Two[0], fingerprints({"value 1"}, "jit_f.12")[0]);
  EXPECT_EQ(Two[0].size(), 16u);
}

TEST(Fingerprint, ModuleNames) {
  EXPECT_EQ(moduleNameOf("d/module_0012.jit_f.cpu_after_optimizations-"
                         "buffer-assignment.txt"),
            "jit_f");
  EXPECT_EQ(moduleNameOf("module_1.jit_f.cl_100.after_optimizations.txt"),
            "jit_f");
  EXPECT_EQ(moduleNameOf("module_1.jit_f.sm_8.0_gpu_after_optimizations-"
                         "buffer-assignment.txt"),
            "jit_f");
  EXPECT_EQ(moduleNameOf("module_1.jit_f.3.gfx90a_gpu_after_optimizations.txt"),
            "jit_f.3");
  EXPECT_EQ(moduleNameOf("module_1.jit_f.after_optimizations.txt"), "jit_f");
  EXPECT_EQ(moduleNameOf("module_1.after_optimizations.txt"), "");
  EXPECT_EQ(moduleNameOf("module_1"), "");
  EXPECT_EQ(moduleNameOf("before.txt"), "");
}
