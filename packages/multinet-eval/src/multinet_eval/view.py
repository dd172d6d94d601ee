"""`View`: from what a backend observes to what a model is given of it, a picture, a text, or both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from gridworld.culprits import backend_name
from gridworld.errors import ArgumentError
from gridworld.model_interface import ModelInterface, PromptedModel
from gridworld.png import is_rgb
from gridworld.text import text_view

if TYPE_CHECKING:
    from gridworld.backends.base import AbstractGridBackend

__all__ = ["ObservationMode", "View"]

ObservationMode = Literal["image", "text", "image+text"]
"""What a model is given of each step."""


class View:
    """What one model is given of the present state.

    Args:
        backend: where the model plays; it has been configured.
        model: the model.
        mode: whether it is given the picture, its text view, or both.
    """

    def __init__(self, backend: AbstractGridBackend, model: ModelInterface, mode: ObservationMode) -> None:
        self._backend = backend
        self._has_prompt = isinstance(model, PromptedModel)
        self._mode = mode

    def picture(self, observation: Any) -> Any:
        """The picture, of shape (height, width, 3), uint8; None for a model that is given none.

        It is None, too, where the backend has been told to draw nothing and the model has no prompt, which baselines
        and models of other kinds can do without.

        Raises:
            ArgumentError: the model is to be given pictures, and the backend observes something else.
        """
        if self._mode == "text" or (observation is None and not self._has_prompt):
            return None
        if not is_rgb(observation):
            raise ArgumentError(
                f"{backend_name(self._backend.name)} observes {_described(observation)}, expected an RGB picture: "
                "play on another backend, or with the observation 'text'"
            )
        return observation

    def text(self) -> str | None:
        """The text view; None for a model that is given none."""
        return None if self._mode == "image" else str(text_view(self._backend.episode))


def _described(observation: Any) -> str:
    return "nothing (is its render_mode 'none'?)" if observation is None else f"a {type(observation).__name__}"
