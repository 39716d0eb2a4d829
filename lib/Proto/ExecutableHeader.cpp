// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The header of an executable (xla/python/pjrt_ifrt/pjrt_executable.cc, 2025
// and 2026): by it, jax makes arrays of what the program wrote.

#include "Proto/FieldWalk.h"
#include "Proto/Fields.h"
#include "Proto/ProtoText.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace hlobuf;
using namespace hlobuf::field;

using Numbers = SmallVector<int64_t, 4>;

/// Of OutputSpec.
static constexpr uint32_t OpSharding = 5;
/// Of the header.
static constexpr uint32_t OutputSpecs = 5, ParameterSpecs = 6, HeaderName = 7;

namespace {
/// A part of a parameter or of the result, and not a tuple.
struct Leaf {
  int64_t Parameter = 0;
  Numbers Index;
  StringRef Shape;
};

struct ExecutableHeader : FieldReport {
  void run();

  void readDonors();
  void compareSpecs(StringRef Name, bool OfOutputs);
  void compareOutput(StringRef Spec, const Leaf &L);
  void compareParameter(StringRef Spec, const Leaf &L);
  void compareLayout(StringRef Stated, StringRef Shape);
  void compareMemory(StringRef Stated, StringRef Shape);
  void compareShape(StringRef Spec, const Numbers &Stated,
                    const Numbers &Expected);
  std::optional<Numbers> tileOf(StringRef Sharding, const Numbers &Whole);

  const HloProto &P;
  FieldWalk &Unread;
  const ProtoModule &M = P.Module;
  StringRef Program = bytesField(M.Bytes, ModuleProgramShape);
  /// Parameters that are aliases or donors, with the index inside of them.
  std::set<std::pair<int64_t, Numbers>> Donors = {};
  /// With a token as an argument, the header need not have layouts of
  /// arguments, or not even their number (jaxlib 0.10.2).
  bool NoLayouts = false;
  /// `output_specs[0]`, which is compared.
  std::string At = {};
};
} // namespace

/// Adds the parts of \p L that are not tuples to \p To.
static void addLeaves(const Leaf &L, std::vector<Leaf> &To) {
  constexpr uint32_t TupleShapes = 4;
  constexpr size_t MostDepth = 100;
  if (elementType(L.Shape) != TupleType || L.Index.size() == MostDepth)
    return To.push_back(L);
  Leaf Part = L;
  Part.Index.push_back(0);
  forEachMessage(L.Shape, TupleShapes, [&](StringRef Element) {
    Part.Shape = Element;
    addLeaves(Part, To);
    ++Part.Index.back();
  });
}

/// DTypeProto.Kind of PrimitiveType \p Type, which has other numbers for what
/// came last.
static int64_t kindOf(int64_t Type) {
  switch (Type) {
  case 30: // s1, u1
  case 31:
    return Type + 2;
  case 32: // f4e2m1fn, f8e8m0fnu, f6e2m3fn
  case 33:
  case 36:
    return Type - 2;
  default:
    return Type;
  }
}

void ExecutableHeader::readDonors() {
  constexpr uint32_t BufferDonors = 18;
  auto Add = [&](StringRef Entry, uint32_t Parameter, uint32_t Index) {
    Donors.emplace(numberAt(Entry, Parameter), numbersField(Entry, Index));
  };
  forEachMessage(bytesField(M.Bytes, ModuleAliases), 1,
                 [&](StringRef Entry) { Add(Entry, 2, 3); });
  forEachMessage(bytesField(M.Bytes, BufferDonors), 1,
                 [&](StringRef Entry) { Add(Entry, 1, 2); });
}

/// \p Layout, but for its memory space, which memory_kind says.
static std::string withoutSpace(StringRef Layout) {
  constexpr uint32_t MemorySpace = 8;
  std::string Others;
  WireReader In(Layout);
  StringRef Next = Layout;
  for (WireField F; In.next(F); Next = In.rest())
    if (F.Number != MemorySpace)
      Others += Next.drop_back(In.rest().size());
  return Others;
}

