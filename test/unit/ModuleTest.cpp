// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HLO/ModuleReader.h"
#include "gtest/gtest.h"

using namespace hlobuf;
using llvm::StringRef;

namespace {
/// A module and all that it points into.
struct Read {
  explicit Read(std::string Text) : Text(std::move(Text)) {
    M = readModule(this->Text, {Names, Shapes, Indices},
                   [&](StringRef Where, std::string Reason) {
                     Refused.push_back(Reason + ": " + Where.str());
                   });
  }

  const HloInstruction *find(StringRef Name) const {
    HloId Id = M.find(Names.find(Name));
    return Id ? &M[Id] : nullptr;
  }
  /// `pair#0#1 x`: the operands of \p Name.
  std::string operands(StringRef Name) const {
    std::string Out;
    for (size_t K = 0; K != M.operands(*find(Name)).size(); ++K) {
      HloOperand Operand = M.operand(*find(Name), K);
      Out += (Out.empty() ? "" : " ") +
             (Operand.Source ? Names[M[Operand.Source].Name].str() : "?");
      for (uint32_t Step : Indices.steps(Operand.Path))
        Out += "#" + std::to_string(Step);
    }
    return Out;
  }
  /// The names of the computations that \p Name calls.
  std::string calls(StringRef Name) const {
    std::string Out;
    for (const HloCall &Call : M.calls(*find(Name)))
      Out += (Out.empty() ? "" : " ") +
             (Call.Callee ? M.name(M[Call.Callee]).str() : "?");
    return Out;
  }
  /// `{1}: 0 {}`, one an item.
  std::vector<std::string> aliases() const {
    std::vector<std::string> Out;
    for (const HloAlias &A : M.Aliases)
      Out.push_back(Indices.text(A.Output) + ": " +
                    std::to_string(A.Parameter) + " " + Indices.text(A.Index));
    return Out;
  }

  std::string Text;
  NameTable Names;
  ShapeTable Shapes;
  ShapeIndexTable Indices;
  HloModule M;
  std::vector<std::string> Refused;
};

using Strings = std::vector<std::string>;
} // namespace

/// A module around the lines of its entry.
static std::string entry(const std::string &Lines,
                         const std::string &Computations = "") {
  return "HloModule m\n\n" + Computations + "ENTRY %main {\n" + Lines + "}\n";
}

/// The operands of the last instruction end where all do.
TEST(Module, OperandsEndWhereTheNextOnesBegin) {
  HloModule M;
  M.Operands = {HloId(0), HloId(0), HloId(1), HloId(2)};
  for (uint32_t First : {0, 0, 1, 1, 4}) {
    M.Instructions.emplace_back();
    M.Instructions.back().FirstOperand = First;
  }
  std::vector<size_t> Counts;
  for (const HloInstruction &I : M.Instructions)
    Counts.push_back(M.operands(I).size());
  EXPECT_EQ(Counts, (std::vector<size_t>{0, 1, 0, 3, 0}));
  M.Operands.push_back(HloId(3));
  EXPECT_EQ(M.operands(M.Instructions.back()).size(), 1u);
}

