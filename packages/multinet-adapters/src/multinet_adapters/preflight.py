"""Preflight checks of a model: is it available, does it see pictures, does it answer in the requested format?"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, Protocol

import attrs
import numpy as np

from gridworld.actions import ACTION_SPACE
from gridworld.model_interface import (
    Adjustment,
    AnswerFault,
    AnswerOutcome,
    ModelInput,
    ModelOutput,
    OpenAnswer,
    PreflightCheck,
    PromptImage,
    PromptText,
    Trouble,
)
from gridworld.support.wording import nearest_hint
from multinet_adapters.refusals import HELP, RequestPart

COLORS: dict[str, tuple[int, int, int]] = {"red": (220, 0, 0), "green": (0, 170, 0), "blue": (0, 0, 220)}
SIDE = 128
"""Width and height of the pictures, in pixels."""
WORD = re.compile(r"[a-z]+")
ONE_WORD = f"Answer with one word: {', '.join(COLORS)}."
TOLD = "heron"
"""A word that only the system message, or only the schema, contains."""
ONLY_TOLD = {
    "type": "object",
    "properties": {"word": {"type": "string", "enum": [TOLD]}},
    "required": ["word"],
    "additionalProperties": False,
}
"""A schema with a single valid answer."""
COUNTS = (2, 4, 8)
"""Numbers of pictures to try in one request, until a request is refused."""


class Asked(Protocol):
    """Model to be checked; each method may raise `AnswerFault`."""

    def check_ready(self) -> None:
        """Check that the model is available."""

    def ask(self, parts: Sequence[PromptText | PromptImage]) -> OpenAnswer:
        """Answer an open question."""

    def predict(self, input: ModelInput) -> ModelOutput:
        """Choose an action."""


class Examined(Asked, Protocol):
    """Model behind a server to be checked."""

    model: str
    base_url: str
    structured: bool
    """Whether requests ask for answers in a JSON schema."""
    takes_unlisted: ClassVar[bool]
    """Whether some servers answer to names that they do not list."""

    def adjustments(self) -> tuple[Adjustment, ...]:
        """Return the fallbacks in use for refused parts of requests."""

    def refused_for_good(self) -> tuple[RequestPart, ...]:
        """Return the refused parts of requests without a fallback."""

    def listed_names(self) -> list[str] | None:
        """Return the names of the server's models as received; None if the server has no list."""

    def is_called(self, listed: str) -> bool:
        """Whether a listed name is the model's."""

    def ask_in_form(self, parts: Sequence[PromptText | PromptImage], schema: dict[str, Any]) -> OpenAnswer:
        """Answer in a JSON schema, unless the server refuses schemas."""


@attrs.frozen
class _Found:
    """Outcome of a check."""

    passed: bool
    message: str


def run_local_preflight(model: Asked) -> Iterator[PreflightCheck]:
    """Check a model in this process, as far as earlier checks allow."""

    def load() -> _Found:
        model.check_ready()
        return _Found(True, "it is loaded")

    yield (loaded := _timed("the model can be loaded", load))
    if not loaded.passed:
        return
    yield _timed("it reads the system message", lambda: _reads_system(model))
    yield (sight := _timed("the model sees a picture", lambda: _sees(model)))
    if sight.passed:
        yield _timed("it can tell the order of two pictures", lambda: _tells_order(model))
    yield (kept := _timed("it answers in the required format", lambda: _keeps_format(model, sight.passed)))
    if kept.passed:
        yield _time_of(kept)


def run_preflight(model: Examined) -> Iterator[PreflightCheck]:
    """Check a model behind a server, as far as earlier checks allow."""
    listed: list[str] | None = None

    def reach() -> _Found:
        nonlocal listed
        listed = model.listed_names()
        return _Found(True, f"{model.base_url} answers")

    yield (reached := _timed("the server is reachable", reach))
    if not reached.passed:
        return
    yield (there := _timed("it has the model", lambda: _has_model(model, listed)))
    if not there.passed:
        return
    yield _timed("it reads the system message", lambda: _reads_system(model))
    yield (sight := _timed("the model sees a picture", lambda: _sees(model)))
    if sight.passed:
        several = False

        def count() -> _Found:
            nonlocal several
            several, message = _counts_pictures(model)
            return _Found(True, message)

        yield _timed("how many pictures a request can hold", count)
        if several:
            yield _timed("it can tell the order of two pictures", lambda: _tells_order(model))
    yield (kept := _timed("it answers in the required format", lambda: _keeps_format(model, sight.passed)))
    if kept.passed:
        yield _timed("what the server accepts", lambda: _Found(True, _told(model)))
        yield _time_of(kept)


def _time_of(call: PreflightCheck) -> PreflightCheck:
    return PreflightCheck("time of one call", True, f"{call.seconds:.1f} s", call.seconds)


def _timed(name: str, check: Callable[[], _Found]) -> PreflightCheck:
    begun = time.monotonic()
    try:
        found = check()
    except AnswerFault as fault:
        found = _Found(False, _advised(fault))
    return PreflightCheck(name, found.passed, found.message, time.monotonic() - begun)


