// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Releases forward and update in place.
//
// One test a row of docs/evidence/in-place-rules.md. The rules of a date come
// from the rows of Releases.def, so that the dates are tested, too.

#include "Dataflow/LiveRanges.h"
#include "Dump/Reader.h"
#include "Support/Diagnostic.h"
#include "gtest/gtest.h"

using namespace hlobuf;
using llvm::StringRef;

namespace {
/// What follows from a module under the newest rules of a date; of date 0,
/// which could be any, as the value lines say.
class Flow {
public:
  explicit Flow(const std::string &Module, uint32_t Date = 20261001,
                Backend By = Backend::GPU, StringRef Lines = "")
      : Text(Module), Read(read("BufferAssignment:\n" + Lines.str())), A(*Read),
        P(A), Applied(possibleRules(window(Date), By).front()),
        F(P, window(Date)), Groups(F, Applied), Steps(P, Applied),
        Ranges(F, Groups, Steps, Applied) {}

  /// The value at \p Part, such as `start{1,0}`.
  std::string at(StringRef Part) { return spell(find(Part)); }
  /// True if the values at both parts must share a place.
  bool alias(StringRef X, StringRef Y) {
    return find(X) && find(Y) && Groups.same(find(X), find(Y));
  }
  /// `3-5`, the live range of the value at \p Part.
  std::string range(StringRef Part) {
    std::optional<StepRange> Range = Ranges[find(Part)];
    return Range
               ? std::to_string(Range->Start) + "-" + std::to_string(Range->End)
               : "none";
  }
  StringRef obstacle() const { return P.obstacle(); }

private:
  static ReleaseWindow window(uint32_t Date) {
    ReleaseWindow When;
    if (Date == 0)
      return When;
    When.From = Date;
    When.Before = Date + 1;
    return When;
  }
  std::unique_ptr<Dump> read(StringRef Lines) {
    std::array<DumpFile, NumFileRoles> Files;
    auto Set = [&](FileRole Role, StringRef Content) {
      Files[static_cast<size_t>(Role)].Path = "m.txt";
      Files[static_cast<size_t>(Role)].Text = Content;
    };
    Assignment = Lines.str();
    Set(FileRole::Assignment, Assignment);
    Set(FileRole::Module, Text);
    SyntaxErrors Syntax;
    return readDump(Files, Syntax);
  }
  HloValueId find(StringRef Part) {
    auto [Name, Rest] = Part.split('{');
    llvm::SmallVector<uint32_t, 4> Index;
    for (Rest = Rest.rtrim('}'); !Rest.empty();) {
      uint32_t Step = 0;
      if (Rest.consumeInteger(10, Step))
        return HloValueId();
      Rest.consume_front(",");
      Index.push_back(Step);
    }
    HloId Id = P.find(Read->Names.find(Name));
    return Id ? F.at(Id, Read->Indices.get(Index)) : HloValueId();
  }
  std::string spell(HloValueId V) const { return V ? F.spell(V) : "none"; }

  std::string Text;
  std::string Assignment;
  std::unique_ptr<Dump> Read;
  Facts A;
  Program P;
  ReleaseRules Applied;
  DataflowAnalysis F;
  AliasAnalysis Groups;
  Schedule Steps;
  LiveRanges Ranges;
};
} // namespace

/// A scheduled module of \p Entry's lines.
static std::string module(const std::string &Entry,
                          const std::string &Computations = "") {
  return "HloModule m, is_scheduled=true\n\n" + Computations +
         "ENTRY %main {\n" + Entry + "}\n";
}

static std::string computation(const std::string &Name,
                               const std::string &Lines) {
  return "%" + Name + " {\n" + Lines + "}\n\n";
}

static const char *const FourOperands = R"(  %a = f32[4] parameter(0)
  %b = f32[4] parameter(1)
  %c = f32[4] parameter(2)
  %d = f32[4] parameter(3)
)";

TEST(FlowRules, CombinedPermuteOfFour) {
  std::string Lines =
      std::string(FourOperands) +
      "  ROOT %p = (f32[4], f32[4], f32[4], f32[4]) collective-permute(%a, %b, "
      "%c, %d), source_target_pairs={{0,1}}\n";
  EXPECT_FALSE(Flow(module(Lines)).alias("b", "p{}"));
  EXPECT_FALSE(Flow(module(Lines), 20260630).alias("b", "p{}"));
  EXPECT_TRUE(Flow(module(Lines), 20260601).alias("b", "p{}"));
}