TEST(Module, LongForm) {
  Read R("HloModule jit_f, is_scheduled=true, "
         "entry_computation_layout={(f32[8]{0})->f32[8]{0}}\n"
         "\n"
         "%region (a: f32[]) -> f32[] {\n"
         "  ROOT %a = f32[] parameter(0)\n"
         "}\n"
         "\n"
         "ENTRY %main.1 (x: f32[8]) -> f32[8] {\n"
         "  %x = f32[8]{0} parameter(0), metadata={op_name=\"x\"}\n"
         "  %out = f32[8]{0} map(f32[8]{0} %x), dimensions={0}, "
         "to_apply=%region\n"
         "  ROOT %neg = f32[8]{0} negate(%out)\n"
         "}\n");
  EXPECT_EQ(R.Refused, Strings());
  EXPECT_EQ(R.M.Name, "jit_f");
  EXPECT_TRUE(R.M.Scheduled);
  EXPECT_FALSE(R.M.Compact);
  ASSERT_EQ(R.M.Computations.size(), 2u);
  EXPECT_EQ(R.M.Entry.index(), 1u);
  EXPECT_EQ(R.M.name(R.M[R.M.Entry]), "main.1");
  EXPECT_TRUE(R.find("neg")->Root);
  EXPECT_EQ(&R.M[R.M[R.M.Entry].Root], R.find("neg"));
  EXPECT_EQ(R.operands("out"), "x");
  EXPECT_EQ(R.calls("out"), "region");
  EXPECT_EQ(R.find("x")->number(), 0u);
  EXPECT_EQ(R.Shapes.text(R.find("x")->Shape), "f32[8]{0}");
  EXPECT_EQ(R.M.text(*R.find("neg")), "%neg = f32[8]{0} negate(%out)");
  EXPECT_EQ(R.M.operandsText(*R.find("out")), "f32[8]{0} %x");
  EXPECT_EQ(R.M.attributes(*R.find("out")),
            ", dimensions={0}, to_apply=%region");
}

TEST(Module, ShortForm) {
  Read R("HloModule jit_f, is_scheduled=true\n"
         "\n"
         "region {\n"
         "  ROOT a = f32[] parameter(0)\n"
         "}\n"
         "\n"
         "ENTRY main.1 {\n"
         "  x = f32[8]{0} parameter(0)\n"
         "  ROOT out = f32[8]{0} map(x), dimensions={0}, to_apply=region\n"
         "}\n");
  EXPECT_EQ(R.Refused, Strings());
  EXPECT_EQ(R.operands("out"), "x");
  EXPECT_EQ(R.calls("out"), "region");
  EXPECT_EQ(R.M.text(*R.find("x")), "x = f32[8]{0} parameter(0)");
  EXPECT_FALSE(R.M.EntryResult.valid());
}

TEST(Module, RootIsTheLastOneIfNoneIsMarked) {
  Read R(entry("  %x = f32[] parameter(0)\n  %y = f32[] negate(%x)\n"));
  EXPECT_EQ(R.Refused, Strings());
  EXPECT_TRUE(R.find("y")->Root);
  EXPECT_FALSE(R.find("x")->Root);
}

TEST(Module, CompactOperands) {
  Read R(entry("  %p = (f32[], (f32[], s32[])) parameter(0)\n"
               "  %a = f32[] add(%p#0, %p#1#0)\n"
               "  ROOT %b = f32[] add(p#1#0, %a)\n"));
  EXPECT_EQ(R.Refused, Strings());
  EXPECT_TRUE(R.M.Compact);
  EXPECT_EQ(R.operands("a"), "p#0 p#1#0");
  EXPECT_EQ(R.operands("b"), "p#1#0 a");
}

TEST(Module, CompactOperandsThatAreNone) {
  for (const char *Bad : {"%p#", "%p#0#", "%p##0", "%p#x", "%p#0x"}) {
    Read R(entry("  %p = (f32[], f32[]) parameter(0)\n  ROOT %a = f32[] "
                 "negate(" +
                 std::string(Bad) + ")\n"));
    EXPECT_EQ(R.Refused.size(), 1u) << Bad;
  }
}

