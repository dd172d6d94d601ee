"""Prompt templates: files with a system text and a user text that contain named fields.

A file has an optional part ``[system]`` and a part ``[user]``. A field is written ``$mission`` or ``${mission}``, a
dollar sign ``$$``. A paragraph is omitted if one of its fields has no value at a step.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from string import Template

import attrs

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

HEADING = re.compile(r"^\[(\w+)\][ \t]*$", re.MULTILINE)
PARTS = ("system", "user")
PARAGRAPHS = re.compile(r"\n[ \t]*\n\s*")


@attrs.frozen(slots=False)
class PromptTemplate:
    """A validated template, as paragraphs."""

    name: str
    system: tuple[Template, ...]
    user: tuple[Template, ...]

    def render(self, values: Mapping[str, str | None]) -> tuple[str, str]:
        """Render the system text and the user text; `values` has a value for each of `FIELDS`."""
        system = (*self.system, *self._unused(EXPLAINING))
        return _fill(system, values), _fill((*self._unused(BY_DEFAULT), *self.user), values)

    def _unused(self, paragraphs: Mapping[str, Template]) -> tuple[Template, ...]:
        return tuple(paragraph for field, paragraph in paragraphs.items() if field not in self._used)

    @cached_property
    def _used(self) -> frozenset[str]:
        return frozenset(field for paragraph in (*self.system, *self.user) for field in paragraph.get_identifiers())


def _fill(paragraphs: tuple[Template, ...], values: Mapping[str, str | None]) -> str:
    known = {name: value for name, value in values.items() if value is not None}
    shown = (each for each in paragraphs if set(each.get_identifiers()) <= known.keys())
    return "\n\n".join(each.substitute(known) for each in shown)


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
    return PromptTemplate(name, parts.get("system", ()), parts["user"])


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
