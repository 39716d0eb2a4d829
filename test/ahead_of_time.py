"""Compiles programs for this CPU, or ahead of time for a TPU or GPU that is not there. To be
imported before jax. Nothing is executed.
"""

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))

from hlobuf._compile_worker import ENVIRONMENT, H100  # pylint: disable=wrong-import-position

os.environ.update(ENVIRONMENT, JAX_PLATFORMS="cpu")


def find_devices(platform, topology="", target_config=""):
    """Devices of `cpu`, `tpu` (v5e:2x2x1) or `cuda` (1x1x4, an H100 unless a file says)."""
    if platform == "cpu":
        import jax

        return jax.devices()
    from jax.experimental import topologies

    if platform == "tpu":
        name = topology or "v5e:2x2x1"
        sides = [int(side) for side in name.split(":")[1].split("x")]
        how = {"chips_per_host_bounds": tuple((sides + [1, 1])[:3])}
    else:
        name = topology or "1x1x4"
        text = pathlib.Path(target_config).read_text() if target_config else H100
        how = {"topology": name, "target_config": text}
    return topologies.get_topology_desc(platform=platform, topology_name=name, **how).devices


def place(platform, topology="", target_config=""):
    """Options of jax.jit() with which a program is for one such device."""
    if platform == "cpu":
        return {}
    import jax

    chip = find_devices(platform, topology, target_config)[0]
    one = jax.sharding.SingleDeviceSharding(chip)
    return {"in_shardings": one, "out_shardings": one}


def compile_into(folder, function, arguments, donated=(), placed=None):
    """Compiles for what place() gives; the dump goes to a folder."""
    import jax

    folder.mkdir(parents=True, exist_ok=True)
    jitted = jax.jit(function, donate_argnums=donated, **(placed or {}))
    dump = {"xla_dump_to": str(folder), "xla_dump_hlo_as_text": True}
    try:
        jitted.lower(*arguments).compile(compiler_options=dump)
    except Exception as error:
        print(f"{folder}: {type(error).__name__}: {str(error).splitlines()[0][:120]}")
