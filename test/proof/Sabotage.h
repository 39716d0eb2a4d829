// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HLOBUF_TEST_PROOF_SABOTAGE_H
#define HLOBUF_TEST_PROOF_SABOTAGE_H

#include <cstdlib>

/// True if the environment names sabotage \p Number, which counts from 1.
inline bool sabotaged(int Number) {
  static const char *Text = std::getenv("HLOBUF_SABOTAGE");
  static const int Named = Text ? std::atoi(Text) : 0;
  return Number == Named;
}

#endif // HLOBUF_TEST_PROOF_SABOTAGE_H
