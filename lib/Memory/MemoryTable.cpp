//===- Memory/MemoryTable.cpp ---------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory/MemorySummary.h"
#include "Support/Format.h"
#include "Support/HumanBytes.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace hlobuf;
using llvm::StringRef;
namespace json = llvm::json;

/// Bytes of a shape that the table shows.
static constexpr size_t ShapeBytes = 44;
/// Modules that a folder's table shows.
static constexpr size_t MaxModules = 10;

static StringRef kindKey(size_t Kind) {
  return static_cast<MemoryKind>(Kind) == MemoryKind::ThreadLocal
             ? "thread_local"
         : static_cast<MemoryKind>(Kind) == MemoryKind::LiveOut
             ? "live_out"
             : kindName(static_cast<MemoryKind>(Kind));
}

/// `12.3%` of \p Whole.
static std::string share(uint64_t Part, uint64_t Whole) {
  if (Whole == 0)
    return "0.0%";
  return fmt::format("{:.1f}%", 100.0 * static_cast<double>(Part) /
                                    static_cast<double>(Whole));
}

static void printRow(StringRef Label, uint64_t Bytes, StringRef Text,
                     llvm::raw_ostream &OS) {
  std::string Line =
      fmt::format("  {:<22}{:>10}  {}", Label, humanBytes(Bytes), Text);
  OS << StringRef(Line).rtrim() << '\n';
}

static void printKinds(const std::array<uint64_t, NumMemoryKinds> &ByKind,
                       uint64_t Total, llvm::raw_ostream &OS) {
  for (size_t Kind = 0; Kind != NumMemoryKinds; ++Kind)
    if (ByKind[Kind] != 0)
      printRow(kindName(static_cast<MemoryKind>(Kind)), ByKind[Kind],
               share(ByKind[Kind], Total), OS);
}

static void printPeak(const MemorySummary &M, llvm::raw_ostream &OS) {
  if (!M.Peak) {
    OS << "  peak                     unknown  (no sound live ranges, no "
          "scheduled module)\n";
    return;
  }
  std::string At = fmt::format("at step {}", M.Peak->Step);
  if (!M.Peak->Instruction.empty())
    At += fmt::format(" ({})", M.Peak->Instruction);
  if (M.Peak->Derived)
    At += ", from the module";
  printRow("live at the peak", M.Peak->Live, At, OS);
  if (M.Peak->Counted != M.Peak->Live)
    printRow("  as XLA counts", M.Peak->Counted,
             "unpadded, values that share bytes one by one", OS);
  if (M.temp() != 0 && M.MostLiveTemp)
    printRow("temp never live", M.temp() - *M.MostLiveTemp,
             fmt::format("{} of temp: at most {} live at one time",
                         share(M.temp() - *M.MostLiveTemp, M.temp()),
                         humanBytes(*M.MostLiveTemp)),
             OS);
}

static void printPadding(const MemorySummary &M, llvm::raw_ostream &OS) {
  if (M.Padding.Total == 0)
    return;
  std::string Text =
      fmt::format("{} in the largest temp", humanBytes(M.Padding.LargestTemp));
  if (M.Padding.AtPeak)
    Text += fmt::format(", {} at the peak", humanBytes(*M.Padding.AtPeak));
  printRow("padding", M.Padding.Total, Text, OS);
}

static void printLargest(const MemorySummary &M, llvm::raw_ostream &OS) {
  if (M.Largest.empty())
    return;
  OS << (M.Peak ? "  largest values at the peak:\n" : "  largest values:\n");
  size_t NameWidth = 0;
  size_t ShapeWidth = 0;
  std::vector<std::string> Shapes;
  for (const LargeValue &V : M.Largest) {
    Shapes.push_back(V.Shape.size() > ShapeBytes
                         ? V.Shape.substr(0, ShapeBytes - 3) + "..."
                         : V.Shape);
    NameWidth = std::max(NameWidth, V.Name.size());
    ShapeWidth = std::max(ShapeWidth, Shapes.back().size());
  }
  for (size_t I = 0; I != M.Largest.size(); ++I) {
    const LargeValue &V = M.Largest[I];
    std::string Line =
        fmt::format("  {:>12}  {:<{}}  {:<{}}  {}", humanBytes(V.Bytes),
                    Shapes[I], ShapeWidth, V.Name, NameWidth, V.Source);
    OS << StringRef(Line).rtrim() << '\n';
  }
}

