// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Results/Timeline.h"
#include "Results/ResultPrinter.h"
#include "Support/Format.h"
#include "Support/Printable.h"
#include "Support/TextColumns.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace hlobuf;

static constexpr size_t Indent = 2;
static constexpr size_t Gap = 2;
/// A name that is longer shifts its own line only.
static constexpr size_t LongName = 44;
/// Steps and other checks of one finding that are shown.
static constexpr size_t MaxSteps = 6;
static constexpr size_t MaxAlso = 2;

std::string hlobuf::shortPlace(const DumpResult &R, const SourceSpan &Loc) {
  if (Loc.File.empty())
    return "";
  std::string File = printable(
      llvm::sys::path::filename(Loc.File, llvm::sys::path::Style::posix));
  for (size_t Role = 0; Role != NumFileRoles; ++Role)
    if (R.Files[Role] == Loc.File) {
      File = infoOf(static_cast<FileRole>(Role)).Key.str();
      std::replace(File.begin(), File.end(), '_', '-');
    }
  return fmt::format("{}:{}", File, Loc.Line);
}

static void padTo(std::string &Line, size_t Column) {
  size_t Size = columns(Line);
  Line.append(Size < Column ? Column - Size : 0, ' ');
}

namespace {
struct Row {
  std::string Label;
  std::string Subject;
  std::string Action;
  std::string Source;
  std::string Place;

  /// Action and source share a column: most definitions that are long come from
  /// parameters, which have no source.
  size_t event() const {
    size_t Size = columns(Source);
    return columns(Action) + (Size == 0 ? 0 : Size + Gap);
  }
};

/// The widths of the columns of all rows.
struct Widths {
  size_t Label = 0;
  size_t Subject = 0;
  size_t Event = 0;
  size_t Place = 0;

  void add(const Row &R) {
    Label = std::max(Label, columns(R.Label));
    Subject = std::max(Subject, columns(R.Subject));
    Event = std::max(Event, R.event());
    Place = std::max(Place, columns(R.Place));
  }
  size_t total() const {
    size_t Sum = Indent;
    for (size_t Cell : {Label, Subject, Event})
      Sum += Cell == 0 ? 0 : Cell + Gap;
    return Sum + Place;
  }
};
} // namespace

/// The last part of a path: `train.py:9`.
static std::string shortSource(StringRef Source) {
  return printable(
      Source.rsplit('/').second.empty() ? Source : Source.rsplit('/').second);
}

/// Appends \p Cell to \p Line, so that the next one starts \p Width further; no
/// column for a cell that is empty in all rows.
static void addCell(std::string &Line, StringRef Cell, size_t Width) {
  if (Width == 0 && Cell.empty())
    return;
  size_t Begin = columns(Line);
  Line += Cell;
  padTo(Line, Begin + std::max(Width, columns(Cell)) + Gap);
}

static std::string spellRow(const Row &R, const Widths &W) {
  std::string Line(Indent, ' ');
  addCell(Line, R.Label, W.Label);
  addCell(Line, R.Subject, W.Subject);
  std::string Event = R.Action;
  size_t Source = columns(R.Source);
  if (Source != 0)
    padTo(Event, std::max(columns(Event) + Gap,
                          W.Event > Source ? W.Event - Source : 0));
  addCell(Line, Event + R.Source, W.Event);
  Line += R.Place;
  return StringRef(Line).rtrim().str();
}

/// All columns aligned if they fit into \p Width; else only as many, from the
/// left, as do.
static void addRows(ArrayRef<Row> Rows, size_t Width,
                    std::vector<std::string> &Lines) {
  Widths All;
  for (const Row &R : Rows)
    All.add(R);
  if (All.total() > Width) {
    All.Event = All.Subject = 0;
    for (const Row &R : Rows)
      if (size_t Size = columns(R.Subject); Size <= LongName)
        All.Subject = std::max(All.Subject, Size);
  }
  for (const Row &R : Rows)
    Lines.push_back(spellRow(R, All));
}

