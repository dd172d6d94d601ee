"""`GoalConformance`: the checks that every goal type must pass."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise, product
from typing import Any, ClassVar

import attrs

from gridworld import solver
from gridworld.actions import Action
from gridworld.backends.grid_state import full_grid_state
from gridworld.errors import TaskError
from gridworld.plugins import get_registry, using_registry
from gridworld.solver.plans import Verdict
from gridworld.task.validation import typed_entries
from gridworld.task_spec import Position, TaskSpecification
from gridworld.testing.conformance import Entry, Undecided, at, calling, expect, fail, with_item
from gridworld.testing.examples import ExampleConformance, derive_entries
from gridworld.testing.expectations import (
    expect_explained,
    expect_problems,
    expect_same_under_other_names,
    expect_through_a_task_file,
    expect_through_json,
)
from gridworld.testing.hook_calls import bare_poses, dropped_here_and_there, is_floor
from gridworld.testing.stage import COMPANION_IDS, every_topology, kit_task, stage, walk
from gridworld.world import Episode, State, Status, World, compile_world, square_topology, transition
from gridworld.world.events import Event, Succeeded
from gridworld.world.goal_type import GoalType, Marker
from gridworld.world.mechanism_type import EMPTY
from gridworld.world.owned_hooks import plain

SEEDS = (1, 2, 3)
LENGTH, LONG = 60, 1_000
"""Numbers of steps of the random walks, and of one in which a memory may grow."""
MOST_MEMORIES = 300
"""Maximum number of distinct memories that repeating an action may produce."""
LARGEST_MEMORY = 1_000
"""Maximum size of a memory, in characters of JSON."""
MAX_STATES = 20_000
MAX_TRIES = 20
"""Maximum number of goals to try when looking for an example."""
NO_PROMISES = {"agent_cells": None, "thing_cells": None, "ignores_dropped": False, "only_at_last_step": False}
BUDGETS = (1, 2, 7, 100, 10_000)
COMMON: dict[str, list[Any]] = {
    "target": [[6, 1]],
    "target_ids": [[name] for name in COMPANION_IDS],
    "target_positions": [[[4, 3]], [[6, 1]]],  # the first is where one push takes the block
}
"""Values to try for the common fields."""
DANGLING: dict[str, list[Any]] = {
    "target": [Position(0, 0), Position(-1, 99)],
    "target_ids": [(), ("no-such-id",), ("no-such-id", "no-such-id")],
    "target_positions": [(), (Position(-1, 99),), (Position(0, 0), Position(0, 0))],
}
"""Values of the common fields that lead nowhere."""

Update = tuple[State, tuple[Event, ...]]
"""Arguments of a memory update."""


class GoalConformance(ExampleConformance):
    """The checks of a goal type, to be subclassed in its author's tests.

        class TestTour(GoalConformance):
            goal = TOUR
            examples = [{"corner": [6, 1]}]

    The examples are contents of ``goal`` without ``type``, each winnable on the stage.
    """

    kind: ClassVar[str] = "goal"

    goal: ClassVar[GoalType | str]
    """The goal type, its import string, or its name if it is installed."""

    def task_with(self, entry: Entry, **rules: Any) -> TaskSpecification:
        """Return the stage with an example as its goal."""
        return kit_task(stage({}, goal={**entry, "type": self.resolve().name}, rules=rules))

    def derive(self, goal: GoalType) -> list[Entry]:
        """Return one example that the solver can win on the stage."""
        own = list(derive_entries(goal.parameters)) if goal.parameters else [{}]
        common = product(*(COMMON[field] for field in goal.fields))
        tries = [{**dict(zip(goal.fields, values, strict=True)), **each} for values in common for each in own]
        for entry in tries[:MAX_TRIES]:
            try:
                task = self.task_with(entry)
                if solver.solve(compile_world(task, square_topology(*task.maze.dimensions)), MAX_STATES).plan:
                    return [entry]
            except TaskError:
                continue
        raise Undecided(
            f"no example of '{goal.name}' that can be won on the stage could be made from its fields; subclass the kit "
            "in your tests and set `examples`"
        )

    def named(self, function: str) -> str:
        """Return the name of a function of the goal type for messages, with its place."""
        return at(f"`{function}`", attrs.asdict(self.resolve(), recurse=False)[function])

    def states(self, world: World) -> list[State]:
        """Return the states visited by some random walks."""
        return [world.start, *(after for seed in SEEDS for _, _, after, _ in walk(world, seed, LENGTH))]

    # --- The descriptor ------------------------------------------------------------------------------------------

    def test_its_descriptor_has_the_right_types(self) -> None:
        """The goal type has a name and a summary, and its fields are common ones."""
        goal = self.resolve()
        expect(isinstance(goal, GoalType), f"{goal!r} is no `gridworld.hookspecs.GoalType`")
        expect(str(goal.summary).strip(), f"`summary` is {goal.summary!r}")
        expect(set(goal.fields) <= set(COMMON), f"`fields` is {goal.fields!r}, choose from {', '.join(COMMON)}")

    def test_its_functions_can_have_an_effect(self) -> None:
        """`visited` and `initial_memory` belong to a memory, which needs `remember`."""
        goal = self.resolve()
        if goal.remember is None:
            expect(goal.visited is None, f"{self.named('visited')} never changes: there is no `remember`")
            begins_empty = plain(goal.initial_memory) is EMPTY
            expect(begins_empty, f"{self.named('initial_memory')} is never updated: there is no `remember`")

    # --- In task files -------------------------------------------------------------------------------------------

    def test_its_examples_are_valid_survive_a_task_file_and_are_not_reached_at_the_start(self) -> None:
        """The goal type's own validation accepts the examples, and converters accept what they return.

        `reached` is False at the start.
        """
        for task in self.tasks():
            _, problems = task.validate()
            expect(not problems, f"{task.goal!r} is refused: {'; '.join(problems)}")
            expect_through_a_task_file(f"{task.goal!r} in its task", task)
        list(self.worlds())

    def test_validation_yields_problems_and_never_raises(self) -> None:
        """Problems are yielded, not raised, also for dangling references, with paths relative to the goal."""
        goal = self.resolve()
        own = [field.name for field in attrs.fields(goal.parameters)] if goal.parameters else []
        for task in self.tasks():
            dangling = [{field: value} for field in goal.fields for value in DANGLING[field]]
            mangled = [attrs.evolve(task, goal=attrs.evolve(task.goal, **fields)) for fields in dangling]
            for each in (task, attrs.evolve(task, mechanisms={}), *mangled):
                fields, entries = ("type", *goal.fields, *own), typed_entries(each, get_registry())
                expect_problems(f"{self.named('validate')} of {each.goal!r}", fields, goal.validate, each, entries)

    def test_its_mission_is_letters_spaces_and_commas(self) -> None:
        """Missions begin with a letter and write numbers as words, so that MiniGrid's wrappers can encode them."""
        for world in self.worlds():
            with calling(f"{self.named('mission')} of {world.task.goal!r}"):
                first, second = self.resolve().mission(world), self.resolve().mission(world)
            sound = isinstance(first, str) and re.fullmatch(r"[A-Za-z][A-Za-z ,]*", first)
            expect(sound and first == second, f"{self.named('mission')} is {first!r}, and then {second!r}")

    def test_it_explains_itself(self) -> None:
        """`explains` says when the goal is reached, without naming a place: models read it beforehand."""
        expect_explained("`explains`", self.resolve().explained)

    def test_its_markers_are_on_floor_inside_the_maze(self) -> None:
        """`markers` yields `Marker` records of the two kinds; `visited` returns marked cells, by the memory alone."""
        goal = self.resolve()
        for task in self.tasks():
            with calling(f"{self.named('markers')} of {task.goal!r}"):
                markers = goal.markers(task)
            ids = {None, *(spec.id for _, specs in task.mechanisms.groups() for spec in specs)}
            for marker in markers:
                sound = isinstance(marker, Marker) and marker.kind in ("goal", "target") and marker.thing in ids
                expect(
                    sound and task.maze.contains(marker.position) and marker.position not in task.maze.wall_cells(),
                    f"{self.named('markers')} has {marker!r}, which is of no kind, in a wall, or of nothing",
                )
        for world in self.worlds() if goal.visited else ():
            marked = {marker.position for marker in goal.markers(world.task)}
            for memory in {state.memory for state in self.states(world)}:
                with calling(f"{self.named('visited')} for {memory!r}"):
                    visited, again = (list(goal.visited(world, memory)) for _ in "ab")
                sound = visited == again and set(visited) <= marked
                wrong = f"is {visited}, one of which is unmarked, and {again}"
                expect(sound, f"{self.named('visited')} for {memory!r} {wrong}")

    # --- When it is reached --------------------------------------------------------------------------------------

    def test_its_predicate_is_pure(self) -> None:
        """`reached` returns True or False, by the state alone: nothing is kept between calls."""
        for world in self.worlds():
            states = self.states(world)
            first, second = self.resolve().reached(world), self.resolve().reached(world)
            with calling(f"{self.named('reached')} on {world.topology.name}"):
                answers = [first(state) for state in states]
                again = [second(State(*state)) for state in reversed(states)][::-1]
            wrong = [answer for answer in answers if not isinstance(answer, bool)]
            expect(not wrong, f"{self.named('reached')} makes a function that returns {wrong[:1]}")
            where = f"{self.named('reached')} on {world.topology.name}"
            expect(answers == again, f"{where} differs when it is called in another order")

    def test_it_depends_on_no_more_than_it_says(self) -> None:
        """`reached` ignores discoveries, and steps unless it is `timed`; the solver relies on it, and on promises.

        With `ignores_dropped`, it ignores where dropped things lie. With `agent_cells`, it ignores the agent's pose on
        bare floor outside of these cells.
        """
        for world in self.worlds():
            reached, seen = self.resolve().reached(world), set[State]()
            for state in self.states(world):
                for what, alike in self._alike(world, state, seen):
                    if len({reached(each) for each in alike}) > 1:
                        fail(f"{self.named('reached')} on {world.topology.name} depends on {what}, in {state}")

    def _alike(self, world: World, state: State, seen: set[State]) -> Iterator[tuple[str, Iterable[State]]]:
        """Yield states that differ in what is to be ignored; `seen` is what was looked at before."""
        goal = self.resolve()
        steps = [state.steps] if goal.timed else range(state.steps + 2)
        yield "steps or discoveries", [state, *(state._replace(steps=each, discovered=-1) for each in steps)]
        for pair in dropped_here_and_there(world, state) if goal.ignores_dropped else ():
            yield "where a dropped thing lies", pair
        anywhere = state.at(0).facing(0)._replace(steps=goal.timed and state.steps)
        if goal.agent_cells and anywhere not in seen:
            seen.add(anywhere)
            with calling(f"{self.named('agent_cells')} on {world.topology.name}"):
                cells = set(goal.agent_cells(world))
            wrong = cells.difference(range(world.topology.cell_count))
            where = f"{self.named('agent_cells')} on {world.topology.name}"
            expect(not wrong, f"{where} has {sorted(wrong)}, which are no cells of it")
            yield "where outside `agent_cells` the agent is", bare_poses(world, anywhere, cells)

    def test_its_thing_cells_are_where_things_have_to_be(self) -> None:
        """Whenever the goal is reached, each movable thing in `thing_cells` is on one of its cells.

        The solver relies on it: `thing_cells` names only what is necessary for success.
        """
        for world in self.worlds() if self.resolve().thing_cells else ():
            with calling(f"{self.named('thing_cells')} on {world.topology.name}"):
                wanted = {thing: set(cells) for thing, cells in self.resolve().thing_cells(world).items()}
            for state in filter(self.resolve().reached(world), self._ends(world)):
                for thing, cells in wanted.items():
                    if thing not in range(len(state.places)) or state.places[thing] not in cells:
                        where = f"{self.named('thing_cells')} on {world.topology.name}"
                        fail(f"{where} has {cells} for {thing}, unlike {state}")

    def _ends(self, world: World) -> Iterator[State]:
        """Yield the states of walks, and the end of a plan, also (for a goal without memory) with things elsewhere."""
        yield from self.states(world)
        plan = solver.solve(world, MAX_STATES).plan
        if plan is not None:
            end = solver.replay(world, plan)[-1]
            yield end
            free = [cell for cell in range(world.topology.cell_count) if is_floor(world, end, cell)]
            for thing, cell in product(range(len(end.places)), free if self.resolve().remember is None else ()):
                yield end.with_place(thing, cell)

    def test_its_promises_change_no_plan(self) -> None:
        """Without `agent_cells`, `thing_cells`, `ignores_dropped` and `only_at_last_step`, plans are equally long.

        `thing_cells` names only what is necessary for success, and `remember` keeps the promises, too.
        """
        goal = self.resolve()
        careful = attrs.evolve(goal, **NO_PROMISES)
        for task in self.tasks() if goal != careful else ():
            squares = square_topology(*task.maze.dimensions)
            with calling("a search"):
                found = solver.solve(compile_world(task, squares), MAX_STATES)
                with using_registry(with_item(get_registry(), self.kind, careful)):
                    expected = solver.solve(compile_world(task, squares), MAX_STATES)
            if Verdict.GAVE_UP not in (found.verdict, expected.verdict) and found.length != expected.length:
                fail(f"relying on its promises leads to a plan of {found.length} steps instead of {expected.length}")

    def test_order_and_ids_in_the_file_change_nothing(self) -> None:
        """States, memories, events and texts depend neither on the order in the file nor on ids."""
        for task in self.tasks():
            expect_same_under_other_names(task, every_topology(*task.maze.dimensions))

    # --- What it remembers ---------------------------------------------------------------------------------------

    def test_its_memory_is_hashable_and_goes_through_json(self) -> None:
        """A memory is built from tuples, strings, integers, True, False and None."""
        for world in self.worlds():
            for memory in [state.memory for state in self.states(world)]:
                with calling(f"hash({memory!r})"):
                    hash(memory)
                expect_through_json("the memory", memory)

    def test_its_memory_is_updated_purely(self) -> None:
        """`remember` depends on the state and the events only, not on steps or discoveries; all is in the memory."""
        for world, remember, updates in self._updates():
            goal, where = self.resolve(), f"{self.named('remember')} on {world.topology.name}"
            another = goal.remember(world)
            first = [remember(state, events) for state, events in updates]
            again = [another(State(*state), events) for state, events in reversed(updates)][::-1]
            starts = {goal.initial_memory(world), goal.initial_memory(world), world.start.memory}
            expect(first == again and len(starts) == 1, f"{where} differs when it is called in another order")
            later = [
                remember(state._replace(steps=state.steps + 1, discovered=-1), events) for state, events in updates
            ]
            expect(first == later, f"{where} depends on the number of steps or on what has been discovered")

    def _updates(self) -> Iterator[tuple[World, Callable[[State, tuple[Event, ...]], Any], list[Update]]]:
        """Yield each world with its memory update and some arguments: the state with the memory before, and events."""
        for world in self.worlds() if self.resolve().remember else ():
            updates = []
            for before, _, after, events in (step for seed in SEEDS for step in walk(world, seed, LENGTH)):
                status = Status.RUNNING if after.status == Status.SUCCEEDED else after.status
                happened = tuple(event for event in events if not isinstance(event, Succeeded))
                updates.append((after.remembering(before.memory).ended(status), happened))
            yield world, self.resolve().remember(world), updates

    def test_its_memory_stays_small(self) -> None:
        """However long an episode lasts, the memory holds which of a few things happened, not how often or where."""
        for world in self.worlds() if self.resolve().remember else ():
            endless = attrs.evolve(world, max_steps=LONG, reached=lambda state: False)
            for action in Action:
                state, memories = endless.start, {endless.start.memory}
                while not endless.is_over(state) and len(memories) <= MOST_MEMORIES:
                    state, _ = transition(endless, state, action)
                    memories.add(state.memory)
                where = f"on {world.topology.name}, {action.name.lower()} alone"
                expect(len(memories) <= MOST_MEMORIES, f"{where} led to {len(memories)} different memories")
            *_, (_, _, state, _) = walk(endless, SEEDS[0], LONG)
            size = len(json.dumps(state.memory))
            expect(size <= LARGEST_MEMORY, f"after {state.steps} steps the memory takes {size} characters as JSON")

    # --- Winning -------------------------------------------------------------------------------------------------

    def test_its_reward_is_between_0_and_1_and_never_grows_with_the_steps(self) -> None:
        """A faster success never pays less."""
        for budget in BUDGETS:
            steps = sorted({1, *range(1, budget, max(1, budget // 50)), budget})
            with calling(f"{self.named('reward')} with a budget of {budget}"):
                rewards = [self.resolve().reward(step, budget) for step in steps]
            for step, reward in zip(steps, rewards, strict=True):
                number = isinstance(reward, int | float) and not isinstance(reward, bool) and math.isfinite(reward)
                what = f"{self.named('reward')} for {step} of {budget} steps"
                expect(number and 0 <= reward <= 1, f"{what} is {reward!r}")
            grows = any(later > earlier for earlier, later in pairwise(rewards))
            expect(not grows, f"{self.named('reward')} grows with the number of steps taken, of {budget}")

    def test_the_solver_wins_its_examples(self) -> None:
        """The solver wins the examples on squares; its plan succeeds at its last action, and not before."""
        for task in self.tasks():
            world = compile_world(task, square_topology(*task.maze.dimensions))
            solution = solver.solve(world, MAX_STATES)
            if solution.plan is None or len(solution.plan) > task.max_steps:
                fail(f"no way to win {task.goal!r} is found within {task.max_steps} steps ({solution.verdict.value})")
            episode = Episode(world)
            episode.reset()
            for action in solution.plan:
                expect(not episode.terminated, f"{task.goal!r} is reached before the end of the plan")
                episode.step(action)
            state = full_grid_state(world, episode.snapshot)
            won = state.goal_reached and state.terminated and 0 <= state.reward <= 1
            expect(won, f"the solver's plan for {task.goal!r} does not win when it is played: {state}")
