"""Tests of somebody's program: nothing is wrong with what they compile."""

import os

import jax
import jax.numpy as jnp


@jax.jit
def norm(x):
    return jnp.sqrt(jnp.vdot(x, x))


def test_norm():
    assert norm(jnp.array([3.0, 4.0])) == 5.0


def test_sort():
    assert list(jnp.sort(jnp.array([2, 1, 3]))) == [1, 2, 3]


def test_devices():
    assert len(jax.devices()) == int(os.environ.get("DEVICES", "1"))


def test_nothing_compiled():
    assert jnp.__name__ == "jax.numpy"
