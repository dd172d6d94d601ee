"""Preflight checks: whether a model is available, sees pictures, and answers in the requested format."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from copy import copy
from difflib import SequenceMatcher

import attrs
import numpy as np

from gridworld.actions import ACTION_SPACE
from gridworld.model_interface import (
    AnswerFault,
    AnswerOutcome,
    ModelInput,
    Picture,
    PreflightCheck,
    Reply,
    Text,
    Trouble,
)
from gridworld.model_interface.prompts import question as open_question
from gridworld.support.files import parse_json
from gridworld.support.wording import nearest, nearest_hint
from multinet_adapters.preflight_answers import LocalAnswering, ServedAnswering
from multinet_adapters.preflight_models import Asked, Examined, Found, Local
from multinet_adapters.refusals import HELP, RequestPart
from multinet_adapters.transport import LONGEST_WAIT

COLORS: dict[str, tuple[int, int, int]] = {"red": (220, 0, 0), "green": (0, 170, 0), "blue": (0, 0, 220)}
SIDE = 128
"""Width and height of the test pictures, in pixels."""
WORD = re.compile(r"[a-z]+")
ONE_WORD = f"Answer with one word: {', '.join(COLORS)}."
HIDDEN_WORD = "heron"
"""A word that occurs only in the system message, or only in the schema."""
HIDDEN_WORD_SCHEMA = {
    "type": "object",
    "properties": {"word": {"type": "string", "enum": [HIDDEN_WORD]}},
    "required": ["word"],
    "additionalProperties": False,
}
"""A schema with a single valid answer."""
RULES_ONLY, TEXT_ONLY = {"explain": "rules"}, {"observation": "text"}
"""Settings for servers that take few pictures in a request, and for models that see none."""
READY = Text("Answer with one word: ready.")
COUNTS = (2, 4, 8)
"""Numbers of pictures to try in one request, until a request is refused."""
REASONING_TOKENS = 64
"""Number of tokens beyond those of its text that shows that an answer was preceded by reasoning."""
MOST_NAMES = 10
"""Number of a server's models to name in a message."""

CUT_OFF = Found(True, "not known: the reply was cut off", noted=True)

Begin = Callable[[str], object]
"""Function that is called with the name of a check before it begins."""


def run_local_preflight(model: Local, question: ModelInput | None, begin: Begin) -> Iterator[PreflightCheck]:
    """Check a model in this process, as far as earlier checks allow; the arguments are as for `run_preflight`."""

    def load() -> Found:
        model.check_ready()
        return Found(True, "it is loaded")

    yield (loaded := _timed("the model can be loaded", load, begin))
    if not loaded.passed:
        return
    yield from _reading(model, begin)
    question = question or _small_question()
    if _pictures_in(model, question):
        yield (sight := _timed("the model sees a picture", lambda: _sees(model), begin))
        if sight.passed:
            yield _timed("order of two pictures", lambda: _tells_order(model), begin)
        else:
            question = _without_pictures(question)
    answering = LocalAnswering(model, question)
    yield (kept := _timed("format of the answer", answering.keeps_format, begin))
    if kept.passed:
        yield _timed("what an answer takes", lambda: answering.measure(kept.seconds), begin)


def run_preflight(model: Examined, question: ModelInput | None, begin: Begin) -> Iterator[PreflightCheck]:
    """Check a model behind a server, as far as earlier checks allow.

    Each request is made with the model's arguments, as in a run. Only a reply to the question of a run that was cut
    off is requested again with more room, to find out how much it takes.

    Args:
        model: the model.
        question: input of a run; None for a small question with a picture.
        begin: called with the name of each check before it begins.
    """
    # Each copy follows the server's speed by itself: short replies must not shorten the wait for long ones.
    playing, model = copy(model), copy(model)
    listed: list[str] | None = None

    def reach() -> Found:
        nonlocal listed
        listed = model.listed_names()
        return Found(True, f"{model.base_url} answers")

    yield (reached := _timed("the server is reachable", reach, begin))
    if not reached.passed:
        return
    yield (there := _timed("it has the model", lambda: _has_model(model, listed), begin))
    if not there.passed:
        return
    yield from _reading(model, begin)
    question = question or _small_question()
    if needed := _pictures_in(model, question):
        taken = yield from _looking(model, needed, begin)
        question = question if taken >= needed else _with_fewer_pictures(question, taken)
    answering = ServedAnswering(playing, question, model.read_timeout or LONGEST_WAIT)
    yield (kept := _timed("format of the answer", answering.keeps_format, begin))
    if answering.answered and model.structured:
        yield _timed("JSON schemas", lambda: _judge_schemas(model, answering.unreadable), begin)
    if kept.passed:
        yield _timed("what the server accepts", lambda: _describe_accepted(model), begin)
        yield _timed("what an answer takes", lambda: answering.measure(kept.seconds), begin)


