"""Self-contained HTML documents with a Content Security Policy that blocks everything else.

The script is the concatenation of the modules in ``page/`` without their import and export statements, so it needs
neither a build tool nor a server. Top-level names of modules must differ.
"""

from __future__ import annotations

import hashlib
import html
import json
import re
import zlib
from base64 import b64encode
from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import attrs

from gridworld.support.files import write_bytes
from gridworld.support.wording import visible_line
from multinet_eval.analysis.pages import WrittenPage
from multinet_eval.support.output import writing_to

MODULES = (
    "text.js",
    "dom.js",
    "blocks.js",
    "address.js",
    "table.js",
    "geometry.js",
    "board.js",
    "episode.js",
    "distances.js",
    "chain.js",
    "answers.js",
    "pairs.js",
    "names.js",
    "side.js",
    "bars.js",
    "tasks.js",
    "first.js",
    "figures.js",
    "overview.js",
    "probing.js",
    "suite.js",
    "leaderboard.js",
    "player.js",
    "main.js",
)
"""Script modules in topological order of their imports."""
IMPORT = re.compile(r"^import .*? from \"\./[\w.]+\";\n", re.MULTILINE | re.DOTALL)
PART = re.compile(r"\{(policy|title|style|script|data)\}")
"""Placeholders, replaced in a single pass, since a title may contain the text of one."""
EXPORT = re.compile(r"^export (?=(?:async )?function |const |class )", re.MULTILINE)


@attrs.frozen
class Document:
    """An HTML document."""

    text: str
    policy: str
    """Content Security Policy, which is also embedded in the text."""


def page(title: str, blocks: Blocks) -> str:
    """Return the text of a page.

    Args:
        title: title of the document.
        blocks: data of the page, including ``index``.
    """
    data = "\n".join(
        f'<script type="application/octet-stream" data-block="{html.escape(name)}">{content}</script>'
        for name, content in blocks
    )
    return document(title, MODULES, ("style.css",), data).text


def document(
    title: str, modules: Sequence[str], styles: Sequence[str], data: str = "", allowed: Sequence[str] = ()
) -> Document:
    """Build a document from files in ``page/``.

    Args:
        title: title of the document.
        modules: modules of its script, in topological order of their imports.
        styles: its style sheets.
        data: elements with its data.
        allowed: further directives of its Content Security Policy.
    """
    style, script = "\n".join(map(_source, styles)), program(modules)
    policy = _policy(style, script, allowed)
    parts = {
        "policy": policy,
        "title": html.escape(visible_line(title)),
        "style": style,
        "script": script,
        "data": data,
    }
    return Document(PART.sub(lambda found: parts[found[1]], _source("page.html")), policy)


def write_page(
    text: str, output: Path, shows: str, problems: tuple[str, ...] = (), notes: tuple[str, ...] = ()
) -> WrittenPage:
    """Write the text of a page.

    Args:
        text: the text, from `page`.
        output: the file.
        shows: summary of the contents, in words.
        problems: parts missing because they could not be read or failed.
        notes: parts omitted for other reasons.

    Raises:
        GridworldError: the file cannot be written.
    """
    content = text.encode("utf-8")
    with writing_to(output):
        write_bytes(output, content)
    return WrittenPage(output, shows, len(content), problems, notes)


def program(modules: Sequence[str] = MODULES) -> str:
    """Return the script of a page."""
    return "\n".join(EXPORT.sub("", IMPORT.sub("", _source(name))) for name in modules)


def _source(name: str) -> str:
    return (files("multinet_report") / "page" / name).read_text(encoding="utf-8")


def _policy(style: str, script: str, allowed: Sequence[str]) -> str:
    """Return a policy that allows the page's own style and script, by hash, and pictures in its data."""
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src '{_hash(script)}'",
            f"style-src '{_hash(style)}'",
            "img-src data:",
            *allowed,
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        ]
    )


def _hash(text: str) -> str:
    return f"sha256-{b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}"


LEVEL = 9
"""zlib compression level."""


class Blocks:
    """Data of a page as named blocks, compressed separately so that a browser unpacks only those in view."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._texts

    def __iter__(self) -> Iterator[tuple[str, str]]:
        """Yield names and contents, base64 of zlib streams, in order of addition."""
        return iter(self._texts.items())

    def add_json(self, name: str, value: Any) -> None:
        """Add JSON data without NaN; lone surrogates are escaped."""
        self.add_packed(name, packed_json(value))

    def add(self, name: str, content: bytes) -> None:
        """Add bytes, unless the name is taken."""
        if name not in self._texts:
            self.add_packed(name, _packed(content))

    def add_packed(self, name: str, text: str) -> None:
        """Add the result of `packed_json`, unless the name is taken."""
        self._texts.setdefault(name, text)


def packed_json(value: Any) -> str:
    """Pack JSON data without NaN; lone surrogates are escaped."""
    return _packed(json.dumps(value, separators=(",", ":"), allow_nan=False).encode("ascii"))


def _packed(content: bytes) -> str:
    return b64encode(zlib.compress(content, LEVEL)).decode("ascii")
