"""Earlier steps in model inputs: pictures, descriptions of events, notes, and conversations."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from typing import Any

import attrs

from gridworld.actions import ACTION_SPACE
from gridworld.model_interface.base import ModelInput, Turn
from gridworld.model_interface.steps import correction_after
from gridworld.runner.presentation import Presentation
from gridworld.runner.record import Request, Step
from gridworld.support.wording import shorten


class History:
    """History of one episode.

    Args:
        presentation: determines which parts of the history are included.
    """

    def __init__(self, presentation: Presentation) -> None:
        self._images: deque[Any] = deque(maxlen=presentation.history_images)
        self._lines: deque[str] = deque(maxlen=presentation.history_text_window)
        self._effects: list[str] | None = [] if presentation.feedback == "effect" else None
        """Effects of the steps since the last request."""
        self._conversation = _Conversation(presentation) if presentation.context == "conversation" else None
        self._note: str | None = None
        self._note_length = presentation.note_length

    @property
    def converses(self) -> bool:
        """Whether `record` needs the model inputs, for a conversation."""
        return self._conversation is not None

    def record(self, image: Any, step: Step, told: str, question: ModelInput | None = None) -> None:
        """Add a step.

        Args:
            image: the picture before the step, if any.
            step: the step.
            told: description of the action's effect; empty if unknown.
            question: the model input of the step's requests, if any.
        """
        if image is not None:
            self._images.append(image)
        if step.requests:
            self._add_answer(step.requests, question)
        sentence = _sentence(step, told)
        self._lines.append(f"Step {step.number}: {sentence}.")
        if self._effects is not None:
            self._effects.append(f"{sentence}.")

    def _add_answer(self, requests: tuple[Request, ...], question: ModelInput | None) -> None:
        if self._effects is not None:
            self._effects.clear()
        if self._conversation is not None and question is not None:
            self._conversation.add(question, requests)
        note = requests[-1].note
        if note is not None and self._note_length:
            self._note = note[: self._note_length]

    @property
    def tells(self) -> bool:
        """Whether effects of steps are recorded as text."""
        return bool(self._lines.maxlen) or self._effects is not None

    @property
    def prior_images(self) -> list[Any] | None:
        """Earlier observations, oldest first; None if disabled."""
        return list(self._images) if self._images.maxlen else None

    @property
    def text(self) -> str | None:
        """One line per recent step, oldest first; None if disabled."""
        return "\n".join(self._lines) if self._lines.maxlen else None

    @property
    def feedback(self) -> str | None:
        """One line per step since the last request; None if disabled or before the first step."""
        return "\n".join(self._effects) if self._effects else None

    @property
    def note(self) -> str | None:
        """Last note of the model, if any."""
        return self._note

    @property
    def turns(self) -> tuple[Turn, ...]:
        """Earlier requests with their replies, oldest first."""
        return () if self._conversation is None else tuple(self._conversation.turns)


class _Conversation:
    """The most recent turns of a conversation; a turn first loses its picture and is dropped later."""

    def __init__(self, presentation: Presentation) -> None:
        self.turns: deque[Turn] = deque(maxlen=presentation.context_steps)
        self._images = presentation.context_images
        self._note_length = presentation.note_length

    def add(self, question: ModelInput, requests: tuple[Request, ...]) -> None:
        """Add a request with its reply, if any."""
        reply, note = _reply(requests[-1]), requests[-1].note
        if reply is None:
            return
        if note is not None:
            reply = with_note_cut(reply, note, self._note_length)
        asked = attrs.evolve(question, turns=(), correction=correction_after(requests[:-1], question.reply))
        self.turns.append(Turn(asked, reply))
        if len(self.turns) > self._images:
            old = self.turns[-1 - self._images]
            self.turns[-1 - self._images] = attrs.evolve(old, input=attrs.evolve(old.input, image=None))


def _reply(request: Request) -> str | None:
    """Return a model's reply, or the names of its actions if the reply has no text."""
    if request.raw_output is not None or request.action is None:
        return request.raw_output
    return ", ".join(ACTION_SPACE[action] for action in (request.action, *request.planned))


def _sentence(step: Step, told: str) -> str:
    if step.action is None:
        reason = shorten(step.last.message).rstrip(".") if step.last else "none was chosen"
        return f"no action: {reason}"
    return f"{ACTION_SPACE[step.action]}: {told}" if told else ACTION_SPACE[step.action]


SHORT_ESCAPES = {'"': r"\"", "\\": r"\\", "/": r"\/", "\b": r"\b", "\f": r"\f", "\n": r"\n", "\r": r"\r", "\t": r"\t"}
"""JSON escapes with a single letter or sign."""


def with_note_cut(reply: str, note: str, length: int) -> str:
    """Shorten the note inside a reply.

    Args:
        reply: the reply; the note follows the word "note", either plain or JSON-escaped.
        note: the note.
        length: maximum length of the note in characters.
    """
    if len(note) <= length:
        return reply
    # The greedy prefix finds the last occurrence: answers end a reply.
    kept, left_out = _written(note[:length]), _written(note[length:])
    written = re.compile(rf"(.*(?i:note)\W*?{kept}){left_out}", re.DOTALL)
    return written.sub(r"\1", reply, count=1)


def _written(text: str) -> str:
    """Return a regular expression that matches a text in every JSON spelling."""
    return "".join(f"(?:{'|'.join(_spellings(character))})" for character in text)


def _spellings(character: str) -> Iterator[str]:
    yield re.escape(character)
    if character in SHORT_ESCAPES:
        yield re.escape(SHORT_ESCAPES[character])
    units = character.encode("utf-16-be", "surrogatepass")
    yield "".join(rf"\\u(?i:{units[start : start + 2].hex()})" for start in range(0, len(units), 2))
