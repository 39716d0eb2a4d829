//===- hlobuf-view/main.cpp - Options to a picture ------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks/Context.h"
#include "CommandLine/Help.h"
#include "CommandLine/Process.h"
#include "Draw/MakePicture.h"
#include "Draw/Writers.h"
#include "Driver/DumpResults.h"
#include "Support/AtomicFile.h"
#include "Support/ExitStatus.h"
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
    "  and in red what hlobuf-verify finds. --svg writes a picture.\n\n"
    "  No file is written, or replaced, but the one that -o names, and never "
    "an\n"
    "  input.\n\n"
    "  Exit status: 0 drawn, 2 could not read, could not write or bad usage.\n";

static constexpr llvm::StringLiteral FirstHelp =
    "hlobuf-view: draw an XLA buffer assignment, offset by step\n\n"
    "  hlobuf-view DUMP -o page.html    a page for the browser\n"
    "  hlobuf-view DUMP -o picture.svg  a picture\n"
    "  hlobuf-view --help               all options\n\n"
    "To get dumps:  XLA_FLAGS=--xla_dump_to=/tmp/dumps python train.py\n";

static void printVersion(llvm::raw_ostream &OS) {
  OS << "hlobuf-view " << HLOBUF_VERSION << '\n';
}

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
static llvm::Expected<Input> findDump(const SiblingPaths &Siblings) {
  InputList Found = findInputs({InputPath});
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
    return Problem(fmt::format("no dump in '{}'{}", InputPath.getValue(),
                               Pick.empty() ? "" : " has such a path"));
  if (Found.Dumps.size() == 1) {
    locateFiles(Found.Dumps.front(), Siblings);
    return std::move(Found.Dumps.front());
  }
  std::string Text = fmt::format(
      "'{}' has {} dumps: name one, or a part of its path with --pick:",
      InputPath.getValue(), Found.Dumps.size());
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

static void draw(const Picture &P, const Facts &A, llvm::raw_ostream &OS) {
  switch (chosenFormat()) {
  case PictureFormat::Svg:
    writeSvg(P, A, OS);
    return;
  case PictureFormat::Json: {
    llvm::json::OStream J(OS);
    writePicture(P, A, J);
    OS << '\n';
    return;
  }
  default:
    writeHtml(P, A, OS);
  }
}

static ExitStatus view() {
  SiblingPaths Siblings;
  Siblings[static_cast<size_t>(FileRole::Values)] = Values;
  Siblings[static_cast<size_t>(FileRole::LiveRange)] = LiveRange;
  Siblings[static_cast<size_t>(FileRole::Module)] = Module;
  GlobTexts Globs{Checks, "", ""}; // the selection points into it
  llvm::Expected<CheckSelection> Selection = CheckSelection::create(Globs);
  if (!Selection)
    return fail(Selection.takeError());
  llvm::Expected<Input> In = findDump(Siblings);
  if (!In)
    return fail(In.takeError());
  if (!OutputPath.empty() && isInput(*In))
    return fail("'" + OutputPath + "' is an input and must not be overwritten");
  llvm::Expected<std::unique_ptr<LoadedDump>> L = load(*In, Siblings);
  if (!L)
    return fail(L.takeError());
  DumpResult R = makeResult(*In, **L, verify(**L, *Selection), *Selection);
  CheckContext Context(*(*L)->Model);
  auto Derived = [&] { return Context.moduleAnalysis(); };
  Picture P = makePicture(MemoryUse(Context, Derived), Derived, R);
  if (OutputPath.empty() || OutputPath == "-") {
    draw(P, Context, llvm::outs());
    return ExitSound;
  }
  llvm::Expected<std::unique_ptr<AtomicFile>> File =
      AtomicFile::create(OutputPath);
  if (!File)
    return fail(File.takeError());
  draw(P, Context, (*File)->os());
  if (llvm::Error Failed = (*File)->commit())
    return fail(std::move(Failed));
  return ExitSound;
}

int main(int Argc, char **Argv) {
  startTool("nothing was drawn");
  cl::HideUnrelatedOptions({&InputOptions, &OutputOptions});
  cl::SetVersionPrinter(printVersion);
  wrapDescriptions();
  if (!cl::ParseCommandLineOptions(Argc, Argv, Overview, &llvm::errs()))
    return ExitUnreadable;
  if (InputPath.empty()) {
    llvm::outs() << FirstHelp;
    return ExitUnreadable;
  }
  if (OutputPath.empty() && llvm::outs().is_displayed())
    return fail("name a file with -o, or send the output to a pipe");
  return view();
}
