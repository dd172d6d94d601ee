"""`Presentation`: the settings for what a model is shown at each step and what it may remember."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Self, get_args

import attrs

from gridworld.backends.pictures import PictureSettings, PictureStyle
from gridworld.errors import ArgumentError, UnknownNameError
from gridworld.explaining.explanation import ExplainLevel
from gridworld.model_interface.base import ReplyForm
from gridworld.plugins import get_registry, normal_name
from gridworld.support.faults import calling
from gridworld.world import Episode

IMAGE, NONE = "image", "none"
"""Reserved format names: the picture, and no observation."""


@attrs.frozen
class ObservationFormat:
    """A parsed observation format: picture, texts, or both."""

    image: bool
    """Whether the picture is included."""
    texts: tuple[str, ...]
    """Names of text formats, in order."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse names joined by ``+``, such as ``image+map``, without checking that they are installed.

        Raises:
            ArgumentError: a name is empty or repeated, or ``none`` is combined with others.
        """
        names = [normal_name("observation", name) for name in text.split("+")]
        if text == NONE:
            return cls(image=False, texts=())
        wrong = next((name for name in names if not name or names.count(name) > 1 or name == NONE), None)
        if wrong is not None:
            reason = "stands alone" if wrong == NONE else "is given twice" if wrong else "is no name"
            raise ArgumentError(f"observation '{text}': '{wrong}' {reason}; expected names joined by '+', or '{NONE}'")
        return cls(image=IMAGE in names, texts=tuple(name for name in names if name != IMAGE))

    def __str__(self) -> str:
        return "+".join([*([IMAGE] if self.image else []), *self.texts]) or NONE


ObservationControl = Literal["none", "swapped"]
"""``swapped`` shows the model another task instead of its own, to find out what it solves without looking."""
ContextMode = Literal["fresh", "conversation"]
"""``fresh`` makes each request independent; ``conversation`` sends earlier requests as turns of one chat."""
FeedbackMode = Literal["none", "effect"]
"""Whether inputs describe the effects of the model's latest actions."""


def _one_of(words: tuple[str, ...]) -> Callable[[Any, Any, str], None]:
    def check(given: Presentation, attribute: attrs.Attribute[str], value: str) -> None:
        if value not in words:
            raise ArgumentError(f"{attribute.name}: expected one of {', '.join(words)}, got {value!r}")

    return check


def _not_negative(given: Presentation, attribute: attrs.Attribute[int], value: int) -> None:
    if value < 0:
        raise ArgumentError(f"{attribute.name}: expected at least 0, got {value}")


def _canonical(observation: str) -> str:
    return str(ObservationFormat.parse(observation))


@attrs.frozen
class Presentation:
    """What model inputs contain besides the mission and the action space.

    Raises:
        ArgumentError: a value is out of range, or two values exclude each other.
    """

    observation: str = attrs.field(default="image", converter=_canonical)
    """Observation formats, joined by ``+`` (`ObservationFormat`)."""
    history_images: int = attrs.field(default=0, validator=_not_negative)
    """Number of earlier pictures."""
    history_text_window: int = attrs.field(default=0, validator=_not_negative)
    """Number of steps in the text history; 0 for no history."""
    explain: ExplainLevel = attrs.field(default="full", validator=_one_of(get_args(ExplainLevel)))
    """What to explain: nothing, looks, rules, or both."""
    examples: int = attrs.field(default=0, validator=_not_negative)
    """Number of worked examples."""
    examples_from: str | None = None
    """Suite from which worked examples are taken; None for the default one."""
    feedback: FeedbackMode = attrs.field(default="none", validator=_one_of(get_args(FeedbackMode)))
    context: ContextMode = attrs.field(default="fresh", validator=_one_of(get_args(ContextMode)))
    context_steps: int = attrs.field(default=8, validator=_not_negative)
    """Maximum number of earlier turns in a conversation."""
    context_images: int = attrs.field(default=2, validator=_not_negative)
    """Number of most recent turns that keep their pictures."""
    note_length: int = attrs.field(default=0, validator=_not_negative)
    """Maximum length of the model's note to itself in characters; 0 for no notes."""
    observation_control: ObservationControl = attrs.field(
        default="none", validator=_one_of(get_args(ObservationControl))
    )
    """``swapped`` shows observations of another task, in which the same actions are taken."""
    image_size: int | None = None
    """Exact length of the longest side of pictures in pixels; None for the backend's own size."""
    image_coordinates: bool = False
    """Whether pictures have column and row numbers in a margin."""
    image_style: PictureStyle = "own"

    def form_of(self, reply: ReplyForm) -> ReplyForm:
        """Add the allowed note length to a reply form."""
        return attrs.evolve(reply, note_length=self.note_length) if self.note_length else reply

    def of_first_steps(self) -> Self:
        """Reduce to the settings that affect the first step: the observation and the style of pictures."""
        return type(self)(
            observation=self.observation,
            image_size=self.image_size,
            image_coordinates=self.image_coordinates,
            image_style=self.image_style,
        )

    @property
    def format(self) -> ObservationFormat:
        """Parsed `observation`."""
        return ObservationFormat.parse(self.observation)

    @property
    def pictures(self) -> PictureSettings:
        """Settings for pictures."""
        return PictureSettings(self.image_size, self.image_coordinates, self.image_style)

    @property
    def swaps_observations(self) -> bool:
        """Whether observations of another task are shown."""
        return self.observation_control == "swapped"

    def __attrs_post_init__(self) -> None:
        if self.examples_from is not None and not self.examples:
            raise ArgumentError(f"examples_from: '{self.examples_from}' has no effect, since no examples are shown")
        PictureSettings(self.image_size, self.image_coordinates, self.image_style)
        if self.context == "conversation" and self.history_images:
            raise ArgumentError(
                "history_images: a conversation already contains earlier pictures; limit them with context_images"
            )


def check_installed(formats: ObservationFormat) -> None:
    """Check that plugins for all text formats are installed.

    Raises:
        UnknownNameError: no plugin provides a format.
        AmbiguousNameError: several plugins provide it, and the name is not qualified.
    """
    for name in formats.texts:
        try:
            get_registry().observations.get(name)
        except UnknownNameError as error:
            known = sorted({*error.known, IMAGE, NONE})
            raise UnknownNameError(error.kind, error.name, known, error.advice) from error


def write_texts(formats: ObservationFormat, episode: Episode, when: str) -> str | None:
    """Write the current state in all text formats, separated by blank lines; None without formats.

    Args:
        formats: the formats.
        episode: the episode.
        when: context for faults, such as ``before step 3``.

    Raises:
        PluginFault: a format failed.
    """
    return "\n\n".join(_written(name, episode, when) for name in formats.texts) if formats.texts else None


def _written(name: str, episode: Episode, when: str) -> str:
    info = get_registry().observations.get(name)
    write = info.load()
    with calling(info.owner, info.target, when):
        return str(write(episode))
