#!/usr/bin/env python3
"""Programs that update in place at indices that narrow arithmetic or constants give.

  index_kinds.py OUT --tool hlobuf-verify --kinds iota shift permutation printed --count 300

The Python has to have jax. Each program moves rows of an array to a window of it. It is run
once, or for many values of its scalars; numpy says what is right, and whether a row is read
after another one overwrote it. Of `printed`, dumps have all constants; of `permutation`, large
ones are left out, so that an error is right for any. A row of the table is

  kind  programs  wrong  reported  hazards  reported  others  reported

Exit status 1 if a wrong program is not an error, or one without a hazard is.
"""

import argparse
import json
import os
import random
import subprocess
import sys

KINDS = ("iota", "shift", "permutation", "printed")
RUNS = 60  # of a program with scalars
MANY = 1 << 16  # values of scalars of which numpy says whether they are hazards
NARROW = ("uint8", "int8", "uint8", "int8", "uint16", "int16")


def options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("out")
    parser.add_argument("--tool", default="hlobuf-verify")
    parser.add_argument("--kinds", nargs="+", default=KINDS, choices=KINDS)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--again", action="store_true", help="compile nothing")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    return parser.parse_args()


# Arithmetic of the machine, for jax and for numpy. An operation is (name, number or other).


def bits_of(x):
    return 8 * x.dtype.itemsize


def shift_of(np, name, a, by):
    """What emitters do: a distance is unsigned, what is too far leaves no bit or the sign."""
    width = bits_of(a)
    far = (by.astype("int64") < 0) | (by.astype("int64") >= width)
    by = np.where(far, 0, by).astype("int64")
    signed = a.astype(f"int{width}").astype("int64")
    plain = a.astype(f"uint{width}").astype("uint64")
    if name == "shift_right_arithmetic":
        result = np.where(far, np.where(signed < 0, -1, 0), signed >> by)
    elif name == "shift_right_logical":
        result = np.where(far, 0, plain >> by.astype("uint64"))
    else:
        result = np.where(far, 0, plain << by.astype("uint64"))
    return result.astype(a.dtype)


SHIFTS = ("shift_left", "shift_right_logical", "shift_right_arithmetic")


def draw_steps(rng, width, count):
    """Steps of an expression of the scalars a and b, which have one type."""
    steps = []
    for _ in range(count):
        way = rng.random()
        if way < 0.65:
            far = rng.choice((1, 2, 3, 4, width - 2, width - 1, width, width + 1, -1))
            by = rng.choice((far, far, far, "b", "b & 7"))
            steps.append((rng.choice(SHIFTS), by))
        elif way < 0.8:
            steps.append(("add", rng.choice((-3, -1, 1, 2, 5, 40, 100))))
        elif way < 0.9:
            steps.append(("and", (1 << rng.randint(1, width - 1)) - 1))
        else:
            steps.append(("convert", rng.choice(("int8", "uint8", "int32", "uint32"))))
    return steps


def apply(np, lax, steps, a, b):
    """With lax for jax, without for numpy."""
    for name, what in steps:
        if name == "convert":
            a = lax.convert_element_type(a, what) if lax else a.astype(what)
            continue
        if what in ("b", "b & 7"):
            by = b if what == "b" else b & np.asarray(7, b.dtype)
            by = lax.convert_element_type(by, a.dtype) if lax else by.astype(a.dtype)
        else:
            by = np.asarray(what).astype(a.dtype)
        if name == "add":
            a = lax.add(a, by) if lax else a + by
        elif name == "and":
            a = lax.bitwise_and(a, by) if lax else a & by
        else:
            a = getattr(lax, name)(a, by) if lax else shift_of(np, name, a, by)
    return a


# Programs: (what, function of jax, runs, hazards). A run is (arguments, first row written,
# rows read).


def move_rows(jnp, lax, x, rows, to):
    """Rows of x to a window of it; the update is fused with what it reads."""
    sizes = (1,) * (rows.ndim - 1) + x.shape[1:]
    numbers = lax.GatherDimensionNumbers(
        offset_dims=tuple(range(1, 1 + len(sizes))),
        collapsed_slice_dims=(),
        start_index_map=(0,),
    )
    taken = lax.gather(x, rows, numbers, sizes, mode="clip").reshape(
        (rows.shape[0],) + x.shape[1:]
    )
    starts = (to,) + (0,) * (x.ndim - 1)
    return lax.dynamic_update_slice(x, -taken, starts)[None]


def is_hazard(rows, to, count):
    """Whether a row is read that another row has overwritten, in any order."""
    return any(to <= r < to + count and r != to + k for k, r in enumerate(rows))


