"""The examples on the path, and a registry that has loaded them; other tests see neither."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from gridworld.plugins import Registry, using_registry
from support.plugins import install_examples, load_from, prepend


@pytest.fixture(scope="session")
def example_path(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The folders that programs need on their path to find the examples installed."""
    return install_examples(tmp_path_factory.mktemp("examples"))


@pytest.fixture(scope="session")
def example_registry(example_path: list[Path]) -> Registry:
    """All that is installed, the examples included."""
    return load_from(example_path)


@pytest.fixture(autouse=True)
def _with_examples(
    example_path: list[Path], example_registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    prepend(example_path, monkeypatch)
    with using_registry(example_registry):
        yield
