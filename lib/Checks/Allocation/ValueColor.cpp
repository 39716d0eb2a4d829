// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value has the color (memory space) of its allocation: XLA refuses anything
// else when it places a value (buffer_assignment.cc AddAssignment, 2017),
// except in temps, where a mismatch is therefore a warning:
// - GPU may give all temps color 2 (xla_gpu_temp_buffer_use_separate_color,
//   2024-06-25): values of color 0 in a temp of color 2 (CUDA, with that flag);
// - GPU puts values of color 0 into holes of temps of color 1 and 7, and lists
//   them once more below the allocation (2026-06-17; jaxlib 0.12.0 on H100).
// CPU has color 0 only, but for the memory spaces that a program itself states
// in its layouts (a module for TPU, compiled for CPU). On TPU another color
// than 0 belongs to a temp or to thread-local memory, 7 to constants of the
// SparseCore, too, and tuple index tables have color 0, or 7 on the SparseCore;
// arguments and results that the program keeps in host memory have color 5
// (xla/layout.h kHostMemorySpace, 2024-03-13; jax memory kind pinned_host). GPU
// gives collectives and their tables color 1 (jaxlib 0.6.2 on H100).
//
// The memory space `S(n)` in the layout of a value's array is the value's
// color, and is not printed for color 0: XLA writes the color into the layout
// of every position of a value (AddAssignment, 2019-07-30). Tuples and tokens
// have no layout of their own. Where GPU gives temps a color of their own, only
// the allocation's changes.
//
// A copy-start crosses memory spaces. On TPU only the assignment of values to
// alternate memory makes these copies (memory_space_assignment.cc, 2020; more
// than 8,000 of them agree), and their sync flag {2} is 4 bytes of color 2. On
// GPU there is no flag, and they cross between device and host memory
// (EmitCopyStart in xla/service/gpu/thunk_emitter.cc refuses anything else),
// since 2026-07-27 also inside of device memory. An argument that is passed in
// host memory may be copied there (jaxlib 0.12.0). Two of those in a row, there
// and back, with nothing else that reads what is between, are what is left of a
// round trip to the host that lost its memory space. Where copies of any size
// are made so (xla_gpu_async_copy_min_bytes=0), what is copied twice is also
// used where the first copy brought it, or goes to the place of a donated
// argument or of a loop's state.

#include "Checks/Check.h"
#include "Program/Program.h"

using namespace hlobuf;

namespace {
struct ColorChecker {
  void run();

  static constexpr int32_t SparseCoreColor = 7;

  bool isOnSparseCore(const Allocation &Alloc) const;
  void checkAllocation(AllocationId Id);
  void checkMembers(AllocationId Id);
  void checkReuseBlock(AllocationId Id);
  void checkTables();
  void checkLayouts();
  void checkCopy(const Instruction &Copy);
  void checkHostCopy(const Instruction &Copy, int64_t Space);
  bool isPlacedForAnother(const Instruction &Copy) const;
  /// The memory space of element \p K of the result of \p I; nothing if that
  /// is not an array.
  std::optional<int64_t> space(const Instruction &I, size_t K) const;
  bool isExempt(const Allocation &Alloc, const Value &V) const;
  /// Temps of some backends may have another color than their values.
  Severity levelOf(const Allocation &Alloc) const {
    return Alloc.PreallocatedTemp && Ctx.backend() != Backend::CPU
               ? Severity::Warning
               : Severity::Error;
  }
  void reportAllocation(AllocationId Id, ValueId Member);
  void reportMember(ValueId Id);

  const CheckContext &Ctx;
  Reporter &Diags;
  const Dump &D = Ctx.dump();
  /// Ids in the reuse block of the allocation at hand, sorted.
  std::vector<uint32_t> Listed = {};
};
} // namespace

bool ColorChecker::isExempt(const Allocation &Alloc, const Value &V) const {
  constexpr int32_t TempColor = 2;
  if (!Alloc.PreallocatedTemp || Ctx.isTPU() || Ctx.backend() == Backend::CPU)
    return false;
  // A proto does not hold the list of values in holes. Without an order of all
  // steps XLA places each computation by itself, and heeds no color (CUDA and
  // ROCm 0.12.0, xla_gpu_command_buffer_scheduling_mode=CONCURRENT).
  bool Ordered = !D.complete(Section::Sequence) || !D.Sequence.empty();
  return (V.Tag.Color == 0 &&
          (Alloc.color() == TempColor || D.fromProto() || !Ordered)) ||
         std::binary_search(Listed.begin(), Listed.end(), V.Tag.Id);
}

