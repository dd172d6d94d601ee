"""What vector environments are asked for, checked before anything large is made."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import TypeVar

import attrs

from gridworld.errors import UnknownNameError
from gridworld.support.choices import check_choice
from gridworld.support.memory import refuse_too_large
from gridworld.support.truth_values import truth_value
from gridworld.support.whole_numbers import whole_number
from gridworld.support.wording import shorten

__all__ = ["NOTHING", "PICTURES", "STATE", "VectorArguments", "named_mode", "refuse_too_many"]

Mode = TypeVar("Mode", bound=Enum)

PICTURES = "pictures"
"""The observation of pictures. It and the following are there with every backend, beside views of its own."""
STATE = "state"
"""The observation of the number of the state."""
NOTHING = "none"
"""The observation of nothing."""
RENDERED = "rgb_array"

COPY = 160
"""Bytes that a copy takes beside what is observed of it, as measured: its place, rewards and flags, its share of the
spaces."""
OF_SEVERAL = 1800
"""Bytes more where it draws its tasks: its generator."""
TIMES_OBSERVED = 8
"""So many times the memory of the observations is taken: by the bounds of their space, and by copies of those."""
TIMES_RENDERED = 2
"""The same of pictures that are rendered: they are kept, and copied for whoever asks."""


@attrs.frozen(kw_only=True)
class VectorArguments:
    """The arguments that the vector environments of all backends share, as `checked` has found them to be right."""

    num_envs: int
    observation: str
    autoreset_mode: Enum
    copy: bool
    max_states: int
    events: bool
    render_mode: str | None

    @classmethod
    def checked(
        cls,
        views: Sequence[str],
        modes: type[Enum],
        *,
        num_envs: object,
        observation: object,
        autoreset_mode: object,
        copy: object,
        max_states: object,
        events: object,
        render_mode: object,
    ) -> VectorArguments:
        """The arguments, if they make sense.

        Args:
            views: the observations that only this backend has.
            modes: Gymnasium's autoreset modes.
            num_envs: how many copies.
            observation: what is observed of them.
            autoreset_mode: when an ended episode is followed by the next.
            copy: whether each observation is in an array of its own.
            max_states: how many states a task may have to be tabulated.
            events: whether infos tell of events.
            render_mode: ``rgb_array`` or None.

        Raises:
            UnknownNameError: there is no such observation or mode.
            ValueError: a number is none or too small, a truth value is none, or there is no such render mode.
        """
        observations = (*views, PICTURES, STATE, NOTHING)
        if not isinstance(observation, str) or observation not in observations:
            raise UnknownNameError("observation", shorten(str(observation)), observations, listed_as="there are")
        check_choice("render_mode", render_mode, [RENDERED, None])
        return cls(
            num_envs=whole_number("num_envs", num_envs, 1),
            observation=observation,
            autoreset_mode=named_mode(modes, autoreset_mode),
            copy=truth_value("copy", copy),
            max_states=whole_number("max_states", max_states, 0),
            events=truth_value("events", events),
            render_mode=None if render_mode is None else RENDERED,
        )

    @property
    def viewed(self) -> bool:
        """Whether one of the backend's own views is observed."""
        return self.observation not in (PICTURES, STATE, NOTHING)

    @property
    def drawn(self) -> bool:
        """Whether there are pictures, to be observed or rendered."""
        return self.observation == PICTURES or self.render_mode is not None


def named_mode(modes: type[Mode], given: object) -> Mode:
    """One of Gymnasium's autoreset modes, or the one of a name.

    Raises:
        UnknownNameError: there is no such mode.
    """
    try:
        return modes(given)
    except ValueError:
        names = [mode.value for mode in modes]
        raise UnknownNameError("autoreset_mode", shorten(str(given)), names, listed_as="there are") from None


def refuse_too_many(count: int, tasks: int, observed: int, rendered: int = 0, shown: str = "") -> None:
    """Make sure that so many copies fit into memory.

    Args:
        count: how many.
        tasks: how many tasks they play.
        observed: the bytes of what is observed of one.
        rendered: the bytes of a picture of one, where pictures are rendered beside what is observed.
        shown: what is shown of each, as the message says after "with"; empty for nothing that takes room.

    Raises:
        ArgumentError: they do not, as far as can be told without making them.
    """
    each = COPY + TIMES_OBSERVED * observed + TIMES_RENDERED * rendered + (OF_SEVERAL if tasks > 1 else 0)
    what = f"num_envs: {count:,} environments{shown and f' with {shown}'}"
    refuse_too_large(what, count * each, "ask for smaller ones, or for fewer" if shown else "ask for fewer")
