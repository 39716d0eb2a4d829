// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Program/Program.h"
#include "Program/StatedNodes.h"
#include "Support/Format.h"

using namespace hlobuf;

/// What a program from texts has of a module: one computation.
static const HloModule &emptyModule() {
  static const HloModule Empty = [] {
    HloModule M;
    M.Computations.emplace_back();
    return M;
  }();
  return Empty;
}

Program::Program(const Facts &DumpFacts, ProgramSource Source)
    : ProgramGraph(DumpFacts.dump().Shapes, DumpFacts.dump().Indices),
      DumpFacts(DumpFacts), Source(Source),
      M(Source == ProgramSource::Texts ? emptyModule()
                                       : DumpFacts.dump().Module),
      Elided(DumpFacts, M, Trees), Chains(*this) {
  if (Source == ProgramSource::Texts) {
    addStatedNodes();
    return;
  }
  if (!M.Entry) {
    Obstacle = "the module has no ENTRY computation";
    return;
  }
  // as_text() prints so, no dump does: values are named for what is left out.
  if (llvm::any_of(M.Instructions,
                   [](const HloInstruction &I) { return I.Sugar; })) {
    Obstacle = "the module leaves out the computations of async operations";
    return;
  }
  addModuleNodes();
  numberSlots();
  linkOperands();
  for (const ElidedElement &E : Elided.all())
    addElement(E);
  findParameters();
  buildOrder();
  if (!M.Scheduled)
    adoptOrder();
  linkUsers();
  linkCallers();
  Chains.link(M.Instructions.size());
  classify();
}

void Program::addModuleNodes() {
  Printed = M.Instructions;
  NumPrinted = M.Operands.size();
  if (M.Compact || !Elided.all().empty())
    Operands = M.Operands;
  else
    AllOperands = &M.Operands;
  FusionBody.assign(M.Computations.size(), false);
  size_t NumParameters = 0;
  for (const HloInstruction &I : M.Instructions) {
    NumParameters += I.Op == Opcode::Parameter;
    if (I.Op == Opcode::Fusion)
      for (const HloCall &Call : M.calls(I))
        FusionBody[Call.Callee.index()] = true;
  }
  Parameters.reserve(NumParameters);
}

void Program::addStatedNodes() {
  StatedNodes All = findStatedNodes(DumpFacts);
  Nodes = std::move(All.Nodes);
  Operands = std::move(All.Operands);
  Stated = std::move(All.ByName);
  FusionBody.assign(1, false);
  Embedded.assign(1, false);
  Classes.assign(1, ComputationClass::Global);
  CallerBegin.assign(2, 0);
  linkUsers();
}

void Program::addElement(const ElidedElement &E) {
  HloNode N;
  N.Name = E.Name;
  N.Parent = (*this)[E.Source].Parent;
  ArrayRef<ShapeId> Elements = Trees.shape((*this)[E.Source].Shape).Elements;
  N.Shape = E.Element < Elements.size() ? Elements[E.Element] : ShapeId();
  N.NumberOrCall = E.Element;
  N.Op = Opcode::GetTupleElement;
  N.FirstOperand = static_cast<uint32_t>(Operands.size());
  Operands.push_back(E.Source);
  Nodes.push_back(N);
}

void Program::linkOperands() {
  if (!M.Compact)
    return;
  for (uint32_t Id = 0; Id != M.Instructions.size(); ++Id) {
    const HloInstruction &I = M.Instructions[Id];
    for (size_t K = 0; K != M.operands(I).size(); ++K)
      if (HloOperand Operand = M.operand(I, K); !Operand.Path.isRoot())
        Operands[I.FirstOperand + K] = Elided.get(Operand.Source, Operand.Path);
    if (I.Op == Opcode::GetTupleElement)
      Elided.addPrinted(HloId(Id));
  }
}

