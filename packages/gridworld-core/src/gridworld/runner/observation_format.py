"""`ObservationFormat`: what ``--observation`` asks for: a picture, texts of installed formats, both, or nothing."""

from __future__ import annotations

from typing import Self

import attrs

from gridworld.errors import ArgumentError, UnknownNameError
from gridworld.plugins import get_registry
from gridworld.plugins.faults import blaming
from gridworld.support.import_strings import load_object
from gridworld.world import Episode

__all__ = ["IMAGE", "NONE", "ObservationFormat"]

IMAGE, NONE = "image", "none"
"""The picture, and nothing at all."""


@attrs.frozen
class ObservationFormat:
    """What a model is given of each moment."""

    image: bool
    """Whether the picture is."""
    texts: tuple[str, ...]
    """The names of formats, in the order of their texts."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read names that are joined by ``+``, such as ``image+map``; whether they are installed is not asked.

        Raises:
            ArgumentError: no name, one that is given twice, or ``none`` beside others.
        """
        names = text.split("+")
        if text == NONE:
            return cls(image=False, texts=())
        wrong = next((name for name in names if not name or names.count(name) > 1 or name == NONE), None)
        if wrong is not None:
            reason = "stands alone" if wrong == NONE else "is given twice" if wrong else "is no name"
            raise ArgumentError(f"observation '{text}': '{wrong}' {reason}; expected names joined by '+', or '{NONE}'")
        return cls(image=IMAGE in names, texts=tuple(name for name in names if name != IMAGE))

    def __str__(self) -> str:
        return "+".join([*([IMAGE] if self.image else []), *self.texts]) or NONE

    def check_installed(self) -> None:
        """Make sure that the formats of texts are there.

        Raises:
            UnknownNameError: nothing installed provides one of them.
            AmbiguousNameError: more than one plugin does, and the name is not qualified.
        """
        catalog = get_registry().observations
        for name in self.texts:
            try:
                catalog.get(name)
            except UnknownNameError as error:
                raise _with_other_names(error) from error

    def write(self, episode: Episode) -> str | None:
        """The texts of the present moment, one below the other; None where there are none.

        Raises:
            PluginFault: a format failed; it is named.
        """
        return "\n\n".join(_written(name, episode) for name in self.texts) if self.texts else None


def _written(name: str, episode: Episode) -> str:
    with blaming(f"the observation '{name}'", "when it put a moment into text"):
        return str(load_object(get_registry().observations.get(name).target)(episode))


def _with_other_names(error: UnknownNameError) -> UnknownNameError:
    """The same with the names that are none of a plugin's."""
    return UnknownNameError(error.kind, error.name, sorted({*error.known, IMAGE, NONE}))
