// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The format is between this file and Page/data.js. Blocks are columns, and
// texts are numbers into `strings`: a page of 100,000 values has to open fast.

#include "Draw/PictureWriters.h"
#include "llvm/Support/JSON.h"

using namespace hlobuf;
using llvm::StringRef;
namespace json = llvm::json;

namespace {
class Writer {
public:
  Writer(const Picture &P, const Facts &DumpFacts, json::OStream &J)
      : P(P), D(DumpFacts.dump()), J(J) {}

  void run();

private:
  uint32_t number(StringRef Text);
  template <typename RowsT, typename Fn>
  void column(StringRef Key, const RowsT &Rows, Fn Field);
  void writeSpaces();
  void writeAllocations();
  void writeBlocks();
  void writeShared();
  void writeFindings();

  const Picture &P;
  const Dump &D;
  json::OStream &J;
  llvm::StringMap<uint32_t> Numbers;
  /// By number.
  std::vector<StringRef> Strings;
};
} // namespace

uint32_t Writer::number(StringRef Text) {
  auto [At, New] =
      Numbers.try_emplace(Text, static_cast<uint32_t>(Strings.size()));
  if (New)
    Strings.push_back(At->getKey());
  return At->second;
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
  J.attributeArray("spaces", [&] {
    for (const PictureSpace &S : P.Spaces)
      J.object([&] {
        J.attribute("color", S.Color);
        J.attribute("name", S.Name);
        J.attribute("peak", S.PeakStep);
        column("held", S.Held, [](uint64_t Bytes) { return Bytes; });
      });
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
  auto Text = [&](StringRef Key, StringRef PictureName::*Field) {
    column(Key, P.Names,
           [&](const PictureName &Name) { return number(Name.*Field); });
  };
  J.attributeObject("blocks", [&] {
    Column("owner", [](const Block &B) { return B.Owner.index(); });
    Column("offset", [](const Block &B) { return B.Offset; });
    Column("size", [](const Block &B) { return B.Size; });
    Column("first", [](const Block &B) { return B.First; });
    Column("last", [](const Block &B) { return B.Last; });
    Column("names", [&](const Block &B) {
      json::Array Names;
      for (ValueId V : P.values(B))
        Names.push_back(number(D.spell(D[V].Tag.Name, D[V].Tag.Index)));
      return Names;
    });
    Column("shape", [&](const Block &B) {
      ShapeId Shape = D[representative(D, P, B)].Shape;
      return number(Shape ? D.Shapes.text(Shape) : "");
    });
    Text("label", &PictureName::Label);
    Text("keeper", &PictureName::Keeper);
    Text("op", &PictureName::OpName);
    Text("source", &PictureName::Source);
  });
}

/// Rows of block, first step, last step and bytes.
void Writer::writeShared() {
  column("shared", P.Shared, [](const PictureShare &S) {
    return json::Array{S.Block, S.First, S.Last, S.Bytes};
  });
}

void Writer::writeFindings() {
  J.attributeArray("findings", [&] {
    for (const PictureFinding &F : P.Findings)
      J.object([&] {
        J.attribute("severity", severityName(F.Level));
        J.attribute("check", F.Check);
        J.attribute("message", json::fixUTF8(F.Message));
        J.attributeArray("lines", [&] {
          for (const std::string &Line : F.Lines)
            J.value(json::fixUTF8(Line));
        });
        J.attributeArray("marks", [&] {
          for (const PictureMark &M : F.Marks)
            J.object([&] {
              J.attribute("owner", M.Owner.index());
              J.attribute("begin", M.Begin);
              J.attribute("end", M.End);
              J.attribute("first", M.First);
              J.attribute("last", M.Last);
              J.attribute("crossing", M.Crossing);
            });
        });
      });
  });
}

static StringRef timesKey(TimeSource Times) {
  static constexpr StringRef Keys[] = {"unknown", "dump", "module"};
  return Keys[static_cast<size_t>(Times)];
}

void Writer::run() {
  J.object([&] {
    J.attribute("schema", 1);
    J.attribute("title", json::fixUTF8(P.Title));
    J.attribute("verdict", json::fixUTF8(P.Verdict));
    J.attribute("times", timesKey(P.Times));
    J.attribute("steps", P.Steps);
    J.attribute("untimed", static_cast<uint64_t>(P.Untimed));
    if (P.Capacity)
      J.attribute("capacity", *P.Capacity);
    J.attribute("chip", json::fixUTF8(P.Chip));
    writeSpaces();
    writeAllocations();
    writeBlocks();
    writeShared();
    column("instructions", P.Instructions,
           [&](StringRef Name) { return number(Name); });
    writeFindings();
    column("strings", Strings,
           [](StringRef Text) { return json::fixUTF8(Text); });
  });
}

void hlobuf::writePicture(const Picture &P, const Facts &DumpFacts,
                          json::OStream &J) {
  Writer(P, DumpFacts, J).run();
}
