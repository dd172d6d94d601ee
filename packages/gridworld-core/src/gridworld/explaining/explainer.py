"""`Explainer`: makes and caches the explanations of a vocabulary."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache, partial
from weakref import WeakKeyDictionary

from gridworld.backends.kernel import GroundWords, KernelBackend
from gridworld.explaining.explanation import DrawnLater, ExplainLevel, Explanation, LabelledPicture
from gridworld.explaining.legend import draw_legend, write_legend
from gridworld.explaining.rules import BoardFacts, board_facts, write_rules
from gridworld.explaining.suite_vocabulary import SuiteVocabulary, ThingWords, gather_things
from gridworld.plugins.registry import owner_of
from gridworld.support.faults import calling
from gridworld.task.catalogs import Catalogs
from gridworld.world.digest import text_digest
from gridworld.world.world import World

Key = tuple[ExplainLevel, bool, BoardFacts, GroundWords]
"""Inputs of an explanation other than vocabulary and backend: level, has_pictures, tiling, and picture style."""


class Explainer:
    """Writes explanations for the tasks of a suite.

    Args:
        vocabulary: everything that can occur in the tasks.
    """

    def __init__(self, vocabulary: SuiteVocabulary) -> None:
        self.vocabulary = vocabulary
        self._made: WeakKeyDictionary[KernelBackend, dict[Key, Explanation]] = WeakKeyDictionary()

    def explain(self, backend: KernelBackend, level: ExplainLevel, has_pictures: bool) -> Explanation | None:
        """Explain everything that can occur; None for the level ``none``.

        The result depends only on the arguments, the vocabulary, the tiling and the backend's settings.

        Args:
            backend: the backend, configured with one of the tasks.
            level: the parts to explain.
            has_pictures: whether the model is shown pictures of the maze.

        Raises:
            NotResetError: the backend has not been configured.
            PluginFault: a plugin raised an error while describing itself.
        """
        if level == "none":
            return None
        board, made = board_facts(backend.world.topology), self._made.setdefault(backend, {})
        key = (level, has_pictures, board, backend.ground_words)
        if key not in made:
            made[key] = self._make(backend, level, has_pictures, board)
        return made[key]

    def digest(self) -> str:
        """Return a digest of all texts supplied by plugins, 16 hexadecimal digits; raises as `explain` does."""
        vocabulary = self.vocabulary
        told = [
            [(each.name, each.forms, each.colors, each.looks, each.does) for each in self._things()],
            [goal.explained for goal in vocabulary.goals],
            (vocabulary.marks, vocabulary.rules, vocabulary.hides),
        ]
        return text_digest(repr(told))

    def _make(self, backend: KernelBackend, level: ExplainLevel, has_pictures: bool, board: BoardFacts) -> Explanation:
        vocabulary, things = self.vocabulary, self._things()
        legend = rules = None
        pictures: Sequence[LabelledPicture] = ()
        if level in ("legend", "full"):
            legend = write_legend(backend, vocabulary, things, has_pictures)
            pictures = DrawnLater(partial(_draw, backend, backend.world, vocabulary, things)) if has_pictures else ()
        if level in ("rules", "full"):
            rules = write_rules(vocabulary, board, things)
        return Explanation(legend, rules, pictures=pictures)

    def _things(self) -> list[ThingWords]:
        things: list[ThingWords] = []
        for known in self.vocabulary.mechanisms:
            with calling(known.type.owner, "explains"):
                things += gather_things(known, self.vocabulary.rules)
        return things


def _draw(
    backend: KernelBackend, world: World, vocabulary: SuiteVocabulary, things: Iterable[ThingWords]
) -> list[LabelledPicture]:
    with calling(owner_of("backend", backend, backend.name), "draw_tile"):
        return list(draw_legend(backend, world, vocabulary, things))


@lru_cache(maxsize=8)
def explainer_of_everything(catalogs: Catalogs) -> Explainer:
    """Make an explainer of all installed types, for tasks played outside a suite.

    Such explanations do not reveal which types a task uses.
    """
    return Explainer(SuiteVocabulary.of_everything(catalogs))
