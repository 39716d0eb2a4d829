// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options to a picture.

#include "Checks/Context.h"
#include "CommandLine/Help.h"
#include "CommandLine/Process.h"
#include "Draw/Picture.h"
#include "Driver/Capacity.h"
#include "Driver/CheckSelection.h"
#include "Driver/KnownDefects.h"
#include "Driver/Sentences.h"
#include "Driver/Verify.h"
#include "Input/Load.h"
#include "Support/AtomicFile.h"
#include "Support/ExitCodes.h"
#include "Support/Format.h"
#include "Support/HumanBytes.h"
#include "Support/OrderedRun.h"
#include "Support/Printable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace hlobuf;
namespace cl = llvm::cl;

namespace {
enum class PictureFormat { ByName, Html, Json };
} // namespace

static cl::OptionCategory InputOptions("Inputs");
static cl::OptionCategory OutputOptions("Output");

static cl::opt<std::string> InputPath(cl::Positional,
                                      cl::desc("<dump|folder|->"),
                                      cl::cat(InputOptions));
static cl::opt<std::string> Pick(
    "pick", cl::value_desc("text"), cl::cat(InputOptions),
    cl::desc("Of several dumps draw the one whose path contains this text"));
static cl::opt<std::string>
    Checks("checks", cl::value_desc("globs"), cl::cat(InputOptions),
           cl::desc("Comma-separated globs of checks whose findings are drawn; "
                    "'-' excludes (default: all except lints)"));
static cl::opt<std::string>
    Capacity("capacity", cl::value_desc("bytes"), cl::cat(InputOptions),
             cl::desc("Memory of the chip, as 15.75GiB (default: as files next "
                      "to the dump say)"));
static JobsOption Jobs(InputOptions);
static cl::opt<std::string>
    OutputPath("output", cl::value_desc("file"), cl::cat(OutputOptions),
               cl::desc("Write this file, and replace it if it exists "
                        "(default: standard output, unless it is a terminal)"));
static cl::alias OutputShort("o", cl::aliasopt(OutputPath), cl::NotHidden,
                             cl::desc("Same as --output"),
                             cl::cat(OutputOptions));
static cl::opt<PictureFormat, false, NamedValues<PictureFormat>> Format(
    "format", cl::init(PictureFormat::ByName), cl::cat(OutputOptions),
    cl::desc("Format (default: by the ending of the file, else html)"),
    cl::values(clEnumValN(PictureFormat::Html, "html",
                          "a page that needs no other file and no network"),
               clEnumValN(PictureFormat::Json, "json",
                          "what the page draws, as data")));

static constexpr StringLiteral Overview =
    "draw an XLA buffer assignment, offset by step\n\n"
    "  hlobuf-view DUMP -o page.html writes one page of HTML that any browser\n"
    "  opens: a rectangle for each value, live bytes above with the peak "
    "marked,\n"
    "  and in red what hlobuf-verify finds.\n"
    "\n"
    "  No file is written, or replaced, but the one that -o names, and never "
    "an\n"
    "  input.\n\n"
    "  Exit status: 0 drawn, 2 could not read, could not write or bad usage.\n";

namespace {
/// A dump, and what is drawn of it.
struct DrawnProgram {
  std::unique_ptr<LoadedDump> Loaded;
  std::unique_ptr<CheckContext> Context;
  Picture P;
  /// Why the HLO module is not used; empty if it is.
  std::string Malformed;
};
} // namespace

/// Candidates that are listed, at most.
static constexpr size_t MaxListed = 10;

/// The one dump that is picked.
static Expected<Input> findOne() {
  InputList List = findInputs({InputPath});
  if (!List.Errors.empty())
    return makeError("{}", List.Errors.front().Text);
  std::vector<Input> &Dumps = List.Dumps;
  if (Dumps.empty())
    return makeError("no dump in '{}'", InputPath.getValue());
  llvm::erase_if(Dumps, [&](const Input &In) {
    return !StringRef(In.Path).contains(Pick);
  });
  if (Dumps.empty())
    return makeError("no dump in '{}' has such a path", InputPath.getValue());
  if (Dumps.size() == 1)
    return std::move(Dumps.front());
  std::string Names;
  for (const Input &In : ArrayRef(Dumps).take_front(MaxListed))
    Names += "\n  " + In.Path;
  return makeError(
      "'{}' has {} dumps: name one, or a part of its path with --pick:{}{}",
      InputPath.getValue(), Dumps.size(), Names,
      Dumps.size() > MaxListed ? "\n  ..." : "");
}

