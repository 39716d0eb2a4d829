"""Where units are done: in processes of this machine, or on the machines of a Ray cluster."""

import concurrent.futures
from pathlib import Path

UTILS = Path(__file__).resolve().parents[1]


class Ray:
    """Tasks of a cluster, whose machines all have this tree, the tool and the Pythons at
    the same paths. A task that is lost with its machine runs again."""

    def __init__(self, address):
        import ray  # pylint: disable=import-outside-toplevel

        self.ray = ray
        environment = {"env_vars": {"PYTHONPATH": str(UTILS)}}
        # "local" is this machine alone.
        where = {} if address == "local" else {"address": address}
        ray.init(**where, runtime_env=environment, log_to_driver=False)

    def submit(self, function, *arguments):
        return self.ray.remote(function).remote(*arguments).future()


def pool(o):
    """What units are handed to."""
    return Ray(o.ray) if o.ray else concurrent.futures.ThreadPoolExecutor(o.workers)
