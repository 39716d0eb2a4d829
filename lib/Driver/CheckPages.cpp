// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --explain.

#include "Driver/CheckSelection.h"
#include "Driver/Driver.h"
#include "Driver/KnownDefects.h"
#include "Dump/Reader.h"
#include "Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace hlobuf;

void hlobuf::listChecks(raw_ostream &Out) {
  auto Sorted = llvm::to_vector(llvm::make_pointer_range(allChecks()));
  size_t IdWidth =
      largestOf(Sorted, [](const CheckInfo *X) { return X->Id.size(); });
  size_t RulesWidth =
      largestOf(Sorted, [](const CheckInfo *X) { return X->Rules.size(); });
  std::ranges::sort(Sorted, {}, [](const CheckInfo *A) { return A->Id; });
  for (const CheckInfo *Info : Sorted)
    Out << fmt::format("{:<{}}  {:<7}  {:<{}}  {}\n", Info->Id, IdWidth,
                       severityName(Info->Level), Info->Rules, RulesWidth,
                       Info->Summary);
}

/// What the reader reports is not a check, but it is printed like one.
static constexpr StringRef SyntaxPage =
    "# syntax\n\nEvery line of a dump must have a form that some XLA release "
    "prints. Any other line\nis an error, and the checks that need its section "
    "do not run.\n";

/// docs/evidence/gates.md.
static constexpr StringRef GatesPage =
#define HLOBUF_GATES(Name, Text) Text
#include "GatesPage.inc"
#undef HLOBUF_GATES
    ;

/// The row of \p Id in the table of gates, in words; empty if there is none.
/// The last line has a number after it: `joined-peak (1)`.
static std::string explainGate(StringRef Id) {
  Id = Id.split(" (").first;
  for (StringRef Row : llvm::split(GatesPage, '\n')) {
    SmallVector<StringRef, 4> Cells;
    if (Row.consume_front("| `") && Row.consume_front(Id) &&
        Row.consume_front("` | ") && Row.consume_back(" |"))
      Row.split(Cells, " | ");
    if (Cells.size() == 3)
      return fmt::format("# {}\n\nA gate: what it covers is assumed, and not "
                         "proved. Checks: {}. Sentences: {}.\n\n{}.\n",
                         Id, Cells[0], Cells[1], Cells[2]);
  }
  return "";
}

bool hlobuf::explainCheck(StringRef Id, raw_ostream &Out, raw_ostream &Err) {
  if (Id == SyntaxCheck) {
    Out << SyntaxPage;
    return true;
  }
  for (const CheckInfo &Info : allChecks())
    if (Info.Id == Id) {
      Out << Info.page();
      return true;
    }
  std::string Text = explainDefect(Id) + explainGate(Id);
  Out << Text;
  if (Text.empty())
    Err << "error: "
        << (Id.starts_with("defect-")
                ? fmt::format("no defect is named '{}' (see docs/defects.md)",
                              Id)
                : unknownCheck(Id))
        << '\n';
  return !Text.empty();
}
