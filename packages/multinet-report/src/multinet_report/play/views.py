"""What is sent to the browser: a view is all that is to be seen at a time, and all that can be answered to it."""

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
from multinet_eval.human.persons import keys_of
from multinet_report.scene_data import colored_scene

if TYPE_CHECKING:
    import numpy as np

__all__ = ["GIVE_UP", "GO_ON", "STOP", "Button", "instructions", "message", "question", "scene_now"]

GO_ON = "go on"
"""The choice to have read something; actions are chosen by their ids."""
GIVE_UP = "give up"
"""The choice to refuse whatever is left of a maze."""
STOP = "stop"
"""The choice to end the session."""
BROWSER_KEYS = {"up": "ArrowUp", "left": "ArrowLeft", "right": "ArrowRight"}
"""Keys as browsers call them, where that is another name."""

View = dict[str, Any]


@attrs.frozen
class Button:
    """Something to choose that is no action."""

    choice: str
    label: str
    confirm: str | None = None
    """What is asked before it is done; None to do it at once."""


STOPPING = Button(STOP, "Stop for now", "Stop for now? What you have done is kept, and you can go on later.")
GIVING_UP = Button(GIVE_UP, "Give up this maze", "Give up this maze? It counts as not solved, and does not come again.")


def message(heading: str, lines: Iterable[str], buttons: Sequence[Button] = (), **more: Any) -> View:
    """A view that is read.

    Args:
        heading: what it is about.
        lines: its paragraphs.
        buttons: what can be chosen.
        more: fields of views that it has, too, such as ``scene``.
    """
    return {"kind": "message", "heading": heading, "lines": list(lines), "buttons": _buttons(buttons), **more}


def question(heading: str, given: ModelInput, scene: View | None, said: str) -> View:
    """A view that asks for an action, with what a model is given and nothing else.

    Args:
        heading: which maze it is.
        given: what a model is given.
        scene: the board to draw; None to show the picture that a model is given, if it is given one.
        said: what the last action did, in words, for those who listen to the page.
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
            {"choice": str(number), "name": given.action_space[number], "keys": [BROWSER_KEYS.get(k, k) for k in keys]}
            for number, keys in keys_of(given.action_space).items()
        ],
        "buttons": _buttons([GIVING_UP, STOPPING]),
        "explained": given.explanation is not None,
    }


def scene_now(scene: Scene, episode: Episode) -> View:
    """The board of the present moment: what is shown of it, and nothing else."""
    return colored_scene(scene.as_shown(episode.snapshot))


def instructions(explanation: Explanation | None) -> View:
    """What a model is told beforehand."""
    if explanation is None:
        return {"texts": [], "pictures": []}
    told = explanation.texts()
    return {
        "texts": [told[name] for name in ("rules", "legend", "examples") if name in told],
        "pictures": [_labelled(each) for each in explanation.pictures],
    }


def _labelled(picture: LabelledPicture) -> list[str]:
    return [picture.label, _address(picture.image)]


def _address(image: np.ndarray) -> str:
    """A picture as an address that holds it."""
    return f"data:image/png;base64,{b64encode(encode_png(image)).decode('ascii')}"


def _texts(given: ModelInput) -> Iterable[tuple[str, str | None]]:
    """The texts of a moment, each with what it is."""
    yield "What you see", given.text_observation
    yield "What has been", given.additional_context
    yield "What your last action did", given.feedback
    yield "Note", given.note


def _buttons(buttons: Iterable[Button]) -> list[dict[str, Any]]:
    return [attrs.asdict(button) for button in buttons]
