// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The format is between this file and Page/data.js. Blocks are columns, and
// texts are numbers into `strings`: a page of 100,000 values has to open fast.

#include "Draw/PictureWriters.h"
#include "llvm/ADT/StringMap.h"
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
  uint32_t number(StringRef Text) {
    auto [At, New] = Numbers.try_emplace(Text, Strings.size());
    if (New)
      Strings.push_back(At->getKey());
    return At->second;
  }
  template <typename Fn> void column(StringRef Key, Fn Field) {
    J.attributeArray(Key, [&] {
      for (const PictureBlock &B : P.Blocks)
        J.value(Field(B));
    });
  }
  void writeSpaces();
  void writeAllocations();
  void writeBlocks();
  void writeShared();
  void writeFindings();
  void writeLanes();

  const Picture &P;
  const Dump &D;
  json::OStream &J;
  llvm::StringMap<uint32_t> Numbers;
  std::vector<StringRef> Strings;
};
} // namespace

void Writer::writeSpaces() {
  J.attributeArray("spaces", [&] {
    for (const PictureSpace &S : P.Spaces)
      J.object([&] {
        J.attribute("color", S.Color);
        J.attribute("name", S.Name);
        J.attribute("peak", S.PeakStep);
        J.attributeArray("held", [&] {
          for (uint64_t Bytes : S.Held)
            J.value(Bytes);
        });
      });
  });
}

void Writer::writeAllocations() {
  J.attributeArray("allocations", [&] {
    for (const Allocation &Alloc : D.Allocations)
      J.object([&] {
        J.attribute("index", Alloc.Index);
        J.attribute("size", Alloc.Size);
        J.attribute("color", Alloc.color());
        J.attribute("kind", kindName(kindOf(Alloc)));
      });
  });
}

void Writer::writeBlocks() {
  J.attributeObject("blocks", [&] {
    column("owner", [](const PictureBlock &B) { return B.Owner.index(); });
    column("offset", [](const PictureBlock &B) { return B.Offset; });
    column("size", [](const PictureBlock &B) { return B.Size; });
    column("first", [](const PictureBlock &B) { return B.First; });
    column("last", [](const PictureBlock &B) { return B.Last; });
    J.attributeArray("names", [&] {
      for (const PictureBlock &B : P.Blocks)
        J.array([&] {
          for (ValueId V : B.Values)
            J.value(number(D.spell(D[V].Tag.Name, D[V].Tag.Index)));
        });
    });
    column("shape", [&](const PictureBlock &B) {
      ShapeId Shape = D[representative(D, B)].Shape;
      return number(Shape ? D.Shapes.text(Shape) : "");
    });
    auto Write = [&](StringRef Key, std::string PictureName::*Field) {
      J.attributeArray(Key, [&] {
        for (const PictureName &Name : P.Names)
          J.value(number(Name.*Field));
      });
    };
    Write("label", &PictureName::Label);
    Write("keeper", &PictureName::Keeper);
    Write("op", &PictureName::OpName);
    Write("source", &PictureName::Source);
  });
}

/// Rows of block, first step, last step and bytes.
void Writer::writeShared() {
  J.attributeArray("shared", [&] {
    for (const PictureShare &S : P.Shared)
      J.array([&] {
        J.value(S.Block);
        J.value(S.First);
        J.value(S.Last);
        J.value(S.Bytes);
      });
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

/// Thunks and slices are columns, too.
void Writer::writeLanes() {
  const PictureLanes &L = P.Lanes;
  auto Column = [&](StringRef Key, const auto &Rows, auto Field) {
    J.attributeArray(Key, [&] {
      for (const auto &Row : Rows)
        J.value(Field(Row));
    });
  };
  J.attributeObject("lanes", [&] {
    using Thunk = PictureThunk;
    using Slice = PictureSlice;
    Column("names", L.Names, [](const std::string &Name) { return Name; });
    J.attributeObject("thunks", [&] {
      Column("lane", L.Thunks, [](const Thunk &T) { return T.Lane; });
      Column("kind", L.Thunks,
             [&](const Thunk &T) { return number(thunkKindText(T.Kind)); });
      Column("group", L.Thunks,
             [&](const Thunk &T) { return number(groupOf(T.Kind)); });
      Column("name", L.Thunks, [&](const Thunk &T) { return number(T.Name); });
      Column("first", L.Thunks, [](const Thunk &T) { return T.First; });
      Column("last", L.Thunks, [](const Thunk &T) { return T.Last; });
      Column("start", L.Thunks, [](const Thunk &T) { return T.Start; });
      Column("done", L.Thunks, [](const Thunk &T) { return T.Done; });
      Column("slices", L.Thunks, [](const Thunk &T) { return T.Slices.End; });
    });
    J.attributeObject("slices", [&] {
      Column("owner", L.Slices, [](const Slice &S) { return S.Owner.index(); });
      Column("offset", L.Slices, [](const Slice &S) { return S.Offset; });
      Column("size", L.Slices, [](const Slice &S) { return S.Size; });
      Column("access", L.Slices,
             [&](const Slice &S) { return number(thunkAccessText(S.Access)); });
      Column("value", L.Slices,
             [&](const Slice &S) { return number(S.Value); });
    });
    J.attributeArray("races", [&] {
      for (const PictureRace &Race : L.Races)
        J.object([&] {
          J.attribute("first", Race.First);
          J.attribute("second", Race.Second);
          J.attribute("owner", Race.Owner.index());
          J.attribute("begin", Race.Begin);
          J.attribute("end", Race.End);
          J.attribute("finding", Race.Finding);
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
    J.attributeArray("instructions", [&] {
      for (const std::string &Name : P.Instructions)
        J.value(number(Name));
    });
    writeFindings();
    if (!P.Lanes.Thunks.empty())
      writeLanes();
    J.attributeArray("strings", [&] {
      for (StringRef Text : Strings)
        J.value(json::fixUTF8(Text));
    });
  });
}

void hlobuf::writePicture(const Picture &P, const Facts &DumpFacts,
                          json::OStream &J) {
  Writer(P, DumpFacts, J).run();
}
