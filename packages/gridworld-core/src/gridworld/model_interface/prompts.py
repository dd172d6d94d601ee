"""Requests as values: `Prompt`, which is rendered once, sent, recorded and verified, and `Reply`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Literal

import attrs

if TYPE_CHECKING:
    import numpy as np

    from gridworld.model_interface.answers import Usage

Role = Literal["system", "user", "assistant"]
DIGEST_SIZE = 8
"""Size of digests in bytes; they are written as hexadecimal digits."""


@attrs.frozen
class Text:
    """A named text of a message; the texts between two pictures are joined verbatim."""

    text: str
    name: str = ""
    """Part of the prompt that it is, such as ``rules``, ``mission`` or ``observation``."""
    plain: str | None = None
    """Text that replaces it if the answer is not requested in a JSON schema; None if it stays as it is."""


@attrs.frozen(eq=False, slots=False)
class Picture:
    """A picture of a message."""

    pixels: np.ndarray
    """Shape (height, width, 3), uint8."""
    name: str = ""
    """Part of the prompt that it is, such as ``observation`` or ``legend``."""
    label: str = ""
    """Text that is sent with the picture."""

    @cached_property
    def digest(self) -> str:
        """Digest of shape and pixels, 16 hexadecimal digits."""
        shape = str(self.pixels.shape).encode()
        return blake2b(self.pixels.tobytes(), digest_size=DIGEST_SIZE, salt=shape[:16]).hexdigest()


@attrs.frozen
class Opaque:
    """JSON that a provider wants back unchanged, such as a signed block of reasoning."""

    kind: str
    content: Any


Part = Text | Picture | Opaque


def _parts(parts: Iterable[Part]) -> tuple[Part, ...]:
    return tuple(parts)


@attrs.frozen(eq=False, slots=False)
class Message:
    """One message of a conversation."""

    role: Role
    parts: tuple[Part, ...] = attrs.field(converter=_parts)

    def blocks(self) -> Iterator[str | Picture | Opaque]:
        """Yield the parts in order, with consecutive texts joined."""
        texts: list[str] = []
        for part in self.parts:
            if isinstance(part, Text):
                texts.append(part.text)
                continue
            if texts:
                yield "".join(texts)
                texts = []
            yield part
        if texts:
            yield "".join(texts)

    @property
    def text(self) -> str:
        """All texts, joined."""
        return "".join(part.text for part in self.parts if isinstance(part, Text))

    @property
    def pictures(self) -> list[Picture]:
        """The pictures, in order."""
        return [part for part in self.parts if isinstance(part, Picture)]

    @cached_property
    def digest(self) -> str:
        """Digest of the role and of what is sent, 16 hexadecimal digits; names of parts do not affect it."""
        return _digest([self.role, *map(_summary, self.blocks())])


@attrs.frozen(eq=False, slots=False)
class Prompt:
    """The whole content of a request to a model."""

    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = None
    """JSON schema of the answer; None for an answer in any form."""
    seed: int | None = None
    """Sampling seed; None to send none."""

    @cached_property
    def digest(self) -> str:
        """Digest of messages and schema, 16 hexadecimal digits."""
        return _digest([[message.digest for message in self.messages], self.schema])

    @property
    def parts(self) -> Iterator[Part]:
        """All parts of all messages, in order."""
        return (part for message in self.messages for part in message.parts)


def question(*parts: Part, system: str = "") -> Prompt:
    """Return the prompt of an open question: the parts of the user's message, and a system text if there is one."""
    told = [Message("system", (Text(system, "instructions"),))] if system else []
    return Prompt((*told, Message("user", parts)))


def _summary(block: str | Picture | Opaque) -> list[Any]:
    match block:
        case str():
            return ["text", block]
        case Picture():
            return ["picture", block.label, block.digest]
        case Opaque():
            return ["opaque", block.kind, block.content]


def _digest(content: Any) -> str:
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return blake2b(text.encode(), digest_size=DIGEST_SIZE).hexdigest()


@attrs.frozen
class Sent:
    """A request that went out: a prompt, and the settings that went with it."""

    prompt: Prompt
    settings: Mapping[str, Any] = attrs.Factory(dict)
    """JSON-ready settings of the request, such as ``temperature``, by their names in the server's protocol."""


class Finish(StrEnum):
    """Reason why a reply ended."""

    STOP = "stop"
    """The reply is complete."""
    LENGTH = "length"
    """The reply reached its token limit."""
    REFUSED = "refused"
    """The model or its server declined to answer."""


@attrs.frozen
class Adjustment:
    """A workaround for a setting that the server rejects."""

    refused: str
    """Rejected part of requests, such as ``structured output``."""
    instead: str
    """Description of the fallback."""
    reason: str
    """The server's message, without credentials."""
    argument: str
    """Model argument ``name=value`` that selects the fallback from the start."""


REASONING = "reasoning"
"""Name of the texts of a reply that are its reasoning."""


@attrs.frozen
class Reply:
    """A model's reply, without credentials."""

    message: Message
    """The assistant's message: its texts, its reasoning (texts of that name), and what the provider wants back."""
    usage: Usage | None = None
    finish: Finish = Finish.STOP
    refusal: str = ""
    """Reason why the model or its server declined to answer; empty if it did not."""
    sent: Prompt | None = None
    """The prompt that went out last; None if it is the one that was to be sent."""
    settings: Mapping[str, Any] = attrs.Factory(dict)
    """The settings that went with it."""
    left_out: tuple[str, ...] = ()
    """Parts omitted from `sent` because the server rejects them, such as ``structured output``."""
    adjustments: tuple[Adjustment, ...] = ()
    """Workarounds that this request found to be necessary, and that are used from now on."""

    @property
    def text(self) -> str:
        """Text without the reasoning that the server returns separately; may be empty."""
        return "".join(_texts(self.message.parts, reasoning=False))

    @property
    def reasoning(self) -> str | None:
        """Reasoning that the server returns separately from the text; None without any."""
        return "".join(_texts(self.message.parts, reasoning=True)) or None


def _texts(parts: Iterable[Part], reasoning: bool) -> Iterator[str]:
    return (part.text for part in parts if isinstance(part, Text) and (part.name == REASONING) is reasoning)


def reply_of(text: str, reasoning: str | None = None, *returned: Opaque, **rest: Any) -> Reply:
    """Make a reply of a text, its separate reasoning, and JSON to give back; other fields as for `Reply`.

    Raises:
        TypeError: the text or the reasoning is something else, as in the reply of a server that fails.
    """
    for value in (text, reasoning or ""):
        if not isinstance(value, str):
            raise TypeError(f"expected the text of a reply, got {value!r:.60}")
    thought = [Text(reasoning, REASONING)] if reasoning else []
    return Reply(Message("assistant", (*thought, *returned, Text(text, "text"))), **rest)
