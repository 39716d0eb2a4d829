// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dump/CutOff.h"
#include "Support/Format.h"

using namespace hlobuf;

StringRef hlobuf::wholeLines(StringRef Text) {
  if (Text ==
      "HloLiveRange not available (finalized or constructed from proto)")
    return Text;
  return Text.take_front(Text.rfind('\n') + 1);
}

bool hlobuf::endsInFirstLine(StringRef Text, FileRole Role) {
  if (Text.empty())
    return false;
  SmallVector<StringRef, 2> Kinds;
  infoOf(Role).FirstLines.split(Kinds, '|');
  StringRef Line = Text.ltrim('\n');
  return llvm::any_of(Kinds, [&](StringRef Kind) {
    // Of `Total bytes used: 12`, two kinds of files have the next line.
    return Kind.starts_with(Line) ||
           (Kind.ends_with(":") && Line.starts_with(Kind) &&
            !Line.rtrim('\n').contains('\n'));
  });
}

std::string hlobuf::describeCut(const CutOff &Cut) {
  return fmt::format("the file ends inside {}{}{}: it was cut off",
                     infoOf(Cut.In).Heading, Cut.Evidence.empty() ? "" : ", ",
                     Cut.Evidence);
}

bool hlobuf::endsAsMeant(const Dump &D) {
  if (D.fromProto() || D.file(FileRole::Assignment).Framed)
    return true;
  return llvm::any_of(ArrayRef<FileRole>{FileRole::Assignment, FileRole::Values,
                                         FileRole::LiveRange, FileRole::Module},
                      [&](FileRole Role) {
                        return D.file(Role).present() &&
                               D.Commented[static_cast<size_t>(Role)];
                      });
}

SmallVector<Section, 8> hlobuf::sectionsOf(const Dump &D, FileRole Role) {
  SmallVector<Section, 8> Sections;
  bool Combined = Role == FileRole::Assignment && !D.Split;
  for (size_t I = 0; I != NumSections; ++I) {
    auto S = static_cast<Section>(I);
    FileRole Own = infoOf(S).File;
    if (S != Section::Restated &&
        (Combined ? Own <= FileRole::LiveRange : Own == Role))
      Sections.push_back(S);
  }
  return Sections;
}

/// Forgets what was read of \p S, and marks it as damaged.
static void drop(Dump &D, Section S) {
  D.States[static_cast<size_t>(S)] = SectionState::Damaged;
  switch (S) {
  case Section::Used:
    D.Used.clear();
    D.Positions.clear();
    D.Uses.clear();
    D.OtherTexts.clear();
    break;
  case Section::Texts:
    D.Instructions.clear();
    D.OperandNames.clear();
    break;
  case Section::Sequence:
    D.Sequence.clear();
    break;
  case Section::Ranges:
    D.Ranges.clear();
    break;
  case Section::Peak:
    D.Peak.clear();
    break;
  case Section::Stack:
    D.Stack.clear();
    break;
  default:
    D.SectionTexts[static_cast<size_t>(S)] = StringRef();
    break;
  }
}

void hlobuf::dropCutSections(Dump &D) {
  const std::optional<CutOff> &Cut = D.cut(FileRole::Assignment);
  if (!Cut)
    return;
  // Nothing can be compared with a part of the allocations.
  if (Cut->In == Section::Allocations)
    return D.States.fill(SectionState::Damaged);
  for (size_t I = static_cast<size_t>(Cut->In); I != NumSections; ++I)
    if (auto S = static_cast<Section>(I);
        S != Section::Restated && infoOf(S).File <= FileRole::LiveRange)
      drop(D, S);
}
