// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As *after_optimizations.txt.
//
// HloModule::Print and HloComputation::Print (xla/hlo/ir), in the long form of
// 2025: every get-tuple-element, `async-start` with `calls=`. What XLA could
// not read becomes a line that is an error: a schedule that does not have
// exactly the instructions of all computations but those of fusions
// (HloSchedule::Verify in xla/hlo/ir/hlo_schedule.cc, 2018), a root that is
// elsewhere, a literal of another shape.

#include "Proto/Fields.h"
#include "Proto/ProtoText.h"
#include "Proto/ShapeText.h"
#include "Support/Format.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace hlobuf;

void hlobuf::appendName(std::string &Out, StringRef Name) {
  size_t Begin = Out.size();
  Out += Name.empty() ? "?" : Name;
  for (size_t I = Begin; I != Out.size(); ++I)
    if (static_cast<unsigned char>(Out[I]) <= ' ' || Out[I] == '\x7f')
      Out[I] = '?';
}

std::string hlobuf::plainName(StringRef Name) {
  std::string Out;
  appendName(Out, Name);
  return Out;
}

std::string hlobuf::quoted(StringRef Bytes) {
  std::string Out = "\"";
  for (char C : Bytes) {
    if (C == '\n')
      Out += "\\n";
    else if (C == '\r')
      Out += "\\r";
    else if (C == '\t')
      Out += "\\t";
    else if (C == '"' || C == '\\' || C == '\'')
      (Out += '\\') += C;
    else if (C >= ' ' && C < 127)
      Out += C;
    else
      Out += fmt::format("\\{:03o}", static_cast<unsigned char>(C));
  }
  return Out + '"';
}

std::string hlobuf::indexText(ArrayRef<int64_t> Index) {
  return fmt::format("{{{}}}", fmt::join(Index, ","));
}

std::string hlobuf::spacedIndex(ArrayRef<int64_t> Index) {
  return fmt::format("{{{}}}", fmt::join(Index, ", "));
}

namespace {
/// Prints one module.
struct ModulePrinter {
  void print();

  void printAliases();
  void printLayout();
  void printStackTables();
  void printTable(StringRef Title, StringRef Tables, uint32_t Field,
                  ArrayRef<std::pair<uint32_t, StringRef>> Keys);
  void printComputation(const ProtoComputation &C);
  void printSignature(const ProtoComputation &C);
  void printSequence(const ProtoComputation &C, const ProtoInstruction *Root);
  void printInstruction(const ProtoInstruction &I, bool Root);
  void printOperands(const ProtoInstruction &I);
  void printLiteral(const ProtoInstruction &I);
  void shape(StringRef Shape, bool WithLayout) {
    To.shape(Shape, WithLayout, To.Out);
  }
  void check(StringRef Message, const char *Text) {
    if (!isMessage(Message))
      To.damaged(Text);
  }

  const ProtoModule &M;
  TextSink &To;
};
} // namespace

void ModulePrinter::print() {
  To.Out.reserve(M.Bytes.size());
  To.Out += "HloModule " + plainName(M.Name);
  if (M.Scheduled)
    To.Out += ", is_scheduled=true";
  printAliases();
  printLayout();
  To.Out += '\n';
  printStackTables();
  for (const ProtoComputation &C : M.Computations) {
    To.Out += '\n';
    printComputation(C);
    if (To.stopped())
      return;
  }
  for (int64_t Id : M.StraySequences)
    To.Out += fmt::format("the schedule has no computation {}\n", Id);
}

void ModulePrinter::printAliases() {
  StringRef Config = bytesField(M.Bytes, field::ModuleAliases);
  check(Config, "a HloInputOutputAliasProto");
  std::vector<std::string> Items;
  forEachMessage(Config, 1, [&](StringRef Alias) {
    check(Alias, "a HloInputOutputAliasProto");
    Items.push_back(
        fmt::format("{}: ({}, {}, {})", spacedIndex(numbersField(Alias, 1)),
                    numberAt(Alias, 2), spacedIndex(numbersField(Alias, 3)),
                    numberAt(Alias, 4) == 2 ? "must-alias" : "may-alias"));
  });
  if (!Items.empty())
    To.Out +=
        fmt::format(", input_output_alias={{ {} }}", fmt::join(Items, ", "));
}

