"""Texts of others in Markdown."""

from __future__ import annotations

import re

from gridworld.support.wording import visible_line

__all__ = ["markdown_text"]

MARKUP = re.compile(r"([\\`*_\[\]<>|#])")
"""What Markdown would not take for letters."""


def markdown_text(text: str) -> str:
    """A text on one line as letters alone, whatever Markdown or HTML would take it for."""
    return MARKUP.sub(r"\\\1", visible_line(text))
