"""Adapters for models behind servers, and base classes for writing more of them.

Names are imported on first use, so that listing plugins stays cheap.
"""

from typing import TYPE_CHECKING

from gridworld.support.lazy import names_from

if TYPE_CHECKING:
    __version__: str

    from multinet_adapters.chat_adapter import ChatAdapter, Request
    from multinet_adapters.openai_compatible import OpenAICompatibleAdapter

__all__ = ["ChatAdapter", "OpenAICompatibleAdapter", "Request", "__version__"]

MODULES = {
    "ChatAdapter": "chat_adapter",
    "Request": "chat_adapter",
    "OpenAICompatibleAdapter": "openai_compatible",
}

if not TYPE_CHECKING:  # so that type checkers know of no other names
    __getattr__ = names_from(__name__, MODULES)