TEST(Module, EntryLayoutWithIndexComments) {
  Read R("HloModule m, entry_computation_layout={(f32[8]{0}, s32[], "
         "pred[2,3]{1,0}, u8[], (f32[2]{0}, s32[]), /*index=5*/f32[4]{0})->"
         "(f32[8]{0}, u8[], u8[], u8[], u8[], /*index=5*/s32[])}, "
         "num_partitions=2\n"
         "\n"
         "ENTRY %main {\n"
         "  ROOT %x = f32[8]{0} parameter(0)\n"
         "}\n");
  EXPECT_EQ(R.Refused, Strings());
  ASSERT_EQ(R.M.EntryParameters.size(), 6u);
  EXPECT_EQ(R.Shapes.text(R.M.EntryParameters[2]), "pred[2,3]{1,0}");
  EXPECT_EQ(R.Shapes.text(R.M.EntryParameters[4]), "(f32[2]{0}, s32[])");
  EXPECT_EQ(R.Shapes.text(R.M.EntryParameters[5]), "f32[4]{0}");
  ASSERT_TRUE(R.M.EntryResult.valid());
  EXPECT_EQ(R.Shapes[R.M.EntryResult].Elements.size(), 6u);
}

TEST(Module, EntryLayoutWithoutParameters) {
  Read R("HloModule m, entry_computation_layout={()->f32[]}\n\n"
         "ENTRY %main {\n  ROOT %c = f32[] constant(1)\n}\n");
  EXPECT_EQ(R.Refused, Strings());
  EXPECT_TRUE(R.M.EntryParameters.empty());
  EXPECT_EQ(R.Shapes.text(R.M.EntryResult), "f32[]");
}

TEST(Module, InputOutputAlias) {
  Read R("HloModule m, input_output_alias={ {0}: (0, {}, may-alias), {1, 2}: "
         "(3, {0, 1}, must-alias), {}: (1, {2}) }, is_scheduled=true\n\n"
         "ENTRY %main {\n"
         "  %a = f32[] parameter(0)\n"
         "  %b = (s32[], s32[], s32[]) parameter(1)\n"
         "  %c = f32[] parameter(2)\n"
         "  %d = ((f32[], f32[])) parameter(3)\n"
         "  ROOT %r = (f32[], (s32[], s32[], s32[])) tuple(%a, %b)\n}\n");
  EXPECT_EQ(R.Refused, Strings());
  EXPECT_EQ(R.aliases(), Strings({"{0}: 0 {}", "{1,2}: 3 {0,1}", "{}: 1 {2}"}));
  EXPECT_EQ(R.M.Aliases[1].Text, "{1, 2}: (3, {0, 1}, must-alias)");
  EXPECT_EQ(R.M.Aliases[2].Text, "{}: (1, {2})");
  EXPECT_TRUE(R.M.Scheduled);
}

TEST(Module, ConstantsOfManyLines) {
  Read R(entry("  %c = f32[2,2]{1,0} constant({ { 1, 2 },\n"
               "    { 3, 4 } }), metadata={op_name=\"c\"}\n"
               "  %d = s32[2]{0} constant({\n"
               "  5, 6 })\n"
               "  ROOT %t = (f32[2,2]{1,0}, s32[2]{0}) tuple(%c, %d)\n"));
  EXPECT_EQ(R.Refused, Strings());
  EXPECT_EQ(R.M.operandsText(*R.find("c")), "{ { 1, 2 },\n    { 3, 4 } }");
  EXPECT_EQ(R.M.attributes(*R.find("c")), ", metadata={op_name=\"c\"}");
  EXPECT_EQ(R.operands("t"), "c d");
}

TEST(Module, RawNewlinesInAttributes) {
  Read R(entry("  %x = f32[] parameter(0), metadata={op_name=\"a\n"
               "}\n"
               "// no comment\n"
               "\n"
               "b\"}\n"
               "  ROOT %y = f32[] negate(%x)\n"));
  EXPECT_EQ(R.Refused, Strings());
  EXPECT_EQ(R.M.attributes(*R.find("x")),
            ", metadata={op_name=\"a\n}\n// no comment\n\nb\"}");
  EXPECT_EQ(R.operands("y"), "x");
}

