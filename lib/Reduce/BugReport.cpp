// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reduce/BugReport.h"
#include "Driver/Driver.h"
#include "Reduce/Compiler.h"
#include "Support/AtomicFile.h"
#include "Support/Format.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace hlobuf;
using llvm::StringRef;

static constexpr StringRef ReproducerHead =
    R"python("""Compiles the program below for @TARGET@; XLA dumps to the folder `dump`.

Needs @VERSIONS@.
"""

import os

os.environ["XLA_FLAGS"] = (
    os.environ.get("XLA_FLAGS", "") + " --xla_dump_to=dump --xla_dump_hlo_as_text@FLAGS@"
)
os.environ["JAX_PLATFORMS"] = "cpu"
@ENVIRONMENT@
from jax._src import compiler
from jax._src.interpreters import mlir
from jaxlib import _jax
from jaxlib.mlir import ir

try:
    from jaxlib import _hlo
except ImportError:
    _hlo = _jax
import jax

HLO = r"""
)python";

static constexpr StringRef ReproducerTail = R"python("""

@DEVICES@
code = _jax.mlir.hlo_to_stablehlo(
    _hlo.hlo_module_from_text(HLO.lstrip()).as_serialized_hlo_module_proto()
)
options = compiler.get_compile_options(num_replicas=1, num_partitions=@COUNT@)
@SHARDED@client = devices[0].client
compile_it = client.@COMPILE@
with mlir.make_ir_context():
    compile_it(
        ir.Module.parse(code),
        executable_devices=_jax.DeviceList(tuple(devices[:@COUNT@])),
        compile_options=options,
    )
)python";

static constexpr StringRef TpuEnvironment = R"python(os.environ.update(
    TPU_ACCELERATOR_TYPE="v5litepod-4", TPU_SKIP_MDS_QUERY="1",
    TPU_WORKER_HOSTNAMES="localhost", TPU_WORKER_ID="0",
)
)python";

/// `num_partitions=4` of the first line; 1 if it is not there.
static unsigned partitions(const EditModule &M) {
  unsigned Count = 1;
  for (const EditAttribute &A : M.Header)
    if (A.Key == "num_partitions" && StringRef(A.Value).getAsInteger(10, Count))
      Count = 1;
  return Count;
}

static void replaceAll(std::string &Text, StringRef From, StringRef To) {
  for (size_t At = Text.find(From); At != std::string::npos;
       At = Text.find(From, At + To.size()))
    Text.replace(At, From.size(), To);
}

/// How the Python program gets the devices of \p Target.
static std::string devicesOf(StringRef Target, unsigned Count) {
  if (Target == "cpu")
    return "devices = jax.devices()";
  auto [Platform, Detail] = Target.split(':');
  auto [Chip, Sides] = Detail.split(':');
  std::string Name = fmt::format("1x1x{}", Count);
  std::string Settings = "topology=\"" + Name + "\", target_config=CONFIG";
  if (Platform == "tpu") {
    std::string Shape = Sides.empty() ? "2x2x1" : Sides.str();
    Name = Chip.str() + ":" + Shape;
    replaceAll(Shape, "x", ", ");
    Settings = "chips_per_host_bounds=(" + Shape + ")";
  }
  std::string Config = "";
  if (Platform == "cuda")
    Config = "HERE = os.path.dirname(os.path.abspath(__file__))\n"
             "CONFIG = open(os.path.join(HERE, \"gpu.txtpb\")).read()\n";
  return fmt::format("from jax.experimental import topologies\n\n{}"
                     "devices = topologies.get_topology_desc(\n"
                     "    platform=\"{}\", topology_name=\"{}\", {}\n"
                     ").devices",
                     Config, Platform, Name, Settings);
}

static std::string reproducer(const EditModule &M, StringRef Target,
                              StringRef Versions) {
  unsigned Count = partitions(M);
  std::string Text = ReproducerHead.str() + "@MODULE@" + ReproducerTail.str();
  bool Tpu = Target.starts_with("tpu");
  std::string Flags;
  if (Target.starts_with("cuda"))
    Flags = " --xla_gpu_autotune_level=0";
  else if (Target == "cpu" && Count > 1)
    Flags = fmt::format(" --xla_force_host_platform_device_count={}", Count);
  std::string Sharded;
  if (Count > 1)
    Sharded = fmt::format(
        "import numpy as np\n\n"
        "options = compiler.get_compile_options(\n"
        "    num_replicas=1, num_partitions={0},\n"
        "    device_assignment=np.arange({0}).reshape(1, {0}),\n)\n"
        "options.executable_build_options.use_spmd_partitioning = True\n"
        "options.executable_build_options.use_shardy_partitioner = True\n",
        Count);
  replaceAll(Text, "@TARGET@", Target);
  replaceAll(Text, "@VERSIONS@", Versions);
  replaceAll(Text, "@FLAGS@", Flags);
  replaceAll(Text, "@ENVIRONMENT@", Tpu ? TpuEnvironment : "");
  replaceAll(Text, "@DEVICES@", devicesOf(Target, Count));
  replaceAll(Text, "@COUNT@", std::to_string(Count));
  replaceAll(Text, "@SHARDED@", Sharded);
  replaceAll(Text, "@COMPILE@",
             Target == "cpu" ? "compile_and_load" : "compile");
  replaceAll(Text, "@MODULE@", editModuleText(M));
  return Text;
}

static llvm::Error writeFile(const std::string &Path, StringRef Text) {
  llvm::Expected<std::unique_ptr<AtomicFile>> File = AtomicFile::create(Path);
  if (!File)
    return File.takeError();
  (*File)->os() << Text;
  return (*File)->commit();
}

