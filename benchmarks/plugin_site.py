"""A folder full of plugins, as in site-packages: all examples, and twenty that import heavy libraries late."""

import shutil
import tomllib
from pathlib import Path

__all__ = ["install_plugins"]

EXAMPLES = Path(__file__).parents[1] / "examples"
SYNTHETIC = 20

PLUGIN = """
from gridworld.hookspecs import ModelInfo, hookimpl


@hookimpl
def gridworld_models():
    return [ModelInfo("synthetic-{number}", "A model.", "synthetic_{number}_model:Model")]
"""

MODEL = """
import gymnasium
import numpy
import PIL.Image
import requests

from gridworld.model_interface import RandomModelInterface


class Model(RandomModelInterface):
    pass
"""


def install_plugins(site: Path) -> None:
    """Put the examples and the synthetic plugins into a folder, as they would lie in site-packages."""
    for example in sorted(EXAMPLES.glob("gridworld-example-*")):
        project = tomllib.loads((example / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        shutil.copytree(example / "src", site, dirs_exist_ok=True)
        _write_metadata(site, project["name"], project["entry-points"]["gridworld"], project["dependencies"])
    for number in range(SYNTHETIC):
        (site / f"synthetic_{number}_plugin.py").write_text(PLUGIN.format(number=number), encoding="utf-8")
        (site / f"synthetic_{number}_model.py").write_text(MODEL, encoding="utf-8")
        entry_points = {"model": f"synthetic_{number}_plugin"}
        _write_metadata(site, f"synthetic-{number}", entry_points, ["gridworld-core==0.2.*", "numpy>=1.26"])


def _write_metadata(site: Path, name: str, entry_points: dict[str, str], requires: list[str]) -> None:
    folder = site / f"{name.replace('-', '_')}-1.0.dist-info"
    folder.mkdir()
    needed = "".join(f"Requires-Dist: {each}\n" for each in requires)
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n{needed}", encoding="utf-8")
    listed = "".join(f"{entry} = {module}\n" for entry, module in entry_points.items())
    (folder / "entry_points.txt").write_text(f"[gridworld]\n{listed}", encoding="utf-8")
