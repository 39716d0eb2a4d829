//===- Checks/SkipReason.cpp ----------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks/SkipReason.h"
#include "Support/Format.h"

using namespace hlobuf;

/// The file that holds \p S where the dump is split (2026-04-03 on), or always.
static std::optional<FileRole> fileOf(const Dump &D, Section S) {
  FileRole File = infoOf(S).File;
  if (File == FileRole::Assignment || File == FileRole::Traces)
    return std::nullopt;
  // What the assignment's file holds itself is in no other file.
  bool Combined = !D.Split && D.state(Section::Used) != SectionState::Absent;
  if (Combined && (File == FileRole::Values || File == FileRole::LiveRange))
    return std::nullopt;
  return File;
}

/// True if the releases that may have written \p A's dump do not print \p S.
static bool isOlder(const Facts &A, Section S) {
  const Dump &D = A.dump();
  const ReleaseWindow &When = A.release();
  Release First = infoOf(S).Since;
  if (First == Release::Oldest || When.impossible())
    return false;
  if (D.Values2019 != ValueForm::Tagged || When.until(First))
    return true;
  // In one text, the section itself gives the date.
  return !fileOf(D, S) && !When.since(First);
}

SkipReason hlobuf::explainAbsence(const Facts &A, Section S) {
  SkipReason G;
  // The texts that were printed from a proto prove nothing about each other.
  if (A.dump().fromProto() || infoOf(S).File == FileRole::Traces) {
    G.Kind = SkipKind::NotApplicable;
    G.Reason = fmt::format("no {} in {}", infoOf(S).Name,
                           A.dump().fromProto() ? "this proto" : "text dumps");
    return G;
  }
  G.Reason = fmt::format("no {}", infoOf(S).Name);
  if (isOlder(A, S)) {
    G.Kind = SkipKind::NotApplicable;
    G.Reason += " before " + dateText(infoOf(infoOf(S).Since).Date);
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
        "{} {}", OnlyUnknown ? "unknown lines in" : "damaged", infoOf(S).Name);
  return G;
}
