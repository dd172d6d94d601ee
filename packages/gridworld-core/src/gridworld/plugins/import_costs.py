"""What it costs to load something: how long it takes, and which heavy libraries it imports."""

from __future__ import annotations

import sys
import time

import attrs

__all__ = ["HEAVY_LIBRARIES", "SLOW_SECONDS", "ImportCost", "ImportMeter"]

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
"""Libraries that a listing of plugins must not wait for."""

SLOW_SECONDS = 0.25
"""What takes longer to load than this is slow, whatever it imports."""


@attrs.frozen
class ImportCost:
    """What loading took.

    What had been imported before costs nothing: of two plugins that import numpy, the one that is loaded first pays.
    """

    seconds: float = 0.0
    """Elapsed time."""
    heavy: tuple[str, ...] = ()
    """The heavy libraries that it was the first to import, sorted."""

    @property
    def milliseconds(self) -> float:
        """The time to a tenth of a millisecond."""
        return round(1000 * self.seconds, 1)

    @property
    def warning(self) -> str | None:
        """What is wrong with it and what its author can do about it; None if it is light."""
        if self.heavy:
            return f"importing it imports {', '.join(self.heavy)}, for which every command waits; {ADVICE}"
        if self.seconds > SLOW_SECONDS:
            return f"loading it takes {self.milliseconds:.0f} ms, for which every command waits; {ADVICE}"
        return None


ADVICE = "use an import string, 'package.module:attribute', or import it inside the function that needs it"


class ImportMeter:
    """Measures what is loaded from the moment it is made."""

    def __init__(self) -> None:
        self._before = _imported()
        self._start = time.perf_counter()

    def read(self) -> ImportCost:
        """What loading took so far."""
        seconds = time.perf_counter() - self._start
        return ImportCost(seconds, tuple(sorted(_imported() - self._before)))


def _imported() -> set[str]:
    return {library for library in HEAVY_LIBRARIES if library in sys.modules}
