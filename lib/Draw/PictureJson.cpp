// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The format is between this file and Page/data.js. Blocks are columns, and
// texts are numbers into `strings`: a page of 100,000 values has to open fast.

#include "Draw/PictureWriters.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/JSON.h"
#include <array>
#include <charconv>

using namespace hlobuf;
using llvm::StringRef;
namespace json = llvm::json;

namespace {
/// Most of a page is numbers in columns: json::OStream makes a value of each.
class Writer {
public:
  Writer(const Picture &P, const Facts &DumpFacts, json::OStream &J)
      : P(P), D(DumpFacts.dump()), J(J), Numbers(P.Texts.size(), NoNumber) {}

  void run();

private:
  uint32_t number(PictureText Text);
  uint32_t number(StringRef Text);
  uint32_t number(ShapeId Shape);
  uint32_t number(const ValueTag &Tag);
  template <typename Fn> void column(StringRef Key, Fn Field);
  void writeSpaces();
  void writeAllocations();
  void writeBlocks();
  void writeShared();
  void writeFindings();
  void writeLanes();

  static constexpr uint32_t NoNumber = ~uint32_t(0);
  const Picture &P;
  const Dump &D;
  json::OStream &J;
  /// By text of the picture.
  std::vector<uint32_t> Numbers;
  /// Texts that only the page has, and their numbers.
  TextTable Others;
  std::vector<uint32_t> OtherNumbers;
  llvm::DenseMap<uint32_t, uint32_t> ShapeNumbers;
  /// By number; those of Others follow those of the picture.
  std::vector<PictureText> Strings;
};
} // namespace

uint32_t Writer::number(PictureText Text) {
  uint32_t &Number = Numbers[Text.index()];
  if (Number == NoNumber) {
    Number = static_cast<uint32_t>(Strings.size());
    Strings.push_back(Text);
  }
  return Number;
}

uint32_t Writer::number(StringRef Text) {
  if (PictureText Known = P.Texts.find(Text))
    return number(Known);
  TextId Id = Others.intern(Text);
  if (Id.index() == OtherNumbers.size()) {
    OtherNumbers.push_back(static_cast<uint32_t>(Strings.size()));
    Strings.push_back(PictureText(P.Texts.size() + Id.index()));
  }
  return OtherNumbers[Id.index()];
}

uint32_t Writer::number(ShapeId Shape) {
  if (!Shape)
    return number("");
  auto [At, New] = ShapeNumbers.try_emplace(Shape.index());
  if (New)
    At->second = number(D.Shapes.text(Shape));
  return At->second;
}

uint32_t Writer::number(const ValueTag &Tag) {
  return Tag.Index.printed() ? number(D.spell(Tag.Name, Tag.Index))
                             : number(PictureTexts::of(Tag.Name));
}

/// By byte: it is in a string as it is.
static constexpr std::array<bool, 256> Plain = [] {
  std::array<bool, 256> Bytes = {};
  for (unsigned char Byte = ' '; Byte != 0x7f; ++Byte)
    Bytes[Byte] = Byte != '"' && Byte != '\\';
  return Bytes;
}();

namespace {
/// Writes JSON of many numbers and short texts.
class ColumnStream {
public:
  explicit ColumnStream(llvm::raw_ostream &OS) : OS(OS) {}
  ~ColumnStream() { flush(); }
  ColumnStream(const ColumnStream &) = delete;
  ColumnStream &operator=(const ColumnStream &) = delete;

  ColumnStream &operator<<(StringRef Json);
  ColumnStream &operator<<(char C) {
    reserve(1);
    *At++ = C;
    return *this;
  }
  template <typename T> void number(T Value) {
    reserve(20); // the digits of -2^63, and of 2^64 - 1
    At = std::to_chars(At, end(), Value).ptr;
  }
  /// An array of numbers.
  template <typename... Ts> void row(Ts... Values) {
    char Before = '[';
    ((*this << Before, number(Values), Before = ','), ...);
    *this << ']';
  }
  /// \p Text as a string.
  void text(StringRef Text);

private:
  char *end() { return Buffer.data() + Buffer.size(); }
  void reserve(size_t Size) {
    if (static_cast<size_t>(end() - At) < Size)
      flush();
  }
  void flush() {
    OS.write(Buffer.data(), static_cast<size_t>(At - Buffer.data()));
    At = Buffer.data();
  }

  llvm::raw_ostream &OS;
  std::array<char, 2048> Buffer;
  char *At = Buffer.data();
};
} // namespace

ColumnStream &ColumnStream::operator<<(StringRef Json) {
  reserve(Json.size());
  if (Json.size() > Buffer.size())
    OS << Json;
  else
    At = std::copy(Json.begin(), Json.end(), At);
  return *this;
}

