// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Facts/ReleaseWindow.h"
#include "Dump/Reader.h"
#include "Support/Format.h"
#include "llvm/Support/Path.h"

using namespace hlobuf;

namespace {
/// Intersects the bounds of all fingerprints.
struct EraFinder {
  ReleaseWindow find() {
    fromAllocations();
    fromFiles();
    fromTexts();
    fromLive();
    return Result;
  }

  void from(Release R) { Result.From = std::max(Result.From, dateOf(R)); }
  void before(Release R) { Result.Before = std::min(Result.Before, dateOf(R)); }
  void fromAllocations();
  void fromFiles();
  void fromTexts();
  void fromLive();

  const Dump &D;
  ReleaseWindow Result = {};
};
} // namespace

void EraFinder::fromAllocations() {
  if (!D.Values.empty())
    from(Release::TaggedValues);
  for (const Allocation &Alloc : D.Allocations) {
    if (Alloc.HasPointer)
      before(Release::NoHeapPointers);
    else
      from(Release::NoHeapPointers);
    // Whether to print a page is a guess where the dump was a proto.
    if (D.fromProto())
      ;
    else if (Alloc.Page)
      from(Release::Pages);
    else
      before(Release::Pages);
    if (Alloc.HasReuseBlock)
      from(Release::OtherColorBlocks);
    if (!Alloc.isParameter())
      continue;
    if (Alloc.UnknownParameterShape || Alloc.ParameterShape)
      from(Release::ParameterShapes);
    else
      before(Release::ParameterShapes);
  }
}

void EraFinder::fromFiles() {
  bool Used = D.state(Section::Used) != SectionState::Absent;
  // An assignment alone is of 2026, or was cut out of an older file: it proves
  // no date.
  if (D.Split)
    from(Release::SplitFiles);
  else if (Used) {
    from(Release::UsedValues);
    before(Release::SplitFiles);
    if (D.state(Section::Total) == SectionState::Absent)
      before(Release::Totals);
    else
      from(Release::Totals);
  }
  if (D.state(Section::Total) != SectionState::Absent) {
    if (D.TotalHuman)
      from(Release::HumanTotals);
    else
      before(Release::HumanTotals);
  }
  const DumpFile &Report = D.file(FileRole::Report);
  if (!Report.present())
    return;
  if (classify(Report.Text) == TextKind::NewReport)
    from(Release::NewReports);
  else {
    from(Release::OldReports);
    before(Release::NewReports);
  }
}

void EraFinder::fromTexts() {
  if (D.state(Section::Used) == SectionState::Absent)
    return;
  switch (D.Texts) {
  case TextForm::None:
    if (!D.Used.empty())
      before(Release::Texts);
    return;
  case TextForm::NoSpace:
    from(Release::Texts);
    before(Release::TextSpaces);
    break;
  case TextForm::Glued:
    from(Release::NewlineLost);
    before(Release::NewlineBack);
    break;
  case TextForm::Lines:
    from(Release::TextSpaces);
    if (D.Used.size() > 1)
      from(Release::NewlineBack);
    break;
  }
  for (const UsedValue &U : D.Used)
    if (U.PrintedNone)
      from(Release::NoneLines);
    else if (D.uses(U).empty() && !U.UsesUninitialized)
      before(Release::NoneLines);
  constexpr size_t Enough = 64;
  for (const Instruction &I :
       ArrayRef<Instruction>(D.Instructions)
           .take_front(std::min(Enough, D.Instructions.size()))) {
    if (D.attributes(I).contains("stack_frame_id="))
      from(Release::StackFrameIds);
    if (D.operands(I).empty())
      continue;
    // Operands begin with `%` when no shape is printed before them.
    if (D.operandsText(I).starts_with("%"))
      from(Release::BareOperands);
    else
      before(Release::BareOperands);
  }
}

void EraFinder::fromLive() {
  bool Live = D.state(Section::Ranges) != SectionState::Absent;
  // What comes after a cut is unknown.
  if (!D.Split && D.state(Section::Used) != SectionState::Absent &&
      !D.cut(FileRole::Assignment)) {
    if (Live)
      from(Release::LiveRanges);
    else
      before(Release::LiveRanges);
  }
  if (D.UnboundedPeak)
    from(Release::UnboundedPeaks);
  if (D.Peak.empty())
    return;
  switch (D.PeakRows) {
  case PeakForm::Name:
    before(Release::PeakIndices);
    return;
  case PeakForm::Indexed:
    from(Release::PeakIndices);
    before(Release::PeakSums);
    return;
  case PeakForm::Cumulative:
    from(Release::PeakSums);
    break;
  }
  if (D.state(Section::Stack) == SectionState::Absent)
    before(Release::StackTrees);
  else
    from(Release::StackTrees);
}

std::string hlobuf::dateText(uint32_t Date) {
  return fmt::format("{}-{:02}-{:02}", Date / 10000, Date / 100 % 100,
                     Date % 100);
}

ReleaseWindow hlobuf::findReleaseWindow(const Dump &D) {
  return EraFinder{D}.find();
}

static bool hasTiledValue(const Dump &D) {
  // A tuple holds tiled shapes if and only if some leaf value of it does.
  for (ShapeId Shape : ids<ShapeId>(D.Shapes.size()))
    if (D.Shapes[Shape].isTiled())
      return true;
  return false;
}

/// True if \p Name has a component `.cl_<digits>.` (Google-internal builds).
static bool hasChangelist(StringRef Name) {
  for (size_t Pos = Name.find(".cl_"); Pos != StringRef::npos;
       Pos = Name.find(".cl_", Pos + 1)) {
    StringRef Digits = Name.drop_front(Pos + 4).take_while(
        [](char C) { return llvm::isDigit(C); });
    if (!Digits.empty() &&
        Name.drop_front(Pos + 4 + Digits.size()).starts_with("."))
      return true;
  }
  return false;
}

Backend hlobuf::findBackend(const Dump &D) {
  // A module that was written by hand may have tiles on any backend.
  Backend Named = backendOfName(D.file(FileRole::Assignment).Path);
  return Named == Backend::Untiled && hasTiledValue(D) ? Backend::TPU : Named;
}

Backend hlobuf::backendOfName(StringRef Path) {
  StringRef Name = llvm::sys::path::filename(Path);
  if (Name.contains("cpu_after_optimizations") ||
      Name.contains("cpu_aot_after_optimizations"))
    return Backend::CPU;
  if (Name.contains("_gpu_after_optimizations"))
    return Backend::GPU;
  if (hasChangelist(Name))
    return Backend::TPU;
  return Backend::Untiled;
}

StringRef hlobuf::backendName(Backend B) {
  static constexpr StringRef Names[] = {"CPU", "GPU", "TPU", "CPU or GPU"};
  return Names[static_cast<size_t>(B)];
}
