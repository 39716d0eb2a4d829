"""Varied programs: compositions of blocks, for one device or for four.

The blocks of a program follow from its number and the weights that blocks have, which
utils/hunt gives to those whose targets were reached least. The table has them, so that
`--blocks` makes the same program again without the weights.
"""

import random

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import PartitionSpec

import blocks_data  # noqa: F401  # pylint: disable=unused-import
from blocks import BLOCKS, SETTINGS, Draw, kind_of, squash
from blocks_flow import AXIS, COLLECTIVE, DEVICES


def chosen(kind, number):
    """The names of the blocks of a program."""
    if SETTINGS["blocks"]:
        return list(SETTINGS["blocks"])
    rng = random.Random(f"{kind} {number}")
    names = sorted(BLOCKS)
    if kind == "varied":
        names = [name for name in names if name not in COLLECTIVE]
    weights = [SETTINGS["weights"].get(name, 1.0) for name in names]
    count = rng.randint(2, 9)
    if kind == "sharded":
        exchange = [w if name in COLLECTIVE else 0 for name, w in zip(names, weights)]
        first = rng.choices(names, exchange if any(exchange) else None, k=rng.randint(1, 3))
        both = first + rng.choices(names, weights, k=count)
        rng.shuffle(both)
        return both
    return rng.choices(names, weights, k=count)


def arguments_of(rng):
    """An integer array, a float one, and others like these."""
    numbers = np.random.default_rng(rng.randrange(1 << 60))
    shapes = [rng.choice(((8, 16), (8, 16), (16, 8), (128,))) for _ in range(2)]
    kinds = ["int32", "float32"]
    for _ in range(rng.randint(0, 3)):
        which = rng.randrange(2)
        shapes.append(shapes[which])
        kinds.append(kinds[which])
    values = [numbers.integers(-99, 99, shape) for shape in shapes]
    return [
        (x / 128 if kind == "float32" else x).astype(kind) for x, kind in zip(values, kinds)
    ]


def body(inner, names, sharded, donated):
    def function(*values):
        draw = Draw(random.Random(inner), values, names, sharded)
        draw.all()
        made = draw.pool[len(values) :] or draw.pool
        outputs = [made[-1], *draw.rng.choices(draw.pool, k=draw.rng.randint(0, 3))]
        for k in donated:
            if draw.rng.random() < 0.6:
                x = draw.fit(draw.recent(), values[k].shape, values[k].dtype)
                outputs.append(squash(x) if kind_of(x) == "f" else x + 1)
        return tuple(jnp.atleast_1d(x) for x in outputs)

    return function


def varied(kind, number, program):
    """The program of a number; `program` is the class."""
    names = chosen(kind, number)
    rng = random.Random(f"{kind} {number} arguments")
    arguments = arguments_of(rng)
    donated = tuple(k for k in range(len(arguments)) if rng.random() < 0.35)
    function = body(rng.randrange(1 << 60), names, kind == "sharded", donated)
    made = program(f"{kind}_{number}", "", function, arguments, donated)
    made.what = "blocks " + ",".join(names)
    made.close = True
    if kind == "sharded":
        made.specs = [
            PartitionSpec(*(AXIS,) * rng.randint(0, 1)) for _ in arguments
        ]
    return made


def over(function, specs, devices):
    """(the function on all devices, the shardings of its arguments)"""
    mesh = jax.sharding.Mesh(np.array(devices[:DEVICES]), (AXIS,))
    out = PartitionSpec(AXIS)
    spread = jax.shard_map(
        function, mesh=mesh, in_specs=tuple(specs), out_specs=out, check_vma=False
    )
    spread.__name__ = function.__name__
    return spread, tuple(jax.sharding.NamedSharding(mesh, spec) for spec in specs)