def _looking(model: Examined, needed: int, begin: Begin) -> Generator[PreflightCheck, None, int]:
    """Check whether a model sees the pictures of requests; return how many pictures a request can hold."""
    yield (sight := _timed("the model sees a picture", lambda: _sees(model), begin))
    if not sight.passed:
        return 0
    taken = 1

    def count() -> Found:
        nonlocal taken
        taken, found = _count_pictures(model, needed)
        return found

    yield _timed("pictures in a request", count, begin)
    if taken > 1:
        yield _timed("order of two pictures", lambda: _tells_order(model), begin)
    return taken


def _reading(model: Asked, begin: Begin) -> Iterator[PreflightCheck]:
    """Check whether the system message is read, and whether the model reasons before it answers."""
    said: list[Reply] = []
    yield _timed("it reads the system message", lambda: _reads_system(model, said), begin)
    for reply in said:
        tokens = None if reply.usage is None else reply.usage.completion_tokens
        if tokens is not None and tokens - len(model.words(reply)) > REASONING_TOKENS:
            yield PreflightCheck("it reasons first", True, f"{tokens} tokens for one word: max_tokens needs room", 0.0)


def _timed(name: str, check: Callable[[], Found], begin: Begin) -> PreflightCheck:
    begin(name)
    begun = time.monotonic()
    try:
        found = check()
    except AnswerFault as fault:
        found = CUT_OFF if fault.outcome is AnswerOutcome.TRUNCATED else Found(False, _advised(fault))
    seconds = time.monotonic() - begun
    return PreflightCheck(name, found.passed, found.message, seconds, found.arguments, found.settings, found.noted)


def _advised(fault: AnswerFault) -> str:
    """Return the message of a fault, with advice if the server is overloaded."""
    if fault.trouble is not Trouble.OVERLOADED:
        return fault.message
    when = "later" if fault.retry_after is None else f"in {fault.retry_after:g} s"
    return f"{fault.message}; the server is busy, which says nothing about the model: try again {when}"


def _describe_accepted(model: Examined) -> Found:
    """Describe the parts of requests that were left out or replaced, as in a run with the same arguments."""
    adjusted = model.adjustments()
    exceptions = [f"{each.refused}: {each.instead} (-M {each.argument})" for each in adjusted]
    for part in model.refused_for_good():
        exceptions.append(f"{part}: {HELP[part].text if part in HELP else 'see the failed check'}")
    message = f"everything except {'; '.join(exceptions)}" if exceptions else "every part of a request"
    return Found(True, message, tuple(each.argument for each in adjusted))


def _judge_schemas(model: Examined, unreadable: bool) -> Found:
    """Check whether answers obey a schema; `unreadable` is whether a whole answer could not be read."""
    if RequestPart.STRUCTURED_OUTPUT in {each.refused for each in model.adjustments()}:
        return Found(True, "refused: the answer is requested as a last line of text")
    if _keeps_to_schemas(model):
        return Found(True, "the server keeps to them (structured output)")
    argument = "structured=false"
    message = f"accepted, but ignored (-M {argument} asks for a last line of text)"
    return Found(True, message, (argument,) if unreadable else ())


def _keeps_to_schemas(model: Examined) -> bool:
    """Whether an answer obeys a schema."""
    prompt = open_question(Text("Say in one sentence, as prose, what a puzzle is."))
    try:
        said = model.ask(attrs.evolve(prompt, schema=HIDDEN_WORD_SCHEMA))
        return bool(parse_json(said) == {"word": HIDDEN_WORD})
    except ValueError:
        return False
    except AnswerFault as fault:
        if fault.outcome in (AnswerOutcome.INFRASTRUCTURE, AnswerOutcome.TRUNCATED):
            raise
        return False


def _reads_system(model: Asked, replies: list[Reply]) -> Found:
    """Ask for a word of the system message, and add the reply to `replies`."""
    system = f"The word of the day is '{HIDDEN_WORD}'."
    prompt = open_question(Text("What is the word of the day? Answer with that word alone."), system=system)
    reply = model.send(model.adapt(prompt))
    said = model.words(reply)
    replies.append(reply)
    if HIDDEN_WORD in WORD.findall(said.casefold()):
        return Found(True, f"it repeated a word of the system message: '{HIDDEN_WORD}'")
    argument = "system_message=false"
    advice = f"-M {argument} puts the system message before the user's text"
    message = f"asked for a word of the system message, it said '{said.strip()[:200]}'; {advice}"
    return Found(False, message, (argument,))


def _has_model(model: Examined, listed: Sequence[str] | None) -> Found:
    if listed is not None and any(map(model.is_called, listed)):
        return Found(True, f"'{model.model}'")
    if listed is None:
        return _answers_to_name(model, "the server does not list its models", listed)
    files = list(map(file_name, listed))
    hint, similar = nearest_hint(model.model, files), nearest(model.model, files)
    arguments = () if similar is None else (f"model={similar}",)
    if model.takes_unlisted:
        unlisted = f"'{model.model}' is not in the server's list{hint}"
        return attrs.evolve(_answers_to_name(model, unlisted, listed), arguments=arguments, noted=True)
    names = nearest_names(model.model, listed)
    return Found(False, f"no model '{model.model}'{hint}; the server has: {names}", arguments)


