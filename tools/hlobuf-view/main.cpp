// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options to a picture.

#include "CommandLine/Help.h"
#include "CommandLine/Process.h"
#include "DrawnProgram.h"
#include "Support/AtomicFile.h"
#include "Support/ExitCodes.h"
#include "Support/Format.h"
#include "Support/HumanBytes.h"
#include "Support/Printable.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace hlobuf;
using llvm::StringRef;
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
static cl::opt<std::string> SourceLink(
    "source-link", cl::value_desc("address"), cl::cat(OutputOptions),
    cl::desc("Where links to source lines lead, with {path} and {line}, as "
             "'https://example.org/{path}#L{line}' (default: VS Code)"));
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

static constexpr llvm::StringLiteral Overview =
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

static void draw(const Picture &P, llvm::raw_ostream &OS) {
  if (chosenFormat() == PictureFormat::Html)
    return writeHtml(P, SourceLink, OS);
  llvm::json::OStream J(OS);
  writePicture(P, J);
  OS << '\n';
}

/// What is wrong with the options; empty if nothing is.
static std::string obstacle() {
  if (chosenFormat() == PictureFormat::ByName)
    return fmt::format("no format has the ending of the output '{}': use "
                       ".html or .json, or --format",
                       OutputPath.getValue());
  if (!Capacity.empty() && !parseBytes(Capacity))
    return fmt::format(
        "--capacity: expected bytes, as 15.75GiB or 16e9, not '{}'",
        Capacity.getValue());
  if (!SourceLink.empty() && !StringRef(SourceLink).contains("{path}"))
    return "--source-link: expected an address with {path}, and {line}";
  return findIdleOption({{&SourceLink, chosenFormat() != PictureFormat::Html,
                          "without --format=html"}});
}

static ExitStatus view() {
  if (std::string Problem = obstacle(); !Problem.empty())
    return fail(Problem);
  DrawRequest Request{Pick, parseBytes(Capacity), Jobs};
  GlobTexts Globs{Checks, "", ""}; // the selection points into it
  llvm::Expected<CheckSelection> Selection = CheckSelection::create(Globs);
  if (!Selection)
    return fail(Selection.takeError());
  llvm::Expected<DrawnProgram> Program =
      openProgram(InputPath, Request, *Selection);
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
  llvm::Expected<std::unique_ptr<AtomicFile>> File =
      AtomicFile::create(OutputPath);
  if (!File)
    return fail(File.takeError());
  draw(Program->P, (*File)->os());
  if (llvm::Error Failed = (*File)->commit())
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
