// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shape on a value's line is the part of its instruction's shape at the
// value's index, layouts included: both are printed from the same instruction
// (buffer_assignment.cc, hlo_value.cc; instruction texts since 2021-09-23). No
// exception is known.

#include "Checks/Check.h"

using namespace hlobuf;

/// Follows two shapes that differ down to the first parts that do. \p Text is
/// the text of \p Got on its line and shrinks along.
static void narrow(const ShapeTable &Shapes, ShapeId &Got, ShapeId &Target,
                   StringRef &Text) {
  while (true) {
    const Shape &X = Shapes[Got];
    const Shape &Y = Shapes[Target];
    if (!X.isTuple() || !Y.isTuple() ||
        X.Elements.size() != Y.Elements.size() ||
        X.IndexComments != Y.IndexComments)
      return;
    size_t I = 0;
    StringRef Rest = Text.drop_front(1);
    while (I != X.Elements.size() && X.Elements[I] == Y.Elements[I]) {
      Rest = Rest.drop_front(Shapes.text(X.Elements[I]).size());
      Rest.consume_front(", ");
      // After the comma there may be a comment, `/*index=5*/`.
      if (Rest.starts_with("/*"))
        Rest = Rest.drop_front(Rest.find("*/") + 2);
      ++I;
    }
    if (I == X.Elements.size())
      return;
    Got = X.Elements[I];
    Target = Y.Elements[I];
    Text = Rest.take_front(Shapes.text(Got).size());
  }
}

static std::string describe(const ShapeTable &Shapes, ShapeId Id) {
  if (Shapes[Id].isTuple())
    return fmt::format("a {}-element tuple", Shapes[Id].Elements.size());
  return Shapes.text(Id).str();
}

static void reportDifference(const CheckContext &Ctx, Reporter &Diags,
                             ValueId Id, const Instruction &I, ShapeId Target) {
  const Dump &D = Ctx.dump();
  const Value &V = D[Id];
  StringRef Text = Ctx.places().value(V).Shape;
  ShapeId Got = V.Shape;
  narrow(D.Shapes, Got, Target, Text);
  Finding F = Diags.report({Text, Id}, "shape of {} is {}, but {} has {} there",
                           D.spell(V.Tag), describe(D.Shapes, Got),
                           D.Names[I.Name], describe(D.Shapes, Target));
  UsedId U = Ctx.usedOf(Id);
  F.note(U && D[U].HasText ? Ctx.places().text(D[U]).ShapeText
                           : Ctx.places().text(I).ShapeText,
         "the instruction's shape is here");
}

void hlobuf::checkValueShape(const CheckContext &Ctx, Reporter &Diags) {
  const Dump &D = Ctx.dump();
  for (auto [K, V] : llvm::enumerate(D.Values)) {
    const Instruction *I = Ctx.instruction(V.Tag.Name);
    if (!I || !I->Result)
      continue;
    ShapeId Target = V.Tag.Index.isRoot()
                         ? I->Result
                         : D.Shapes.at(I->Result, D.Indices.steps(V.Tag.Index));
    if (Target == V.Shape)
      continue;
    if (Target) {
      reportDifference(Ctx, Diags, ValueId(K), *I, Target);
      continue;
    }
    Diags
        .report(
            {Ctx.places().value(V).Tag.Index, ValueId(K)},
            "value {} is at index {}, but the shape of {} has no such index",
            D.spell(V.Tag), D.Indices.text(V.Tag.Index), D.Names[I->Name])
        .note(Ctx.places().text(*I).ShapeText,
              "the instruction's shape is here");
  }
}
