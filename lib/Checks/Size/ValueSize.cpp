// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value has the bytes of its shape, as the backend counts them: CPU and GPU
// the elements (plus 4 bytes per dimension of a bounded dynamic array,
// ShapeSizeBytes in cpu_executable.cc and gpu_compiler.h), TPU the padded
// tiles. Values that share one place (offset and size) are recorded with what
// the largest of them needs (buffer_assignment.cc HloBufferSize, 2017): no
// member needs more, and one needs all of it. So a static array that is updated
// in place into a dynamic one has the larger size of that.
//
// TPU's formula for tiles is exact for all values of colors 0, 1 and 3 in dumps
// of v4 to v7x, libtpu 0.0.11 to 0.0.51. In the small memories (other colors)
// what all dumps agree on gives a warning. Where a shape's bytes are not known
// (dynamic shapes of TPU, layouts with M or P) the elements are a lower bound.
//
// A tuple index table, the array of pointers to a tuple's elements, has 8 bytes
// per element on CPU and GPU (ShapeUtil::ByteSizeOf, 2017). On TPU it has 4,
// rounded up to a granule that is the same in the whole dump: 512 on v4 and
// v5e, 32 on v5p, v6e and v7x (libtpu 0.0.11 to 0.0.51, more than 22,000
// tables). An empty tuple has no bytes, and neither has a table in SparseCore's
// color 7.

#include "Checks/Check.h"
#include "llvm/Support/MathExtras.h"
#include <set>

using namespace hlobuf;

namespace {
/// What a value needs on its own.
struct Need {
  uint64_t Bytes = 0;
  /// Bytes is all that it needs, not only a lower bound.
  bool Exact = false;
  Severity Level = Severity::Error;
};

struct SizeChecker {
  void checkAllocation(const Allocation &Alloc);

  Need need(const Value &V);
  Need computeNeed(const Value &V) const;
  void checkOffset(ArrayRef<uint32_t> Same);
  void checkPlace(ArrayRef<uint32_t> Offset, ArrayRef<uint32_t> Same);
  void report(uint32_t Number, const Need &N, size_t Members);
  bool strayed(ArrayRef<uint32_t> Offset, uint64_t Size);
  bool isTable(const Value &V) const;
  bool isShard(const Value &V, uint64_t Bytes) const;

  const CheckContext &Ctx;
  Reporter &Diags;
  const Dump &D = Ctx.dump();
  Backend Target = Ctx.backend();
  std::vector<uint32_t> Order = {};
  /// Offsets and sizes of index tables of collective-permutes.
  std::set<std::pair<uint64_t, uint64_t>> Tables = {};
  /// What those values at the offset at hand need that state another size,
  /// sorted; filled on demand.
  std::vector<uint64_t> Needs = {};
  /// By shape: what the last value of it needs, and its color. Few shapes have
  /// values of several colors.
  std::vector<std::pair<std::optional<int32_t>, Need>> Known =
      std::vector<std::pair<std::optional<int32_t>, Need>>(D.Shapes.size());
};
} // namespace

Need SizeChecker::need(const Value &V) {
  auto &[Color, Last] = Known[V.Shape.index()];
  if (Color != V.Tag.Color) {
    Color = V.Tag.Color;
    Last = computeNeed(V);
  }
  return Last;
}

Need SizeChecker::computeNeed(const Value &V) const {
  if (auto Own = ownBytes(D.Shapes, V.Shape, Target, V.Tag.Color))
    return {*Own, true, Severity::Error};
  if (Target == Backend::TPU)
    if (auto Likely = likelyBytes(D.Shapes, V.Shape, V.Tag.Color))
      return {*Likely, true, Severity::Warning};
  if (D.Shapes[V.Shape].isArray())
    return {logicalBytes(D.Shapes, V.Shape).value_or(0), false,
            Severity::Error};
  return {};
}

void SizeChecker::report(uint32_t Number, const Need &N, size_t Members) {
  const Value &V = D.Values[Number];
  Finding F = Diags.reportAs(
      N.Level, {Ctx.places().value(V).Size, ValueId(Number)},
      "value {} has {} bytes, expected {}{} for {}", D.spell(V.Tag), V.Size,
      N.Exact ? "" : "at least ", N.Bytes, D.Shapes.text(V.Shape));
  if (Members > 1)
    F.note(Ctx.places().line(D[V.Owner]),
           "{} values share this place; none of them needs more", Members);
}

/// True if a value at this offset needs exactly \p Size but states another
/// size: then that value is wrong, and those it left are right.
bool SizeChecker::strayed(ArrayRef<uint32_t> Offset, uint64_t Size) {
  if (Needs.empty()) {
    for (uint32_t I : Offset)
      if (Need N = need(D.Values[I]); N.Bytes != D.Values[I].Size)
        Needs.push_back(N.Bytes);
    llvm::sort(Needs);
  }
  return std::binary_search(Needs.begin(), Needs.end(), Size);
}

