// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What dataflow relies on in every computation, also inside fusions:
// - a bitcast keeps the bytes of its operand (HandleBitcast in
//   xla/service/hlo_verifier.cc, 2017), which it forwards, of tiles with their
//   padding;
// - the heading of a computation has the shapes of its parameters and its root
//   (HloComputation::Print, 2017), where it is not printed in short form;
// - what computes only a result is read: HloDCE (xla/hlo/transforms/
//   simplifiers/hlo_dce.cc, 2017) removes the rest before memory is assigned.
//   Parameters stay, and so does what may have other effects. Rematerialization
//   comes later, in scheduled modules: it names a copy `x.remat`, and may leave
//   `x` or an earlier copy without readers (xla/hlo/transforms/simplifiers/
//   hlo_rematerialization.cc; CUDA, jax 0.12.0.1: a scan over layers that needs
//   more than the memory of an H100).
//
// The rules of Checks/ShapeRules.h, held against every instruction of the
// module, also inside fusions: an operand that was exchanged, or a shape that
// was changed, rarely fits. What tuples, loops and calls forward is compared by
// module-layout, layouts included.

#include "Checks/Check.h"
#include "Checks/ShapeRules.h"
#include "Facts/Sizes.h"
#include "Program/Program.h"
#include "Proof/ProofModel.h"

using namespace hlobuf;

namespace {
struct ModuleInstructions {
  void checkBitcast(HloId Id);
  void checkHeading(ComputationId Id);
  void checkRead(const Program &P, HloId Id);

  bool isRematerialized(const HloInstruction &I) const;
  bool isAwaited(const Program &P, HloId Id);
  StringRef place(const HloInstruction &I) const { return M.text(I).ltrim(); }
  StringRef plainText(const HloInstruction &I);
  std::string headingOf(const HloComputation &C);

  const Dump &D;
  Reporter &Diags;
  const HloModule &M = D.Module;
  /// Shapes without layouts, which are the same for most computations.
  std::vector<std::string> PlainTexts = {};
  /// The control predecessors of any instruction.
  std::optional<DenseSet<uint32_t>> Awaited = {};
};
} // namespace

/// Elements that the text leaves out are known, too.
void ModuleInstructions::checkBitcast(HloId Id) {
  const HloInstruction &I = M[Id];
  if (I.Op != Opcode::Bitcast || M.operands(I).size() != 1)
    return;
  HloOperand Operand = M.operand(I, 0);
  if (!Operand.Source || !I.Shape)
    return;
  const HloInstruction &Source = M[Operand.Source];
  ShapeId FromId = Source.Shape;
  for (uint32_t K : D.Indices.steps(Operand.Path))
    FromId = FromId && K < D.Shapes[FromId].Elements.size()
                 ? D.Shapes[FromId].Elements[K]
                 : ShapeId();
  if (!FromId)
    return;
  const Shape &To = D.Shapes[I.Shape], &From = D.Shapes[FromId];
  if (!To.isArray() || !From.isArray() || To.isDynamic() || From.isDynamic())
    return;
  bool Tiled = To.isTiled() || From.isTiled();
  auto BytesOf = [&](ShapeId S) {
    return Tiled ? tiledBytesOf(D.Shapes[S]) : logicalBytes(D.Shapes, S);
  };
  std::optional<uint64_t> Bytes = BytesOf(I.Shape), Before = BytesOf(FromId);
  if (!Bytes || !Before || *Bytes == *Before)
    return;
  bool Whole = Operand.Path.isRoot();
  Diags
      .report({place(I), Subject(M, Id)},
              "bitcast {} has {} bytes, but its operand {}{} has {}", M.name(I),
              *Bytes, M.name(Source), Whole ? "" : D.Indices.text(Operand.Path),
              *Before)
      .note(place(Source), "{} is defined here", M.name(Source));
}

StringRef ModuleInstructions::plainText(const HloInstruction &I) {
  if (!I.Shape)
    return "";
  PlainTexts.resize(D.Shapes.size());
  std::string &Text = PlainTexts[I.Shape.index()];
  if (Text.empty())
    Text = D.Shapes.plainText(I.Shape);
  return Text;
}

