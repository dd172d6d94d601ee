"""`Presentation`: what a model is given at each step, and what it may keep, as one value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, Self, get_args

import attrs

from gridworld.backends.pictures import PictureSettings, PictureStyle
from gridworld.errors import ArgumentError, UnknownNameError
from gridworld.explaining.explanation import ExplainLevel
from gridworld.model_interface.base import ReplyForm
from gridworld.plugins import get_registry, normal_name
from gridworld.plugins.faults import blaming_in
from gridworld.support.import_strings import load_object
from gridworld.world import Episode

IMAGE = "image"
"""The picture."""
NONE = "none"
"""Nothing at all."""


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
"""Whether a model is shown its own task, or another one in its place, to learn what it solves without looking."""
ContextMode = Literal["fresh", "conversation"]
"""Whether each question stands alone, or follows the earlier ones as turns of one chat."""
FeedbackMode = Literal["none", "effect"]
"""Whether a model is told what its last actions did."""


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
    """What a model is given at each step, beside the mission and the action space.

    Raises:
        ArgumentError: a value outside its range, or two that exclude each other.
    """

    observation: str = attrs.field(default="image", converter=_canonical)
    """What is given of each moment: names joined by ``+`` (`ObservationFormat`)."""
    history_images: int = attrs.field(default=0, validator=_not_negative)
    """How many earlier observations are given."""
    history_text_window: int = attrs.field(default=0, validator=_not_negative)
    """How many steps the text history describes; 0 for no text."""
    explain: ExplainLevel = attrs.field(default="full", validator=_one_of(get_args(ExplainLevel)))
    """What the model is told of the things that can occur in the suite, and of the rules."""
    examples: int = attrs.field(default=0, validator=_not_negative)
    """How many other mazes the model is shown solved, before it plays."""
    examples_from: str | None = None
    """The suite that they are chosen from; None for the usual one."""
    feedback: FeedbackMode = attrs.field(default="none", validator=_one_of(get_args(FeedbackMode)))
    context: ContextMode = attrs.field(default="fresh", validator=_one_of(get_args(ContextMode)))
    context_steps: int = attrs.field(default=8, validator=_not_negative)
    """How many earlier questions and answers a conversation holds."""
    context_images: int = attrs.field(default=2, validator=_not_negative)
    """How many of the earlier questions of a conversation still have their pictures, the latest ones."""
    note_length: int = attrs.field(default=0, validator=_not_negative)
    """How many characters the note may have that a model leaves itself; 0 for no notes."""
    observation_control: ObservationControl = attrs.field(
        default="none", validator=_one_of(get_args(ObservationControl))
    )
    """``swapped`` shows the observations of another task, in which the same actions are taken."""
    image_size: int | None = None
    """The exact length of the longest side of pictures in pixels; None for as large as the backend draws them."""
    image_coordinates: bool = False
    """Whether pictures have the numbers of columns and rows in a margin."""
    image_style: PictureStyle = "own"

    def form_of(self, reply: ReplyForm) -> ReplyForm:
        """The form of a reply, with the note that the model may leave itself."""
        return attrs.evolve(reply, note_length=self.note_length) if self.note_length else reply

    def of_first_steps(self) -> Self:
        """What there is of it before anything has been done: what is observed, and how pictures look."""
        return type(self)(
            observation=self.observation,
            image_size=self.image_size,
            image_coordinates=self.image_coordinates,
            image_style=self.image_style,
        )

    @property
    def format(self) -> ObservationFormat:
        """What `observation` asks for."""
        return ObservationFormat.parse(self.observation)

    @property
    def pictures(self) -> PictureSettings:
        """How pictures are drawn."""
        return PictureSettings(self.image_size, self.image_coordinates, self.image_style)

    @property
    def swaps_observations(self) -> bool:
        """Whether the observations of another task are shown."""
        return self.observation_control == "swapped"

    def __attrs_post_init__(self) -> None:
        if self.examples_from is not None and not self.examples:
            raise ArgumentError(f"examples_from: no examples are shown, so none are chosen from '{self.examples_from}'")
        PictureSettings(self.image_size, self.image_coordinates, self.image_style)
        if self.context == "conversation" and self.history_images:
            raise ArgumentError(
                "history_images: a conversation has the earlier pictures in it already; context_images says how many"
            )


OLDER = ("observation", "history_images", "history_text_window")


def gather_presentation(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """A JSON object with its presentation in one place, where an older record has the settings among others.

    Nothing was explained when these were made.
    """
    found = {name: data[name] for name in OLDER if name in data}
    if not found:
        return data
    return {
        **{name: value for name, value in data.items() if name not in OLDER},
        "presentation": {**found, "explain": "none"},
    }


def check_installed(formats: ObservationFormat) -> None:
    """Make sure that the formats of texts are there.

    Raises:
        UnknownNameError: nothing installed provides one of them.
        AmbiguousNameError: more than one plugin does, and the name is not qualified.
    """
    for name in formats.texts:
        try:
            get_registry().observations.get(name)
        except UnknownNameError as error:
            raise _with_other_names(error) from error


def write_texts(formats: ObservationFormat, episode: Episode, when: str) -> str | None:
    """The texts of the present moment, one below the other; None where there are none.

    Args:
        formats: what is asked for.
        episode: the episode.
        when: what is being done, for faults, such as ``before step 3``.

    Raises:
        PluginFault: a format failed; it is named.
    """
    return "\n\n".join(_written(name, episode, when) for name in formats.texts) if formats.texts else None


def _written(name: str, episode: Episode, when: str) -> str:
    with blaming_in(episode.world.task, get_registry().observations.describe(name), when):
        return str(load_object(get_registry().observations.get(name).target)(episode))


def _with_other_names(error: UnknownNameError) -> UnknownNameError:
    """The same with the names that are none of a plugin's."""
    return UnknownNameError(error.kind, error.name, sorted({*error.known, IMAGE, NONE}), error.advice)
