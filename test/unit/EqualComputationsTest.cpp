// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What computes the same.

#include "Program/EqualComputations.h"
#include "Dump/Reader.h"
#include "gtest/gtest.h"

using namespace hlobuf;
using llvm::StringRef;

namespace {
/// A module of computations, each of the lines of its instructions.
class Computations {
public:
  explicit Computations(const std::string &Others)
      : Text("HloModule m, is_scheduled=true\n\n" + Others +
             "ENTRY %main {\n  ROOT %e = f32[8] parameter(0)\n}\n"),
        Read(read()), A(*Read), P(A), Equal(P) {
    EXPECT_EQ(P.obstacle(), "");
  }
  Equality compare(StringRef X, StringRef Y) {
    return Equal.compare(find(X), find(Y));
  }
  Equality instructions(StringRef X, StringRef Y) {
    return Equal.compareInstructions(P.find(Read->Names.find(X)),
                                     P.find(Read->Names.find(Y)));
  }

private:
  std::unique_ptr<Dump> read() {
    std::array<DumpFile, NumFileRoles> Files;
    auto &Assignment = Files[static_cast<size_t>(FileRole::Assignment)];
    auto &Module = Files[static_cast<size_t>(FileRole::Module)];
    Assignment.Path = Module.Path = "m.txt";
    Assignment.Text = "BufferAssignment:\n";
    Module.Text = Text;
    SyntaxErrors Syntax;
    return readDump(Files, Syntax);
  }
  ComputationId find(StringRef Name) {
    for (size_t C = 0; C != P.module().Computations.size(); ++C)
      if (P.module().name(P.module().Computations[C]) == Name)
        return ComputationId(C);
    ADD_FAILURE() << "no computation " << Name.str();
    return ComputationId();
  }

  std::string Text;
  std::unique_ptr<Dump> Read;
  Facts A;
  Program P;
  EqualComputations Equal;
};
} // namespace

static std::string lines(const std::string &Name, const std::string &Lines) {
  return "%" + Name + " {\n" + Lines + "}\n\n";
}

/// Computations `x` and `y` of these lines.
static Equality compared(const std::string &X, const std::string &Y) {
  return Computations(lines("x", X) + lines("y", Y)).compare("x", "y");
}

static const std::string A = "  %a = f32[8] parameter(0)\n";
static const std::string B = "  %b = f32[8] parameter(1)\n";

TEST(EqualComputations, NamesAndMetadataAreOut) {
  EXPECT_EQ(compared(A + "  ROOT %r = f32[8] negate(%a), "
                         "metadata={op_name=\"one\"}\n",
                     "  %p = f32[8] parameter(0)\n  ROOT %q = f32[8] "
                     "negate(%p), metadata={op_name=\"two\"}\n"),
            Equality::Equal);
}

TEST(EqualComputations, OrderOfTextIsOut) {
  std::string Rest = "  ROOT %r = f32[8] subtract(%a, %b)\n";
  EXPECT_EQ(compared(A + B + Rest, B + A + Rest), Equality::Equal);
}

TEST(EqualComputations, OpcodeShapeAndLayout) {
  auto Of = [](const std::string &Line) {
    return compared(A + "  ROOT %r = f32[8] negate(%a)\n", A + Line);
  };
  EXPECT_EQ(Of("  ROOT %r = f32[8] abs(%a)\n"), Equality::Different);
  EXPECT_EQ(Of("  ROOT %r = f32[8]{0:T(128)} negate(%a)\n"),
            Equality::Different);
}

TEST(EqualComputations, OrderOfOperands) {
  EXPECT_EQ(compared(A + B + "  ROOT %r = f32[8] subtract(%a, %b)\n",
                     A + B + "  ROOT %r = f32[8] subtract(%b, %a)\n"),
            Equality::Different);
}

TEST(EqualComputations, Attributes) {
  auto Slice = [](const std::string &Range) {
    return A + "  ROOT %r = f32[4] slice(%a), slice={[" + Range +
           "]}, control-predecessors={%a}\n";
  };
  EXPECT_EQ(compared(Slice("0:4"), Slice("4:8")), Equality::Different);
  EXPECT_EQ(compared(Slice("0:4"), Slice("0:4")), Equality::Equal);
}

TEST(EqualComputations, Constants) {
  auto Constant = [](const std::string &Literal) {
    return "  ROOT %c = f32[] constant(" + Literal + ")\n";
  };
  EXPECT_EQ(compared(Constant("1"), Constant("1")), Equality::Equal);
  EXPECT_EQ(compared(Constant("1"), Constant("2")), Equality::Different);
  EXPECT_EQ(compared(Constant("{...}"), Constant("{...}")), Equality::Unknown);
}

TEST(EqualComputations, InstructionsThatTheRootDoesNotReach) {
  std::string Rest = "  ROOT %r = f32[8] negate(%a)\n";
  EXPECT_EQ(compared(A + Rest, A + "  %d = f32[8] abs(%a)\n" + Rest),
            Equality::Different);
}

/// Reducers `add`, `sum` (the same) and `max`, below reductions of that name.
static std::string reducers() {
  std::string All;
  for (auto [Name, Op] :
       {std::pair("add", "add"), {"sum", "add"}, {"max", "maximum"}})
    All += lines(Name, "  %l = f32[] parameter(0)\n  %r = f32[] parameter(1)\n"
                       "  ROOT %x = f32[] " +
                           std::string(Op) + "(%l, %r)\n");
  for (const char *Name : {"add", "sum", "max"})
    All += lines("of_" + std::string(Name),
                 A + "  %i = f32[] constant(0)\n  ROOT %r." + Name +
                     " = f32[] reduce(%a, %i), dimensions={0}, to_apply=%" +
                     Name + "\n");
  return All;
}

TEST(EqualComputations, WhatIsCalled) {
  Computations All(reducers());
  EXPECT_EQ(All.compare("add", "sum"), Equality::Equal);
  EXPECT_EQ(All.compare("of_add", "of_sum"), Equality::Equal);
  EXPECT_EQ(All.compare("of_add", "of_max"), Equality::Different);
}

TEST(EqualComputations, Instructions) {
  Computations All(reducers());
  EXPECT_EQ(All.instructions("r.add", "r.sum"), Equality::Equal);
  EXPECT_EQ(All.instructions("r.add", "r.max"), Equality::Different);
}

TEST(EqualComputations, LeftOutConstantsOfCallees) {
  std::string All;
  for (const char *Name : {"x", "y"})
    All +=
        lines(std::string("c") + Name, "  ROOT %k = f32[8] constant({...})\n") +
        lines(Name, std::string("  ROOT %f") + Name +
                        " = f32[8] fusion(), kind=kLoop, calls=%c" + Name +
                        "\n");
  Computations Both(All);
  EXPECT_EQ(Both.compare("x", "y"), Equality::Unknown);
  EXPECT_EQ(Both.instructions("fx", "fy"), Equality::Unknown);
  EXPECT_EQ(Both.compare("x", "x"), Equality::Equal);
}