static void setCapacity(const Input &In, Picture &P) {
  SummaryOptions Chip;
  Chip.Capacity = parseBytes(Capacity);
  if (!Chip.Capacity)
    findCapacity(In.Path, Chip);
  P.Capacity = Chip.Capacity;
  P.Chip = Chip.Chip;
}

/// Reads, verifies and draws the dump; an error says which ones there are where
/// it is not clear which one is meant.
static Expected<DrawnProgram> openProgram(const CheckSelection &Selection) {
  Expected<Input> Found = findOne();
  if (!Found)
    return Found.takeError();
  const Input &In = *Found;
  Expected<std::unique_ptr<LoadedDump>> L = load(In);
  if (!L)
    return L.takeError();
  DrawnProgram Program;
  Program.Malformed = malformedModule(**L);
  Program.Loaded = std::move(*L);
  LoadedDump &Dump = *Program.Loaded;
  if (Dump.Model->cut(FileRole::Assignment))
    return makeError("{}", Dump.damage().back());
  Program.Context = std::make_unique<CheckContext>(*Dump.Model);
  DumpResult R =
      verify(In, Dump, *Program.Context, Selection, nullptr, numJobs(Jobs));
  noteReductions(R);
  // What was computed before the model was known to be cut counts on all of it.
  if (Dump.Model->cut(FileRole::Assignment))
    Program.Context = std::make_unique<CheckContext>(*Dump.Model);
  CheckContext &Context = *Program.Context;
  Program.P =
      makePicture(Context.memory(), Context.names(), Context.moduleAnalysis(),
                  Context.answers().Copies, R);
  setCapacity(In, Program.P);
  settleSentences(R);
  if (!R.ProvesNothing) {
    SentenceTally Proved;
    Proved.add(R);
    Program.P.Verdict = Proved.line(R.hasErrors());
  }
  return std::move(Program);
}

/// The format, by option or by the ending of the file; Unknown if that says
/// nothing.
static PictureFormat chosenFormat() {
  if (Format != PictureFormat::ByName)
    return Format;
  return llvm::StringSwitch<PictureFormat>(
             llvm::sys::path::extension(OutputPath).lower())
      .Case(".json", PictureFormat::Json)
      .Case("", PictureFormat::Html)
      .Case(".html", PictureFormat::Html)
      .Case(".htm", PictureFormat::Html)
      .Default(PictureFormat::ByName);
}

static void draw(const Picture &P, raw_ostream &OS) {
  if (chosenFormat() == PictureFormat::Html)
    return writeHtml(P, OS);
  llvm::json::OStream J(OS);
  writePicture(P, J);
  OS << '\n';
}

/// What is wrong with the options; empty if nothing is.
static std::string obstacle() {
  if (chosenFormat() == PictureFormat::ByName)
    return fmt::format("no format has the ending of the output '{}': use .html "
                       "or .json, or --format",
                       OutputPath.getValue());
  if (!Capacity.empty() && !parseBytes(Capacity))
    return fmt::format(
        "--capacity: expected bytes, as 15.75GiB or 16e9, not '{}'",
        Capacity.getValue());
  return "";
}

static ExitStatus view() {
  if (std::string Problem = obstacle(); !Problem.empty())
    return fail(Problem);
  GlobTexts Globs{Checks, "", ""}; // the selection points into it
  Expected<CheckSelection> Selection = CheckSelection::create(Globs);
  if (!Selection)
    return fail(Selection.takeError());
  Expected<DrawnProgram> Program = openProgram(*Selection);
  if (!Program)
    return fail(Program.takeError());
  // What can be drawn without a sibling or the module is.
  ExitStatus Status = ExitSound;
  if (!Program->Loaded->isWhole())
    for (const std::string &Line : Program->Loaded->damage())
      Status = fail(Line);
  else if (!Program->Malformed.empty())
    Status = fail(printable(Program->Malformed));
  if (OutputPath.empty() || OutputPath == "-") {
    draw(Program->P, llvm::outs());
    return Status;
  }
  Expected<std::unique_ptr<AtomicFile>> File = AtomicFile::create(OutputPath);
  if (!File)
    return fail(File.takeError());
  draw(Program->P, (*File)->os());
  if (Error Failed = (*File)->commit())
    return fail(std::move(Failed));
  return Status;
}

int main(int Argc, char **Argv) {
  startTool("nothing was drawn");
  if (!parseOptions(Argc, Argv, "hlobuf-view " HLOBUF_VERSION, Overview,
                    {&InputOptions, &OutputOptions}))
    return ExitUnreadable;
  if (InputPath.empty())
    return introduce("hlobuf-view", Overview);
  if (OutputPath.empty() && llvm::outs().is_displayed())
    return fail("name a file with -o, or send the output to a pipe");
  return view();
}
