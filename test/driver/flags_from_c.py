"""Compiles two functions with flags that Python does not see."""

import ctypes

import jax

ctypes.CDLL(None).setenv(b"XLA_FLAGS", b"", 1)
jax.jit(lambda x: x + 1).lower(1).compile()
jax.jit(lambda x: x * 2).lower(1).compile()
