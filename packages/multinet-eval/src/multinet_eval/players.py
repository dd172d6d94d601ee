"""The model that plays a run, as its settings say: asked for actions, or by way of open questions."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gridworld.errors import ArgumentError
from gridworld.model_interface import ModelInterface, OpenModel
from multinet_eval.plugin_objects import make_model
from multinet_eval.probing.eliciting import DiagnosedModel, TranscribingModel
from multinet_eval.runs.settings import RunSettings

__all__ = ["make_player", "require_open"]

ELICITING: Mapping[str, Callable[[OpenModel], ModelInterface]] = {
    "diagnosis": DiagnosedModel,
    "transcription": TranscribingModel,
}
"""What `RunSettings.eliciting` may be, to the model that does it."""


def make_player(settings: RunSettings) -> ModelInterface:
    """The model of a run.

    Raises:
        ArgumentError: it is to be asked open questions, and cannot be; and as `make_model` does.
    """
    model = make_model(settings.model, list(settings.model_arguments))
    return model if settings.eliciting is None else ELICITING[settings.eliciting](require_open(model))


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
