//===- Facts/ReleaseWindow.cpp --------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Facts/ReleaseWindow.h"
#include "Dump/Reader.h"
#include "llvm/Support/Path.h"

using namespace hlobuf;
using llvm::StringRef;

namespace {
/// Intersects the bounds of all fingerprints.
class EraFinder {
public:
  explicit EraFinder(const Dump &D) : D(D) {}

  ReleaseWindow find() {
    fromAllocations();
    fromFiles();
    fromTexts();
    fromLive();
    return Result;
  }

private:
  void from(uint32_t Date, const char *Reason) {
    if (Date > Result.From) {
      Result.From = Date;
      Result.FromReason = Reason;
      Result.FromPlace = Place;
    }
  }
  void before(uint32_t Date, const char *Reason) {
    if (Date < Result.Before) {
      Result.Before = Date;
      Result.BeforeReason = Reason;
      Result.BeforePlace = Place;
    }
  }
  /// What is found next is at \p Offset of \p Text.
  void at(StringRef Text, uint32_t Offset) {
    Place = Text.drop_front(std::min<size_t>(Offset, Text.size()));
  }

  void fromAllocations();
  void fromFiles();
  void fromTexts();
  void fromLive();

  const Dump &D;
  ReleaseWindow Result;
  StringRef Place;
};
} // namespace

void EraFinder::fromAllocations() {
  at(D.assignmentText(), D.Values.empty() ? 0 : D.Values.front().Line);
  if (D.Values2019 == ValueForm::OneLine)
    before(20190702, "one-line value lines");
  else if (D.Values2019 == ValueForm::MultiLine)
    before(20190909, "multi-line value lines");
  else if (!D.Values.empty())
    from(20190906, "' value:' lines");
  for (const Allocation &A : D.Allocations) {
    at(D.assignmentText(), A.Line);
    if (A.Pointer)
      before(20220907, "a heap pointer in an allocation header");
    else
      from(20220907, "an allocation header without a heap pointer");
    // Whether to print a page is a guess where the dump was a proto.
    if (D.fromProto())
      ;
    else if (A.Page)
      from(20260810, "a page in an allocation header");
    else
      before(20260810, "an allocation header without a page");
    if (A.HasReuseBlock)
      from(20260617, "a block of buffers of a different color");
    if (!A.isParameter())
      continue;
    if (A.ParameterShape || A.UnknownParameterShape)
      from(20191213, "a parameter's shape between bars");
    else
      before(20191213, "a parameter without a shape");
  }
}

void EraFinder::fromFiles() {
  bool Used = D.state(Section::Used) != SectionState::Absent;
  at(D.usedText(), D.TotalLine);
  // An assignment alone is of 2026, or was cut out of an older file: it proves
  // no date.
  if (D.Split)
    from(20260403, "values and live ranges in files of their own");
  else if (Used && D.Values2019 == ValueForm::Tagged) {
    from(20190909, "used values in the assignment file");
    before(20260403, "used values in the assignment file");
    if (D.state(Section::Total) == SectionState::Absent)
      before(20191014, "no total");
    else
      from(20191014, "a total");
  }
  if (D.state(Section::Total) != SectionState::Absent) {
    if (D.TotalHuman)
      from(20210809, "a human-readable total");
    else
      before(20210809, "a total without a human-readable form");
  }
  const DumpFile &Report = D.file(FileRole::Report);
  if (!Report.present())
    return;
  at(Report.Text, 0);
  if (classify(Report.Text) == TextKind::NewReport)
    from(20260310, "a memory report by memory space");
  else {
    from(20241004, "a memory report");
    before(20260310, "a memory report by allocation");
  }
}

