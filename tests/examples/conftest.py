"""The examples on the path, and a registry that has loaded them."""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from example_plugins import install_examples
from gridworld.plugins import Registry, load_registry, using_registry


@pytest.fixture(scope="session")
def example_path(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The folders that programs need on their path to find the examples installed."""
    return install_examples(tmp_path_factory.mktemp("examples"))


@pytest.fixture(scope="session")
def example_registry(example_path: list[Path]) -> Iterator[Registry]:
    """All that is installed, the examples included."""
    added = [str(folder) for folder in example_path]
    sys.path[:0] = added
    importlib.invalidate_caches()
    yield load_registry()
    for folder in added:
        sys.path.remove(folder)


@pytest.fixture(autouse=True)
def _with_examples(example_registry: Registry) -> Iterator[None]:
    with using_registry(example_registry):
        yield
