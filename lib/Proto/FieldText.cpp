// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What fields of a proto are not read, or contradict others.

#include "Proto/FieldWalk.h"
#include "Proto/ProtoText.h"

using namespace hlobuf;

static void printUnread(StringRef Key, const FieldWalk &Walk, TextSink &To) {
  if (std::string Text = Walk.unread(); !Text.empty())
    ((To.Out += Key) += Text) += '\n';
}

void hlobuf::printFields(const HloProto &P, TextSink &To) {
  To.Out += "Fields:\n";
  FieldWalk Program;
  Program.walk(FieldType::HloModule, P.Module.Bytes);
  Program.walk(FieldType::BufferAssignment, P.Assignment.Bytes);
  printUnread(" unread in the program: ", Program, To);
  if (P.Thunks.Target == ThunkSource::Backend::None)
    return;
  if (P.Thunks.Target == ThunkSource::Backend::CPU && P.Result.empty()) {
    To.Out += " unread around it: xla.cpu.CompilationResultProto\n";
    return;
  }
  FieldWalk Around;
  if (P.Thunks.Target == ThunkSource::Backend::CPU)
    Around.walk(FieldType::CpuCompilationResult, P.Result);
  else
    for (StringRef Part : P.Thunks.Parts)
      Around.walk(FieldType::GpuExecutable, Part);
  printUnread(" unread around it: ", Around, To);
  compareFields(P, [&](const std::string &Text) {
    ((To.Out += " different: ") += Text) += '\n';
  });
}
