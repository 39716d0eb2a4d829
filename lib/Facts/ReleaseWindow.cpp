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
  /// What \p R brought is there, or not.
  void judge(bool IsThere, Release R) { IsThere ? from(R) : before(R); }
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
    judge(!Alloc.HasPointer, Release::NoHeapPointers);
    // Whether to print a page is a guess where the dump was a proto.
    if (!D.fromProto())
      judge(Alloc.Page.has_value(), Release::Pages);
    if (Alloc.HasReuseBlock)
      from(Release::OtherColorBlocks);
    if (Alloc.isParameter())
      judge(Alloc.UnknownParameterShape || Alloc.ParameterShape,
            Release::ParameterShapes);
  }
}

void EraFinder::fromFiles() {
  bool Used = D.state(Section::Used) != SectionState::Absent;
  bool Total = D.state(Section::Total) != SectionState::Absent;
  // An assignment alone is of 2026, or was cut out of an older file: it proves
  // no date.
  if (D.Split)
    from(Release::SplitFiles);
  else if (Used) {
    from(Release::UsedValues);
    before(Release::SplitFiles);
    judge(Total, Release::Totals);
  }
  if (Total)
    judge(D.TotalHuman.has_value(), Release::HumanTotals);
  const DumpFile &Report = D.file(FileRole::Report);
  if (!Report.present())
    return;
  from(Release::OldReports);
  judge(classify(Report.Text) == TextKind::NewReport, Release::NewReports);
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
  for (const Instruction &I : ArrayRef(D.Instructions).take_front(Enough)) {
    if (D.attributes(I).contains("stack_frame_id="))
      from(Release::StackFrameIds);
    // Operands begin with `%` when no shape is printed before them.
    if (!D.operands(I).empty())
      judge(D.operandsText(I).starts_with("%"), Release::BareOperands);
  }
}

void EraFinder::fromLive() {
  bool Live = D.state(Section::Ranges) != SectionState::Absent;
  // What comes after a cut is unknown.
  if (!D.Split && D.state(Section::Used) != SectionState::Absent &&
      !D.cut(FileRole::Assignment))
    judge(Live, Release::LiveRanges);
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
  judge(D.state(Section::Stack) != SectionState::Absent, Release::StackTrees);
}

std::string hlobuf::dateText(uint32_t Date) {
  return fmt::format("{}-{:02}-{:02}", Date / 10000, Date / 100 % 100,
                     Date % 100);
}

ReleaseWindow hlobuf::findReleaseWindow(const Dump &D) {
  return EraFinder{D}.find();
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
  // A module that was written by hand may have tiles on any backend. A tuple
  // holds tiled shapes if and only if some leaf value of it does.
  Backend Named = backendOfName(D.file(FileRole::Assignment).Path);
  bool IsTPU = Named == Backend::Untiled &&
               llvm::any_of(ids<ShapeId>(D.Shapes.size()),
                            [&](ShapeId S) { return D.Shapes[S].isTiled(); });
  return IsTPU ? Backend::TPU : Named;
}

Backend hlobuf::backendOfName(StringRef Path) {
  StringRef Name = llvm::sys::path::filename(Path);
  if (Name.contains("cpu_after_optimizations") ||
      Name.contains("cpu_aot_after_optimizations"))
    return Backend::CPU;
  if (Name.contains("_gpu_after_optimizations"))
    return Backend::GPU;
  return hasChangelist(Name) ? Backend::TPU : Backend::Untiled;
}

StringRef hlobuf::backendName(Backend B) {
  static constexpr StringRef Names[] = {"CPU", "GPU", "TPU", "CPU or GPU"};
  return Names[static_cast<size_t>(B)];
}