/// XLA prints the layout of the configuration, which the module repeats.
void ModulePrinter::printLayout() {
  StringRef Program = M.EntryLayout.empty()
                          ? bytesField(M.Bytes, field::ModuleProgramShape)
                          : M.EntryLayout;
  check(Program, "a ProgramShapeProto");
  StringRef Result;
  unsigned Number = 0;
  auto AddParameter = [&](StringRef Shape) {
    if (Number != 0)
      To.Out += Number % 5 == 0 ? fmt::format(", /*index={}*/", Number) : ", ";
    ++Number;
    shape(Shape, true);
  };
  To.Out += ", entry_computation_layout={(";
  readFields(Program, into(1, AddParameter), into(2, Result));
  To.Out += ")->";
  shape(Result, true);
  To.Out += '}';
}

/// One of the four tables of StackFrameIndexProto; messages are printed as
/// `{key=1 key=2}`.
void ModulePrinter::printTable(StringRef Title, StringRef Tables,
                               uint32_t Field,
                               ArrayRef<std::pair<uint32_t, StringRef>> Keys) {
  To.Out += fmt::format("\n{}\n", Title);
  unsigned Number = 0;
  forEachMessage(Tables, Field, [&](StringRef Item) {
    To.Out += fmt::format("{} ", ++Number);
    if (Keys.empty()) {
      To.Out += quoted(Item) + '\n';
      return;
    }
    check(Item, "a StackFrameIndexProto");
    StringRef Separator = "{";
    for (auto [Key, Text] : Keys) {
      int64_t Value = numberAt(Item, Key);
      // A parent is printed as its number plus one (2025-12-02 on).
      To.Out += fmt::format("{}{}={}", Separator, Text,
                            Text == "parent_frame_id" ? Value + 1 : Value);
      Separator = " ";
    }
    To.Out += "}\n";
  });
}

void ModulePrinter::printStackTables() {
  StringRef Tables = bytesField(M.Bytes, field::ModuleStackFrames);
  if (Tables.empty())
    return;
  check(Tables, "a StackFrameIndexProto");
  printTable("FileNames", Tables, 1, {});
  printTable("FunctionNames", Tables, 2, {});
  printTable("FileLocations", Tables, 3,
             {{1, "file_name_id"},
              {2, "function_name_id"},
              {3, "line"},
              {5, "end_line"},
              {4, "column"},
              {6, "end_column"}});
  printTable("StackFrames", Tables, 4,
             {{1, "file_location_id"}, {2, "parent_frame_id"}});
  To.Out += '\n';
}

/// `(x: f32[4], y: f32[4]) -> f32[4]`, with the shapes that the computation
/// itself has: those of its instructions may differ.
void ModulePrinter::printSignature(const ProtoComputation &C) {
  std::vector<std::pair<int64_t, const ProtoInstruction *>> Parameters;
  for (const ProtoInstruction &I : M.instructions(C))
    if (I.Op == Opcode::Parameter)
      Parameters.push_back({I.number(field::ParameterNumber), &I});
  llvm::sort(Parameters);
  SmallVector<StringRef, 4> Shapes;
  StringRef Result;
  check(C.Program, "a ProgramShapeProto");
  readFields(C.Program, into(1, [&](StringRef S) { Shapes.push_back(S); }),
             into(2, Result));
  To.Out += '(';
  for (size_t K = 0; K != std::max(Shapes.size(), Parameters.size()); ++K) {
    To.Out += K == 0 ? "" : ", ";
    To.Out += K < Parameters.size() ? plainName(Parameters[K].second->Name)
                                    : "no-parameter";
    To.Out += ": ";
    shape(K < Shapes.size() ? Shapes[K] : StringRef(), false);
  }
  To.Out += ") -> ";
  shape(Result, false);
}

/// The instructions that are printed, in their order.
void ModulePrinter::printSequence(const ProtoComputation &C,
                                  const ProtoInstruction *Root) {
  ArrayRef<ProtoInstruction> All = M.instructions(C);
  if (!C.Sequence) {
    if (M.Scheduled && !std::binary_search(M.FusionComputations.begin(),
                                           M.FusionComputations.end(), C.Id))
      To.Out += "  the schedule does not have this computation\n";
    for (const ProtoInstruction &I : All) {
      if (To.stopped())
        return;
      printInstruction(I, &I == Root);
    }
    return;
  }
  auto Number = static_cast<uint32_t>(&C - M.Computations.data());
  std::vector<bool> Scheduled(All.size());
  for (int64_t Id : *C.Sequence) {
    const ProtoInstruction *I = M.operand(Number, Id);
    if (I && I->Parent == Number) {
      Scheduled[static_cast<size_t>(I - All.data())] = true;
      printInstruction(*I, I == Root);
    } else {
      To.Out += fmt::format("  the schedule has no instruction {}\n", Id);
    }
    if (To.stopped())
      return;
  }
  for (size_t K = 0; K != All.size(); ++K)
    if (!Scheduled[K])
      To.Out += fmt::format("  the schedule does not have instruction {}\n",
                            plainName(All[K].Name));
}