def _advised(fault: AnswerFault) -> str:
    """Return the message of a fault, with advice if the server is overloaded."""
    if fault.trouble is not Trouble.OVERLOADED:
        return fault.message
    when = "later" if fault.retry_after is None else f"in {fault.retry_after:g} s"
    return f"{fault.message}; the server is busy, which says nothing about the model: try again {when}"


def _told(model: Examined) -> str:
    """Describe the parts of requests that were left out or replaced, as in a run with the same arguments."""
    ignored = [] if _keeps_to_schemas(model) else [SCHEMA_IGNORED]
    exceptions = [f"{each.refused}: {each.instead} (-M {each.argument})" for each in model.adjustments()]
    exceptions += [f"{part}: {HELP.get(part, 'see the failed check')}" for part in model.refused_for_good()]
    exceptions += ignored
    return f"everything except {'; '.join(exceptions)}" if exceptions else "every part of a request"


SCHEMA_IGNORED = "structured output: accepted, but ignored (-M structured=false asks for a last line of text)"


def _keeps_to_schemas(model: Examined) -> bool:
    """Whether answers obey a schema; true if requests contain none."""
    if not model.structured or RequestPart.STRUCTURED_OUTPUT in {each.refused for each in model.adjustments()}:
        return True
    question = PromptText("user", "Say in one sentence, as prose, what a puzzle is.")
    try:
        return bool(json.loads(model.ask_in_form([question], ONLY_TOLD).text) == {"word": TOLD})
    except ValueError:
        return False
    except AnswerFault as fault:
        if fault.outcome is AnswerOutcome.INFRASTRUCTURE:
            raise
        return False


def _reads_system(model: Asked) -> _Found:
    said = model.ask(
        [
            PromptText("system", f"The word of the day is '{TOLD}'."),
            PromptText("user", "What is the word of the day? Answer with that word alone."),
        ]
    ).text
    if TOLD in WORD.findall(said.casefold()):
        return _Found(True, f"it repeated a word of the system message: '{TOLD}'")
    advice = "-M system_message=false puts the system message before the user's text"
    return _Found(False, f"asked for a word of the system message, it said '{said.strip()[:200]}'; {advice}")


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
    """Try a name that is not listed: some servers answer to any."""
    try:
        model.ask([PromptText("user", "Answer with one word: ready.")])
    except AnswerFault as fault:
        return _Found(False, f"{unlisted}; asked by that name: {_advised(fault)}")
    return _Found(True, f"it answers to '{model.model}', although {unlisted}")


def _sees(model: Asked) -> _Found:
    """Ask about two pictures in turn, so that a constant answer fails."""
    question = PromptText("user", f"What colour is the picture? {ONE_WORD}")
    said = {color: model.ask([_picture("The picture", color), question]).text for color in ("green", "red")}
    return _judge(said, "a picture all {}")


def _counts_pictures(model: Examined) -> tuple[bool, str]:
    """Whether a request can hold several pictures, and how many, by bisection."""
    taken, refused, words = 1, COUNTS[-1] + 1, ""
    for number in COUNTS:
        if words := _refusal_of(model, number):
            refused = number
            break
        taken = number
    while words and refused - taken > 1:
        middle = (taken + refused) // 2
        if said := _refusal_of(model, middle):
            refused, words = middle, said
        else:
            taken = middle
    if not words:
        return True, f"at least {taken}"
    return taken > 1, f"{taken}: use at most --history-images (or --context-images) {taken - 1}; of {refused}, {words}"


def _refusal_of(model: Examined, number: int) -> str:
    """Return the server's refusal of a request with this number of pictures; empty if the request is answered."""
    colors = (list(COLORS) * number)[:number]
    pictures = [_picture(f"Picture {place}", color) for place, color in enumerate(colors, 1)]
    try:
        model.ask([*pictures, PromptText("user", "Answer with one word: ready.")])
    except AnswerFault as fault:
        if not fault.permanent:
            raise
        return fault.message
    return ""


def _tells_order(model: Asked) -> _Found:
    question = PromptText("user", f"You were shown two pictures. What colour was the first one? {ONE_WORD}")

    def ask(first: str, second: str) -> str:
        return model.ask([_picture("The first picture", first), _picture("The second picture", second), question]).text

    said = {first: ask(first, second) for first, second in (("blue", "red"), ("red", "blue"))}
    return _judge(said, "two pictures of which the first was {}")


def _judge(said: dict[str, str], shown: str) -> _Found:
    """Check that each answer names its colour and no other."""
    for color, answer in said.items():
        if set(WORD.findall(answer.casefold())) & COLORS.keys() != {color}:
            return _Found(
                False, f"shown {shown.format(color)}, it said '{answer.strip()[:200]}'; is it a vision model?"
            )
    return _Found(True, f"it named {' and '.join(said)}")


def _picture(label: str, color: str) -> PromptImage:
    return PromptImage(label, np.full((SIDE, SIDE, 3), COLORS[color], dtype=np.uint8))


def _keeps_format(model: Asked, sighted: bool) -> _Found:
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