/// What the heading must be: `(x: f32[4]) -> f32[4]`.
std::string ModuleInstructions::headingOf(const HloComputation &C) {
  SmallVector<const HloInstruction *> Parameters;
  for (uint32_t I = C.Instructions.Begin; I != C.Instructions.End; ++I)
    if (M.Instructions[I].Op == Opcode::Parameter)
      Parameters.push_back(&M.Instructions[I]);
  std::ranges::stable_sort(Parameters, {},
                           [](const auto *X) { return X->number(); });
  std::string Text = "(";
  for (const HloInstruction *I : Parameters) {
    Text += Text.size() == 1 ? "" : ", ";
    appendFormat(Text, "{}: {}", M.name(*I), plainText(*I));
  }
  return Text + ") -> " + plainText(M[C.Root]).str();
}

/// Where ` (` is in the heading \p Line: names have no spaces.
static size_t parametersBegin(StringRef Line) {
  size_t Offset = Line.find(' ');
  while (Offset != StringRef::npos && !Line.substr(Offset + 1).starts_with("("))
    Offset = Line.find(' ', Offset + 1);
  return Offset;
}

void ModuleInstructions::checkHeading(ComputationId Id) {
  const HloComputation &C = M[Id];
  StringRef Line = M.Text.drop_front(C.Line).split('\n').first;
  size_t Begin = parametersBegin(Line);
  size_t End = Line.rfind(" {");
  if (!C.Root || Begin == StringRef::npos || End < Begin ||
      End == StringRef::npos)
    return; // in short form
  StringRef Own = Line.slice(Begin + 1, End);
  std::string Expected = headingOf(C);
  if (Own == Expected)
    return;
  std::string Stated = withoutComments(Own);
  Expected = withoutComments(Expected);
  if (Stated == Expected)
    return;
  size_t Same = 0;
  while (Same < Stated.size() && Same < Expected.size() &&
         Stated[Same] == Expected[Same])
    ++Same;
  // From the parameter that differs on.
  Same = Stated.rfind(' ', Same) == std::string::npos
             ? 0
             : Stated.rfind(' ', Same) + 1;
  constexpr size_t Longest = 60;
  Diags.report(
      {Own, Id}, "the heading of {} has {}, but its instructions have {}",
      M.name(C), Stated.substr(Same, Longest),
      Same < Expected.size() ? Expected.substr(Same, Longest) : "none");
}

/// True if rematerialization made \p I, or a copy of it.
bool ModuleInstructions::isRematerialized(const HloInstruction &I) const {
  constexpr StringRef Tail = ".remat";
  StringRef Text = M.name(I);
  auto [Base, Rest] = Text.split(Tail);
  Rest = Rest.ltrim("0123456789");
  bool IsCopy =
      Base.size() != Text.size() && (Rest.empty() || Rest.starts_with("."));
  // What is inside of a fusion is never copied by itself.
  return IsCopy || M.find(D.Names.find((Text + Tail).str()));
}

/// True if another instruction has \p Id as its control predecessor.
bool ModuleInstructions::isAwaited(const Program &P, HloId Id) {
  if (!Awaited) {
    Awaited.emplace();
    for (HloId Other : ids<HloId>(M.Instructions.size()))
      for (StringRef Name : proof::predecessorNames(P, Other))
        if (HloId Before = proof::predecessor(P, Other, Name))
          Awaited->insert(Before.index());
  }
  return Awaited->contains(Id.index());
}

void ModuleInstructions::checkRead(const Program &P, HloId Id) {
  const HloInstruction &I = M[Id];
  if (!onlyComputes(I.Op) || M[I.Parent].Root == Id || P.isRead(Id) ||
      isAwaited(P, Id))
    return;
  if (isRematerialized(I))
    return Diags.exempt("rematerialized");
  // A module that was assigned without any pass may have been written so.
  Diags.reportAs(Severity::Warning, {place(I), Subject(M, Id)},
                 "{} is neither read nor the result of {}", M.name(I),
                 M.name(M[I.Parent]));
}

void hlobuf::checkModuleInstructions(const CheckContext &Ctx, Reporter &Diags) {
  const Dump &D = Ctx.dump();
  ModuleInstructions Check{D, Diags};
  for (ComputationId C : ids<ComputationId>(D.Module.Computations.size()))
    Check.checkHeading(C);
  for (HloId Id : ids<HloId>(D.Module.Instructions.size()))
    Check.checkBitcast(Id);
  const Program *P = Ctx.program();
  if (!P || !P->obstacle().empty())
    return; // no ENTRY is a syntax error, an obstacle is said by all proofs
  for (HloId Id : ids<HloId>(D.Module.Instructions.size())) {
    Check.checkRead(*P, Id);
    // Half of all instructions follow from no operand.
    if (const HloNode &N = (*P)[Id]; N.Shape && !isGiven(N.Op))
      checkShapes(*P, Id, Diags);
  }
}
