//===- Support/HumanBytes.cpp ---------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/HumanBytes.h"
#include <fmt/format.h>

std::string hlobuf::humanBytes(uint64_t Bytes) {
  if (Bytes < 1024)
    return fmt::format("{}B", Bytes);
  const char *Unit = "KMGTPE";
  while (Bytes >= uint64_t(1) << 20) {
    Bytes >>= 10;
    ++Unit;
  }
  double Value = static_cast<double>(Bytes) / 1024.0;
  if (*Unit == 'K')
    return fmt::format("{:.1f}KiB", Value);
  return fmt::format("{:.2f}{}iB", Value, *Unit);
}
