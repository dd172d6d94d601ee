"""Prompt templates: files with a system text and a user text that contain named fields.

A file has an optional part ``[system]`` and a part ``[user]``. A field is written ``$mission`` or ``${mission}``, a
dollar sign ``$$``. A paragraph is omitted if one of its fields has no value at a step.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from importlib import resources
from importlib.resources.abc import Traversable
from itertools import groupby
from pathlib import Path
from string import Template
from typing import Literal

import attrs

from gridworld.model_interface import Text
from gridworld.support.wording import nearest_hint

FIELDS: dict[str, str] = {
    "mission": "the mission",
    "actions": "the action space, a line for each: id and name",
    "answer_format": "how to answer",
    "correction": "what was wrong with the last answer",
    "history": "the text of the last steps",
    "feedback": "what the actions since the last question did, a line for each",
    "note": "the model's note to itself",
    "text_observation": "the current observation in words",
    "legend": "the objects of the maze and how they look",
    "rules": "the effects of actions and objects",
    "examples": "other mazes with their solutions",
    "pictures": "the number of pictures of the maze, such as '3 pictures'",
    "attached": "the pictures that come with the question, counted",
    "step": "the number of the current step, from 1",
    "max_steps": "the step budget",
    "steps_left": "the number of steps left, including the current one",
}
"""Fields and their meanings."""

NEEDED = ("mission", "actions", "answer_format", "correction", "history", "text_observation")
"""Mandatory fields; a model that never sees them could not be judged fairly."""

BY_DEFAULT = {
    "feedback": Template("What your actions since the last question did:\n$feedback"),
    "note": Template("Your note to yourself:\n$note"),
}
"""Paragraphs that precede the user text, for fields that a template lacks."""
EXPLAINING = {"rules": Template("$rules"), "legend": Template("$legend"), "examples": Template("$examples")}
"""Paragraphs that follow the system text, for fields of the explanation that a template lacks."""

WORDING = "wording"
"""Name of the texts of a prompt that are the template's own."""
HEADING = re.compile(r"^\[(\w+)\][ \t]*$", re.MULTILINE)
PARTS = ("system", "user")
PARAGRAPHS = re.compile(r"\n[ \t]*\n\s*")


Values = tuple[tuple[str, Text | None], ...]
"""A value for each of `FIELDS`, by name; None for a field without one."""
KEPT_RENDERINGS = 4096
"""Number of rendered questions to keep, since a conversation repeats earlier ones in each request."""


@attrs.frozen(eq=False, slots=False)
class PromptTemplate:
    """A validated template, as paragraphs."""

    name: str
    source: str
    """The template's text."""
    system: tuple[Template, ...]
    user: tuple[Template, ...]

    def render(self, values: Values) -> tuple[list[Text], list[Text]]:
        """Render the texts of the system and of the user: one for each field, and for what stands between fields."""
        return _rendered(self, values)

    def paragraphs(self) -> tuple[tuple[Template, ...], tuple[Template, ...]]:
        """Return the paragraphs of the system and of the user, with those for fields that the template lacks."""
        return (*self.system, *self._unused(EXPLAINING)), (*self._unused(BY_DEFAULT), *self.user)

    def _unused(self, paragraphs: Mapping[str, Template]) -> tuple[Template, ...]:
        return tuple(paragraph for field, paragraph in paragraphs.items() if field not in self._used)

    @cached_property
    def _used(self) -> frozenset[str]:
        return frozenset(field for paragraph in (*self.system, *self.user) for field in paragraph.get_identifiers())


@lru_cache(maxsize=KEPT_RENDERINGS)
def _rendered(template: PromptTemplate, values: Values) -> tuple[list[Text], list[Text]]:
    known = {name: value for name, value in values if value is not None}
    system, user = template.paragraphs()
    return _fill(system, known), _fill(user, known)


def _fill(paragraphs: tuple[Template, ...], values: Mapping[str, Text]) -> list[Text]:
    """Fill in the paragraphs all of whose fields have a value."""
    pieces: list[Text] = []
    for paragraph in paragraphs:
        if set(paragraph.get_identifiers()) <= values.keys():
            pieces += [Text("\n\n", WORDING)] if pieces else []
            pieces += _pieces(paragraph, values)
    return list(_joined(pieces))


