"""Evaluates a shard_map with numpy: a thread for each device, which meet to exchange."""

import threading

import numpy as np

import reference

HERE = threading.local()


class Devices:
    """What the devices of one shard_map share."""

    def __init__(self, count):
        self.count = count
        self.barrier = threading.Barrier(count, timeout=60)
        self.given = [None] * count

    def exchange(self, x):
        """What each device has here."""
        self.given[HERE.number] = x
        self.barrier.wait()
        everything = list(self.given)
        self.barrier.wait()
        return everything


def shard_map(equation, *arguments):
    p = equation.params
    count = int(p["mesh"].size)
    devices, results, errors = Devices(count), [None] * count, []

    def run(number):
        HERE.number, HERE.devices = number, devices
        reference.SETTINGS.noise = noise
        given = [part(x, s, number, count) for x, s in zip(arguments, p["in_specs"])]
        try:
            results[number] = reference.run(p["jaxpr"], (), given)
        except Exception as error:  # pylint: disable=broad-exception-caught
            errors.append(error)
            devices.barrier.abort()

    noise = getattr(reference.SETTINGS, "noise", None)
    threads = [threading.Thread(target=run, args=(k,)) for k in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise reference.Unknown(f"devices: {type(errors[0]).__name__} {errors[0]}")
    return [np.concatenate(shards) for shards in zip(*results)]


def part(x, spec, number, count):
    if not tuple(spec):
        return x
    if len(spec) != 1:
        raise reference.Unknown("a sharding")
    return np.split(x, count)[number]


def others(x, groups):
    """What the devices of this one's group have, and its number in the group."""
    everything = HERE.devices.exchange(x)
    group = list(range(len(everything)))
    for each in groups or ():
        if HERE.number in each:
            group = list(each)
    return [everything[k] for k in group], group.index(HERE.number)


def reduced(ufunc):
    def rule(equation, *xs):
        out = []
        for x in xs:
            everything, _ = others(x, equation.params["axis_index_groups"])
            total = everything[0]
            for each in everything[1:]:
                total = ufunc(total, each)
            out.append(total)
        return out

    return rule


def all_gather(equation, x):
    p = equation.params
    everything, _ = others(x, p["axis_index_groups"])
    put = np.concatenate if p["tiled"] else np.stack
    return put(everything, p["all_gather_dimension"])


def reduce_scatter(equation, x):
    p = equation.params
    everything, me = others(x, p["axis_index_groups"])
    if not p["tiled"]:
        raise reference.Unknown("reduce_scatter")
    total = everything[0]
    for each in everything[1:]:
        total = total + each
    return np.split(total, len(everything), p["scatter_dimension"])[me]


def all_to_all(equation, x):
    p = equation.params
    everything, me = others(x, p["axis_index_groups"])
    if not p["tiled"]:
        raise reference.Unknown("all_to_all")
    parts = [np.split(each, len(everything), p["split_axis"])[me] for each in everything]
    return np.concatenate(parts, p["concat_axis"])


def ppermute(equation, x):
    everything, me = others(x, None)
    for source, to in equation.params["perm"]:
        if to == me:
            return everything[source]
    return np.zeros_like(x)


RULES = {
    "shard_map": shard_map,
    "psum": reduced(np.add),
    "pmax": reduced(np.maximum),
    "pmin": reduced(np.minimum),
    "all_gather": all_gather,
    "reduce_scatter": reduce_scatter,
    "all_to_all": all_to_all,
    "ppermute": ppermute,
    "axis_index": lambda e: np.int32(HERE.number),
}
reference.RULES.update(RULES)
reference.BODIES.update(RULES)  # none of them can be evaluated by itself
