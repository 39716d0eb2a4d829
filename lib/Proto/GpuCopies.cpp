// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Proto/Fields.h"
#include "Proto/ProtoText.h"
#include "Support/Format.h"
#include <set>

using namespace hlobuf;
using namespace hlobuf::field;

using Numbers = SmallVector<int64_t, 4>;

namespace {
struct GpuCopies : FieldReport {
  void run();

  void compareAllocations();
  void compareAllocation(int64_t Index, StringRef Copy, StringRef Own,
                         bool HaveValues);
  void compareOutputs(StringRef Result);
  void compareOutput(const Numbers &Index, StringRef Info);
  void compareConstants();
  std::optional<bool> isArgument(Numbers Index) const;
  std::vector<std::pair<int64_t, std::string>> expectedConstants() const;

  const HloProto &P;
  const ProtoAliases &Aliases;
  const ProtoModule &M = P.Module;
  const ProtoInstruction *Root = nullptr;
};
} // namespace

/// Hands \p Visit the indices of \p Shape and of all that is inside of it.
static void forEachIndex(StringRef Shape, Numbers &Index,
                         function_ref<void(const Numbers &)> Visit) {
  constexpr uint32_t TupleShapes = 4;
  constexpr size_t MostDepth = 100;
  Visit(Index);
  int64_t Number = 0;
  if (Index.size() == MostDepth)
    return;
  forEachMessage(Shape, TupleShapes, [&](StringRef Element) {
    Index.push_back(Number++);
    forEachIndex(Element, Index, Visit);
    Index.pop_back();
  });
}

/// The values in an allocation.
static std::vector<StringRef> assignedTo(StringRef Allocation) {
  std::vector<StringRef> All;
  forEachMessage(Allocation, 9, [&](StringRef Value) { All.push_back(Value); });
  return All;
}

/// The copy of a GPU has all but the values, which it has until jaxlib 0.10.
void GpuCopies::compareAllocation(int64_t Index, StringRef Copy, StringRef Own,
                                  bool HaveValues) {
  for (uint32_t Number : {1, 2, 3, 5, 6, 7, 8, 12, 13})
    expect(fmt::format("buffer_allocations[{}], field {},", Index, Number),
           numberAt(Copy, Number), numberAt(Own, Number));
  if (numbersField(Copy, 10) != numbersField(Own, 10))
    differs("buffer_allocations[{}] has parameter index {}, and must have {}",
            Index, indexText(numbersField(Copy, 10)),
            indexText(numbersField(Own, 10)));
  if (HaveValues && assignedTo(Copy) != assignedTo(Own))
    differs("buffer_allocations[{}] has other values than the assignment",
            Index);
}

void GpuCopies::compareAllocations() {
  constexpr uint32_t Allocations = 10;
  std::vector<StringRef> Copies;
  forEachMessage(P.Thunks.field(Allocations), 1,
                 [&](StringRef Each) { Copies.push_back(Each); });
  size_t Count = 0;
  bool HaveValues = llvm::any_of(
      Copies, [](StringRef Copy) { return !assignedTo(Copy).empty(); });
  forEachMessage(P.Assignment.Bytes, 3, [&](StringRef Own) {
    if (Count < Copies.size())
      compareAllocation(int64_t(Count), Copies[Count], Own, HaveValues);
    ++Count;
  });
  if (Copies.size() < Count)
    return differs("buffer_allocations has {} allocations, and the assignment "
                   "{}",
                   Copies.size(), Count);
  // Thunks have more of their own: temps.
  for (size_t N = Count; N != Copies.size(); ++N)
    forEachField(Copies[N], [&](const WireField &F) {
      bool Plain = F.Number == 1 || F.Number == 2 || F.Number == 8;
      if (!Plain && (F.isMessage() || F.Value != 0))
        differs(
            "buffer_allocations[{}] has field {}, but the assignment has no "
            "such allocation",
            N, F.Number);
    });
  compared(FieldType::GpuExecutable, {Allocations});
  compared(FieldType::GpuAllocations, {1});
}

/// True if a result may be the value of an operand, in a way that is not
/// followed here.
static bool mayForward(Opcode Op) {
  return accessesNoMemory(Op) || isControlFlow(Op) || startedBy(Op) ||
         endedBy(Op) || Op == Opcode::CustomCall ||
         Op == Opcode::SetDimensionSize || Op == Opcode::Unknown;
}

/// True if an argument of the program is the result at \p Index, as far as
/// tuples show it; nothing where something else may forward it.
std::optional<bool> GpuCopies::isArgument(Numbers Index) const {
  constexpr unsigned Longest = 10000; // A damaged module may have a circle.
  const ProtoInstruction *I = Root;
  for (unsigned N = 0; I && N != Longest; ++N) {
    Numbers Operands = I->numbers(field::Operands);
    size_t Next = 0;
    switch (I->Op) {
    case Opcode::Parameter:
      return true;
    case Opcode::Tuple:
      if (Index.empty())
        return false;
      Next = static_cast<size_t>(Index.front());
      Index.erase(Index.begin());
      break;
    case Opcode::GetTupleElement:
      Index.insert(Index.begin(), I->number(TupleIndex));
      break;
    default:
      return mayForward(I->Op) ? std::nullopt : std::optional(false);
    }
    if (Next >= Operands.size())
      return std::nullopt;
    I = M.operand(I->Parent, Operands[Next]);
  }
  return std::nullopt;
}