def shape_of(rng, size):
    return (size,) + rng.choice(((), (4,), (2, 3)))


def iota_program(np, jnp, lax, rng, _):
    kind = rng.choice(NARROW)
    wide = kind in ("uint16", "int16")
    count = rng.randint(66000, 70000) if wide else rng.choice((90, 140, 200, 260, 300))
    size, to = count + rng.randint(0, 12), rng.randint(0, 6)
    count -= max(0, count + to - size)
    shape = (size,) if wide else shape_of(rng, size)
    axis = rng.randrange(2)
    scale, offset = rng.choice((1, 1, 1, 2, 3)), rng.choice((0, to, to, 1, 100, -1))
    then = rng.choice(("int32", "int32", "int16" if not wide else "int32", kind))

    def indices(numpy):
        i = np.arange(count).astype(kind) if numpy else None
        if not numpy:
            both = (count, 2) if axis == 0 else (2, count)
            i = lax.broadcasted_iota(kind, both, axis)
            i = i[:, 1] if axis == 0 else i[1]
        i = i * np.asarray(scale).astype(kind)
        i = i.astype(then) if numpy else lax.convert_element_type(i, then)
        return i + np.asarray(offset).astype(then)

    rows = np.clip(indices(True).astype("int64"), 0, size - 1)

    def function(x):
        return move_rows(jnp, lax, x, indices(False)[:, None], to)

    what = f"{kind} * {scale} as {then} + {offset}, rows {to}:{to + count} of {shape}"
    return what, function, shape, [((), to, rows)], is_hazard(rows.tolist(), to, count)