void ModulePrinter::printComputation(const ProtoComputation &C) {
  To.Out +=
      fmt::format("{}%{} ", C.Id == M.Entry ? "ENTRY " : "", plainName(C.Name));
  printSignature(C);
  To.Out += " {\n";
  const ProtoInstruction *Root = M.root(C);
  if (!Root)
    To.Out += fmt::format(
        "  the root is instruction {}, which is not in this computation\n",
        C.Root);
  printSequence(C, Root);
  if (To.stopped())
    return;
  To.Out += '}';
  if (!C.Thread.empty() && C.Thread != "main")
    To.Out += ", execution_thread=" + quoted(C.Thread);
  To.Out += '\n';
}

void ModulePrinter::printInstruction(const ProtoInstruction &I, bool Root) {
  To.Out += Root ? "  ROOT %" : "  %";
  appendName(To.Out, I.Name);
  To.Out += " = ";
  shape(I.Shape, true);
  To.Out += ' ';
  appendName(To.Out, I.OpcodeText);
  To.Out += '(';
  printOperands(I);
  To.Out += ')';
  printAttributes(M, I, To);
  To.Out += '\n';
}

void ModulePrinter::printOperands(const ProtoInstruction &I) {
  if (I.Op == Opcode::Parameter) {
    To.Out += std::to_string(I.number(field::ParameterNumber));
    return;
  }
  if (I.Op == Opcode::Constant) {
    printLiteral(I);
    return;
  }
  SmallVector<int64_t, 4> Operands = I.numbers(field::Operands);
  for (size_t K = 0; K != Operands.size() && !To.stopped(); ++K) {
    if (K != 0)
      To.Out += K % 5 == 0 ? fmt::format(", /*index={}*/", K) : ", ";
    const ProtoInstruction *Operand = M.operand(I.Parent, Operands[K]);
    To.Out += '%';
    if (Operand)
      appendName(To.Out, Operand->Name);
    else
      appendFormat(To.Out, "no-instruction-{}", Operands[K]);
  }
}

namespace {
/// A field of LiteralProto.
struct LiteralField {
  StringRef Type;
  uint32_t Number = 0;
  /// Bytes of each element, where the field is the bytes of all of them; 0 for
  /// numbers one by one.
  unsigned Width = 0;
};
} // namespace

static constexpr LiteralField LiteralFields[] = {
    {"pred", 2, 0},  {"s32", 4, 0},  {"s64", 5, 0},  {"u32", 6, 0},
    {"u64", 7, 0},   {"f32", 8, 0},  {"f64", 9, 0},  {"u8", 3, 1},
    {"s8", 15, 1},   {"u16", 16, 2}, {"s16", 17, 2}, {"f16", 11, 2},
    {"bf16", 13, 2}, {"c64", 12, 0}, {"c128", 18, 0}};

/// A number as XLA prints it; floats as short as they can be.
static std::string spellNumber(StringRef Type, uint64_t Bits) {
  if (Type == "pred")
    return Bits != 0 ? "true" : "false";
  if (Type == "f32")
    return fmt::format("{}", llvm::bit_cast<float>(uint32_t(Bits)));
  if (Type == "f64")
    return fmt::format("{}", llvm::bit_cast<double>(Bits));
  if (Type == "bf16")
    return fmt::format("{}", llvm::bit_cast<float>(uint32_t(Bits << 16)));
  if (Type == "f16") {
    llvm::APFloat Value(llvm::APFloat::IEEEhalf(), llvm::APInt(16, Bits));
    bool Inexact = false;
    Value.convert(llvm::APFloat::IEEEsingle(),
                  llvm::APFloat::rmNearestTiesToEven, &Inexact);
    return fmt::format("{}", Value.convertToFloat());
  }
  if (Type.starts_with("u"))
    return std::to_string(Bits);
  if (Type == "s8")
    return std::to_string(int(static_cast<int8_t>(Bits)));
  if (Type == "s16")
    return std::to_string(int(static_cast<int16_t>(Bits)));
  return std::to_string(static_cast<int64_t>(Bits));
}

