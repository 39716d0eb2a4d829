// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Memory/Why.h"
#include "Support/Format.h"
#include "Support/HumanBytes.h"
#include "Support/Printable.h"

using namespace hlobuf;

/// Readers that are listed.
static constexpr size_t MaxListed = 8;

std::string hlobuf::whatKeeps(const MemoryUse &Memory, const ValueNames &Names,
                              ValueId V) {
  std::optional<StepRange> Range = Memory.range(V);
  if (!Range)
    return "";
  NameId Last = Memory.lastReader(V);
  if (Last && Memory.stepOf(Last) >= Range->End)
    return fmt::format("{} reads it at step {}", Names.spellInstruction(Last),
                       Memory.stepOf(Last));
  if (Memory.kind(V) == MemoryKind::Parameter)
    return "an argument is held as long as its caller has it";
  return Range->End == Memory.steps()
             ? "a result of the program, or in its memory"
             : "a loop, a branch or an asynchronous operation that has it ends "
               "there";
}

static ValueId findSpelled(const Dump &D, StringRef Spelled) {
  for (ValueId V : ids<ValueId>(D.Values.size()))
    if (D.spell(V) == Spelled)
      return V;
  return ValueId();
}

/// The last ones: they are what keeps the value.
static void listReaders(const MemoryUse &Memory, const ValueNames &Names,
                        ValueId V, std::vector<std::string> &Lines) {
  std::vector<Use> Readers(Memory.facts().readers(V));
  std::ranges::stable_sort(Readers, {},
                           [&](const Use &X) { return Memory.stepOf(X.Name); });
  size_t Hidden = Readers.size() - std::min(Readers.size(), MaxListed);
  if (Hidden != 0)
    Lines.push_back(fmt::format("  {} earlier readers are not listed", Hidden));
  for (const Use &Reader : ArrayRef(Readers).drop_front(Hidden))
    Lines.push_back(fmt::format("  step {}: {} reads it ({})",
                                Memory.stepOf(Reader.Name),
                                Memory.facts().dump().Names[Reader.Name],
                                Names.ofInstruction(Reader.Name).text()));
  std::optional<StepRange> Range = Memory.range(V);
  if (Range &&
      (Readers.empty() || Memory.stepOf(Readers.back().Name) < Range->End))
    Lines.push_back(fmt::format("  it is live until step {}: {}", Range->End,
                                whatKeeps(Memory, Names, V)));
}

WhyAnswer hlobuf::whyLive(const MemoryUse &Memory, const ValueNames &Names,
                          StringRef Spelled) {
  const Dump &D = Memory.facts().dump();
  WhyAnswer Out;
  Out.Question = fmt::format("why {} is live", Spelled);
  ValueId V = findSpelled(D, Spelled);
  if (!V)
    return Out;
  std::optional<StepRange> Range = Memory.range(V);
  const SpaceUse *Space = Memory.space(D[D[V].Owner].color());
  if (!Range || !Space) {
    Out.Lines.push_back(printable(
        fmt::format("the live range of {} is not known", Names.spell(V))));
    return Out;
  }
  Out.Lines.push_back(fmt::format("{}, {}, is live from step {} to {}",
                                  Names.spell(V), humanBytes(D[V].Size),
                                  Range->Start, Range->End));
  Out.Lines.push_back(fmt::format(
      "  the peak of {} is at step {}: {}", Space->Name, Space->PeakStep,
      Memory.isLiveAt(V, Space->PeakStep) ? "it is live there"
                                          : "it is not live there"));
  listReaders(Memory, Names, V, Out.Lines);
  for (std::string &Line : Out.Lines)
    Line = printable(Line);
  return Out;
}
