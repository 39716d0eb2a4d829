// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HLO/StackFrames.h"
#include "gtest/gtest.h"

using namespace hlobuf;

TEST(SourceFiles, Owner) {
  auto Owner = [](const char *File, const char *OpName = "while/mod") {
    return ownerOf(File, OpName);
  };
  std::string Packages = "/usr/lib/python3/dist-packages/";
  EXPECT_EQ(Owner("train.py"), FileOwner::User);
  EXPECT_EQ(Owner("models/torch/train.py"), FileOwner::User);
  EXPECT_EQ(Owner((Packages + "flax/linen.py").c_str()), FileOwner::Package);
  EXPECT_EQ(Owner((Packages + "torch/_ops.py").c_str()), FileOwner::Framework);
  EXPECT_EQ(Owner((Packages + "torch_xla/core/xla_model.py").c_str()),
            FileOwner::Framework);
  EXPECT_EQ(Owner((Packages + "torchvision/models/resnet.py").c_str()),
            FileOwner::Package);
  // TensorFlow leaves folders out; JAX does not.
  EXPECT_EQ(Owner("ops.py"), FileOwner::Framework);
  EXPECT_EQ(Owner("ops.py", "jit(step)/add"), FileOwner::User);
  EXPECT_EQ(Owner("my/ops.py"), FileOwner::User);
}

static std::string lineOf(const std::string &Files, uint32_t Frame) {
  return StackFrames("HloModule m\n\nFileNames\n" + Files +
                     "\nFileLocations\n"
                     "1 {file_name_id=1 line=11}\n"
                     "2 {file_name_id=2 line=12}\n"
                     "3 {file_name_id=3 line=13}\n"
                     "\nStackFrames\n"
                     "1 {file_location_id=1 parent_frame_id=1}\n"
                     "2 {file_location_id=2 parent_frame_id=2}\n"
                     "3 {file_location_id=3 parent_frame_id=3}\n")
      .sourceLine(Frame);
}

TEST(SourceFiles, InnermostFrameOfTheUser) {
  EXPECT_EQ(lineOf("1 \"train.py\"\n2 \"x-packages/flax/a.py\"\n"
                   "3 \"x-packages/jax/b.py\"\n",
                   3),
            "train.py:11");
  EXPECT_EQ(lineOf("1 \"x-packages/maxtext/train.py\"\n"
                   "2 \"x-packages/flax/a.py\"\n3 \"x-packages/jax/b.py\"\n",
                   3),
            "x-packages/flax/a.py:12");
  EXPECT_EQ(lineOf("1 \"x-packages/jax/a.py\"\n2 \"x-packages/jax/b.py\"\n"
                   "3 \"x-packages/jax/c.py\"\n",
                   3),
            "");
}
