"""`Explained`: what a mechanism or goal type tells a model of the things that can occur."""

from __future__ import annotations

from collections.abc import Iterable

import attrs

__all__ = ["Explained"]


def _to_sentences(sentences: str | Iterable[str]) -> tuple[str, ...]:
    return (sentences,) if isinstance(sentences, str) else tuple(sentences)


@attrs.frozen
class Explained:
    """What is told of one kind of thing, in plain words on one line.

    It is told before anything of a task has been seen, to whoever plays any task of a suite: so it has to hold for all
    of its things, and to say nothing of where any of them is.
    """

    does: tuple[str, ...] = attrs.field(default=(), converter=_to_sentences)
    """What it does and what can be done with it: whole sentences; one sentence may be given as a text."""
    looks: str = ""
    """How it looks in all of its states: words that follow its name and a colon, without a full stop. Colours that
    differ from one of these to another are ``its colour``."""
    states: tuple[str, ...] | None = None
    """The names, among the type's `values`, of the states that one can come to be in; None for all."""