TEST(FlowRules, CombinedPermuteStartOfFour) {
  std::string Lines =
      std::string(FourOperands) +
      "  %s = ((f32[4], f32[4], f32[4], f32[4]), (f32[4], f32[4], f32[4], "
      "f32[4])) collective-permute-start(%a, %b, %c, %d), "
      "source_target_pairs={{0,1}}\n"
      "  ROOT %p = (f32[4], f32[4], f32[4], f32[4]) "
      "collective-permute-done(%s)\n";
  Flow Now(module(Lines));
  EXPECT_EQ(Now.at("s{0,1}"), "b");
  EXPECT_EQ(Now.at("s{1,1}"), "s{1,1}");
  EXPECT_EQ(Now.at("p{1}"), "s{1,1}");
  EXPECT_FALSE(Now.alias("b", "s{1}"));
  EXPECT_FALSE(Flow(module(Lines), 20260501).alias("b", "s{1}"));
  EXPECT_TRUE(Flow(module(Lines), 20260401).alias("b", "s{1}"));
}

TEST(FlowRules, PermuteInPlace) {
  std::string Start = R"(  %in = f32[4] parameter(0)
  %out = f32[4] parameter(1)
  %from = s32[] parameter(2)
  %to = s32[] parameter(3)
  %s = (f32[4], f32[4]) collective-permute-start(%in, %out, %from, %to), source_target_pairs={{0,1}}, slice_sizes={{2}}
  ROOT %d = f32[4] collective-permute-done(%s)
)";
  Flow Async(module(Start));
  EXPECT_EQ(Async.at("s{0}"), "in");
  EXPECT_TRUE(Async.alias("out", "s{1}"));
  EXPECT_TRUE(Async.alias("out", "d"));
  EXPECT_FALSE(Async.alias("in", "d"));

  std::string Tuple = R"(  %in = (f32[4], f32[4]) parameter(0)
  %out = (f32[4], f32[4]) parameter(1)
  %from = ((s32[]), (s32[])) parameter(2)
  %to = ((s32[]), (s32[])) parameter(3)
  ROOT %p = (f32[4], f32[4]) collective-permute(%in, %out, %from, %to), source_target_pairs={{0,1}}, slice_sizes={{2},{2}}
)";
  Flow Sync(module(Tuple));
  EXPECT_TRUE(Sync.alias("out{}", "p{}"));
  EXPECT_TRUE(Sync.alias("out{1}", "p{1}"));
  EXPECT_FALSE(Sync.alias("in{1}", "p{1}"));
}

static const char *const UpdateBody = R"(  %p0 = f32[8] parameter(0)
  %p1 = f32[1] parameter(1)
  %p2 = s32[] parameter(2)
  ROOT %update = f32[8] dynamic-update-slice(%p0, %p1, %p2)
)";

TEST(FlowRules, AsyncUpdateSlice) {
  std::string Text = module(R"(  %x = f32[8] parameter(0)
  %row = f32[1] parameter(1)
  %i = s32[] parameter(2)
  %s = ((f32[8], f32[1], s32[]), f32[8], u32[]) async-start(%x, %row, %i), calls=%body
  ROOT %d = f32[8] async-done(%s)
)",
                            computation("body", UpdateBody));
  Flow Now(Text);
  EXPECT_EQ(Now.at("s{1}"), "x");
  EXPECT_EQ(Now.at("d"), "update");
  EXPECT_TRUE(Now.alias("x", "d"));
  // Its range begins with the start all the same.
  EXPECT_EQ(Now.range("d"), "7-9");
  EXPECT_EQ(Flow(Text, 20260801).range("d"), "6-9");
}

/// A chain of slices that begins before a loop and is renewed in it.
static std::string crossing(const std::string &Wrapped) {
  return module(
      R"(  %x = f32[8] parameter(0)
  %i = s32[] parameter(1)
  %s = ((f32[8], s32[]), f32[1], u32[]) async-start(%x, %i), calls=%slice.1
  %n = s32[] constant(0)
  %t = (s32[], ((f32[8], s32[]), f32[1], u32[])) tuple(%n, %s)
  %w = (s32[], ((f32[8], s32[]), f32[1], u32[])) while(%t), condition=%cond, body=%loop
  %g = ((f32[8], s32[]), f32[1], u32[]) get-tuple-element(%w), index=1
  ROOT %d = f32[1] async-done(%g)
)",
      computation("slice.1", R"(  %p0 = f32[8] parameter(0)
  %p1 = s32[] parameter(1)
  ROOT %first = f32[1] )" + Wrapped +
                                 R"((%p0, %p1)
)") +
          computation(
              "loop",
              R"(  %l = (s32[], ((f32[8], s32[]), f32[1], u32[])) parameter(0)
  %l0 = s32[] get-tuple-element(%l), index=0
  %l1 = ((f32[8], s32[]), f32[1], u32[]) get-tuple-element(%l), index=1
  %u = ((f32[8], s32[]), f32[1], u32[]) async-update(%l1)
  ROOT %r = (s32[], ((f32[8], s32[]), f32[1], u32[])) tuple(%l0, %u)
)") +
          computation(
              "cond",
              R"(  %c = (s32[], ((f32[8], s32[]), f32[1], u32[])) parameter(0)
  ROOT %go = pred[] constant(false)
)"));
}

