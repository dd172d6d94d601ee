"""Masked actions win from every state from which any actions win."""

import random
from collections.abc import Callable, Hashable, Mapping
from functools import lru_cache
from itertools import islice

import attrs
import pytest

from gridworld.actions import Action
from gridworld.errors import InvalidTaskError
from gridworld.generation.making import Made
from gridworld.plugins.tilings import compile_on
from gridworld.suites import find_tasks, read_named_task
from gridworld.task_spec import TaskSpecification
from gridworld.world import World
from gridworld.world.knowledge import Knowledge, Snapshot, first_snapshot, observe
from gridworld.world.masks import could_have_effect
from gridworld.world.rules import ACTS, transition
from support.generated_tasks import found_for, jobs
from support.plain_search import Explored, Name, distances, explore_plainly
from support.tilings import TILINGS, on_all_tilings, on_two_tilings
from support.twins import with_rules
from support.worlds import corridor, door

VIEWS = ("full", "view_cone", "fog_of_war")
SUITES = ("tiers", "validation_10", "worked_examples", "fresh_100")
GENERATED = 200

MOST_STATES, MOST_IN_FOG = 50_000, 3_000
"""Limits on moments above which a task is walked through; fog has many moments of each state, and is slower."""
WALKS, LONGEST_WALK = 200, 100
"""Number of walks through one task, on all tilings and in all views together, and their maximum length."""


@attrs.frozen
class Case:
    """A task, where and how it is played."""

    task: TaskSpecification
    tiling: str
    view: str

    @property
    def name(self) -> str:
        """Unique name."""
        return f"{self.task.task_id} {self.tiling} {self.view}"


@attrs.frozen
class Outcome:
    """Result of an examination."""

    exhaustive: bool
    """Whether all moments were examined, or only those on walks."""
    moments: int
    """Number of moments that masked actions reach, or on walks."""
    spoilt: int
    """Number of winnable moments that masked actions cannot win; on walks, of those where a masked act differs from
    waiting."""


def bundled_tasks() -> list[TaskSpecification]:
    """The tasks of all suites that are installed with the packages."""
    return [task for suite in SUITES for task in find_tasks(suite)]


def generated_tasks(count: int = GENERATED) -> list[TaskSpecification]:
    """Tasks of all families that are valid on every tiling, in a fixed order."""
    made = (found.tasks[0] for found in found_for(jobs(2 * count)) if isinstance(found, Made))
    return list(islice((task for task in made if all(_fits(task, tiling) for tiling in TILINGS)), count))


def _fits(task: TaskSpecification, tiling: str) -> bool:
    try:
        compile_on(tiling, task)
    except InvalidTaskError:
        return False
    return True


def examine(case: Case, most_states: int = MOST_STATES) -> Outcome:
    """Examine all moments that masked actions reach; walk if there are more than `most_states`."""
    world = compile_on(case.tiling, with_rules(case.task, observability=case.view))
    explored = None
    # There are fewest states on squares: what is too large there is not tried elsewhere.
    if _explored(_compiled("square", case.task), most_states) is not None:
        explored = _explored(_compiled(case.tiling, case.task), most_states)
    most_moments = MOST_IN_FOG if case.view == "fog_of_war" else most_states
    found = None if explored is None else _look_everywhere(world, explored, most_moments)
    return found or _walk(world, WALKS // (len(TILINGS) * len(VIEWS)) + 1, case.name)


@lru_cache(maxsize=2)
def _explored(world: World, most: int) -> Explored | None:
    """All states of a world; None if there are too many."""
    return explore_plainly(world, most)


@lru_cache(maxsize=2)
def _compiled(tiling: str, task: TaskSpecification) -> World:
    return compile_on(tiling, task)


def _look_everywhere(world: World, explored: Explored, most: int) -> Outcome | None:
    """Every moment that masked actions reach; None if there are too many."""
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
        if len(moments) > most:
            return None
    won = distances(masked)
    spoilt = sum(explored.distance[state] is not None and won[name] is None for name, state, _ in moments)
    return Outcome(True, len(moments), spoilt)


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


def _walk(world: World, walks: int, seed: str) -> Outcome:
    """Random masked walks; count moments where a masked act does not do what waiting does."""
    moments = spoilt = 0
    for number in range(walks):
        rng, snapshot = random.Random(f"{seed} {number}"), first_snapshot(world)
        while not world.is_over(snapshot.state) and snapshot.state.steps < LONGEST_WALK:
            after = {action: transition(world, snapshot.state, action)[0] for action in Action}
            allowed = _allowed(world, snapshot)
            moments += 1
            spoilt += any(after[action] != after[Action.DONE] for action in Action if action not in allowed)
            ahead = Action.MOVE_FORWARD in allowed and rng.random() < 0.4
            state = after[Action.MOVE_FORWARD if ahead else rng.choice(allowed)]
            snapshot = Snapshot(state, observe(world, snapshot, state))
    return Outcome(False, moments, spoilt)


HIDING = (
    ("tiers/t5_04_guarded_gaps", "square", "full"),
    pytest.param("tiers/t5_01_secret_alcove", "hex", "view_cone", marks=pytest.mark.more),
    pytest.param("tiers/t5_08_phantom_portal", "square", "view_cone", marks=pytest.mark.more),
    pytest.param("worked_examples/e08_lever_behind", "488", "fog_of_war", marks=pytest.mark.more),
    pytest.param("worked_examples/e10_between_pits", "triangle", "view_cone", marks=pytest.mark.more),
)
"""Tasks, most with hidden mechanisms, each on a tiling and in a view."""
BUNDLED, AT_ONCE = 170, 10
"""Number of bundled tasks, and of tasks in one thorough test."""


@lru_cache(maxsize=1)
def all_tasks() -> list[TaskSpecification]:
    return [*bundled_tasks(), *generated_tasks()]


@pytest.mark.parametrize(("reference", "tiling", "view"), HIDING)
def test_masked_actions_win_where_any_do(reference: str, tiling: str, view: str) -> None:
    outcome = examine(Case(read_named_task(reference), tiling, view), most_states=2_000)
    assert outcome.spoilt == 0
    assert outcome.moments > 50


@pytest.mark.parametrize("view", VIEWS)
@on_two_tilings
def test_masked_actions_win_where_a_door_looks_like_wall(name: str, view: str) -> None:
    task = corridor("@CG", C=door("red", "closed"), rules={"hidden_mechanisms": ["C"]})
    outcome = examine(Case(task, name, view))
    assert outcome.exhaustive
    assert outcome.spoilt == 0


def test_masked_actions_win_where_a_generated_door_looks_like_wall() -> None:
    (task,) = find_tasks("generated:perfect_maze?hidden=1&depth=1&steps=key&size=6&count=1")
    assert examine(Case(task, "square", "full")) == Outcome(exhaustive=True, moments=220, spoilt=0)


@pytest.mark.thorough
@on_all_tilings
@pytest.mark.parametrize("first", range(0, BUNDLED + GENERATED, AT_ONCE))
def test_masked_actions_win_in_all_tasks(first: int, name: str) -> None:
    tasks = all_tasks()
    assert len(tasks) == BUNDLED + GENERATED
    cases = [Case(task, name, view) for task in tasks[first : first + AT_ONCE] for view in VIEWS]
    assert [case.name for case in cases if examine(case, most_states=5_000).spoilt] == []