TEST(Module, Comments) {
  Read R("// RUN: one\n"
         "HloModule m\n"
         "// two\n"
         "\n"
         "// three\n"
         "ENTRY %main {\n"
         "// four\n"
         "  %x = f32[] parameter(0)\n"
         "// five\n"
         "  ROOT %y = f32[] negate(/*index=0*/%x)\n"
         "// six\n"
         "}\n"
         "// seven\n");
  EXPECT_EQ(R.Refused, Strings());
  EXPECT_EQ(R.M.text(*R.find("x")), "%x = f32[] parameter(0)");
  EXPECT_EQ(R.operands("y"), "x");
}

/// Three computations of one line each.
static const char Computations[] =
    "%a (p.1: f32[]) -> f32[] {\n  ROOT %p.1 = f32[] parameter(0)\n}\n\n"
    "%b (p.2: f32[]) -> f32[] {\n  ROOT %p.2 = f32[] parameter(0)\n}\n\n"
    "%c (p.3: f32[]) -> f32[] {\n  ROOT %p.3 = f32[] parameter(0)\n}\n\n";

TEST(Module, Calls) {
  Read R(entry(
      "  %x = f32[] parameter(0)\n"
      "  %s = s32[] parameter(1)\n"
      "  %many = f32[] custom-call(%x), custom_call_target=\"f\", calls=%a, "
      "%b, is_composite=true\n"
      "  %braces = f32[] custom-call(%x), custom_call_target=\"f\", "
      "called_computations={%a, %c}\n"
      "  %while = f32[] while(%x), condition=%a, body=%b, "
      "backend_config={\"body\":\"%c\"}\n"
      "  %cond = f32[] conditional(%s, %x, %x, %x), "
      "branch_computations={%c, %b, %a}, metadata={op_name=\"calls=%a\"}\n"
      "  %old = f32[] conditional(%s, %x, %x), true_computation=%b, "
      "false_computation=%c\n"
      "  %pool = f32[] select-and-scatter(%x, %x, %x), select=%d, scatter=%e\n"
      "  ROOT %fusion = f32[] fusion(%x), kind=kLoop, calls=%c\n",
      std::string(Computations) + "%d {\n  %p.4 = f32[] parameter(0)\n"
                                  "  ROOT %p.5 = f32[] parameter(1)\n}\n\n"
                                  "%e {\n  %p.6 = f32[] parameter(0)\n"
                                  "  ROOT %p.7 = f32[] parameter(1)\n}\n\n"));
  EXPECT_EQ(R.Refused, Strings());
  EXPECT_EQ(R.calls("many"), "a b");
  EXPECT_EQ(R.calls("braces"), "a c");
  EXPECT_EQ(R.calls("while"), "a b");
  EXPECT_EQ(R.M.calls(*R.find("while"))[0].Role, CallRole::Condition);
  EXPECT_EQ(R.M.calls(*R.find("while"))[1].Role, CallRole::Body);
  EXPECT_EQ(R.calls("cond"), "c b a");
  EXPECT_EQ(R.M.calls(*R.find("cond"))[1].Role, CallRole::Branch);
  EXPECT_EQ(R.calls("old"), "b c");
  EXPECT_EQ(R.calls("pool"), "d e");
  EXPECT_EQ(R.calls("fusion"), "c");
}

TEST(Module, CallsOfNothing) {
  Read R(entry("  %x = f32[] parameter(0)\n"
               "  ROOT %f = f32[] fusion(%x), kind=kLoop, calls=%nowhere\n"));
  ASSERT_EQ(R.Refused.size(), 1u);
  EXPECT_NE(R.Refused[0].find("nowhere"), std::string::npos);
  EXPECT_EQ(R.calls("f"), "?");
}

TEST(Module, AsyncSugar) {
  Read R(entry("  %x = f32[] parameter(0)\n"
               "  %start = ((f32[]), f32[], u32[]) call-start(%x), "
               "to_apply=%a\n"
               "  %update = ((f32[]), f32[], u32[]) call-update(%start)\n"
               "  ROOT %done = f32[] call-done(%update)\n",
               Computations));
  EXPECT_EQ(R.Refused, Strings());
  EXPECT_EQ(R.find("start")->Op, Opcode::AsyncStart);
  EXPECT_TRUE(R.find("start")->Sugar);
  EXPECT_EQ(R.find("update")->Op, Opcode::AsyncUpdate);
  EXPECT_EQ(R.find("done")->Op, Opcode::AsyncDone);
  EXPECT_EQ(R.calls("start"), "a");
  EXPECT_EQ(R.operands("done"), "update");
}

