// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Support/HumanBytes.h"
#include "gtest/gtest.h"

using namespace hlobuf;

TEST(HumanBytes, WholeBytes) {
  EXPECT_EQ(humanBytes(0), "0B");
  EXPECT_EQ(humanBytes(1), "1B");
  EXPECT_EQ(humanBytes(1023), "1023B");
}

TEST(HumanBytes, Kibibytes) {
  EXPECT_EQ(humanBytes(1024), "1.0KiB");
  EXPECT_EQ(humanBytes(1536), "1.5KiB");
  EXPECT_EQ(humanBytes(40448), "39.5KiB");
  EXPECT_EQ(humanBytes(172580), "168.5KiB");
  // Rounded, but not to the next unit.
  EXPECT_EQ(humanBytes(1048575), "1024.0KiB");
}

TEST(HumanBytes, LargerUnits) {
  EXPECT_EQ(humanBytes(1048576), "1.00MiB");
  // Whole KiB are divided: 4182 of them.
  EXPECT_EQ(humanBytes(4282880), "4.08MiB");
  EXPECT_EQ(humanBytes((uint64_t(1) << 30) - 1), "1024.00MiB");
  EXPECT_EQ(humanBytes(uint64_t(1) << 30), "1.00GiB");
  EXPECT_EQ(humanBytes(uint64_t(3) << 39), "1.50TiB");
  EXPECT_EQ(humanBytes(uint64_t(1) << 50), "1.00PiB");
  EXPECT_EQ(humanBytes(uint64_t(1) << 60), "1.00EiB");
  EXPECT_EQ(humanBytes(~uint64_t(0)), "16.00EiB");
}

TEST(HumanBytes, HalvesRoundToEven) {
  EXPECT_EQ(humanBytes(1024 + 256), "1.2KiB");
  EXPECT_EQ(humanBytes(1024 + 768), "1.8KiB");
}

TEST(HumanBytes, AreRead) {
  EXPECT_EQ(parseBytes("12"), 12u);
  EXPECT_EQ(parseBytes("512B"), 512u);
  EXPECT_EQ(parseBytes("1.5 KiB"), 1536u);
  EXPECT_EQ(parseBytes("12GB"), 12000000000u);
  EXPECT_EQ(parseBytes("16G"), uint64_t(1) << 34);
  EXPECT_EQ(parseBytes("16e9"), 16000000000u);
  EXPECT_EQ(parseBytes("0"), 0u);
  for (const char *Text :
       {"", "GiB", "1.2.3", "1x", "1GiBs", "-1", "1e99", "1eB", "nan", "1 2"})
    EXPECT_FALSE(parseBytes(Text)) << Text;
}
