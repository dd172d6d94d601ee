"""Records of plugins: status, failure and loading cost."""

from __future__ import annotations

import sys
import time

import attrs

HEAVY_LIBRARIES = (
    "PIL",
    "anthropic",
    "cattrs",
    "cv2",
    "gymnasium",
    "h5py",
    "httpx",
    "jax",
    "matplotlib",
    "minigrid",
    "multigrid",
    "numba",
    "numpy",
    "openai",
    "pandas",
    "pygame",
    "requests",
    "scipy",
    "tensorflow",
    "torch",
    "transformers",
)
"""Libraries that loading plugins must not import."""
SLOW_SECONDS = 0.25
"""Loading time above which a plugin is reported as slow."""
ADVICE = "use an import string, 'package.module:attribute', or import it inside the function that needs it"


@attrs.frozen
class ImportCost:
    """Cost of loading a plugin.

    Libraries that were already imported cost nothing: of two plugins that import numpy, only the first one pays.
    """

    seconds: float = 0.0
    """Elapsed time in seconds."""
    heavy: tuple[str, ...] = ()
    """Heavy libraries that this plugin was the first to import, sorted."""

    @property
    def milliseconds(self) -> float:
        """Elapsed time in milliseconds, rounded to a tenth."""
        return round(1000 * self.seconds, 1)

    @property
    def warning(self) -> str | None:
        """The problem and its remedy, for the plugin's author; None if loading is cheap."""
        if self.heavy:
            return f"importing it imports {', '.join(self.heavy)}, which delays every command; {ADVICE}"
        if self.seconds > SLOW_SECONDS:
            return f"loading it takes {self.milliseconds:.0f} ms, which delays every command; {ADVICE}"
        return None


class ImportMeter:
    """Measures loading cost, starting when the meter is created."""

    def __init__(self) -> None:
        self._before = _imported()
        self._start = time.perf_counter()

    def read(self) -> ImportCost:
        """Return the cost so far."""
        seconds = time.perf_counter() - self._start
        return ImportCost(seconds, tuple(sorted(_imported() - self._before)))


def _imported() -> set[str]:
    return {library for library in HEAVY_LIBRARIES if library in sys.modules}


@attrs.frozen
class PluginFailure:
    """The error of a plugin that failed to load, and the phase in which it occurred."""

    phase: str
    error: str
    place: str = attrs.field(default="", eq=False)
    """``file:line`` in the plugin's package, if known. Ignored by comparison."""

    def __str__(self) -> str:
        at = f" ({self.place})" if self.place else ""
        return f"in phase '{self.phase}': {self.error}{at}"


@attrs.frozen
class PluginRecord:
    """One entry point of a distribution, or a distribution that cannot be read, and its status."""

    distribution: str
    version: str
    entry_point: str
    """Its name; empty if the distribution's entry points cannot be read."""
    module: str
    status: str
    """``loaded``, ``disabled`` or ``failed``."""
    failure: PluginFailure | None = None
    provides: tuple[tuple[str, str], ...] = ()
    """The (kind, name) of each provided descriptor."""
    file: str = attrs.field(default="", eq=False)
    """The file given to ``--plugin``; empty for an entry point."""
    disabled_by: str = attrs.field(default="", eq=False)
    """The option or environment variable that disables the plugin; empty if the plugin is enabled."""
    requires: tuple[str, ...] = attrs.field(default=(), eq=False, repr=False)
    """Requirements of its distribution, those of extras included."""
    cost: ImportCost = attrs.field(default=ImportCost(), eq=False)
    """The cost of loading the plugin. Ignored by comparison."""

    @property
    def qualified_name(self) -> str:
        """``distribution/entry point``, or the distribution alone."""
        return f"{self.distribution}/{self.entry_point}" if self.entry_point else self.distribution
