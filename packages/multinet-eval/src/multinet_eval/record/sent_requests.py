"""Sent requests in the lines of an episode: the messages of each, their settings, schema and seed.

A request is written as an object: ``messages``, and, where there are any, ``settings``, ``schema`` and ``seed``. A
message is an object with its ``role`` and ``parts`` where it is written first; later it is its number, counted from 0
in the order of writing, and a pair of numbers stands for all messages from the first to the last. Parts are written in
the same way: a text as ``text`` and ``name``, a picture as the digest of its pixels, its ``name`` and ``label``. A text
that other episodes share has the digest of a ``file`` in place of the text, as has a schema.

`SentWriter` writes the requests of one attempt from its header or resumption on, and `SentReader` reads them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import attrs

from gridworld.model_interface import Message, Opaque, Picture, Prompt, Sent, Text
from gridworld.model_interface.prompts import Part
from gridworld.runner.record import RecordingError
from gridworld.support.files import JSONError, parse_json
from gridworld.world.digest import text_digest
from multinet_eval.support.output import compact_json

SHARED = frozenset({"wording", "rules", "legend", "examples", "actions", "answer form", "instructions"})
"""Names of texts that many episodes share."""
LEAST_SHARED = 80
"""Length from which on a shared text has a file of its own, in characters."""
MOST_PARTS = 100_000
"""Limit of the messages of a request, and of the parts of a message."""
MOST_REFERENCES = 5_000_000
"""Limit of messages and parts that are named by numbers, over all requests of an attempt."""
MOST_CHARACTERS, EACH_PART = 20_000_000, 100
"""Limit for the characters of a request, for the same reason, and the number that each part counts besides its own."""

GAP = Text("\n\n", "wording")
"""Text between those of the input of a model without messages."""

Keep = Callable[[str, str], None]
"""Stores a text in a file named after its digest, the first argument."""


class SentWriter:
    """Writes the requests of one attempt.

    Args:
        keep: stores a shared text or a schema; None to write all of them in full.
    """

    def __init__(self, keep: Keep | None = None) -> None:
        self._keep = keep
        self._messages: dict[tuple[str, tuple[int, ...]], int] = {}
        self._parts: dict[tuple[Any, ...], int] = {}

    def write(self, sent: Sent) -> str:
        """Write a request as JSON."""
        prompt = sent.prompt
        fields = [f'"messages":[{",".join(_ranges(map(self._message, prompt.messages)))}]']
        if sent.settings:
            fields.append(f'"settings":{compact_json(sent.settings)}')
        if prompt.schema is not None:
            schema = compact_json(prompt.schema)
            fields.append(f'"schema":{schema if self._keep is None else json.dumps(self._kept(self._keep, schema))}')
        if prompt.seed is not None:
            fields.append(f'"seed":{prompt.seed}')
        return f"{{{','.join(fields)}}}"

    def _message(self, message: Message) -> int | str:
        """Return the number of a message, or the message if it is new."""
        written = list(map(self._part, message.parts))
        key = (message.role, tuple(number for number, _ in written))
        if key in self._messages:
            return self._messages[key]
        self._messages[key] = len(self._messages)
        parts = ",".join(_ranges(number if text is None else text for number, text in written))
        return f'{{"role":"{message.role}","parts":[{parts}]}}'

    def _part(self, part: Part) -> tuple[int, str | None]:
        """Return the number of a part, and the part if it is new."""
        key = _key(part)
        if key in self._parts:
            return self._parts[key], None
        self._parts[key] = number = len(self._parts)
        return number, compact_json(self._described(part))

    def _described(self, part: Part) -> dict[str, Any]:
        match part:
            case Text(text, name) if self._keep is not None and name in SHARED and len(text) >= LEAST_SHARED:
                return {"file": self._kept(self._keep, text), "name": name}
            case Text(text, name):
                return {"text": text, "name": name}
            case Picture():
                return {"picture": part.digest, "name": part.name, "label": part.label}
            case Opaque(kind, content):
                return {"opaque": kind, "content": content}

    @staticmethod
    def _kept(keep: Keep, text: str) -> str:
        digest = text_digest(text)
        keep(digest, text)
        return digest


def _key(part: Part) -> tuple[Any, ...]:
    match part:
        case Text(text, name):
            return text, name
        case Picture():
            return part.digest, part.name, part.label, None
        case Opaque(kind, content):
            return kind, json.dumps(content, sort_keys=True), None


def _ranges(items: Iterable[int | str]) -> Iterator[str]:
    """Yield new items, numbers, and pairs of numbers for consecutive ones, as JSON."""
    first, end = 0, 0
    for item in items:
        if isinstance(item, int) and first < end == item:
            end += 1
            continue
        if first < end:
            yield _range(first, end)
        first, end = (item, item + 1) if isinstance(item, int) else (0, 0)
        if isinstance(item, str):
            yield item
    if first < end:
        yield _range(first, end)


def _range(first: int, end: int) -> str:
    return str(first) if first + 1 == end else f"[{first},{end - 1}]"


def sent_input(texts: Iterable[tuple[str, str]], pictures: Iterable[Picture]) -> Sent:
    """Return the pictures and the named texts, with gaps, that a model without messages was given, as a request."""
    parts = [part for name, text in texts for part in (GAP, Text(text, name))]
    return Sent(Prompt((Message("user", (*pictures, *parts[1:])),)))


@attrs.frozen
class ReadPart:
    """A part of a recorded message."""

    name: str
    text: str | None = None
    """The text, or JSON of another kind; None for a picture."""
    picture: str | None = None
    """Digest of a picture."""
    label: str = ""


@attrs.frozen
class ReadMessage:
    """A recorded message."""

    role: str
    parts: tuple[ReadPart, ...]

    @property
    def text(self) -> str:
        """All texts, joined."""
        return "".join(part.text or "" for part in self.parts)

    @property
    def summary(self) -> list[Any]:
        """What was sent: the role, then the texts between the pictures, and label and digest of each of these."""
        blocks: list[Any] = [self.role]
        for part in self.parts:
            if part.picture is not None:
                blocks.append([part.label, part.picture])
            elif len(blocks) > 1 and isinstance(blocks[-1], str):
                blocks[-1] += part.text or ""
            else:
                blocks.append(part.text or "")
        return blocks


@attrs.frozen
class ReadRequest:
    """A recorded request."""

    messages: tuple[ReadMessage, ...]
    settings: Mapping[str, Any] = attrs.Factory(dict)
    schema_text: str | None = None
    """JSON schema of the answer, as text; None without one."""
    seed: int | None = None

    @property
    def has_pictures(self) -> bool:
        """Whether a picture was sent."""
        return any(part.picture for message in self.messages for part in message.parts)

    @property
    def schema(self) -> Any:
        """The JSON schema of the answer; None without one; raises RecordingError if it is no JSON."""
        try:
            return None if self.schema_text is None else parse_json(self.schema_text)
        except JSONError as error:
            raise RecordingError(f"a schema of answers is no JSON: {error}") from error


class SentReader:
    """Reads the requests of a `SentWriter`, in the same order.

    Args:
        find: returns the stored text with a digest; raises ValueError for a missing one.
    """

    def __init__(self, find: Callable[[str], str]) -> None:
        self._find = find
        self._messages: list[ReadMessage] = []
        self._parts: list[ReadPart] = []
        self._left = MOST_REFERENCES

    def read(self, written: Any) -> ReadRequest:
        """Read a request; raises ValueError, TypeError, AttributeError or LookupError if it has another form."""
        schema = written.get("schema")
        messages = tuple(self._expanded(written["messages"], self._messages, self._message))
        _check_length(messages)
        return ReadRequest(
            messages,
            dict(written.get("settings", {})),
            self._find(schema) if isinstance(schema, str) else None if schema is None else compact_json(schema),
            written.get("seed"),
        )

    def _message(self, written: Mapping[str, Any]) -> ReadMessage:
        parts = tuple(self._expanded(written["parts"], self._parts, self._part))
        return ReadMessage(str(written["role"]), parts)

    def _part(self, written: Mapping[str, Any]) -> ReadPart:
        match written:
            case {"file": str(digest), "name": str(name)}:
                return ReadPart(name, self._find(digest))
            case {"text": str(text), "name": str(name)}:
                return ReadPart(name, text)
            case {"picture": str(digest), "name": str(name), "label": str(label)}:
                return ReadPart(name, None, digest, label)
            case {"opaque": str(kind), "content": content}:
                return ReadPart(kind, compact_json(content))
        raise ValueError(f"expected a text, a picture or a file, got {written!r:.60}")

    def _expanded(self, items: Sequence[Any], known: list[Any], read: Callable[[Any], Any]) -> Iterator[Any]:
        """Yield items, known ones for their numbers, and append new ones to the known."""
        before = self._left
        for item in items:
            match item:
                case int():
                    found = [_at(known, item)]
                case [int(first), int(last)]:
                    _at(known, first), _at(known, last)
                    self._spend(last + 1 - first, before)
                    found = known[first : last + 1]
                case _:
                    found = [read(item)]
                    known.append(found[0])
            self._spend(1, before)
            yield from found

    def _spend(self, count: int, before: int) -> None:
        """Count what references stand for: a few bytes could expand to more than fits into memory."""
        self._left -= max(0, count)
        if before - self._left > MOST_PARTS or self._left < 0:
            raise ValueError(f"expected at most {MOST_PARTS} parts, and {MOST_REFERENCES} in all requests")


def _check_length(messages: Iterable[ReadMessage]) -> None:
    left = MOST_CHARACTERS
    for part in (part for message in messages for part in message.parts):
        left -= EACH_PART + len(part.text or "") + len(part.name) + len(part.label)
        if left < 0:
            raise ValueError(f"expected at most {MOST_CHARACTERS} characters")


def _at(known: Sequence[Any], number: int) -> Any:
    if not 0 <= number < len(known):
        raise ValueError(f"expected the number of an earlier part, less than {len(known)}, got {number}")
    return known[number]


def digests_of_files(written: Any) -> Iterator[str]:
    """Yield the digests of the files that a request names, as far as it has the expected form."""
    if not isinstance(written, Mapping):
        return
    if isinstance(written.get("schema"), str):
        yield written["schema"]
    for message in _objects(written.get("messages")):
        yield from (str(part["file"]) for part in _objects(message.get("parts")) if "file" in part)


def _objects(value: Any) -> Iterator[Mapping[str, Any]]:
    return (each for each in value if isinstance(each, Mapping)) if isinstance(value, list) else iter(())
