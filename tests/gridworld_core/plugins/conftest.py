"""A folder on the path into which tests install plugins."""

import importlib
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest

from gridworld.plugins import DISABLE_VARIABLE, get_registry, using_registry
from support.plugins import Install, write_distribution


@pytest.fixture(autouse=True)
def _restored_registry() -> Iterator[None]:
    with using_registry(get_registry()):
        yield


@pytest.fixture(autouse=True)
def _nothing_disabled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(DISABLE_VARIABLE, raising=False)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder on the path; modules that were imported from it are forgotten after the test."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    before = set(sys.modules)
    yield folder
    for name in set(sys.modules) - before:
        if str(tmp_path) in (getattr(sys.modules[name], "__file__", None) or ""):
            del sys.modules[name]


@pytest.fixture
def install(site: Path) -> Install:
    """Install a distribution into the folder `site`."""

    def install_one(
        name: str,
        entry_points: Mapping[str, str],
        files: Mapping[str, str],
        *,
        version: str = "1.0",
        requires: Iterable[str] = (),
    ) -> None:
        write_distribution(site, name, version, entry_points, files, requires)
        importlib.invalidate_caches()

    return install_one