/// True if \p V, with \p Bytes, may be what one of 2 or 4 SparseCores has of an
/// array that only positions tell (libtpu 0.0.23).
bool SizeChecker::isShard(const Value &V, uint64_t Bytes) const {
  const Shape &S = D.Shapes[V.Shape];
  bool Padded = S.Layout && S.Layout->TailPadding != 1;
  bool Shard = Padded && (V.Size == 2 * Bytes || V.Size == 4 * Bytes);
  Diags.exempt("unknown-formula", Shard);
  return Shard;
}

/// True if \p V shares its place with the index table of a collective-permute
/// of several arrays, which is an alias of its second operand (XLA for GPU, up
/// to March 2026).
bool SizeChecker::isTable(const Value &V) const {
  bool Table = Tables.contains({V.Offset, V.Size});
  Diags.exempt("unknown-formula", Table);
  return Table;
}

void SizeChecker::checkPlace(ArrayRef<uint32_t> Offset,
                             ArrayRef<uint32_t> Same) {
  uint64_t Size = D.Values[Same.front()].Size;
  bool Exact = true;
  Need Most;
  uint32_t Largest = Same.front();
  for (uint32_t I : Same) {
    Need N = need(D.Values[I]);
    Diags.exempt("unknown-formula", !N.Exact || N.Level != Severity::Error);
    Exact &= N.Exact;
    if (I == Same.front() || N.Bytes > Most.Bytes) {
      Most = N;
      Largest = I;
    }
  }
  if (Most.Bytes > Size)
    report(Largest, Most, /*Members=*/1);
  else if (Most.Bytes < Size && Exact && !strayed(Offset, Size) &&
           !isShard(D.Values[Largest], Most.Bytes) &&
           !isTable(D.Values[Largest]))
    report(Largest, Most, Same.size());
}

void SizeChecker::checkOffset(ArrayRef<uint32_t> Same) {
  Needs.clear();
  for (ArrayRef<uint32_t> Rest = Same; !Rest.empty();)
    checkPlace(Same,
               takeRun(Rest, [&](uint32_t I) { return D.Values[I].Size; }));
}

void SizeChecker::checkAllocation(const Allocation &Alloc) {
  Order.clear();
  Tables.clear();
  for (uint32_t I = Alloc.Values.Begin; I != Alloc.Values.End; ++I)
    if (const Value &V = D.Values[I]; !D.Shapes[V.Shape].isTuple())
      Order.push_back(I);
    else if (Target != Backend::TPU &&
             StringRef(D.spell(V.Tag)).contains(" collective-permute-start"))
      Tables.insert({V.Offset, V.Size});
  std::ranges::sort(Order, {}, [&](uint32_t I) {
    return std::tuple(D.Values[I].Offset, D.Values[I].Size, I);
  });
  for (ArrayRef<uint32_t> Rest = Order; !Rest.empty();)
    checkOffset(takeRun(Rest, [&](uint32_t I) { return D.Values[I].Offset; }));
}

static constexpr int32_t SparseCoreColor = 7;
static constexpr uint64_t SmallGranule = 32;
static constexpr uint64_t LargeGranule = 512;

static uint64_t tableBytes(uint64_t Elements, uint64_t Granule) {
  return llvm::alignTo(4 * Elements, Granule);
}

/// The granule that explains more tables of a TPU dump.
static uint64_t findGranule(const Dump &D) {
  size_t Small = 0, Large = 0;
  for (const Value &V : D.Values) {
    const Shape &S = D.Shapes[V.Shape];
    if (!S.isTuple() || V.Tag.Color != 0)
      continue;
    Small += V.Size == tableBytes(S.Elements.size(), SmallGranule);
    Large += V.Size == tableBytes(S.Elements.size(), LargeGranule);
  }
  return Small > Large ? SmallGranule : LargeGranule;
}

static void checkTables(const CheckContext &Ctx, Reporter &Diags) {
  const Dump &D = Ctx.dump();
  bool TPU = Ctx.isTPU();
  uint64_t Granule = TPU ? findGranule(D) : 0;
  for (auto [I, V] : llvm::enumerate(D.Values)) {
    const Shape &S = D.Shapes[V.Shape];
    if (!S.isTuple())
      continue;
    uint64_t Elements = S.Elements.size();
    uint64_t Expected = 8 * Elements;
    if (TPU && V.Tag.Color == SparseCoreColor)
      Expected = 0;
    else if (TPU && V.Tag.Color == 0)
      Expected = tableBytes(Elements, Granule);
    else if (TPU)
      continue; // Never seen; value-color reports it.
    if (V.Size == Expected)
      continue;
    Diags.report({Ctx.places().value(V).Size, ValueId(I)},
                 "tuple index table {} has {} bytes, expected {} for {}",
                 D.spell(V.Tag), V.Size, Expected,
                 counted(Elements, "element"));
  }
}

void hlobuf::checkValueSize(const CheckContext &Ctx, Reporter &Diags) {
  SizeChecker Checker{Ctx, Diags};
  for (const Allocation &Alloc : Ctx.dump().Allocations)
    Checker.checkAllocation(Alloc);
  checkTables(Ctx, Diags);
}
