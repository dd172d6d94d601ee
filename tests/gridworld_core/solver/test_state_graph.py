"""The whole state space of a task, against one worked out by trying every action in every state."""

from collections.abc import Hashable, Iterator
from itertools import product
from typing import Any

import attrs
import pytest
from hypothesis import given

from gridworld.actions import Action
from gridworld.solver.state_graph import DEAD, WON, StateGraph, explore
from gridworld.task_spec import TaskSpecification
from gridworld.world import State, Status, World, transition
from hypothesis_profiles import bounded
from worlds import block, compiled, corridor, door, draw, gate, hazard, key, switch, tasks, teleporter

PUSHING = {"type": "push_block_to", "target_ids": ["b"], "target_positions": ["t"]}

TASKS = [
    pytest.param(corridor("@.G"), id="corridor"),
    pytest.param(corridor("@.#G"), id="unsolvable"),
    pytest.param(corridor("h@.G", h=hazard()), id="hazard"),
    pytest.param(corridor("@kD.G", k=key(), D=door("red")), id="key and door"),
    pytest.param(corridor("a@G#b", ab=teleporter(bidirectional=False)), id="way of no return"),
    pytest.param(corridor("@s.gG", s=switch("g", switch_type="hold"), g=gate()), id="gate that shuts"),
    pytest.param(draw("#####\n#@..#\n#.bt#\n#..G#\n#####", b=block(), goal=PUSHING), id="block to push"),
    pytest.param(draw("######\n#@..##\n#.b.G#\n######", b=block()), id="block that can bar the way"),
    pytest.param(
        draw("######\n#@D.G#\n#kE###\n######", k=key(), D=door("red"), E=door("red"), rules={"key_consumption": True}),
        id="key for one of two doors",
    ),
    pytest.param(corridor("@hG", h=hazard(), goal={"type": "survive_steps"}, max_steps=4), id="survival"),
]


class Trial:
    """All that can happen in a small world, by brute force."""

    def __init__(self, world: World) -> None:
        self.timed = world.goal_type.timed
        self.arena = world if self.timed else attrs.evolve(world, max_steps=10**9)
        self.outcomes: dict[Hashable, list[Hashable | None]] = {}
        """State to what its seven actions lead to: a state, `True` for success, `None` for death."""
        self._try_everything(self.arena.start)
        self.winnable = self._winnable()

    def name(self, state: State) -> Hashable:
        return (*state.key, state.steps, state.discovered) if self.timed else state.key

    def _try_everything(self, start: State) -> None:
        waiting = [start]
        while waiting:
            state = waiting.pop()
            if self.name(state) in self.outcomes:
                continue
            following = [transition(self.arena, state, action)[0] for action in Action]
            self.outcomes[self.name(state)] = [self._outcome(each) for each in following]
            waiting += [each for each in following if each.status == Status.RUNNING]

    def _outcome(self, state: State) -> Hashable | None:
        if state.status == Status.RUNNING:
            return self.name(state)
        return True if state.status == Status.SUCCEEDED else None

    def _winnable(self) -> set[Hashable]:
        """Grows by sweeps over all states until nothing is added."""
        found: set[Hashable] = {True}
        size = 0
        while size < len(found):
            size = len(found)
            found |= {name for name, outcomes in self.outcomes.items() if not found.isdisjoint(outcomes)}
        return found - {True}

    def is_lost(self, name: Hashable | None) -> bool:
        return name is None or (name is not True and name not in self.winnable)

    def steps_to_loss(self, source: Hashable) -> int | None:
        layer: set[Hashable | None] = {source}
        seen: set[Hashable | None] = {True}
        steps = 0
        while layer:
            if any(self.is_lost(name) for name in layer):
                return steps
            seen |= layer
            layer = {name for each in layer for name in self.outcomes[each]} - seen
            steps += 1
        return None


def explored(task: TaskSpecification) -> tuple[StateGraph, Trial]:
    """A task's state space, and what trying everything says of it."""
    world = compiled(task)
    graph = explore(world, 20_000)
    assert graph is not None
    return graph, Trial(world)


def assert_agrees(graph: StateGraph, trial: Trial) -> None:
    names = [trial.name(state) for state in graph.states]
    assert len(names) == len(set(names))
    assert set(names) == set(trial.outcomes)
    assert {name for name, wins in zip(names, graph.winnable, strict=True) if wins} == trial.winnable
    for source, name in enumerate(names):
        assert graph.steps_to_loss([source]) == trial.steps_to_loss(name)


@pytest.mark.parametrize("task", TASKS)
def test_it_has_the_states_that_trying_everything_reaches_and_knows_which_can_be_won(task: TaskSpecification) -> None:
    assert_agrees(*explored(task))