void ColorChecker::reportAllocation(AllocationId Id, ValueId Member) {
  const Allocation &Alloc = D[Id];
  Diags
      .reportAs(levelOf(Alloc),
                {Ctx.places().orEnd(Ctx.places().header(Alloc).Color, Alloc),
                 Id, Member},
                "allocation {} has color {}, but its values have color {}",
                Alloc.Index, Alloc.color(), D[Member].Tag.Color)
      .note(Ctx.places().value(D[Member]).Tag.Whole, "its first value is here");
}

void ColorChecker::reportMember(ValueId Id) {
  const Value &V = D[Id];
  const Allocation &Alloc = D[V.Owner];
  Finding F =
      Diags.reportAs(levelOf(Alloc), {Ctx.places().value(V).Tag.Color, Id},
                     "value {} has color {}, but allocation {} has color {}",
                     D.spell(V.Tag), V.Tag.Color, Alloc.Index, Alloc.color());
  F.note(Ctx.places().orEnd(Ctx.places().header(Alloc).Color, Alloc),
         "the allocation's color is here");
  if (Alloc.HasReuseBlock && !D.reused(Alloc).empty())
    F.note(Ctx.places().line(D.reused(Alloc).back()),
           "values of other colors are listed here");
}

void ColorChecker::checkMembers(AllocationId Id) {
  const Allocation &Alloc = D[Id];
  uint32_t NumWrong = 0, NumSame = 0;
  ValueId First;
  for (uint32_t I = Alloc.Values.Begin; I != Alloc.Values.End; ++I) {
    const Value &V = D.Values[I];
    if (!V.Tag.HasColor || V.Tag.Color == Alloc.color())
      continue;
    if (isExempt(Alloc, V)) {
      Diags.exempt("gpu-temp-color");
      continue;
    }
    if (!First)
      First = ValueId(I);
    ++NumWrong;
    NumSame += V.Tag.Color == D[First].Tag.Color;
  }
  if (NumWrong == 0)
    return;
  if (NumWrong == Alloc.Values.size() && NumSame == NumWrong)
    return reportAllocation(Id, First);
  for (uint32_t I = First.index(); I != Alloc.Values.End; ++I) {
    const Value &V = D.Values[I];
    if (V.Tag.HasColor && V.Tag.Color != Alloc.color() && !isExempt(Alloc, V))
      reportMember(ValueId(I));
  }
}

/// The block `reused by buffers of a different color` lists members.
void ColorChecker::checkReuseBlock(AllocationId Id) {
  const Allocation &Alloc = D[Id];
  std::vector<std::pair<uint32_t, uint32_t>> Members;
  for (uint32_t I = Alloc.Values.Begin; I != Alloc.Values.End; ++I)
    Members.push_back({D.Values[I].Tag.Id, I});
  llvm::sort(Members);
  for (const ReusedValue &Row : D.reused(Alloc)) {
    Listed.push_back(Row.Tag.Id);
    auto Entry = llvm::lower_bound(Members, std::pair(Row.Tag.Id, 0u));
    TagTexts Texts = Ctx.places().tag(Row);
    if (Entry == Members.end() || Entry->first != Row.Tag.Id) {
      Diags.report({Texts.Whole, Id},
                   "reused value {} is not a value of allocation {}",
                   D.spell(Row.Tag), Alloc.Index);
      continue;
    }
    const Value &V = D.Values[Entry->second];
    if (Row.Tag == V.Tag && Row.Color == V.Tag.Color &&
        Row.Color != Alloc.color())
      continue;
    Diags
        .report({Row.Tag == V.Tag ? Ctx.places().line(Row) : Texts.Whole,
                 ValueId(Entry->second)},
                "reused value {} is listed with color {}, expected {} with a "
                "color other than {}",
                D.spell(Row.Tag), Row.Color, D.spell(V.Tag), Alloc.color())
        .note(Ctx.places().value(V).Tag.Whole, "the value is here");
  }
  llvm::sort(Listed);
  auto Twice = std::adjacent_find(Listed.begin(), Listed.end());
  if (Twice != Listed.end())
    Diags.report({Ctx.places().line(D.reused(Alloc).back()), Id},
                 "value id {} is listed as reused twice in allocation {}",
                 *Twice, Alloc.Index);
}

