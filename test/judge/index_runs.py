"""Compiles the programs of index_programs.py, and runs each for many values.

A program has a folder with its dump, the numbers (`truth.json`), and what was found where
the tool says that it goes wrong (`claims.json`). A process that is lost costs one program.
"""

import glob
import json
import os
import random
import shutil
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, os.pardir, "mutation")]

from claims import key_of  # pylint: disable=wrong-import-position
from harness import (
    ASSIGNMENT,
    read,
    stem_of,
    write,
)  # pylint: disable=wrong-import-position

SECONDS = 240  # for a program, on a busy machine
IN_ORDER = "in ascending order"  # said of what is wrong in another order only
CASES = 24  # values to run of those that a finding leaves open
SHARE = 100  # programs of a process
ARRAYS = 3  # other numbers for the array
FILES = {"run": "truth.json", "cause": "unfused.json"}


def folder_of(out, name):
    return os.path.join(out, "pool", name)


def load(out, name, what, default=None):
    path = os.path.join(folder_of(out, name), what)
    return json.loads(read(path)) if os.path.exists(path) else default


def save(out, name, what, data):
    os.makedirs(folder_of(out, name), exist_ok=True)
    path = os.path.join(folder_of(out, name), what)
    write(path + ".new", json.dumps(data))
    os.replace(path + ".new", path)


# The process that starts others.


def in_processes(out, task, tasks, workers):
    """Does a task for each name; tasks[name] is what the task is given."""
    os.makedirs(out, exist_ok=True)
    shares = [
        dict(list(tasks.items())[k : k + SHARE]) for k in range(0, len(tasks), SHARE)
    ]
    running = {}
    while shares or running:
        for number in set(range(workers)) - set(running) if shares else ():
            if shares:
                share = shares.pop(0)
                running[number] = start(out, task, number, share), share
        time.sleep(0.05)
        for number, (process, share) in list(running.items()):
            if process.poll() is None:
                continue
            del running[number]
            lost = read(os.path.join(out, f"begun-{number}"))
            if process.returncode and lost in share:
                if not is_done(out, task, lost, share[lost]):
                    fail(out, task, lost, share[lost], "crashes")
            left = {n: g for n, g in share.items() if not is_done(out, task, n, g)}
            if left and (process.returncode == 0 or not lost):
                raise RuntimeError(f"{len(left)} programs were passed over")
            shares += [left] if left else []


def start(out, task, number, share):
    begun, given = (
        os.path.join(out, f"{what}-{number}") for what in ("begun", "share")
    )
    write(begun, "")
    write(given, json.dumps(share))
    command = [sys.executable, os.path.abspath(__file__), out, task, str(number)]
    return subprocess.Popen(command)


def is_done(out, task, name, given):
    if task in FILES:
        return load(out, name, FILES[task]) is not None
    known = load(out, name, "claims.json", {})
    return all(key_of(finding) in known for finding in given)


def fail(out, task, name, given, status):
    if task in FILES:
        save(out, name, FILES[task], {"name": name, "status": status})
        return
    known = load(out, name, "claims.json", {})
    known.update({key_of(finding): status for finding in given})
    save(out, name, "claims.json", known)


# The process that compiles and runs.


class Machine:
    """One program, compiled; the reference evaluates what was traced."""

    def __init__(self, program, options=None):
        import jax  # pylint: disable=import-outside-toplevel
        from index_programs import arrays_of  # pylint: disable=import-outside-toplevel

        self.jax, self.program = jax, program
        program.function.__name__ = program.name
        jitted = jax.jit(
            program.function, donate_argnums=program.donated, keep_unused=True
        )
        self.traced = jitted.trace(*program.arguments)
        self.compiled = self.traced.lower().compile(compiler_options=options)
        self.arrays = arrays_of(program, ARRAYS)
        self.held = [jax.device_put(x.copy()) for x in self.arrays]
        self.kinds = [x.dtype.name for x in program.arguments[1:]]

    def is_wrong(self, values, which):
        """Whether the numbers differ for these scalars and this array."""
        import numpy as np  # pylint: disable=import-outside-toplevel
        import reference  # pylint: disable=import-outside-toplevel

        given = [np.asarray(v, kind) for v, kind in zip(values, self.kinds)]
        x = self.arrays[which]
        held = (
            self.jax.device_put(x.copy()) if self.program.donated else self.held[which]
        )
        results = [
            np.array(r) for r in self.jax.tree.leaves(self.compiled(held, *given))
        ]
        expected = reference.evaluate(self.traced.jaxpr, [x, *given])
        same = all(map(np.array_equal, results, expected))
        if same and not self.program.donated:
            same = np.array_equal(np.asarray(held), x)
        return not same


