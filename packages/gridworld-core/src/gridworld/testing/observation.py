"""`ObservationConformance`: the checks that every text format of observations must pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, ClassVar

from gridworld.hookspecs import ObservationInfo
from gridworld.task_spec import TaskSpecification
from gridworld.testing.conformance import Conformance, calling, expect, fail
from gridworld.testing.stage import every_topology, kit_task, stage, stage_task, walk_through
from gridworld.world import Episode, Topology, compile_world
from gridworld.world.knowledge import Snapshot

Format = Callable[[Episode], str]
PARTIAL = ({"observability": "view_cone", "view_size": 3}, {"observability": "fog_of_war", "view_size": 5})
OBSERVABILITIES: tuple[dict[str, Any], ...] = ({"observability": "full"}, *PARTIAL)
SEEDS, STEPS = (1, 2, 3), 30
"""Seeds and length of the walks along which states are inspected."""
OTHER_NAMES = ("image", "none")
"""Reserved names of ``--observation``."""
TURNS = (0, 0, 0, 1, 1, 1)
"""Actions played on boards that look alike, to look around."""

HALVES = {"dimensions": [11, 6], "start": [2, 2], "walls": [[5, 1], [5, 2], [5, 3], [5, 4]]}
"""A board with two halves; the agent sees only the left one."""
NEAR_GOAL, FAR_GOALS = (1, 4), ((8, 3), (9, 4))
"""Goal cells in the left half, and in the right one, on boards that look alike."""
BEHIND: tuple[dict[str, list[dict[str, Any]]], ...] = (
    {},
    {"keys": [{"id": "a", "position": [7, 2], "color": "red"}], "blocks": [{"id": "b", "position": [8, 3]}]},
    {"hazards": [{"id": "c", "position": [7, 3]}], "keys": [{"id": "d", "position": [9, 1], "color": "blue"}]},
)
"""Mechanisms in the right half of boards that look alike."""
HIDDEN: tuple[dict[str, list[dict[str, Any]]], ...] = (
    {},
    {"switches": [{"id": "x", "position": [3, 3]}]},
    {"hazards": [{"id": "x", "position": [3, 3], "hazard_type": "pit"}]},
)
"""Hidden mechanisms, which look like floor, on boards that look alike."""


class ObservationConformance(Conformance):
    """The checks of a text format of observations, to be subclassed in its author's tests.

        class TestHaiku(ObservationConformance):
            observation = write_haiku

    The states of several tasks are described, on every installed tiling.
    """

    kind: ClassVar[str] = "observation"

    observation: ClassVar[ObservationInfo | Format | str]
    """The function ``(episode) -> str``, its descriptor, its import string, or its name if installed."""

    def write(self, episode: Episode) -> str:
        """Return the text of an episode's current state."""
        with calling(f"the format, on the tiling {episode.world.topology.name}"):
            text: str = self.target()(episode)
        expect(isinstance(text, str), f"it gives {text!r}, no text")
        return text

    def test_its_name_can_be_given(self) -> None:
        """``--observation`` joins names with a plus sign, and uses `image` and `none` itself."""
        given = self.resolve()
        name = given.name if isinstance(given, ObservationInfo) else ""
        expect(name not in OTHER_NAMES and "+" not in name, f"it is called '{name}', which means something else")

    def test_a_moment_has_one_text_and_stays_as_it_was(self) -> None:
        """A state has the same text in any order of requests and any episode, and is only looked at.

        Nothing is kept between calls, and sets are sorted before they are listed.
        """
        for topology, rules in product(every_topology(*stage_task().maze.dimensions), OBSERVABILITIES):
            episode, other = (_begun(stage_task(rules=rules), topology) for _ in "ab")
            told = []
            for snapshot in _moments(episode):
                told.append((snapshot, self.write(episode)))
                expect(episode.snapshot is snapshot, "it plays on in the episode")
            for snapshot, text in reversed(told):
                other.restore(snapshot)
                if self.write(other) != text:
                    fail(f"a moment on the tiling {topology.name} has another text when it is asked for again")

    def test_it_tells_nothing_of_what_has_not_been_seen(self) -> None:
        """The text follows from `episode.look(cell)`, `episode.knowledge`, and of `episode.state` from the agent.

        That is where it is, which way it faces and what it holds: no ids, and no numbers of things.
        """
        for rules in PARTIAL:
            behind = [_halved(things, rules) for things in BEHIND]
            self._expect_alike(behind, "what is on cells that have never been in view")
            goals = [_halved({}, rules, goal) for goal in FAR_GOALS]
            self._expect_alike(goals, "where the goal is, which has never been in view")

    def test_it_tells_nothing_of_what_is_hidden(self) -> None:
        """Boards that differ only in hidden mechanisms that nobody has touched have the same texts."""
        for rules in OBSERVABILITIES:
            boards = [_halved(things, {**rules, "hidden_mechanisms": ["x"] if things else []}) for things in HIDDEN]
            self._expect_alike(boards, "what is hidden")

    def _expect_alike(self, tasks: list[TaskSpecification], what: str) -> None:
        for topology in every_topology(*tasks[0].maze.dimensions):
            first, *others = (_begun(task, topology) for task in tasks)
            for turn in TURNS:
                text = self.write(first)
                for other in others:
                    if _look_alike(first, other) and self.write(other) != text:
                        fail(f"on the tiling {topology.name} its text depends on {what}")
                for episode in (first, *others):
                    episode.step(turn)


def _begun(task: TaskSpecification, topology: Topology) -> Episode:
    episode = Episode(compile_world(task, topology))
    episode.reset()
    return episode


def _moments(episode: Episode) -> Iterator[Snapshot]:
    """Yield the snapshots of random walks; the episode stays at each one until the next is requested."""
    return (episode.snapshot for seed in SEEDS for _ in walk_through(episode, seed, STEPS))


def _halved(things: Any, rules: dict[str, Any], goal: tuple[int, int] = NEAR_GOAL) -> TaskSpecification:
    maze = {**HALVES, "goal": list(goal)}
    return kit_task({**stage(things, rules=rules, companions=False), "maze": maze})


def _look_alike(one: Episode, other: Episode) -> bool:
    """Whether an agent could perceive no difference."""
    cells = range(one.world.topology.cell_count)
    return all(_appearance(one, cell) == _appearance(other, cell) for cell in cells)


def _appearance(episode: Episode, cell: int) -> Any:
    look = episode.look(cell)
    if look is None:
        return None
    things = [(episode.world.entities[shown.entity].spec, shown[1:]) for shown in look.things]
    return look.wall, look.mark, things, cell in episode.knowledge.visible
