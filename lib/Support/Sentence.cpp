//===- Support/Sentence.cpp -----------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/Sentence.h"

using namespace hlobuf;
using llvm::StringRef;

StringRef hlobuf::sentenceName(Sentence S) {
  switch (S) {
  case Sentence::NoOverlap:
    return "no overlap";
  case Sentence::Execution:
    return "execution";
  case Sentence::Agreement:
    return "agreement";
  case Sentence::Program:
    return "the program that runs";
  case Sentence::Consistency:
    return "consistency";
  }
  return "";
}

StringRef hlobuf::sentenceKey(Sentence S) {
  switch (S) {
  case Sentence::NoOverlap:
    return "no_overlap";
  case Sentence::Execution:
    return "execution";
  case Sentence::Agreement:
    return "agreement";
  case Sentence::Program:
    return "program";
  case Sentence::Consistency:
    return "consistency";
  }
  return "";
}

StringRef hlobuf::standingName(Standing S) {
  switch (S) {
  case Standing::Proved:
    return "proved";
  case Standing::NotShown:
    return "not shown";
  case Standing::Broken:
    return "broken";
  }
  return "";
}
