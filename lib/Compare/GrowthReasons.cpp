// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Compare/LargeValues.h"
#include "Compare/MemoryDiff.h"
#include "Memory/Instructions.h"
#include "Support/Format.h"
#include "Support/HumanBytes.h"
#include "Support/Printable.h"
#include <limits>
#include <map>

using namespace hlobuf;
using llvm::StringRef;

/// Reasons of a memory space that are listed.
static constexpr size_t MaxReasons = 5;
/// Values that look alike and are looked at.
static constexpr size_t MaxAlike = 16;
/// Values of less than this part of the growth do not count.
static constexpr uint64_t LeastPart = 20;

namespace {
/// Values at the new peak of one operation, source line and shape that the old
/// peak does not hold.
struct GrownGroup {
  /// All that look like these, also those that both peaks hold.
  std::vector<ValueId> Values;
  unsigned Count = 0;
  uint64_t Bytes = 0;
};

class GrowthFinder {
public:
  GrowthFinder(LargeValues OldValues, LargeValues NewValues)
      : Old(std::move(OldValues)), New(std::move(NewValues)) {
    for (auto [I, J] : matchValues(Old.Described, New.Described)) {
      OldOf[J] = I;
      NewOf[I] = J;
    }
  }

  /// Values that \p Elsewhere, another memory space of the old program, has are
  /// not new.
  void addElsewhere(const LargeValues &Elsewhere, StringRef Name);
  /// A line for each of \p Groups.
  std::vector<std::string> run(llvm::ArrayRef<GrownGroup> Groups) const;

private:
  std::string explain(const GrownGroup &Group) const;
  std::string explainSharing(ValueId V, ValueId Before) const;
  std::string explainLife(ValueId V, ValueId Before) const;
  std::string explainNew(ValueId V) const;
  std::string reason(ValueId V, ValueId Other) const;
  int32_t stepsTogether(ValueId V, ValueId Other) const;
  ValueId counterpart(ValueId OldValue) const;
  ValueId bestPartner(ValueId V, ValueId Before) const;
  ValueId newNeighbor(ValueId V, ValueId Before) const;
  std::string insideOf(ValueId V) const;
  bool readItself(NameId Reader, ValueId Operand) const;

  LargeValues Old, New;
  /// By numbers of LargeValues.
  std::map<size_t, size_t> OldOf, NewOf;
  /// Where values of the new program were that are not in OldOf.
  std::map<size_t, std::string> MovedFrom;
};
} // namespace

void GrowthFinder::addElsewhere(const LargeValues &Elsewhere, StringRef Name) {
  std::vector<size_t> Numbers;
  std::vector<ComparedValue> Left;
  for (size_t I = 0; I != New.Ids.size(); ++I)
    if (OldOf.count(I) == 0) {
      Numbers.push_back(I);
      Left.push_back(New.Described[I]);
    }
  for (auto [I, J] : matchValues(Elsewhere.Described, Left))
    if (Elsewhere.Described[I].PlainShape == Left[J].PlainShape)
      MovedFrom.try_emplace(Numbers[J], Name);
}

/// The value of the new program that was \p OldValue; invalid if there is none.
ValueId GrowthFinder::counterpart(ValueId OldValue) const {
  std::optional<size_t> Number = Old.numberOf(OldValue);
  auto Entry = Number ? NewOf.find(*Number) : NewOf.end();
  return Entry == NewOf.end() ? ValueId() : New.Ids[Entry->second];
}

/// At how many steps both are live, at most 2: at one, the younger one begins
/// where the other ends.
int32_t GrowthFinder::stepsTogether(ValueId V, ValueId Other) const {
  std::optional<StepRange> X = New.range(V);
  std::optional<StepRange> Y = New.range(Other);
  return !X || !Y ? 0
                  : std::clamp(std::min(X->End, Y->End) + 1 -
                                   std::max(X->Start, Y->Start),
                               0, 2);
}

/// Steps between two ranges; 0 if they meet.
static int32_t distance(std::optional<StepRange> X,
                        std::optional<StepRange> Y) {
  if (!X || !Y)
    return std::numeric_limits<int32_t>::max();
  return std::max({0, X->Start - Y->End, Y->Start - X->End});
}

