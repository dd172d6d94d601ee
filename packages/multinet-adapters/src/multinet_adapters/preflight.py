"""Trying out whether a model behind a server can play: is it there, does it see, does it answer as asked?"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar, Protocol

import attrs
import numpy as np

from gridworld.actions import ACTION_SPACE
from gridworld.model_interface import (
    Adjustment,
    AnswerFault,
    ModelInput,
    ModelOutput,
    PreflightCheck,
    PromptImage,
    PromptText,
    Trouble,
)
from gridworld.support.suggestions import nearest_hint
from multinet_adapters.refusals import RequestPart

__all__ = ["Examined", "run_preflight"]

COLORS: dict[str, tuple[int, int, int]] = {"red": (220, 0, 0), "green": (0, 170, 0), "blue": (0, 0, 220)}
SIDE = 128
"""Width and height of the pictures, in pixels."""
WORD = re.compile(r"[a-z]+")
ONE_WORD = f"Answer with one word: {', '.join(COLORS)}."


class Examined(Protocol):
    """What is asked of a model that is tried out; each may raise `AnswerFault`."""

    model: str
    base_url: str
    takes_unlisted: ClassVar[bool]
    """Whether there are servers that answer to names that they do not list."""

    def adjustments(self) -> tuple[Adjustment, ...]:
        """What the server has refused so far, and what is sent instead."""

    def refused_for_good(self) -> tuple[RequestPart, ...]:
        """What the server has refused so far and nothing can be sent instead of."""

    def list_models(self) -> list[str] | None:
        """The names of the server's models; None if it does not tell."""

    def is_called(self, listed: str) -> bool:
        """Whether a name in that list is the model's."""

    def ask(self, parts: list[PromptText | PromptImage]) -> str:
        """The words that the model says to anything."""

    def predict(self, input: ModelInput) -> ModelOutput:
        """The model's action."""


@attrs.frozen
class _Found:
    """What a check found."""

    passed: bool
    message: str


def run_preflight(model: Examined) -> list[PreflightCheck]:
    """All checks that make sense, in order."""
    return list(_checks(model))


def _checks(model: Examined) -> Iterator[PreflightCheck]:
    listed: list[str] | None = None

    def reach() -> _Found:
        nonlocal listed
        listed = model.list_models()
        return _Found(True, f"{model.base_url} answers")

    yield (reached := _timed("the server is reachable", reach))
    if not reached.passed:
        return
    yield (there := _timed("it has the model", lambda: _has_model(model, listed)))
    if not there.passed:
        return
    yield (sight := _timed("the model sees a picture", lambda: _sees(model)))
    if sight.passed:
        yield _timed("it can tell the order of two pictures", lambda: _tells_order(model))
    yield (kept := _timed("it answers in the required format", lambda: _keeps_format(model, sight.passed)))
    if kept.passed:
        yield PreflightCheck("what the server accepts", True, _told(model), 0.0)
        yield PreflightCheck("time of one call", True, f"{kept.seconds:.1f} s", kept.seconds)


def _timed(name: str, check: Callable[[], _Found]) -> PreflightCheck:
    begun = time.monotonic()
    try:
        found = check()
    except AnswerFault as fault:
        found = _Found(False, _advised(fault))
    return PreflightCheck(name, found.passed, found.message, time.monotonic() - begun)


def _advised(fault: AnswerFault) -> str:
    """The message of a fault, with what to do about a server that is asked too much."""
    if fault.trouble is not Trouble.OVERLOADED:
        return fault.message
    when = "later" if fault.retry_after is None else f"in {fault.retry_after:g} s"
    return f"{fault.message}; the server is busy, which says nothing of the model: try again {when}"


def _told(model: Examined) -> str:
    """What had to be left out or sent otherwise; a run with the same arguments does what the adjustments say, too."""
    exceptions = [f"{each.refused}: {each.instead} (-M {each.argument})" for each in model.adjustments()]
    exceptions += [f"{part}: see the failed check" for part in model.refused_for_good()]
    return f"everything except {'; '.join(exceptions)}" if exceptions else "every part of a request"


def _has_model(model: Examined, listed: Sequence[str] | None) -> _Found:
    if listed is not None and any(map(model.is_called, listed)):
        return _Found(True, f"'{model.model}'")
    hint, names = nearest_hint(model.model, listed or ()), ", ".join(listed or ()) or "none"
    if listed is None:
        return _answers_to_name(model, "the server does not list its models")
    if model.takes_unlisted:
        return _answers_to_name(model, f"'{model.model}' is not in the server's list{hint}; it lists: {names}")
    return _Found(False, f"no model '{model.model}'{hint}; the server has: {names}")


def _answers_to_name(model: Examined, unlisted: str) -> _Found:
    """A name that is not listed is tried: some servers answer to any."""
    try:
        model.ask([PromptText("user", "Answer with one word: ready.")])
    except AnswerFault as fault:
        return _Found(False, f"{unlisted}; asked by that name: {_advised(fault)}")
    return _Found(True, f"it answers to '{model.model}', although {unlisted}")


def _sees(model: Examined) -> _Found:
    """Two pictures, one after the other, so that a model that always says the same is found out."""
    question = PromptText("user", f"What colour is the picture? {ONE_WORD}")
    said = {color: model.ask([_picture("The picture", color), question]) for color in ("green", "red")}
    return _judge(said, "a picture all {}")


def _tells_order(model: Examined) -> _Found:
    question = PromptText("user", f"You were shown two pictures. What colour was the first one? {ONE_WORD}")

    def ask(first: str, second: str) -> str:
        return model.ask([_picture("The first picture", first), _picture("The second picture", second), question])

    said = {first: ask(first, second) for first, second in (("blue", "red"), ("red", "blue"))}
    return _judge(said, "two pictures of which the first was {}")


def _judge(said: dict[str, str], shown: str) -> _Found:
    """Whether each colour was named, and no other."""
    for color, answer in said.items():
        if set(WORD.findall(answer.casefold())) & COLORS.keys() != {color}:
            return _Found(
                False, f"shown {shown.format(color)}, it said '{answer.strip()[:200]}'; is it a vision model?"
            )
    return _Found(True, f"it named {' and '.join(said)}")


def _picture(label: str, color: str) -> PromptImage:
    return PromptImage(label, np.full((SIDE, SIDE, 3), COLORS[color], dtype=np.uint8))


def _keeps_format(model: Examined, sighted: bool) -> _Found:
    output = model.predict(
        ModelInput(
            image=_picture("", "green").image if sighted else None,
            text_prompt="turn around to the left",
            action_space=dict(ACTION_SPACE),
            step_number=0,
            max_steps=10,
        )
    )
    return _Found(True, f"it answered {ACTION_SPACE[output.action]}")
