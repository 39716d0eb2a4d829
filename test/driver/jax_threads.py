"""Compiles 16 functions of one name in four threads."""

import concurrent.futures

import jax


def compile_one(i):
    def f(x):
        return (x * i).at[i:].set(x[: 64 - i] + i).sum() + i

    return jax.jit(f).lower(jax.ShapeDtypeStruct((64,), "float32")).compile()


with concurrent.futures.ThreadPoolExecutor(4) as pool:
    assert len(list(pool.map(compile_one, range(1, 17)))) == 16