def _pieces(paragraph: Template, values: Mapping[str, Text]) -> Iterator[Text]:
    """Split a paragraph into the texts between its fields and the values of the fields."""
    position = 0
    for found in paragraph.pattern.finditer(paragraph.template):
        yield Text(paragraph.template[position : found.start()], WORDING)
        field = found["named"] or found["braced"]
        yield Text("$", WORDING) if field is None else values[field]
        position = found.end()
    yield Text(paragraph.template[position:], WORDING)


def _joined(pieces: Iterable[Text]) -> Iterator[Text]:
    """Join consecutive texts of the template's own wording, and drop empty ones."""
    for is_wording, group in groupby((piece for piece in pieces if piece.text), lambda piece: piece.name == WORDING):
        if is_wording:
            yield Text("".join(piece.text for piece in group), WORDING)
        else:
            yield from group


TemplateName = Literal["chain_of_thought", "minimal", "standard", "verbose"] | str
"""A bundled template, or the path of another."""


def template_names() -> list[str]:
    """Return the names of the bundled templates, sorted."""
    return sorted(file.name.removesuffix(".txt") for file in _folder().iterdir() if file.name.endswith(".txt"))


def load_template(name: str) -> PromptTemplate:
    """Load a bundled template by name, or a template from a file.

    Raises:
        ValueError: neither exists, or the template is invalid.
    """
    if name in template_names():
        return parse_template(name, (_folder() / f"{name}.txt").read_text(encoding="utf-8"))
    try:
        text = Path(name).read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        known = template_names()
        message = f"no prompt '{name}'{nearest_hint(name, known)}; expected {', '.join(known)} or the path of a file"
        raise ValueError(f"{message} ({error})") from error
    return parse_template(name, text)


def _folder() -> Traversable:
    return resources.files("multinet_adapters") / "prompts"


def parse_template(name: str, text: str) -> PromptTemplate:
    """Parse the text of a template; `name` is for messages.

    Raises:
        ValueError: the text is not a valid template.
    """
    parts = _parts(name, text)
    used = {field for part in parts.values() for paragraph in part for field in _fields(name, paragraph)}
    missing = [f"${field} ({FIELDS[field]})" for field in NEEDED if field not in used]
    if missing:
        raise ValueError(f"prompt '{name}' lacks {', '.join(missing)}")
    return PromptTemplate(name, text, parts.get("system", ()), parts["user"])


def _parts(name: str, text: str) -> dict[str, tuple[Template, ...]]:
    """Return the paragraphs of each part."""
    before, *rest = HEADING.split(text.strip())
    headings, texts = rest[::2], rest[1::2]
    for heading in headings:
        if heading not in PARTS:
            raise ValueError(f"prompt '{name}': unknown part [{heading}]{nearest_hint(heading, PARTS)}")
    if before.strip() or "user" not in headings or len(set(headings)) < len(headings):
        raise ValueError(f"prompt '{name}': expected [user] and optionally [system], each once, and nothing before")
    return {heading: _paragraphs(part) for heading, part in zip(headings, texts, strict=True)}


def _paragraphs(text: str) -> tuple[Template, ...]:
    return tuple(Template(paragraph) for paragraph in PARAGRAPHS.split(text.strip()) if paragraph)


def _fields(name: str, paragraph: Template) -> list[str]:
    """Return the fields of a paragraph; raises ValueError for an unknown one."""
    if not paragraph.is_valid():
        raise ValueError(
            f"prompt '{name}': a '$' without a field (write $$ for a dollar sign) in: {paragraph.template}"
        )
    fields = paragraph.get_identifiers()
    for field in fields:
        if field not in FIELDS:
            known = ", ".join(FIELDS)
            raise ValueError(f"prompt '{name}': unknown field ${field}{nearest_hint(field, FIELDS)}; expected {known}")
    return fields
