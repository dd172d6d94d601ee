"""Masked actions win from every state from which any actions win."""

from collections.abc import Callable, Hashable, Mapping

import attrs
import pytest

from gridworld.actions import Action
from gridworld.plugins.tilings import compile_on
from gridworld.suites import find_tasks, read_named_task
from gridworld.task_spec import TaskSpecification
from gridworld.world import World
from gridworld.world.knowledge import Knowledge, Snapshot, first_snapshot, observe
from gridworld.world.masks import could_have_effect
from gridworld.world.rules import ACTS
from support.plain_search import Explored, Name, distances, explore_plainly
from support.tilings import on_two_tilings
from support.twins import with_rules
from support.worlds import corridor, door

VIEWS = ("full", "view_cone", "fog_of_war")

MOST_STATES, MOST_IN_FOG = 5_000, 3_000
"""Limits on states and moments; fog has many moments of each state."""


@attrs.frozen
class Outcome:
    """Numbers of moments."""

    moments: int
    """Those that masked actions reach."""
    spoilt: int
    """Those that can be won, but not by masked actions."""


def examine(task: TaskSpecification, tiling: str, view: str) -> Outcome:
    """Examine all moments that masked actions reach."""
    world = compile_on(tiling, with_rules(task, observability=view))
    explored = explore_plainly(compile_on(tiling, task), MOST_STATES)
    assert explored is not None
    return _look_everywhere(world, explored, MOST_IN_FOG if view == "fog_of_war" else MOST_STATES)


def _look_everywhere(world: World, explored: Explored, most: int) -> Outcome:
    """Every moment that masked actions reach."""
    relevant = RELEVANT[world.task.rules.observability]

    def moment(state: Name, snapshot: Snapshot) -> tuple[Name, Name, Snapshot]:
        return (state, relevant(snapshot.knowledge)), state, snapshot

    first = moment(explored.start, first_snapshot(world))
    moments, reached = [first], {first[0]}
    masked: dict[Name, dict[Action, Name]] = {}
    for name, state_name, snapshot in moments:
        masked[name] = {}
        for action in _allowed(world, snapshot):
            outcome = explored.outcomes[state_name][action]
            state = explored.states.get(outcome)
            if state is None:
                masked[name][action] = outcome
                continue
            following = moment(outcome, Snapshot(state, observe(world, snapshot, state)))
            masked[name][action] = following[0]
            if following[0] not in reached:
                reached.add(following[0])
                moments.append(following)
        assert len(moments) <= most
    won = distances(masked)
    spoilt = sum(explored.distance[state] is not None and won[name] is None for name, state, _ in moments)
    return Outcome(len(moments), spoilt)


def _of_fog(knowledge: Knowledge) -> Hashable:
    looks, seen = frozenset(knowledge.remembered.items()), frozenset(knowledge.last_seen.items())
    return knowledge.explored, looks, seen, knowledge.handled


RELEVANT: Mapping[str, Callable[[Knowledge], Hashable]] = {
    "full": lambda knowledge: None,
    "view_cone": lambda knowledge: knowledge.handled,
    "fog_of_war": _of_fog,
}
"""View to the parts of knowledge that do not follow from the state and may change masks."""


def _allowed(world: World, snapshot: Snapshot) -> list[Action]:
    mask = could_have_effect(world, snapshot, ACTS.values())
    return [action for action, allowed in zip(Action, mask, strict=True) if allowed]


HIDING = (
    ("tiers/t5_04_guarded_gaps", "square", "full"),
    pytest.param("tiers/t5_01_secret_alcove", "hex", "view_cone", marks=pytest.mark.more),
    pytest.param("tiers/t5_08_phantom_portal", "square", "view_cone", marks=pytest.mark.more),
    pytest.param("worked_examples/e08_lever_behind", "488", "fog_of_war", marks=pytest.mark.more),
    pytest.param("worked_examples/e10_between_pits", "triangle", "view_cone", marks=pytest.mark.more),
)
"""Tasks, most with hidden mechanisms, each on a tiling and in a view."""


@pytest.mark.parametrize(("reference", "tiling", "view"), HIDING)
def test_masked_actions_win_where_any_do(reference: str, tiling: str, view: str) -> None:
    outcome = examine(read_named_task(reference), tiling, view)
    assert outcome.spoilt == 0
    assert outcome.moments > 50


@pytest.mark.parametrize("view", VIEWS)
@on_two_tilings
def test_masked_actions_win_where_a_door_looks_like_wall(name: str, view: str) -> None:
    task = corridor("@CG", C=door("red", "closed"), rules={"hidden_mechanisms": ["C"]})
    assert examine(task, name, view).spoilt == 0


def test_masked_actions_win_where_a_generated_door_looks_like_wall() -> None:
    (task,) = find_tasks("generated:perfect_maze?hidden=1&depth=1&steps=key&size=6&count=1")
    assert examine(task, "square", "full") == Outcome(moments=220, spoilt=0)
