"""`Missions`: MiniGrid's mission space for the sentences of some tasks."""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from typing import Any

from gymnasium import spaces
from gymnasium.vector.utils import batch_space
from minigrid.core.mission import MissionSpace

__all__ = ["Missions"]


class _FixedMission:
    """A mission function that can be pickled; MiniGrid asks for its number of arguments."""

    __code__ = (lambda: None).__code__

    def __init__(self, text: str) -> None:
        self._text = text

    def __call__(self) -> str:
        return self._text


class Missions(MissionSpace):
    """Some sentences, at least one.

    Args:
        texts: the sentences.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self.texts = tuple(sorted(set(texts)))
        super().__init__(mission_func=_FixedMission(self.texts[0]))

    def sample(self, *args: Any, **kwargs: Any) -> str:
        """One of the sentences."""
        return self.texts[int(self.np_random.integers(len(self.texts)))] if len(self.texts) > 1 else self.texts[0]

    def contains(self, x: Any) -> bool:
        """Whether it is one of the sentences."""
        return x in self.texts

    def __eq__(self, other: object) -> bool:
        return self.texts == other.texts if isinstance(other, Missions) else bool(super().__eq__(other))

    __hash__ = None  # type: ignore[assignment]


@batch_space.register(Missions)
def _batch(space: Missions, n: int = 1) -> spaces.Tuple[Any]:
    """The space of the missions of `n` copies; Gymnasium would copy the sentences for each of them."""
    return spaces.Tuple([deepcopy(space)] * n)