def test_random_worlds_are_as_trying_everything_finds() -> None:
    seen = {"compared": 0, "partly lost": 0, "deadly": 0, "timed": 0}

    @bounded(80)
    @given(tasks(max_side=5))
    def compare(task: TaskSpecification) -> None:
        world = compiled(attrs.evolve(task, max_steps=min(task.max_steps, 5)))
        graph = explore(world, 1500)
        if graph is None:
            return
        assert_agrees(graph, Trial(world))
        seen["compared"] += 1
        seen["partly lost"] += len(set(graph.winnable)) == 2
        seen["deadly"] += any(DEAD in following for following in graph.successors)
        seen["timed"] += world.goal_type.timed

    compare()
    assert min(seen.values()) >= 3, seen


@pytest.mark.parametrize("task", TASKS)
def test_each_state_knows_what_every_action_leads_to(task: TaskSpecification) -> None:
    graph, trial = explored(task)
    meaning: dict[int, Any] = {WON: True, DEAD: None} | dict(enumerate(map(trial.name, graph.states)))
    for state, following in zip(graph.states, graph.successors, strict=True):
        assert sorted(map(str, (meaning[each] for each in following))) == sorted(
            map(str, trial.outcomes[trial.name(state)])
        )


@pytest.mark.parametrize("task", TASKS)
def test_the_path_to_a_state_leads_there_and_paths_never_become_shorter(task: TaskSpecification) -> None:
    graph, trial = explored(task)
    lengths = []
    for target, state in enumerate(graph.states):
        path = graph.path_to(target)
        lengths.append(len(path))
        at = trial.arena.start
        for action in path:
            at, _ = transition(trial.arena, at, action)
        assert trial.name(at) == trial.name(state)
    assert lengths == sorted(lengths)
    assert lengths[:2] == [0, 1]


def sequences(world: World, length: int) -> Iterator[State]:
    """Where all sequences of so many actions lead that end with a living agent."""
    for actions in product(Action, repeat=length):
        state = world.start
        for action in actions:
            if world.is_over(state):
                break
            state, _ = transition(world, state, action)
        if not state.status:
            yield state


@pytest.mark.parametrize("task", TASKS)
def test_no_state_can_be_reached_in_fewer_actions_than_its_path_has(task: TaskSpecification) -> None:
    graph, trial = explored(task)
    soonest: dict[Hashable, int] = {}
    for length in range(4):
        for state in sequences(trial.arena, length):
            soonest.setdefault(trial.name(state), length)
    paths = {trial.name(state): len(graph.path_to(target)) for target, state in enumerate(graph.states)}
    assert soonest == {name: length for name, length in paths.items() if length < 4}


def test_dead_ends_are_the_living_states_that_cannot_be_won_nearest_first() -> None:
    graph, trial = explored(corridor("a@G#b", ab=teleporter(bidirectional=False)))
    ends = graph.dead_ends()
    assert {trial.name(graph.states[end]) for end in ends} == set(trial.outcomes) - trial.winnable
    lengths = [len(graph.path_to(end)) for end in ends]
    assert lengths == sorted(lengths) == [3, 4, 4, 4, 5]


def test_where_nothing_can_go_wrong_there_is_no_dead_end_and_no_way_to_lose() -> None:
    graph, _ = explored(corridor("@.G"))
    assert graph.dead_ends() == []
    assert graph.steps_to_loss(range(len(graph.states))) is None


def test_a_loss_is_counted_from_the_nearest_of_several_states() -> None:
    graph, trial = explored(draw("######\n#@..G#\n#..h.#\n######", h=hazard()))
    chosen = [0, 1, 5]
    alone = [trial.steps_to_loss(trial.name(graph.states[each])) for each in chosen]
    assert len(set(alone)) > 1
    assert graph.steps_to_loss(chosen) == min(each for each in alone if each is not None)


def test_a_dead_end_is_lost_in_no_steps() -> None:
    graph, _ = explored(corridor("@.#G"))
    assert graph.dead_ends() == list(range(2 * 4))
    assert graph.steps_to_loss([0]) == 0


@pytest.mark.parametrize("task", TASKS)
def test_a_space_with_more_states_than_allowed_is_none(task: TaskSpecification) -> None:
    world = compiled(task)
    size = len(Trial(world).outcomes)
    assert explore(world, size) is not None
    assert explore(world, size - 1) is None


def test_the_budget_of_steps_is_no_limit_unless_the_goal_depends_on_it() -> None:
    graph = explore(compiled(corridor("@....G", max_steps=1)), 1000)
    assert graph is not None
    assert len(graph.states) == 5 * 4
    assert all(graph.winnable)
