// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes are the hash of the program, the last day on which verdicts were
// removed, and the entries.

#include "Driver/StampIndex.h"
#include "llvm/ADT/STLExtras.h"
#include <chrono>
#include <cstring>
#include <functional>

using namespace hlobuf;
using llvm::StringRef;

/// Entries that are stored, at most: 13 MB.
static constexpr size_t MaxEntries = 250'000;
static constexpr size_t KeyBytes = 32;
static constexpr size_t StampBytes = 16;
static constexpr size_t DayBytes = sizeof(uint32_t);
static constexpr size_t HeadBytes = KeyBytes + DayBytes;
static constexpr size_t EntryBytes = StampBytes + KeyBytes + DayBytes;

static uint32_t today() {
  using namespace std::chrono;
  return static_cast<uint32_t>(
      duration_cast<hours>(system_clock::now().time_since_epoch()).count() /
      24);
}

void StampIndex::load(StringRef Bytes, const Key &Program) {
  if (Bytes.size() < HeadBytes ||
      (Bytes.size() - HeadBytes) % EntryBytes != 0 ||
      std::memcmp(Bytes.data(), Program.data(), KeyBytes) != 0)
    return;
  std::memcpy(&PruningDay, Bytes.data() + KeyBytes, DayBytes);
  for (Bytes = Bytes.drop_front(HeadBytes); !Bytes.empty();
       Bytes = Bytes.drop_front(EntryBytes)) {
    Entry &E = Known.emplace_back();
    std::memcpy(E.Of.data(), Bytes.data(), StampBytes);
    std::memcpy(E.Content.data(), Bytes.data() + StampBytes, KeyBytes);
    std::memcpy(&E.Day, Bytes.data() + StampBytes + KeyBytes, DayBytes);
  }
}

std::optional<StampIndex::Key> StampIndex::find(const Stamp &Of) {
  auto At = llvm::lower_bound(
      Known, Of, [](const Entry &E, const Stamp &S) { return E.Of < S; });
  if (At == Known.end() || At->Of != Of)
    return std::nullopt;
  uint32_t Day = today();
  std::lock_guard<std::mutex> Guard(Lock);
  Changed |= At->Day != Day;
  At->Day = Day;
  return At->Content;
}

void StampIndex::add(const Stamp &Of, const Key &Content) {
  std::lock_guard<std::mutex> Guard(Lock);
  Added.push_back({Of, Content, today()});
  Changed = true;
}

void StampIndex::use(const Key &Content) {
  std::lock_guard<std::mutex> Guard(Lock);
  Unstamped.insert(Content);
}

bool StampIndex::takePruning() {
  uint32_t Day = today();
  bool Due = PruningDay != Day;
  PruningDay = Day;
  Changed |= Due;
  return Due;
}

std::set<StampIndex::Key> StampIndex::used() const {
  std::set<Key> Keys = Unstamped;
  uint32_t Oldest = today() - KeptDays;
  for (const std::vector<Entry> &Entries : {std::cref(Known), std::cref(Added)})
    for (const Entry &E : Entries)
      if (E.Day >= Oldest)
        Keys.insert(E.Content);
  return Keys;
}

std::optional<std::string> StampIndex::bytes(const Key &Program) {
  if (!Changed)
    return std::nullopt;
  llvm::append_range(Known, Added);
  Added.clear();
  uint32_t Oldest = today() - KeptDays;
  llvm::erase_if(Known, [&](const Entry &E) { return E.Day < Oldest; });
  llvm::stable_sort(
      Known, [](const Entry &X, const Entry &Y) { return X.Day > Y.Day; });
  if (Known.size() > MaxEntries)
    Known.resize(MaxEntries);
  llvm::stable_sort(Known,
                    [](const Entry &X, const Entry &Y) { return X.Of < Y.Of; });
  Known.erase(llvm::unique(Known, [](const Entry &X,
                                     const Entry &Y) { return X.Of == Y.Of; }),
              Known.end());
  std::string Bytes(reinterpret_cast<const char *>(Program.data()), KeyBytes);
  Bytes.append(reinterpret_cast<const char *>(&PruningDay), DayBytes);
  for (const Entry &E : Known) {
    Bytes.append(reinterpret_cast<const char *>(E.Of.data()), StampBytes);
    Bytes.append(reinterpret_cast<const char *>(E.Content.data()), KeyBytes);
    Bytes.append(reinterpret_cast<const char *>(&E.Day), DayBytes);
  }
  return Bytes;
}