void Program::buildOrder() {
  if (M.Scheduled && Elided.all().empty())
    return;
  // Hidden elements by (home, rank); the walk below takes them in this order.
  ArrayRef<ElidedElement> Elements = Elided.all();
  auto Hidden = llvm::to_vector(llvm::seq<size_t>(0, Elements.size()));
  std::ranges::sort(Hidden, {}, [&](size_t X) {
    return std::pair(Elements[X].Home, Elements[X].Rank);
  });
  size_t Next = 0;
  OrderBegin.reserve(M.Computations.size() + 1);
  Order.reserve(size());
  for (const HloComputation &C : M.Computations) {
    OrderBegin.push_back(static_cast<uint32_t>(Order.size()));
    for (uint32_t I = C.Instructions.Begin; I != C.Instructions.End; ++I) {
      Order.push_back(HloId(I));
      for (; Next != Hidden.size() && Elements[Hidden[Next]].Home == HloId(I);
           ++Next)
        Order.push_back(HloId(M.Instructions.size() + Hidden[Next]));
    }
  }
  OrderBegin.push_back(static_cast<uint32_t>(Order.size()));
}

void Program::findParameters() {
  ParameterBegin.reserve(M.Computations.size() + 1);
  for (const HloComputation &C : M.Computations) {
    auto First = static_cast<uint32_t>(Parameters.size());
    ParameterBegin.push_back(First);
    for (uint32_t I = C.Instructions.Begin; I != C.Instructions.End; ++I)
      if (M.Instructions[I].Op == Opcode::Parameter)
        Parameters.push_back(HloId(I));
    llvm::sort(Parameters.begin() + First, Parameters.end(),
               [&](HloId X, HloId Y) {
                 return (*this)[X].number() < (*this)[Y].number();
               });
  }
  ParameterBegin.push_back(static_cast<uint32_t>(Parameters.size()));
}

/// Without is_scheduled the text order is not a schedule (CPU before 2023-09,
/// GPU before 2022-11): the dump's sequence shows the order.
void Program::adoptOrder() {
  const Dump &D = DumpFacts.dump();
  if (!D.complete(Section::Sequence) || D.Sequence.empty() ||
      !DumpFacts.isSequenceSound())
    return;
  size_t Adopted = 0;
  for (size_t C = 0; C != M.Computations.size(); ++C) {
    auto Begin = Order.begin() + OrderBegin[C];
    auto End = Order.begin() + OrderBegin[C + 1];
    auto Time = [&](HloId Id) {
      NameId Name = (*this)[Id].Name;
      return Name ? DumpFacts.time(Name) : -1;
    };
    if (std::any_of(Begin, End, [&](HloId Id) { return Time(Id) < 0; }))
      continue;
    std::stable_sort(Begin, End,
                     [&](HloId X, HloId Y) { return Time(X) < Time(Y); });
    Adopted += static_cast<size_t>(End - Begin);
  }
  AdoptedOrder = Adopted != 0;
  AdoptedAll = Adopted == D.Sequence.size();
}

void Program::numberSlots() {
  FusedBefore.reserve(M.Computations.size());
  for (size_t C = 0; C != M.Computations.size(); ++C) {
    FusedBefore.push_back(FusionBody[C] ? NoSlot : Fused);
    if (FusionBody[C])
      Fused += M.Computations[C].Instructions.size();
  }
}

void Program::linkUsers() {
  Read.assign(size(), false);
  ReadAgain.assign(size(), false);
  UserBegin.assign(numSlots() + 1, 0);
  for (HloId Id : ids<HloId>(size()))
    for (HloId Operand : operands(Id)) {
      if (Read[Operand.index()])
        ReadAgain[Operand.index()] = true;
      Read[Operand.index()] = true;
      if (uint32_t Slot = slot(Operand); Slot != NoSlot)
        ++UserBegin[Slot + 1];
    }
  for (size_t I = 0; I != numSlots(); ++I)
    UserBegin[I + 1] += UserBegin[I];
  Users.resize(UserBegin.back());
  std::vector<uint32_t> Next(UserBegin.begin(), UserBegin.end() - 1);
  for (HloId Id : ids<HloId>(size())) {
    ArrayRef<HloId> All = operands(Id);
    for (uint32_t K = 0; K != All.size(); ++K)
      if (uint32_t Slot = slot(All[K]); Slot != NoSlot)
        Users[Next[Slot]++] = {Id, K};
  }
}

