"""The examples on the path, and a registry that has loaded them; other tests see neither."""

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
def example_registry(example_path: list[Path]) -> Registry:
    """All that is installed, the examples included."""
    with pytest.MonkeyPatch.context() as patch:
        _prepend(example_path, patch)
        return load_registry()


@pytest.fixture(autouse=True)
def _with_examples(
    example_path: list[Path], example_registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    _prepend(example_path, monkeypatch)
    with using_registry(example_registry):
        yield


def _prepend(folders: list[Path], patch: pytest.MonkeyPatch) -> None:
    for folder in folders:
        patch.syspath_prepend(folder)
