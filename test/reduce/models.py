"""models.py FOLDER: HLO of small models, one file each, before the compiler saw them."""

import pathlib
import sys

import jax
import jax.numpy as jnp
from jax import lax, nn


def attention(q, k, v):
    return nn.softmax(q @ k.T / 3) @ v


def lstm(w, xs):
    def step(carry, x):
        h, c = carry
        i, f, o, g = jnp.split(jnp.concatenate([h, x]) @ w, 4)
        c = nn.sigmoid(f) * c + nn.sigmoid(i) * jnp.tanh(g)
        return (nn.sigmoid(o) * jnp.tanh(c), c), h

    return lax.scan(step, (jnp.zeros(4), jnp.zeros(4)), xs)[1]


def experts(x, w, gate):
    chosen = lax.top_k(x @ gate, 2)[1]
    return jnp.einsum("nd,nkde->nke", x, w[chosen]).sum(1)


def norm(x):
    return (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5)


def mlp_step(w, x):
    loss = lambda w: jnp.mean(nn.gelu(norm(x @ w)) ** 2)  # noqa: E731
    return w - 0.1 * jax.grad(loss)(w)


def convolve(x, k):
    return lax.conv_general_dilated(x, k, (1, 1), "SAME")


def pool(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (2, 2), (2, 2), "VALID")


def cholesky(x):
    return jnp.linalg.cholesky(x @ x.T + 10 * jnp.eye(8))


def branches(i, x):
    return lax.switch(i, [jnp.sin, jnp.cos, lambda x: -x], x)


F = jnp.zeros
MODELS = {
    "matmul": (jnp.matmul, F((8, 8)), F((8, 4))),
    "matmul_bf16": (jnp.matmul, F((8, 8), "bfloat16"), F((8, 4), "bfloat16")),
    "matmul_int8": (jnp.matmul, F((8, 8), "int8"), F((8, 4), "int8")),
    "conv": (convolve, F((2, 3, 8, 8)), F((4, 3, 3, 3))),
    "conv_grad": (jax.grad(lambda k, x: convolve(x, k).sum()), F((4, 3, 3, 3)), F((2, 3, 8, 8))),
    "attention": (attention, F((8, 4)), F((8, 4)), F((8, 4))),
    "attention_grad": (jax.grad(lambda *x: attention(*x).sum()), F((8, 4)), F((8, 4)), F((8, 4))),
    "lstm": (lstm, F((8, 16)), F((5, 4))),
    "lstm_grad": (jax.grad(lambda *x: lstm(*x).sum()), F((8, 16)), F((5, 4))),
    "experts": (experts, F((6, 4)), F((3, 4, 5)), F((4, 3))),
    "mlp_step": (mlp_step, F((8, 8)), F((4, 8))),
    "embedding": (lambda w, i: w[i], F((20, 3)), F((5,), "int32")),
    "embedding_grad": (jax.grad(lambda w, i: (w[i] ** 2).sum()), F((20, 3)), F((5,), "int32")),
    "scatter": (lambda x, i: x.at[i].add(1.0), F((20,)), F((5,), "int32")),
    "sort": (lambda x: (jnp.sort(x, 0), jnp.argsort(x, 1)), F((7, 9))),
    "pool": (pool, F((8, 8))),
    "cumsum": (jnp.cumsum, F((40,))),
    "fft": (lambda x: jnp.abs(jnp.fft.fft(x)), F((16,))),
    "cholesky": (cholesky, F((8, 8))),
    "branches": (branches, jnp.int32(0), F((8,))),
}

folder = pathlib.Path(sys.argv[1])
for name, (function, *arguments) in MODELS.items():
    module = jax.jit(function).lower(*arguments).compiler_ir("hlo")
    (folder / f"{name}.txt").write_text(module.as_hlo_text())
