// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// proto-fields.
//
// What an executable says twice it says alike (Proto/RestatedFields.cpp,
// Proto/ExecutableHeader.cpp), and all of it is read (Proto/Fields.def): a
// field that is newer than this tool may change what others mean.

#include "Checks/Check.h"

using namespace hlobuf;

void hlobuf::checkProtoFields(const CheckContext &Ctx, Reporter &Diags) {
  for (const FieldLine &F : Ctx.dump().Fields)
    if (F.Is == FieldLine::Kind::Different)
      Diags.report(F.Text, "{}", F.Text);
    else if (F.Is == FieldLine::Kind::UnreadInProgram)
      Diags.notChecked("fields that are not read: " + F.Text.str());
}
