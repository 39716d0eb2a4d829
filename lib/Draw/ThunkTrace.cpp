// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Draw/ThunkTrace.h"
#include "Support/Format.h"
#include "Thunks/StreamOrder.h"
#include "llvm/Support/JSON.h"
#include <map>

using namespace hlobuf;
using llvm::StringRef;
namespace json = llvm::json;

/// The thunk after the time of each thunk: by index, like the times.
static std::vector<size_t> findEnds(const ThunkGraph &G,
                                    const StreamOrder &Order) {
  const ThunkProgram &T = G.thunks();
  std::vector<size_t> Ends(T.Thunks.size());
  std::map<uint64_t, size_t> DoneOf;
  std::map<uint32_t, size_t> NextOn;
  for (size_t I = Ends.size(); I-- != 0;) {
    ThunkId Id(I);
    const Thunk &Each = T[Id];
    bool IsStart = Each.Kind == ThunkKind::AsyncStart;
    Ends[I] = Each.Sequences.empty() || IsStart ? I + 1 : Each.End;
    ThunkId Start = T[Each.In].Owner;
    if (Each.Kind == ThunkKind::AsyncDone && Each.Execution)
      DoneOf[*Each.Execution] = I;
    // The last thunk of what a start launches.
    if (Start && T[Start].Kind == ThunkKind::AsyncStart &&
        Ends[I] == T[Start].End && T[Start].Execution)
      if (auto Done = DoneOf.find(*T[Start].Execution); Done != DoneOf.end())
        Ends[I] = Done->second;
    uint32_t Stream = Order.streamOf(Id);
    auto [Next, IsLast] = NextOn.try_emplace(Stream, I);
    if (!IsLast && Each.Sequences.empty())
      Ends[I] = std::min(Ends[I], Next->second);
    Next->second = I;
  }
  return Ends;
}

/// What is read and written: `read bytes [0, 32) of allocation 2, which is
/// add.1`.
static json::Array spellSlices(const ThunkGraph &G, ThunkId Id) {
  json::Array Texts;
  ThunkGraph::Holders Near = G.holders(G.instruction(Id));
  for (const ThunkSlice &S : G.thunks().slices(G.thunks()[Id]))
    if (!S.Missing)
      Texts.push_back(json::fixUTF8(fmt::format(
          "{} {}{}", thunkAccessText(S.Access), ThunkGraph::spell(S.Bytes),
          G.spellHolder(S.Bytes, Near))));
  return Texts;
}

static void writeLaneName(StringRef Field, uint32_t Lane, StringRef Name,
                          json::OStream &J) {
  J.value(json::Object{{"name", Field},
                       {"ph", "M"},
                       {"pid", 1},
                       {"tid", Lane},
                       {"args", json::Object{{"name", json::fixUTF8(Name)}}}});
}

void hlobuf::writeThunkTrace(const ThunkGraph &G, StringRef Title,
                             llvm::raw_ostream &OS) {
  const ThunkProgram &T = G.thunks();
  StreamOrder Order(G);
  std::vector<size_t> Ends = findEnds(G, Order);
  std::map<uint32_t, std::string> Lanes;
  json::OStream J(OS);
  auto WriteThunk = [&](ThunkId Id) {
    uint32_t Lane = Order.streamOf(Id);
    Lanes.try_emplace(Lane, T.ForGpu ? Order.spellStream(Lane) : "CPU");
    size_t Time = Id.index();
    StringRef Kind = thunkKindText(T[Id].Kind);
    J.value(json::Object{
        {"name", json::fixUTF8(G.name(Id))},
        {"cat", Kind},
        {"ph", "X"},
        {"pid", 1},
        {"tid", Lane},
        {"ts", static_cast<int64_t>(Time)},
        {"dur", static_cast<int64_t>(Ends[Time] - Time)},
        {"args", json::Object{{"thunk", Kind},
                              {"instruction", json::fixUTF8(G.name(Id))},
                              {"slices", spellSlices(G, Id)}}}});
  };
  J.object([&] {
    J.attributeArray("traceEvents", [&] {
      for (size_t I = 0; I != T.Thunks.size(); ++I)
        if (!G.isEmbedded(ThunkId(I)))
          WriteThunk(ThunkId(I));
      writeLaneName("process_name", 0, Title, J);
      for (const auto &[Lane, Name] : Lanes)
        writeLaneName("thread_name", Lane, Name, J);
    });
  });
  OS << '\n';
}