void GpuCopies::compareOutput(const Numbers &Index, StringRef Info) {
  constexpr uint32_t Passthrough = 2, AliasConfig = 3;
  std::string At = indexText(Index);
  StringRef Config = bytesField(Info, AliasConfig);
  auto Alias = Aliases.find(Index);
  if ((Config.data() != nullptr) != (Alias != Aliases.end()))
    return differs("output_info_map at {} {} alias_config", At,
                   Config.data() ? "may not have an" : "must have an");
  if (Config.data()) {
    ProtoAlias Stated;
    readFields(Config, into(2, Stated.Parameter), into(3, Stated.Index),
               into(4, Stated.Kind));
    if (Stated != Alias->second)
      differs("output_info_map at {} is an alias of parameter {}{}, and must "
              "be one of {}{}, kind {}",
              At, Stated.Parameter, indexText(Stated.Index),
              Alias->second.Parameter, indexText(Alias->second.Index),
              Alias->second.Kind);
  }
  compared(FieldType::GpuOutput, {AliasConfig});
  auto Passed = isArgument(Index);
  if (!Passed)
    return;
  expect(fmt::format("passthrough of output {}", At),
         numberAt(Info, Passthrough), *Passed);
  compared(FieldType::GpuOutput, {Passthrough});
}

void GpuCopies::compareOutputs(StringRef Result) {
  constexpr uint32_t Outputs = 11;
  std::map<Numbers, StringRef> Stated;
  P.Thunks.forEach(Outputs, [&](StringRef Entry) {
    Numbers Index = numbersField(bytesField(Entry, 1), 1);
    if (!Stated.empty() && Index < Stated.rbegin()->first)
      differs("output_info_map has {} too late", indexText(Index));
    if (!Stated.try_emplace(Index, bytesField(Entry, 2)).second)
      differs("output_info_map has {} twice", indexText(Index));
  });
  Numbers Index;
  forEachIndex(Result, Index, [&](const Numbers &At) {
    auto Entry = Stated.find(At);
    if (Entry == Stated.end())
      return differs("output_info_map has no {}", indexText(At));
    compareOutput(At, Entry->second);
    Stated.erase(Entry);
  });
  for (const auto &[At, Info] : Stated)
    differs("output_info_map has {}, which the result does not have",
            indexText(At));
  compared(FieldType::GpuExecutable, {Outputs});
  compared(FieldType::GpuOutputEntry, {1, 2});
  compared(FieldType::ShapeIndex, {1});
}

/// Ids of the computations that run on the device, each at a step of its own.
static std::set<int64_t> globalComputations(const ProtoModule &M) {
  std::set<int64_t> All = {M.Entry};
  std::vector<int64_t> Work = {M.Entry};
  while (!Work.empty()) {
    const ProtoComputation *C = M.computation(Work.back());
    Work.pop_back();
    if (!C)
      continue;
    for (const ProtoInstruction &I : M.instructions(*C))
      if (isControlFlow(I.Op))
        for (int64_t Id : I.numbers(CalledComputations))
          if (const ProtoComputation *Callee = M.computation(Id);
              Callee && (Callee->Thread.empty() || Callee->Thread == "main") &&
              All.insert(Id).second)
            Work.push_back(Id);
  }
  return All;
}

/// Allocations of constants of global computations, with the names of their
/// symbols.
std::vector<std::pair<int64_t, std::string>>
GpuCopies::expectedConstants() const {
  std::vector<std::pair<int64_t, std::string>> All;
  std::set<int64_t> Global = globalComputations(M);
  forEachMessage(P.Assignment.Bytes, 3, [&](StringRef Allocation) {
    if (numberAt(Allocation, 12) == 0)
      return;
    int64_t Id = numberAt(bytesField(Allocation, 9), 1);
    const ProtoBuffer *B = P.Assignment.buffer(Id);
    const ProtoInstruction *I =
        B ? M.instruction(B->Place.Instruction) : nullptr;
    if (!I || Global.count(M.Computations[I->Parent].Id) == 0)
      return;
    std::string Name = "buffer_for_" + I->Name.str();
    for (char &C : Name)
      C = C == '.' || C == '-' ? '_' : C;
    All.emplace_back(numberAt(Allocation, 1), std::move(Name));
  });
  return All;
}

void GpuCopies::compareConstants() {
  constexpr uint32_t Constants = 12;
  std::map<int64_t, std::string> Stated;
  P.Thunks.forEach(Constants, [&](StringRef Constant) {
    int64_t Index = numberAt(Constant, 3);
    if (Index >= 0 &&
        !Stated.try_emplace(Index, bytesField(Constant, 1).str()).second)
      differs("constants have allocation {} twice", Index);
  });
  for (const auto &[Index, Name] : expectedConstants()) {
    auto Entry = Stated.find(Index);
    if (Entry == Stated.end()) {
      differs("constants have none for allocation {}", Index);
      continue;
    }
    expectName(
        fmt::format("symbol_name of the constant of allocation {}", Index),
        Entry->second, Name);
  }
  compared(FieldType::GpuExecutable, {Constants});
  compared(FieldType::GpuConstant, {1});
}

void GpuCopies::run() {
  const ProtoComputation *Entry = M.computation(M.Entry);
  Root = Entry ? M.root(*Entry) : nullptr;
  if (!Root)
    return;
  compareAllocations();
  compareOutputs(Root->Shape);
  compareConstants();
}

FieldRows
hlobuf::compareGpuCopies(const HloProto &P, const ProtoAliases &Aliases,
                         function_ref<void(const std::string &)> Report) {
  GpuCopies All{{Report}, P, Aliases};
  All.run();
  return std::move(All.Done);
}
