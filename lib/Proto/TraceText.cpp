// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What only protos hold.

#include "Proto/FieldWalk.h"
#include "Proto/ProtoText.h"
#include "Proto/Wire.h"
#include "Support/Format.h"

using namespace hlobuf;

/// A HeapSimulatorTrace.
static void printTrace(const HloProto &P, StringRef Trace, TextSink &To) {
  static constexpr StringRef Kinds[] = {"alloc", "free", "share"};
  To.Out += fmt::format("Heap simulator trace of allocation {}:\n",
                        numberAt(Trace, 3));
  bool Good = forEachMessage(Trace, 1, [&](StringRef Event) {
    int64_t Kind = 0, Buffer = 0, Other = 0;
    if (!readFields(Event, into(1, Kind), into(2, Buffer), into(5, Other)))
      To.damaged("its HeapSimulatorTrace.Event");
    if (To.stopped())
      return;
    if (Kind < 0 || Kind >= static_cast<int64_t>(std::size(Kinds))) {
      To.Out += fmt::format(" event {}\n", Kind);
      return;
    }
    ((To.Out += ' ') += Kinds[Kind]) += ' ';
    appendValueTag(To.Out, P, Buffer);
    if (Kinds[Kind] == "share")
      appendValueTag(To.Out += " with ", P, Other);
    To.Out += '\n';
  });
  if (!Good)
    To.damaged("its HeapSimulatorTrace");
}

/// A PeakBuffers: the values at the peak of an allocation (2026 on).
static void printPeak(const HloProto &P, StringRef Peak, TextSink &To) {
  int64_t Allocation = 0;
  SmallVector<int64_t, 0> Buffers;
  if (!readFields(Peak, into(1, Allocation), into(2, Buffers)))
    To.damaged("its PeakBuffers");
  To.Out += fmt::format("Values at the peak of allocation {}:\n", Allocation);
  for (int64_t Id : Buffers) {
    if (To.stopped())
      return;
    appendValueTag(To.Out += ' ', P, Id);
    To.Out += '\n';
  }
}

/// A BufferAlias: another place of a value's bytes.
static void printAlias(const HloProto &P, StringRef Alias, TextSink &To) {
  int64_t Buffer = 0;
  ProtoLocation Place;
  bool Good = true;
  if (!readFields(Alias, into(1, Buffer), into(2, [&](StringRef Location) {
                    Good &= readLocation(Location, Place);
                  })))
    To.damaged("its BufferAlias");
  if (!Good)
    To.damaged("its LogicalBufferProto.Location");
  const ProtoInstruction *I = P.Module.instruction(Place.Instruction);
  appendValueTag(To.Out += ' ', P, Buffer);
  appendName(To.Out += ": ", I ? I->Name : Place.Name);
  ((To.Out += ' ') += indexText(Place.Index)) += '\n';
}

static void printUnread(StringRef Key, const FieldWalk &Walk, TextSink &To) {
  if (std::string Text = Walk.unread(); !Text.empty())
    ((To.Out += Key) += Text) += '\n';
}

/// Fields that nobody reads, and those that contradict others.
static void printFields(const HloProto &P, TextSink &To) {
  To.Out += "Fields:\n";
  FieldWalk Program;
  Program.walk(FieldType::HloModule, P.Module.Bytes);
  Program.walk(FieldType::BufferAssignment, P.Assignment.Bytes);
  auto Report = [&](const std::string &Text) {
    ((To.Out += " different: ") += Text) += '\n';
  };
  FieldWalk Around;
  FieldRows Done;
  if (P.Header.data())
    Done = compareHeader(P, Around, Report);
  if (P.Thunks.Overridden)
    To.Out += " unread around it: xla.SplitProtoManifest\n";
  bool OfCpu = P.Thunks.Target == ThunkSource::Backend::CPU;
  if (OfCpu && P.Result.empty()) {
    To.Out += " unread around it: xla.cpu.CompilationResultProto\n";
  } else if (P.Thunks.Target != ThunkSource::Backend::None) {
    if (OfCpu)
      Around.walk(FieldType::CpuCompilationResult, P.Result);
    else
      Around.walk(FieldType::GpuExecutable, P.Thunks.Parts);
    Done.merge(compareFields(P, Report));
    Program.settle(Done);
    Around.settle(Done);
  }
  printUnread(" unread in the program: ", Program, To);
  printUnread(" unread around it: ", Around, To);
}

void hlobuf::printTraces(const HloProto &P, TextSink &To) {
  using PrintFn = void (*)(const HloProto &, StringRef, TextSink &);
  auto PrintAll = [&](uint32_t Field, StringRef Heading, PrintFn Print) {
    forEachMessage(P.Assignment.Bytes, Field, [&](StringRef Message) {
      if (To.stopped())
        return;
      To.Out += Heading;
      Heading = "";
      Print(P, Message, To);
    });
  };
  To.Out += "HeapSimulatorTraces:\n";
  PrintAll(4, "", printTrace);
  PrintAll(5, "", printPeak);
  PrintAll(2, "Aliases:\n", printAlias);
  printFields(P, To);
}

Expected<ProtoTexts> hlobuf::printTexts(const HloProto &P) {
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
      return makeError("the protocol buffer is damaged in {}", To.Damaged);
    if (To.Out.size() > To.Limit)
      return makeError("the text of the protocol buffer would be too large");
    *Text = std::move(To.Out);
  }
  return std::move(Texts);
}
