// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Draw/SvgLanes.h"
#include "Support/Format.h"
#include "Support/Printable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <set>
#include <tuple>

using namespace hlobuf;
using llvm::StringRef;

// Pixels of a lane: its height, where its thunks begin and end, and the strip
// of what is around others.
static constexpr double LaneHeight = 26;
static constexpr double ThunksTop = 12;
static constexpr double ThunksBottom = 22;
static constexpr double StripHeight = 2;
/// Between the lanes and what is below.
static constexpr double Gap = 6;

static constexpr StringRef LaneStyle = R"svg(<style>
  .compute { fill: #5b7083; } .copy { fill: #2a9d8f; } .transfer { fill: #d97b29; }
  .sync { fill: #23282d; } .control { fill: #b4bac1; } .lane { stroke: #aab; stroke-width: .5; }
  .race { fill: #c81e1e; stroke: #c81e1e; stroke-width: 2; } .red { fill: #c81e1e; font-weight: bold; font-size: 10px; }
  @media (prefers-color-scheme: dark) { .sync { fill: #d5dade; } .control { fill: #565d65; } }
</style>
)svg";

std::string hlobuf::svgText(StringRef Text) {
  std::string Result;
  llvm::raw_string_ostream OS(Result);
  llvm::printHTMLEscaped(printable(Text), OS);
  return Result;
}

double hlobuf::svgLanesHeight(const PictureLanes &L) {
  return L.Names.empty()
             ? 0
             : LaneHeight * static_cast<double>(L.Names.size()) + Gap;
}

namespace {
struct Box {
  double Left, Right, Top, Bottom;
};

class LaneWriter {
public:
  LaneWriter(const PictureLanes &L, llvm::ArrayRef<PictureFinding> Findings,
             const SvgAxis &Axis, double Top, llvm::raw_ostream &OS)
      : L(L), Findings(Findings), Axis(Axis), Top(Top), OS(OS) {}

  void run();

private:
  Box box(const PictureThunk &T) const;
  void writeThunk(const PictureThunk &T, StringRef Class);
  void writeRace(const PictureRace &Race);

  const PictureLanes &L;
  llvm::ArrayRef<PictureFinding> Findings;
  const SvgAxis &Axis;
  double Top;
  llvm::raw_ostream &OS;
};
} // namespace

Box LaneWriter::box(const PictureThunk &T) const {
  double Lane = Top + LaneHeight * T.Lane;
  double Left = Axis.toX(T.First);
  double Right = std::max(Left + 1, Axis.toX(T.Last + 1));
  if (groupOf(T.Kind) == "control")
    return {Left, Right, Lane + ThunksBottom,
            Lane + ThunksBottom + StripHeight};
  return {Left, Right, Lane + ThunksTop, Lane + ThunksBottom};
}

void LaneWriter::writeThunk(const PictureThunk &T, StringRef Class) {
  Box At = box(T);
  OS << fmt::format("<rect class=\"{}\" x=\"{:.2f}\" y=\"{:.2f}\" "
                    "width=\"{:.2f}\" height=\"{:.2f}\"><title>{}\n{}, {}, "
                    "steps {} to {}</title></rect>\n",
                    Class, At.Left, At.Top, At.Right - At.Left,
                    At.Bottom - At.Top, svgText(T.Name), thunkKindText(T.Kind),
                    L.Names[T.Lane], T.First, T.Last);
}

/// Both thunks, and a line between them: where both run, if they do.
void LaneWriter::writeRace(const PictureRace &Race) {
  Box X = box(L.Thunks[Race.First]);
  Box Y = box(L.Thunks[Race.Second]);
  if (X.Top > Y.Top)
    std::swap(X, Y);
  double Left = std::max(X.Left, Y.Left);
  double Right = std::min(X.Right, Y.Right);
  auto Middle = [&](const Box &B) {
    return Left <= Right ? (Left + Right) / 2 : (B.Left + B.Right) / 2;
  };
  writeThunk(L.Thunks[Race.First], "race");
  writeThunk(L.Thunks[Race.Second], "race");
  OS << fmt::format("<line class=\"race\" x1=\"{:.2f}\" y1=\"{:.2f}\" "
                    "x2=\"{:.2f}\" y2=\"{:.2f}\"><title>{}</title></line>\n",
                    Middle(X), X.Bottom, Middle(Y), Y.Top,
                    svgText(Findings[Race.Finding].Message));
  OS << fmt::format(
      "<text class=\"red\" x=\"{:.2f}\" y=\"{:.2f}\">race</text>\n",
      (Middle(X) + Middle(Y)) / 2 + 5, (X.Bottom + Y.Top) / 2 + 3);
}

void LaneWriter::run() {
  OS << LaneStyle;
  for (size_t I = 0; I != L.Names.size(); ++I) {
    double Lane = Top + LaneHeight * static_cast<double>(I);
    OS << fmt::format("<text class=\"faint\" x=\"{0:.2f}\" y=\"{1:.2f}\">{2}"
                      "</text><line class=\"lane\" x1=\"{0:.2f}\" "
                      "x2=\"{3:.2f}\" y1=\"{4:.2f}\" y2=\"{4:.2f}\"/>\n",
                      Axis.Left, Lane + 9, svgText(L.Names[I]),
                      Axis.toX(Axis.Steps), Lane + LaneHeight - 1);
  }
  std::set<std::tuple<double, int, int>> Drawn;
  for (const PictureThunk &T : L.Thunks) {
    Box At = box(T);
    if (Drawn
            .insert(
                {At.Top, static_cast<int>(At.Left), static_cast<int>(At.Right)})
            .second)
      writeThunk(T, groupOf(T.Kind));
  }
  std::set<std::pair<uint32_t, uint32_t>> Raced;
  for (const PictureRace &Race : L.Races)
    if (Raced.insert({Race.First, Race.Second}).second)
      writeRace(Race);
}

void hlobuf::writeSvgLanes(const PictureLanes &L,
                           llvm::ArrayRef<PictureFinding> Findings,
                           const SvgAxis &Axis, double Top,
                           llvm::raw_ostream &OS) {
  if (!L.Names.empty())
    LaneWriter(L, Findings, Axis, Top, OS).run();
}
