"""Models behind LM Studio's local server."""

from typing import ClassVar

import attrs

from multinet_adapters.chat_adapter import option
from multinet_adapters.openai_compatible import OpenAICompatibleAdapter

__all__ = ["LMStudioVLMAdapter"]


@attrs.define(eq=False, slots=False)
class LMStudioVLMAdapter(OpenAICompatibleAdapter):
    """A model behind LM Studio; arguments as for `OpenAICompatibleAdapter`."""

    base_url: str = option("http://127.0.0.1:1234/v1")

    provider: ClassVar[str] = "lmstudio"
    start_hint: ClassVar[str] = "start it in LM Studio or with 'lms server start', or give its address as base_url"
    takes_unlisted: ClassVar[bool] = False

    def has_no_list(self, status: int) -> bool:
        """Return False: LM Studio always has a model list."""
        return False
