"""Copies of arguments, and of what is read after it was updated."""

import jax
import jax.numpy as jnp
from jax import lax
from lint_programs import barrier, mlp, mlp_params, program, spec, update

# Arguments that are copied because they are updated in place.
copied = program("lint-copy")


@copied
def cache(changed):
    def decode(cache, x, pos):
        cache = lax.dynamic_update_slice(cache, x[:, None, :] * 2, (0, pos, 0))
        return cache, jnp.einsum("bsd,bd->bs", cache, x)

    arguments = spec(16, 1024, 256), spec(16, 256), spec(dtype=jnp.int32)
    return decode, arguments, (0,) if changed else ()


@copied
def two_caches(changed):
    def decode(keys, values, k, v, pos):
        keys = lax.dynamic_update_slice(keys, k[:, None, :], (0, pos, 0))
        values = lax.dynamic_update_slice(values, v[:, None, :], (0, pos, 0))
        return keys, values

    big, small = spec(8, 2048, 256), spec(8, 256)
    return decode, (big, big, small, small, spec(dtype=jnp.int32)), (0, 1) if changed else ()


@copied
def embedding(changed):
    def step(table, rows, gradient):
        return table.at[rows].add(-0.1 * gradient)

    arguments = spec(16384, 128), spec(64, dtype=jnp.int32), spec(64, 128)
    return step, arguments, (0,) if changed else ()


@copied
def replay(changed):
    def store(buffer, item, at):
        return buffer.at[at].set(item)

    arguments = spec(1024, 1024), spec(1024), spec(dtype=jnp.int32)
    return store, arguments, (0,) if changed else ()


@copied
def column(changed):
    def store(matrix, column, at):
        return lax.dynamic_update_slice(matrix, column, (0, at))

    arguments = spec(2048, 1024), spec(2048, 1), spec(dtype=jnp.int32)
    return store, arguments, (0,) if changed else ()


@copied
def loop_fill(changed):
    def fill(out, x):
        def body(i, out):
            return lax.dynamic_update_slice(out, jnp.sin(x + i)[None], (i, 0))

        return lax.fori_loop(0, 100, body, out)

    return fill, (spec(1024, 1024), spec(1024)), (0,) if changed else ()


@copied
def border(changed):
    def clear(grid):
        return grid.at[0, :].set(0.0)

    return clear, (spec(2048, 1024),), (0,) if changed else ()


@copied
def layers(changed):
    def step(caches, x, pos):
        out = []
        for cache in caches:
            cache = lax.dynamic_update_slice(cache, x[:, None], (0, pos, 0))
            x = jnp.tanh(jnp.mean(cache, 1))
            out.append(cache)
        return out, x

    arguments = [spec(4, 1024, 256)] * 4, spec(4, 256), spec(dtype=jnp.int32)
    return step, arguments, (0,) if changed else ()


@copied
def histogram(changed):
    def count(bins, items):
        return bins.at[items].add(1.0)

    return count, (spec(1 << 20), spec(256, dtype=jnp.int32)), (0,) if changed else ()


@copied
def stacked(changed):
    def step(states, x):
        def body(i, states):
            row = lax.dynamic_index_in_dim(states, i, 0, keepdims=False)
            return lax.dynamic_update_index_in_dim(states, jnp.tanh(row + x), i, 0)

        return lax.fori_loop(0, 16, body, states)

    return step, (spec(16, 256, 256), spec(256, 256)), (0,) if changed else ()


@copied
def bf16_cache(changed):
    def decode(cache, x, pos):
        cache = lax.dynamic_update_slice(cache, x, (pos, 0))
        return cache, jnp.max(cache)

    bf16 = jnp.bfloat16
    arguments = spec(8192, 256, dtype=bf16), spec(8, 256, dtype=bf16), spec(dtype=jnp.int32)
    return decode, arguments, (0,) if changed else ()


# Results that are arguments.
returned = program("lint-copy")


@returned
def params_too(changed):
    def step(params, x):
        y = jnp.sin(x) @ params
        return y if changed else (params, y)

    return step, (spec(1024, 1024), spec(64, 1024)), ()


@returned
def frozen(changed):
    def step(frozen, head, x):
        def loss(head):
            return jnp.mean((jnp.tanh(x @ frozen) @ head) ** 2)

        head = update(head, jax.grad(loss)(head))
        return head if changed else (frozen, head)

    return step, (spec(1024, 2048), spec(2048, 16), spec(8, 1024)), ()


