//===- Driver/CheckPages.cpp - --list-checks and --explain ----------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks/Check.h"
#include "Driver/Driver.h"
#include "llvm/Support/raw_ostream.h"

using namespace hlobuf;
using llvm::StringRef;

void hlobuf::listChecks(llvm::raw_ostream &Out) {
  for (const CheckInfo &Info : allChecks())
    Out << fmt::format("{:<26} {:<8} {:<12} {}\n", Info.Id,
                       severityName(Info.Level), Info.Rules, Info.Summary);
}

bool hlobuf::explainCheck(StringRef Id, llvm::raw_ostream &Out,
                          llvm::raw_ostream &Err) {
  StringRef Nearest;
  unsigned Least = 6;
  for (const CheckInfo &Info : allChecks()) {
    if (Info.Id == Id) {
      Out << Info.Page;
      return true;
    }
    unsigned Distance = Id.edit_distance(Info.Id, true, Least);
    if (Distance < Least) {
      Least = Distance;
      Nearest = Info.Id;
    }
  }
  Err << "error: no check is named '" << Id << "'";
  if (!Nearest.empty())
    Err << "; did you mean '" << Nearest << "'?";
  Err << " (see --list-checks)\n";
  return false;
}
