// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Memory/Why.h"
#include "Memory/Instructions.h"
#include "Memory/ValueNames.h"
#include "Support/Format.h"
#include "Support/HumanBytes.h"
#include "Support/Printable.h"

using namespace hlobuf;
using llvm::StringRef;

/// Readers, and values in the way, that are listed.
static constexpr size_t MaxListed = 8;

namespace {
class Answerer {
public:
  Answerer(const MemoryUse &Memory, const ValueNames &Names, WhyAnswer &Out)
      : Memory(Memory), D(Memory.facts().dump()), Names(Names), Out(Out) {}

  ValueId find(StringRef Spelled) const;
  void whyLive(ValueId V);
  void whyApart(ValueId V, ValueId Other);
  void whyNotInPlace(ValueId V);

private:
  void say(const std::string &Text) { Out.Lines.push_back(printable(Text)); }
  std::string called(ValueId V) const { return Names.spell(V); }
  std::string reader(const Use &Reader) const;
  void listReaders(ValueId V);
  void explainOperand(ValueId V, ValueId Operand);
  void listInTheWay(ValueId V, ValueId Other);

  const MemoryUse &Memory;
  const Dump &D;
  const ValueNames &Names;
  WhyAnswer &Out;
};
} // namespace

ValueId Answerer::find(StringRef Spelled) const {
  for (uint32_t I = 0; I != D.Values.size(); ++I)
    if (D.spell(ValueId(I)) == Spelled)
      return ValueId(I);
  return ValueId();
}

std::string Answerer::reader(const Use &Reader) const {
  return fmt::format("step {}: {} reads it ({})", Memory.stepOf(Reader.Name),
                     D.Names[Reader.Name],
                     Names.ofInstruction(Reader.Name).text());
}

/// The last ones: they are what keeps the value.
void Answerer::listReaders(ValueId V) {
  std::vector<Use> Readers(Memory.facts().readers(V));
  llvm::stable_sort(Readers, [&](const Use &X, const Use &Y) {
    return Memory.stepOf(X.Name) < Memory.stepOf(Y.Name);
  });
  size_t Hidden = Readers.size() - std::min(Readers.size(), MaxListed);
  if (Hidden != 0)
    say(fmt::format("  {} earlier readers are not listed", Hidden));
  for (const Use &Reader : llvm::ArrayRef(Readers).drop_front(Hidden))
    say("  " + reader(Reader));
  std::optional<StepRange> Range = Memory.range(V);
  if (Range &&
      (Readers.empty() || Memory.stepOf(Readers.back().Name) < Range->End))
    say(fmt::format("  it is live until step {}: {}", Range->End,
                    Memory.kind(V) == MemoryKind::Parameter
                        ? "an argument is held as long as its caller has it"
                    : Range->End == Memory.steps()
                        ? "a result of the program, or in its memory"
                        : "a loop, a branch or an asynchronous operation that "
                          "has it ends there"));
}

/// Why \p V is not written over \p Operand, which has its size.
void Answerer::explainOperand(ValueId V, ValueId Operand) {
  if (D[V].samePlace(D[Operand]))
    return say(
        fmt::format("it is in place: in the bytes of {}", called(Operand)));
  std::optional<StepRange> Written = Memory.range(V);
  std::optional<StepRange> Range = Memory.range(Operand);
  if (Memory.kind(Operand) == MemoryKind::Parameter &&
      !D[D[Operand].Owner].MaybeLiveOut)
    return say(fmt::format("{} is not donated: its bytes must not change",
                           called(Operand)));
  if (!Written || !Range || Range->End <= Written->Start)
    return say(fmt::format("{} is not read afterwards: the operation does not "
                           "work in place, or the compiler gave it another "
                           "place",
                           called(Operand)));
  say(fmt::format("{} is live until step {}, and the result is written at step "
                  "{}:",
                  called(Operand), Range->End, Written->Start));
  listReaders(Operand);
}

/// Of a copy, what it copies counts.
void Answerer::whyNotInPlace(ValueId V) {
  NameId Name = D[V].Tag.Name;
  uint64_t Runs = Names.runsOf(Name);
  say(fmt::format("{} writes {}{}", called(V), humanBytes(D[V].Size),
                  Runs > 1 ? fmt::format(", {} times: {} in all", Runs,
                                         humanBytes(Runs * D[V].Size))
                           : ""));
  bool HasOperand = false;
  NameId Source;
  for (uint32_t I = 0; (Source = findOperand(Memory.facts(), Name, I)); ++I) {
    ValueId Operand = findValue(Memory.facts(), Source);
    if (!Operand || D[Operand].Size != D[V].Size)
      continue;
    HasOperand = true;
    explainOperand(V, Operand);
    if (findOpcode(Memory.facts(), D[Operand].Tag.Name) != Opcode::Copy)
      continue;
    NameId Copied = findOperand(Memory.facts(), D[Operand].Tag.Name, 0);
    if (ValueId Before = findValue(Memory.facts(), Copied)) {
      say(fmt::format("which is a copy, made at step {}:",
                      Memory.stepOf(D[Operand].Tag.Name)));
      explainOperand(Operand, Before);
    }
  }
  if (!HasOperand)
    say("no operand has its size");
}

