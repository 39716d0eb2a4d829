"""Runs in each Python process below `hlobuf-verify --exec`, as its sitecustomize.

It makes a folder to dump into that no other process has, and puts it into XLA_FLAGS:
when the process starts, after a fork, and when the program changes the variable. It
notes what the process does in a file next to this one (lib/Exec/PythonProcesses.cpp),
and saves executables, which hold the program that runs, next to the dumps. Nothing that
fails here is an error of the program. Also runs in Python 2.
"""

# Without annotations and newer syntax, for Python 2.
# mypy: ignore-errors
# ruff: noqa

import itertools
import os
import re
import sys
import time

# The folder of dumps, and whether the program's own choice counts.
_TARGET, _OVERRIDE = "HLOBUF_EXEC", "HLOBUF_OVERRIDE"
_FLAGS, _DUMP_TO, _AS_TEXT = "XLA_FLAGS", "--xla_dump_to=", "--xla_dump_hlo_as_text"
_FILTERS = "--xla_dump_(hlo_module_re|max_hlo_modules)"
_ASSIGNMENT = "-buffer-assignment.txt"
# What parses the flags, at the latest when it compiles for the first time.
_USERS = ("jaxlib", "tensorflow", "torch_xla")
# Executables of these hold thunks.
_PLATFORMS = ("cpu", "gpu", "cuda", "rocm")
# What saving executables may cost a process: a second and a share of the time that jax
# compiled, and space in the folder of dumps.
_SAVING = "HLOBUF_EXECUTABLES"
_SECONDS, _SHARE, _BYTES = 1.0, 0.1, 1 << 30


def _bytes(text):
    return text if isinstance(text, bytes) else os.fsencode(text)


def _text(text):
    return text if isinstance(text, str) else os.fsdecode(text)


def _folder_in(flags):
    """The folder that the flags name last, as XLA reads it, if they name one."""
    value = flags.rpartition(_DUMP_TO)[2] if _DUMP_TO in flags else ""
    kinds = r"""'([^']*)|"((?:\\.|[^"\\])*)|(\S*)"""
    single, double, plain = re.match(kinds, value).groups("")
    folder = single or re.sub(r"\\(.)", r"\1", double) or plain
    return folder if folder not in ("-", "sponge") else ""


def _read(flags):
    """The flags themselves; anything but a flag names a file of them."""
    if not flags.strip() or flags.strip().startswith("-"):
        return flags.strip()
    try:
        with open(flags.strip()) as file:
            return file.read().replace("\n", " ").strip()
    except Exception:
        return ""


def _quoted(value):
    plain = not re.search(r"""[\s'"]""", value)
    return value if plain else '"%s"' % re.sub(r"""(["\\])""", r"\\\1", value)


class _Process(object):
    """This process, its folder and notes, and what it saved of its programs."""

    def __init__(self, group):
        self.target = os.environ[_TARGET]
        for number in itertools.count(1):
            name = "process-%d" % os.getpid() + ("-%d" % number) * (number > 1)
            self.folder = os.path.join(self.target, name)
            try:
                os.mkdir(self.folder)
                break
            except OSError:
                if not os.path.isdir(self.folder):
                    raise
        self.notes = os.path.join(os.path.dirname(__file__), name)
        self.group = group or name
        self.wants = ("0", "")
        self.saved, self.bytes, self.compiling, self.saving = 0, 0, 0.0, 0.0
        self.note("group", self.group)
        with open("/proc/self/stat") as file:
            self.note("started", file.read().rpartition(")")[2].split()[19])
        with open("/proc/self/cmdline", "rb") as file:
            command = re.sub(r"^[^\0]*/", "", _text(file.read()).rstrip("\0"))
        self.note("command", command[:160])

    def note(self, *words):
        try:
            line = re.sub(r"[\0-\x1f]", " ", " ".join(words)) + "\n"
            with open(self.notes, "ab", 0) as file:
                file.write(_bytes(line))
        except Exception:
            pass  # the command has ended, and nobody reads it

    def flags(self, wanted):
        """What XLA is to get where the program sets the flags `wanted`."""
        wanted = _read(wanted)
        path = os.path.abspath(_folder_in(wanted) or self.target)
        ours = path == self.target or path.startswith(self.target + "/process-")
        path = "" if ours or os.environ.get(_OVERRIDE) else path
        wants = ("1" if re.search(_FILTERS, wanted) else "0", path)
        if wants != self.wants:
            self.wants = wants
            self.note("wants", *wants)
        # Without what a process above added, or we did
        added = _DUMP_TO + _quoted(self.target + "/").rpartition("/")[0]
        added = " ?" + re.escape(added) + r'(/process-[\d-]+)?"? ' + _AS_TEXT
        flags = re.sub(added, "", wanted)
        if not path:
            flags += " " + _DUMP_TO + _quoted(self.folder) + " " + _AS_TEXT
        elif _AS_TEXT not in flags:
            flags += " " + _AS_TEXT
        return flags.strip()

    def save(self, backend, executable, seconds, before):
        """Saves a program that was compiled in `seconds`, since `before`."""
        self.compiling += seconds
        if backend.platform not in _PLATFORMS or self.bytes >= _BYTES:
            return
        limit = _SECONDS + _SHARE * self.compiling
        if self.saving >= limit and os.environ.get(_SAVING) != "all":
            return
        begin = time.perf_counter()
        try:
            if self.wants == ("0", ""):
                self.write(_serialize(backend, executable), self.dumps() - before)
        finally:
            self.saving += time.perf_counter() - begin

    def write(self, data, dumps):
        """Names the file like the dump that was written meanwhile, if that is one."""
        if self.bytes + len(data) > _BYTES:
            return
        self.bytes += len(data)
        stem = os.path.join(self.folder, "executable_%04d" % self.saved)
        if len(dumps) == 1:
            stem = dumps.pop()[: -len(_ASSIGNMENT)]
        self.saved += 1
        # A process that dies leaves no part of an executable under that name.
        part = stem + ".pjrt.part"
        try:
            with open(part, "wb") as file:
                file.write(data)
            os.rename(part, stem + ".pjrt")
        except Exception:
            os.unlink(part)

    def dumps(self):
        import glob

        return set(glob.glob(glob.escape(self.folder) + "/*" + _ASSIGNMENT))


