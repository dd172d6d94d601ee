"""`Explanation`: what a model is told before it plays: what can occur, the rules, and how other mazes are solved."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, overload

import attrs

if TYPE_CHECKING:
    import numpy as np

PROMPTS_VERSION = 2
"""Version of the texts that models are sent, raised with every change of their words."""
ExplainLevel = Literal["none", "legend", "rules", "full"]
"""What is explained: nothing, how things look, what they do and what the actions do, or both."""


@attrs.frozen(eq=False)
class LabelledPicture:
    """A picture, and the text that says what is on it."""

    label: str
    image: np.ndarray
    """RGB, shape (height, width, 3), uint8."""


class DrawnLater(Sequence[LabelledPicture]):
    """Pictures that are drawn when somebody looks at them, since many models never do.

    Args:
        draw: draws them; called once at most, unless several threads look at once.
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
        """Pickled as the pictures that they are."""
        return tuple, (self._drawn,)


@attrs.frozen(eq=False)
class Explanation:
    """The same for every task of a suite, on one tiling and backend."""

    legend: str | None = None
    """What can occur and how it looks, a line for each; None where that is not explained."""
    rules: str | None = None
    """What the actions and all things do, a line for each; None where that is not explained."""
    pictures: Sequence[LabelledPicture] = ()
    """Tiles of what the legend names, and the mazes of the examples; none for a model that is shown no picture of the
    maze."""
    apart: bool = False
    """Whether the pictures are a turn of their own, before those of a conversation: that drops its oldest turns, and no
    message is to change when it becomes the first."""
    examples: str | None = None
    """Other mazes, each with a shortest solution; None where none are shown."""

    def texts(self) -> Mapping[str, str]:
        """The name of each text that there is, and the text: ``rules``, ``legend``, ``examples``."""
        return self._texts

    @cached_property
    def _texts(self) -> Mapping[str, str]:
        texts = {"rules": self.rules, "legend": self.legend, "examples": self.examples}
        return {name: text for name, text in texts.items() if text}

    def with_examples(self, shown: Explanation) -> Explanation:
        """The same with the examples of another one, whose pictures come last."""
        return attrs.evolve(
            self, examples=shown.examples, pictures=DrawnLater(lambda: (*self.pictures, *shown.pictures))
        )
