// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fit/FitPlan.h"
#include "Support/Format.h"
#include "Support/HumanBytes.h"
#include "Support/Json.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace hlobuf;

static std::string donationLine(const FitChange &C, const FitPlan &Plan) {
  if (Plan.From == Frontend::PyTorch)
    return "update the tensors in place between two torch_xla.sync()";
  if (Plan.From == Frontend::TensorFlow)
    return "make them tf.Variables that the function assigns";
  StringRef Step = Plan.Module;
  if (!Step.consume_front("jit_") || Step.contains("lambda") ||
      C.Names.empty() || C.Names.front().empty())
    return "give donate_argnames to jax.jit()";
  return fmt::format("{0} = jax.jit({0}, donate_argnames=('{1}',))", Step,
                     llvm::join(C.Names, "', '"));
}

namespace {
/// A change for people.
struct ChangeText {
  std::string Title;
  /// What to write into the program.
  std::string Paste;
  std::string Cost;
};
} // namespace

/// Only JAX and those like it say in op_name what a backward pass is, so that
/// nothing is recomputed in others.
static ChangeText describe(const FitChange &C, const FitPlan &Plan) {
  std::string Name = C.Names.empty() ? "" : C.Names.front();
  switch (C.Kind) {
  case FitKind::Donate:
    return {fmt::format("donate {}", Name.empty()
                                         ? "the arguments that are returned"
                                         : llvm::join(C.Names, ", ")),
            donationLine(C, Plan),
            "nothing, where the caller does not need them afterwards"};
  case FitKind::Recompute:
    return {
        fmt::format("compute {} again in the backward pass{} ({} {} {})", Name,
                    Plan.OneCheckpoint && !C.Scanned
                        ? ", in place of the one checkpoint around all"
                        : "",
                    C.Count, C.Scanned ? "trips of the scan at" : "calls at",
                    llvm::sys::path::filename(C.Source).str()),
        C.Paste,
        fmt::format("up to {} of {} products of matrices again",
                    C.Effect.Products, Plan.Products)};
  case FitKind::Batch:
    break;
  }
  return {fmt::format("a batch of {} instead of {}{}", C.Rows / C.Divisor,
                      C.Rows,
                      Name.empty() ? "" : fmt::format(" (rows of {})", Name)),
          "",
          fmt::format("{0} times as many steps, whose gradients add up to the "
                      "same if no row depends on another one; or shard the "
                      "batch over {0} devices",
                      C.Divisor)};
}

static void printChange(const FitChange &C, const FitPlan &Plan, StringRef Mark,
                        raw_ostream &OS) {
  ChangeText Text = describe(C, Plan);
  OS << fmt::format("  {}{}\n", Mark, Text.Title);
  std::string Indent(2 + Mark.size(), ' ');
  bool AfterDonation = C.Kind != FitKind::Donate && Plan.donates();
  OS << Indent
     << fmt::format("saves {}{}; costs {}\n", humanBytes(C.Saved),
                    AfterDonation ? " after the donation" : "", Text.Cost);
  if (!Text.Paste.empty())
    OS << Indent << "    " << Text.Paste << '\n';
}

static void printVerdict(const FitPlan &Plan, raw_ostream &OS) {
  if (Plan.Changes.empty()) {
    OS << "\nno plan: nothing that is known here saves memory at the peak\n";
    return;
  }
  if (Plan.fits())
    OS << fmt::format(
        "\nplan: {} predicted, {}% of {}:\n", humanBytes(Plan.Predicted),
        Plan.Predicted * 100 / std::max(Plan.Capacity, uint64_t(1)),
        humanBytes(Plan.Capacity));
  else
    OS << fmt::format("\nno plan fits: the best is {} off, {} predicted:\n",
                      humanBytes(Plan.Predicted - Plan.Capacity),
                      humanBytes(Plan.Predicted));
}

static void printGrounds(const FitPlan &Plan, raw_ostream &OS) {
  OS << fmt::format(
      "\npredicted from the live ranges of this schedule: a compiler that "
      "fuses and schedules the changed program in another way ends up "
      "elsewhere: such plans took up to {}% more; compile it to know\n",
      Plan.errorPercent());
  for (const std::string &Note : Plan.Notes)
    OS << "not offered: " << Note << '\n';
}

static bool isSame(const FitChange &X, const FitChange &Y) {
  return X.Kind == Y.Kind && X.Names == Y.Names && X.Source == Y.Source;
}

void hlobuf::printPlan(const FitPlan &Plan, size_t Top, raw_ostream &OS) {
  OS << fmt::format("{}: needs {} of {} {}", Plan.Module,
                    humanBytes(Plan.Allocated), humanBytes(Plan.Capacity),
                    Plan.Space);
  if (Plan.fitsNow()) {
    OS << ", fits\n";
    return;
  }
  OS << fmt::format(", {} too much; peak {}",
                    humanBytes(Plan.Allocated - Plan.Capacity),
                    humanBytes(Plan.Peak));
  if (!Plan.PeakText.empty())
    OS << fmt::format(" at {}", Plan.PeakText);
  OS << '\n';
  printVerdict(Plan, OS);
  for (size_t I = 0; I != Plan.Changes.size(); ++I)
    printChange(Plan.Changes[I], Plan, fmt::format("{}. ", I + 1), OS);
  size_t Shown = 0;
  for (const FitChange &C : Plan.Candidates) {
    if (llvm::any_of(Plan.Changes,
                     [&](const FitChange &Other) { return isSame(C, Other); }))
      continue;
    if (Top != 0 && Shown == Top)
      break;
    if (Shown++ == 0)
      OS << "\nwhat else would save memory:\n";
    printChange(C, Plan, "", OS);
  }
  printGrounds(Plan, OS);
}

static void writeChange(const FitChange &C, const FitPlan &Plan,
                        llvm::json::OStream &J) {
  J.attribute("kind", kindName(C.Kind));
  writeTexts(J, "names", C.Names);
  writeText(J, "source", C.Source);
  J.attribute("saved_bytes", C.Saved);
  if (C.Kind == FitKind::Recompute) {
    J.attribute("scanned", C.Scanned);
    J.attribute("count", C.Count);
  }
  if (C.Kind == FitKind::Batch) {
    J.attribute("rows", C.Rows);
    J.attribute("divisor", C.Divisor);
  }
  J.attribute("recomputed_products", C.Effect.Products);
  std::string Paste = describe(C, Plan).Paste;
  writeTexts(J, "paste", ArrayRef(&Paste, Paste.empty() ? 0 : 1));
}

void hlobuf::writePlan(const FitPlan &Plan, llvm::json::OStream &J) {
  auto Write = [&](const FitChange &C) { writeChange(C, Plan, J); };
  J.object([&] {
    writeText(J, "module", Plan.Module);
    writeText(J, "space", Plan.Space);
    J.attribute("capacity_bytes", Plan.Capacity);
    J.attribute("allocated_bytes", Plan.Allocated);
    J.attribute("peak_bytes", Plan.Peak);
    J.attribute("fits_now", Plan.fitsNow());
    J.attribute("fits", Plan.fits());
    J.attribute("predicted_bytes", Plan.Predicted);
    J.attribute("known_error_percent", Plan.errorPercent());
    J.attribute("products", Plan.Products);
    writeTexts(J, "not_offered", Plan.Notes);
    writeRows(J, "plan", Plan.Changes, Write);
    writeRows(J, "candidates", Plan.Candidates, Write);
  });
}
