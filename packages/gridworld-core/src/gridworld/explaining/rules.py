"""The rules in words: what the actions do, what is seen, and what each thing does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gridworld.explaining.board import BoardFacts, explain_board
from gridworld.explaining.things import ThingWords
from gridworld.explaining.vocabulary import SuiteVocabulary
from gridworld.support.wording import listed, one_line

__all__ = ["write_rules"]

IN_SOME, IN_OTHERS = "In some tasks: ", "In others: "
MODES = {
    "full": "The whole maze is shown.",
    "view_cone": "Only what the agent sees now is shown: what lies ahead of it or beside it, within a few cells, and "
    "not behind something that blocks sight.",
    "fog_of_war": "What the agent sees now is shown, and what it saw earlier stays shown as it was last seen; the rest "
    "is not shown.",
}
"""Observability to what is told of it."""
HIDDEN = (
    "Things can be hidden: one that stops the agent then looks like wall, any other like floor, though it works all "
    "the same. It shows once the agent has bumped into it, acted on it or stood on it."
)
ACTIONS = (
    "Every action takes one step, also one that has no effect.",
    "Walls and whatever else stops the agent leave it where it is.",
    "pickup takes what lies on the cell in front, if it can be carried and the hand is empty; drop puts it onto free "
    "floor in front.",
    "toggle works on what is in front, if that answers to it; otherwise on what answers to it under the agent.",
    "done waits.",
)


def write_rules(vocabulary: SuiteVocabulary, board: BoardFacts, things: Iterable[ThingWords]) -> str:
    """The rules, a line for each subject."""
    first, *others = ACTIONS
    lines = [
        " ".join(explain_board(board)),
        " ".join([first, *others]),
        *_seeing(vocabulary),
        *_doing(things),
        *(f"mission: {' '.join(map(one_line, goal.explained.does))}" for goal in vocabulary.goals),
    ]
    return "\n".join(["The rules:", *(f"- {line}" for line in lines)])


def _seeing(vocabulary: SuiteVocabulary) -> Iterator[str]:
    found = {rules.observability for rules in vocabulary.rules}
    modes = [words for mode, words in MODES.items() if mode in found]
    yield (
        modes[0]
        if len(modes) == 1
        else " ".join([f"{IN_SOME}{modes[0]}", *(f"{IN_OTHERS}{each}" for each in modes[1:])])
    )
    if vocabulary.hides:
        yield HIDDEN


def _doing(things: Iterable[ThingWords]) -> Iterator[str]:
    """What things do; those that do the same are named together."""
    names: dict[str, list[str]] = {}
    for thing in things:
        names.setdefault(_under_all_rules(thing.does), []).append(thing.name)
    yield from (f"{listed(list(dict.fromkeys(named)))}: {does}" for does, named in names.items() if does)


def _under_all_rules(texts: Sequence[Sequence[str]]) -> str:
    """What is the same under all rules, and what is so in some tasks only, each once and in order."""
    common = [sentence for sentence in texts[0] if all(sentence in each for each in texts)]
    differing = dict.fromkeys(sentence for each in texts for sentence in each if sentence not in common)
    return " ".join(
        [*common, *(f"{IN_SOME if not number else IN_OTHERS}{each}" for number, each in enumerate(differing))]
    )
