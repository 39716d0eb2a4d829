// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Facts/MissingEnds.h"
#include "Facts/Facts.h"
#include "Facts/ReleaseWindow.h"
#include "Facts/Report.h"
#include "HLO/ForwardRules.h"
#include "Support/Format.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/Path.h"

using namespace hlobuf;

// The live ranges, which end in the list of the peak and, since 2025-07-23, in
// the stack trace breakdown.

/// True if the tree of stack frames has lost its last lines. `remaining` begins
/// with the bytes of the heading, loses those of each line, and ends with 0
/// (hlo_stack_trace.cc).
static bool isTreeCut(const Dump &D) {
  uint64_t Listed = sumOf(D.Stack, &StackNode::Current);
  if (Listed >= D.StackTotal)
    return false;
  return D.Stack.empty() || D.Stack.back().Remaining ==
                                static_cast<int64_t>(D.StackTotal - Listed);
}

/// True if what is listed is the begin of \p Live, the rows of BufferLiveRange
/// at the peak: in their order until 2025-05-16, then by size.
static bool listsFirstOf(const Dump &D, ArrayRef<const LiveRangeRow *> Live) {
  if (D.Peak.empty())
    return true;
  if (D.PeakRows != PeakForm::Cumulative)
    return std::equal(D.Peak.begin(), D.Peak.end(), Live.begin(),
                      [](const PeakRow &Row, const LiveRangeRow *Range) {
                        return Row.Name == Range->Name;
                      });
  uint64_t Sum = 0;
  DenseSet<std::pair<uint32_t, uint32_t>> Listed;
  for (const PeakRow &Row : D.Peak) {
    Sum += Row.Bytes;
    if (Row.Cumulative != Sum)
      return false;
    Listed.insert({Row.Name.index(), Row.Index.canonical().bits()});
  }
  Facts DumpFacts(D);
  size_t Count = 0;
  for (const LiveRangeRow *Row : Live) {
    if (Listed.contains({Row->Name.index(), Row->Index.canonical().bits()})) {
      ++Count;
      continue;
    }
    ValueId V = DumpFacts.findValue(Row->Name, Row->Index);
    if (V && logicalBytes(D.Shapes, D[V].Shape) > D.Peak.back().Bytes)
      return false;
  }
  return Count == D.Peak.size();
}

static bool isPeakCut(const Dump &D) {
  std::vector<const LiveRangeRow *> Live;
  for (const LiveRangeRow &Row : D.Ranges)
    if (Row.Start <= D.PeakStep && D.PeakStep <= Row.End)
      Live.push_back(&Row);
  return D.Peak.size() < Live.size() && listsFirstOf(D, Live);
}

static void findLiveCut(Dump &D) {
  FileRole Role = D.Split ? FileRole::LiveRange : FileRole::Assignment;
  if (D.complete(Section::Stack)) {
    if (isTreeCut(D))
      D.noteCut(Role, Section::Stack);
    return;
  }
  if (!D.complete(Section::Peak) || D.UnboundedPeak ||
      D.state(Section::Stack) != SectionState::Absent)
    return;
  if ((!D.Sequence.empty() &&
       findReleaseWindow(D).since(Release::StackTrees)) ||
      isPeakCut(D))
    D.noteCut(Role, Section::Peak);
}

// The used values, which are those of the allocations by ascending id
// (buffer_assignment.cc).

/// True if the values up to some id are used, all of them, and no other one.
static bool isUsedCut(const Dump &D) {
  if (D.Used.size() >= D.Values.size())
    return false;
  int64_t Last = -1;
  for (const UsedValue &U : D.Used)
    Last = std::max<int64_t>(Last, U.Tag.Id);
  DenseSet<uint64_t> Placed;
  for (const Value &V : D.Values)
    if (V.Tag.Id <= Last)
      Placed.insert(V.Tag.Id);
  return Placed.size() == D.Used.size() &&
         llvm::all_of(D.Used, [&](const UsedValue &U) {
           return Placed.contains(U.Tag.Id);
         });
}

static void findUsedCut(Dump &D) {
  if (!D.complete(Section::Used))
    return;
  FileRole Role = D.Split ? FileRole::Values : FileRole::Assignment;
  bool AtEnd = D.Split || D.state(Section::Ranges) == SectionState::Absent;
  if (AtEnd && isUsedCut(D))
    D.noteCut(Role, Section::Used);
}

// The allocations.

/// True if the allocations are numbered 0, 1, 2, .., and have values, which
/// only temps need not have: those after the last one may be lost, and no
/// other.
static bool areWhole(const Dump &D) {
  for (size_t I = 0; I != D.Allocations.size(); ++I) {
    const Allocation &Alloc = D.Allocations[I];
    bool Lost = Alloc.Values.empty() && !Alloc.PreallocatedTemp;
    if (Alloc.Index != I || (Lost && I + 1 != D.Allocations.size()))
      return false;
  }
  return true;
}

