"""What models and protocols say of themselves, checked before they are played."""

from __future__ import annotations

from gridworld.errors import PluginFault, describe_value
from gridworld.model_interface import ModelInterface, ReplyForm
from gridworld.plugins.faults import blaming
from multinet_eval.asking.protocol import Protocol

__all__ = ["check_protocol", "class_name", "stated_name"]


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


def check_protocol(protocol: Protocol, owner: str) -> None:
    """Make sure that a protocol says what a reply holds, and how many there may be; raises as `stated_name` does."""
    with blaming(owner, "when it was asked what a reply holds"):
        form: object = protocol.reply
    if not isinstance(form, ReplyForm):
        raise PluginFault(f"{owner}: its reply is {describe_value(form)}, expected a ReplyForm")
    with blaming(owner, "when it was asked for its max_replies"):
        most: object = protocol.max_replies
    if most is not None and not isinstance(most, int):
        raise PluginFault(f"{owner}: its max_replies is {describe_value(most)}, expected a whole number, or None")
