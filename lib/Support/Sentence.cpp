// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Support/Sentence.h"

using namespace hlobuf;

StringRef hlobuf::sentenceName(Sentence S) {
  static constexpr StringRef Names[] = {"no overlap", "execution", "agreement",
                                        "the program that runs", "consistency"};
  return Names[static_cast<size_t>(S)];
}

StringRef hlobuf::sentenceKey(Sentence S) {
  static constexpr StringRef Names[] = {"no_overlap", "execution", "agreement",
                                        "program", "consistency"};
  return Names[static_cast<size_t>(S)];
}

StringRef hlobuf::standingName(Standing S) {
  static constexpr StringRef Names[] = {"proved", "not shown", "broken"};
  return Names[static_cast<size_t>(S)];
}
