// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes of collectives: CollectiveOps of xla/service/cpu/thunk_emitter.cc,
// GetCollectiveConfig of xla/backends/gpu/runtime/collective_thunk.cc (2025).

#include "HLO/AttributeNumbers.h"
#include "HLO/InstructionParser.h"
#include "Support/Format.h"
#include "Thunks/AttributeRules.h"
#include "llvm/ADT/Sequence.h"

using namespace hlobuf;

ExpectedText hlobuf::ruleCollectiveOpcode(const AttributeContext &Attr) {
  StringRef Own = opcodeText(Attr.program()[Attr.I].Op);
  Own.consume_back("-start");
  return Own.str();
}

ExpectedText hlobuf::ruleHasChannel(const AttributeContext &Attr) {
  return Attr.attribute("channel_id") ? "true" : "false";
}

/// What orders it with others (Thunk::resource_uses, xla/backends/cpu/runtime).
ExpectedText hlobuf::ruleCommunicator(const AttributeContext & /*Attr*/) {
  return "{communicator}";
}

ExpectedText hlobuf::ruleTokens(const AttributeContext & /*Attr*/) {
  return "{token,token}";
}

/// The channel; where there is none the id that the module has in its process.
ExpectedText hlobuf::ruleOperationId(const AttributeContext &Attr) {
  std::optional<StringRef> Channel = Attr.attribute("channel_id");
  return Channel ? Channel->str() : Attr.anything();
}

/// More than meshes of devices have.
static constexpr size_t MostDimensions = 16;

/// A group of all: `{{0,1,2}}`.
static bool isOneGroup(StringRef Groups) {
  if (!Groups.consume_front("{{") || !Groups.consume_back("}}"))
    return false;
  auto All = numbersBetweenCommas(Groups);
  return All && !All->empty() &&
         llvm::equal(*All, llvm::seq<int64_t>(0, int64_t(All->size())));
}

/// The numbers of `[2,4]`, at the front of \p Text.
static std::optional<AttributeNumbers> takeNumbers(StringRef &Text, char Open,
                                                   char Close) {
  if (Text.empty() || Text.front() != Open)
    return std::nullopt;
  size_t End = Text.find(Close);
  if (End == StringRef::npos)
    return std::nullopt;
  auto All = numbersBetweenCommas(Text.slice(1, End));
  Text = Text.drop_front(End + 1);
  if (All &&
      llvm::any_of(*All, [&](int64_t N) { return N < (Open == '(' ? 0 : 1); }))
    return std::nullopt;
  return All;
}

/// `{{0,2},{1,3}}` of `[2,2]<=[2,2]T(1,0)`; nothing where it is something else
/// (IotaReplicaGroupList, xla/hlo/ir/replica_group.cc).
static std::optional<std::string> listOfIota(StringRef Text) {
  constexpr int64_t MostDevices = 1 << 20;
  auto Groups = takeNumbers(Text, '[', ']');
  if (!Groups || Groups->size() != 2 || !Text.consume_front("<="))
    return std::nullopt;
  auto Sizes = takeNumbers(Text, '[', ']');
  if (!Sizes || Sizes->size() > MostDimensions)
    return std::nullopt;
  AttributeNumbers Order;
  for (size_t D = 0; D != Sizes->size(); ++D)
    Order.push_back(static_cast<int64_t>(D));
  if (Text.consume_front("T")) {
    auto Stated = takeNumbers(Text, '(', ')');
    if (!Stated || Stated->size() != Order.size() ||
        !std::is_permutation(Order.begin(), Order.end(), Stated->begin()))
      return std::nullopt;
    Order = *Stated;
  }
  int64_t Count = 1;
  for (int64_t Size : *Sizes)
    Count = Size > MostDevices || Count > MostDevices ? MostDevices + 1
                                                      : Count * Size;
  if (!Text.empty() || Count > MostDevices || (*Groups)[0] > MostDevices ||
      (*Groups)[1] > MostDevices || (*Groups)[0] * (*Groups)[1] != Count)
    return std::nullopt;
  std::string Out = "{";
  for (int64_t N = 0; N != Count; ++N) {
    // Number N in the transposed array, its last dimension first.
    int64_t Rest = N;
    int64_t Device = 0;
    for (size_t D = Order.size(); D-- != 0;) {
      auto Axis = static_cast<size_t>(Order[D]);
      int64_t Stride = 1;
      for (size_t Minor = Axis + 1; Minor != Sizes->size(); ++Minor)
        Stride *= (*Sizes)[Minor];
      Device += Rest % (*Sizes)[Axis] * Stride;
      Rest /= (*Sizes)[Axis];
    }
    bool Begins = N % (*Groups)[1] == 0;
    Out += fmt::format("{}{}", !Begins ? "," : N == 0 ? "{" : "},{", Device);
  }
  return Out + "}}";
}

