// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory of several modules.

#include "Memory/MemorySummary.h"
#include "Memory/TextColumns.h"
#include "Support/Format.h"
#include "Support/HumanBytes.h"

using namespace hlobuf;
using llvm::StringRef;

/// Rows of the table.
static constexpr size_t MaxModules = 15;

static uint64_t mainBytes(const MemorySummary &Summary) {
  return Summary.Main ? Summary.main()->Allocated : Summary.Total;
}

void MemoryTotals::add(StringRef Name, const MemorySummary &Summary) {
  ++Count;
  Total += Summary.Total;
  uint64_t Bytes = mainBytes(Summary);
  Entry &E = Entries[{Name.str(), Bytes}];
  ++E.Count;
  E.TooLarge |= Summary.isTooLarge();
  E.Bytes = Bytes;
  E.Temp = Summary.Main ? Bytes - Summary.main()->Resident : 0;
  for (const WasteRow &Item : Summary.Savings)
    E.Saved = std::max(E.Saved, Item.Saved);
  // What does not fit comes first.
  auto Key = [](const MemorySummary &Each) {
    return std::pair(Each.isTooLarge(), mainBytes(Each));
  };
  if (!Largest || Key(*Largest) < Key(Summary)) {
    Largest = Summary;
    LargestName = Name.str();
  }
}

void MemoryTotals::print(unsigned Width, llvm::raw_ostream &OS) const {
  if (!Largest)
    return;
  if (Count > 1) {
    std::vector<std::pair<StringRef, Entry>> Order;
    for (const auto &[Key, E] : Entries)
      Order.emplace_back(Key.first, E);
    llvm::stable_sort(Order, [](const auto &X, const auto &Y) {
      return std::pair(X.second.TooLarge, X.second.Bytes) >
             std::pair(Y.second.TooLarge, Y.second.Bytes);
    });
    OS << fmt::format("memory of {} modules: {}\n", Count, humanBytes(Total));
    OS << "       needs       temps  can save at most   module\n";
    llvm::ArrayRef Shown = llvm::ArrayRef(Order).take_front(MaxModules);
    for (const auto &[Name, E] : Shown) {
      std::string Line =
          fmt::format(" {:>11} {:>11}  {:>16}   {}{}{}", humanBytes(E.Bytes),
                      humanBytes(E.Temp), E.Saved ? humanBytes(E.Saved) : "",
                      E.Count > 1 ? fmt::format("{} x ", E.Count) : "",
                      E.TooLarge ? "DOES NOT FIT: " : "", Name);
      OS << clipped(Line, std::max(Width, 60u)) << '\n';
    }
    uint64_t Rest = 0;
    size_t Hidden = 0;
    for (const auto &[Name, E] :
         llvm::ArrayRef(Order).drop_front(Shown.size())) {
      Hidden += E.Count;
      Rest += E.Count * E.Bytes;
    }
    if (Hidden != 0)
      OS << fmt::format(" {:>11}  in {} smaller modules\n", humanBytes(Rest),
                        Hidden);
    OS << "the largest of them:\n";
  }
  printMemory(*Largest, LargestName, Width, OS);
}