/// Of the values that shared bytes with \p Before, the one that says most of
/// why \p V takes bytes of its own: its bytes are held at the new peak, too,
/// and it is live when V is; or it was next to it in time, later rather than
/// earlier.
ValueId GrowthFinder::bestPartner(ValueId V, ValueId Before) const {
  ValueId Best;
  std::tuple<bool, int32_t, int32_t, int32_t> BestKey;
  for (ValueId Partner : Old.Ids) {
    ValueId NewPartner = counterpart(Partner);
    if (Partner == Before || !NewPartner || NewPartner == V ||
        !Old.D[Partner].sharesBytes(Old.D[Before]) ||
        New.D[NewPartner].sharesBytes(New.D[V]))
      continue;
    std::optional<StepRange> Range = Old.range(Partner);
    std::tuple Key(New.isHeldAtPeak(NewPartner), stepsTogether(V, NewPartner),
                   -distance(Old.range(Before), Range),
                   Range ? Range->Start : -1);
    if (Best && Key <= BestKey)
      continue;
    Best = NewPartner;
    BestKey = Key;
  }
  return Best;
}

/// What keeps \p V out of the bytes of \p Other.
std::string GrowthFinder::reason(ValueId V, ValueId Other) const {
  std::optional<StepRange> X = New.range(V);
  std::optional<StepRange> Y = New.range(Other);
  if (!X || !Y)
    return "when they are live is not known";
  bool IsFirst = X->Start <= Y->Start;
  ValueId Older = IsFirst ? V : Other;
  ValueId Younger = IsFirst ? Other : V;
  int32_t Together = stepsTogether(V, Other);
  if (Together > 1)
    return fmt::format("both are live from step {} to {}, because of {}: {}",
                       std::max(X->Start, Y->Start), std::min(X->End, Y->End),
                       New.D.spell(Older), New.lastReader(Older));
  if (Together == 1)
    return fmt::format("{} is computed at step {}, which reads {} last, and "
                       "is not written over it",
                       New.D.spell(Younger), std::max(X->Start, Y->Start),
                       New.D.spell(Older));
  if (ValueId Way = New.inTheWay(V, Other)) {
    StepRange Occupied = *New.range(Way);
    return fmt::format("{} is in these bytes from step {} to {}",
                       New.Names.spell(Way), Occupied.Start, Occupied.End);
  }
  return "they are not live together, and nothing large is in these bytes: "
         "the compiler places the value elsewhere";
}

std::string GrowthFinder::explainSharing(ValueId V, ValueId Before) const {
  ValueId Other = bestPartner(V, Before);
  if (!Other)
    return "";
  return fmt::format("shared the memory of {}; apart now: {}",
                     New.Names.spell(Other), reason(V, Other));
}

/// The largest value that is held at the new peak together with \p V, and was
/// not live together with \p Before.
ValueId GrowthFinder::newNeighbor(ValueId V, ValueId Before) const {
  ValueId Best;
  std::optional<StepRange> X = Old.range(Before);
  for (const auto &[OldNumber, NewNumber] : NewOf) {
    ValueId Neighbor = New.Ids[NewNumber];
    std::optional<StepRange> Y = Old.range(Old.Ids[OldNumber]);
    if (Neighbor == V || !X || !Y || !New.isHeldAtPeak(Neighbor) ||
        New.Memory.kind(Neighbor) != MemoryKind::Temp || X->meets(*Y) ||
        stepsTogether(V, Neighbor) == 0)
      continue;
    if (!Best || New.D[Neighbor].Size > New.D[Best].Size)
      Best = Neighbor;
  }
  return Best;
}

/// \p V is a value of both, which shared memory with none that is apart now.
std::string GrowthFinder::explainLife(ValueId V, ValueId Before) const {
  const std::string &OldShape = Old.Described[*Old.numberOf(Before)].PlainShape;
  if (OldShape != New.Described[*New.numberOf(V)].PlainShape)
    return fmt::format("was {} before; {}", OldShape, New.lastReader(V));
  if (ValueId Other = newNeighbor(V, Before))
    return fmt::format("was not live together with {}, and is now: {}",
                       New.Names.spell(Other), reason(V, Other));
  std::optional<StepRange> Range = New.range(V);
  if (!Range)
    return "";
  return fmt::format("was {} at the peak before; live from step {} to {} now: "
                     "{}",
                     Old.isHeldAtPeak(Before) ? "in the bytes of another value"
                                              : "not live",
                     Range->Start, Range->End, New.lastReader(V));
}

