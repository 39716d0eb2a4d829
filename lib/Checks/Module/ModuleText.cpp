// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text after ` from instruction:` is the module's line: same shape with
// its layout, same opcode, same operands, same attributes. Printed differently
// are: names without `%` in the short form (2022-03-03 to 2025-02-17),
// operands that are elements (2026-07-13 on), async ops with or without sugar,
// contents of large constants (`{...}` where either text leaves them out),
// keys of backend_config in another order (2026-08 on), and metadata.
//
// The parameters and the root of the ENTRY computation have the shapes that
// entry_computation_layout promises the caller (xla/hlo/ir/hlo_module.cc,
// 2022-05-23 on): the runtime passes and takes buffers by it. Layouts count
// too. A computation that was extracted into a module of its own keeps the
// header of the module it comes from (SparseCore, libtpu 0.0.51).

#include "Checks/LayoutFit.h"
#include "Checks/Module/ModuleDifference.h"
#include "Dataflow/ModuleAnalysis.h"

using namespace hlobuf;

namespace {
struct TextComparer {
  void run();

  void compare(const Instruction &I, HloId Id);
  bool differ(const Instruction &I, StringRef Where, StringRef What,
              StringRef Own, StringRef OwnPlace);
  bool sameShape(const Instruction &I, HloId Id);
  bool sameOpcode(const Instruction &I, HloId Id);
  bool isElided(StringRef Stated, StringRef Own, HloId Id) const;
  bool sameOperands(const Instruction &I, HloId Id);
  bool sameAttributes(const Instruction &I, HloId Id);
  void compareValueShapes();

  const ModuleAnalysis &Analysis;
  Reporter &Diags;
  const Facts &DumpFacts = Analysis.facts();
  const Dump &D = DumpFacts.dump();
  const Program &P = Analysis.program();
};
} // namespace

void TextComparer::run() {
  if (D.complete(Section::Texts)) {
    for (const Instruction &I : D.Instructions)
      if (HloId Id = P.find(I.Name); Id && !P.isHidden(Id))
        compare(I, Id);
    return;
  }
  compareValueShapes();
}

/// Says that \p Where, the \p What of \p I, is \p Own in the module.
bool TextComparer::differ(const Instruction &I, StringRef Where, StringRef What,
                          StringRef Own, StringRef OwnPlace) {
  constexpr size_t Longest = 80;
  Diags
      .report({Where, I.Name}, "{} has {} {}, but {} in the module",
              D.Names[I.Name], What, Where.take_front(Longest),
              Own.take_front(Longest))
      .note(OwnPlace, "the module's is here");
  return false;
}

bool TextComparer::sameShape(const Instruction &I, HloId Id) {
  return I.Result == P[Id].Shape ||
         differ(I, DumpFacts.places().text(I).ShapeText, "shape",
                D.Shapes.text(P[Id].Shape), P.module().head(P.module()[Id]));
}

/// The last word of \p Head, which is before the operands.
static StringRef opcodeIn(StringRef Head) {
  return Head.drop_front(Head.rfind(' ') + 1);
}

bool TextComparer::sameOpcode(const Instruction &I, HloId Id) {
  StringRef Stated = opcodeIn(D.head(I));
  const HloModule &M = P.module();
  StringRef Own = opcodeIn(M.head(M[Id]));
  // `fusion-start` in one text is `async-start` in the other.
  bool IsAsync = Stated.starts_with("async-") || Own.starts_with("async-");
  bool Same = I.Op.Sugar != P[Id].Sugar ? I.Op.Op == P[Id].Op : Stated == Own;
  bool Wrapped = isAsync(I.Op.Op) != isAsync(P[Id].Op) &&
                 (I.Op.Sugar || P[Id].Sugar || Stated.contains("-start") ||
                  Stated.contains("-done"));
  return Stated == Own || (IsAsync && (Same || Wrapped)) ||
         differ(I, Stated, "opcode", Own, Own);
}

/// True if one of the two texts of constant \p Id may leave its contents out:
/// arrays of more than ten elements are printed as `{...}` unless constants are
/// asked for, which --xla_dump_large_constants does for the module alone.
bool TextComparer::isElided(StringRef Stated, StringRef Own, HloId Id) const {
  constexpr uint64_t LargestPrinted = 10;
  if (P[Id].Op != Opcode::Constant || (Stated != "{...}" && Own != "{...}"))
    return false;
  uint64_t Elements = 1;
  for (const Dimension &Extent : D.Shapes[P[Id].Shape].Dimensions)
    Elements = llvm::SaturatingMultiply(
        Elements, static_cast<uint64_t>(std::max<int64_t>(Extent.Size, 0)));
  return D.Shapes[P[Id].Shape].isTuple() || Elements > LargestPrinted;
}

