"""Models of a third party, installed for the time of a test: in this process and in worker processes."""

import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

__all__ = ["install_models"]

PLUGIN = """
from gridworld.hookspecs import ModelInfo, hookimpl


@hookimpl
def gridworld_models():
    return [ModelInfo(name, "A model.", "{module}:" + target, **more) for name, target, more in {models!r}]
"""


def install_models(
    monkeypatch: pytest.MonkeyPatch,
    folder: Path,
    source: str,
    models: Mapping[str, str],
    **declared: object,
) -> None:
    """Install a distribution with models.

    Args:
        monkeypatch: ends the installation.
        folder: where it is written.
        source: the module with the classes.
        models: name of each model to its class.
        declared: further fields of each `ModelInfo`.
    """
    module = f"models_of_{folder.name.replace('-', '_')}"
    listed = [(name, target, declared) for name, target in models.items()]
    written = {
        f"{module}-1.0.dist-info/METADATA": f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n",
        f"{module}-1.0.dist-info/entry_points.txt": f"[gridworld]\nentry = {module}_plugin\n",
        f"{module}-1.0.dist-info/RECORD": "",
        f"{module}_plugin.py": PLUGIN.replace("{module}", module).replace("{models!r}", repr(listed)),
        f"{module}.py": source,
    }
    for path, text in written.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    for name in (module, f"{module}_plugin"):
        sys.modules.pop(name, None)  # of another test
    monkeypatch.syspath_prepend(folder)