@returned
def statistics(changed):
    def step(state, x):
        y = (x - state["mean"]) * state["scale"]
        return y if changed else (y, state)

    state = {"mean": spec(512, 512), "scale": spec(512, 512)}
    return step, (state, spec(512, 512)), ()


@returned
def table(changed):
    def look_up(table, rows):
        found = table[rows]
        return found if changed else (table, found)

    return look_up, (spec(16384, 128), spec(32, dtype=jnp.int32)), ()


@returned
def carried(changed):
    def run(weights, x):
        def body(state, _):
            w, x = state
            return (w, jnp.tanh(x @ w)), None

        w, x = lax.scan(body, (weights, x), None, length=4)[0]
        return x if changed else (w, x)

    return run, (spec(1024, 1024), spec(16, 1024)), ()


@returned
def batch(changed):
    def step(params, batch):
        loss = mlp(params, batch)
        return loss if changed else (loss, batch)

    return step, (mlp_params(1, 256), spec(4096, 256)), ()


@returned
def many(changed):
    def step(params, x):
        loss = mlp(params, x)
        return loss if changed else (params, loss)

    return step, (mlp_params(3, 256), spec(64, 256)), ()


@returned
def integers(changed):
    def step(tokens, table):
        mean = jnp.mean(table[tokens[:4]])
        return mean if changed else (tokens, mean)

    return step, (spec(1 << 20, dtype=jnp.int32), spec(1024, 128)), ()


@returned
def target(changed):
    def step(online, target, x):
        def loss(online):
            return jnp.mean((x @ online - x @ target) ** 2)

        online = update(online, jax.grad(loss)(online))
        return online if changed else (online, target)

    return step, (spec(1024, 1024), spec(1024, 1024), spec(32, 1024)), ()


@returned
def half(changed):
    def step(weights, x):
        y = jnp.sum(x @ weights)
        return y if changed else {"weights": weights, "y": y}

    bf16 = jnp.bfloat16
    return step, (spec(2048, 2048, dtype=bf16), spec(8, 2048, dtype=bf16)), ()


# Copies of what is read after it was updated.
stale = program("lint-copy")


def old_and_new(change, read, arguments):
    """`change` updates h in place, `read` reads what was there before."""

    def build(changed):
        def run(x, *rest):
            h = x @ x
            if changed:
                (old,) = barrier(read(h))
                h, old = barrier(h, old)
                new = change(h, *rest)
            else:
                new = change(h, *rest)
                h, new = barrier(h, new)
                old = read(h)
            return (new @ x).sum() + old

        return run, (spec(1024, 1024), *arguments), ()

    return build


def stale_of(name, change, read, *arguments):
    built = old_and_new(change, read, arguments)
    built.__name__ = name
    stale(built)


INDEX = spec(dtype=jnp.int32)
stale_of("row_set", lambda h, i: h.at[i].set(0.0), jnp.sum, INDEX)
stale_of("row_added", lambda h, i: h.at[i].add(1.0), jnp.max, INDEX)
stale_of("block", lambda h, b, i: lax.dynamic_update_slice(h, b, (i, 0)), lambda h: h[0].sum(),
         spec(64, 1024), INDEX)  # fmt: skip
stale_of("scattered", lambda h, i: h.at[i].add(1.0), jnp.mean, spec(64, dtype=jnp.int32))
stale_of("looped", lambda h, n: lax.fori_loop(0, n, lambda i, h: h.at[i].set(1.0), h), jnp.sum,
         INDEX)  # fmt: skip
stale_of("elements", lambda h, i: h.at[i, i].set(0.0), jnp.min, INDEX)
stale_of("diagonal", lambda h: h.at[jnp.arange(1024), jnp.arange(1024)].set(0.0), jnp.sum)
stale_of("columns", lambda h, i: lax.dynamic_update_slice(h, h[:, :128] * 2, (0, i)), jnp.sum,
         INDEX)  # fmt: skip
stale_of("powers", lambda h, i: h.at[i].mul(2.0), lambda h: (h * h).sum(), INDEX)
stale_of("scanned_rows", lambda h: lax.scan(lambda h, i: (h.at[i].set(0.0), None), h,
         jnp.arange(64))[0], lambda h: jnp.abs(h).max())  # fmt: skip