TEST(FlowRules, ChainsThroughLoops) {
  Flow Slice(crossing("dynamic-slice"));
  EXPECT_EQ(Slice.obstacle(), "");
  EXPECT_EQ(Slice.at("s{1}"), "first");
  // The update and the done forward what the loop carries.
  EXPECT_EQ(Slice.at("u{1}"), Slice.at("l1{1}"));
  EXPECT_EQ(Slice.at("d"), Slice.at("g{1}"));
  // Everything else is taken from the computation that is wrapped.
  Flow Other(crossing("custom-call"));
  EXPECT_EQ(Other.at("u{1}"), "first");
  EXPECT_EQ(Other.at("d"), "first");
}

TEST(FlowRules, AsyncContext) {
  std::string Text = module(R"(  %x = f32[4] parameter(0)
  %s = ((f32[4]), f32[4], u32[]) async-start(%x), calls=%body
  %u = ((f32[4]), f32[4], u32[]) async-update(%s)
  ROOT %d = f32[4] async-done(%u)
)",
                            computation("body", R"(  %p0 = f32[4] parameter(0)
  ROOT %call = f32[4] custom-call(%p0), custom_call_target="f"
)"));
  EXPECT_EQ(Flow(Text).at("u{2}"), "u{2}");
  EXPECT_EQ(Flow(Text, 20260811).at("u{2}"), "s{2}");
}

TEST(FlowRules, AsyncTokens) {
  std::string Text = module(R"(  %x = token[] after-all()
  %s = ((token[]), token[], u32[]) async-start(%x), calls=%body
  ROOT %d = token[] async-done(%s)
)",
                            computation("body", R"(  %p0 = token[] parameter(0)
  ROOT %call = token[] custom-call(%p0), custom_call_target="f"
)"));
  EXPECT_EQ(Flow(Text).at("s{0,0}"), "x");
  EXPECT_EQ(Flow(Text).at("d"), "call");
}

TEST(FlowRules, AsyncDoneTuples) {
  std::string Text = module(R"(  %x = f32[4] parameter(0)
  %s = ((f32[4]), (f32[4], f32[4]), u32[]) async-start(%x), calls=%body
  ROOT %d = (f32[4], f32[4]) async-done(%s)
)",
                            computation("body", R"(  %p0 = f32[4] parameter(0)
  ROOT %call = (f32[4], f32[4]) custom-call(%p0), custom_call_target="f"
)"));
  EXPECT_EQ(Flow(Text).at("d{}"), "d{}");
  EXPECT_EQ(Flow(Text).at("d{1}"), "call{1}");
}

static std::string declared(const std::string &Alias) {
  return module(R"(  %x = f32[4] parameter(0)
  %y = f32[4] parameter(1)
  %s = ((f32[4]), (), u32[]) async-start(%x), calls=%body, output_to_operand_aliasing={)" +
                    Alias + R"(}
  %u = ((f32[4], f32[4]), f32[4], u32[]) async-update(%s, %y)
  ROOT %d = f32[4] async-done(%u)
)",
                computation("body", R"(  %p0 = f32[4] parameter(0)
  %p1 = f32[4] parameter(1)
  ROOT %call = f32[4] custom-call(%p0, %p1), custom_call_target="f"
)"));
}

TEST(FlowRules, LateBoundAliases) {
  Flow Late(declared("{1}: (1, {})"));
  EXPECT_EQ(Late.at("u{0,1}"), "y");
  EXPECT_EQ(Late.at("d"), "call");
  EXPECT_TRUE(Late.alias("y", "u{1}"));
  EXPECT_TRUE(Late.alias("y", "d"));
  EXPECT_FALSE(Late.alias("x", "d"));
  // The done joins operands that were bound before, too.
  EXPECT_TRUE(Flow(declared("{1}: (0, {})")).alias("x", "d"));
}

