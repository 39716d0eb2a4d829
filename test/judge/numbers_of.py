"""Whether numbers are wrong: exact ones differ, or rounded ones by more than rounding."""

import numpy as np

import reference

SPREAD = 5  # evaluations with other rounding errors


def wide(x):
    if x.dtype.kind == "c":
        return x.astype(np.complex128)
    return x.astype(np.float64)


def distance(x, y):
    """Of each number; infinite where only one is finite."""
    x, y = wide(x), wide(y)
    with np.errstate(all="ignore"):
        same = (x == y) | (np.isnan(x) & np.isnan(y))
        apart = np.abs(x - y)
    return np.where(same, 0, np.where(np.isnan(apart), np.inf, apart))


def evaluate(program, jaxpr):
    """What the program computes, without the compiler."""
    reference.EAGER[0] = program.close
    if program.specs:
        import spmd  # noqa: F401  # pylint: disable=import-outside-toplevel,unused-import
    return reference.evaluate(jaxpr, program.arguments)


def judge(program, jaxpr, results, expected):
    """right, wrong, or why that cannot be said."""
    if not program.close:
        return "right" if all(map(np.array_equal, results, expected)) else "wrong"
    errors = [distance(x, y) for x, y in zip(results, expected)]
    if all(not e.size or e.max() <= 1e-4 for e in errors):
        return "right"
    # The same with other rounding errors: how far apart right results may be, in a whole
    # array, since each number may be the one that is rounded to another side.
    spread = [1e-3] * len(errors)
    for seed in range(SPREAD):
        reference.SETTINGS.noise = np.random.default_rng(seed)
        try:
            other = evaluate(program, jaxpr)
        finally:
            reference.SETTINGS.noise = None
        for k, (x, y) in enumerate(zip(other, expected)):
            spread[k] = max(spread[k], 30 * distance(x, y).max(initial=0))
    if any((e > s).any() for e, s in zip(errors, spread)):
        return "wrong"
    return "unknown: rounding"