/// What hlobuf-verify prints about \p Folder.
static std::string verdictOn(const std::string &Folder) {
  VerifyOptions Options;
  Options.Inputs = {Folder};
  Options.NoConfig = true;
  Options.Jobs = 1;
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  runVerify(Options, OS, OS);
  OS.flush();
  // Places are named relative to the report.
  std::string Parent = StringRef(Folder).rsplit('/').first.str() + "/";
  replaceAll(Text, Parent, "");
  return Text;
}

/// What follows \p Label on the first line of \p Verdict that begins with it.
static std::string lineOf(StringRef Verdict, StringRef Label) {
  for (StringRef Line : llvm::split(Verdict, '\n'))
    if (Line = Line.ltrim(); Line.consume_front(Label))
      return Line.trim().str();
  return "";
}

static std::string firstError(StringRef Verdict) {
  size_t At = Verdict.find(" error: ");
  return At == StringRef::npos ? ""
                               : Verdict.substr(At + 8).split('\n').first.str();
}

namespace {
/// What was found out about the program.
struct ReportFacts {
  std::string Versions;
  std::string System;
  std::string Verdict;
  /// How many numbers are wrong; empty where it was not run.
  std::string Numbers;
  /// reproduce.py runs it.
  bool Runs = false;
};
} // namespace

static std::string reportText(const EditModule &M,
                              const BugReportOptions &Options,
                              const ReportFacts &Facts) {
  std::string Error = firstError(Facts.Verdict);
  std::string Out = fmt::format(
      "# Wrong buffer assignment for {}: {}\n\n", Options.Compile.Target,
      Error.empty() ? "wrong numbers" : Error.substr(0, Error.rfind(" [")));
  Out += fmt::format(
      "## Description\n\nThe program below is miscompiled for `{}` by {}.\n",
      Options.Compile.Target, Facts.Versions);
  if (!Facts.Numbers.empty())
    Out += fmt::format("Compiled and run on CPU, {}, compared with the same "
                       "operations, each compiled and run alone.\n",
                       Facts.Numbers);
  else
    Out += "It was compiled and not run: the evidence is the buffer "
           "assignment that XLA dumps.\n";
  if (std::string Pass = lineOf(Facts.Verdict, "pass:"); !Pass.empty())
    Out += "\n" + Pass + ".\n";
  if (std::string Why = lineOf(Facts.Verdict, "why:"); !Why.empty())
    Out += "\n" + Why + ".\n";
  if (std::string Known = lineOf(Facts.Verdict, "known:"); !Known.empty())
    Out += "\nIt " + Known + ".\n";
  Out += fmt::format("\n## Program\n\n{} instructions, reduced from {}:\n\n"
                     "```\n{}```\n\n",
                     M.size(), Options.OriginalSize, editModuleText(M));
  Out += fmt::format(
      "`python reproduce.py` compiles it{}. `program.mlir` is the same as "
      "StableHLO.\n\n## What the buffer assignment says\n\n```\n{}```\n\n",
      Facts.Runs ? ", prints the expected and the actual numbers, and exits "
                   "with 1"
                 : "",
      Facts.Verdict);
  Out += "`dump` has the buffer assignment and the module after each pass. "
         "The text above is printed by `hlobuf-verify dump`.\n\n";
  Out += fmt::format("## System info\n\n{}\n", Facts.System);
  return Out;
}

llvm::Error hlobuf::writeBugReport(const EditModule &M,
                                   const BugReportOptions &Options) {
  const CompileOptions &From = Options.Compile;
  llvm::SmallString<256> Absolute(Options.Folder);
  if (std::error_code Error = llvm::sys::fs::make_absolute(Absolute))
    return llvm::errorCodeToError(Error);
  std::string Folder(Absolute);
  std::string Dump = Folder + "/dump";
  for (const std::error_code &Error : {llvm::sys::fs::remove_directories(Dump),
                                       llvm::sys::fs::create_directories(Dump)})
    if (Error)
      return llvm::errorCodeToError(Error);
  std::string Program = Folder + "/program.hlo.txt";
  if (llvm::Error Error = writeFile(Program, editModuleText(M)))
    return Error;
  Compiler Python(From.Python, From.Target, Dump, Options.Seconds);
  Python.Flags = "--xla_dump_hlo_pass_re=.*";
  Compiler::Answer Built =
      Python.ask(From.WrongNumbers ? "run" : "compile", Program);
  if (Built.Word == "failed" || Built.Word == "absent")
    return makeError("{}", Built.Rest);
  // StableHLO is an extra: some modules have no such form.
  Python.ask("stablehlo", Program + "\t" + Folder + "/program.mlir");
  if (llvm::StringRef(From.Target).starts_with("cuda"))
    Python.ask("config", Folder + "/gpu.txtpb");
  ReportFacts Facts;
  Facts.Versions = Python.ask("version", "").Rest;
  Facts.System = Python.ask("system", "").Rest;
  Facts.Verdict = verdictOn(Dump);
  if (From.WrongNumbers)
    Facts.Numbers = Built.Rest;
  std::string Script = Folder + "/reproduce.py";
  Facts.Runs = From.Target == "cpu" &&
               Python.ask("reproduce", Program + "\t" + Script).Word == "ok";
  if (!Facts.Runs)
    if (llvm::Error Error =
            writeFile(Script, reproducer(M, From.Target, Facts.Versions)))
      return Error;
  for (const auto &[Name, Text] :
       {std::pair<StringRef, std::string>{"verdict.txt", Facts.Verdict},
        {"report.md", reportText(M, Options, Facts)}})
    if (llvm::Error Error = writeFile(Folder + "/" + Name.str(), Text))
      return Error;
  // It is next to the folder, and of no use after a success.
  if (std::error_code Error = llvm::sys::fs::remove(Folder + ".log"))
    return llvm::errorCodeToError(Error);
  return llvm::Error::success();
}