void Answerer::whyLive(ValueId V) {
  std::optional<StepRange> Range = Memory.range(V);
  const SpaceUse *Space = Memory.space(D[D[V].Owner].color());
  if (!Range || !Space)
    return say(fmt::format("the live range of {} is not known", called(V)));
  say(fmt::format("{}, {}, is live from step {} to {}", called(V),
                  humanBytes(D[V].Size), Range->Start, Range->End));
  say(fmt::format(
      "  the peak of {} is at step {}: {}", Space->Name, Space->PeakStep,
      Memory.isLiveAt(V, Space->PeakStep) ? "it is live there"
                                          : "it is not live there"));
  listReaders(V);
}

/// The values in the place of \p V while \p Other is live.
void Answerer::listInTheWay(ValueId V, ValueId Other) {
  const Allocation &Alloc = D[D[V].Owner];
  ByteSpan Bytes = spanOf(Alloc, D[V]);
  std::optional<StepRange> Range = Memory.range(Other);
  std::vector<std::pair<uint64_t, ValueId>> Others;
  for (ValueId Near : Dump::valueIds(Alloc)) {
    ByteSpan Place = spanOf(Alloc, D[Near]);
    uint64_t Begin = std::max(Place.Begin, Bytes.Begin);
    uint64_t End = std::min(Place.End, Bytes.End);
    std::optional<StepRange> LiveRange = Memory.range(Near);
    if (Begin < End && LiveRange && Range && LiveRange->meets(*Range))
      Others.emplace_back(End - Begin, Near);
  }
  llvm::stable_sort(
      Others, [](const auto &X, const auto &Y) { return X.first > Y.first; });
  if (Others.empty())
    return say("  nothing else is in these bytes then: the order in which the "
               "compiler places values left them free");
  for (const auto &[Shared, Holder] :
       llvm::ArrayRef(Others).take_front(MaxListed))
    say(fmt::format("  {} of these bytes hold {}, live from step {} to {}",
                    humanBytes(Shared), called(Holder),
                    Memory.range(Holder)->Start, Memory.range(Holder)->End));
}

void Answerer::whyApart(ValueId V, ValueId Other) {
  const Value &X = D[V];
  const Value &Y = D[Other];
  if (X.sharesBytes(Y))
    return say(fmt::format("{} and {} share bytes", called(V), called(Other)));
  std::optional<StepRange> First = Memory.range(V);
  std::optional<StepRange> Second = Memory.range(Other);
  if (!First || !Second)
    return say("live ranges are not known");
  if (D[X.Owner].color() != D[Y.Owner].color())
    return say("they are in different memory spaces");
  int32_t From = std::max(First->Start, Second->Start);
  int32_t To = std::min(First->End, Second->End);
  if (From <= To) {
    say(fmt::format("both are live from step {} to {}", From, To));
    bool FirstIsOlder = First->Start <= Second->Start;
    ValueId Older = FirstIsOlder ? V : Other;
    say(fmt::format("{} is needed after the other one begins:", called(Older)));
    return listReaders(Older);
  }
  for (ValueId Each : {V, Other})
    if (Memory.kind(Each) != MemoryKind::Temp)
      return say(fmt::format("{} is in memory of its own: {}", called(Each),
                             kindName(Memory.kind(Each))));
  say(fmt::format(
      "they are not live together: {} until step {}, {} from step {}",
      called(First->End < Second->Start ? V : Other),
      std::min(First->End, Second->End),
      called(First->End < Second->Start ? Other : V),
      std::max(First->Start, Second->Start)));
  listInTheWay(V, Other);
}

WhyAnswer hlobuf::answer(const MemoryUse &Memory, const ValueNames &Names,
                         const WhyQuestion &Question) {
  WhyAnswer Out;
  bool IsPair = Question.Topic == WhyQuestion::Kind::Apart;
  Out.Question =
      "why " + Question.Value +
      (IsPair ? " and " + Question.Other + " are apart"
       : Question.Topic == WhyQuestion::Kind::NotInPlace ? " is not in place"
                                                         : " is live");
  Answerer A(Memory, Names, Out);
  ValueId V = A.find(Question.Value);
  ValueId Other = IsPair ? A.find(Question.Other) : ValueId();
  if (!V || (IsPair && !Other))
    return Out;
  switch (Question.Topic) {
  case WhyQuestion::Kind::Live:
    A.whyLive(V);
    break;
  case WhyQuestion::Kind::Apart:
    A.whyApart(V, Other);
    break;
  case WhyQuestion::Kind::NotInPlace:
    A.whyNotInPlace(V);
  }
  return Out;
}