void Program::linkCallers() {
  // First what instructions print themselves, then chains whose later elements
  // print nothing.
  std::vector<std::pair<ComputationId, CallSite>> Calls;
  for (size_t I = 0; I != M.Instructions.size(); ++I)
    for (auto [K, Call] : llvm::enumerate(M.calls(M.Instructions[I])))
      Calls.push_back({Call.Callee, {HloId(I), static_cast<uint32_t>(K)}});
  llvm::sort(Calls);
  CallerBegin.assign(M.Computations.size() + 1, 0);
  CallSiteBegin = CallerBegin;
  for (auto [Callee, Site] : Calls) {
    bool Known =
        CallerBegin[Callee.index() + 1] != 0 && Callers.back() == Site.Caller;
    if (!Known) {
      ++CallerBegin[Callee.index() + 1];
      Callers.push_back(Site.Caller);
    }
    ++CallSiteBegin[Callee.index() + 1];
    CallSites.push_back(Site);
  }
  for (size_t C = 0; C != M.Computations.size(); ++C) {
    CallerBegin[C + 1] += CallerBegin[C];
    CallSiteBegin[C + 1] += CallSiteBegin[C];
  }
}

ArrayRef<HloCall> Program::calls(HloId Id) const {
  if (isHidden(Id))
    return {};
  ArrayRef<HloCall> Own = M.calls(M[Id]);
  if (!Own.empty() || !isAsync((*this)[Id].Op))
    return Own;
  HloId Start = Chains.start(Id);
  return Start ? M.calls(M[Start]) : Own;
}

ComputationId Program::callee(HloId Id, CallRole Role) const {
  for (const HloCall &Call : calls(Id))
    if (Call.Role == Role)
      return Call.Callee;
  return ComputationId();
}

HloId Program::parameter(ComputationId C, uint32_t N) const {
  uint32_t Begin = ParameterBegin[C.index()];
  // Numbers are dense in a sound module, so that N is the place.
  if (N >= ParameterBegin[C.index() + 1] - Begin)
    return HloId();
  HloId Id = Parameters[Begin + N];
  return (*this)[Id].number() == N ? Id : HloId();
}

void Program::classify() {
  // How a computation is reached: through control flow only, or through
  // anything else; through a custom call; and from within what that hands to
  // another thread, or not.
  constexpr uint8_t Flow = 1, Other = 2, Called = 4, Handed = 8, Here = 16;
  std::vector<uint8_t> Reached(M.Computations.size(), 0);
  SmallVector<std::pair<ComputationId, uint8_t>> Work = {
      {M.Entry, uint8_t(Flow | Here)}};
  while (!Work.empty()) {
    auto [C, Flags] = Work.pop_back_val();
    if ((Flags & Called) && M[C].OtherThread)
      Flags = uint8_t((Flags | Handed) & ~Here);
    if ((Reached[C.index()] & Flags) == Flags)
      continue;
    Reached[C.index()] |= Flags;
    IndexRange All = M[C].Instructions;
    for (uint32_t I = All.Begin; I != All.End; ++I) {
      Opcode Op = M.Instructions[I].Op;
      uint8_t Inherited = Flags;
      if (!isControlFlow(Op))
        Inherited = uint8_t((Flags & ~Flow) | Other);
      if (Op == Opcode::CustomCall)
        Inherited |= Called;
      for (const HloCall &Call : M.calls(M.Instructions[I]))
        Work.push_back({Call.Callee, Inherited});
    }
  }
  Classes.assign(M.Computations.size(), ComputationClass::None);
  Embedded.assign(M.Computations.size(), false);
  Elsewhere.assign(M.Computations.size(), false);
  for (size_t C = 0; C != M.Computations.size(); ++C) {
    Embedded[C] = Reached[C] & Other;
    Elsewhere[C] = (Reached[C] & Handed) && !(Reached[C] & Here);
    if (Reached[C] & Flow)
      Classes[C] = ComputationClass::Global;
    else if (Reached[C] && !FusionBody[C])
      Classes[C] = ComputationClass::ThreadLocal;
  }
}

bool Program::isInPlacePermute(HloId Id) const {
  return !isHidden(Id) && operands(Id).size() == 4 &&
         findAttribute(M.attributes(M[Id]), "slice_sizes");
}