namespace {
/// Factors [Begin, End) of a mesh's axis, the major ones first: all of `'x'`,
/// or of `'x':(2)4` those from 2 to 8.
struct MeshAxis {
  StringRef Name;
  int64_t Begin = 1;
  int64_t End = 0;
};
} // namespace

/// The axes in \p Text, `'x'=8,'y'=2` or `'x':(2)4,'y'`; nothing where it is
/// something else.
static std::optional<SmallVector<MeshAxis, 4>> meshAxes(StringRef Text) {
  SmallVector<StringRef, 4> Items;
  Text.split(Items, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  SmallVector<MeshAxis, 4> All;
  for (StringRef Item : Items) {
    auto [Name, Part] = Item.split(":(");
    auto [Whole, Size] = Name.rsplit('=');
    auto [First, Count] = Part.split(')');
    MeshAxis Axis = {Whole};
    if ((!Size.empty() && Size.getAsInteger(10, Axis.End)) ||
        (!Part.empty() &&
         (First.getAsInteger(10, Axis.Begin) ||
          Count.getAsInteger(10, Axis.End) ||
          __builtin_mul_overflow(Axis.Begin, Axis.End, &Axis.End))) ||
        (!Part.empty() && Axis.End == 0) || Axis.Begin < 1 ||
        All.size() == MostDimensions)
      return std::nullopt;
    All.push_back(Axis);
  }
  return All;
}

/// \p Mesh with each axis cut where one of \p Along begins or ends; nothing
/// where that does not divide it.
static std::optional<SmallVector<MeshAxis, 4>>
cutAxes(ArrayRef<MeshAxis> Mesh, ArrayRef<MeshAxis> Along) {
  SmallVector<MeshAxis, 4> All;
  for (const MeshAxis &Axis : Mesh) {
    SmallVector<int64_t, 4> Cuts = {1, Axis.End};
    for (const MeshAxis &Part : Along)
      if (Part.Name == Axis.Name)
        Cuts.append({Part.Begin, Part.End});
    llvm::sort(Cuts);
    Cuts.erase(std::unique(Cuts.begin(), Cuts.end()), Cuts.end());
    if (Cuts.front() != 1 || Cuts.back() != Axis.End)
      return std::nullopt;
    if (Cuts.size() == 1)
      All.push_back(Axis);
    for (size_t C = 1; C < Cuts.size(); ++C) {
      if (Cuts[C] % Cuts[C - 1] != 0)
        return std::nullopt;
      All.push_back({Axis.Name, Cuts[C - 1], Cuts[C]});
    }
  }
  return All;
}

/// `[2,4]<=[2,4]` of `mesh['x'=2,'y'=4] {'y'}`, groups of devices that differ
/// along these axes or factors of axes (MeshAxesReplicaGroupList,
/// xla/hlo/ir/replica_group.cc, 2026); nothing where it is something else.
static std::optional<std::string> iotaOfMesh(StringRef Text) {
  if (!Text.consume_front("mesh[") || !Text.consume_back("}"))
    return std::nullopt;
  auto [Axes, Inside] = Text.split("] {");
  auto Mesh = meshAxes(Axes), Along = meshAxes(Inside);
  if (!Mesh || !Along)
    return std::nullopt;
  for (MeshAxis &Part : *Along) {
    auto HasName = [&](const MeshAxis &Axis) { return Axis.Name == Part.Name; };
    if (llvm::count_if(*Mesh, HasName) != 1)
      return std::nullopt;
    if (Part.End == 0)
      Part.End = llvm::find_if(*Mesh, HasName)->End;
  }
  auto Dimensions = cutAxes(*Mesh, *Along);
  if (!Dimensions)
    return std::nullopt;
  auto IsIn = [](const MeshAxis &Part, const MeshAxis &D) {
    return Part.Name == D.Name && Part.Begin <= D.Begin && D.End <= Part.End;
  };
  SmallVector<int64_t, 4> Order, Sizes;
  int64_t Groups = 1;
  int64_t Devices = 1;
  for (const MeshAxis &D : *Dimensions) {
    bool Differs = llvm::any_of(
        *Along, [&](const MeshAxis &Part) { return IsIn(Part, D); });
    if (!Differs)
      Order.push_back(static_cast<int64_t>(Sizes.size()));
    Sizes.push_back(D.End / D.Begin);
    int64_t &Count = Differs ? Devices : Groups;
    if (__builtin_mul_overflow(Count, Sizes.back(), &Count))
      return std::nullopt;
  }
  for (const MeshAxis &Part : *Along)
    for (size_t D = 0; D != Dimensions->size(); ++D)
      if (IsIn(Part, (*Dimensions)[D]))
        Order.push_back(static_cast<int64_t>(D));
  return fmt::format("[{},{}]<=[{}]T({})", Groups, Devices,
                     fmt::join(Sizes, ","), fmt::join(Order, ","));
}

/// \p Groups of places in a mesh as groups of devices, of which \p Order,
/// `[2,4]T(1,0)`, says where they are; nothing where it does not.
static ExpectedText devicesAt(StringRef Groups, StringRef Order) {
  size_t Count = 1 + Groups.count(',');
  ExpectedText List = listOfIota(fmt::format("[1,{}]<={}", Count, Order));
  auto Devices = numbersBetweenCommas(StringRef(List.value_or("")).trim("{}"));
  std::string Out;
  while (Devices && !Groups.empty()) {
    size_t Place = 0;
    if (Groups.consumeInteger(10, Place)) {
      Out += Groups.front();
      Groups = Groups.drop_front();
    } else if (Place < Devices->size()) {
      Out += std::to_string((*Devices)[Place]);
    } else {
      return std::nullopt;
    }
  }
  return Devices ? ExpectedText(Out) : std::nullopt;
}

/// The instruction's groups as a list; nothing where that is not known.
static ExpectedText listedGroups(StringRef Text) {
  std::string Own = Text.str();
  StringRef Order;
  if (Text.starts_with("mesh")) {
    auto [Mesh, Rest] = Text.split("]<=");
    auto [Devices, Along] = Rest.split(" {");
    if (!Rest.empty())
      Own = (Mesh + "] {" + Along).str();
    Order = Devices;
    Own = iotaOfMesh(Own).value_or("?");
  }
  if (!StringRef(Own).starts_with("["))
    return std::move(Own);
  ExpectedText List = listOfIota(Own);
  return List && !Order.empty() ? devicesAt(*List, Order) : List;
}

ExpectedText hlobuf::ruleGroups(const AttributeContext &Attr) {
  ExpectedText Listed =
      listedGroups(Attr.attribute("replica_groups").value_or("{}"));
  std::string Own = Listed.value_or("?");
  if (!StringRef(Own).starts_with("{"))
    return std::nullopt;
  // Instructions without groups have one of all.
  if (Own == "{}" && isOneGroup(Attr.Stated))
    return Attr.anything();
  return std::move(Own);
}

/// What the computation of a reduction does: the first of \p Words for a sum,
/// then product, minimum, maximum (MatchReductionComputation,
/// xla/service/collective_ops_utils.cc). Sums of a narrow type may be computed
/// in a wider one.
static ExpectedText expectReduction(const AttributeContext &Attr,
                                    ArrayRef<StringRef> Words) {
  const Program &P = Attr.program();
  ComputationId C = P.callee(Attr.I, CallRole::ToApply);
  HloId Root = C ? P.root(C) : HloId();
  while (Root && P[Root].Op == Opcode::Convert && !P.operands(Root).empty())
    Root = P.operands(Root).front();
  if (!Root)
    return "";
  switch (P[Root].Op) {
  case Opcode::Add:
    return Words[0].str();
  case Opcode::Multiply:
    return Words[1].str();
  case Opcode::Minimum:
  case Opcode::And:
    return Words[2].str();
  case Opcode::Maximum:
  case Opcode::Or:
    return Words[3].str();
  default:
    return std::nullopt;
  }
}

/// XLA has two spellings of these (ReductionKindToString and ReductionKindProto
/// in xla/service/collective_ops_utils).
static StringRef shortReduction(StringRef Text) {
  static constexpr std::pair<StringRef, StringRef> Spellings[] = {
      {"product", "prod"}, {"minimum", "min"}, {"maximum", "max"}};
  for (auto [Long, Short] : Spellings)
    if (Text == Long)
      return Short;
  return Text;
}

ExpectedText hlobuf::ruleReduction(const AttributeContext &Attr) {
  ExpectedText Own = expectReduction(Attr, {"sum", "prod", "min", "max"});
  return Own == shortReduction(Attr.Stated).str() ? Attr.anything() : Own;
}

/// A kernel that is loaded reduces as its own code says, and the thunk says 1
/// for each (jax-cuda12 0.11.0).
ExpectedText hlobuf::ruleReductionKind(const AttributeContext &Attr) {
  auto IsLoaded = [](const ThunkAttribute &A) { return A.Key == "launches"; };
  bool Loaded =
      llvm::any_of(Attr.G.thunks().attributes(Attr.thunk()), IsLoaded);
  if (Attr.Stated.empty() || (Loaded && Attr.Stated == "1"))
    return Attr.anything();
  return expectReduction(Attr, {"1", "2", "3", "4"});
}

/// GetCollectiveOpGroupMode (xla/service/collective_ops_utils.cc): 0 for
/// replicas, 1 for partitions, 2 for both, 3 for devices.
ExpectedText hlobuf::ruleGroupMode(const AttributeContext &Attr) {
  bool Channel = Attr.attribute("channel_id").has_value();
  bool Global = Attr.attribute("use_global_device_ids").value_or("") == "true";
  switch (Attr.thunk().Kind) {
  case ThunkKind::AllGather:
  case ThunkKind::AllReduce:
  case ThunkKind::ReduceScatter:
  case ThunkKind::CollectiveKernel:
    return !Channel ? "0" : Global ? "3" : "2";
  default:
    return Channel ? "1" : "0";
  }
}

/// The arrays that a collective sends, or receives.
static SmallVector<ShapeId, 4> sent(const AttributeContext &Attr) {
  const Program &P = Attr.program();
  SmallVector<ShapeId, 4> All;
  auto Add = [&](HloId I, uint32_t Begin, uint32_t End) {
    for (uint32_t N = Begin; N < std::min(End, P.trees().parts(P[I].Shape));
         ++N)
      if (ShapeId Part = P.trees().part(P[I].Shape, N);
          P.trees().shape(Part).isArray())
        All.push_back(Part);
  };
  // Of recv's result, 0 is the tuple, and 1 the array.
  if (Attr.thunk().Kind == ThunkKind::Recv)
    Add(Attr.I, 1, 2);
  else
    for (HloId Operand : P.operands(Attr.I))
      Add(Operand, 0, UINT32_MAX);
  return All;
}

ExpectedText hlobuf::ruleElementTypes(const AttributeContext &Attr) {
  std::string Types = "{";
  for (ShapeId Each : sent(Attr))
    Types += (Types.size() == 1 ? "" : ",") +
             Attr.program().trees().shape(Each).Element.str();
  return Types + '}';
}

/// The number of elements; nothing if it is too large.
static ExpectedText countOf(ArrayRef<Dimension> Dimensions) {
  int64_t Count = 1;
  for (const Dimension &D : Dimensions)
    if (__builtin_mul_overflow(Count, D.Size, &Count))
      return std::nullopt;
  return std::to_string(Count);
}

ExpectedText hlobuf::ruleElementCounts(const AttributeContext &Attr) {
  std::string Counts;
  for (ShapeId Each : sent(Attr)) {
    ExpectedText Count = countOf(Attr.program().trees().shape(Each).Dimensions);
    if (!Count)
      return std::nullopt;
    Counts += (Counts.empty() ? "" : " ") + *Count;
  }
  return std::move(Counts);
}

/// Collectives cut and join whole runs of bytes: the dimension of their
/// instruction is the most major one but for those of one element. Thunks do
/// not state it.
ExpectedText hlobuf::ruleMajorDimension(const AttributeContext &Attr) {
  const Program &P = Attr.program();
  std::optional<StringRef> Stated = Attr.attribute("dimensions");
  int64_t Dimension = 0;
  if (!Stated || P.operands(Attr.I).empty())
    return "";
  const Shape &S = P.trees().shape(P[P.operands(Attr.I)[0]].Shape);
  if (Stated->trim("{}").getAsInteger(10, Dimension) || !S.Layout)
    return std::nullopt;
  for (int64_t D : llvm::reverse(S.Layout->MinorToMajor))
    if (D == Dimension)
      return "";
    else if (D < 0 || static_cast<size_t>(D) >= S.Dimensions.size() ||
             S.Dimensions[static_cast<size_t>(D)].Size != 1)
      return std::nullopt;
  return std::nullopt;
}

ExpectedText hlobuf::ruleSplits(const AttributeContext &Attr) {
  return Attr.attribute("dimensions") ? "true" : "false";
}

/// The pairs of `{{1,0},{0,1}}`, sorted: their order means nothing, and thunks
/// keep them in a map.
static SmallVector<StringRef, 8> sortedPairs(StringRef Text) {
  SmallVector<StringRef, 8> All;
  if (Text.consume_front("{{") && Text.consume_back("}}"))
    Text.split(All, "},{");
  else
    All.push_back(Text);
  llvm::sort(All);
  return All;
}

static ExpectedText expectPairs(const AttributeContext &Attr, StringRef Own) {
  return sortedPairs(Attr.Stated) == sortedPairs(Own) ? Attr.anything()
                                                      : Own.str();
}

ExpectedText hlobuf::rulePairs(const AttributeContext &Attr) {
  return expectPairs(Attr, Attr.attribute(Attr.Key).value_or(Attr.Default));
}

/// Pairs of a send or recv that was a collective-permute
/// (xla/service/collective_permute_decomposer.cc).
ExpectedText hlobuf::ruleTransferPairs(const AttributeContext &Attr) {
  StringRef All = Attr.attribute("frontend_attributes").value_or("");
  auto [Before, Own] = All.split("_xla_send_recv_source_target_pairs=\"");
  return Own.empty() ? std::nullopt : expectPairs(Attr, Own.split('"').first);
}

/// Operand \p Number of a ragged exchange, if it is an array of rows.
static const Shape *rowsOf(const AttributeContext &Attr, size_t Number) {
  const Program &P = Attr.program();
  ArrayRef<HloId> Operands = P.operands(Attr.I);
  if (Number >= Operands.size())
    return nullptr;
  const Shape &S = P.trees().shape(P[Operands[Number]].Shape);
  return S.isArray() && !S.Dimensions.empty() ? &S : nullptr;
}

static ExpectedText expectRows(const AttributeContext &Attr, size_t Number) {
  if (const Shape *S = rowsOf(Attr, Number))
    return std::to_string(S->Dimensions[0].Size);
  return std::nullopt;
}

/// The third operand has an offset for each update.
ExpectedText hlobuf::ruleRaggedUpdates(const AttributeContext &Attr) {
  return expectRows(Attr, 2);
}

ExpectedText hlobuf::ruleRaggedRows(const AttributeContext &Attr) {
  return expectRows(Attr, 0);
}

ExpectedText hlobuf::ruleRaggedRowElements(const AttributeContext &Attr) {
  const Shape *S = rowsOf(Attr, 0);
  return S ? countOf(ArrayRef(S->Dimensions).drop_front()) : std::nullopt;
}
