// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Facts/ReportGroups.h"
#include "HLO/TopLevel.h"
#include "Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace hlobuf;
using llvm::StringRef;

ReportGroups::ReportGroups(llvm::ArrayRef<Value> Values) : Values(Values) {
  ByOffset.resize(Values.size());
  for (uint32_t I = 0; I != Values.size(); ++I)
    ByOffset[I] = I;
  llvm::stable_sort(ByOffset, [&](uint32_t A, uint32_t B) {
    return Values[A].Offset < Values[B].Offset;
  });
  for (uint32_t I = 0; I != ByOffset.size(); ++I) {
    const Value &V = Values[ByOffset[I]];
    if (Rows.empty() || Rows.back().Offset != V.Offset)
      Rows.push_back({V.Offset, 0, 0, I, I});
    ReportGroup &Group = Rows.back();
    Group.Size = std::max(Group.Size, V.Size);
    Group.Id = std::max(Group.Id, V.Tag.Id);
    Group.End = I + 1;
  }
  llvm::stable_sort(Rows, [](const ReportGroup &A, const ReportGroup &B) {
    return std::tie(B.Size, A.Id) < std::tie(A.Size, B.Id);
  });
}

void ReportGroups::followTies(const SeenRows &Seen) {
  for (size_t Begin = 0, End; Begin != Rows.size(); Begin = End) {
    End = Begin + 1;
    while (End != Rows.size() && Rows[End].Size == Rows[Begin].Size)
      ++End;
    std::vector<const ReportGroup *> Places(End - Begin);
    std::vector<const ReportGroup *> Others;
    std::vector<ReportGroup> Run(Rows.begin() + Begin, Rows.begin() + End);
    for (const ReportGroup &Group : Run) {
      auto Row = Seen.find(Group.Offset);
      if (Row != Seen.end() && Row->second.Number >= Begin &&
          Row->second.Number < End)
        Places[Row->second.Number - Begin] = &Group;
      else
        Others.push_back(&Group);
    }
    auto Next = Others.begin();
    for (size_t I = 0; I != Places.size(); ++I)
      Rows[Begin + I] = Places[I] ? *Places[I] : **Next++;
  }
}

/// Splits a list of shapes at the commas between them.
static llvm::SmallVector<StringRef, 4> splitShapes(StringRef List) {
  llvm::SmallVector<StringRef, 4> Parts;
  do {
    Parts.push_back(List.take_front(scanTopLevel(
        List, [&](size_t I) { return List.substr(I).starts_with(", "); })));
    List = List.drop_front(Parts.back().size());
  } while (List.consume_front(", "));
  return Parts;
}

std::string ReportGroups::shapes(const ShapeTable &Shapes,
                                 const ReportGroup &Group,
                                 StringRef Like) const {
  llvm::SmallVector<ShapeId, 8> Ids;
  for (uint32_t I = Group.Begin; I != Group.End; ++I)
    Ids.push_back(Values[ByOffset[I]].Shape);
  if (llvm::all_equal(Ids) && Ids[0]) {
    std::string Plain = Shapes.plainText(Ids[0]);
    std::string List = Ids.size() == 1
                           ? std::move(Plain)
                           : fmt::format("{}\u00d7{}", Ids.size(), Plain);
    return List;
  }
  llvm::sort(Ids);
  // Shapes that differ in their layouts only have the same text.
  llvm::StringMap<uint32_t> Counts;
  for (size_t Begin = 0, End; Begin != Ids.size(); Begin = End) {
    End = Begin + 1;
    while (End != Ids.size() && Ids[End] == Ids[Begin])
      ++End;
    std::string Plain =
        Ids[Begin] ? Shapes.plainText(Ids[Begin]) : std::string("?");
    Counts[Plain] += End - Begin;
  }
  std::vector<std::pair<uint32_t, StringRef>> Sorted;
  for (const auto &Entry : Counts)
    Sorted.push_back({Entry.second, Entry.first()});
  llvm::sort(Sorted);
  std::vector<std::string> Items;
  for (auto [Count, Shape] : Sorted)
    Items.push_back(Count == 1 ? Shape.str()
                               : fmt::format("{}\u00d7{}", Count, Shape));
  std::string List = llvm::join(Items, ", ");
  if (Like.empty() || List == Like)
    return List;
  // The same items in another order?
  llvm::SmallVector<StringRef, 4> Others = splitShapes(Like);
  llvm::sort(Others);
  llvm::sort(Items);
  return llvm::equal(Others, Items) ? Like.str() : List;
}