void EraFinder::fromTexts() {
  if (D.state(Section::Used) == SectionState::Absent)
    return;
  at(D.usedText(), D.Used.empty() ? D.TotalLine : D.Used.front().Line);
  switch (D.Texts) {
  case TextForm::None:
    if (!D.Used.empty())
      before(20210923, "used values without instruction texts");
    return;
  case TextForm::NoSpace:
    from(20210923, "instruction texts");
    before(20240116, "no space before instruction texts");
    break;
  case TextForm::Glued:
    from(20240116, "no newline after instruction texts");
    before(20241101, "no newline after instruction texts");
    break;
  case TextForm::Lines:
    from(20240116, "a space before instruction texts");
    if (D.Used.size() > 1)
      from(20241101, "a newline after instruction texts");
    break;
  }
  for (const UsedValue &U : D.Used) {
    at(D.usedText(), U.Line);
    if (U.PrintedNone)
      from(20260602, "'(none)' for a value without uses");
    else if (U.Uses.empty() && !U.UsesUninitialized) {
      if (U.TextSize != 0) // the heading is right before the text
        at(D.usedText(),
           static_cast<uint32_t>(
               D.usedText().take_front(U.TextOffset).rfind(" uses:")));
      before(20260602, "an empty list of uses");
    }
  }
  constexpr size_t Enough = 64;
  for (const Instruction &I :
       llvm::ArrayRef<Instruction>(D.Instructions)
           .take_front(std::min(Enough, D.Instructions.size()))) {
    at(D.usedText(), I.TextOffset);
    if (D.attributes(I).contains("stack_frame_id="))
      from(20251202, "a stack_frame_id");
    if (I.Operands.empty())
      continue;
    // Operands begin with `%` when no shape is printed before them.
    if (D.operandsText(I).starts_with("%"))
      from(20250311, "operands without shapes");
    else
      before(20250311, "operands with shapes");
  }
}

void EraFinder::fromLive() {
  bool Live = D.state(Section::Ranges) != SectionState::Absent;
  at(D.liveText(), D.LiveHeaderLine);
  // What comes after a cut is unknown.
  if (!D.Split && D.Values2019 == ValueForm::Tagged &&
      D.state(Section::Used) != SectionState::Absent &&
      !D.cut(FileRole::Assignment)) {
    if (Live)
      from(20210407, "live ranges");
    else
      before(20210407, "no live ranges");
  }
  if (D.UnboundedPeak)
    from(20260805, "an unbounded dimension instead of a peak");
  if (D.Peak.empty())
    return;
  at(D.liveText(), D.Peak.front().Line);
  switch (D.PeakRows) {
  case PeakForm::Name:
    before(20250414, "peak rows without an index");
    return;
  case PeakForm::Indexed:
    from(20250414, "peak rows with an index");
    before(20250516, "peak rows without cumulative bytes");
    return;
  case PeakForm::Cumulative:
    from(20250516, "peak rows with cumulative bytes");
    break;
  }
  if (D.state(Section::Stack) == SectionState::Absent)
    before(20250723, "no stack trace breakdown");
  else
    from(20250723, "a stack trace breakdown");
}

ReleaseWindow hlobuf::findReleaseWindow(const Dump &D) {
  return EraFinder(D).find();
}

static bool hasTiledValue(const Dump &D) {
  // A tuple holds tiled shapes if and only if some leaf value of it does.
  for (size_t I = 0; I != D.Shapes.size(); ++I)
    if (D.Shapes[ShapeId(I)].isTiled())
      return true;
  return false;
}

/// True if \p Name has a component `.cl_<digits>.` (Google-internal builds).
static bool hasChangelist(StringRef Name) {
  for (size_t At = Name.find(".cl_"); At != StringRef::npos;
       At = Name.find(".cl_", At + 1)) {
    StringRef Digits = Name.drop_front(At + 4).take_while(
        [](char C) { return llvm::isDigit(C); });
    if (!Digits.empty() &&
        Name.drop_front(At + 4 + Digits.size()).starts_with("."))
      return true;
  }
  return false;
}

Backend hlobuf::findBackend(const Dump &D) {
  return hasTiledValue(D) ? Backend::TPU
                          : backendOfName(D.file(FileRole::Assignment).Path);
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
  switch (B) {
  case Backend::CPU:
    return "CPU";
  case Backend::GPU:
    return "GPU";
  case Backend::TPU:
    return "TPU";
  case Backend::Untiled:
    return "CPU or GPU";
  }
  return "";
}
