// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text after ` from instruction:` is the defining instruction printed by
// HloInstruction::ToString (hlo_value.cc, 2021-09-23 on): it begins with the
// value's own name, never with `ROOT `, and is the same, byte for byte, for
// every value that the instruction defines. No exception is known.

#include "Checks/Values/UsedRows.h"

using namespace hlobuf;
using llvm::ArrayRef;
using llvm::StringRef;

/// Where \p Text stops to be \p Other, widened to whole words.
static StringRef difference(StringRef Text, StringRef Other) {
  auto IsWord = [](char C) {
    return llvm::isAlnum(C) || C == '_' || C == '.' || C == '-';
  };
  size_t Shorter = std::min(Text.size(), Other.size());
  size_t Begin = 0;
  while (Begin != Shorter && Text[Begin] == Other[Begin])
    ++Begin;
  size_t Tail = 0;
  while (Tail != Shorter - Begin &&
         Text[Text.size() - 1 - Tail] == Other[Other.size() - 1 - Tail])
    ++Tail;
  size_t End = Text.size() - Tail;
  while (Begin != 0 && IsWord(Text[Begin - 1]))
    --Begin;
  while (End != Text.size() && IsWord(Text[End]))
    ++End;
  return Text.slice(Begin, End);
}

/// The text begins with the name of the value's instruction.
static bool checkName(const CheckContext &Ctx, Reporter &Diags, UsedId U) {
  const Dump &D = Ctx.dump();
  StringRef Name = D.Names[D[U].Tag.Name];
  StringRef Rest = D.text(D[U]);
  StringRef Line = Rest;
  bool Root = Rest.consume_front("ROOT ");
  Rest.consume_front("%");
  StringRef Stated = Rest.take_until([](char C) { return C == ' '; });
  if (!Root && Stated == Name)
    return true;
  Finding F =
      Root ? Diags.report(
                 Line.take_front(4),
                 "the text of {} begins with ROOT, which only modules print",
                 Name)
           : Diags.report(Stated,
                          "the text describes {}, but the value is "
                          "defined by {}",
                          Stated, Name);
  F.note(Ctx.places().tag(D[U]).Whole, "the value").about(D[U].Tag.Name);
  if (ValueId V = Ctx.valueOf(U))
    F.about(V);
  return false;
}

/// The text that most values of one instruction have; the first one's if no
/// text has more than half of them.
static uint32_t pickCommon(const Dump &D, ArrayRef<uint32_t> Group) {
  uint32_t Leader = Group.front();
  size_t Votes = 0;
  for (uint32_t U : Group) {
    if (Votes == 0)
      Leader = U;
    bool Same = D.text(D.Used[U]) == D.text(D.Used[Leader]);
    Votes = Same ? Votes + 1 : Votes - 1;
  }
  return Votes == 0 ? Group.front() : Leader;
}

/// All values of one instruction have the same text.
static void compareTexts(const CheckContext &Ctx, Reporter &Diags,
                         ArrayRef<uint32_t> Group) {
  const Dump &D = Ctx.dump();
  StringRef First = D.text(D.Used[Group.front()]);
  if (llvm::all_of(Group,
                   [&](uint32_t U) { return D.text(D.Used[U]) == First; }))
    return;
  uint32_t Leader = pickCommon(D, Group);
  StringRef Common = D.text(D.Used[Leader]);
  for (uint32_t U : Group) {
    StringRef Text = D.text(D.Used[U]);
    if (Text == Common)
      continue;
    StringRef Here = difference(Text, Common);
    StringRef There = difference(Common, Text);
    Finding F = Diags.report(
        Here, "the text of {} says '{}' here, but '{}' at {}",
        D.Names[D.Used[U].Tag.Name], Here.take_front(80), There.take_front(80),
        Ctx.places().tag(D.Used[Leader]).Whole);
    F.note(There, "the other text").about(D.Used[U].Tag.Name);
    if (ValueId V = Ctx.valueOf(UsedId(U)))
      F.about(V);
  }
}

void hlobuf::checkInstructionText(const CheckContext &Ctx, Reporter &Diags) {
  const Dump &D = Ctx.dump();
  std::vector<bool> Wrong(D.Names.size(), false);
  for (uint32_t U = 0; U != D.Used.size(); ++U)
    if (D.Used[U].TextNamesOther && !checkName(Ctx, Diags, UsedId(U)))
      Wrong[D.Used[U].Tag.Name.index()] = true;
  for (uint32_t Name = 0; Name != D.Names.size(); ++Name) {
    ArrayRef<uint32_t> Group = Ctx.usedOfInstruction(NameId(Name));
    if (Group.size() > 1 && !Wrong[Name])
      compareTexts(Ctx, Diags, Group);
  }
}