/// Takes \p Width bytes, the lowest first, off the front of \p Bytes.
static uint64_t takeBytes(StringRef &Bytes, unsigned Width) {
  uint64_t Bits = 0;
  for (unsigned I = 0; I != Width; ++I)
    Bits |= uint64_t(static_cast<uint8_t>(Bytes[I])) << (8 * I);
  Bytes = Bytes.drop_front(Width);
  return Bits;
}

/// The elements of \p Literal; of more than \p Most, or where they are damaged,
/// some.
static std::vector<std::string>
spellElements(StringRef Literal, const LiteralField &Field, size_t Most) {
  std::vector<std::string> Elements;
  // The real part of a complex number, and then its other one.
  bool Complex = Field.Type.starts_with("c");
  StringRef Part = Field.Type;
  if (Complex)
    Part = Field.Type == "c64" ? "f32" : "f64";
  unsigned Width = Part == "f32" ? 4 : Part == "f64" ? 8 : Field.Width;
  auto Add = [&](uint64_t Bits) {
    Elements.push_back(spellNumber(Part, Bits));
  };
  forEachField(Literal, [&](const WireField &F) {
    if (F.Number != Field.Number)
      return;
    if (!F.isMessage()) {
      Add(F.Value);
      return;
    }
    StringRef Packed = F.Bytes;
    while (!Packed.empty() && Elements.size() <= (Complex ? 2 * Most : Most)) {
      if (Width != 0 && Packed.size() < Width)
        return;
      std::optional<uint64_t> Bits =
          Width != 0 ? takeBytes(Packed, Width) : takeVarint(Packed);
      if (!Bits)
        return;
      Add(*Bits);
    }
  });
  if (!Complex)
    return Elements;
  for (size_t I = 0; I + 1 < Elements.size(); I += 2)
    Elements[I / 2] = "(" + Elements[I] + ", " + Elements[I + 1] + ")";
  Elements.resize(Elements.size() / 2);
  return Elements;
}

/// `{ {1}, {2} }`: elements of an array of \p Sizes, the last dimension first.
static std::string spellArray(ArrayRef<std::string> Elements,
                              ArrayRef<int64_t> Sizes) {
  if (Sizes.size() == 1)
    return '{' + llvm::join(Elements, ", ") + '}';
  std::vector<std::string> Parts;
  size_t Each = Elements.size() / static_cast<size_t>(Sizes[0]);
  for (size_t At = 0; At != Elements.size(); At += Each)
    Parts.push_back(spellArray(Elements.slice(At, Each), Sizes.drop_front()));
  return "{ " + llvm::join(Parts, ", ") + " }";
}

/// The number of elements of an array; -1 if it is none or a large one.
static int64_t countElements(ArrayRef<int64_t> Sizes) {
  int64_t Count = 1;
  for (int64_t Size : Sizes)
    if (Size <= 0 || __builtin_mul_overflow(Count, Size, &Count))
      return -1;
  return Count;
}

/// Scalars and short arrays are spelled: start indices and trip counts come
/// from them, and whether two kernels are the same. XLA leaves larger constants
/// out, too.
void ModulePrinter::printLiteral(const ProtoInstruction &I) {
  static constexpr int64_t MostElements = 10;
  StringRef Literal = I.bytes(field::Literal);
  check(Literal, "a LiteralProto");
  std::string Own;
  std::string Expected;
  if (StringRef Shape = bytesField(Literal, 1);
      !Shape.empty() && printShape(Shape, false, Own) &&
      printShape(I.Shape, false, Expected) && Own != Expected) {
    To.Out += "a literal of shape " + Own + ")\n  is not of that shape";
    return;
  }
  StringRef Type = primitiveName(elementType(I.Shape));
  auto Sizes = numbersField(I.Shape, 3);
  const auto *Field =
      llvm::find_if(LiteralFields, [&](const LiteralField &Each) {
        return Each.Type == Type;
      });
  std::string Text = Sizes == ArrayRef<int64_t>(0) ? "{}" : "{...}";
  int64_t Count = countElements(Sizes);
  auto Order = numbersField(bytesField(bytesField(Literal, 1), 5), 1);
  if (Field != std::end(LiteralFields) && Count > 0 && Count <= MostElements &&
      llvm::is_sorted(Order, std::greater<>())) {
    auto Elements = spellElements(Literal, *Field, MostElements);
    if (static_cast<int64_t>(Elements.size()) == Count)
      Text = Sizes.empty() ? Elements[0] : spellArray(Elements, Sizes);
  }
  To.Out += Text;
}

void hlobuf::printModule(const ProtoModule &M, TextSink &To) {
  ModulePrinter{M, To}.print();
}
