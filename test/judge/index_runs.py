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

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, os.pardir, "mutation")]

from harness import read, write  # pylint: disable=wrong-import-position

SECONDS = 240  # for a program, on a busy machine
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
    while tasks:
        running = []
        for number in range(workers):
            share = {name: tasks[name] for name in list(tasks)[number::workers]}
            if share:
                running.append(start(out, task, number, share))
        for process, share, begun in running:
            process.wait()
            left = [name for name in share if not is_done(out, task, name, share[name])]
            lost = read(begun)
            if process.returncode and lost in left:
                fail(out, task, lost, share[lost], "crashes")
        tasks = {
            n: given for n, given in tasks.items() if not is_done(out, task, n, given)
        }
        if running and all(p.returncode == 0 for p, _, _ in running) and tasks:
            raise RuntimeError(f"{len(tasks)} programs were passed over")


def start(out, task, number, share):
    os.makedirs(out, exist_ok=True)
    begun, given = (
        os.path.join(out, f"{what}-{number}") for what in ("begun", "share")
    )
    write(begun, "")
    write(given, json.dumps(share))
    command = [sys.executable, os.path.abspath(__file__), out, task, str(number)]
    return subprocess.Popen(command), share, begun


def is_done(out, task, name, given):
    if task in FILES:
        return load(out, name, FILES[task]) is not None
    known = load(out, name, "claims.json", {})
    return all(key_of(w) in known for w in given)


def fail(out, task, name, given, status):
    if task in FILES:
        save(out, name, FILES[task], {"name": name, "status": status})
        return
    known = load(out, name, "claims.json", {})
    known.update({key_of(w): status for w in given})
    save(out, name, "claims.json", known)


def key_of(given):
    """The values of a claim, as a key; JSON has no numbers as keys."""
    return json.dumps(sorted((int(k), v) for k, v in given.items()))


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


PLAIN = {"xla_backend_optimization_level": "0"}
UNFUSED = {"xla_disable_hlo_passes": "fusion"}


def judge_cause(out, name, values):
    """Whether it is wrong for one of these values without fusions, too."""
    from index_programs import (
        indices_program,
    )  # pylint: disable=import-outside-toplevel

    machine = Machine(indices_program(int(name.rsplit("_", maxsplit=1)[1])), UNFUSED)
    wrong = any(machine.is_wrong(v, k) for v in values for k in range(ARRAYS))
    save(out, name, "unfused.json", wrong)


def judge_claims(out, name, claims):
    """Where each goes wrong: as compiled, only if LLVM optimizes nothing, or not."""
    from index_programs import (
        indices_program,
    )  # pylint: disable=import-outside-toplevel

    number = int(name.rsplit("_", maxsplit=1)[1])
    known, machines = load(out, name, "claims.json", {}), {}
    for given in claims:
        if key_of(given) in known:
            continue
        known[key_of(given)] = "right"
        for how, options in (("wrong", None), ("wrong, plain", PLAIN)):
            if how not in machines:
                machines[how] = Machine(indices_program(number), options)
            if goes_wrong(machines[how], given):
                known[key_of(given)] = how
                break
    save(out, name, "claims.json", known)


def goes_wrong(machine, given):
    """For these values of some scalars, and some values of the others."""
    import numpy as np  # pylint: disable=import-outside-toplevel
    from index_scalars import choices  # pylint: disable=import-outside-toplevel

    for number, value in given.items():
        if not 1 <= int(number) <= len(machine.kinds):
            return False
        limits = np.iinfo(machine.kinds[int(number) - 1])
        if not limits.min <= value <= limits.max:
            return False
    size, rng = max(machine.program.arguments[0].shape), random.Random(0)
    free = len(given) < len(machine.kinds)
    some = (
        choices(rng, machine.kinds, size, 400) if free else [[0] * len(machine.kinds)]
    )
    for values in some:
        values = [given.get(str(k + 1), v) for k, v in enumerate(values)]
        if any(
            machine.is_wrong(values, which) for which in range(1 if free else ARRAYS)
        ):
            return True
    return False


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