_PROCESS = []


def _begin(group=None):
    _PROCESS[:] = [_Process(group)]
    os.environ[_FLAGS] = _PROCESS[0].flags(os.environ.get(_FLAGS, ""))


def _after_fork():
    try:
        loaded = any(name in sys.modules for name in _USERS)
        _begin(_PROCESS[0].group if loaded else None)
    except Exception:
        pass


def _watch_flags():
    """The program sees the flags that it sets, XLA those and the folder."""
    putenv, unsetenv = os.putenv, os.unsetenv

    def put(key, value):
        if _text(key) == _FLAGS:
            try:
                value = _bytes(_PROCESS[0].flags(_text(value)))
            except Exception:
                pass
        putenv(key, value)

    def unset(key):
        put(key, "") if _text(key) == _FLAGS else unsetenv(key)

    os.putenv, os.unsetenv = put, unset
    # Python 3.8 and before
    for name, function in (("putenv", put), ("unsetenv", unset)):
        if hasattr(os.environ, name):
            setattr(os.environ, name, function)


class _Finder(object):
    """Calls us as soon as a module of jax is there."""

    def __init__(self, wanted):
        self.wanted = wanted

    def find_spec(self, name, path=None, target=None):
        if name in _USERS:
            _PROCESS[0].note("loads")
        if name not in self.wanted:
            return None
        import importlib.util

        found = self.wanted.pop(name)
        spec = importlib.util.find_spec(name)
        load = spec.loader.exec_module

        def load_and_tell(module):
            load(module)
            try:
                found(module)
            except Exception:
                pass

        try:
            spec.loader.exec_module = load_and_tell
        except Exception:
            pass
        return spec


def _listen(monitoring):
    def timed(event, *args, **kwargs):
        if event == "/jax/core/compile/backend_compile_duration":
            _PROCESS[0].note("compiled")

    def happened(event, *args, **kwargs):
        if event == "/jax/compilation_cache/cache_hits":
            _PROCESS[0].note("hit", _cache_folder())

    try:
        monitoring.register_event_duration_secs_listener(timed)
        monitoring.register_event_listener(happened)
    except Exception:
        pass  # of another release: its programs are not counted


def _cache_folder():
    try:
        folder = sys.modules["jax"].config.jax_compilation_cache_dir
        return os.path.abspath(folder) if folder else ""
    except Exception:
        return ""


def _serialize(backend, executable):
    if hasattr(executable, "serialize"):
        return executable.serialize()
    return backend.serialize_executable(executable)  # jax 0.7 and before


def _save_executables(compiler):
    """Wraps the functions through which jax obtains executables."""
    for name in dir(compiler):
        if name.startswith("backend_compile"):
            setattr(compiler, name, _saving(getattr(compiler, name)))


def _saving(compile):
    import functools

    @functools.wraps(compile)
    def compile_and_save(*args, **kwargs):
        process = _PROCESS[0]
        before, begin = process.dumps(), time.perf_counter()
        executable = compile(*args, **kwargs)
        seconds = time.perf_counter() - begin
        try:
            backend = args[0] if args else kwargs["backend"]
            process.save(backend, executable, seconds, before)
        except Exception:
            pass
        return executable

    return compile_and_save


def _start():
    if _TARGET not in os.environ or "_hlobuf_exec" in sys.modules:
        return
    sys.modules["_hlobuf_exec"] = sys.modules[__name__]
    _begin()
    if sys.version_info >= (3, 7):
        _watch_flags()
        os.register_at_fork(after_in_child=_after_fork)
        wanted = {"jax._src.monitoring": _listen}
        if os.environ.get(_SAVING) != "0":
            wanted["jax._src.compiler"] = _save_executables
        sys.meta_path.insert(0, _Finder(wanted))


def _go_on():
    """Runs the sitecustomize that this one is in front of."""
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [path for path in sys.path if os.path.abspath(path) != here]
    own = sys.modules.pop(__name__)
    try:
        import sitecustomize
    except ImportError as error:
        sys.modules[__name__] = own
        if getattr(error, "name", __name__) != __name__:
            raise


if __name__ == "sitecustomize":
    try:
        _start()
    except Exception:
        pass
    _go_on()