void ColumnStream::text(StringRef Text) {
  if (llvm::all_of(Text, [](unsigned char C) { return Plain[C]; })) {
    *this << '"' << Text << '"';
    return;
  }
  flush();
  OS << json::Value(json::fixUTF8(Text));
}

/// An array of what \p Write writes of each of \p Rows.
template <typename RowsT, typename Fn>
static void writeArray(const RowsT &Rows, ColumnStream &OS, Fn Write) {
  char Before = '[';
  for (const auto &Row : Rows) {
    OS << Before;
    Write(Row);
    Before = ',';
  }
  OS << (Before == '[' ? "[]" : "]");
}

/// The same as attribute \p Key; \p Write also gets where to write it.
template <typename RowsT, typename Fn>
static void writeRows(json::OStream &J, StringRef Key, const RowsT &Rows,
                      Fn Write) {
  J.attributeBegin(Key);
  J.rawValue([&](llvm::raw_ostream &Text) {
    ColumnStream OS(Text);
    writeArray(Rows, OS, [&](const auto &Row) { Write(Row, OS); });
  });
  J.attributeEnd();
}

/// The number \p Field of each of \p Rows.
template <typename RowsT, typename Fn>
static void writeColumn(json::OStream &J, StringRef Key, const RowsT &Rows,
                        Fn Field) {
  writeRows(J, Key, Rows,
            [&](const auto &Row, ColumnStream &OS) { OS.number(Field(Row)); });
}

template <typename Fn> void Writer::column(StringRef Key, Fn Field) {
  writeColumn(J, Key, P.Blocks, Field);
}

void Writer::writeSpaces() {
  J.attributeArray("spaces", [&] {
    for (const PictureSpace &S : P.Spaces)
      J.object([&] {
        J.attribute("color", S.Color);
        J.attribute("name", S.Name);
        J.attribute("peak", S.PeakStep);
        writeColumn(J, "held", S.Held, [](uint64_t Bytes) { return Bytes; });
      });
  });
}

void Writer::writeAllocations() {
  auto Write = [](const Allocation &Alloc, ColumnStream &OS) {
    OS << "{\"index\":";
    OS.number(Alloc.Index);
    OS << ",\"size\":";
    OS.number(Alloc.Size);
    OS << ",\"color\":";
    OS.number(Alloc.color());
    OS << ",\"kind\":\"" << kindName(kindOf(Alloc)) << "\"}";
  };
  writeRows(J, "allocations", D.Allocations, Write);
}

void Writer::writeBlocks() {
  J.attributeObject("blocks", [&] {
    column("owner", [](const PictureBlock &B) { return B.Owner.index(); });
    column("offset", [](const PictureBlock &B) { return B.Offset; });
    column("size", [](const PictureBlock &B) { return B.Size; });
    column("first", [](const PictureBlock &B) { return B.First; });
    column("last", [](const PictureBlock &B) { return B.Last; });
    auto Names = [&](const PictureBlock &B, ColumnStream &OS) {
      writeArray(P.values(B), OS,
                 [&](ValueId V) { OS.number(number(D[V].Tag)); });
    };
    writeRows(J, "names", P.Blocks, Names);
    column("shape", [&](const PictureBlock &B) {
      return number(D[representative(D, P, B)].Shape);
    });
    auto Write = [&](StringRef Key, PictureText PictureName::*Field) {
      writeColumn(J, Key, P.Names,
                  [&](const PictureName &Name) { return number(Name.*Field); });
    };
    Write("label", &PictureName::Label);
    Write("keeper", &PictureName::Keeper);
    Write("op", &PictureName::OpName);
    Write("source", &PictureName::Source);
  });
}

/// Rows of block, first step, last step and bytes.
void Writer::writeShared() {
  auto Write = [](const PictureShare &S, ColumnStream &OS) {
    OS.row(S.Block, S.First, S.Last, S.Bytes);
  };
  writeRows(J, "shared", P.Shared, Write);
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
    writeColumn(J, Key, Rows, Field);
  };
  J.attributeObject("lanes", [&] {
    using Thunk = PictureThunk;
    using Slice = PictureSlice;
    J.attributeArray("names", [&] {
      for (const std::string &Name : L.Names)
        J.value(Name);
    });
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
    writeColumn(J, "instructions", P.Instructions,
                [&](PictureText Name) { return number(Name); });
    writeFindings();
    if (!P.Lanes.Thunks.empty())
      writeLanes();
    llvm::SmallString<64> Room;
    writeRows(J, "strings", Strings, [&](PictureText Text, ColumnStream &OS) {
      OS.text(Text.index() < P.Texts.size()
                  ? P.Texts.spell(Text, Room)
                  : Others[TextId(Text.index() - P.Texts.size())]);
    });
  });
}

void hlobuf::writePicture(const Picture &P, const Facts &DumpFacts,
                          json::OStream &J) {
  Writer(P, DumpFacts, J).run();
}
