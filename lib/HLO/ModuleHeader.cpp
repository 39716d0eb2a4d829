// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HLO/AttributeSyntax.h"
#include "HLO/InstructionParser.h"
#include "HLO/ModuleReader.h"
#include "Support/Format.h"

using namespace hlobuf;

/// Takes `{ ITEM, ITEM }` into \p Rows, each with its text; \p Take reads one.
template <typename Item, typename TakeItem>
static bool readItems(StringRef Text, std::vector<Item> &Rows, TakeItem Take) {
  Scanner Items(Text);
  bool Good = Items.literal("{ ");
  do {
    Item Row;
    StringRef Before = Items.rest();
    Good = Good && Take(Items, Row);
    Row.Text = Before.drop_back(Items.rest().size());
    Rows.push_back(Row);
  } while (Good && Items.literal(", "));
  return Good && Items.literal(" }") && Items.atEnd();
}

/// `{ {}: (0, {}, may-alias), {1}: (1, {0}, must-alias) }`
static bool readAliases(StringRef Text, HloTables Tables, HloModule &M) {
  return readItems(Text, M.Aliases, [&](Scanner &Items, HloAlias &Alias) {
    return Tables.Indices.parse(Items, Alias.Output, true) &&
           Items.literal(": (") && Items.number(Alias.Parameter) &&
           Items.literal(", ") &&
           Tables.Indices.parse(Items, Alias.Index, true) &&
           (Items.literal(')') || Items.literal(", may-alias)") ||
            Items.literal(", must-alias)"));
  });
}

/// `{ (0, {}), (1, {0}) }`
static bool readDonors(StringRef Text, HloTables Tables, HloModule &M) {
  return readItems(Text, M.Donors, [&](Scanner &Items, HloDonor &Donor) {
    return Items.literal('(') && Items.number(Donor.Parameter) &&
           Items.literal(", ") &&
           Tables.Indices.parse(Items, Donor.Index, true) && Items.literal(')');
  });
}

/// `{(f32[4]{0}, /*index=1*/f32[])->f32[4]{0}}`; until 2023 without spaces.
static bool readEntryLayout(StringRef Text, HloTables Tables, HloModule &M) {
  Scanner Items(Text);
  if (!Items.literal("{("))
    return false;
  while (!Items.rest().starts_with(")")) {
    if (Items.literal("/*"))
      Items = Scanner(Items.rest().split("*/").second);
    ShapeId Shape = Tables.Shapes.parse(Items);
    M.EntryParameters.push_back(Shape);
    if (!Shape || (!Items.literal(',') && Items.front() != ')'))
      return false;
    Items.literal(' ');
  }
  if (Items.literal(")->"))
    M.EntryResult = Tables.Shapes.parse(Items);
  return M.EntryResult && Items.literal('}') && Items.atEnd();
}

/// `{true,false}`, one for each parameter, or for each part of the result.
static bool isFlagList(StringRef Text) {
  if (!Text.consume_front("{") || !Text.consume_back("}"))
    return false;
  SmallVector<StringRef, 8> Items;
  Text.split(Items, ',');
  return Text.empty() || llvm::all_of(Items, [](StringRef Item) {
           return isFlag(Item.ltrim());
         });
}

/// False if \p Value is not what \p Key can have; true for other keys.
static bool readKey(StringRef Key, StringRef Value, HloTables Tables,
                    HloModule &M) {
  if (Key == "is_scheduled") {
    M.Scheduled = Value == "true";
    return isFlag(Value);
  }
  if (Key == "input_output_alias")
    return readAliases(Value, Tables, M);
  if (Key == "buffer_donor")
    return readDonors(Value, Tables, M);
  if (Key == "entry_computation_layout")
    return readEntryLayout(Value, Tables, M);
  if (Key == "alias_passthrough_params")
    return isFlag(Value);
  if (Key == "allow_spmd_sharding_propagation_to_parameters" ||
      Key == "allow_spmd_sharding_propagation_to_output")
    return isFlag(Value) || isFlagList(Value);
  uint64_t Count = 0;
  if (Key == "num_partitions" || Key == "replica_count")
    return !Value.getAsInteger(10, Count);
  static constexpr StringRef Others[] = {
      "backend_config", "frontend_attributes", "origin_recovery_table"};
  if (M.UnknownKey.empty() && !llvm::is_contained(Others, Key))
    M.UnknownKey = Key;
  return true;
}

void hlobuf::readHeaderKeys(StringRef Text, HloTables Tables, HloModule &M,
                            function_ref<void(StringRef, std::string)> Refuse) {
  SmallVector<StringRef, 16> Known;
  StringRef Key;
  while (takeAttributeKey(Text, Key)) {
    StringRef Value = takeAttributeValue(Text);
    if (Value.begin() == Key.end())
      Refuse(Key, "expected 'key=value'");
    else if (llvm::is_contained(Known, Key))
      Refuse(Key, fmt::format("the header has '{}' twice", Key));
    else if (!readKey(Key, Value, Tables, M))
      Refuse(Value, fmt::format("cannot parse {}", Key));
    Known.push_back(Key);
  }
  if (!Text.empty())
    Refuse(Text, "expected ', key=value'");
}
