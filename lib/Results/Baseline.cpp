// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Results/Baseline.h"
#include "Dump/SyntaxErrors.h"
#include "Support/Format.h"
#include "Support/Json.h"
#include "Support/Sources.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace hlobuf;
namespace json = llvm::json;

Expected<Baseline> Baseline::read(StringRef Path) {
  Sources Texts;
  Expected<StringRef> Text = Texts.open(
      Path, [](StringRef Start) { return Start.ltrim().starts_with("{"); });
  if (!Text)
    return makeError("cannot read '{}': {}", Path,
                     llvm::toString(Text.takeError()));
  Baseline B;
  size_t Number = 0;
  auto Refuse = [&] {
    return makeError("'{}' is not a baseline: see line {}", Path, Number);
  };
  for (StringRef Line : llvm::split(*Text, '\n')) {
    ++Number;
    if (Line.trim().empty())
      continue;
    std::optional<json::Object> Object = parseJsonObject(Line);
    auto Fingerprint = Object ? Object->getString("fingerprint") : std::nullopt;
    auto Count = Object ? Object->getInteger("count") : std::nullopt;
    if (!Fingerprint || !Count || *Count < 0)
      return Refuse();
    StringRef Check = Object->getString("check").value_or("");
    StringRef Module = Object->getString("module").value_or("");
    StringRef Message = Object->getString("message").value_or("");
    // Lines of several files merge by cat.
    Entry &E = B.Entries[Fingerprint->str()];
    E.Check = Check.str();
    E.Module = Module.str();
    E.Message = Message.str();
    E.Count += static_cast<unsigned>(*Count);
  }
  return B;
}

void Baseline::apply(DumpResult &R) {
  Modules.insert(R.Module);
  for (ResultFinding &F : R.Findings) {
    auto Known = Entries.find(F.Fingerprint);
    if (!F.isLoud() || Known == Entries.end() || F.Check == UnreadableCheck)
      continue;
    if (++Known->second.Matches <= Known->second.Count)
      F.Silenced = Silence::Baselined;
  }
}

void Baseline::record(DumpResult &R) {
  for (ResultFinding &F : R.Findings) {
    // Nobody has seen what could not be read.
    if (F.Silenced == Silence::Suppressed || F.Check == UnreadableCheck ||
        F.Uncounted != 0)
      continue;
    Entry &E = Entries[F.Fingerprint];
    if (E.Count++ == 0) {
      E.Check = F.Check;
      E.Module = R.Module;
      E.Message = F.Message;
    }
    F.Silenced = Silence::Baselined;
  }
}

std::vector<std::pair<std::string, const Baseline::Entry *>>
Baseline::sorted() const {
  std::vector<std::pair<std::string, const Entry *>> All;
  for (const auto &[Fingerprint, E] : Entries)
    All.emplace_back(Fingerprint, &E);
  std::ranges::stable_sort(All, {}, [](const auto &Item) {
    return std::tie(Item.second->Check, Item.second->Module);
  });
  return All;
}

std::vector<std::string> Baseline::gone(bool Everything) const {
  std::vector<std::string> Lines;
  for (const auto &[Fingerprint, E] : sorted()) {
    if (E->Matches >= E->Count || (!Everything && !Modules.contains(E->Module)))
      continue;
    unsigned Missing = E->Count - E->Matches;
    Lines.push_back(fmt::format(
        "note: gone from the baseline: {}{}: {} [{}] ({})", E->Module,
        Missing == 1 ? "" : fmt::format(" ({} times)", Missing), E->Message,
        E->Check, Fingerprint));
  }
  return Lines;
}

unsigned Baseline::size() const {
  return static_cast<unsigned>(
      sumOf(llvm::make_second_range(Entries), &Entry::Count));
}

void Baseline::write(raw_ostream &OS) const {
  for (const auto &[Fingerprint, E] : sorted()) {
    json::OStream J(OS);
    J.object([&, Fingerprint = StringRef(Fingerprint), E = E] {
      J.attribute("fingerprint", Fingerprint);
      J.attribute("check", E->Check);
      J.attribute("module", json::fixUTF8(E->Module));
      J.attribute("message", json::fixUTF8(E->Message));
      J.attribute("count", E->Count);
    });
    OS << '\n';
  }
}
