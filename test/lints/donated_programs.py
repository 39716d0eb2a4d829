"""Arguments that a result could take the memory of, and donated ones that none takes."""

import jax
import jax.numpy as jnp
from jax import lax
from lint_programs import mlp, mlp_params, program, spec, update

# Arguments that a result could take the memory of.
donation = program("lint-possible-donation")


@donation
def sgd(changed):
    def step(params, x):
        return update(params, jax.grad(mlp)(params, x))

    return step, (mlp_params(3, 256), spec(64, 256)), (0,) if changed else ()


@donation
def momentum(changed):
    def step(params, moments, x):
        moments = jax.tree_util.tree_map(
            lambda m, g: 0.9 * m + g, moments, jax.grad(mlp)(params, x)
        )
        return update(params, moments), moments

    params = mlp_params(2, 256)
    return step, (params, params, spec(64, 256)), (0, 1) if changed else ()


@donation
def adam(changed):
    def step(params, first, second, x):
        g = jax.grad(mlp)(params, x)
        first = jax.tree_util.tree_map(lambda m, g: 0.9 * m + 0.1 * g, first, g)
        second = jax.tree_util.tree_map(lambda v, g: 0.99 * v + 0.01 * g * g, second, g)
        params = jax.tree_util.tree_map(
            lambda p, m, v: p - 0.1 * m / (jnp.sqrt(v) + 1e-8), params, first, second
        )
        return params, first, second

    params = mlp_params(2, 384)
    return step, (params, params, params, spec(32, 384)), (0, 1, 2) if changed else ()


@donation
def moving_average(changed):
    def step(shadow, params):
        return jax.tree_util.tree_map(lambda s, p: 0.99 * s + 0.01 * p, shadow, params)

    return step, (mlp_params(2, 256), mlp_params(2, 256)), (0,) if changed else ()


@donation
def heat(changed):
    def step(grid, source):
        return grid * 0.9 + 0.1 * source

    return step, (spec(1024, 1024), spec(1024, 1024)), (0,) if changed else ()


@donation
def recurrent(changed):
    def step(state, x, w):
        gate = jax.nn.sigmoid(x @ w)
        return state * gate + (1 - gate) * jnp.tanh(x), jnp.sum(x)

    return step, (spec(512, 1024), spec(512, 1024), spec(1024, 1024)), (0,) if changed else ()


@donation
def simulate(changed):
    def run(position, velocity):
        def body(state, _):
            position, velocity = state
            velocity = velocity - 0.01 * position
            return (position + 0.01 * velocity, velocity), None

        return lax.scan(body, (position, velocity), None, length=50)[0]

    return run, (spec(4096, 128), spec(4096, 128)), (0, 1) if changed else ()


@donation
def conv(changed):
    def loss(kernels, x):
        for k in kernels:
            x = jax.nn.relu(
                lax.conv_general_dilated(
                    x, k, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
                )
            )
        return jnp.mean(x * x)

    def step(kernels, x):
        return update(kernels, jax.grad(loss)(kernels, x))

    return step, ([spec(3, 3, 128, 128)] * 3, spec(2, 16, 16, 128)), (0,) if changed else ()


@donation
def normalize(changed):
    def step(batch):
        mean = jnp.mean(batch, (1, 2), keepdims=True)
        return batch - mean

    return step, (spec(16, 64, 64, 128),), (0,) if changed else ()


@donation
def accumulate(changed):
    def step(total, params, x):
        return jax.tree_util.tree_map(jnp.add, total, jax.grad(mlp)(params, x))

    return step, (mlp_params(2, 256), mlp_params(2, 256), spec(64, 256)), (0,) if changed else ()


@donation
def mixed(changed):
    def step(master, x):
        def loss(master):
            return mlp(jax.tree_util.tree_map(lambda p: p.astype(jnp.bfloat16), master), x)

        return update(master, jax.grad(loss)(master))

    return step, (mlp_params(2, 256), spec(64, 256, dtype=jnp.bfloat16)), (0,) if changed else ()


@donation
def attention(changed):
    def loss(params, x):
        for qkv, out in params:
            q, k, v = jnp.split(x @ qkv, 3, -1)
            x = x + jax.nn.softmax(q @ jnp.swapaxes(k, -1, -2) / 16) @ v @ out
        return jnp.mean(x * x)

    def step(params, x):
        return update(params, jax.grad(loss)(params, x))

    params = [(spec(256, 768), spec(256, 256))] * 4
    return step, (params, spec(2, 128, 256)), (0,) if changed else ()


# Donated arguments that no result fits.
unused = program("lint-unused-donation")


@unused
def narrower(changed):
    def step(state, x):
        state = state * 0.9 + x
        return state if changed else state.astype(jnp.bfloat16)

    return step, (spec(2048, 1024), spec(1024)), (0,)


@unused
def wider(changed):
    def step(state, x):
        new = state.astype(jnp.float32) * 0.9 + x
        return new.astype(jnp.bfloat16) if changed else new

    return step, (spec(2048, 1024, dtype=jnp.bfloat16), spec(1024)), (0,)


@unused
def transposed(changed):
    def step(state):
        return jnp.sin(state) if changed else jnp.sin(state).T

    return step, (spec(2048, 1024),), (0,)


@unused
def reshaped(changed):
    def step(state, x):
        state = state + x
        return state if changed else state.reshape(-1)

    return step, (spec(2048, 1024), spec(1024)), (0,)


@unused
def padded(changed):
    def step(state, x):
        state = state + x
        return state if changed else jnp.concatenate([state, state[:128]])

    return step, (spec(2048, 1024), spec(1024)), (0,)


@unused
def shortened(changed):
    def step(state, x):
        state = state * x
        return state if changed else state[:-128]

    return step, (spec(2048, 1024), spec(1024)), (0,)


@unused
def two_states(changed):
    def step(p, m, x):
        m = 0.9 * m + x
        p = p - 0.1 * m
        return (p, m) if changed else (p.astype(jnp.bfloat16), m.astype(jnp.bfloat16))

    return step, (spec(1024, 1024), spec(1024, 1024), spec(1024)), (0, 1)


@unused
def training(changed):
    def step(params, x):
        new = update(params, jax.grad(mlp)(params, x))
        return new if changed else jax.tree_util.tree_map(lambda p: p.astype(jnp.bfloat16), new)

    return step, (mlp_params(2, 256), spec(64, 256)), (0,)


@unused
def integer_state(changed):
    def step(count, x):
        count = count + x
        return count if changed else count.astype(jnp.float32) * 0.5

    return step, (spec(2048, 1024, dtype=jnp.int32), spec(1024, dtype=jnp.int32)), (0,)


@unused
def expanded(changed):
    def step(state, x):
        state = jnp.tanh(state) + x
        return state if changed else jnp.stack([state, -state])

    return step, (spec(2048, 1024), spec(1024)), (0,)
