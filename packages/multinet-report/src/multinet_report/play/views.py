"""Views: JSON objects that tell the browser what to show and which answers are valid."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from gridworld.backends.scenes import Scene
from gridworld.explaining.explanation import Explanation, LabelledPicture
from gridworld.model_interface import ModelInput
from gridworld.support.png import encode_png
from gridworld.world import Episode
from multinet_report.scene_data import colored_scene

if TYPE_CHECKING:
    import numpy as np


GO_ON = "go on"
"""Choice to continue after a text; actions are chosen by their ids."""
GIVE_UP = "give up"
"""Choice to give up the rest of a maze."""
STOP = "stop"
"""Choice to end the session."""
KEYS = {
    "move_forward": ("ArrowUp", "f"),
    "turn_left": ("ArrowLeft", "l"),
    "turn_right": ("ArrowRight", "r"),
    "pickup": ("p",),
    "drop": ("d",),
    "toggle": ("t", " "),
    "done": ("w", "."),
}
"""Keys of actions by browsers' names, in addition to the digits of their ids."""

View = dict[str, Any]


@attrs.frozen
class Button:
    """A choice that is not an action."""

    choice: str
    label: str
    confirm: str | None = None
    """Question to confirm the choice; None for no confirmation."""


STOPPING = Button(STOP, "Stop for now", "Stop for now? Your progress is saved, and you can continue later.")
GIVING_UP = Button(GIVE_UP, "Give up this maze", "Give up this maze? It counts as not solved, and is not shown again.")


def message(heading: str, lines: Iterable[str], buttons: Sequence[Button] = (), **more: Any) -> View:
    """Build a view with a text.

    Args:
        heading: the heading.
        lines: the paragraphs.
        buttons: the choices.
        more: further fields, such as ``scene``.
    """
    return {"kind": "message", "heading": heading, "lines": list(lines), "buttons": _buttons(buttons), **more}


def question(heading: str, given: ModelInput, scene: View | None, said: str) -> View:
    """Build a view that asks for an action and shows exactly what a model is given.

    Args:
        heading: name of the maze.
        given: the model input.
        scene: the board to draw; None to show the picture of the model input, if any.
        said: description of the last action's effects, for screen readers.
    """
    present = given.image if scene is None else None
    return {
        "kind": "question",
        "heading": heading,
        "mission": given.text_prompt,
        "step": given.step_number,
        "most": given.max_steps,
        "scene": scene,
        "picture": None if present is None else _address(present),
        "earlier": [_address(image) for image in given.prior_images or ()],
        "texts": [[label, text] for label, text in _texts(given) if text],
        "said": said,
        "actions": [
            {"choice": str(number), "name": name, "keys": [*KEYS.get(name, ()), str(number)]}
            for number, name in sorted(given.action_space.items())
        ],
        "buttons": _buttons([GIVING_UP, STOPPING]),
        "explained": given.explanation is not None,
    }


def scene_now(scene: Scene, episode: Episode) -> View:
    """Return the current board as shown, without hidden parts."""
    return colored_scene(scene.as_shown(episode.snapshot))


def instructions(explanation: Explanation | None) -> View:
    """Return the explanation given to a model before an episode."""
    if explanation is None:
        return {"texts": [], "pictures": []}
    told = explanation.texts()
    return {
        "texts": [[name, told[name]] for name in ("rules", "legend", "examples") if name in told],
        "pictures": [_labelled(each) for each in explanation.pictures],
    }


def _labelled(picture: LabelledPicture) -> list[str]:
    return [picture.label, _address(picture.image)]


def _address(image: np.ndarray) -> str:
    """Encode a picture as a data URL."""
    return f"data:image/png;base64,{b64encode(encode_png(image)).decode('ascii')}"


def _texts(given: ModelInput) -> Iterable[tuple[str, str | None]]:
    """Yield the labelled texts of a model input."""
    yield "What you see", given.text_observation
    yield "History", given.additional_context
    yield "Effects of your last action", given.feedback
    yield "Note", given.note


def _buttons(buttons: Iterable[Button]) -> list[dict[str, Any]]:
    return [attrs.asdict(button) for button in buttons]
