// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Elements/ElementHazard.h"

using namespace hlobuf;
using enum UndecidedReason;

const char *hlobuf::reasonText(UndecidedReason Reason) {
  switch (Reason) {
  case TooManySteps:
    return "too many steps to decide which elements are read";
  case TooManyPaths:
    return "fusions with too many paths";
  case UnknownReads:
    return "how some operands are read in place cannot be determined";
  case UnknownOrder:
    return "elements of operand and result have orders that cannot be compared";
  case UnknownScalars:
    return "a start index is computed in a way that is not followed";
  case OtherLoop:
    return "another result may be computed in a loop of its own";
  }
  return "";
}
