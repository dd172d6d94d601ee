"""Makes plugin distributions as they lie in site-packages, and runs interpreters that find them there.

`importlib.metadata` reads nothing but folders on the path, so a ``*.dist-info`` folder with its metadata beside the
module files is an installed distribution to it: no pip, no network and no virtual environment are needed.
"""

import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Protocol

from gridworld.plugins import PluginRecord, Registry

__all__ = ["Install", "models_module", "record_of", "run_python", "write_distribution"]

INTERPRETER_TIMEOUT = 120


class Install(Protocol):
    """`write_distribution` into a folder that is on the path already, with a version to fall back on."""

    def __call__(
        self,
        name: str,
        entry_points: Mapping[str, str],
        files: Mapping[str, str],
        *,
        version: str = "1.0",
        requires: Iterable[str] = (),
    ) -> None: ...


def write_distribution(
    folder: Path,
    name: str,
    version: str,
    entry_points: Mapping[str, str],
    files: Mapping[str, str],
    requires: Iterable[str] = (),
) -> None:
    """Install a distribution into a folder.

    Args:
        folder: what is to be on the path; made if it does not exist.
        name: the distribution's name, spelled as its author spells it.
        version: its version.
        entry_points: entry point name to value, in the group ``gridworld``.
        files: path below `folder` to text, such as ``"my_plugin.py"``.
        requires: requirements as in ``Requires-Dist``.
    """
    requirements = [f"Requires-Dist: {requirement}" for requirement in requires]
    metadata = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}", *requirements]
    listed = ["[gridworld]", *(f"{entry} = {value}" for entry, value in entry_points.items())]
    dist_info = f"{name.replace('-', '_')}-{version}.dist-info"
    written = {
        f"{dist_info}/METADATA": "\n".join(metadata) + "\n",
        f"{dist_info}/entry_points.txt": "\n".join(listed) + "\n",
        f"{dist_info}/RECORD": "",
        **files,
    }
    for path, text in written.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def models_module(*names: str) -> str:
    """The source of a plugin module that provides models with these names, in this order."""
    return f"""
from gridworld.hookspecs import ModelInfo, hookimpl

@hookimpl
def gridworld_models():
    return [ModelInfo(name, "A model.", "gridworld.model_interface:RandomModelInterface") for name in {names!r}]
"""


def record_of(registry: Registry, distribution: str) -> PluginRecord:
    """The record of a distribution that has one plugin."""
    (record,) = (record for record in registry.plugins if record.distribution == distribution)
    return record


def run_python(
    code: str, path: Iterable[Path], variables: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run code in a fresh interpreter that has the folders of `path` first on its path."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GRIDWORLD_")}
    inherited = filter(None, [environment.get("PYTHONPATH")])
    environment["PYTHONPATH"] = os.pathsep.join([*(str(folder) for folder in path), *inherited])
    environment["GRIDWORLD_CACHE"] = ""  # no table is kept
    return subprocess.run(
        [sys.executable, "-c", code],
        env=environment | dict(variables or {}),
        capture_output=True,
        text=True,
        timeout=INTERPRETER_TIMEOUT,
        check=False,
    )
