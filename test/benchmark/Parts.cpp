// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of a run, timed one by one.
//
// HlobufBenchmarks ASSIGNMENT [--benchmark_filter=..]: see docs/evidence/benchmarks.md.

#include "Checks/Context.h"
#include "Dataflow/ModuleAnalysis.h"
#include "Facts/Overlap.h"
#include "Input/Load.h"
#include <benchmark/benchmark.h>

using namespace hlobuf;

static std::unique_ptr<LoadedDump> loadFrom(const std::string &Path) {
  Input In;
  In.Path = Path;
  locateFiles(In, SiblingPaths());
  llvm::Expected<std::unique_ptr<LoadedDump>> L = load(In, SiblingPaths());
  if (L)
    return std::move(*L);
  llvm::errs() << llvm::toString(L.takeError()) << '\n';
  return nullptr;
}

static void setBytes(benchmark::State &State, size_t Bytes) {
  State.SetBytesProcessed(static_cast<int64_t>(State.iterations() * Bytes));
}

static void read(benchmark::State &State, const LoadedDump &L) {
  for (auto _ : State) {
    SyntaxErrors Syntax;
    auto Files = L.Model->Files;
    Files[static_cast<size_t>(FileRole::Module)] = DumpFile();
    benchmark::DoNotOptimize(readDump(Files, Syntax));
  }
  size_t Bytes = L.Texts.bytes();
  setBytes(State, Bytes - L.Model->file(FileRole::Module).Text.size());
}

static void parseModule(benchmark::State &State, const LoadedDump &L) {
  llvm::StringRef Text = L.Model->file(FileRole::Module).Text;
  for (auto _ : State) {
    NameTable Names;
    ShapeTable Shapes;
    ShapeIndexTable Indices;
    benchmark::DoNotOptimize(readModule(Text, {Names, Shapes, Indices},
                                        [](llvm::StringRef, std::string) {}));
  }
  setBytes(State, Text.size());
}

static void analyzeModule(benchmark::State &State, const LoadedDump &L) {
  for (auto _ : State) {
    CheckContext Context(*L.Model);
    benchmark::DoNotOptimize(Context.moduleAnalysis());
  }
  setBytes(State, L.Model->file(FileRole::Module).Text.size());
}

static void sweepOverlaps(benchmark::State &State, const LoadedDump &L) {
  Facts A(*L.Model);
  std::vector<TimedBytes> Ranges;
  for (uint32_t I = 0; I != L.Model->Values.size(); ++I) {
    const Value &V = L.Model->Values[I];
    if (auto Steps = A.range(ValueId(I)))
      Ranges.push_back({V.Offset, V.end(), Steps->Start, Steps->End, I, I});
  }
  for (auto _ : State) {
    size_t Found = 0;
    findOverlaps(Ranges, [&](uint32_t, uint32_t) { ++Found; });
    benchmark::DoNotOptimize(Found);
  }
  State.SetItemsProcessed(
      static_cast<int64_t>(State.iterations() * Ranges.size()));
}

int main(int Argc, char **Argv) {
  benchmark::Initialize(&Argc, Argv);
  if (Argc != 2) {
    llvm::errs() << "usage: HlobufBenchmarks ASSIGNMENT\n";
    return 2;
  }
  std::unique_ptr<LoadedDump> L = loadFrom(Argv[1]);
  if (!L)
    return 2;
  auto Add = [&](const char *Name, auto Function) {
    benchmark::RegisterBenchmark(Name, [&L, Function](benchmark::State &State) {
      Function(State, *L);
    })->Unit(benchmark::kMillisecond);
  };
  Add("reader", read);
  if (L->Model->complete(Section::Module)) {
    Add("module-parser", parseModule);
    Add("dataflow", analyzeModule);
  }
  Add("overlap-sweep", sweepOverlaps);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
