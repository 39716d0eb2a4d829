"""HLO of a row shift, which is miscompiled for CPU, and of a matrix product."""

import jax
import jax.numpy as jnp


def both(x, w):
    return x.at[1:].set(x[:-1])[None], w @ w


lowered = jax.jit(both).lower(jnp.zeros((8, 16), jnp.int32), jnp.zeros((4, 4)))
print(lowered.compiler_ir("hlo").as_hlo_text())
