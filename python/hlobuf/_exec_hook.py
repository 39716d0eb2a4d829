"""Runs in each Python process below `hlobuf-verify --exec`, as its sitecustomize.

It asks hlobuf-verify for a folder to dump into that no other process has, and puts it
into XLA_FLAGS: when the process starts, after a fork, and when the program changes the
variable. It says how many programs jax compiled, and saves their executables, which
hold the program that runs. Nothing that fails here is an error of the program. Also
runs in Python 2.
"""

# Without annotations and newer syntax, for Python 2.
# mypy: ignore-errors
# ruff: noqa

import itertools
import os
import sys
import time

_SOCKET = "HLOBUF_EXEC"
_FLAGS = "XLA_FLAGS"
# What parses the flags, at the latest when it compiles for the first time.
_USERS = ("jaxlib", "tensorflow", "torch_xla")
# The process that asked last: a parent may be gone when its child asks.
_PROCESS = [os.getpid()]
# Executables of these hold thunks.
_PLATFORMS = ("cpu", "gpu", "cuda", "rocm")
# What saving executables may cost a process: a second and a share of the time that jax
# compiled, and space in the folder of dumps.
_SAVING = "HLOBUF_EXECUTABLES"
_SECONDS, _SHARE, _BYTES = 1.0, 0.1, 1 << 30


def _ask(*words):
    """Sends the words, and returns the answer; empty if there is none."""
    try:
        import _socket

        socket = _socket.socket(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
        try:
            socket.settimeout(30)
            socket.connect(b"\0" + _bytes(os.environ[_SOCKET]))
            socket.send(b"\0".join(_bytes(word) for word in words))
            return _text(socket.recv(1 << 18))
        finally:
            socket.close()
    except Exception:
        return ""


def _bytes(text):
    return text if isinstance(text, bytes) else os.fsencode(text)


def _text(text):
    return text if isinstance(text, str) else os.fsdecode(text)


def _set(*words):
    """Sets the flags to the answer."""
    flags = _ask(*(words + (os.environ.get(_FLAGS, ""),)))
    if flags:
        os.environ[_FLAGS] = flags


def _after_fork():
    loaded = any(name in sys.modules for name in _USERS)
    parent = _PROCESS[0]
    _PROCESS[0] = os.getpid()
    _SAVED[0] = _Saved()
    _set("fork", str(parent), "1" if loaded else "0")


def _watch_flags():
    """The program sees the flags that it sets, XLA those and the folder."""
    putenv, unsetenv = os.putenv, os.unsetenv

    def put(key, value):
        if _text(key) == _FLAGS:
            value = _bytes(_ask("flags", value) or value)
        putenv(key, value)

    def unset(key):
        flags = _ask("flags", "") if _text(key) == _FLAGS else ""
        if flags:
            putenv(key, _bytes(flags))
        else:
            unsetenv(key)

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
        if name not in self.wanted:
            return None
        import importlib.util

        found = self.wanted.pop(name)
        if not self.wanted:
            sys.meta_path.remove(self)
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
            _ask("compiled")

    def happened(event, *args, **kwargs):
        if event == "/jax/compilation_cache/cache_hits":
            _ask("hit", _cache_folder())

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


class _Saved(object):
    """What this process saved of the programs that it compiled."""

    def __init__(self):
        self.folder = None
        self.numbers = itertools.count()
        self.bytes = 0
        self.compiling = 0.0
        self.saving = 0.0

    def add(self, backend, executable, seconds):
        self.compiling += seconds
        if backend.platform not in _PLATFORMS or self.bytes >= _BYTES:
            return
        limit = _SECONDS + _SHARE * self.compiling
        if self.saving >= limit and os.environ.get(_SAVING) != "all":
            return
        begin = time.perf_counter()
        try:
            if self.folder is None:
                self.folder = _ask("save")
            if self.folder:
                self.write(_serialize(backend, executable))
        finally:
            self.saving += time.perf_counter() - begin

    def write(self, data):
        if self.bytes + len(data) > _BYTES:
            return
        self.bytes += len(data)
        name = "executable_%04d.pjrt" % next(self.numbers)
        path = os.path.join(self.folder, name)
        # A process that dies leaves no part of an executable under that name.
        part = path + ".part"
        try:
            with open(part, "wb") as file:
                file.write(data)
            os.rename(part, path)
        except Exception:
            os.unlink(part)


_SAVED = [_Saved()]


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
        begin = time.perf_counter()
        executable = compile(*args, **kwargs)
        try:
            backend = args[0] if args else kwargs["backend"]
            _SAVED[0].add(backend, executable, time.perf_counter() - begin)
        except Exception:
            pass
        return executable

    return compile_and_save


def _start():
    if _SOCKET not in os.environ or "_hlobuf_exec" in sys.modules:
        return
    sys.modules["_hlobuf_exec"] = sys.modules[__name__]
    _set("start")
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
