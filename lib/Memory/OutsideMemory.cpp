// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// xla/backends/cpu/runtime/sort_lib.cc (2026) calls std::stable_sort for each
// row; the bytes of its buffer were measured with jax 0.12.0.1.

#include "Memory/OutsideMemory.h"
#include "HLO/AttributeNumbers.h"
#include "Support/Format.h"
#include "Support/HumanBytes.h"
#include <map>

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
  explicit OutsideFinder(const Facts &DumpFacts)
      : D(DumpFacts.dump()), M(D.Module) {}

  std::vector<OutsideMemory> run();

private:
  void visit(const HloInstruction &I);
  void add(std::string What, const HloInstruction &I,
           std::optional<uint64_t> Bytes, uint64_t Inside);
  std::optional<uint64_t> sortBytes(const HloInstruction &I) const;
  bool comparesOperands(const HloInstruction &Sort) const;
  uint64_t productBytes(const HloInstruction &Dot) const;
  std::optional<uint64_t> largestInside(const HloInstruction &Fusion) const;

  const Dump &D;
  const HloModule &M;
  std::vector<OutsideMemory> Found;
  std::map<std::string, size_t> Known;
};
} // namespace

void OutsideFinder::add(std::string What, const HloInstruction &I,
                        std::optional<uint64_t> Bytes, uint64_t Inside) {
  auto [At, IsNew] = Known.try_emplace(What, Found.size());
  if (IsNew)
    Found.push_back({std::move(What), D.Names[I.Name].str(), 0, Bytes, Inside});
  OutsideMemory &Row = Found[At->second];
  ++Row.Count;
  if (Bytes.value_or(Inside) <= Row.Bytes.value_or(Row.Inside))
    return;
  Row.Example = D.Names[I.Name].str();
  Row.Bytes = Bytes;
  Row.Inside = Inside;
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

/// What a product takes in addition to its result: operand 1 in another order,
/// and sums of 4 bytes where elements of the result are smaller.
uint64_t OutsideFinder::productBytes(const HloInstruction &Dot) const {
  uint64_t Bytes = 0;
  if (Dot.Operands.size() == 2)
    if (HloId Packed = M.operands(Dot)[1])
      Bytes += logicalBytes(D.Shapes, M[Packed].Shape).value_or(0);
  const Shape &Result = D.Shapes[Dot.Shape];
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

void OutsideFinder::visit(const HloInstruction &I) {
  StringRef Attributes = M.attributes(I);
  switch (I.Op) {
  case Opcode::Sort:
    if (Attributes.contains("is_stable=true"))
      add("buffer of a stable sort", I, sortBytes(I), 0);
    return;
  case Opcode::Fft:
    return add("tables of the FFT", I, std::nullopt, 0);
  case Opcode::CustomCall:
    return add(fmt::format("workspace of {}", customCallTarget(Attributes)), I,
               std::nullopt, 0);
  case Opcode::Fusion:
    for (auto [Kind, Library] : {std::pair("\"__ynn_fusion\"", "YNNPACK"),
                                 std::pair("\"__xnn_fusion\"", "XNNPACK"),
                                 std::pair("\"__onednn_fusion\"", "oneDNN")})
      if (Attributes.contains(Kind))
        if (std::optional<uint64_t> Inside = largestInside(I))
          add(fmt::format("what {} packs and accumulates in", Library), I,
              std::nullopt, *Inside);
    return;
  default:
    return;
  }
}

std::vector<OutsideMemory> OutsideFinder::run() {
  for (const HloInstruction &I : M.Instructions)
    visit(I);
  return std::move(Found);
}

std::vector<OutsideMemory> hlobuf::findOutsideMemory(const Facts &DumpFacts) {
  if (DumpFacts.backend() != Backend::CPU ||
      !DumpFacts.dump().complete(Section::Module))
    return {};
  return OutsideFinder(DumpFacts).run();
}
