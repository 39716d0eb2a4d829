// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options to a picture.

#include "Checks/Context.h"
#include "CommandLine/Help.h"
#include "CommandLine/Process.h"
#include "Draw/MakePicture.h"
#include "Draw/PictureWriters.h"
#include "Driver/DumpResults.h"
#include "Driver/SentenceTally.h"
#include "Driver/Sentences.h"
#include "Support/AtomicFile.h"
#include "Support/ExitCodes.h"
#include "Support/Format.h"
#include "Support/Printable.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace hlobuf;
using llvm::StringRef;
namespace cl = llvm::cl;

namespace {
enum class PictureFormat { ByName, Html, Svg, Json };
} // namespace

static cl::OptionCategory InputOptions("Inputs");
static cl::OptionCategory OutputOptions("Output");

static cl::opt<std::string> InputPath(cl::Positional,
                                      cl::desc("<dump|folder|->"),
                                      cl::cat(InputOptions));
static cl::opt<std::string> NewPath(cl::Positional, cl::desc("[new]"),
                                    cl::cat(InputOptions));
static cl::opt<std::string>
    Values("values", cl::value_desc("file"), cl::cat(InputOptions),
           cl::desc("Values file of the dump (default: next to it, by name)"));
static cl::opt<std::string> LiveRange("live-range", cl::value_desc("file"),
                                      cl::cat(InputOptions),
                                      cl::desc("Live range file of the dump"));
static cl::opt<std::string>
    Module("module", cl::value_desc("file"), cl::cat(InputOptions),
           cl::desc("Scheduled HLO module of the dump"));
static cl::opt<std::string> Pick(
    "pick", cl::value_desc("text"), cl::cat(InputOptions),
    cl::desc("Of several dumps, draw the one whose path contains this text"));
static cl::opt<std::string>
    Checks("checks", cl::value_desc("globs"), cl::cat(InputOptions),
           cl::desc("Comma-separated globs of checks whose findings are drawn; "
                    "'-' excludes (default: all except lints)"));
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
               clEnumValN(PictureFormat::Svg, "svg", "a picture"),
               clEnumValN(PictureFormat::Json, "json",
                          "what the page draws, as data")));
static cl::opt<bool> Svg("svg", cl::cat(OutputOptions),
                         cl::desc("Same as --format=svg"));

static constexpr llvm::StringLiteral Overview =
    "draw an XLA buffer assignment, offset by step\n\n"
    "  hlobuf-view DUMP -o page.html writes one page of HTML that any browser\n"
    "  opens: a rectangle for each value, live bytes above with the peak "
    "marked,\n"
    "  and in red what hlobuf-verify finds. An executable has its streams "
    "above,\n"
    "  with thunks at their steps. --svg writes a picture.\n"
    "  hlobuf-view OLD NEW -o page.html draws both, and colors what is new, "
    "gone,\n"
    "  larger or smaller.\n\n"
    "  No file is written, or replaced, but the one that -o names, and never "
    "an\n"
    "  input.\n\n"
    "  Exit status: 0 drawn, 2 could not read, could not write or bad usage.\n";

static constexpr llvm::StringLiteral FirstHelp =
    "hlobuf-view: draw an XLA buffer assignment, offset by step\n\n"
    "  hlobuf-view DUMP -o page.html    a page for the browser\n"
    "  hlobuf-view DUMP -o picture.svg  a picture\n"
    "  hlobuf-view OLD NEW -o page.html what changed\n"
    "  hlobuf-view --help               all options\n\n"
    "To get dumps:  XLA_FLAGS=--xla_dump_to=/tmp/dumps python train.py\n";

static ExitStatus fail(const llvm::Twine &Text) {
  llvm::errs() << "error: " << Text << '\n';
  return ExitUnreadable;
}

static ExitStatus fail(llvm::Error E) {
  return fail(StringRef(printableLines(llvm::toString(std::move(E)))).rtrim());
}

static PictureFormat chosenFormat() {
  if (Svg)
    return PictureFormat::Svg;
  if (Format != PictureFormat::ByName)
    return Format;
  StringRef Name(OutputPath);
  if (Name.ends_with_insensitive(".svg"))
    return PictureFormat::Svg;
  return Name.ends_with_insensitive(".json") ? PictureFormat::Json
                                             : PictureFormat::Html;
}

/// The one dump to draw; says so where there is none or more than one.
static llvm::Expected<Input> findDump(const std::string &Path,
                                      const SiblingPaths &Siblings) {
  InputList Found = findInputs({Path});
  auto Problem = [](const std::string &Text) {
    return llvm::createStringError(std::errc::invalid_argument, "%s",
                                   Text.c_str());
  };
  if (!Found.Errors.empty())
    return Problem(Found.Errors.front().Text);
  llvm::erase_if(Found.Dumps, [](const Input &In) {
    return !StringRef(In.Path).contains(StringRef(Pick));
  });
  if (Found.Dumps.empty())
    return Problem(fmt::format("no dump in '{}'{}", Path,
                               Pick.empty() ? "" : " has such a path"));
  if (Found.Dumps.size() == 1) {
    locateFiles(Found.Dumps.front(), Siblings);
    return std::move(Found.Dumps.front());
  }
  std::string Text = fmt::format(
      "'{}' has {} dumps: name one, or a part of its path with --pick:", Path,
      Found.Dumps.size());
  for (const Input &In : llvm::ArrayRef(Found.Dumps).take_front(10))
    Text += "\n  " + In.Path;
  return Problem(Found.Dumps.size() > 10 ? Text + "\n  ..." : Text);
}

