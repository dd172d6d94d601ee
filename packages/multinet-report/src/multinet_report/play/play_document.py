"""The page on which a person plays: a document without data, which asks for all that it shows."""

from __future__ import annotations

from multinet_report.page_file import Document, document

__all__ = ["MODULES", "play_document"]

MODULES = ("text.js", "dom.js", "geometry.js", "board.js", "play.js")
"""In an order in which each follows those that it imports."""
STYLES = ("style.css", "play.css")


def play_document() -> Document:
    """The page; it may ask whoever has sent it, and nobody else."""
    return document("Play", MODULES, STYLES, allowed=["connect-src 'self'"])
