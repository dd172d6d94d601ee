"""The example backends, installed as far as the programs under test can tell."""

import tomllib
from pathlib import Path

import pytest

__all__ = ["install_example_backends"]

EXAMPLES = Path(__file__).parents[2] / "examples"
NAMES = ("gridworld-example-simulator", "gridworld-example-text-backend")


def install_example_backends(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Put the backends ``warehouse`` and ``text`` on the path of this process and of those that it starts."""
    for name in NAMES:
        project = tomllib.loads((EXAMPLES / name / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        described = folder / f"{name.replace('-', '_')}-{project['version']}.dist-info"
        described.mkdir(parents=True)
        metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {project['version']}\n"
        (described / "METADATA").write_text(metadata, encoding="utf-8")
        listed = "".join(f"{key} = {value}\n" for key, value in project["entry-points"]["gridworld"].items())
        (described / "entry_points.txt").write_text(f"[gridworld]\n{listed}", encoding="utf-8")
        (described / "RECORD").touch()
        patch.syspath_prepend(EXAMPLES / name / "src")
    patch.syspath_prepend(folder)
