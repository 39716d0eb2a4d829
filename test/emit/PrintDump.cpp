// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dumps back from their models: PrintDump PATH... prints each one from its
// fields, as XLA did. A combined dump is the file, a split one the assignment,
// then values, then live ranges, without comment lines. Of a damaged dump it
// prints what is wrong to standard error, and the exit status is 1.

#include "Dump/Places.h"
#include "Dump/Printer.h"
#include "Input/Load.h"
#include "Support/Format.h"
#include "Support/LineCursor.h"
#include "llvm/Support/raw_ostream.h"

using namespace hlobuf;
using llvm::StringRef;

namespace {
/// Prints one dump into a growing buffer that is handed over in pieces.
class DumpPrinter {
public:
  DumpPrinter(const Dump &D, llvm::raw_ostream &OS) : D(D), OS(OS) {}

  void print();

private:
  void printAllocations();
  void printValue(const Value &V);
  void printUsedSection();
  void printRows(const UsedValue &U);
  void printUsed(const UsedValue &U);
  void printText(const UsedValue &U);
  void printLive();
  void printPeakRow(const PeakRow &R);
  void printStack();

  template <typename... Ts>
  void put(fmt::format_string<Ts...> Format, Ts &&...Args) {
    appendFormat(Buffer, Format, std::forward<Ts>(Args)...);
    if (Buffer.size() > FlushBytes)
      flush();
  }
  void flush() {
    OS.write(Buffer.data(), Buffer.size());
    Buffer.clear();
  }
  StringRef shape(ShapeId Id) const { return D.Shapes.text(Id); }
  /// ` {index}` if it was printed.
  std::string spacedIndex(ShapeIndex Index) const {
    return Index.printed() ? " " + D.Indices.text(Index) : std::string();
  }

  static constexpr size_t FlushBytes = size_t(1) << 16;
  const Dump &D;
  llvm::raw_ostream &OS;
  std::string Buffer;
};
} // namespace

/// \p Number with its thousands separated by spaces.
static std::string spacedNumber(uint64_t Number) {
  std::string Digits = std::to_string(Number);
  for (size_t I = Digits.size(); I > 3; I -= 3)
    Digits.insert(I - 3, 1, ' ');
  return Digits;
}

void DumpPrinter::print() {
  printAllocations();
  bool Combined = !D.Split && D.state(Section::Used) != SectionState::Absent;
  if (Combined || D.file(FileRole::Values).present())
    printUsedSection();
  bool Live =
      D.RangesUnavailable || D.state(Section::Sequence) != SectionState::Absent;
  if (Live) {
    if (!D.Split)
      put("{}", D.Texts == TextForm::Glued ? "\n" : "\n\n");
    printLive();
  }
  flush();
}

void DumpPrinter::printAllocations() {
  put("BufferAssignment:\n");
  for (const Allocation &A : D.Allocations) {
    put("{}\n", allocationHeader(D, A, std::to_string(A.Size)));
    for (uint32_t V = A.Values.Begin; V != A.Values.End; ++V)
      printValue(D.Values[V]);
    if (A.HasReuseBlock)
      put(" reused by buffers of a different color:\n");
    for (const ReusedValue &R : D.reused(A))
      put("  value: {} (color={})\n", D.spell(R.Tag), R.Color);
  }
}

void DumpPrinter::printValue(const Value &V) {
  put(" value: {} (size={},offset={}): {}\n", D.spell(V.Tag), V.Size, V.Offset,
      shape(V.Shape));
}

void DumpPrinter::printUsedSection() {
  if (D.state(Section::Total) != SectionState::Absent) {
    put("\nTotal bytes used: {}", D.Total);
    if (D.TotalHuman)
      put(" ({})", *D.TotalHuman);
    put("\n");
  }
  put("\nUsed values:\n");
  for (const UsedValue &U : D.Used)
    printUsed(U);
  if (D.Texts == TextForm::Glued)
    put("\n");
}

void DumpPrinter::printRows(const UsedValue &U) {
  for (const Position &P : D.positions(U))
    put("  {}{}\n", D.Names[P.Name], spacedIndex(P.Index));
  if (U.UsesUninitialized)
    put(" uses are not initialized yet.\n");
  else
    put(" uses:\n");
  for (const Use &Row : D.uses(U))
    put("  {}, operand {}{}\n", D.Names[Row.Name], Row.Operand,
        spacedIndex(Row.Index));
  if (U.PrintedNone)
    put("  (none)\n");
}

void DumpPrinter::printUsed(const UsedValue &U) {
  put("{}\n positions:\n", D.spell(U.Tag));
  printRows(U);
  if (D.Texts == TextForm::None)
    return;
  put(" from instruction:{}", D.Texts == TextForm::NoSpace ? "" : " ");
  printText(U);
  if (D.Texts != TextForm::Glued)
    put("\n");
}

