"""pytest --hlobuf: verifies every module that XLA compiles during the tests.

pytest imports this module in every run, whether or not it has the option: the work
is in another one.
"""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("hlobuf").addoption(
        "--hlobuf",
        action="store_true",
        help="verify the buffer assignments of all that XLA compiles in the tests",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "hlobuf_budget(limit): memory that its programs may need"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    # Before any conftest.py, since that may start jax.
    if early_config.known_args_namespace.hlobuf:
        try:
            from hlobuf._pytest_verifier import Verifier
        except TypeError:  # hooks have no wrappers of today's kind
            raise pytest.UsageError("--hlobuf needs pytest 8, or pluggy 1.2") from None
        verifier = Verifier(early_config)
        early_config.pluginmanager.register(verifier, "hlobuf-verifier")