/// The fusion of the old program that computes what \p V is; empty if there is
/// none.
std::string GrowthFinder::insideOf(ValueId V) const {
  std::optional<size_t> Number = New.numberOf(V);
  const ComparedValue &Target = New.Described[*Number];
  const HloModule &M = Old.D.Module;
  std::vector<HloId> Callers(M.Computations.size());
  for (size_t I = 0; I != M.Instructions.size(); ++I)
    if (M.Instructions[I].Op == Opcode::Fusion)
      for (const HloCall &Call : M.calls(M.Instructions[I]))
        if (Call.Callee)
          Callers[Call.Callee.index()] = HloId(I);
  for (const HloInstruction &I : M.Instructions) {
    HloId Caller = Callers[I.Parent.index()];
    while (Caller && !M[Caller].Name)
      Caller = Callers[M[Caller].Parent.index()];
    if (!Caller || I.Root || Target.Called.OpName.empty() ||
        !M.attributes(I).contains(Target.operation()))
      continue;
    ValueName From;
    if (takeMetadata(From, Old.DumpFacts, M.attributes(I)) &&
        From.Source == Target.Called.Source &&
        StringRef(From.OpName).ends_with(Target.operation()))
      return Old.Names.spellInstruction(M[Caller].Name);
  }
  return "";
}

/// The old program has an operation like \p Reader that reads \p Operand
/// itself.
bool GrowthFinder::readItself(NameId Reader, ValueId Operand) const {
  std::optional<size_t> Number = New.numberOf(Operand);
  auto Entry = Number ? OldOf.find(*Number) : OldOf.end();
  if (Entry == OldOf.end())
    return false;
  ValueName Target = statedName(New.DumpFacts, Reader);
  auto Readers = Old.DumpFacts.readers(Old.Ids[Entry->second]);
  return !Target.OpName.empty() && llvm::any_of(Readers, [&](const Use &Each) {
    ValueName From = statedName(Old.DumpFacts, Each.Name);
    return From.OpName == Target.OpName && From.Source == Target.Source;
  });
}

/// \p V is a value that the old program does not have.
std::string GrowthFinder::explainNew(ValueId V) const {
  if (New.Names[V].Role == ValueRole::Collected)
    return "was not there: one more array that the loop fills; " +
           New.lastReader(V);
  Opcode Op = findOpcode(New.DumpFacts, New.D[V].Tag.Name);
  ValueId Operand = New.largestOperand(V);
  std::string Phrase = Op == Opcode::Parameter || Op == Opcode::While
                           ? "state of a loop"
                           : opcodeText(Op).str();
  if (Operand)
    Phrase += " of " + New.Names.spell(Operand);
  std::string Text;
  if (std::string Fusion = insideOf(V); !Fusion.empty())
    Text = fmt::format("was computed inside of {}, and has memory now: {}",
                       Fusion, Phrase);
  else
    Text = "was not there: " + Phrase;
  NameId Reader = New.Memory.lastReader(V);
  if (Reader && Operand && readItself(Reader, Operand))
    return Text + fmt::format(", for {}, which read that itself",
                              New.Names.spellInstruction(Reader));
  std::string Last = New.lastReader(V);
  return Last.empty() ? Text : Text + "; " + Last;
}

/// Values that look alike are not always paired as they should be: one that has
/// no pair, or whose sharing is known to be lost, says more than one that is
/// just live.
std::string GrowthFinder::explain(const GrownGroup &Group) const {
  std::string Text;
  for (ValueId Member : Group.Values) {
    size_t Number = *New.numberOf(Member);
    ValueId V = New.Ids[Number];
    auto Entry = OldOf.find(Number);
    if (auto From = MovedFrom.find(Number); From != MovedFrom.end())
      return fmt::format("{} was in {} before", New.Names.spell(V),
                         From->second);
    if (Entry == OldOf.end())
      return New.Names.spell(V) + " " + explainNew(V);
    ValueId Before = Old.Ids[Entry->second];
    if (std::string Sharing = explainSharing(V, Before); !Sharing.empty())
      return New.Names.spell(V) + " " + Sharing;
    if (std::string Live = explainLife(V, Before);
        Text.empty() && !Live.empty())
      Text = New.Names.spell(V) + " " + Live;
  }
  return Text;
}

