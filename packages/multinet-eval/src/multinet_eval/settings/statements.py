"""Names of models and classes, for messages and results."""

from __future__ import annotations

from gridworld.errors import PluginFault, describe_value
from gridworld.model_interface import ModelInterface
from gridworld.plugins.faults import blaming

__all__ = ["class_name", "stated_name"]


def class_name(thing: object) -> str:
    """``module.Class`` of what somebody else has made, for messages."""
    return f"{type(thing).__module__}.{type(thing).__qualname__}"


def stated_name(model: ModelInterface, owner: str) -> str:
    """The name that a model is reported under.

    Args:
        model: the model.
        owner: what messages call it.

    Raises:
        PluginFault: it has none, or fails to say it.
    """
    with blaming(owner, "when it was asked for its model_name"):
        name: object = model.model_name
    if not isinstance(name, str) or not name.strip():
        raise PluginFault(f"{owner}: its model_name is {describe_value(name)}, expected a text that is not empty")
    return name