static bool isInput(const Input &In) {
  return llvm::any_of(In.Files, [](const InputFile &File) {
    return !File.Path.empty() &&
           llvm::sys::fs::equivalent(File.Path, OutputPath);
  });
}

namespace {
/// A dump, and what is drawn of it.
struct Program {
  std::unique_ptr<LoadedDump> Loaded;
  std::unique_ptr<CheckContext> Context;
  Picture P;
  /// Why the HLO module is not used; empty if it is.
  std::string Malformed;

  DrawnDump drawn() const { return {P, *Context}; }
};
} // namespace

static void draw(const Program &After, const Program *Before,
                 llvm::raw_ostream &OS) {
  switch (chosenFormat()) {
  case PictureFormat::Svg:
    writeSvg(After.P, *After.Context, OS);
    return;
  case PictureFormat::Json: {
    llvm::json::OStream J(OS);
    writePicture(After.P, *After.Context, J);
    OS << '\n';
    return;
  }
  default:
    break;
  }
  if (!Before)
    return writeHtml(After.drawn(), nullptr, OS);
  DrawnDump Old = Before->drawn();
  writeHtml(After.drawn(), &Old, OS);
}

static llvm::Expected<Program> open(const std::string &Path,
                                    const SiblingPaths &Siblings,
                                    const CheckSelection &Selection) {
  llvm::Expected<Input> In = findDump(Path, Siblings);
  if (!In)
    return In.takeError();
  if (!OutputPath.empty() && isInput(*In))
    return llvm::createStringError(
        std::errc::invalid_argument,
        "'%s' is an input and must not be overwritten", OutputPath.c_str());
  llvm::Expected<std::unique_ptr<LoadedDump>> L = load(*In, Siblings);
  if (!L)
    return L.takeError();
  Program Made;
  Made.Malformed = malformedModule(**L);
  Made.Loaded = std::move(*L);
  LoadedDump &Dump = *Made.Loaded;
  if (Dump.Model->cut(FileRole::Assignment))
    return llvm::createStringError(std::errc::illegal_byte_sequence, "%s",
                                   Dump.damage().back().c_str());
  DumpResult R = makeResult(*In, Dump, verify(Dump, Selection));
  Made.Context = std::make_unique<CheckContext>(*Dump.Model);
  auto Derived = [&] { return Made.Context->moduleAnalysis(); };
  Made.P = makePicture(MemoryUse(*Made.Context, Derived), Derived,
                       Made.Context->thunkGraph(), R);
  settleSentences(R);
  if (!R.ProvesNothing) {
    SentenceTally Proved;
    Proved.add(R);
    Made.P.Verdict = Proved.line(R.hasErrors());
  }
  return std::move(Made);
}

/// What two programs cannot be drawn with; empty if there is nothing.
static StringRef obstacle() {
  if (NewPath.empty())
    return "";
  if (chosenFormat() != PictureFormat::Html)
    return "two programs are drawn as a page only: use --format=html";
  if (!Values.empty() || !LiveRange.empty() || !Module.empty())
    return "--values, --live-range and --module are for one program";
  return "";
}

static ExitStatus view() {
  if (StringRef Problem = obstacle(); !Problem.empty())
    return fail(Problem);
  SiblingPaths Siblings;
  Siblings[static_cast<size_t>(FileRole::Values)] = Values;
  Siblings[static_cast<size_t>(FileRole::LiveRange)] = LiveRange;
  Siblings[static_cast<size_t>(FileRole::Module)] = Module;
  GlobTexts Globs{Checks, "", ""}; // the selection points into it
  llvm::Expected<CheckSelection> Selection = CheckSelection::create(Globs);
  if (!Selection)
    return fail(Selection.takeError());
  std::vector<Program> Programs;
  for (const std::string &Path : {InputPath.getValue(), NewPath.getValue()}) {
    if (Path.empty())
      break;
    llvm::Expected<Program> Made = open(Path, Siblings, *Selection);
    if (!Made)
      return fail(Made.takeError());
    Programs.push_back(std::move(*Made));
  }
  // What can be drawn without a sibling or the module is.
  ExitStatus Status = ExitSound;
  for (const Program &P : Programs)
    if (!P.Loaded->isWhole())
      for (const std::string &Line : P.Loaded->damage())
        Status = fail(Line);
    else if (!P.Malformed.empty())
      Status = fail(printable(P.Malformed));
  const Program *Before = Programs.size() == 2 ? &Programs.front() : nullptr;
  if (OutputPath.empty() || OutputPath == "-") {
    draw(Programs.back(), Before, llvm::outs());
    return Status;
  }
  llvm::Expected<std::unique_ptr<AtomicFile>> File =
      AtomicFile::create(OutputPath);
  if (!File)
    return fail(File.takeError());
  draw(Programs.back(), Before, (*File)->os());
  if (llvm::Error Failed = (*File)->commit())
    return fail(std::move(Failed));
  return Status;
}

int main(int Argc, char **Argv) {
  startTool("nothing was drawn");
  if (!parseOptions(Argc, Argv, "hlobuf-view " HLOBUF_VERSION, Overview,
                    {&InputOptions, &OutputOptions}))
    return ExitUnreadable;
  if (InputPath.empty()) {
    llvm::outs() << FirstHelp;
    return ExitUnreadable;
  }
  if (OutputPath.empty() && llvm::outs().is_displayed())
    return fail("name a file with -o, or send the output to a pipe");
  return view();
}
