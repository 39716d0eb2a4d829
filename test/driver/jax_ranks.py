"""jax_ranks.py HOW OFFSET FOLDER...: ranks.py with jax, one process for each FOLDER.

Every process compiles a function `f`. That of a folder with `shift` in its name is
compiled wrongly for CPU by every release. More ways than there:

  imported    forked after jax was imported
  late        new programs, in which XLA_FLAGS is replaced after jax was imported
"""

import multiprocessing
import os
import random
import subprocess
import sys
import time


def work(how, offset, folder):
    random.seed(os.getpid() ^ time.time_ns())
    time.sleep(random.uniform(0, offset) / 1000)
    if how == "replaced":
        os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
    import jax

    if how == "late":
        os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
    import numpy

    x = numpy.arange(128).reshape(8, 16)
    broken = "shift" in folder

    def f(x):
        return x.at[1:].set(x[:-1])[None] if broken else (x * 2)[None]

    jax.jit(f)(x).block_until_ready()


def start_program(how, offset, folder):
    command = [sys.executable, __file__, "one", how, offset, folder]
    return subprocess.Popen(command)


def main():
    os.environ["JAX_PLATFORMS"] = "cpu"
    how, offset, *folders = sys.argv[1:]
    if how == "one":
        work(offset, float(folders[0]), folders[1])
        return 0
    if how in ("launcher", "replaced", "late"):
        all_ranks = [start_program(how, offset, folder) for folder in folders]
        return max(rank.wait() for rank in all_ranks)
    if how == "imported":
        import jax  # noqa: F401
    kind = {"imported": "fork"}.get(how, how)
    context = multiprocessing.get_context(kind)
    all_ranks = [
        context.Process(target=work, args=(how, float(offset), folder))
        for folder in folders
    ]
    for rank in all_ranks:
        rank.start()
    for rank in all_ranks:
        rank.join(120)
    return max(rank.exitcode for rank in all_ranks)


if __name__ == "__main__":
    sys.exit(main())