def judge_numbers(out, name, count):
    from index_programs import (
        indices_program,
    )  # pylint: disable=import-outside-toplevel
    from index_scalars import choices  # pylint: disable=import-outside-toplevel

    program = indices_program(int(name.rsplit("_", maxsplit=1)[1]))
    truth = {"name": name, "what": program.what, "status": "ran", "values": []}
    machine = Machine(program)
    keep_dump(out, name)
    rng, size = random.Random(f"values {name}"), max(program.arguments[0].shape)
    chosen = choices(rng, machine.kinds, size, count)
    wrong = [v for k, v in enumerate(chosen) if machine.is_wrong(v, k % ARRAYS)]
    truth.update(kinds=machine.kinds, runs=len(chosen), wrong=len(wrong))
    truth["values"] = wrong[:3]
    save(out, name, "truth.json", truth)


def keep_dump(out, name):
    """Moves what the tool reads of this program, and what was compiled."""
    os.makedirs(folder_of(out, name), exist_ok=True)
    for path in glob.glob(
        os.path.join(dumps(out), f"*.jit_{name}.*optimizations*.txt")
    ):
        shutil.move(path, os.path.join(folder_of(out, name), os.path.basename(path)))
    shutil.rmtree(dumps(out))
    os.makedirs(dumps(out))


def dumps(out):
    return os.path.join(out, f"now-{os.getpid()}")


PLAIN = (("xla_backend_optimization_level", "0"),)
UNFUSED = {"xla_disable_hlo_passes": "fusion"}


def judge_cause(out, name, values):
    """Whether it is wrong for one of these values without fusions, too."""
    from index_programs import (
        indices_program,
    )  # pylint: disable=import-outside-toplevel

    machine = Machine(indices_program(int(name.rsplit("_", maxsplit=1)[1])), UNFUSED)
    wrong = any(machine.is_wrong(v, k) for v in values for k in range(ARRAYS))
    save(out, name, "unfused.json", wrong)


def judge_claims(out, name, findings):
    """What happens where each is said to go wrong."""
    from claims import Claim  # pylint: disable=import-outside-toplevel
    from index_programs import (
        indices_program,
    )  # pylint: disable=import-outside-toplevel

    number = int(name.rsplit("_", maxsplit=1)[1])
    assignment = glob.glob(os.path.join(folder_of(out, name), f"*{ASSIGNMENT}"))[0]
    module = read(stem_of(assignment) + ".txt")
    known, machines = load(out, name, "claims.json", {}), {}

    def machine(options):
        if options not in machines:
            given = dict(options)
            machines[options] = Machine(indices_program(number), given)
        return machines[options]

    for finding in findings:
        if key_of(finding) not in known:
            claim = Claim(finding, module)
            said = what_happens(claim, finding, assignment, machine)
            said += ", names what is not in the text" if claim.unknown else ""
            known[key_of(finding)] = said
    save(out, name, "claims.json", known)


def what_happens(claim, finding, assignment, machine):
    """wrong; or only if LLVM optimizes nothing; or right, and which elements say so."""
    from claims import is_confirmed  # pylint: disable=import-outside-toplevel

    cases = list(claim.cases(CASES))
    if not cases:
        return "no such values"
    for how, options in (("wrong", ()), ("wrong, plain", PLAIN)):
        if IN_ORDER not in finding["message"]:
            if goes_wrong(machine(options), [claim.values_of(c) for c in cases]):
                return how
    confirmed = is_confirmed(claim, assignment, cases)
    return "right, confirmed" if confirmed else "right, NOT CONFIRMED"


def goes_wrong(machine, cases):
    one = len(cases) == 1
    return any(
        machine.is_wrong(values, which)
        for values in cases
        for which in range(ARRAYS if one else 1)
    )


TASKS = {"run": judge_numbers, "cause": judge_cause, "claim": judge_claims}


def work(out, task, number):
    os.environ["JAX_PLATFORMS"] = "cpu"
    if task == "run":
        os.environ["XLA_FLAGS"] = f"--xla_dump_to={dumps(out)} --xla_dump_hlo_as_text"
    import jax  # pylint: disable=import-outside-toplevel

    jax.config.update("jax_traceback_in_locations_limit", 1)  # short dumps
    os.makedirs(dumps(out))
    begun, given = (
        os.path.join(out, f"{what}-{number}") for what in ("begun", "share")
    )
    share = json.loads(read(given))
    for name in share:
        if is_done(out, task, name, share[name]):
            continue
        write(begun, name)
        watch = threading.Timer(SECONDS, give_up, [out, task, name, share[name]])
        watch.start()
        try:
            TASKS[task](out, name, share[name])
        except Exception as error:  # pylint: disable=broad-exception-caught
            status = f"failed: {type(error).__name__} {str(error)[:120]}"
            fail(out, task, name, share[name], status)
        watch.cancel()
    shutil.rmtree(dumps(out))


def give_up(out, task, name, given):
    fail(out, task, name, given, "hangs")
    os._exit(1)  # pylint: disable=protected-access


if __name__ == "__main__":
    work(sys.argv[1], sys.argv[2], int(sys.argv[3]))
