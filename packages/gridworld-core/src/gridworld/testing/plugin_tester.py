"""`PluginTester`: plugins that are active during a test without being installed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable
from contextlib import ExitStack
from importlib import invalidate_caches
from pathlib import Path

import pytest

from gridworld.plugins import Registry, get_registry, load_registry, using_registry
from gridworld.testing.conformance import NotConforming
from gridworld.testing.installed import NO_KIT, Checked, check, find_candidates

__all__ = ["PluginTester"]

MULTINET = "import sys; from multinet_eval.cli import main; sys.argv[0] = 'multinet'; main()"


class PluginTester:
    """The plugins of one test; made by the fixture ``plugin_tester``.

    Args:
        folder: an empty folder on the import path of this process and of those that it starts.
        monkeypatch: undoes all changes of the process.
        context: is closed at the end of the test.
    """

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, context: ExitStack) -> None:
        self.folder = folder
        self._context = context
        monkeypatch.syspath_prepend(str(folder))
        monkeypatch.setenv("PYTHONPATH", str(folder), prepend=os.pathsep)

    def write(self, module: str, source: str) -> str:
        """Write a module; returns its name, for `install`."""
        (self.folder / f"{module}.py").write_text(source, encoding="utf-8")
        sys.modules.pop(module, None)
        self._context.callback(sys.modules.pop, module, None)
        invalidate_caches()
        return module

    def install(self, module: str, distribution: str = "under-test", requires: Iterable[str] = ()) -> Registry:
        """Activate a plugin as if a distribution with an entry point for it were installed.

        Args:
            module: the plugin's module, as in the entry point; it must be importable.
            distribution: the name of the distribution.
            requires: its requirements, such as ``gridworld-core>=0.2``.

        Returns:
            The registry now in use.

        Raises:
            NotConforming: the plugin does not load.
        """
        info = self.folder / f"{distribution.replace('-', '_')}-0.dist-info"
        info.mkdir(exist_ok=True)
        required = "".join(f"Requires-Dist: {requirement}\n" for requirement in requires)
        metadata = f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 0\n{required}"
        (info / "METADATA").write_text(metadata, encoding="utf-8")
        (info / "entry_points.txt").write_text(f"[gridworld]\n{distribution} = {module}\n", encoding="utf-8")
        (info / "RECORD").touch()
        invalidate_caches()
        registry = load_registry()
        for record in registry.failures:
            if record.module == module:
                raise NotConforming(f"{module} fails {record.failure}", "correct it")
        self._context.enter_context(using_registry(registry))
        return registry

    def check(self, name: str, live: bool = False) -> list[Checked]:
        """Run the kits of `gridworld.testing` on a distribution and its descriptors, or on a single descriptor.

        The kits for observers, protocols, probes and metrics belong to multinet-eval: ``run("plugins", "check",
        name)`` also uses them.

        Args:
            name: the name.
            live: whether models are called.

        Returns:
            The results; none is a failure, and each comes from a kit.

        Raises:
            NotConforming: a check fails or stays undecided, or the kit for a kind is in multinet-eval.
            UnknownNameError: nothing has the name.
        """
        registry = get_registry()
        checked = [check(each, registry, live) for each in find_candidates(registry, name)]
        for each in checked:
            for result in each.results:
                if result.verdict in ("failed", "undecided") or result == NO_KIT:
                    raise NotConforming(
                        f"{each.kind} {each.name}: {result.check.replace('_', ' ')}: {result.wrong}", result.remedy
                    )
        return checked

    def run(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        """Run ``multinet`` in a separate process with the active plugins; needs multinet-eval."""
        command = [sys.executable, "-c", MULTINET, *map(str, arguments)]
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, encoding="utf-8", check=False)