/// True if \p Alloc is a constant of a computation that another execution
/// thread runs; without the module it may be one.
bool ColorChecker::isOnSparseCore(const Allocation &Alloc) const {
  if (!Alloc.Constant || Alloc.color() != SparseCoreColor)
    return false;
  const Program *P = Ctx.program();
  if (!P || !P->obstacle().empty() || P->isFromTexts())
    return true;
  return !Alloc.Values.empty() &&
         llvm::all_of(D.values(Alloc), [&](const Value &V) {
           HloId Id = P->find(V.Tag.Name);
           return Id && P->module()[(*P)[Id].Parent].OtherThread;
         });
}

void ColorChecker::checkAllocation(AllocationId Id) {
  const Allocation &Alloc = D[Id];
  Listed.clear();
  if (Alloc.HasReuseBlock)
    checkReuseBlock(Id);
  checkMembers(Id);
  if (Alloc.color() == 0)
    return;
  bool Argument = Alloc.isParameter() || Alloc.MaybeLiveOut;
  StringRef Expected;
  if (Ctx.backend() == Backend::CPU) {
    if (!Alloc.Values.empty() &&
        llvm::all_of(D.values(Alloc), [&](const Value &V) {
          return D.Shapes[V.Shape].memorySpace() == Alloc.color();
        }))
      return;
    Expected = "0 on CPU";
  } else if (!Ctx.isTPU() || Alloc.PreallocatedTemp || Alloc.ThreadLocal ||
             isOnSparseCore(Alloc))
    return;
  else if (!Argument)
    Expected = "0 outside temps on TPU";
  else if (Alloc.color() != HostMemorySpace)
    Expected = "0, or 5 for host memory, outside temps on TPU";
  if (!Expected.empty())
    Diags.report({Ctx.places().header(Alloc).Color, Id},
                 "allocation {} has color {}, expected {}", Alloc.Index,
                 Alloc.color(), Expected);
}

/// Tuple tables of TPU are in main memory.
void ColorChecker::checkTables() {
  for (auto [I, V] : llvm::enumerate(D.Values)) {
    if (V.Tag.Color == 0 || V.Tag.Color == SparseCoreColor ||
        !D.Shapes[V.Shape].isTuple())
      continue;
    Diags.reportAs(Severity::Warning,
                   {Ctx.places().value(V).Tag.Color, ValueId(I)},
                   "tuple index table {} has color {}, expected 0",
                   D.spell(V.Tag), V.Tag.Color);
  }
}

void ColorChecker::run() {
  for (AllocationId Id : ids<AllocationId>(D.Allocations.size()))
    checkAllocation(Id);
  if (Ctx.isTPU())
    checkTables();
  bool Printed =
      llvm::any_of(D.Values, [](const Value &V) { return V.Tag.HasColor; });
  for (uint32_t I = 0; Printed && I != D.Values.size(); ++I)
    if (!D.Values[I].Tag.HasColor)
      Diags.report({Ctx.places().value(D.Values[I]).Tag.Whole, ValueId(I)},
                   "value {} has no color, but other values do",
                   D.spell(D.Values[I].Tag));
  checkLayouts();
  if (!D.complete(Section::Texts))
    return Diags.notCheckedWithout(Ctx, Section::Texts);
  for (const Instruction &I : D.Instructions)
    if (I.Op.Op == Opcode::CopyStart && !I.Op.Sugar)
      checkCopy(I);
}

/// The `S(n)` inside \p Shape, or its layout, or all of it.
static StringRef memorySpaceText(StringRef Shape) {
  StringRef Layout = Shape.drop_front(std::min(Shape.find('{'), Shape.size()));
  size_t Offset = Layout.find("S(");
  if (Offset == StringRef::npos)
    return Layout.empty() ? Shape : Layout;
  StringRef Group = Layout.drop_front(Offset);
  return Group.take_front(Group.find(')') + 1);
}

void ColorChecker::checkLayouts() {
  for (auto [I, V] : llvm::enumerate(D.Values)) {
    const Shape &S = D.Shapes[V.Shape];
    if (!S.isArray() || !V.Tag.HasColor || S.memorySpace() == V.Tag.Color)
      continue;
    ValueTexts Texts = Ctx.places().value(V);
    // Of the two, the one that differs from the allocation is wrong.
    bool WrongColor = S.memorySpace() == D[V.Owner].color();
    Diags.report({WrongColor ? Texts.Tag.Color : memorySpaceText(Texts.Shape),
                  ValueId(I)},
                 "value {} has color {}, but its layout has memory space {}",
                 D.spell(V.Tag), V.Tag.Color, S.memorySpace());
  }
}