TEST(FlowRules, AsyncStartAliases) {
  std::string Text = module(R"(  %x = f32[4] parameter(0)
  %s = ((f32[4]), f32[4], u32[]) async-start(%x), calls=%body, output_to_operand_aliasing={{1}: (0, {})}
  ROOT %d = f32[4] async-done(%s)
)",
                            computation("body", R"(  %p0 = f32[4] parameter(0)
  ROOT %call = f32[4] custom-call(%p0), custom_call_target="f"
)"));
  EXPECT_TRUE(Flow(Text).alias("x", "d"));
  EXPECT_TRUE(Flow(Text, 20260201).alias("x", "d"));
  EXPECT_FALSE(Flow(Text, 20260101).alias("x", "d"));
}

TEST(FlowRules, FusionAliases) {
  std::string Text = module(R"(  %x = f32[4] parameter(0)
  ROOT %f = f32[4] fusion(%x), kind=kLoop, calls=%body, output_to_operand_aliasing={{}: (0, {})}
)",
                            computation("body", R"(  %p0 = f32[4] parameter(0)
  ROOT %n = f32[4] negate(%p0)
)"));
  EXPECT_TRUE(Flow(Text).alias("x", "f"));
  EXPECT_FALSE(Flow(Text, 20221101).alias("x", "f"));
}

TEST(FlowRules, RaggedAllToAll) {
  std::string Text = module(R"(  %in = f32[4] parameter(0)
  %out = f32[4] parameter(1)
  %o = s32[2] parameter(2)
  ROOT %r = f32[4] ragged-all-to-all(%in, %out, %o, %o, %o, %o)
)");
  EXPECT_TRUE(Flow(Text).alias("out", "r"));
  EXPECT_FALSE(Flow(Text).alias("in", "r"));
  EXPECT_FALSE(Flow(Text, 20241101).alias("out", "r"));
}

TEST(FlowRules, NothingInPlaceBefore2020) {
  std::string Text = module(R"(  %x = f32[8] parameter(0)
  %row = f32[1] parameter(1)
  %i = s32[] parameter(2)
  ROOT %u = f32[8] dynamic-update-slice(%x, %row, %i)
)");
  EXPECT_TRUE(Flow(Text, 20201001).alias("x", "u"));
  EXPECT_FALSE(Flow(Text, 20200901).alias("x", "u"));
}

TEST(FlowRules, BodiesLastToADoneBehindABarrier) {
  std::string Text = module(R"(  %x = f32[4] parameter(0)
  %s = ((f32[4]), f32[4], u32[]) async-start(%x), calls=%body
  %b = ((f32[4]), f32[4], u32[]) opt-barrier(%s)
  %d = f32[4] async-done(%b)
  ROOT %n = f32[4] negate(%d)
)",
                            computation("body", R"(  %p0 = f32[4] parameter(0)
  %e = f32[4] exponential(%p0)
  ROOT %call = f32[4] custom-call(%e), custom_call_target="f"
)"));
  // x p0 e call s b d n
  EXPECT_EQ(Flow(Text).range("e"), "2-6");
}

TEST(FlowRules, SetDimensionSize) {
  std::string Text = module(R"(  %x = f32[8] parameter(0)
  %n = s32[] parameter(1)
  ROOT %s = f32[<=8] set-dimension-size(%x, %n), dimensions={0}
)");
  EXPECT_EQ(Flow(Text).at("s"), "s");
  EXPECT_TRUE(Flow(Text).alias("x", "s"));
  EXPECT_EQ(Flow(Text, 20231001).at("s"), "x");
}

TEST(FlowRules, Scatters) {
  std::string Text = module(
      R"(  %x = f32[8] parameter(0)
  %y = f32[8] parameter(1)
  %i = s32[2,1] parameter(2)
  %u = f32[2] parameter(3)
  ROOT %s = (f32[8], f32[8]) scatter(%x, %y, %i, %u, %u), to_apply=%pick
)",
      computation("pick", R"(  %p0 = f32[] parameter(0)
  %p1 = f32[] parameter(1)
  %p2 = f32[] parameter(2)
  %p3 = f32[] parameter(3)
  ROOT %t = (f32[], f32[]) tuple(%p2, %p3)
)"));
  EXPECT_TRUE(Flow(Text).alias("x", "s{0}"));
  EXPECT_TRUE(Flow(Text).alias("y", "s{1}"));
  EXPECT_FALSE(Flow(Text).alias("x", "s{1}"));
}

