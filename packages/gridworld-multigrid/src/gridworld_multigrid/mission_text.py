"""`MissionText`: the space of the sentences that tell agents of their goals."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from gymnasium import spaces
from gymnasium.vector.utils import batch_space

__all__ = ["MissionText"]


class MissionText(spaces.Text):
    """Sentences of so many characters at most."""


@batch_space.register(MissionText)
def _batch(space: MissionText, n: int = 1) -> spaces.Tuple[Any]:
    """The space of the sentences of `n` copies; Gymnasium would copy the set of characters for each of them."""
    return spaces.Tuple([deepcopy(space)] * n)