TEST(Module, AsyncPlain) {
  Read R(entry("  %x = f32[] parameter(0)\n"
               "  %start = ((f32[]), f32[], u32[]) async-start(%x), "
               "async_execution_thread=\"t\", calls=%a\n"
               "  ROOT %done = f32[] async-done(%start)\n",
               Computations));
  EXPECT_EQ(R.Refused, Strings());
  EXPECT_EQ(R.find("start")->Op, Opcode::AsyncStart);
  EXPECT_FALSE(R.find("start")->Sugar);
  EXPECT_EQ(R.calls("start"), "a");
}

TEST(Module, GetTupleElement) {
  Read R(entry("  %p = (f32[], s32[]) parameter(0)\n"
               "  ROOT %e = s32[] get-tuple-element(%p), index=1\n"));
  EXPECT_EQ(R.Refused, Strings());
  EXPECT_EQ(R.find("e")->number(), 1u);
  EXPECT_FALSE(R.M.Compact);
  Read Bad(entry("  %p = (f32[], s32[]) parameter(0)\n"
                 "  ROOT %e = s32[] get-tuple-element(%p)\n"));
  EXPECT_EQ(Bad.Refused.size(), 1u);
}

TEST(Module, StackTables) {
  Read R("HloModule m, is_scheduled=true\n"
         "\n"
         "FileNames\n"
         "1 \"train.py\"\n"
         "\n"
         "StackFrames\n"
         "1 {file_location_id=1 parent_frame_id=1}\n"
         "\n"
         "\n"
         "ENTRY %main {\n"
         "  ROOT %x = f32[] parameter(0)\n"
         "}, execution_thread=\"main\"\n");
  EXPECT_EQ(R.Refused, Strings());
  EXPECT_EQ(R.M.Instructions.size(), 1u);
}

TEST(Module, NestedModuleInRecoveryTable) {
  Read R("HloModule m, is_scheduled=true, origin_recovery_table={\n"
         "  {\"x\"} : {\"y\"},\n"
         "  \"\n"
         "HloModule inner\n"
         "\n"
         "ENTRY %nested {\n"
         "  ROOT %p = f32[] parameter(0)\n"
         "}\n"
         "\"\n"
         "}\n"
         "\n"
         "ENTRY %main {\n"
         "  ROOT %x = f32[] parameter(0)\n"
         "}\n");
  EXPECT_EQ(R.Refused, Strings());
  ASSERT_EQ(R.M.Computations.size(), 1u);
  EXPECT_EQ(R.M.name(R.M[R.M.Entry]), "main");
}

/// \p Body, called by the root of the entry in the way that \p Call says.
static std::string callee(const std::string &Call,
                          const std::string &More = "") {
  return "HloModule m\n\n%body {\n  ROOT %x = f32[] parameter(0)\n}\n\n" +
         More + "ENTRY %main {\n  %x = f32[] parameter(0)\n" +
         "  ROOT %y = " + Call + "\n}\n";
}

// Bodies of fusions are most of a module, and a dump names nothing in them:
// only the text has those names.
TEST(Module, NamesInFusionsAreNotKept) {
  std::string Text = callee("f32[] fusion(%x), kind=kLoop, calls=%body");
  Text.replace(Text.find("%x"), 2, "%p");
  Read R(Text);
  ASSERT_EQ(R.Refused, Strings());
  EXPECT_FALSE(R.Names.find("p"));
  EXPECT_FALSE(R.M.Instructions[0].Name);
  EXPECT_EQ(R.M.name(R.M.Instructions[0]), "p");
  ASSERT_NE(R.find("y"), nullptr);
  EXPECT_EQ(R.M.name(*R.find("y")), "y");
}