bool Program::hasOwnHeader() const {
  if (!M.EntryResult) // before 2022-05-23
    return false;
  const ShapeTable &Shapes = DumpFacts.dump().Shapes;
  size_t Count = M.EntryParameters.size();
  auto IsSimilar = [&](HloId Id, ShapeId Stated) {
    return Id && Shapes.equalIgnoringLayout((*this)[Id].Shape, Stated);
  };
  size_t Fitting = IsSimilar(root(M.Entry), M.EntryResult);
  for (uint32_t N = 0; N != Count; ++N)
    Fitting += IsSimilar(parameter(M.Entry, N), M.EntryParameters[N]);
  if (numParameters(M.Entry) != Count)
    return false;
  if (DumpFacts.dump().Module.Name == "extracted")
    return Fitting == Count + 1;
  return Count == 0 || Fitting * 2 >= Count + 1;
}

StringRef Program::customCallTarget(HloId Id) const {
  if ((*this)[Id].Op != Opcode::CustomCall || isHidden(Id))
    return "";
  return hlobuf::customCallTarget(M.attributes(M[Id]));
}

StringRef Program::customCallTarget(HloId Id, Backend B) const {
  Backend Actual = DumpFacts.backend();
  bool Fits = Actual == B || (Actual == Backend::Untiled && B != Backend::TPU);
  return Fits ? customCallTarget(Id) : "";
}

HloId Program::find(NameId Name) const {
  if (isFromTexts())
    return Name ? Stated[Name.index()] : HloId();
  HloId Id = M.find(Name);
  return Id || !Name ? Id : Elided.find(Name);
}

std::string Program::spell(HloId Id) const {
  const HloNode &N = (*this)[Id];
  if (N.Name)
    return DumpFacts.dump().Names[N.Name].str();
  if (isFromTexts())
    return "an instruction that is not known";
  if (!isHidden(Id))
    return M.name(M[Id]).str();
  return fmt::format("{}#{}", spell(operands(Id)[0]), N.number());
}

/// Where 'Used values', or else the sequence, name \p Name first.
static StringRef statedPlace(const Facts &DumpFacts, NameId Name) {
  const Dump &D = DumpFacts.dump();
  if (const Instruction *I = DumpFacts.instruction(Name))
    return D.text(*I).take_until([](char C) { return C == ' '; });
  if (ArrayRef<uint32_t> Rows = DumpFacts.positionsAt(Name); !Rows.empty())
    return DumpFacts.places().row(D.Positions[Rows.front()]).Name;
  if (ArrayRef<uint32_t> Rows = DumpFacts.usesBy(Name); !Rows.empty())
    return DumpFacts.places().row(D.Uses[Rows.front()]).Name;
  int32_t Step = DumpFacts.time(Name);
  return Step < 0 ? D.usedText().take_front(1)
                  : DumpFacts.places().row(D.Sequence[size_t(Step)]).Name;
}

StringRef Program::place(HloId Id) const {
  if (isFromTexts())
    return statedPlace(DumpFacts, (*this)[Id].Name);
  while (isHidden(Id))
    Id = operands(Id)[0];
  const HloInstruction &I = M[Id];
  return M.text(I).take_front(
      M.text(I).find(' ') == StringRef::npos ? 1 : M.text(I).find(' '));
}

std::vector<SharedCallee> hlobuf::sharedCallees(const Program &P) {
  std::vector<SharedCallee> All;
  for (ComputationId C : ids<ComputationId>(P.module().Computations.size())) {
    SharedCallee Shared;
    Shared.Callee = C;
    if (P.classOf(Shared.Callee) != ComputationClass::Global)
      continue;
    Shared.Async = true;
    for (HloId Caller : P.callers(Shared.Callee)) {
      Opcode Op = P[Caller].Op;
      ComputationId Own = P[Caller].Parent;
      // The later elements of an async chain repeat what its start calls, and
      // what is never called, calls nobody.
      if (continuesAsync(Op) ||
          (P.classOf(Own) == ComputationClass::None && !P.isEmbedded(Own)))
        continue;
      Shared.Callers.push_back(Caller);
      Shared.Async &= !isSynchronousCall(Op);
    }
    // What `reduce-scatter-start` names is only applied, as by others.
    bool Applied = Shared.Async && P.isEmbedded(Shared.Callee);
    if (Shared.Callers.size() > 1 && !Applied)
      All.push_back(std::move(Shared));
  }
  return All;
}
