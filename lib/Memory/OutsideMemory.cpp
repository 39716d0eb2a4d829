// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sort: xla/backends/cpu/runtime/sort_lib.cc (2026) calls std::stable_sort for
// each row; the bytes of its buffer were measured with jax 0.12.0.1.
// Products: YNNPACK, ynnpack/subgraph/dot.cc (2026). ynn_define_dot makes sums
// of 4 bytes and converts them to a narrower result when all are there;
// prefer_uint8_dot makes operand 0 unsigned where a processor multiplies those
// faster; operand 1 is packed in blocks of columns, right before they are used.
// LAPACK: jaxlib/cpu/lapack_kernels.cc (2024), and what SGESDD asks for.
// FFT: ducc0/fft/fftnd_impl.h (2023), one row at a time for each thread.

#include "Memory/OutsideMemory.h"
#include "HLO/AttributeNumbers.h"
#include "Memory/Lapack.h"
#include "Support/Format.h"
#include "Support/HumanBytes.h"
#include <map>
#include <numeric>

using namespace hlobuf;
using llvm::StringRef;

/// Bytes in which the sort keeps an element of any type.
static constexpr uint64_t SortedElement = 16;

std::string OutsideMemory::bytesText() const {
  if (Bytes)
    return humanBytes(*Bytes);
  return Inside == 0 ? "not known" : "up to " + humanBytes(Inside);
}

namespace {
class OutsideFinder {
public:
  explicit OutsideFinder(const MemoryUse &Memory)
      : Memory(Memory), D(Memory.facts().dump()), M(D.Module) {}

  std::vector<OutsideMemory> run();

private:
  void visit(const HloInstruction &I);
  void add(std::string What, const HloInstruction &I,
           std::optional<uint64_t> Bytes, uint64_t Inside);
  std::optional<uint64_t> sortBytes(const HloInstruction &I) const;
  bool comparesOperands(const HloInstruction &Sort) const;
  std::optional<uint64_t> fftBytes(const HloInstruction &I) const;
  const HloInstruction *onlyProduct(const HloInstruction &Fusion) const;
  void addProduct(const HloInstruction &Fusion, const HloInstruction &Dot);
  void addFusion(const HloInstruction &Fusion, StringRef Library);
  uint64_t operandBytes(const HloInstruction &I, size_t Number) const;
  uint64_t productBytes(const HloInstruction &Dot) const;
  std::optional<uint64_t> largestInside(const HloInstruction &Fusion) const;
  void findResults();
  std::optional<uint64_t> usedAt(int32_t Step) const;

  const MemoryUse &Memory;
  const Dump &D;
  const HloModule &M;
  std::vector<OutsideMemory> Found;
  /// Where in Found a row is, by What and whether its bytes are known.
  std::map<std::pair<std::string, bool>, size_t> Known;
  /// Bytes of results, and by step those of them that are live.
  uint64_t Results = 0;
  std::vector<uint64_t> LiveResults;
};
} // namespace

void OutsideFinder::add(std::string What, const HloInstruction &I,
                        std::optional<uint64_t> Bytes, uint64_t Inside) {
  OutsideMemory New{What,  M.name(I).str(), 0,
                    Bytes, Inside,          usedAt(Memory.stepOf(I.Name))};
  auto Total = [](const OutsideMemory &Row) {
    return Row.Used.value_or(0) + Row.Bytes.value_or(Row.Inside);
  };
  // What is known of one says nothing of another.
  auto [At, IsNew] =
      Known.try_emplace({std::move(What), Bytes.has_value()}, Found.size());
  if (IsNew)
    Found.push_back(New);
  OutsideMemory &Row = Found[At->second];
  unsigned Count = Row.Count + 1;
  if (Total(New) > Total(Row))
    Row = std::move(New);
  Row.Count = Count;
}

/// Adds up once by how much live bytes of results change at each step.
void OutsideFinder::findResults() {
  if (!Memory.isTimed())
    return;
  LiveResults.assign(static_cast<size_t>(Memory.steps()) + 1, 0);
  for (const Allocation &Alloc : D.Allocations)
    if (Alloc.color() == 0 && kindOf(Alloc) == MemoryKind::LiveOut) {
      Results += Alloc.Size;
      Memory.addLive(Alloc, [](ValueId) { return true; }, LiveResults);
    }
  std::partial_sum(LiveResults.begin(), LiveResults.end(), LiveResults.begin());
}

std::optional<uint64_t> OutsideFinder::usedAt(int32_t Step) const {
  const SpaceUse *Main = Memory.space(0);
  if (Step < 0 || !Main || static_cast<size_t>(Step) >= LiveResults.size())
    return std::nullopt;
  return Main->heldAt(Step) - Results + LiveResults[static_cast<size_t>(Step)];
}

