"""Memory of goals: part of the state, updated before the goal is checked, kept by snapshots, records and searches."""

import json
import pickle
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from gridworld.actions import Action
from gridworld.backends.kernel import UnseenBackend
from gridworld.runner.record import Decision, EndReason, EpisodeEnd, EpisodeHeader, Recording, Step
from gridworld.runner.rollout import Rollout
from gridworld.solver import solve
from gridworld.task_spec import TaskSpecification
from gridworld.world import Episode, State, Status, World, compile_world, transition
from gridworld.world.digest import digest
from gridworld.world.events import Died, Event, Succeeded
from gridworld.world.goal_type import GoalType, Marker
from support.sample_plugins import remembering, with_remembering
from support.tilings import make_topology, on_two_tilings
from support.worlds import LETTERS, begin, compiled, corridor, hazard, play

THERE_AND_BACK, NEVER_LEFT = {"type": "there_and_back"}, {"type": "never_left"}


def _everything(world: World) -> Any:
    def remember(state: State, events: tuple[Event, ...]) -> Any:
        return (*state.memory, *(type(event).__name__ for event in events), Status.NAMES[state.status])

    return remember


LOG: GoalType = remembering(
    name="log", reached=lambda world: lambda state: "Dropped" in state.memory, remember=_everything
)
"""Remembers the names of all events and how the episode stood then."""


TICK_OFF: GoalType = remembering(
    name="tick_off",
    reached=lambda world: lambda state: False,
    markers=lambda task: (Marker(task.maze.goal),),
    visited=lambda world, memory: (world.task.maze.goal,) if memory and memory[0] is True else (),
)
"""Its mark is done with once it remembers True in a tuple."""


@pytest.fixture(autouse=True, scope="module")
def _goals() -> Iterator[None]:
    with with_remembering(LOG, TICK_OFF):
        yield


def test_a_goal_without_memory() -> None:
    episode = begin(corridor("@.G"))
    assert play(episode, "F").step_count == 1
    assert episode.state.memory == ()
    assert episode.world.remember is None


def test_memory_is_updated_before_the_goal_is_checked() -> None:
    episode = begin(corridor("@.G", goal=THERE_AND_BACK))
    memories = [episode.state.memory]
    for letter in "FFLLF":
        episode.step(LETTERS[letter])
        memories.append(episode.state.memory)
    assert memories == [False, False, True, True, True, True]
    assert episode.step(Action.MOVE_FORWARD)[-1] == Succeeded()


def test_memory_is_updated_in_the_step_of_death() -> None:
    episode = begin(corridor("@l.G", goal={"type": "log"}, l=hazard()))
    assert episode.step(Action.MOVE_FORWARD)[-1] == Died("l")
    assert episode.state.memory == ("Moved", "Died", "died")


def test_snapshots_and_digests_have_the_memory() -> None:
    episode = begin(corridor("@.G", goal=THERE_AND_BACK))
    play(episode, "F")
    before = episode.snapshot
    play(episode, "F")
    there = episode.snapshot
    episode.restore(before)
    assert episode.state.memory is False
    episode.restore(there)
    assert episode.state.memory is True
    forgetful = there._replace(state=there.state.remembering(False))
    assert digest(episode.world, there) != digest(episode.world, forgetful)


@pytest.mark.parametrize("alike", [(True, 1, 1.0), ((True,), (1,), (1.0,))], ids=repr)
def test_digests_tell_equal_memories_of_different_types_apart(alike: tuple[Any, ...]) -> None:
    def digests(memories: Iterable[Any]) -> dict[str, str]:
        episode = begin(corridor("@.G", goal=THERE_AND_BACK))
        state = episode.state
        snapshots = {repr(each): episode.snapshot._replace(state=state._replace(memory=each)) for each in memories}
        return {memory: digest(episode.world, snapshot) for memory, snapshot in snapshots.items()}

    there, back = digests(alike), digests(reversed(alike))
    assert there == back
    assert len(set(there.values())) == 3


def test_visited_marks_tell_equal_memories_of_different_types_apart() -> None:
    task = corridor("@.G", goal={"type": "tick_off"})
    for order in (((True,), (1,)), ((1,), (True,))):
        visited = compiled(task).visited
        assert visited is not None
        assert {repr(memory): len(visited(memory)) for memory in order} == {"(True,)": 1, "(1,)": 0}


def test_a_pickled_world_has_the_memory() -> None:
    world = compiled(corridor("@.G", goal=THERE_AND_BACK))
    again = pickle.loads(pickle.dumps(world))
    assert again.start == world.start
    assert solve(again) == solve(world)


@on_two_tilings
def test_a_recording_replays_to_the_same_digests(name: str) -> None:
    task = corridor("@.G", goal=THERE_AND_BACK)
    first, second = recorded(task, name), recorded(task, name)
    assert first.end.reason is EndReason.GOAL
    assert first == second
    plain = json.loads(
        json.dumps([first.header.to_dict(), [step.to_dict() for step in first.steps], first.end.to_dict()])
    )
    header, steps, end = plain
    again = Recording(EpisodeHeader.from_dict(header), tuple(map(Step.from_dict, steps)), EpisodeEnd.from_dict(end))
    assert again == first


def recorded(task: TaskSpecification, tiling: str) -> Recording:
    """The recording of a shortest plan."""
    topology = make_topology(tiling, task.maze.dimensions)
    plan = solve(compile_world(task, topology)).plan
    assert plan is not None
    rollout = Rollout(UnseenBackend(topology), task)
    steps = tuple(rollout.take(Decision.act(action)) for action in plan)
    assert len({step.digest for step in steps}) == len(steps)
    return Recording(rollout.header, steps, rollout.end())


def test_memory_alone_tells_states_apart() -> None:
    """Two ways to one place: only the memory is another, and so are digest and key."""
    world = compiled(corridor("@.G", goal=NEVER_LEFT))
    states = []
    for letters in ("RRRR", "LRLR"):
        state = world.start
        for letter in letters:
            state, _ = transition(world, state, LETTERS[letter])
        states.append(state)
    one, other = states
    assert one.remembering(()) == other.remembering(())
    assert one.key != other.key
    episodes = []
    for state in states:
        episode = Episode(world)
        episode.reset()
        episode.restore(episode.snapshot._replace(state=state))
        episodes.append(digest(world, episode.snapshot))
    assert episodes[0] != episodes[1]
