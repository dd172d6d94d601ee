"""An adapter can be written with the names that `multinet_adapters` exports."""

import re
from typing import ClassVar

import multinet_adapters
from gridworld.model_interface import Reply, reply_of
from multinet_adapters import Body, ChatAdapter, ErrorHints, Fallback, RequestPart, Settings
from support.programs import REPOSITORY

PAGE = REPOSITORY / "docs" / "how-to" / "plugins" / "adapter.md"


class EchoAdapter(ChatAdapter):
    """Defines what the page lists."""

    provider: ClassVar[str] = "echo"
    chat_path: ClassVar[str] = "/echo"
    fallbacks: ClassVar = {RequestPart.SEED: Fallback("none is sent", "seed=none")}

    def error_hints(self) -> ErrorHints:
        return ErrorHints({418: "ask for coffee"})

    def body(self, prompt: object, settings: Settings) -> Body:
        return {**settings}

    def reply(self, body: Body) -> Reply:
        return reply_of(body["text"])


def test_an_adapter_of_exported_parts_is_made() -> None:
    assert EchoAdapter("m", base_url="http://127.0.0.1:9").error_hints().by_status[418] == "ask for coffee"


def test_the_page_for_authors_imports_nothing_from_inside() -> None:
    imported = re.findall(r"^from (multinet_adapters\S*) import (.*)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert imported
    for module, names in imported:
        assert module == "multinet_adapters"
        assert {each.strip() for each in names.split(",")} <= set(multinet_adapters.__all__)
