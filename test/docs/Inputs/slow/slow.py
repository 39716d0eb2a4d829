import jax
import jax.numpy as jnp


@jax.jit
def set_rows(table, rows, new):
    return table.at[rows].set(new)


table, rows, new = jnp.zeros((20_000, 1000)), jnp.arange(100), jnp.ones(1000)
for _ in range(10):
    table = set_rows(table, rows, new)
table.block_until_ready()
