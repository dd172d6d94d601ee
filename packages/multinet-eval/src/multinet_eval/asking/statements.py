"""What models and protocols say of themselves, checked before they are played."""

from __future__ import annotations

from gridworld.errors import PluginFault, describe_value
from gridworld.model_interface import ModelInterface, ReplyForm
from gridworld.plugins.faults import blaming
from multinet_eval.asking.protocol import Protocol

__all__ = ["class_name", "stated_name", "stated_reply"]


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


def stated_reply(protocol: Protocol, owner: str) -> ReplyForm:
    """The form of the replies that a protocol asks for; raises as `stated_name` does."""
    with blaming(owner, "when it was asked what a reply holds"):
        form: object = protocol.reply
    if not isinstance(form, ReplyForm):
        raise PluginFault(f"{owner}: its reply is {describe_value(form)}, expected a ReplyForm")
    return form