// What is in bodies of fusions, or is never called, has no buffers, so that
// nothing means it by its name.
TEST(Module, RepeatedNamesWithoutBuffers) {
  for (const char *Call :
       {"f32[] negate(%x)", "f32[] fusion(%x), kind=kLoop, calls=%body"}) {
    Read R(callee(Call));
    EXPECT_EQ(R.Refused, Strings());
    ASSERT_NE(R.find("x"), nullptr);
    EXPECT_EQ(R.M[R.M.find(R.Names.find("x"))].Parent, R.M.Entry);
    // An operand is in the same computation.
    EXPECT_EQ(R.M.operands(*R.find("y"))[0].index(), 1u);
  }
}

TEST(Module, RepeatedNamesWithBuffers) {
  Read R(callee("f32[] call(%x), to_apply=%body"));
  EXPECT_EQ(R.Refused,
            Strings({"an instruction of another computation has this name, and "
                     "both may have buffers: %x"}));
}

TEST(Module, RepeatedComputation) {
  Read R(callee("f32[] call(%x), to_apply=%body",
                "%body {\n  ROOT %z = f32[] parameter(0)\n}\n\n"));
  EXPECT_EQ(R.Refused,
            Strings({"the module has another computation with this name: "
                     "%body"}));
}

TEST(Module, OperandOfAnotherComputation) {
  Read R(entry("  %x = f32[] parameter(0)\n  ROOT %y = f32[] negate(%p.2)\n",
               Computations));
  ASSERT_EQ(R.Refused.size(), 1u);
  EXPECT_NE(R.Refused[0].find("p.2"), std::string::npos);
  EXPECT_FALSE(R.M.operands(*R.find("y"))[0].valid());
}

TEST(Module, Damage) {
  for (const char *Bad : {
           "",
           "\n",
           "BufferAssignment:\n",
           "HloModule m\n",
           "HloModule m\n\nENTRY %main {\n",
           "HloModule m\n\nENTRY %main {\n  %x = f32[] parameter(0)\n",
           "HloModule m\n\n%main {\n  ROOT %x = f32[] parameter(0)\n}\n",
           "HloModule m\n\nENTRY %main {\n  ROOT %x = f32[] parameter(a)\n}\n",
           "HloModule m\n\nENTRY %main {\n  ROOT %x = f32[] parameter(0\n}\n",
           "HloModule m\n\nENTRY %main {\n  ROOT %x = f32[ parameter(0)\n}\n",
           "HloModule m\n\nENTRY %main {\nx\n  ROOT %x = f32[] "
           "parameter(0)\n}\n",
           "HloModule m, input_output_alias={ {0}: 1 }\n\nENTRY %main {\n  "
           "ROOT %x = f32[] parameter(0)\n}\n",
           "HloModule m, entry_computation_layout={(f32[]->f32[]}\n\nENTRY "
           "%main {\n  ROOT %x = f32[] parameter(0)\n}\n",
           "HloModule m, origin_recovery_table={\n\"\n",
           // No computation is empty.
           "HloModule m\n\nENTRY %main {\n}\n",
       }) {
    Read R(Bad);
    EXPECT_FALSE(R.Refused.empty()) << Bad;
  }
}

/// Every cut is refused except after the last `}`.
TEST(Module, CutAnywhere) {
  std::string Whole =
      entry("  %x = f32[] parameter(0)\n"
            "  ROOT %y = f32[] fusion(%x), kind=kLoop, calls=%b, "
            "metadata={op_name=\"a}\"}\n",
            Computations);
  for (size_t Size = 0; Size + 2 < Whole.size(); ++Size)
    EXPECT_FALSE(Read(Whole.substr(0, Size)).Refused.empty()) << Size;
  EXPECT_EQ(Read(Whole).Refused, Strings());
}