std::optional<int64_t> ColorChecker::space(const Instruction &I,
                                           size_t K) const {
  if (!I.Result || K >= D.Shapes[I.Result].Elements.size())
    return std::nullopt;
  const Shape &S = D.Shapes[D.Shapes[I.Result].Elements[K]];
  return S.isArray() ? std::optional<int64_t>(S.memorySpace()) : std::nullopt;
}

/// True if the result of \p Copy is in the place of a donated argument or of a
/// loop's state: what is exchanged there is copied twice.
bool ColorChecker::isPlacedForAnother(const Instruction &Copy) const {
  ValueId Id = Ctx.findValue(Copy.Name, ShapeIndex::element(0));
  if (!Id)
    return false;
  const Allocation &Alloc = D[D[Id].Owner];
  return Alloc.isParameter() ||
         llvm::any_of(D.values(Alloc), [&](const Value &V) {
           return V.Tag.Phi && V.Offset == D[Id].Offset;
         });
}

void ColorChecker::checkHostCopy(const Instruction &Copy, int64_t Space) {
  StringRef Where = Ctx.places().text(Copy).OpcodeText;
  UsedId From = Ctx.valueAt(Copy.Name, ShapeIndex::element(1));
  ValueId Source =
      From ? Ctx.findValue(D[From].Tag.Name, D[From].Tag.Index) : ValueId();
  if (Space == HostMemorySpace && Source && D[D[Source].Owner].isParameter())
    return;
  if (Space == HostMemorySpace ||
      Ctx.release().until(Release::CopiesInDevice)) {
    Diags.report(
        {Where, Copy.Name},
        "copy {} stays in {} memory, expected its source or its result "
        "in host memory (color {})",
        D.Names[Copy.Name], Space == HostMemorySpace ? "host" : "device",
        HostMemorySpace);
    return;
  }
  // What the copy before it brought is copied on, and is read by the two dones
  // and this copy alone.
  constexpr size_t ReadsOfTrip = 3;
  const Instruction *First = From ? Ctx.instruction(D[From].Tag.Name) : nullptr;
  if (First && First->Op.Op == Opcode::CopyStart &&
      D.uses(D[From]).size() <= ReadsOfTrip && space(*First, 0) == Space &&
      space(*First, 1) == Space && !isPlacedForAnother(Copy))
    Diags
        .reportAs(Severity::Warning, {Where, Copy.Name},
                  "copies {} and {} form a round trip that never leaves color "
                  "{}: should the first one go to host memory (color {})?",
                  D.Names[First->Name], D.Names[Copy.Name], Space,
                  HostMemorySpace)
        .note(Ctx.places().tag(D[From]).Whole, "the first copy is here");
}

void ColorChecker::checkCopy(const Instruction &Copy) {
  constexpr int32_t FlagColor = 2;
  std::optional<int64_t> To = space(Copy, 0), From = space(Copy, 1);
  if (!To || !From)
    return;
  if (!Ctx.isTPU()) {
    // On CPU any copy may be one: there is one memory space.
    if (Ctx.backend() != Backend::CPU &&
        (*To == HostMemorySpace) == (*From == HostMemorySpace))
      checkHostCopy(Copy, *To);
    return;
  }
  auto Shape = [&] { return Ctx.places().text(Copy).ShapeText; };
  if (*To == *From)
    Diags.report({Shape(), Copy.Name},
                 "copy {} has color {}, the same as its source, expected a "
                 "different color",
                 D.Names[Copy.Name], *To);
  std::optional<int64_t> Flag = space(Copy, 2);
  if (Flag && (*Flag != FlagColor ||
               logicalBytes(D.Shapes, D.Shapes[Copy.Result].Elements[2]) != 4))
    Diags.report({Shape(), Copy.Name},
                 "the sync flag of {} is {}, expected 4 bytes of color {}",
                 D.Names[Copy.Name],
                 D.Shapes.text(D.Shapes[Copy.Result].Elements[2]), FlagColor);
}

void hlobuf::checkValueColor(const CheckContext &Ctx, Reporter &Diags) {
  ColorChecker{Ctx, Diags}.run();
}