def permutation_program(np, jnp, lax, rng, _):
    size = rng.choice((12, 40, 100, 310))
    count = rng.randint(size // 2, size)
    to, shape = rng.randint(0, size - count), shape_of(rng, size)
    rows = np.arange(to, to + count)
    way = rng.choice("identity outside random random swapped turned reversed".split())
    if way == "random":
        rows = np.random.default_rng(rng.randrange(1 << 30)).permutation(rows)
    elif way == "swapped":
        a, b = rng.randrange(count), rng.randrange(count)
        rows[[a, b]] = rows[[b, a]]
    elif way == "turned":
        rows = np.roll(rows, rng.randint(-3, 3))
    elif way == "reversed":
        rows = rows[::-1].copy()
    elif way == "outside" and count < size:
        free = [r for r in range(size) if not to <= r < to + count]
        rows = np.array([rng.choice(free) for _ in range(count)])
    table = rows.astype("int32")

    def function(x):
        return move_rows(jnp, lax, x, jnp.asarray(table)[:, None], to)

    what = f"{way}, rows {to}:{to + count} of {shape}"
    return what, function, shape, [((), to, rows)], is_hazard(rows.tolist(), to, count)


def shift_program(np, jnp, lax, rng, _):
    kind = rng.choice(("int8", "uint8", "int16", "uint16", "int32", "uint32", "uint32"))
    width, size = 8 * np.dtype(kind).itemsize, rng.choice((16, 40, 100, 310))
    count, shape = rng.randint(1, size - 1), shape_of(rng, size)
    write = draw_steps(rng, width, rng.randint(1, 3))
    read = list(write)
    way = rng.random()
    if way < 0.4:  # the same, but for one shift
        read = [(rng.choice(SHIFTS) if n in SHIFTS else n, w) for n, w in read]
    elif way < 0.6:
        read.append(("add", rng.choice((-2, -1, 1, 2))))
    elif way < 0.8:
        read = draw_steps(rng, width, rng.randint(1, 3))

    def start(steps, a, b, numpy):
        at = apply(np, None if numpy else lax, steps, a, b)
        return at.astype("int32") if numpy else lax.convert_element_type(at, "int32")

    def function(x, a, b):
        rest, sizes = (0,) * (len(shape) - 1), (count,) + shape[1:]
        r, w = (start(steps, a, b, False) for steps in (read, write))
        near = {"allow_negative_indices": False}
        taken = lax.dynamic_slice(x, (r, *rest), sizes, **near)
        return lax.dynamic_update_slice(x, -taken, (w, *rest), **near)[None]

    a, b = values_of(np, rng, kind, size), values_of(np, rng, kind, size)
    b = np.where(np.arange(MANY) % 3 == 0, b % np.asarray(width + 3, kind), b)
    with np.errstate(over="ignore"):
        r, w = (
            np.clip(start(steps, a, b, True).astype("int64"), 0, size - count)
            for steps in (read, write)
        )
    hazards = (r != w) & (abs(r - w) < count)
    first = np.flatnonzero(hazards)[: RUNS // 2].tolist() + list(range(RUNS // 2))
    runs = [((a[k], b[k]), int(w[k]), np.arange(count) + r[k]) for k in first]
    what = f"{kind} {read} to {write}, {count} rows of {shape}"
    return what, function, shape, runs, bool(hazards.any())


def values_of(np, rng, kind, size):
    numbers = np.random.default_rng(rng.randrange(1 << 30))
    limits = np.iinfo(kind)
    near = numbers.integers(-2 * size, 4 * size, MANY)
    edges = numbers.choice([limits.min, limits.max, 0, 1 << (limits.bits - 1)], MANY)
    scaled = numbers.integers(0, 2 * size, MANY) << numbers.integers(0, 28, MANY)
    any_one = numbers.integers(limits.min, limits.max, MANY, endpoint=True)
    ways = numbers.integers(0, 4, MANY)
    chosen = np.choose(ways, (near, near + edges, scaled, any_one))
    return chosen.astype(kind)


MAKERS = {
    "iota": iota_program,
    "shift": shift_program,
    "permutation": permutation_program,
    "printed": permutation_program,
}


# The process that compiles and runs.


def work(o):
    import jax  # pylint: disable=import-outside-toplevel
    import jax.numpy as jnp  # pylint: disable=import-outside-toplevel
    import numpy as np  # pylint: disable=import-outside-toplevel
    from jax import lax  # pylint: disable=import-outside-toplevel

    truth = open(os.path.join(o.out, f"{o.worker}.jsonl"), "w", encoding="utf-8")
    for number in range(o.count):
        rng = random.Random(f"{o.worker} {number}")
        with np.errstate(over="ignore"):
            what, function, shape, runs, hazard = MAKERS[o.worker](
                np, jnp, lax, rng, number
            )
        function.__name__ = f"{o.worker}_{number}"
        x = np.arange(1, 1 + int(np.prod(shape)), dtype="int32").reshape(shape)
        compiled = jax.jit(function, keep_unused=True)
        wrong = 0
        for given, to, rows in runs:
            right = x.copy()
            right[to : to + len(rows)] = -x[rows]
            wrong += not np.array_equal(np.asarray(compiled(x, *given))[0], right)
        row = {"name": function.__name__, "wrong": wrong, "runs": len(runs)}
        row.update(hazard=hazard, what=what)
        truth.write(json.dumps(row) + "\n")
        compiled.clear_cache()


def compile_all(o, kind):
    dumps = os.path.join(o.out, kind)
    os.makedirs(dumps, exist_ok=True)
    flags = f"--xla_dump_to={dumps} --xla_dump_hlo_as_text"
    flags += " --xla_dump_large_constants" if kind == "printed" else ""
    command = [sys.executable, __file__, o.out, "--worker", kind, "--count", str(o.count)]
    env = {**os.environ, "XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu"}
    subprocess.run(command, env=env, check=True)


def verdicts(o, kind):
    """The findings of each program, by its name."""
    dumps = os.path.join(o.out, kind)
    command = [o.tool, "--format=json", "--no-config", "--jobs=1", dumps]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    found = {}
    for line in done.stdout.splitlines():
        verdict = json.loads(line)
        name = str(verdict.get("module", "")).removeprefix("jit_")
        found[name] = [f["severity"] for f in verdict["findings"]]
    return found


def judge(o, kind):
    found, bad = verdicts(o, kind), 0
    with open(os.path.join(o.out, f"{kind}.jsonl"), encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    counts = {"wrong": [0, 0], "hazards": [0, 0], "others": [0, 0]}
    for row in rows:
        severities = found.get(row["name"])
        reported = severities is not None and "error" in severities
        group = "wrong" if row["wrong"] else "hazards" if row["hazard"] else "others"
        counts[group][0] += 1
        counts[group][1] += reported
        silent = group == "wrong" and not reported
        false = group == "others" and reported and kind != "permutation"
        if silent or false or severities is None:
            bad += 1
            say = "SILENT" if silent else "REPORTED" if false else "NO VERDICT"
            doubt = ", warning" if severities and "warning" in severities else ""
            print(f"! {row['name']} {row['wrong']} of {row['runs']} {say}{doubt}: {row['what']}")
    cells = "  ".join(f"{k} {a}, reported {b}" for k, (a, b) in counts.items())
    print(f"{kind}: {len(rows)} programs  {cells}")
    return bad


def main():
    o = options()
    if o.worker:
        return work(o)
    bad = 0
    for kind in o.kinds:
        if not o.again:
            compile_all(o, kind)
        bad += judge(o, kind)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
