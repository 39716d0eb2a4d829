"""exec_flags.py HOOK FOLDER: what the hook of --exec makes of XLA_FLAGS, below FOLDER."""

import importlib.util
import os
import pathlib
import sys

hook_path, folder = sys.argv[1:]
spec = importlib.util.spec_from_file_location("hook", hook_path)
hook = importlib.util.module_from_spec(spec)
spec.loader.exec_module(hook)
hook.__file__ = os.path.join(folder, "sitecustomize.py")
os.chdir(folder)
TEXT = "--xla_dump_hlo_as_text"


def show(name, override=""):
    """Prints what comes of some flags where the dumps go to the folder `name`."""
    os.environ.update(HLOBUF_EXEC=os.path.join(folder, name), HLOBUF_OVERRIDE=override)
    os.mkdir(name)
    process = hook._Process(None)
    target = process.target
    outer = f"--xla_dump_to={hook._quoted(target)} {TEXT}"
    other = f"--xla_dump_to={hook._quoted(target + '/process-7-2')} {TEXT}"
    for flags in (
        "",
        outer,
        f"--xla_a='1 2' {other} --xla_b",
        f"--xla_dump_to={name} {outer}",
        f"--xla_dump_to='{target}'",
        "--xla_dump_to=-",
        f'{outer} --xla_dump_to="e 0"',
        f"{outer} --xla_dump_to=e/\\0 {TEXT}",
        "--xla_dump_hlo_module_re=f",
        "flags.txt",
        "no-such-file",
    ):
        result = process.flags(flags)
        assert process.flags(result) == result, result
        own = hook._DUMP_TO + hook._quoted(process.folder)
        print(result.replace(f"{own} {TEXT}", "OWN"), *filter(None, process.wants))


pathlib.Path("flags.txt").write_text("--xla_dump_to=/e\n--xla_c\n")
show("d")
show("a 'b\"")
show("o", override="1")
