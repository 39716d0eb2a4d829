//===- Checks/Ranges/SequenceForm.cpp -------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rows of InstructionSequence are numbered 0, 1, 2, ..., name no
// instruction twice, and their number is the `max` of the heading. XLA prints
// the flattened schedule with a running counter (hlo_live_range.cc, since
// 2021-04-07) and lists a computation that is called twice only once; the
// HloVerifier makes instruction names unique in a module. No exception is
// known. A module that is not fully scheduled prints `max 0` and no rows.
//
//===----------------------------------------------------------------------===//

#include "Checks/Check.h"

using namespace hlobuf;

/// Reports row \p I, whose number is not \p Expected; the number that the next
/// row should have.
static uint32_t reportOrdinal(const CheckContext &A, Reporter &R, uint32_t I,
                              uint32_t Expected) {
  const Dump &D = A.dump();
  const SequenceRow &Row = D.Sequence[I];
  llvm::StringRef Where = A.places().row(Row).First;
  bool HasNext = I + 1 < D.Sequence.size();
  uint32_t Next = HasNext ? D.Sequence[I + 1].Ordinal : 0;
  bool Exchanged = HasNext && Row.Ordinal == Expected + 1 && Next == Expected;
  // One wrong number, or a gap that goes on?
  bool OnlyHere =
      Exchanged || (HasNext ? Next == Expected + 1 : D.MaxStep == Expected + 1);
  Finding F =
      R.report(Where, "step {} ('{}') is out of order, expected step {}",
               Row.Ordinal, D.Names[Row.Name], Expected);
  F.about(Section::Sequence).about(Row.Name);
  if (Exchanged)
    F.note(A.places().row(D.Sequence[I + 1]).First, "step {} comes after it",
           Expected);
  else if (!OnlyHere && I > 0)
    F.note(A.places().row(D.Sequence[I - 1]).First,
           "the previous row is step {}", D.Sequence[I - 1].Ordinal);
  return OnlyHere ? Expected + 1 : Row.Ordinal + 1;
}

static void checkOrdinals(const CheckContext &A, Reporter &R) {
  const Dump &D = A.dump();
  uint32_t Expected = 0;
  for (uint32_t I = 0; I != D.Sequence.size(); ++I) {
    if (D.Sequence[I].Ordinal == Expected) {
      ++Expected;
      continue;
    }
    bool Exchanged = I + 1 < D.Sequence.size() &&
                     D.Sequence[I].Ordinal == Expected + 1 &&
                     D.Sequence[I + 1].Ordinal == Expected;
    Expected = reportOrdinal(A, R, I, Expected);
    if (Exchanged) {
      ++I;
      ++Expected;
    }
  }
}

static void checkNames(const CheckContext &A, Reporter &R) {
  const Dump &D = A.dump();
  constexpr uint32_t Unseen = ~uint32_t(0);
  std::vector<uint32_t> First(D.Names.size(), Unseen);
  for (uint32_t I = 0; I != D.Sequence.size(); ++I) {
    const SequenceRow &Row = D.Sequence[I];
    uint32_t &Before = First[Row.Name.index()];
    if (Before == Unseen) {
      Before = I;
      continue;
    }
    R.report(A.places().row(Row).Name,
             "'{}' is in the instruction sequence twice, as step {} and step "
             "{}",
             D.Names[Row.Name], D.Sequence[Before].Ordinal, Row.Ordinal)
        .note(A.places().row(D.Sequence[Before]).Name, "its first step is here")
        .about(Section::Sequence)
        .about(Row.Name);
  }
}

namespace hlobuf {
void checkSequenceForm(const CheckContext &A, Reporter &R) {
  const Dump &D = A.dump();
  checkOrdinals(A, R);
  checkNames(A, R);
  // A heading that goes with the last number is right: rows are missing, or
  // there twice, and were reported.
  bool FitsLast = !D.Sequence.empty() &&
                  D.MaxStep == uint64_t(D.Sequence.back().Ordinal) + 1;
  if (FitsLast || D.MaxStep == D.Sequence.size())
    return;
  Finding F = R.report(A.places().liveHeader().First,
                       "the heading says {} steps, but the instruction "
                       "sequence has {} rows",
                       D.MaxStep, D.Sequence.size());
  F.about(Section::Sequence);
  if (!D.Sequence.empty())
    F.note(A.places().line(D.Sequence.back()), "the last row is here");
}
} // namespace hlobuf
