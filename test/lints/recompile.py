#!/usr/bin/env python3
"""recompile.py OUT [--platform cpu|tpu|cuda] [--only REGEX] [--target-config FILE]: compiles
programs that waste memory, and the same programs changed as the lint's hint says, for
measure_saved.py; needs jax, and libtpu for TPU. Nothing is executed.

Each program is OUT/<lint>/<program>-<platform>/{before,after} with one dump in each.
"""

import argparse
import os
import pathlib
import re
import sys

os.environ.setdefault("JAX_PLATFORMS", "cpu")
for name, value in {
    "TPU_ACCELERATOR_TYPE": "v5litepod-4",
    "TPU_WORKER_HOSTNAMES": "localhost",
    "TPU_WORKER_ID": "0",
    "TPU_SKIP_MDS_QUERY": "1",
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "ALLOW_MULTIPLE_LIBTPU_LOAD": "true",
}.items():
    os.environ.setdefault(name, value)
os.environ["XLA_FLAGS"] = "--xla_dump_hlo_as_text"

import copied_programs  # noqa: F401
import donated_programs  # noqa: F401
import held_programs  # noqa: F401
import jax
from lint_programs import PROGRAMS


def devices_of(platform, target):
    from jax.experimental import topologies

    if platform == "tpu":
        return topologies.get_topology_desc(
            platform="tpu", topology_name="v5e:2x2x1", chips_per_host_bounds=(2, 2, 1)
        ).devices
    text = pathlib.Path(target).read_text()
    return topologies.get_topology_desc(
        platform="cuda", topology_name="1x1x4", topology="1x1x4", target_config=text
    ).devices


def compile_into(folder, built, shardings):
    function, arguments, donated = built
    folder.mkdir(parents=True, exist_ok=True)
    jitted = jax.jit(function, donate_argnums=donated, **shardings)
    try:
        jitted.lower(*arguments).compile(compiler_options={"xla_dump_to": str(folder)})
    except Exception as error:
        print(f"{folder}: {type(error).__name__}: {str(error).splitlines()[0][:120]}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--platform", default="cpu")
    parser.add_argument("--only", default="")
    parser.add_argument("--target-config", default="")
    options = parser.parse_args()
    shardings = {}
    if options.platform != "cpu":
        devices = devices_of(options.platform, options.target_config)
        one = jax.sharding.SingleDeviceSharding(devices[0])
        shardings = {"in_shardings": one, "out_shardings": one}
    for lint, name, build in PROGRAMS:
        if not re.search(options.only, f"{lint}/{name}"):
            continue
        for changed in (False, True):
            folder = options.out / lint / f"{name}-{options.platform}"
            folder /= "after" if changed else "before"
            compile_into(folder, build(changed), shardings)


if __name__ == "__main__":
    sys.exit(main())