bool TextComparer::sameOperands(const Instruction &I, HloId Id) {
  const HloModule &M = P.module();
  ArrayRef<NameId> Stated = D.operands(I);
  ArrayRef<HloId> Own = P.operands(Id);
  if (isGiven(I.Op.Op)) {
    StringRef Contents = M.operandsText(M[Id]);
    return D.operandsText(I) == Contents ||
           isElided(D.operandsText(I), Contents, Id) ||
           differ(I, D.operandsText(I), "contents", Contents, Contents);
  }
  StringRef All = M.operandsText(M[Id]);
  if (Stated.size() != Own.size())
    return differ(I, D.operandsText(I), "operands", All, All);
  for (uint32_t K = 0; K != Own.size(); ++K) {
    // Of elements that two instructions take alike, either may be meant; and
    // what an outlined computation has taken may be called alike.
    bool Same = P[Own[K]].Name == Stated[K];
    if (!Same && P.isHidden(Own[K])) {
      HloId Operand = P.find(Stated[K]);
      Same =
          !Operand || P[Operand].Parent != P[Id].Parent ||
          (P.isHidden(Operand) && P[Operand].number() == P[Own[K]].number() &&
           P.operands(Operand)[0] == P.operands(Own[K])[0]);
    }
    if (!Same)
      return differ(I, DumpFacts.places().operand(I, K),
                    fmt::format("operand {}", K), P.spell(Own[K]), All);
  }
  return true;
}

/// What the two forms of printing do not agree on, or says nothing about
/// buffers.
static bool isIncomparable(StringRef Key) {
  return llvm::is_contained<StringRef>(
      {"metadata", "backend_config", "sharding", "origin",
       "frontend_attributes", "control-predecessors", "statistics",
       "replica_groups", "device_ids", "original_value"},
      Key);
}

/// The next attribute that can be compared; false at the end.
static bool takeComparable(StringRef &Rest, StringRef &Key, StringRef &Value) {
  while (takeAttributeKey(Rest, Key)) {
    // The last ones can be megabytes long and are not compared.
    if (Key == "metadata" || Key == "backend_config")
      return false;
    Value = takeAttributeValue(Rest);
    if (!isIncomparable(Key))
      return true;
  }
  return false;
}

static bool equalButPercent(StringRef X, StringRef Y) {
  size_t I = 0;
  size_t J = 0;
  while (true) {
    while (I != X.size() && X[I] == '%')
      ++I;
    while (J != Y.size() && Y[J] == '%')
      ++J;
    if (I == X.size() || J == Y.size())
      return I == X.size() && J == Y.size();
    if (X[I++] != Y[J++])
      return false;
  }
}

bool TextComparer::sameAttributes(const Instruction &I, HloId Id) {
  const HloModule &M = P.module();
  StringRef Stated = D.attributes(I);
  StringRef Own = M.attributes(M[Id]);
  if (Stated == Own || isAsync(I.Op.Op) || isAsync(P[Id].Op))
    return true;
  StringRef KeyX, ValueX, KeyY, ValueY;
  while (true) {
    bool MoreX = takeComparable(Stated, KeyX, ValueX);
    bool MoreY = takeComparable(Own, KeyY, ValueY);
    if (!MoreX && !MoreY)
      return true;
    if (MoreX && MoreY && KeyX == KeyY && equalButPercent(ValueX, ValueY))
      continue;
    StringRef Where = MoreX ? (ValueX.empty() ? KeyX : ValueX)
                            : DumpFacts.places().text(I).OpcodeText;
    Diags
        .reportAs(Severity::Warning, {Where, I.Name},
                  "{} has different attributes in the module: {} instead of {}",
                  D.Names[I.Name],
                  MoreY ? fmt::format("{}={}", KeyY, ValueY) : "none",
                  MoreX ? fmt::format("{}={}", KeyX, ValueX) : "none")
        .note(M.head(M[Id]), "the module's instruction is here");
    return false;
  }
}

void TextComparer::compare(const Instruction &I, HloId Id) {
  const HloModule &M = P.module();
  // Nearly all are the same letter by letter. Elements are operands of a text
  // that leaves them out, but not of the dump.
  if (!M.Compact && D.text(I) == M.text(M[Id]))
    return;
  if (sameOpcode(I, Id) && sameShape(I, Id) && sameOperands(I, Id))
    sameAttributes(I, Id);
}

/// Without texts the value lines tell the shapes.
void TextComparer::compareValueShapes() {
  for (const Value &V : D.Values) {
    HloId Id = P.find(V.Tag.Name);
    auto Ordinal =
        Id ? P.trees().ordinal(P[Id].Shape, V.Tag.Index) : std::nullopt;
    if (!Ordinal || !V.Shape)
      continue;
    ShapeId Own = P.trees().part(P[Id].Shape, *Ordinal);
    if (V.Shape == Own)
      continue;
    Diags
        .report({DumpFacts.places().value(V).Shape, V.Tag.Name},
                "{} has shape {}, but {} in the module", D.spell(V.Tag),
                D.Shapes.text(V.Shape), D.Shapes.text(Own))
        .note(P.place(Id), "{} is here", D.Names[V.Tag.Name]);
  }
}

