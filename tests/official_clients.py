"""The official clients of the protocols as ``NAME`` of this module, each imported when it is first asked for.

To import them takes longer than most tests that use them, and every process that runs tests reads all files of tests.
"""

import ssl
from functools import cache
from importlib import import_module
from types import ModuleType

__all__ = ["certificates"]

CLIENTS = ("anthropic", "ollama", "openai")


@cache
def certificates() -> ssl.SSLContext:
    """What certificates are checked with: to read those of all authorities takes longer than most requests."""
    return ssl.create_default_context()


def __getattr__(name: str) -> ModuleType:
    if name not in CLIENTS:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return import_module(name)
