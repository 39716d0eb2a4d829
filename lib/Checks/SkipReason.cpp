//===- Checks/SkipReason.cpp ----------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks/SkipReason.h"
#include "Support/Format.h"

using namespace hlobuf;
using llvm::StringRef;

StringRef hlobuf::sectionName(Section S) {
  switch (S) {
  case Section::Allocations:
    return "allocations";
  case Section::Total:
    return "total";
  case Section::Used:
    return "used values";
  case Section::Texts:
    return "instruction texts";
  case Section::Sequence:
    return "instruction sequence";
  case Section::Ranges:
    return "live ranges";
  case Section::Peak:
    return "peak";
  case Section::Stack:
    return "stack trace breakdown";
  case Section::Report:
    return "memory usage report";
  case Section::Module:
    return "HLO module";
  case Section::Restated:
    return "restated pages and shapes";
  case Section::Traces:
    return "heap simulator traces";
  case Section::PeakValues:
    return "values at the peaks";
  case Section::Aliases:
    return "aliases";
  }
  return "";
}

/// The first release that prints \p S, as yyyymmdd: 0 for all.
static uint32_t firstRelease(Section S) {
  switch (S) {
  case Section::Used:
    return 20190909; // buffer_assignment.cc
  case Section::Total:
    return 20191014; // buffer_assignment.cc
  case Section::Sequence:
  case Section::Ranges:
  case Section::Peak:
    return 20210407; // hlo_live_range.cc
  case Section::Texts:
    return 20210923; // hlo_value.cc
  case Section::Report:
    return 20241004; // dump.cc
  case Section::Stack:
    return 20250723; // hlo_live_range.cc
  case Section::Allocations:
  case Section::Module:
  case Section::Restated:
  case Section::Traces:
  case Section::PeakValues:
  case Section::Aliases:
    return 0;
  }
  return 0;
}

/// The file that holds \p S where the dump is split (2026-04-03 on), or always.
static std::optional<FileRole> fileOf(const Dump &D, Section S) {
  switch (S) {
  case Section::Report:
    return FileRole::Report;
  case Section::Module:
    return FileRole::Module;
  case Section::Total:
  case Section::Used:
  case Section::Texts:
  case Section::Sequence:
  case Section::Ranges:
  case Section::Peak:
  case Section::Stack:
    break;
  case Section::Allocations:
  case Section::Restated:
  case Section::Traces:
  case Section::PeakValues:
  case Section::Aliases:
    return std::nullopt;
  }
  // What the assignment's file holds itself is in no other file.
  if (!D.Split && D.state(Section::Used) != SectionState::Absent)
    return std::nullopt;
  bool Live = S == Section::Sequence || S == Section::Ranges ||
              S == Section::Peak || S == Section::Stack;
  return Live ? FileRole::LiveRange : FileRole::Values;
}

/// True if the releases that may have written \p A's dump do not print \p S.
static bool isOlder(const Facts &A, Section S) {
  const Dump &D = A.dump();
  const ReleaseWindow &When = A.release();
  uint32_t First = firstRelease(S);
  if (First == 0 || When.impossible())
    return false;
  if (D.Values2019 != ValueForm::Tagged || When.until(First))
    return true;
  // In one text, the section itself gives the date.
  return !fileOf(D, S) && !When.since(First);
}

/// True if \p S is in protos only.
static bool isOfProtos(Section S) {
  return S == Section::Traces || S == Section::PeakValues ||
         S == Section::Aliases;
}

SkipReason hlobuf::explainAbsence(const Facts &A, Section S) {
  SkipReason G;
  // The texts that were printed from a proto prove nothing about each other.
  if (A.dump().fromProto() || isOfProtos(S)) {
    G.Kind = SkipKind::NotApplicable;
    G.Reason = fmt::format("no {} in {}", sectionName(S),
                           A.dump().fromProto() ? "this proto" : "text dumps");
    return G;
  }
  G.Reason = fmt::format("no {}", sectionName(S));
  if (isOlder(A, S)) {
    uint32_t First = firstRelease(S);
    G.Kind = SkipKind::NotApplicable;
    G.Reason += fmt::format(" before {}-{:02}-{:02}", First / 10000,
                            First / 100 % 100, First % 100);
    return G;
  }
  std::optional<FileRole> Role = fileOf(A.dump(), S);
  if (!Role || A.dump().file(*Role).present())
    return G;
  if (const std::optional<CutOff> &Cut = A.dump().cut(*Role))
    G.Reason = Cut->File + " is cut off";
  else
    G.Missing = Role;
  return G;
}

SkipReason hlobuf::explainGap(const Facts &A, Section S, bool OnlyUnknown) {
  const Dump &D = A.dump();
  if (D.state(S) == SectionState::Absent)
    return explainAbsence(A, S);
  SkipReason G;
  if (const std::optional<CutOff> &Cut = D.cut(FileRole::Assignment))
    G.Reason = Cut->File + " is cut off";
  else
    G.Reason = fmt::format(
        "{} {}", OnlyUnknown ? "unknown lines in" : "damaged", sectionName(S));
  return G;
}
