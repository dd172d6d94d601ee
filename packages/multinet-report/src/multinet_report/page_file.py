"""HTML documents with their style, program and data inside, and a policy that lets nothing else in, such as the report.

The program is made of the modules in ``page/`` as they are, one after the other, without the lines that import and
export: so it needs no tool to build and no server to load modules from. Their top-level names have to differ.
"""

from __future__ import annotations

import hashlib
import html
import re
from base64 import b64encode
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

import attrs

from gridworld.support.files import write_bytes
from gridworld.support.wording import visible_line
from multinet_eval.analysis.pages import WrittenPage
from multinet_eval.support.output import writing_to
from multinet_report.blocks import Blocks

__all__ = ["MODULES", "Document", "document", "page", "program", "write_page"]

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
    "tasks.js",
    "overview.js",
    "probing.js",
    "suite.js",
    "leaderboard.js",
    "player.js",
    "follow.js",
    "main.js",
)
"""In an order in which each follows those that it imports."""
IMPORT = re.compile(r"^import .*? from \"\./[\w.]+\";\n", re.MULTILINE | re.DOTALL)
PART = re.compile(r"\{(policy|title|style|script|data)\}")
"""All are filled in at once: a title may hold what looks like one."""
EXPORT = re.compile(r"^export (?=(?:async )?function |const |class )", re.MULTILINE)


@attrs.frozen
class Document:
    """An HTML document."""

    text: str
    policy: str
    """What it may load, which is also in its text (Content Security Policy)."""


def page(title: str, blocks: Blocks) -> str:
    """The text of the file.

    Args:
        title: of the document.
        blocks: its data, among them ``index``.
    """
    data = "\n".join(_block(name, content) for name, content in blocks)
    return document(title, MODULES, ("style.css",), data).text


def document(
    title: str, modules: Sequence[str], styles: Sequence[str], data: str = "", allowed: Sequence[str] = ()
) -> Document:
    """A document of files in ``page/``.

    Args:
        title: of the document.
        modules: its program, in an order in which each follows those that it imports.
        styles: its style sheets.
        data: elements with its data.
        allowed: what it may do beside showing itself, as directives of its policy.
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
        text: made by `page`.
        output: the file.
        shows: how much is on it, in words.
        problems: what could not be read, or failed, and is missing.
        notes: what is left out for another reason.

    Raises:
        GridworldError: it cannot be written.
    """
    content = text.encode("utf-8")
    with writing_to(output):
        write_bytes(output, content)
    return WrittenPage(output, shows, len(content), problems, notes)


def program(modules: Sequence[str] = MODULES) -> str:
    """The program of a page."""
    return "\n".join(EXPORT.sub("", IMPORT.sub("", _source(name))) for name in modules)


def _source(name: str) -> str:
    return (files("multinet_report") / "page" / name).read_text(encoding="utf-8")


def _block(name: str, content: str) -> str:
    return f'<script type="application/octet-stream" data-block="{html.escape(name)}">{content}</script>'


def _policy(style: str, script: str, allowed: Sequence[str]) -> str:
    """What the page may load: its own style and script, known by their hashes, and pictures of its own data."""
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
