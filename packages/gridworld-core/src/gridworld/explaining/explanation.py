"""`Explanation`: the legend, rules and worked examples that a model receives before it plays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, overload

import attrs

if TYPE_CHECKING:
    import numpy as np

PROMPTS_VERSION = 4
"""Version of the texts sent to models; increase it whenever their wording changes."""
ExplainLevel = Literal["none", "legend", "rules", "full"]
"""Explained parts: nothing, looks, rules, or both."""


@attrs.frozen(eq=False)
class LabelledPicture:
    """A picture and its label."""

    label: str
    image: np.ndarray
    """RGB, shape (height, width, 3), uint8."""


class DrawnLater(Sequence[LabelledPicture]):
    """Pictures drawn on first access, since many models never use them.

    Args:
        draw: draws the pictures; called once, or by several threads at the same time.
    """

    def __init__(self, draw: Callable[[], Iterable[LabelledPicture]]) -> None:
        self._draw = draw

    @cached_property
    def _drawn(self) -> tuple[LabelledPicture, ...]:
        return tuple(self._draw())

    @overload
    def __getitem__(self, index: int) -> LabelledPicture: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[LabelledPicture, ...]: ...

    def __getitem__(self, index: int | slice) -> LabelledPicture | tuple[LabelledPicture, ...]:
        return self._drawn[index]

    def __len__(self) -> int:
        return len(self._drawn)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as a tuple of the drawn pictures."""
        return tuple, (self._drawn,)


@attrs.frozen(eq=False)
class Explanation:
    """Explanation shared by all tasks of a suite on one tiling and backend."""

    legend: str | None = None
    """Everything that can occur and how it looks, one per line; None if not explained."""
    rules: str | None = None
    """Effects of actions and entities, one subject per line; None if not explained."""
    pictures: Sequence[LabelledPicture] = ()
    """Tiles of the legend, then mazes of the examples; empty for models without pictures."""
    apart: bool = False
    """Whether the pictures precede a conversation in their own turn, so that dropping old turns changes no message."""
    examples: str | None = None
    """Other mazes with shortest solutions; None if not shown."""

    def texts(self) -> Mapping[str, str]:
        """Return the existing texts by name: ``rules``, ``legend``, ``examples``."""
        texts = {"rules": self.rules, "legend": self.legend, "examples": self.examples}
        return {name: text for name, text in texts.items() if text}

    def with_examples(self, shown: Explanation) -> Explanation:
        """Add the examples of another explanation, with their pictures last."""
        return attrs.evolve(
            self, examples=shown.examples, pictures=DrawnLater(lambda: (*self.pictures, *shown.pictures))
        )