std::vector<std::string>
GrowthFinder::run(llvm::ArrayRef<GrownGroup> Groups) const {
  std::vector<std::string> Lines;
  for (const GrownGroup &Group : Groups) {
    std::string Text = explain(Group);
    if (Text.empty())
      continue;
    std::string Bytes = humanBytes(Group.Bytes);
    if (Group.Count > 1)
      Bytes += fmt::format(" in {}", Group.Count);
    Lines.push_back(printable(fmt::format("{} {}", Bytes, Text)));
  }
  return Lines;
}

/// What \p New holds at the peak of \p Space beyond what \p Old holds.
static std::vector<GrownGroup> findGrown(const MeasuredProgram &Old,
                                         const MeasuredProgram &New,
                                         const SpaceUse &Before,
                                         const SpaceUse &Space) {
  const std::vector<HeldValue> &Values = New.Memory.heldAtPeak(Space);
  std::vector<ComparedValue> NewValues =
      describeValues(New.Memory, New.Names, Values);
  std::vector<ComparedValue> OldValues =
      describeValues(Old.Memory, Old.Names, Old.Memory.heldAtPeak(Before));
  std::vector<bool> Done(Values.size());
  // The same in a wider type is another value.
  for (auto [I, J] : matchValues(OldValues, NewValues))
    Done[J] = OldValues[I].Bytes >= NewValues[J].Bytes ||
              OldValues[I].elementType() == NewValues[J].elementType();
  const Dump &D = New.Memory.facts().dump();
  std::map<std::string, size_t> Known;
  std::vector<GrownGroup> Groups;
  for (bool IsDone : {false, true})
    for (size_t I = 0; I != Values.size(); ++I) {
      if (Done[I] != IsDone || Values[I].Kind == MemoryKind::Parameter)
        continue;
      // Conversions of several arguments are alike.
      NameId Name = D[Values[I].Value].Tag.Name;
      std::string Key =
          identityOf(statedName(New.Memory.facts(), Name).Inherited
                         ? StringRef(NewValues[I].Opcode)
                         : NewValues[I].operation(),
                     NewValues[I].Called.Source, NewValues[I].PlainShape);
      auto [Entry, IsNew] = Known.try_emplace(Key, Groups.size());
      if (IsNew)
        Groups.emplace_back();
      GrownGroup &Group = Groups[Entry->second];
      if (Group.Values.size() != MaxAlike)
        Group.Values.push_back(Values[I].Value);
      if (IsDone)
        continue;
      ++Group.Count;
      Group.Bytes += Values[I].Bytes;
    }
  llvm::stable_sort(Groups, [](const GrownGroup &X, const GrownGroup &Y) {
    return X.Bytes > Y.Bytes;
  });
  uint64_t Least = (Space.Peak - Before.Peak) / LeastPart;
  llvm::erase_if(Groups, [&](const GrownGroup &Group) {
    return Group.Bytes == 0 || Group.Bytes < Least;
  });
  if (Groups.size() > MaxReasons)
    Groups.resize(MaxReasons);
  return Groups;
}

std::vector<std::string> hlobuf::explainGrowth(const MeasuredProgram &Old,
                                               const MeasuredProgram &New) {
  std::vector<std::string> Lines;
  if (!Old.Memory.isTimed() || !New.Memory.isTimed())
    return Lines;
  for (const SpaceUse &Space : New.Memory.spaces()) {
    const SpaceUse *Before = Old.Memory.space(Space.Color);
    if (!Before || Before->Peak >= Space.Peak)
      continue;
    std::vector<GrownGroup> Groups = findGrown(Old, New, *Before, Space);
    uint64_t Least = ~uint64_t(0);
    std::vector<ValueId> Extra;
    for (const GrownGroup &Group : Groups)
      for (ValueId V : Group.Values) {
        Least = std::min(Least, New.Memory.facts().dump()[V].Size / 2);
        Extra.push_back(V);
      }
    if (Groups.empty())
      continue;
    LargeValues OldValues(Old.Memory, Old.Names, Space.Color, Least, {});
    LargeValues NewValues(New.Memory, New.Names, Space.Color, Least, Extra);
    GrowthFinder Finder(std::move(OldValues), std::move(NewValues));
    for (const SpaceUse &Other : Old.Memory.spaces())
      if (Other.Color != Space.Color)
        Finder.addElsewhere(
            LargeValues(Old.Memory, Old.Names, Other.Color, Least, {}),
            Other.Name);
    llvm::append_range(Lines, Finder.run(Groups));
  }
  return Lines;
}
