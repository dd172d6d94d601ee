"""The model that plays a run, as its settings say: asked for actions, or by way of open questions."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress

from gridworld.errors import ArgumentError, PluginFault
from gridworld.model_interface import ModelInterface, OpenModel
from gridworld.plugins import get_registry
from gridworld.support.import_strings import load_object
from multinet_eval.settings.plugin_objects import make_model
from multinet_eval.settings.run_settings import ELICITING, RunSettings

__all__ = ["make_player", "refuse_other_model", "require_open"]


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


def refuse_other_model(settings: RunSettings, model: ModelInterface) -> None:
    """Make sure that a model is not another one of those that are installed than settings name.

    A model that is not installed can be called by none of their names, and is played as it is; its run cannot be gone
    on with by others.

    Raises:
        ArgumentError: it is.
        UnknownNameError, AmbiguousNameError: no plugin, or more than one, provides the name that the settings have.
    """
    catalog = get_registry().models
    named = catalog.provider(settings.model)
    same = [each for each in catalog if _is_made_of(model, each.item.target)]
    if same and named not in same:
        raise ArgumentError(
            f"the settings name {named.described('model')}, and the one that is given is {same[0].described('model')}: "
            "name the one that is to play in RunSettings, with its arguments, and make it with make_model"
        )


def _is_made_of(model: ModelInterface, target: str) -> bool:
    """Whether an import string names the class of a model; no module is imported for it that is not in use."""
    if target.partition(":")[0] not in sys.modules:
        return False
    with suppress(PluginFault):  # which is told where that one is asked for
        return load_object(target) is type(model)
    return False


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