/// The comparator of \p Sort compares its first two parameters and nothing
/// else: such a sort of one operand is one of its own type.
bool OutsideFinder::comparesOperands(const HloInstruction &Sort) const {
  for (const HloCall &Call : M.calls(Sort)) {
    const HloComputation &Comparator = M[Call.Callee];
    if (!Comparator.Root || M[Comparator.Root].Op != Opcode::Compare)
      return false;
    return llvm::all_of(M.operands(M[Comparator.Root]), [&](HloId Operand) {
      return Operand && M[Operand].Op == Opcode::Parameter;
    });
  }
  return false;
}

/// Of one row: several may be sorted at a time, one by each thread.
std::optional<uint64_t>
OutsideFinder::sortBytes(const HloInstruction &I) const {
  auto Along = numbersIn(findAttribute(M.attributes(I), "dimensions"));
  llvm::ArrayRef<HloId> Operands = M.operands(I);
  uint64_t Sizes = 0;
  std::optional<uint64_t> Length;
  for (HloId Operand : Operands) {
    if (!Operand)
      return std::nullopt;
    const Shape &S = D.Shapes[M[Operand].Shape];
    if (!S.isArray() || S.Bits == 0 || !Along || Along->size() != 1 ||
        Along->front() < 0 ||
        Along->front() >= static_cast<int64_t>(S.Dimensions.size()))
      return std::nullopt;
    Sizes += (S.Bits + 7) / 8;
    int64_t Size = S.Dimensions[static_cast<size_t>(Along->front())].Size;
    if (Size < 0 || Size > int64_t(1) << 48)
      return std::nullopt;
    Length = static_cast<uint64_t>(Size);
  }
  if (!Length)
    return std::nullopt;
  if (Operands.size() == 1 && comparesOperands(I))
    return *Length / 2 * Sizes;
  return *Length *
         (Operands.size() == 2 ? Sizes : SortedElement * Operands.size());
}

/// Of one row along the last dimension, several may be transformed at a time,
/// one by each thread: a buffer of its elements, and the row itself where one
/// side is real. Other dimensions are done several rows at a time, and lengths
/// with large prime factors are padded.
std::optional<uint64_t> OutsideFinder::fftBytes(const HloInstruction &I) const {
  static constexpr int64_t Factors[] = {2, 3, 5, 7, 11};
  auto Lengths = numbersIn(findAttribute(M.attributes(I), "fft_length"));
  if (!Memory.facts().release().since(Release::NewlineBack) || !Lengths ||
      Lengths->size() != 1 || Lengths->front() <= 0)
    return std::nullopt;
  int64_t Rest = Lengths->front();
  for (int64_t Factor : Factors)
    while (Rest % Factor == 0)
      Rest /= Factor;
  unsigned Bits = D.Shapes[I.Shape].Bits;
  if (Rest != 1 || Bits == 0 || Lengths->front() > int64_t(1) << 48)
    return std::nullopt;
  // A row of reals and its buffer are as large as one of complex elements.
  bool IsReal = findAttribute(M.attributes(I), "fft_type") == "IRFFT";
  return static_cast<uint64_t>(Lengths->front()) * (Bits / 8) *
         (IsReal ? 2 : 1);
}

uint64_t OutsideFinder::operandBytes(const HloInstruction &I,
                                     size_t Number) const {
  llvm::ArrayRef<HloId> All = M.operands(I);
  HloId Operand = Number < All.size() ? All[Number] : HloId();
  return Operand ? logicalBytes(D.Shapes, M[Operand].Shape).value_or(0) : 0;
}

/// The product of two matrices that \p Fusion is; null if it is more.
const HloInstruction *
OutsideFinder::onlyProduct(const HloInstruction &Fusion) const {
  const HloInstruction *Dot = nullptr;
  for (const HloCall &Call : M.calls(Fusion)) {
    const HloComputation &Body = M[Call.Callee];
    for (uint32_t I = Body.Instructions.Begin; I != Body.Instructions.End;
         ++I) {
      const HloInstruction &Each = M.Instructions[I];
      if (Each.Op == Opcode::Dot && !Dot)
        Dot = &Each;
      else if (Each.Op != Opcode::Parameter && Each.Op != Opcode::Bitcast)
        return nullptr;
    }
  }
  if (!Dot || M.operands(*Dot).size() != 2)
    return nullptr;
  bool AreMatrices = llvm::all_of(M.operands(*Dot), [&](HloId Operand) {
    return Operand && D.Shapes[M[Operand].Shape].Dimensions.size() == 2;
  });
  return AreMatrices && D.Shapes[Dot->Shape].Dimensions.size() == 2 ? Dot
                                                                    : nullptr;
}