/// A layout that is not there is the default one, which of TPUs is not known.
void ExecutableHeader::compareLayout(StringRef Stated, StringRef Shape) {
  StringRef Own = bytesField(Shape, 5);
  Numbers Order = numbersField(Own, 1);
  if (!Stated.data()) {
    bool Default = NoLayouts || P.Thunks.Target == ThunkSource::Backend::None ||
                   llvm::is_sorted(Order, std::greater<>());
    if (!Default)
      differs("{} must have a layout, {}", At, indexText(Order));
    return;
  }
  StringRef Serialized = bytesField(Stated, 1);
  StringRef Layout = bytesField(bytesField(Serialized, 2), 1);
  expectName(At + ".layout.type_name", bytesField(Serialized, 1),
             "xla::ifrt::PjRtLayout");
  compared(FieldType::IfrtLayout, {1});
  compared(FieldType::IfrtSerialized, {1, 2});
  compared(FieldType::IfrtPjRtLayout, {1});
  if (Numbers Major = numbersField(Layout, 1); Major != Order)
    differs("{} has layout {}, and must have {}", At, indexText(Major),
            indexText(Order));
  else if (Own.data() && Layout != withoutSpace(Own))
    differs("{} has another layout than the program", At);
}

/// Passes for host memory may change what the header was written for: results
/// that are empty, or that a computation of the host gives (jaxlib 0.10.2).
void ExecutableHeader::compareMemory(StringRef Stated, StringRef Shape) {
  constexpr int64_t Host = 5;
  int64_t Space = numberAt(bytesField(Shape, 5), 8);
  if (Space == 0 || (Space == Host && Stated != "device"))
    return expectName(At + ".memory_kind", Stated,
                      Space == Host ? "pinned_host" : "device");
  Unread.addUnread(Space == Host ? FieldType::OutputSpec : FieldType::Layout,
                   Space == Host ? 4 : 8);
}

static uint64_t productOf(const Numbers &All) {
  uint64_t Product = 1;
  for (int64_t N : All)
    Product *= static_cast<uint64_t>(N);
  return Product;
}

/// The part of \p Whole that each device has.
std::optional<Numbers> ExecutableHeader::tileOf(StringRef Sharding,
                                                const Numbers &Whole) {
  constexpr int64_t Replicated = 0, Tiled = 3;
  int64_t Type = numberAt(Sharding, 1);
  compared(FieldType::OpSharding, {1});
  if (Type == Replicated)
    return Whole;
  Numbers Tiles = numbersField(Sharding, 3);
  size_t Others = numberAt(Sharding, 6) != 0;
  if (Type != Tiled || Tiles.size() != Whole.size() + Others ||
      llvm::any_of(Tiles, [](int64_t N) { return N <= 0; })) {
    Unread.addUnread(FieldType::OpSharding, Type == Tiled ? 3 : 1);
    return std::nullopt;
  }
  Numbers Listed = numbersField(Sharding, 4);
  uint64_t Devices =
      Listed.empty() ? productOf(numbersField(Sharding, 9)) : Listed.size();
  if (productOf(Tiles) != Devices)
    differs("{} is in {} parts, and must be in {}, one for each device", At,
            productOf(Tiles), Devices);
  Numbers Tile;
  compared(FieldType::OpSharding, {3, 6});
  for (auto [Size, Count] : llvm::zip(Whole, Tiles))
    Tile.push_back(Size / Count + (Size % Count != 0));
  return Tile;
}

/// \p Stated is the shape of all devices, shard_shape that of one (2026 on) or
/// the same once more.
void ExecutableHeader::compareShape(StringRef Spec, const Numbers &Stated,
                                    const Numbers &Expected) {
  constexpr uint32_t ShardShape = 1;
  StringRef Sharding = bytesField(Spec, OpSharding);
  std::optional<Numbers> Tile = tileOf(Sharding, Stated);
  // Of several devices, jaxlib 0.9.1 and 0.10.0 state no sharding.
  bool IsPart = !Sharding.data() && Stated.size() == Expected.size();
  for (auto [Whole, Part] : llvm::zip(Stated, Expected))
    IsPart &= Whole == Part || (Part > 0 && Whole % Part == 0);
  if (Tile && *Tile != Expected && !IsPart)
    differs("{} has shape {}, that is {} on each device, and must be {}", At,
            indexText(Stated), indexText(*Tile), indexText(Expected));
  Numbers Shard = numbersField(bytesField(Spec, ShardShape), 1);
  if (Shard != Expected && Shard != Stated)
    differs("{} has shard_shape {}, and must have {}", At, indexText(Shard),
            indexText(Expected));
  compared(FieldType::IfrtShape, {1});
}