namespace {
/// Which memory spaces fit to those of the promise: the same, where it has none
/// also the host's, or any.
enum class Spaces : uint8_t { Same, LeftOut, Any };

struct Signature {
  void run();

  bool fits(HloId Id, ShapeId Promised, Spaces Fit) const;
  void compare(HloId Id, ShapeId Promised, StringRef Text);

  const ModuleAnalysis &Analysis;
  Reporter &Diags;
  const Dump &D = Analysis.facts().dump();
  const Program &P = Analysis.program();
};
} // namespace

/// Layouts count, index comments do not. Layout assignment on TPU may leave
/// tiles out of the promise (ShapeVerifier::VerifyEntryComputationLayout in
/// hlo_verifier.cc, 2021).
bool Signature::fits(HloId Id, ShapeId Promised, Spaces Fit) const {
  if (P[Id].Shape == Promised)
    return true;
  if (!D.Shapes.equalIgnoringLayout(P[Id].Shape, Promised))
    return false;
  for (uint32_t I = 0; I != P.trees().parts(Promised); ++I) {
    const Shape &Own = D.Shapes[P.trees().part(P[Id].Shape, I)];
    const Shape &Other = D.Shapes[P.trees().part(Promised, I)];
    LayoutTolerance Tolerance;
    Tolerance.Tiles = !Own.isTiled() || !Other.isTiled();
    Tolerance.Splits = Tolerance.TailPadding = true;
    // The configuration in an executable for GPUs may leave it out, and CPU
    // leaves S(5) in the promise alone (jaxlib 0.12.0.1).
    Backend Target = P.facts().backend();
    Tolerance.MemorySpace =
        Fit == Spaces::Any ||
        (Fit == Spaces::LeftOut && Own.memorySpace() == HostMemorySpace &&
         Other.memorySpace() == 0) ||
        (Other.memorySpace() == HostMemorySpace && Target != Backend::GPU &&
         Target != Backend::TPU) ||
        (D.fromProto() && Other.memorySpace() == 0 && Target != Backend::CPU &&
         Target != Backend::TPU);
    if (!layoutDifference(Own, Other, Tolerance, Target).empty())
      return false;
  }
  return true;
}

/// CUDA may leave the memory space of what host computations read (jaxlib
/// 0.12), and of what is donated to them (0.10.2), out of the promise.
void Signature::compare(HloId Id, ShapeId Promised, StringRef Text) {
  if (fits(Id, Promised, Spaces::Same))
    return;
  bool ForGpu = P.facts().backend() == Backend::GPU;
  if (ForGpu && fits(Id, Promised, Spaces::LeftOut))
    return Diags.exempt("entry-space");
  if (ForGpu && fits(Id, Promised, Spaces::Any))
    return P.anyRunsElsewhere()
               ? Diags.notChecked(OtherThreads)
               : Diags.notChecked("memory spaces of arguments in the header");
  Diags
      .report({P.place(Id), P[Id].Name},
              "{} {} has shape {}, but entry_computation_layout declares {}",
              Text, P.spell(Id), D.Shapes.text(P[Id].Shape),
              D.Shapes.text(Promised))
      .note(D.Shapes.text(Promised), "it is declared here");
}

void Signature::run() {
  const HloModule &M = P.module();
  if (!M.EntryResult)
    return; // before 2022-05-23
  size_t Count = M.EntryParameters.size();
  if (!P.hasOwnHeader())
    return Diags.notChecked("the module's header belongs to another module");
  compare(P.root(M.Entry), M.EntryResult, "result");
  for (uint32_t N = 0; N != Count; ++N)
    if (HloId Id = P.parameter(M.Entry, N))
      compare(Id, M.EntryParameters[N], "parameter");
}

void hlobuf::checkModuleText(const CheckContext &Ctx, Reporter &Diags) {
  // A module from another compilation stage must match its signature too.
  const ModuleAnalysis *Any = Ctx.moduleAnalysis();
  if (!Any)
    return;
  if (!Any->obstacle().empty())
    return Diags.notChecked(Any->obstacle().str());
  Signature{*Any, Diags}.run();
  if (StringRef Key = Ctx.dump().Module.UnknownKey; !Key.empty())
    Diags.notChecked(
        fmt::format("'{}', a key of the module that no known XLA prints", Key));
  if (!Ctx.dump().complete(Section::Restated))
    return Diags.notCheckedWithout(Ctx, Section::Restated);
  if (const ModuleAnalysis *Analysis = usableModule(Ctx, Diags))
    TextComparer{*Analysis, Diags}.run();
}
