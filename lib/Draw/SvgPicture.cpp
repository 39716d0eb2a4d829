// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A panel for each memory space: live bytes above, blocks below, the
// allocations stacked. No script; titles of rectangles are what a viewer shows
// as tips.

#include "Draw/PictureWriters.h"
#include "Draw/SvgLanes.h"
#include "Support/Format.h"
#include "Support/HumanBytes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/raw_ostream.h"
#include <set>
#include <tuple>

using namespace hlobuf;
using llvm::StringRef;

// Pixels.
static constexpr double Width = 1200;
static constexpr double Margin = 12;
static constexpr double CurveHeight = 80;
static constexpr double BlocksHeight = 420;
static constexpr double Heading = 34;
static constexpr double PanelHeight = Heading + CurveHeight + BlocksHeight + 24;
static constexpr double DrawnWidth = Width - 2 * Margin;
/// A finding is drawn at least as large as this.
static constexpr double LeastMark = 9;

static constexpr StringRef Style = R"svg(<style>
  svg { background: #fff; color: #1c2126; font: 12px system-ui, sans-serif; }
  text { fill: currentColor; } .faint { opacity: .65; font-size: 10px; }
  rect { stroke: #fff; stroke-width: .4; } .frame { fill: none; stroke: #aab; }
  .temp { fill: #7fb2e5; } .parameter { fill: #9fd39b; } .live-out { fill: #f2c14e; }
  .constant { fill: #c9b3e6; } .other { fill: #c3c8ce; }
  .live { fill: #7fb2e5; } .peak { stroke: #c81e1e; stroke-dasharray: 4 3; }
  .finding { fill: url(#hatch); stroke: #c81e1e; stroke-width: 1.5; }
  .named { fill: none; stroke: #c81e1e; stroke-width: 1; }
  @media (prefers-color-scheme: dark) {
    svg { background: #14171a; color: #e6e9ec; } rect { stroke: #14171a; }
    .temp, .live { fill: #2f6da8; } .parameter { fill: #3f7f46; } .live-out { fill: #a37410; }
    .constant { fill: #6d519c; } .other { fill: #5b636c; }
  }
</style>
<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
  <line x1="0" y1="0" x2="0" y2="6" stroke="#c81e1e" stroke-width="2.5"/></pattern></defs>
)svg";

namespace {
class SvgWriter {
public:
  SvgWriter(const Picture &P, const Facts &DumpFacts, llvm::raw_ostream &OS)
      : P(P), D(DumpFacts.dump()), OS(OS), Axis{Margin, DrawnWidth, P.Steps} {}

  void run();

private:
  double place(const PictureSpace &S);
  double toX(int32_t Step) const { return Axis.toX(Step); }
  double toY(double Address) const {
    return Top + Heading + CurveHeight + BlocksHeight * (1 - Address / Total);
  }
  void writeCurve(const PictureSpace &S);
  size_t writeBlocks(const PictureSpace &S);
  void writeBlock(const PictureBlock &B);
  void writeFindings(const PictureSpace &S);
  void writePanel(const PictureSpace &S);
  void writeLegend();

  const Picture &P;
  const Dump &D;
  llvm::raw_ostream &OS;
  SvgAxis Axis;
  /// Of the panel at hand.
  double Top = 0;
  double Total = 1;
  /// Where each allocation of it begins.
  llvm::DenseMap<uint32_t, double> Bases;
};
} // namespace

/// Stacks the allocations of \p S: temps first, then the others, large ones
/// first.
double SvgWriter::place(const PictureSpace &S) {
  std::vector<uint32_t> Order;
  for (size_t I = 0; I != D.Allocations.size(); ++I)
    if (D.Allocations[I].color() == S.Color && !D.Allocations[I].ThreadLocal)
      Order.push_back(static_cast<uint32_t>(I));
  auto Key = [&](uint32_t I) {
    const Allocation &Alloc = D.Allocations[I];
    return std::tuple(kindOf(Alloc) != MemoryKind::Temp, ~Alloc.Size, I);
  };
  llvm::sort(Order, [&](uint32_t X, uint32_t Y) { return Key(X) < Key(Y); });
  double Base = 0;
  Bases.clear();
  for (uint32_t I : Order) {
    Bases[I] = Base;
    Base += static_cast<double>(D.Allocations[I].Size);
  }
  return std::max(1.0, Base);
}

/// Steps that share a pixel are one point: the most of them.
void SvgWriter::writeCurve(const PictureSpace &S) {
  double Most = std::max<double>(1, static_cast<double>(S.peak()));
  double Bottom = Top + Heading + CurveHeight;
  size_t Points = std::min<size_t>(S.Held.size(), 1000);
  OS << fmt::format("<path class=\"live\" d=\"M{:.2f} {:.2f}", toX(0), Bottom);
  for (size_t I = 0; I != Points; ++I) {
    size_t First = S.Held.size() * I / Points;
    size_t End = S.Held.size() * (I + 1) / Points;
    uint64_t Bytes =
        *std::max_element(S.Held.begin() + First, S.Held.begin() + End);
    OS << fmt::format(" V{:.2f} H{:.2f}",
                      Bottom - CurveHeight * static_cast<double>(Bytes) / Most,
                      toX(static_cast<int32_t>(End)));
  }
  OS << fmt::format(" V{:.2f} Z\"/>\n", Bottom);
  double X = (toX(S.PeakStep) + toX(S.PeakStep + 1)) / 2;
  OS << fmt::format("<line class=\"peak\" x1=\"{0:.2f}\" y1=\"{1:.2f}\" "
                    "x2=\"{0:.2f}\" y2=\"{2:.2f}\"/>\n",
                    X, Top + Heading, Bottom + BlocksHeight);
}

void SvgWriter::writeBlock(const PictureBlock &B) {
  const Value &V = D[representative(D, P, B)];
  llvm::ArrayRef<ValueId> Values = P.values(B);
  double Base = Bases.lookup(B.Owner.index());
  double Low = toY(Base + static_cast<double>(B.Offset));
  double High = toY(Base + static_cast<double>(B.end()));
  OS << fmt::format("<rect class=\"{}\" id=\"v{}\" x=\"{:.2f}\" y=\"{:.2f}\" "
                    "width=\"{:.2f}\" height=\"{:.2f}\"><title>",
                    kindName(kindOf(D[B.Owner])), Values.front().index(),
                    toX(B.First), High, toX(B.Last + 1) - toX(B.First),
                    Low - High);
  for (size_t I = 0; I != Values.size(); ++I)
    OS << (I ? " = " : "")
       << svgText(D.spell(D[Values[I]].Tag.Name, D[Values[I]].Tag.Index));
  OS << fmt::format("\n{}\n{}, offset {} of allocation {}, steps {} to {}",
                    V.Shape ? svgText(D.Shapes.text(V.Shape)) : "",
                    humanBytes(B.Size), B.Offset, D[B.Owner].Index, B.First,
                    B.Last);
  const PictureName &Name = P.Names[static_cast<size_t>(&B - P.Blocks.data())];
  llvm::SmallString<64> Room;
  for (PictureText Each : {Name.OpName, Name.Source})
    if (StringRef Text = P.Texts.spell(Each, Room); !Text.empty())
      OS << '\n' << svgText(Text);
  OS << "</title></rect>\n";
}

/// How many blocks are too small to be drawn: thinner than a twentieth of a
/// pixel, or smaller than a fourth.
size_t SvgWriter::writeBlocks(const PictureSpace &S) {
  size_t Small = 0;
  for (const PictureBlock &B : P.Blocks) {
    if (D[B.Owner].color() != S.Color)
      continue;
    double W = toX(B.Last + 1) - toX(B.First);
    double H = BlocksHeight * static_cast<double>(B.Size) / Total;
    if (H < 0.05 || W * H < 0.25)
      ++Small;
    else
      writeBlock(B);
  }
  return Small;
}

void SvgWriter::writeFindings(const PictureSpace &S) {
  for (const PictureFinding &F : P.Findings)
    for (const PictureMark &M : F.Marks) {
      if (D[M.Owner].color() != S.Color)
        continue;
      double Base = Bases.lookup(M.Owner.index());
      double X = toX(M.First);
      double Y = toY(Base + static_cast<double>(M.End));
      double W = toX(M.Last + 1) - X;
      double H = toY(Base + static_cast<double>(M.Begin)) - Y;
      double MoreX = std::max(0.0, LeastMark - W);
      double MoreY = std::max(0.0, LeastMark - H);
      OS << fmt::format("<rect class=\"{}\" x=\"{:.2f}\" y=\"{:.2f}\" "
                        "width=\"{:.2f}\" height=\"{:.2f}\"><title>{}: {} "
                        "[{}]",
                        M.Crossing ? "finding" : "named", X - MoreX / 2,
                        Y - MoreY / 2, W + MoreX, H + MoreY,
                        severityName(F.Level), svgText(F.Message), F.Check);
      for (const std::string &Line : F.Lines)
        OS << '\n' << svgText(Line);
      OS << "</title></rect>\n";
    }
}

void SvgWriter::writePanel(const PictureSpace &S) {
  Total = place(S);
  OS << fmt::format(
      "<text x=\"{}\" y=\"{}\">{}: {}, peak {} at step {}</text>\n", Margin,
      Top + 24, svgText(S.Name), humanBytes(static_cast<uint64_t>(Total)),
      humanBytes(S.peak()), S.PeakStep);
  writeCurve(S);
  size_t Small = writeBlocks(S);
  writeFindings(S);
  double Y = Top + Heading + CurveHeight;
  OS << fmt::format("<rect class=\"frame\" x=\"{}\" y=\"{}\" width=\"{}\" "
                    "height=\"{}\"/>\n",
                    Margin, Y, DrawnWidth, BlocksHeight);
  OS << fmt::format("<text class=\"faint\" x=\"{}\" y=\"{}\">steps 0 to {}; "
                    "bytes from below",
                    Margin, Y + BlocksHeight + 13, P.Steps - 1);
  if (Small != 0)
    OS << fmt::format("; {} {} too small to be drawn", Small,
                      Small == 1 ? "value is" : "values are");
  if (P.Untimed != 0)
    OS << fmt::format("; {} values without a live range are not drawn",
                      P.Untimed);
  if (P.Times == TimeSource::Unknown)
    OS << "; no live ranges and no module: all values are drawn at step 0";
  OS << "</text>\n";
}

/// The kinds that the picture has, and what is red, at the right of the title.
void SvgWriter::writeLegend() {
  static constexpr std::pair<StringRef, double> Kinds[] = {{"temp", 50},
                                                           {"parameter", 82},
                                                           {"live-out", 68},
                                                           {"constant", 72},
                                                           {"other", 52}};
  std::set<StringRef> Seen;
  for (const PictureBlock &B : P.Blocks)
    Seen.insert(kindName(kindOf(D[B.Owner])));
  double Wide = P.Findings.empty() ? 0 : 66;
  for (auto [Kind, Size] : Kinds)
    Wide += Seen.count(Kind) ? Size : 0;
  double X = Width - Margin - Wide;
  auto Entry = [&](StringRef Class, StringRef Text, double Size) {
    OS << fmt::format("<rect class=\"{}\" x=\"{}\" y=\"13\" width=\"10\" "
                      "height=\"10\"/><text x=\"{}\" y=\"22\">{}</text>\n",
                      Class, X, X + 14, Text);
    X += Size;
  };
  for (auto [Kind, Size] : Kinds)
    if (Seen.count(Kind))
      Entry(Kind, Kind, Size);
  if (!P.Findings.empty())
    Entry("finding", "finding", 66);
}

void SvgWriter::run() {
  double Lanes = svgLanesHeight(P.Lanes);
  double Height =
      30 + Lanes + PanelHeight * static_cast<double>(P.Spaces.size()) + Margin;
  OS << fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" "
                    "viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\">\n",
                    Width, Height)
     << Style;
  OS << fmt::format("<text x=\"{}\" y=\"22\" font-size=\"15\">{}</text>\n",
                    Margin, svgText(P.Title));
  writeLegend();
  writeSvgLanes(P.Lanes, P.Findings, Axis, 34, OS);
  Top = 30 + Lanes;
  for (const PictureSpace &S : P.Spaces) {
    writePanel(S);
    Top += PanelHeight;
  }
  OS << "</svg>\n";
}

void hlobuf::writeSvg(const Picture &P, const Facts &DumpFacts,
                      llvm::raw_ostream &OS) {
  SvgWriter(P, DumpFacts, OS).run();
}