void hlobuf::printMemory(const MemorySummary &M, StringRef Name,
                         llvm::raw_ostream &OS) {
  OS << fmt::format("memory of {}: {}\n", Name, humanBytes(M.Total));
  printKinds(M.ByKind, M.Total, OS);
  if (M.ByColor.size() > 1)
    for (auto [Color, Bytes] : M.ByColor)
      printRow(fmt::format("color {}", Color), Bytes, "", OS);
  printPeak(M, OS);
  printPadding(M, OS);
  printLargest(M, OS);
  if (M.Donation)
    OS << fmt::format("  donation: {} kept, {} missed, {} more possible\n",
                      M.Donation->Kept, M.Donation->Missed,
                      M.Donation->Possible);
}

static void writeValue(const LargeValue &V, json::OStream &J) {
  auto Text = [](const std::string &S) { return json::fixUTF8(S); };
  J.object([&] {
    J.attribute("value", Text(V.Name));
    J.attribute("bytes", V.Bytes);
    J.attribute("shape", Text(V.Shape));
    J.attribute("allocation", V.Allocation);
    if (!V.Source.empty())
      J.attribute("source", Text(V.Source));
  });
}

static void writePeak(const MemorySummary &M, json::OStream &J) {
  if (M.Peak)
    J.attributeObject("peak", [&] {
      J.attribute("step", M.Peak->Step);
      if (!M.Peak->Instruction.empty())
        J.attribute("instruction", json::fixUTF8(M.Peak->Instruction));
      J.attribute("live_bytes", M.Peak->Live);
      J.attribute("xla_bytes", M.Peak->Counted);
      J.attribute("from", M.Peak->Derived ? "module" : "dump");
    });
  J.attributeObject("temp", [&] {
    J.attribute("bytes", M.temp());
    if (M.MostLiveTemp)
      J.attribute("most_live_bytes", *M.MostLiveTemp);
  });
  J.attributeObject("padding", [&] {
    J.attribute("bytes", M.Padding.Total);
    J.attribute("largest_temp_bytes", M.Padding.LargestTemp);
    if (M.Padding.AtPeak)
      J.attribute("peak_bytes", *M.Padding.AtPeak);
  });
}

static void writeSpace(const SpaceSummary &S, json::OStream &J) {
  J.object([&] {
    J.attribute("color", S.Color);
    J.attribute("name", S.Name);
    J.attribute("bytes", S.Allocated);
    J.attribute("resident_bytes", S.Resident);
    if (!S.PeakStep)
      return;
    J.attribute("peak_step", *S.PeakStep);
    J.attribute("peak_instruction", json::fixUTF8(S.Instruction));
    J.attribute("peak_bytes", S.Peak);
    J.attribute("unpadded_peak_bytes", S.Unpadded);
  });
}

void hlobuf::writeMemory(const MemorySummary &M, json::OStream &J) {
  J.object([&] {
    J.attribute("total_bytes", M.Total);
    J.attributeObject("kinds", [&] {
      for (size_t Kind = 0; Kind != NumMemoryKinds; ++Kind)
        J.attribute(kindKey(Kind), M.ByKind[Kind]);
    });
    J.attributeArray("colors", [&] {
      for (auto [Color, Bytes] : M.ByColor)
        J.object([&, Color = Color, Bytes = Bytes] {
          J.attribute("color", Color);
          J.attribute("bytes", Bytes);
        });
    });
    if (M.Times != TimeSource::Unknown)
      J.attribute("times", M.Times == TimeSource::Dump ? "dump" : "module");
    J.attributeArray("spaces", [&] {
      for (const SpaceSummary &S : M.Spaces)
        writeSpace(S, J);
    });
    writePeak(M, J);
    J.attributeArray("largest", [&] {
      for (const LargeValue &V : M.Largest)
        writeValue(V, J);
    });
    if (M.Donation)
      J.attributeObject("donation", [&] {
        J.attribute("kept", M.Donation->Kept);
        J.attribute("missed", M.Donation->Missed);
        J.attribute("possible", M.Donation->Possible);
      });
  });
}

void MemoryTotals::add(StringRef Name, const MemorySummary &M) {
  ++Count;
  Total += M.Total;
  for (size_t Kind = 0; Kind != NumMemoryKinds; ++Kind)
    ByKind[Kind] += M.ByKind[Kind];
  auto At = llvm::partition_point(
      Largest, [&](const Entry &E) { return E.Bytes >= M.Total; });
  Largest.insert(At, {M.Total, M.temp(), Name.str()});
  if (Largest.size() > MaxModules)
    Largest.pop_back();
}

void MemoryTotals::print(llvm::raw_ostream &OS) const {
  OS << fmt::format("memory of {} modules: {}\n", Count, humanBytes(Total));
  printKinds(ByKind, Total, OS);
  OS << "  largest modules:\n";
  for (const Entry &E : Largest)
    OS << fmt::format("  {:>12}  {:>10} temp  {}\n", humanBytes(E.Bytes),
                      humanBytes(E.Temp), E.Name);
}
