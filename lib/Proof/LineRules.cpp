// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value line by itself.

#include "Proof/Deciders.h"
#include "Support/Format.h"

using namespace hlobuf;
using namespace hlobuf::proof;

static Outcome isKnown(const ProofModel &X, ValueId Line) {
  Part At = X.Lines.part(Line);
  if (!At && X.P.module().Compact)
    return {Reason::ElementLeftOut, X.Lines.spell(Line)};
  if (!At)
    return {Breach::NoSuchPart, X.Lines.spell(Line)};
  if (!X.Lines.runs(X.P[At.Id].Parent))
    return {Reason::NothingRuns, X.Lines.spell(Line)};
  if (X.Lines.line(At) != Line)
    return {Breach::TwoLines, X.Lines.spell(Line)};
  return Rule::NamesPart;
}

static Outcome isPlaced(const ProofModel &X, Part At) {
  const HloNode &N = X.P[At.Id];
  if (ValueId Line = X.Lines.line(At)) {
    const Dump &D = X.Lines.dump();
    // Those of other execution threads have temps, too.
    if (N.Op != Opcode::Constant && !X.Lines.isCarried(N.Parent) &&
        X.Lines.isLocal(N.Parent) != D[D[Line].Owner].ThreadLocal)
      return {Breach::OtherMemory, Evidence{X.Lines.spell(Line), Line, {}}};
    if (X.From.isSparseCoreContext(At))
      return Gate::SparseCoreContext;
    return Rule::HasLine;
  }
  if (N.Op == Opcode::Parameter && N.Parent != X.P.module().Entry &&
      !X.Lines.isLocal(N.Parent))
    return Reason::NothingCalls;
  if (X.P.isHidden(At.Id))
    return Reason::ElementLeftOut;
  if (hasAsyncState(N.Op) && !X.From.wrapped(At.Id))
    return Reason::AsyncLeftOut;
  return {Breach::NoLine, X.Lines.spell(At)};
}

/// False where elements may be packed, as TPU does with flags, or spread over
/// cores: the array may take less than its logical bytes.
static bool hasLowerBound(const Shape &S, bool ForTPU) {
  return S.Bits >= 8 && !(ForTPU && S.Element == "pred") &&
         (!S.Layout ||
          (S.Layout->ElementBits == 0 && S.Layout->Splits.empty()));
}

Outcome proof::fitsLine(const Facts &DumpFacts, ValueId Line, ShapeId Type,
                        Opcode Definer) {
  const Dump &D = DumpFacts.dump();
  const Value &V = D[Line];
  std::string Name = D.spell(V.Tag.Name, V.Tag.Index);
  if (V.end() > D[V.Owner].Size)
    return {Breach::BeyondAllocation, Evidence{Name, Line, {}}};
  if (!Type)
    return Reason::PartUnknown;
  const Shape &S = D.Shapes[Type];
  if (!S.isArray())
    return Rule::NoData;
  std::optional<uint64_t> Least = logicalBytes(D.Shapes, Type);
  std::optional<uint64_t> Own =
      ownBytes(D.Shapes, Type, DumpFacts.backend(), V.Tag.Color);
  std::optional<uint64_t> Needed = Own ? Own : Least;
  bool Short = Least && V.Size < *Needed;
  if (!Least || (Short && Definer == Opcode::RngGetAndUpdateState))
    return {Reason::SizeUnknown, Name};
  if (Short && (V.Size == 0 || hasLowerBound(S, DumpFacts.isTPU())))
    return {Breach::TooSmall,
            Evidence{fmt::format("{}: {} of {} bytes", Name, V.Size, *Needed),
                     Line,
                     {}}};
  bool Padded = S.Layout ? !S.Layout->Groups.empty()
                         : DumpFacts.isTPU() && !S.Dimensions.empty();
  if (!Own && Padded)
    Needed = tiledBytesOf(S);
  return Needed && V.Size >= *Needed ? Outcome(Rule::ShapeFits)
                                     : Outcome(Gate::UnknownFormula);
}

static Outcome fits(const ProofModel &X, ValueId Line) {
  Part At = X.Lines.part(Line);
  return fitsLine(X.P.facts(), Line, At ? X.Lines.shapeId(At) : ShapeId(),
                  At ? X.op(At.Id) : Opcode::Unknown);
}

static Outcome hasSpace(const ProofModel &X, Part At) {
  ValueId Line = X.Lines.line(At);
  int64_t Space = X.Lines.shape(At).memorySpace();
  int64_t Color = X.Lines.dump()[Line].Tag.Color;
  if (Color == Space)
    return Rule::MemorySpace;
  return {Breach::OtherSpace,
          Evidence{fmt::format("{}: S({}), color {}", X.Lines.spell(Line),
                               Space, Color),
                   Line,
                   {}}};
}

void proof::decideLines(const ProofModel &X, Ledger &L) {
  L.decide(Topic::Known,
           [&](const Obligation &O) { return isKnown(X, ValueId(O.Part)); });
  L.decide(Topic::Fits,
           [&](const Obligation &O) { return fits(X, ValueId(O.Part)); });
}

void proof::decidePlaces(const ProofModel &X, Ledger &L) {
  L.decide(Topic::Placed,
           [&](const Obligation &O) { return isPlaced(X, {O.At, O.Part}); });
  L.decide(Topic::Space,
           [&](const Obligation &O) { return hasSpace(X, {O.At, O.Part}); });
}
