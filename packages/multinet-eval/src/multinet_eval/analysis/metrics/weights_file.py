"""`WeightsFile`: weights of metrics in a TOML file."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from gridworld.errors import ArgumentError
from gridworld.support.toml import parse_toml

__all__ = ["WeightsFile", "read_weights_file"]


@attrs.frozen
class WeightsFile:
    """A TOML file with a table of weights for each of some metrics."""

    path: Path
    sha256: str
    """Of its bytes: 64 hexadecimal digits."""
    tables: Mapping[str, Any] = attrs.field(repr=False)
    """The name of each metric to its table."""

    def to_dict(self) -> dict[str, str]:
        """What results say of it, JSON-ready: its name, without the folder that it happens to be in, and its hash."""
        return {"file": self.path.name, "sha256": self.sha256}


def read_weights_file(path: Path) -> WeightsFile:
    """Read the weights of metrics.

    Raises:
        ArgumentError: the file cannot be read, or is not TOML.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ArgumentError(f"{path}: the weights cannot be read: {error.strerror}") from error
    return WeightsFile(path, hashlib.sha256(content).hexdigest(), parse_toml(content, str(path)))