/// Adds \p Title and \p Text, broken between words where it exceeds \p Width.
static void addText(StringRef Title, StringRef Text, size_t Width,
                    std::vector<std::string> &Lines) {
  std::string Head = std::string(Indent, ' ') + Title.str() + ' ';
  for (const std::string &Line :
       wrapped(Text, Width - std::min(Width, columns(Head)))) {
    Lines.push_back(Head + Line);
    Head.assign(columns(Head), ' ');
  }
}

static std::string withPlace(const DumpResult &R, const ResultNote &N) {
  std::string Place = shortPlace(R, N.Where);
  std::string Text = printable(N.Message);
  return Place.empty() ? Text : fmt::format("{} ({})", Text, Place);
}

/// What other checks say: by name if they tell the same as a timeline.
static void addOthers(const DumpResult &R, const ResultFinding &F, size_t Width,
                      std::vector<std::string> &Lines) {
  std::string Same;
  size_t Shown = 0;
  size_t More = 0;
  for (const ResultNote &N : F.Notes) {
    if (N.Kind != NoteKind::Also || !N.Event.Action.empty())
      continue;
    Same += (Same.empty() ? "" : ", ") + N.Event.Subject;
    if (N.Where.File != F.Where.File || N.Where.Line != F.Where.Line)
      Same += fmt::format(" ({})", shortPlace(R, N.Where));
  }
  if (!Same.empty())
    addText("also:", Same, Width, Lines);
  for (const ResultNote &N : F.Notes) {
    if (N.Kind != NoteKind::Also || N.Event.Action.empty())
      continue;
    if (++Shown <= MaxAlso)
      addText("also:", withPlace(R, N), Width, Lines);
    else
      ++More;
  }
  if (More != 0)
    addText("also:", fmt::format("{} more", More), Width, Lines);
}

std::vector<std::string> hlobuf::layOutTimeline(const DumpResult &R,
                                                const ResultFinding &F,
                                                size_t Width) {
  std::vector<std::string> Lines;
  std::vector<Row> Rows;
  size_t Steps = 0;
  for (const ResultNote &N : F.Notes) {
    if (N.Kind != NoteKind::Step || ++Steps > MaxSteps)
      continue;
    std::string Label =
        N.Event.Step < 0 ? "" : fmt::format("step {}", N.Event.Step);
    Rows.push_back({std::move(Label), printable(N.Event.Subject),
                    printable(N.Event.Action), shortSource(N.Event.Source),
                    shortPlace(R, N.Where)});
  }
  addRows(Rows, Width, Lines);
  if (Steps > MaxSteps)
    addText("...", fmt::format("{} more steps", Steps - MaxSteps), Width,
            Lines);
  auto AddAll = [&](NoteKind Kind) {
    std::string Title = noteKindName(Kind).str() + ':';
    for (const ResultNote &N : F.Notes)
      if (N.Kind == Kind)
        addText(Title, withPlace(R, N), Width, Lines);
  };
  AddAll(NoteKind::Why);
  addOthers(R, F, Width, Lines);
  AddAll(NoteKind::Known);
  // Commands are to be copied.
  Width = std::numeric_limits<size_t>::max();
  AddAll(NoteKind::Next);
  return Lines;
}

std::vector<std::string>
hlobuf::tellNotes(const DumpResult &R, const ResultFinding &F, size_t Width) {
  if (F.isTimeline())
    return layOutTimeline(R, F, Width);
  std::vector<std::string> Lines;
  for (const ResultNote &N : F.Notes)
    Lines.push_back(plainLine(N.Where, "note: " + N.Message));
  return Lines;
}

bool hlobuf::isAdvice(const ResultNote &N) {
  return N.Kind == NoteKind::Known || N.Kind == NoteKind::Next;
}
