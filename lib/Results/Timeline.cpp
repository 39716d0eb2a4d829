// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Results/Timeline.h"
#include "Results/ResultPrinter.h"
#include "Support/Format.h"
#include "Support/Printable.h"
#include "Support/TextColumns.h"
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

namespace {
struct Row {
  std::string Label;
  std::string Subject;
  std::string Action;
  std::string Source;
  std::string Place;
};
} // namespace

/// The last part of a path: `train.py:9`.
static std::string shortSource(StringRef Source) {
  return printable(
      Source.rsplit('/').second.empty() ? Source : Source.rsplit('/').second);
}

/// \p Cell, and blanks up to the next one: the column is \p Width wide. No
/// column for a cell that is empty in all rows.
static std::string cell(StringRef Cell, size_t Width) {
  size_t Size = columns(Cell);
  size_t Blanks =
      Width == 0 && Cell.empty() ? 0 : std::max(Width, Size) - Size + Gap;
  return Cell.str() + std::string(Blanks, ' ');
}

/// The action and the source of \p R, which share a column of \p Width, the
/// source at its end: most definitions that are long come from parameters,
/// which have no source.
static std::string eventOf(const Row &R, size_t Width = 0) {
  size_t Room = Width - std::min(Width, columns(R.Source) + Gap);
  return R.Source.empty() ? R.Action : cell(R.Action, Room) + R.Source;
}

/// All columns aligned if they fit into \p Width; else only as many, from the
/// left, as do.
static void addRows(ArrayRef<Row> Rows, size_t Width,
                    std::vector<std::string> &Lines) {
  auto Widest = [&](auto CellOf, size_t Most = ~size_t(0)) {
    size_t Widest = 0;
    for (const Row &R : Rows)
      if (size_t Size = columns(CellOf(R)); Size <= Most)
        Widest = std::max(Widest, Size);
    return Widest;
  };
  auto SubjectOf = [](const Row &R) -> StringRef { return R.Subject; };
  size_t Label = Widest([](const Row &R) { return R.Label; });
  size_t Subject = Widest(SubjectOf);
  size_t Event = Widest([](const Row &R) { return eventOf(R); });
  size_t Total = Indent + Widest([](const Row &R) { return R.Place; });
  for (size_t Column : {Label, Subject, Event})
    Total += Column == 0 ? 0 : Column + Gap;
  if (Total > Width) {
    Subject = Widest(SubjectOf, LongName);
    Event = 0;
  }
  for (const Row &R : Rows) {
    std::string Line = std::string(Indent, ' ') + cell(R.Label, Label) +
                       cell(R.Subject, Subject) +
                       cell(eventOf(R, Event), Event) + R.Place;
    Lines.push_back(StringRef(Line).rtrim().str());
  }
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
