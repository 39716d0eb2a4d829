"""Arguments that are held twice, and padding."""

import jax.numpy as jnp
from jax import lax
from lint_programs import barrier, program, spec

# Shapes that tiles do not fit.
padding = program("lint-tile-padding")


def reshaped(name, function, before, after, count=1, dtype=jnp.float32, donate=()):
    def build(changed):
        shape = after if changed else before
        return function, tuple(spec(*shape, dtype=dtype) for _ in range(count)), donate

    build.__name__ = name
    padding(build)


def scanned(function, length=4):
    def run(*x):
        return lax.scan(lambda c, _: (function(*c), None), x, None, length=length)[0]

    return run


reshaped("heads", jnp.tanh, (20, 64, 64), (20, 32, 128))
reshaped("added", jnp.add, (64, 64, 64), (64, 32, 128), count=2)
reshaped("kernel", lambda k: k - 0.1 * jnp.sign(k), (3, 3, 16, 32), (36, 128))
reshaped("averaged", lambda m, g: 0.9 * m + g, (3, 3, 64, 64), (288, 128), count=2, donate=(0,))
reshaped("images", lambda x: x / 255, (8, 28, 28, 1), (49, 128))
reshaped("points", jnp.sin, (16, 16, 16, 3), (96, 128))
reshaped("odd", lambda x: x * 2, (129, 129), (131, 128))
reshaped("decay", scanned(lambda x, y: (x * 0.5 + y, y)), (32, 64, 64), (32, 32, 128), count=2)
reshaped("half", lambda x: x * 2, (64, 64, 32), (1024, 128), dtype=jnp.bfloat16)
reshaped("six", lambda x: jnp.exp(-x), (2, 3, 4, 5, 6, 7), (40, 126))
reshaped("integers", lambda x: x + 1, (33, 64), (17, 128), dtype=jnp.int32)
reshaped("small", lambda x: jnp.cos(x), (256, 16, 16), (512, 128))


# Arguments that are held a second time, converted.
wide = program("lint-wide-copy")


@wide
def weights(changed):
    def run(w, x):
        if changed:
            return lax.dot(x.astype(jnp.bfloat16), w, preferred_element_type=jnp.float32)
        return x @ w.astype(jnp.float32)

    return run, (spec(4096, 4096, dtype=jnp.bfloat16), spec(64, 4096)), ()


@wide
def used_twice(changed):
    def run(w, x):
        if not changed:
            w = w.astype(jnp.float32)
        for _ in range(2):
            x = x.astype(w.dtype)
            x = jnp.tanh(lax.dot(x, w, preferred_element_type=jnp.float32))
        return x

    return run, (spec(2048, 2048, dtype=jnp.bfloat16), spec(64, 2048)), ()


@wide
def precise(changed):
    def run(w, x):
        if not changed:
            return lax.dot(x, w.astype(jnp.float32), precision="highest")
        return lax.dot(x.astype(jnp.bfloat16), w, preferred_element_type=jnp.float32)

    return run, (spec(4096, 1024, dtype=jnp.bfloat16), spec(64, 4096)), ()


@wide
def gathered_table(changed):
    def run(table, rows):
        if not changed:
            table = barrier(table.astype(jnp.float32))[0]
        return table[rows].astype(jnp.float32)

    return run, (spec(1 << 15, 128, dtype=jnp.bfloat16), spec(64, dtype=jnp.int32)), ()


@wide
def scanned_weights(changed):
    def run(w, x):
        if not changed:
            w = w.astype(jnp.float32)

        def body(x, _):
            return jnp.tanh(lax.dot(x.astype(w.dtype), w, preferred_element_type=jnp.float32)), None

        return lax.scan(body, x, None, length=8)[0]

    return run, (spec(2048, 2048, dtype=jnp.bfloat16), spec(64, 2048)), ()


@wide
def batched(changed):
    def run(w, x):
        if not changed:
            w = w.astype(jnp.float32)
        return jnp.einsum("bij,bjk->bik", x.astype(w.dtype), w, preferred_element_type=jnp.float32)

    return run, (spec(16, 512, 512, dtype=jnp.bfloat16), spec(16, 8, 512)), ()


def looped(name, layers, width, rows, length):
    """Weights that are converted once before a loop that reads them."""

    def build(changed):
        def run(weights, x):
            if not changed:
                weights = [w.astype(jnp.float32) for w in weights]

            def body(x, _):
                for w in weights:
                    x = jnp.tanh(
                        lax.dot(x.astype(w.dtype), w, preferred_element_type=jnp.float32)
                    )
                return x, None

            return lax.scan(body, x, None, length=length)[0]

        weights = [spec(width, width, dtype=jnp.bfloat16)] * layers
        return run, (weights, spec(rows, width)), ()

    build.__name__ = name
    wide(build)


looped("one_layer", 1, 4096, 32, 4)
looped("two_layers", 2, 2048, 64, 8)
looped("four_layers", 4, 1024, 64, 16)
looped("decoder", 8, 1024, 8, 32)
