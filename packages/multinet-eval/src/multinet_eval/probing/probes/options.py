"""Questions about one cell, with lettered options in an order that the dice give."""

from __future__ import annotations

import random
import string
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gridworld.task.colors import COLOR_NAMES
from multinet_eval.probing.board import board_of
from multinet_eval.probing.grading import Grade, Item, Unreadable, verdict
from multinet_eval.probing.names import read_names
from multinet_eval.probing.probe import Probe, ProbeQuestion
from multinet_eval.probing.probes.answers import read_word
from multinet_eval.probing.scene import Scene

__all__ = ["BARE", "OptionsProbe", "absent_things", "options_question"]

BARE = "floor with nothing on it"
"""How an empty cell is called."""
COLOR = "COLOUR"
"""Stands for the colour of a thing."""
ANYWHERE = (f"{COLOR} key", f"{COLOR} block", f"locked {COLOR} door", f"switched-off {COLOR} switch")
OPTIONS = 6


def absent_things(scene: Scene, dice: random.Random) -> list[str]:
    """Things that could be on the board and are not, whatever their state, in an order that the dice give.

    Those come first that differ from things on the board by their colour.
    """
    names = sorted({thing.name for thing in board_of(scene).things})
    there = {(name.kind, name.color) for name in names}
    shown = [str(name).replace(name.color, COLOR) for name in names if name.color]
    alike, others = (
        [words.replace(COLOR, each) for words in form for each in COLOR_NAMES] for form in (shown, ANYWHERE)
    )
    dice.shuffle(alike)
    dice.shuffle(others)
    found = {words: read_names(words)[0] for words in (*alike, *others)}
    return [words for words, name in found.items() if (name.kind, name.color) not in there]


def options_question(
    text: str, truth: str, others: Sequence[str], facts: Mapping[str, Any], dice: random.Random
) -> ProbeQuestion:
    """A question with the truth among its options.

    Args:
        text: what is asked.
        truth: what is there.
        others: what is not; the first ones are taken.
        facts: what is known of the thing.
        dice: for the order.
    """
    listed = [truth, *dict.fromkeys(each for each in others if each != truth)][:OPTIONS]
    dice.shuffle(listed)
    options = dict(zip(string.ascii_uppercase, listed, strict=False))
    letter = next(letter for letter, words in options.items() if words == truth)
    lines = "\n".join(f"{letter}: {words}" for letter, words in options.items())
    form = 'Answer with a JSON object: {"answer": the letter of what is there}.'
    return ProbeQuestion(f"{text}\n{lines}\n{form}", {"answer": letter}, {**facts, "options": options})


class OptionsProbe(Probe):
    """What is common to probes with options: the answer is what a letter stands for."""

    def read(self, question: ProbeQuestion, said: Mapping[str, Any]) -> str:
        """What the letter stands for."""
        letter = read_word(said, "answer").upper()
        if letter not in question.facts["options"]:
            raise Unreadable(f"answer: '{letter}' is none of the letters")
        return str(question.facts["options"][letter])

    def grade(self, question: ProbeQuestion, truth: str, answer: str) -> Grade:
        """The share of right answers. A letter stands for what it stands for in this question."""
        said = str(question.facts["options"].get(answer, answer))
        labels = dict(question.facts["labels"])
        return Grade({"right": verdict(said == truth)}, (Item(labels, _kind_of(said), said == truth),))

    def constants(self, question: ProbeQuestion, truth: str) -> Iterable[str]:
        """What is there, and each letter."""
        yield truth
        yield from question.facts["options"]


def _kind_of(words: str) -> str:
    return read_names(words)[-1].kind