TEST(FlowRules, AllReduceStart) {
  std::string Lines = R"(  %x = f32[4] parameter(0)
  %y = f32[4] parameter(1)
  %s = (f32[4], f32[4]) all-reduce-start(%x, %y), to_apply=%add, backend_config={"backend":"NVSHMEM"}
  ROOT %d = (f32[4], f32[4]) all-reduce-done(%s)
)";
  std::string Text =
      module(Lines, computation("add", R"(  %p0 = f32[] parameter(0)
  %p1 = f32[] parameter(1)
  ROOT %sum = f32[] add(%p0, %p1)
)"));
  EXPECT_EQ(Flow(Text).at("d{1}"), "s{1}");
  EXPECT_TRUE(Flow(Text).alias("y", "d{1}"));
  EXPECT_FALSE(Flow(Text).alias("x", "d{1}"));
}

/// A fusion of a dynamic-update-slice with \p Inner before and \p Outer after.
static std::string fused(const std::string &Inner, const std::string &Outer) {
  return module(R"(  %x = f32[8] parameter(0)
  %row = f32[1] parameter(1)
  %i = s32[] parameter(2)
  ROOT %f = f32[8] fusion(%x, %row, %i), kind=kLoop, calls=%body
)",
                computation("body", R"(  %p0 = f32[8] parameter(0)
  %p1 = f32[1] parameter(1)
  %p2 = s32[] parameter(2)
  %in = f32[8] )" + Inner + R"((%p0)
  %update = f32[8] dynamic-update-slice(%in, %p1, %p2)
  ROOT %out = f32[8] )" + Outer + R"((%update)
)"));
}

TEST(FlowRules, FusionsThroughNoOps) {
  EXPECT_TRUE(Flow(fused("bitcast", "bitcast")).alias("x", "f"));
  EXPECT_FALSE(Flow(fused("bitcast", "bitcast"), 20260601).alias("x", "f"));
  EXPECT_FALSE(Flow(fused("copy", "bitcast")).alias("x", "f"));
  std::string Reshape = fused("reshape", "reshape");
  EXPECT_TRUE(Flow(Reshape, 20261001, Backend::GPU).alias("x", "f"));
  EXPECT_FALSE(Flow(Reshape, 20261001, Backend::CPU).alias("x", "f"));
}

TEST(FlowRules, CustomCallAliases) {
  std::string Text = module(R"(  %x = f32[4] parameter(0)
  ROOT %c = f32[4] custom-call(%x), custom_call_target="f", output_to_operand_aliasing={{}: (0, {})}
)");
  EXPECT_EQ(Flow(Text).at("c"), "c");
  EXPECT_TRUE(Flow(Text).alias("x", "c"));
  EXPECT_EQ(Flow(Text, 20211001).at("c"), "x");
}

TEST(FlowRules, ValueLinesDecide) {
  std::string Text = module(R"(  %x = f32[4] parameter(0)
  ROOT %c = f32[4] custom-call(%x), custom_call_target="f", output_to_operand_aliasing={{}: (0, {})}
)");
  std::string Lines =
      "allocation 0: size 16, parameter 0, shape |f32[4]| at ShapeIndex {}, "
      "maybe-live-out:\n value: <0 x @0> (size=16,offset=0): f32[4]{0}\n";
  EXPECT_EQ(Flow(Text, 0, Backend::GPU, Lines).at("c"), "x");
  Lines += " value: <1 c @0> (size=16,offset=0): f32[4]{0}\n";
  EXPECT_EQ(Flow(Text, 0, Backend::GPU, Lines).at("c"), "c");
  EXPECT_TRUE(Flow(Text, 0, Backend::GPU, Lines).alias("x", "c"));
}

TEST(FlowRules, Donation) {
  std::string Text =
      "HloModule m, is_scheduled=true, input_output_alias={ {1}: (0, {}, "
      "may-alias) }\n\nENTRY %main {\n"
      "  %x = f32[4] parameter(0)\n  %n = f32[4] negate(%x)\n"
      "  %e = f32[4] exponential(%x)\n"
      "  ROOT %t = (f32[4], f32[4]) tuple(%n, %e)\n}\n";
  EXPECT_TRUE(Flow(Text).alias("x", "e"));
  EXPECT_FALSE(Flow(Text).alias("x", "n"));
}