def file_name(listed: str) -> str:
    """Return the last part of a listed name that is the path of a file; any other name unchanged."""
    return listed.rpartition("/")[2] if listed.startswith("/") else listed


def nearest_names(name: str, listed: Sequence[str]) -> str:
    """List the names most similar to a name, and count the others."""
    files = list(map(file_name, listed))
    similar = sorted(files, key=lambda each: -SequenceMatcher(None, name.casefold(), each.casefold()).ratio())
    others = len(files) - MOST_NAMES
    return ", ".join([*similar[:MOST_NAMES], *([f"and {others} more"] if others > 0 else [])]) or "none"


def _answers_to_name(model: Examined, unlisted: str, listed: Sequence[str] | None) -> Found:
    """Try a name that the server does not list, since some servers accept any."""
    try:
        model.ask(open_question(READY))
    except AnswerFault as fault:
        if fault.outcome is AnswerOutcome.INFRASTRUCTURE:  # for an unknown model, its message has the names
            return Found(False, f"{unlisted}; asked by that name: {_advised(fault)}")
    names = "" if listed is None else f"; it lists: {nearest_names(model.model, listed)}"
    return Found(True, f"it answers to '{model.model}', although {unlisted}{names}")


def _sees(model: Asked) -> Found:
    """Ask about two pictures in turn, so that a constant answer fails."""
    asked = Text(f"What colour is the picture? {ONE_WORD}")
    try:
        said = {color: model.ask(open_question(_picture("The picture", color), asked)) for color in ("green", "red")}
    except AnswerFault as fault:
        if not fault.permanent:
            raise
        return Found(False, fault.message, settings=TEXT_ONLY)
    return _judge(said, "a picture all {}")


def _count_pictures(model: Examined, needed: int) -> tuple[int, Found]:
    """Return how many pictures a request can hold, by bisection, and what follows if a run needs more."""
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
        return taken, Found(True, f"at least {taken}")
    limit = f"use at most --history-images (or --context-images) {taken - 1}"
    if needed > taken:
        limit = f"a first request has {needed}, those of the legend included, which --explain rules leaves out; {limit}"
    settings = RULES_ONLY if needed > taken else {}
    return taken, Found(True, f"{taken}: {limit}; of {refused}, {words}", settings=settings)


def _refusal_of(model: Examined, number: int) -> str:
    """Return the server's rejection of a request with this number of pictures; empty if it is answered."""
    colors = (list(COLORS) * number)[:number]
    pictures = [_picture(f"Picture {place}", color) for place, color in enumerate(colors, 1)]
    try:
        model.ask(open_question(*pictures, READY))
    except AnswerFault as fault:
        if fault.permanent:
            return fault.message
        if fault.outcome is not AnswerOutcome.TRUNCATED:  # a reply that is cut off follows a request that was accepted
            raise
    return ""


def _tells_order(model: Asked) -> Found:
    asked = Text(f"You were shown two pictures. What colour was the first one? {ONE_WORD}")

    def ask(first: str, second: str) -> str:
        pictures = _picture("The first picture", first), _picture("The second picture", second)
        return model.ask(open_question(*pictures, asked))

    said = {first: ask(first, second) for first, second in (("blue", "red"), ("red", "blue"))}
    return _judge(said, "two pictures of which the first was {}")


def _judge(said: dict[str, str], shown: str) -> Found:
    """Check that each answer names its colour and no other."""
    for color, answer in said.items():
        if set(WORD.findall(answer.casefold())) & COLORS.keys() != {color}:
            words = f"shown {shown.format(color)}, it said '{answer.strip()[:200]}'"
            return Found(False, f"{words}; is it a vision model? If not: --observation text", settings=TEXT_ONLY)
    return Found(True, f"it named {' and '.join(said)}")


def _picture(label: str, color: str) -> Picture:
    return Picture(np.full((SIDE, SIDE, 3), COLORS[color], dtype=np.uint8), "test", label)


def _small_question() -> ModelInput:
    return ModelInput(
        image=_picture("", "green").pixels,
        text_prompt="turn around to the left",
        action_space=dict(ACTION_SPACE),
        step_number=0,
        max_steps=10,
    )


def _pictures_in(model: Asked, question: ModelInput) -> int:
    """Return the number of pictures in the prompt of a question."""
    return sum(len(message.pictures) for message in model.prompt(question).messages)


def _with_fewer_pictures(question: ModelInput, most: int) -> ModelInput:
    """Return a question without the pictures of the legend, or without any if not even one is taken."""
    explanation = question.explanation
    if explanation is not None:
        explanation = attrs.evolve(explanation, legend=None, pictures=())
    return attrs.evolve(question, explanation=explanation, image=question.image if most else None)


def _without_pictures(question: ModelInput) -> ModelInput:
    return _with_fewer_pictures(question, 0)
