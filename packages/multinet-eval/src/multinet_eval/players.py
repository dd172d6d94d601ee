"""The model that plays a run, as its settings say: asked for actions, or by way of open questions."""

from __future__ import annotations

from collections.abc import Callable

from gridworld.errors import ArgumentError
from gridworld.model_interface import ModelInterface, OpenModel
from gridworld.support.import_strings import load_object
from multinet_eval.plugin_objects import make_model
from multinet_eval.runs.settings import ELICITING, RunSettings

__all__ = ["make_player", "require_open"]


def make_player(settings: RunSettings) -> ModelInterface:
    """The model of a run.

    Raises:
        ArgumentError: it is to be asked open questions, and cannot be; and as `make_model` does.
    """
    model = make_model(settings.model, list(settings.model_arguments))
    if settings.eliciting is None:
        return model
    through: Callable[[OpenModel], ModelInterface] = load_object(ELICITING[settings.eliciting])
    return through(require_open(model))


def require_open(model: ModelInterface) -> OpenModel:
    """The model, as one that can be asked open questions.

    Raises:
        ArgumentError: it cannot.
    """
    if not isinstance(model, OpenModel):
        raise ArgumentError(
            f"model '{model.model_name}' chooses actions, and cannot be asked anything else: expected one that answers "
            "open questions (gridworld.model_interface.OpenModel), such as ollama, lmstudio or openai"
        )
    return model
