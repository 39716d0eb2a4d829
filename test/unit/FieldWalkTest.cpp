// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Proto/FieldWalk.h"
#include "gtest/gtest.h"

using namespace hlobuf;

namespace {

/// A CompilationResultProto whose obj_files_kind (5) is 2.
const StringRef Kind("\x28\x02", 2);

TEST(FieldWalk, WhatNobodyComparedIsUnread) {
  FieldWalk Walk;
  Walk.walk(FieldType::CpuCompilationResult, Kind);
  EXPECT_EQ(Walk.unread(), "");
  Walk.settle({});
  EXPECT_EQ(Walk.unread(), "xla.cpu.CompilationResultProto.5 (1)");
}

TEST(FieldWalk, WhatWasComparedIsNot) {
  FieldWalk Walk;
  Walk.walk(FieldType::CpuCompilationResult, Kind);
  Walk.settle({{FieldType::CpuCompilationResult, 5}});
  EXPECT_EQ(Walk.unread(), "");
}

} // namespace
