"""Adapters for models behind servers, and base classes for writing more of them.

Names are imported on first use, so that listing plugins stays cheap.
"""

from typing import TYPE_CHECKING

from gridworld.support.lazy import names_from

if TYPE_CHECKING:
    __version__: str

    from multinet_adapters.chat_adapter import Body, ChatAdapter
    from multinet_adapters.openai_compatible import OpenAICompatibleAdapter
    from multinet_adapters.pictures import picture_text
    from multinet_adapters.plugin import CONNECTION
    from multinet_adapters.refusals import Fallback, RequestPart
    from multinet_adapters.replies import ErrorHints
    from multinet_adapters.templated_model import Settings

__all__ = [
    "CONNECTION",
    "Body",
    "ChatAdapter",
    "ErrorHints",
    "Fallback",
    "OpenAICompatibleAdapter",
    "RequestPart",
    "Settings",
    "__version__",
    "picture_text",
]

MODULES = {
    "ChatAdapter": "chat_adapter",
    "CONNECTION": "plugin",
    "Body": "chat_adapter",
    "ErrorHints": "replies",
    "Fallback": "refusals",
    "RequestPart": "refusals",
    "OpenAICompatibleAdapter": "openai_compatible",
    "Settings": "templated_model",
    "picture_text": "pictures",
}

if not TYPE_CHECKING:  # so that type checkers know of no other names
    __getattr__ = names_from(__name__, MODULES)