namespace {
/// The used values without a place, where every place is that of a used value.
struct LostValues {
  size_t Count = 0;
  /// The one with the smallest id.
  const UsedValue *First = nullptr;
};
} // namespace

static std::optional<LostValues> findLostValues(const Dump &D) {
  if (D.Used.size() <= D.Values.size())
    return std::nullopt;
  DenseMap<uint32_t, uint32_t> Placed;
  for (uint32_t I = 0; I != D.Values.size(); ++I)
    Placed.try_emplace(D.Values[I].Tag.Id, I);
  LostValues Missing;
  size_t Count = 0;
  for (const UsedValue &U : D.Used) {
    auto Entry = Placed.find(U.Tag.Id);
    if (Entry == Placed.end()) {
      ++Missing.Count;
      if (!Missing.First || U.Tag.Id < Missing.First->Tag.Id)
        Missing.First = &U;
    } else if (D.Values[Entry->second].Tag.Name == U.Tag.Name) {
      ++Count;
    } else {
      return std::nullopt;
    }
  }
  if (Count != D.Values.size() || Missing.Count == 0)
    return std::nullopt;
  return Missing;
}

/// Where most used values have no place, the file with them may be that of
/// another program: they have to be those of the live ranges or the module.
static bool areOfThisModule(const Dump &D, const LostValues &Missing) {
  if (Missing.Count * 2 < D.Used.size())
    return true;
  std::vector<bool> Known(D.Names.size(), false);
  for (const LiveRangeRow &Row : D.Ranges)
    Known[Row.Name.index()] = true;
  size_t Agree = llvm::count_if(D.Used, [&](const UsedValue &U) {
    return Known[U.Tag.Name.index()] || D.Module.find(U.Tag.Name);
  });
  return Agree * 2 > D.Used.size();
}

/// True if the used values say that the allocations have lost \p Missing.
static bool isCutByUsedValues(const Dump &D,
                              const std::optional<LostValues> &Missing) {
  if (!Missing || !areOfThisModule(D, *Missing))
    return false;
  uint64_t Sum = sumOf(D.Allocations, &Allocation::Size);
  // Without another allocation, lost values are the last of the last one.
  if (!D.complete(Section::Total) || Sum < D.Total)
    return true;
  return Sum == D.Total &&
         llvm::all_of(D.values(D.Allocations.back()), [&](const Value &V) {
           return V.Tag.Id <= Missing->First->Tag.Id;
         });
}

/// True if the newer report lists the values of more allocations: each has a
/// table, but for small ones after the 50 largest.
static bool isCutByReport(const Dump &D) {
  StringRef Text = D.file(FileRole::Report).Text;
  return Text.count("\n  cumulative_size;") > D.Allocations.size() &&
         !judgeReport(D, Text).Foreign;
}

/// True if allocations, or the last values of the last one, are lost, which may
/// be \p Missing.
static bool areAllocationsCut(const Dump &D,
                              const std::optional<LostValues> &Missing) {
  if (!D.complete(Section::Allocations) || D.Allocations.empty() ||
      !areWhole(D))
    return false;
  // Allocations without values, or without bytes, are in the report alone.
  if (D.complete(Section::Used))
    return D.Split && (isCutByUsedValues(D, Missing) || isCutByReport(D));
  if (D.state(Section::Used) == SectionState::Absent) {
    // Every release with this form prints 'Used values' after it.
    ReleaseWindow Window = findReleaseWindow(D);
    if (!Window.impossible() && Window.since(Release::TaggedValues) &&
        Window.until(Release::SplitFiles))
      return true;
  }
  const Allocation &Last = D.Allocations.back();
  return (Last.Values.empty() && !Last.PreallocatedTemp) || isCutByReport(D);
}

/// What the other files of \p D have more than its assignment.
static std::string describeMore(const Dump &D,
                                const std::optional<LostValues> &Missing) {
  if (!Missing)
    return isCutByReport(D) ? "of which the memory usage report has more" : "";
  return fmt::format(
      "without {}{}, which {} lists", D.spell(Missing->First->Tag),
      Missing->Count == 1 ? ""
                          : fmt::format(" and {} more", Missing->Count - 1),
      llvm::sys::path::filename(D.file(FileRole::Values).Path));
}

void hlobuf::findCuts(Dump &D) {
  if (endsAsMeant(D))
    return;
  findLiveCut(D);
  findUsedCut(D);
  std::optional<LostValues> Missing;
  if (D.complete(Section::Used))
    Missing = findLostValues(D);
  if (areAllocationsCut(D, Missing))
    D.noteCut(FileRole::Assignment, Section::Allocations,
              describeMore(D, Missing));
}
