// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What only protos hold.

#include "Proto/ProtoText.h"
#include "Proto/ThunkText.h"
#include "Support/Format.h"

using namespace hlobuf;

static std::string tagOf(const HloProto &P, int64_t Id) {
  const ProtoBuffer *B = P.Assignment.buffer(Id);
  return B ? valueTag(P, *B) : fmt::format("<{} ? @0>", Id);
}

static void printTrace(const HloProto &P, const ProtoTrace &T, TextSink &To) {
  To.Out +=
      fmt::format("Heap simulator trace of allocation {}:\n", T.Allocation);
  for (const ProtoEvent &Event : T.Events) {
    switch (Event.What) {
    case ProtoEvent::Alloc:
      To.Out += fmt::format(" alloc {}\n", tagOf(P, Event.Buffer));
      break;
    case ProtoEvent::Free:
      To.Out += fmt::format(" free {}\n", tagOf(P, Event.Buffer));
      break;
    case ProtoEvent::Share:
      To.Out += fmt::format(" share {} with {}\n", tagOf(P, Event.Buffer),
                            tagOf(P, Event.With));
      break;
    default:
      To.Out += fmt::format(" event {}\n", Event.What);
    }
    if (To.stopped())
      return;
  }
}

void hlobuf::printTraces(const HloProto &P, TextSink &To) {
  const ProtoAssignment &A = P.Assignment;
  if (A.Traces.empty() && A.Peaks.empty() && A.Aliases.empty())
    return;
  To.Out += "HeapSimulatorTraces:\n";
  for (const ProtoTrace &T : A.Traces)
    printTrace(P, T, To);
  for (const ProtoPeak &Peak : A.Peaks) {
    To.Out +=
        fmt::format("Values at the peak of allocation {}:\n", Peak.Allocation);
    for (int64_t Id : Peak.Buffers) {
      To.Out += fmt::format(" {}\n", tagOf(P, Id));
      if (To.stopped())
        return;
    }
  }
  if (!A.Aliases.empty())
    To.Out += "Aliases:\n";
  for (const ProtoAlias &Alias : A.Aliases) {
    const ProtoInstruction *I = P.Module.instruction(Alias.Place.Instruction);
    To.Out += fmt::format(" {}: {} {}\n", tagOf(P, Alias.Buffer),
                          I ? plainName(I->Name) : plainName(Alias.Place.Name),
                          indexText(Alias.Place.Index));
    if (To.stopped())
      return;
  }
}

llvm::Expected<ProtoTexts> hlobuf::printTexts(const HloProto &P) {
  ProtoTexts Texts;
  // Names and shapes are printed again where they are named; real texts have
  // three times the bytes of their proto.
  constexpr size_t Least = size_t(1) << 24;
  constexpr size_t Factor = 64;
  using PrintFn = void (*)(const HloProto &, TextSink &);
  const std::pair<PrintFn, std::string *> Parts[] = {
      {printAssignment, &Texts.Assignment},
      {[](const HloProto &From, TextSink &To) { printModule(From.Module, To); },
       &Texts.Module},
      {printTraces, &Texts.Traces},
      {printThunks, &Texts.Thunks}};
  for (auto [Print, Text] : Parts) {
    TextSink To;
    To.Limit = std::max(Least, P.Module.Bytes.size() * Factor);
    Print(P, To);
    if (To.Damaged)
      return makeError("the protocol buffer is damaged in a {}", To.Damaged);
    if (To.Out.size() > To.Limit)
      return makeError("the text of the protocol buffer would be too large");
    *Text = std::move(To.Out);
  }
  return std::move(Texts);
}