/// The text of an instruction: name, shape and opcode from the model, operands
/// and attributes as they were read.
void DumpPrinter::printText(const UsedValue &U) {
  StringRef Text = D.text(U);
  if (!U.FirstText) {
    put("{}", Text);
    return;
  }
  const Instruction &I = D.firstOf(U);
  StringRef Head = D.head(I);
  StringRef OpcodeText = Head.substr(Head.rfind(' ') + 1);
  put("{}{} = {} {}{}", Head.starts_with("%") ? "%" : "", D.Names[I.Name],
      shape(I.Result), OpcodeText, Text.drop_front(Head.size()));
}

void DumpPrinter::printLive() {
  if (D.RangesUnavailable) {
    put("HloLiveRange not available (finalized or constructed from proto)");
    return;
  }
  put("HloLiveRange (max {}):\n  InstructionSequence:\n", D.MaxStep);
  for (const SequenceRow &R : D.Sequence)
    put("    {}:{}\n", R.Ordinal, D.Names[R.Name]);
  put("  BufferLiveRange:\n");
  for (const LiveRangeRow &R : D.Ranges)
    put("    {}{}:{}-{}\n", D.Names[R.Name], D.Indices.text(R.Index), R.Start,
        R.End);
  if (D.UnboundedPeak) {
    put("  Peak memory could not be determined due to unbounded dynamic "
        "shape.\n");
    return;
  }
  put("  Live ranges at {} (peak):\n", D.PeakStep);
  for (const PeakRow &R : D.Peak)
    printPeakRow(R);
  if (D.state(Section::Stack) != SectionState::Absent)
    printStack();
  for (size_t S = 0; S != NumSections; ++S)
    if (infoOf(static_cast<Section>(S)).File == FileRole::LiveRange)
      for (LineCursor In(D.SectionTexts[S]); !In.atEnd(); In.advance())
        put("{}\n", In.line());
}

void DumpPrinter::printPeakRow(const PeakRow &R) {
  put("    {}: {} bytes", D.spell(R.Name, R.Index), R.Bytes);
  if (D.PeakRows == PeakForm::Cumulative)
    put(" (cumulative: {} bytes)", R.Cumulative);
  put("\n");
}

/// Whether each node of the tree is the last one under its parent.
static std::vector<bool> findLastChildren(llvm::ArrayRef<StackNode> Nodes) {
  std::vector<bool> Last(Nodes.size(), true);
  std::vector<bool> SeenLater;
  for (size_t I = Nodes.size(); I-- != 0;) {
    uint32_t Depth = Nodes[I].Depth;
    if (SeenLater.size() <= Depth)
      SeenLater.resize(Depth + 1, false);
    Last[I] = !SeenLater[Depth];
    SeenLater[Depth] = true;
    std::fill(SeenLater.begin() + Depth + 1, SeenLater.end(), false);
  }
  return Last;
}

void DumpPrinter::printStack() {
  put("  Stack trace breakdown for peak usage: {} bytes\n",
      spacedNumber(D.StackTotal));
  std::vector<bool> Last = findLastChildren(D.Stack);
  std::vector<bool> OpenAt;
  for (size_t I = 0; I != D.Stack.size(); ++I) {
    const StackNode &N = D.Stack[I];
    OpenAt.resize(std::max<size_t>(OpenAt.size(), N.Depth + 1), false);
    put("  ");
    for (uint32_t Column = 1; Column < N.Depth; ++Column)
      put("{}", OpenAt[Column] && Column > 1 ? "\u2502   " : "    ");
    if (N.Depth == 1)
      put("  ");
    else
      put("{}", Last[I] ? "\u2514\u2500\u2500 " : "\u251c\u2500\u2500 ");
    OpenAt[N.Depth] = !Last[I];
    std::string Percent =
        N.PercentTenths == -1 ? "nan"
        : N.PercentTenths == -2
            ? "-nan"
            : fmt::format("{}.{}", N.PercentTenths / 10, N.PercentTenths % 10);
    put("{}\n",
        stackLine(D.stackName(N), Percent, N.Total, N.Current, N.Remaining));
  }
}

int main(int Argc, char **Argv) {
  int Status = 0;
  std::vector<std::string> Paths(Argv + 1, Argv + Argc);
  for (const Input &In : findInputs(Paths).Dumps) {
    llvm::Expected<std::unique_ptr<LoadedDump>> L = loadWhole(In);
    if (L) {
      DumpPrinter(*(*L)->Model, llvm::outs()).print();
      continue;
    }
    llvm::errs() << llvm::toString(L.takeError()) << '\n';
    Status = 1;
  }
  return Status;
}
