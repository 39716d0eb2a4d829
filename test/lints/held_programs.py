"""Values that are held for little, and padding."""

import jax
import jax.numpy as jnp
from jax import lax
from lint_programs import barrier, program, spec, update

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


# Values that cost little to compute again.
again = program("lint-recomputable")


def trained(block, params, arguments):
    """A step of training: all but products is computed again if `changed`."""

    def build(changed):
        one = block
        if changed:
            one = jax.checkpoint(block, policy=jax.checkpoint_policies.dots_saveable)

        def loss(params, x):
            for layer in params:
                x = one(layer, x)
            return jnp.mean(x * x)

        def step(params, x):
            return update(params, jax.grad(loss)(params, x))

        return step, (params, *arguments), (0,)

    return build


def again_of(name, block, params, *arguments):
    built = trained(block, params, arguments)
    built.__name__ = name
    again(built)


def activated(function):
    return lambda layer, x: x + function(x @ layer[0]) @ layer[1]


def gated(layer, x):
    return x + (jax.nn.silu(x @ layer[0]) * (x @ layer[1])) @ layer[2]


def normed(layer, x):
    y = (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5)
    return x + jnp.tanh(y @ layer[0]) @ layer[1]


def squared(layer, x):
    return x + jnp.square(jax.nn.relu(x @ layer[0])) @ layer[1]


def biased(layer, x):
    return x + jax.nn.elu(x @ layer[0] + layer[2]) @ layer[1]


def mixed(layer, x):
    return x + (jnp.tanh(x @ layer[0]) + jnp.cos(x @ layer[1])) @ layer[2]


SMALL = [(spec(128, 512), spec(512, 128))] * 4
again_of("gelu", activated(jax.nn.gelu), SMALL, spec(4096, 128))
again_of("tanh", activated(jnp.tanh), SMALL, spec(4096, 128))
again_of("silu", activated(jax.nn.silu), SMALL, spec(4096, 128))
again_of("elu", activated(jax.nn.elu), SMALL, spec(4096, 128))
again_of("softplus", activated(jax.nn.softplus), SMALL, spec(4096, 128))
again_of("sine", activated(jnp.sin), SMALL, spec(4096, 128))
again_of("relu_squared", squared, SMALL, spec(4096, 128))
again_of("leaky", activated(jax.nn.leaky_relu), SMALL, spec(4096, 128))
again_of("hard_swish", activated(jax.nn.hard_swish), SMALL, spec(4096, 128))
again_of("mish", activated(jax.nn.mish), SMALL, spec(4096, 128))
again_of("gated", gated, [(spec(128, 512), spec(128, 512), spec(512, 128))] * 4, spec(4096, 128))
again_of("mixed", mixed, [(spec(128, 512), spec(128, 512), spec(512, 128))] * 4, spec(4096, 128))
again_of("deep", activated(jax.nn.gelu), [(spec(64, 256), spec(256, 64))] * 12, spec(2048, 64))
again_of("layer_norm", normed, SMALL, spec(4096, 128))
again_of("bias", biased, [(*SMALL[0], spec(512))] * 4, spec(4096, 128))
again_of("half", activated(jax.nn.gelu), [(spec(128, 512, dtype=jnp.bfloat16),
         spec(512, 128, dtype=jnp.bfloat16))] * 4, spec(4096, 128, dtype=jnp.bfloat16))  # fmt: skip


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