/// Nothing where sums are the result and operands are as they come in.
void OutsideFinder::addProduct(const HloInstruction &Fusion,
                               const HloInstruction &Dot) {
  const Shape &Result = D.Shapes[Dot.Shape];
  const Shape &First = D.Shapes[M[M.operands(Dot)[0]].Shape];
  if (Result.Bits != 0 && Result.Bits < 32)
    add("sums of 4 bytes for each element of a narrower product", Fusion,
        logicalBytes(D.Shapes, Dot.Shape).value_or(0) / Result.Bits * 32, 0);
  else if (First.Element == "s8")
    add("operand 0 of a product in unsigned bytes, on processors with VNNI",
        Fusion, operandBytes(Dot, 0), 0);
}

/// What a product takes in addition to its result: its operands in another
/// order or type, and sums of 4 bytes where elements of the result are smaller.
uint64_t OutsideFinder::productBytes(const HloInstruction &Dot) const {
  uint64_t Bytes = operandBytes(Dot, 1);
  const Shape &Result = D.Shapes[Dot.Shape];
  if (Result.Element == "s32")
    Bytes += operandBytes(Dot, 0);
  if (Result.Bits != 0 && Result.Bits < 32)
    Bytes += logicalBytes(D.Shapes, Dot.Shape).value_or(0) / Result.Bits * 32;
  return Bytes;
}

/// Operands and results have memory, what is between them has not. Nothing
/// where nothing is multiplied: a library reduces in parts that fit into
/// caches.
std::optional<uint64_t>
OutsideFinder::largestInside(const HloInstruction &Fusion) const {
  bool Multiplies = false;
  uint64_t Most = 0;
  for (const HloCall &Call : M.calls(Fusion)) {
    const HloComputation &Body = M[Call.Callee];
    for (uint32_t I = Body.Instructions.Begin; I != Body.Instructions.End;
         ++I) {
      const HloInstruction &Each = M.Instructions[I];
      uint64_t Bytes = 0;
      if (Each.Op != Opcode::Parameter && HloId(I) != Body.Root)
        Bytes = logicalBytes(D.Shapes, Each.Shape).value_or(0);
      if (Each.Op == Opcode::Dot)
        Bytes += productBytes(Each);
      Most = std::max(Most, Bytes);
      Multiplies |= Each.Op == Opcode::Dot || Each.Op == Opcode::Convolution;
    }
  }
  return Multiplies ? std::optional(Most) : std::nullopt;
}

void OutsideFinder::addFusion(const HloInstruction &Fusion, StringRef Library) {
  const HloInstruction *Dot =
      Library == "YNNPACK" ? onlyProduct(Fusion) : nullptr;
  if (Dot)
    addProduct(Fusion, *Dot);
  else if (std::optional<uint64_t> Inside = largestInside(Fusion))
    add(fmt::format("what {} packs and accumulates in", Library), Fusion,
        std::nullopt, *Inside);
}

void OutsideFinder::visit(const HloInstruction &I) {
  StringRef Attributes = M.attributes(I);
  switch (I.Op) {
  case Opcode::Sort:
    if (Attributes.contains("is_stable=true"))
      add("buffer of a stable sort", I, sortBytes(I), 0);
    return;
  case Opcode::Fft:
    return add("buffer of the FFT", I, fftBytes(I), 0);
  case Opcode::CustomCall: {
    StringRef Target = customCallTarget(Attributes);
    std::optional<uint64_t> Bytes = lapackWorkspace(D, I);
    if (Bytes != 0)
      add(fmt::format("workspace of {}", Target), I, Bytes, 0);
    return;
  }
  case Opcode::Fusion:
    for (auto [Kind, Library] : {std::pair("\"__ynn_fusion\"", "YNNPACK"),
                                 std::pair("\"__xnn_fusion\"", "XNNPACK"),
                                 std::pair("\"__onednn_fusion\"", "oneDNN")})
      if (Attributes.contains(Kind))
        addFusion(I, Library);
    return;
  default:
    return;
  }
}

std::vector<OutsideMemory> OutsideFinder::run() {
  findResults();
  for (const HloInstruction &I : M.Instructions)
    visit(I);
  return std::move(Found);
}

std::vector<OutsideMemory> hlobuf::findOutsideMemory(const MemoryUse &Memory) {
  if (Memory.facts().backend() != Backend::CPU ||
      !Memory.facts().dump().complete(Section::Module))
    return {};
  return OutsideFinder(Memory).run();
}
