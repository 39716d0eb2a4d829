// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Checks/Check.h"
#include "Support/Format.h"

using namespace hlobuf;

/// The file that holds \p S where the dump is split (2026-04-03 on), or always.
static std::optional<FileRole> fileOf(const Dump &D, Section S) {
  FileRole File = infoOf(S).File;
  if (File == FileRole::Assignment || isOnlyInProtos(File))
    return std::nullopt;
  // What the assignment's file holds itself is in no other file.
  bool Combined = !D.Split && D.state(Section::Used) != SectionState::Absent;
  if (Combined && (File == FileRole::Values || File == FileRole::LiveRange))
    return std::nullopt;
  return File;
}

/// True if the releases that may have written \p DumpFacts's dump do not print
/// \p S.
static bool isOlder(const Facts &DumpFacts, Section S) {
  const Dump &D = DumpFacts.dump();
  const ReleaseWindow &Window = DumpFacts.release();
  Release First = infoOf(S).Since;
  if (First == Release::Oldest || Window.impossible())
    return false;
  if (Window.until(First))
    return true;
  // In one text, the section itself gives the date.
  return !fileOf(D, S) && !Window.since(First);
}

SkipReason hlobuf::explainAbsence(const Facts &DumpFacts, Section S) {
  const Dump &D = DumpFacts.dump();
  std::string Text = fmt::format("no {}", infoOf(S).Name);
  // The texts that were printed from a proto prove nothing about each other.
  if (D.fromProto() || isOnlyInProtos(infoOf(S).File))
    return {SkipKind::NotApplicable, std::nullopt,
            Text + (D.fromProto() ? " in this proto" : " in text dumps")};
  if (isOlder(DumpFacts, S))
    return {SkipKind::NotApplicable, std::nullopt,
            Text + " before " + dateText(dateOf(infoOf(S).Since))};
  std::optional<FileRole> Role = fileOf(D, S);
  if (!Role || D.file(*Role).present())
    return {SkipKind::NotChecked, std::nullopt, std::move(Text)};
  if (const std::optional<CutOff> &Cut = D.cut(*Role))
    return {SkipKind::NotChecked, std::nullopt, Cut->File + " is cut off"};
  return {SkipKind::NotChecked, Role, std::move(Text)};
}

SkipReason hlobuf::explainGap(const Facts &DumpFacts, Section S,
                              bool OnlyUnknown) {
  const Dump &D = DumpFacts.dump();
  if (D.state(S) == SectionState::Absent)
    return explainAbsence(DumpFacts, S);
  const std::optional<CutOff> &Cut = D.cut(FileRole::Assignment);
  return {SkipKind::NotChecked, std::nullopt,
          Cut ? Cut->File + " is cut off"
              : fmt::format("{} {}",
                            OnlyUnknown ? "unknown lines in" : "damaged",
                            infoOf(S).Name)};
}
