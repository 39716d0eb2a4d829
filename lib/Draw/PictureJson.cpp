// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The format is between this file and Page/data.js. Blocks are columns, and
// texts are numbers into `strings`: a page of 100,000 values has to open fast.

#include "Draw/Picture.h"
#include "Support/Json.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringMap.h"

using namespace hlobuf;
namespace json = llvm::json;

namespace {
struct Writer {
  void run();

  uint32_t number(StringRef Text);
  template <typename RowsT, typename Fn>
  void column(StringRef Key, const RowsT &Rows, Fn Field);
  void writeSpaces();
  void writeAllocations();
  void writeBlocks();
  void writeFindings();
  void writeCopies();

  const Picture &P;
  json::OStream &J;
  const MemoryUse &Memory = *P.Memory;
  const Dump &D = P.dump();
  StringMap<uint32_t> Numbers = {};
  /// By number.
  std::vector<StringRef> Strings = {};
};
} // namespace

uint32_t Writer::number(StringRef Text) {
  auto [Entry, New] = Numbers.try_emplace(Text, uint32_t(Strings.size()));
  if (New)
    Strings.push_back(Entry->getKey());
  return Entry->second;
}

/// An array of what \p Field has of each of \p Rows.
template <typename RowsT, typename Fn>
void Writer::column(StringRef Key, const RowsT &Rows, Fn Field) {
  J.attributeArray(Key, [&] {
    for (const auto &Row : Rows)
      J.value(Field(Row));
  });
}

void Writer::writeSpaces() {
  writeRows(J, "spaces", Memory.spaces(), [&](const SpaceUse &Space) {
    J.attribute("color", Space.Color);
    writeText(J, "name", Space.Name);
    J.attribute("peak", Space.PeakStep);
    column("held", llvm::seq(0, P.Steps),
           [&](int32_t Step) { return Space.heldAt(Step); });
  });
}

void Writer::writeAllocations() {
  column("allocations", D.Allocations, [](const Allocation &Alloc) {
    return json::Object{{"index", Alloc.Index},
                        {"size", Alloc.Size},
                        {"color", Alloc.color()},
                        {"kind", kindName(kindOf(Alloc))}};
  });
}

void Writer::writeBlocks() {
  using Block = PictureBlock;
  auto Column = [&](StringRef Key, auto Field) {
    column(Key, P.Blocks, Field);
  };
  /// What people call a block, by the numbers of texts.
  struct BlockName {
    uint32_t Shape, Label, Keeper, OpName, Source;
  };
  std::vector<BlockName> Names;
  for (const Block &B : P.Blocks) {
    HeldValue Value = P.held(B);
    ShapeId Shape = D[Value.Value].Shape;
    ValueName Called = (*P.Names)[Value];
    Names.push_back(
        {number(Shape ? D.Shapes.text(Shape) : ""),
         number((Called.Copied ? "copy of " : "") + Called.Operation),
         number(Called.keeper()), number(Called.OpName),
         number(Called.Source)});
  }
  auto Text = [&](StringRef Key, uint32_t BlockName::*Field) {
    column(Key, Names, [&](const BlockName &Name) { return Name.*Field; });
  };
  J.attributeObject("blocks", [&] {
    Column("owner", [](const Block &B) { return B.Owner.index(); });
    Column("offset", [](const Block &B) { return B.Offset; });
    Column("size", [](const Block &B) { return B.Size; });
    Column("first", [](const Block &B) { return B.First; });
    Column("last", [](const Block &B) { return B.Last; });
    Column("names", [&](const Block &B) {
      json::Array Spelled;
      for (ValueId V : P.values(B))
        Spelled.push_back(number(D.spell(V)));
      return Spelled;
    });
    Text("shape", &BlockName::Shape);
    Text("label", &BlockName::Label);
    Text("keeper", &BlockName::Keeper);
    Text("op", &BlockName::OpName);
    Text("source", &BlockName::Source);
  });
}

void Writer::writeFindings() {
  writeRows(J, "findings", P.Findings, [&](const PictureFinding &F) {
    J.attribute("severity", severityName(F.Level));
    J.attribute("check", F.Check);
    writeText(J, "message", F.Message);
    writeTexts(J, "lines", F.Lines);
    writeRows(J, "marks", F.Marks, [&](const PictureMark &M) {
      J.attribute("owner", M.Owner.index());
      J.attribute("begin", M.Begin);
      J.attribute("end", M.End);
      J.attribute("first", M.First);
      J.attribute("last", M.Last);
      J.attribute("crossing", M.Crossing);
    });
  });
}

void Writer::writeCopies() {
  writeRows(J, "copies", P.Copies, [&](const PictureCopy &Copy) {
    J.attribute("bytes", Copy.Row->sum());
    writeText(J, "title", Copy.Row->title());
    writeText(J, "why", Copy.Row->Why);
    writeText(J, "change", Copy.Row->Change);
    // Rows of block and step.
    column("marks", Copy.Marks, [](std::pair<uint32_t, int32_t> Mark) {
      return json::Array{Mark.first, Mark.second};
    });
  });
}

void Writer::run() {
  static constexpr StringRef Times[] = {"unknown", "dump", "module"};
  J.object([&] {
    J.attribute("schema", 1);
    writeText(J, "title", P.Title);
    writeText(J, "verdict", P.Verdict);
    J.attribute("times", Times[static_cast<size_t>(Memory.times())]);
    J.attribute("steps", P.Steps);
    J.attribute("untimed", static_cast<uint64_t>(P.Untimed));
    if (P.Capacity)
      J.attribute("capacity", *P.Capacity);
    writeText(J, "chip", P.Chip);
    writeSpaces();
    writeAllocations();
    writeBlocks();
    // Rows of block, first step, last step and bytes.
    column("shared", P.Shared, [](const PictureShare &S) {
      return json::Array{S.Block, S.First, S.Last, S.Bytes};
    });
    column("instructions", llvm::seq(0, Memory.isTimed() ? P.Steps : 0),
           [&](int32_t Step) { return number(Memory.instructionAt(Step)); });
    writeFindings();
    writeCopies();
    writeTexts(J, "strings", Strings);
  });
}

void hlobuf::writePicture(const Picture &P, json::OStream &J) {
  Writer{P, J}.run();
}