void ExecutableHeader::compareOutput(StringRef Spec, const Leaf &L) {
  expect(At + ".dtype", numberAt(bytesField(Spec, 2), 1),
         kindOf(elementType(L.Shape)));
  compareLayout(bytesField(Spec, 3), L.Shape);
  compareMemory(bytesField(Spec, 4), L.Shape);
  compareShape(Spec, numbersField(bytesField(Spec, 6), 1),
               numbersField(L.Shape, 3));
  compared(FieldType::OutputSpec, {1, 2, 3, 4, 5, 6});
  compared(FieldType::IfrtType, {1});
}

/// XLA writes no type, shape or memory of parameters.
void ExecutableHeader::compareParameter(StringRef Spec, const Leaf &L) {
  constexpr uint32_t DonatedInput = 3;
  compareLayout(bytesField(Spec, 1), L.Shape);
  if (numberAt(Spec, DonatedInput) != 0 &&
      Donors.count({L.Parameter, L.Index}) == 0)
    differs("{}.donated_input is 1, but parameter {}{} is neither alias nor "
            "donor",
            At, L.Parameter, indexText(L.Index));
  compared(FieldType::ParameterSpec, {1, DonatedInput});
}

/// Each leaf has a spec.
void ExecutableHeader::compareSpecs(StringRef Name, bool OfOutputs) {
  constexpr int64_t Opaque = 14, Token = 17;
  std::vector<Leaf> Leaves;
  int64_t Parameter = 0;
  // The result is field 2 of a program's shape, parameters are its fields 1.
  forEachMessage(Program, OfOutputs ? 2 : 1, [&](StringRef Shape) {
    addLeaves({Parameter++, {}, Shape}, Leaves);
  });
  std::vector<StringRef> Specs;
  forEachMessage(P.Header, OfOutputs ? OutputSpecs : ParameterSpecs,
                 [&](StringRef Spec) { Specs.push_back(Spec); });
  NoLayouts = !OfOutputs && llvm::any_of(Leaves, [](const Leaf &L) {
    int64_t Type = elementType(L.Shape);
    return Type == Opaque || Type == Token;
  });
  if (NoLayouts && Specs.empty())
    return;
  if (Specs.size() != Leaves.size())
    return differs("the header has {} {}, and must have {}", Specs.size(), Name,
                   Leaves.size());
  for (size_t N = 0; N != Specs.size(); ++N) {
    At = fmt::format("{}[{}]", Name, N);
    OfOutputs ? compareOutput(Specs[N], Leaves[N])
              : compareParameter(Specs[N], Leaves[N]);
  }
}

void ExecutableHeader::run() {
  Unread.walk(FieldType::ExecutableHeader, P.Header);
  bool Describes = false;
  forEachField(P.Header, [&](const WireField &F) {
    Describes |= F.Number >= OutputSpecs && F.Number <= HeaderName;
  });
  if (!Describes) // a header of another form
    return Unread.addUnread(FieldType::ExecutableHeader, HeaderName);
  expectName("computation_name of the header", bytesField(P.Header, HeaderName),
             M.Name);
  readDonors();
  compareSpecs("output_specs", /*OfOutputs=*/true);
  compareSpecs("parameter_specs", /*OfOutputs=*/false);
  size_t Outputs = 0, Sharded = 0;
  forEachMessage(P.Header, OutputSpecs, [&](StringRef Spec) {
    ++Outputs;
    Sharded += bytesField(Spec, OpSharding).data() != nullptr;
  });
  if (Sharded != 0 && Sharded != Outputs)
    differs("{} of {} output_specs have an op_sharding, and all or none must",
            Sharded, Outputs);
  compared(FieldType::ExecutableHeader,
           {OutputSpecs, ParameterSpecs, HeaderName});
}

FieldRows
hlobuf::compareHeader(const HloProto &P, FieldWalk &Unread,
                      function_ref<void(const std::string &)> Report) {
  ExecutableHeader All{{Report}, P, Unread};
  All.run();
  return std::move(All.Done);
}
