"""`Explainer`: makes the explanations of one vocabulary, and keeps them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache, partial
from weakref import WeakKeyDictionary

from gridworld.backends.kernel import GroundWords, KernelBackend
from gridworld.explaining.explanation import DrawnLater, ExplainLevel, Explanation, LabelledPicture
from gridworld.explaining.legend import draw_legend, write_legend
from gridworld.explaining.rules import BoardFacts, board_facts, write_rules
from gridworld.explaining.vocabulary import SuiteVocabulary, ThingWords, gather_things
from gridworld.plugins.faults import backend_name, blaming
from gridworld.world.catalogs import WorldCatalogs
from gridworld.world.digest import text_digest
from gridworld.world.world import World

__all__ = ["Explainer", "explainer_of_everything"]


Key = tuple[ExplainLevel, bool, BoardFacts, GroundWords]
"""What decides an explanation beside vocabulary and backend: the level, whether pictures are shown, the tiling, and
the style of pictures."""


class Explainer:
    """Explains what can occur in the tasks of a suite.

    Args:
        vocabulary: what can occur.
    """

    def __init__(self, vocabulary: SuiteVocabulary) -> None:
        self.vocabulary = vocabulary
        self._made: WeakKeyDictionary[KernelBackend, dict[Key, Explanation]] = WeakKeyDictionary()

    def explain(self, backend: KernelBackend, level: ExplainLevel, has_pictures: bool) -> Explanation | None:
        """What a model is told; it depends on the vocabulary, the tiling, the backend's settings and nothing else.

        Args:
            backend: where the tasks are played, configured with one of them.
            level: what is explained.
            has_pictures: whether the model is shown pictures of the maze.

        Returns:
            None where nothing is explained.

        Raises:
            NotResetError: the backend has not been configured.
            PluginFault: a plugin fails in explaining itself; it is named.
        """
        if level == "none":
            return None
        board, made = board_facts(backend.world.topology), self._made.setdefault(backend, {})
        key = (level, has_pictures, board, backend.ground_words)
        if key not in made:
            made[key] = self._make(backend, level, has_pictures, board)
        return made[key]

    def digest(self) -> str:
        """A digest of all that plugins say of what can occur: 16 hexadecimal digits. Raises as `explain` does."""
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
            with blaming(f"mechanism '{known.type.name}'", "when it explained itself"):
                things += gather_things(known, self.vocabulary.rules)
        return things


def _draw(
    backend: KernelBackend, world: World, vocabulary: SuiteVocabulary, things: Iterable[ThingWords]
) -> list[LabelledPicture]:
    with blaming(backend_name(backend.name), "when it drew what can occur"):
        return list(draw_legend(backend, world, vocabulary, things))


@lru_cache(maxsize=8)
def explainer_of_everything(catalogs: WorldCatalogs) -> Explainer:
    """Explains all that the types at hand can have, for a task that is played without a suite.

    So what is told of it depends on what is installed alone, and hints at nothing that the task hides.
    """
    return Explainer(SuiteVocabulary.of_everything(catalogs))
