"""`GoalConformance`: the checks that every goal type must pass."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise, product
from typing import Any, ClassVar

import attrs

from gridworld import solver
from gridworld.actions import Action
from gridworld.backends.grid_state import full_grid_state
from gridworld.errors import Problem, TaskError
from gridworld.plugins import get_registry
from gridworld.solver.plans import Solution
from gridworld.task.validation import typed_entries
from gridworld.task_spec import GoalSpec, Position, TaskSpecification
from gridworld.testing.bare_floor import bare_poses, differences_on_bare_floor
from gridworld.testing.conformance import Conformance, Entry, NeedsExamples, calling, expect
from gridworld.testing.examples import derive_entries
from gridworld.testing.explanations import expect_explained
from gridworld.testing.hook_calls import dropped_here_and_there, is_floor
from gridworld.testing.light_imports import heavy_imports_of
from gridworld.testing.rearranging import expect_that_order_and_names_change_nothing
from gridworld.testing.stage import COMPANION_IDS, every_topology, stage
from gridworld.testing.walks import WalkedStep, walk
from gridworld.world import Episode, State, Status, World, compile_world, square_topology, transition
from gridworld.world.events import Bumped, Event, NoEffect, Succeeded, Waited
from gridworld.world.goal_type import GoalType, Marker
from gridworld.world.state import GONE

__all__ = ["GoalConformance"]

SEEDS = (1, 2, 3)
LENGTH = 60
LONG = 1_000
MANY_STEPS = 1_000
"""Number of times that an action is repeated."""
MOST_MEMORIES = 300
"""Maximum number of distinct memories that repeating an action may produce."""
LARGEST_MEMORY = 1_000
"""Maximum size of a memory, in characters of JSON."""
MOST_TRIED = 8
"""Number of states per walk in which actions are tried in all poses."""
MAX_STATES = 20_000
MAX_TRIES = 20
"""Maximum number of goals to try when looking for an example."""
BUDGETS = (1, 2, 7, 100, 10_000)
ONE_STEP_RIGHT = [4, 3]
"""The position of the stage's block after one push from the left."""


class GoalConformance(Conformance):
    """The checks of a goal type, to be subclassed in its author's tests.

        class TestTour(GoalConformance):
            goal = TOUR
            examples = [{"corner": [6, 1]}]

    The examples are the goals of tasks on the stage (`gridworld.testing.stage`).
    """

    kind: ClassVar[str] = "goal"

    goal: ClassVar[GoalType | str]
    """The goal type, its import string, or its name if it is installed."""

    examples: ClassVar[Sequence[Entry]] = ()
    """Contents of ``goal`` without ``type``, each winnable on the stage; by default a single example is derived."""

    def task_with(self, entry: Entry) -> TaskSpecification:
        """Return the task in which an example is tested; override it for a goal that does not fit the stage."""
        return TaskSpecification.from_dict(stage({}, goal={**entry, "type": self.resolve().name}))

    # --- What the checks look at ---------------------------------------------------------------------------------

    def entries(self) -> list[Entry]:
        """Return the examples, given or derived.

        Raises:
            NeedsExamples: no example is given and none can be derived.
        """
        return list(self.examples) or self.derived(lambda goal: [self._derived_entry(goal)])

    def _derived_entry(self, goal: GoalType) -> Entry:
        for entry, _ in zip(_derived(goal), range(MAX_TRIES), strict=False):
            try:
                task = self.task_with(entry)
                won = solver.solve(compile_world(task, square_topology(*task.maze.dimensions)), MAX_STATES).plan
            except TaskError:
                continue
            if won:
                return entry
        raise NeedsExamples(
            f"no example of '{goal.name}' that can be won on the stage could be made from its fields",
            "subclass the kit in your tests and set `examples`",
        )

    def tasks(self) -> list[TaskSpecification]:
        """Return one task for each example."""
        return [self.task_with(entry) for entry in self.entries()]

    def worlds(self) -> Iterator[World]:
        """Yield the task of each example, compiled on every installed tiling."""
        for task in self.tasks():
            for topology in every_topology(*task.maze.dimensions):
                with calling(f"compiling {task.goal!r} on {topology.name}", NOT_REACHED):
                    world = compile_world(task, topology)
                yield world

    def states(self, world: World) -> list[State]:
        """Return the states visited by some random walks."""
        return [world.start, *(after for seed in SEEDS for _, _, after, _ in walk(world, seed, LENGTH))]

    # --- The descriptor ------------------------------------------------------------------------------------------

    def test_its_descriptor_has_the_right_types(self) -> None:
        """The goal type has a name and a summary, and its hooks are callable."""
        goal = self.resolve()
        expect(isinstance(goal, GoalType), f"{goal!r} is not a GoalType", "make a `gridworld.hookspecs.GoalType`")
        expect(bool(str(goal.summary).strip()), f"`summary` is {goal.summary!r}", "give it a string for human readers")
        fields = attrs.asdict(goal, recurse=False)
        for name in ("reached", "mission", "validate", "markers", "reward", "initial_memory"):
            expect(callable(fields[name]), f"`{name}` is {fields[name]!r}", "make it a function")
        remember = goal.remember
        expect(remember is None or callable(remember), f"`remember` is {remember!r}", "make it a function, or None")
        common = ("target", "target_ids", "target_positions")
        expect(set(goal.fields) <= set(common), f"`fields` is {goal.fields!r}", f"choose from {', '.join(common)}")

    def test_importing_it_imports_no_heavy_library(self) -> None:
        """Importing the goal type imports no heavy library, so that listing plugins stays fast."""
        module = self.resolve().reached.__module__
        heavy = heavy_imports_of(module)
        expect(
            not heavy,
            f"importing {module} imports {', '.join(heavy)}, which makes every listing of plugins slow",
            "import it inside the function that needs it",
        )

    # --- In task files -------------------------------------------------------------------------------------------

    def test_its_examples_are_valid_and_not_reached_at_the_start(self) -> None:
        """The goal type's own validation accepts the examples, and they are not reached at the start."""
        for task in self.tasks():
            _, problems = task.validate()
            expect(not problems, f"{task.goal!r} is refused: {'; '.join(problems)}", "give examples that are valid")
            for topology in every_topology(*task.maze.dimensions):
                with calling(f"compiling {task.goal!r} on {topology.name}", NOT_REACHED):
                    compile_world(task, topology)

    def test_it_survives_a_task_file(self) -> None:
        """Reading a written task file gives the same goal."""
        for task in self.tasks():
            with calling(f"writing {task.goal!r} to a task file and reading it again"):
                again = TaskSpecification.from_dict(json.loads(json.dumps(task.to_dict())))
            expect(
                again == task,
                f"{task.goal!r} is {again.goal!r} after it has been written to a task file and read again",
                "let the converters of its fields accept what they return",
            )

    def test_validation_yields_problems_and_never_raises(self) -> None:
        """Problems are yielded, also for dangling references, with paths relative to the goal; nothing is raised."""
        goal = self.resolve()
        for task in self.tasks():
            bare = attrs.evolve(task, mechanisms={})
            for each in (task, bare, *_mangled(task, goal)):
                with calling(f"validate of {each.goal!r}", "yield a Problem instead of raising"):
                    problems = list(goal.validate(each, typed_entries(each, get_registry())))
                for problem in problems:
                    _expect_problem(problem, goal)

    def test_its_mission_is_letters_spaces_and_commas(self) -> None:
        """The mission consists of letters, spaces and commas, so that MiniGrid's wrappers can encode it."""
        goal = self.resolve()
        for world in self.worlds():
            with calling(f"mission of {world.task.goal!r}"):
                first, second = goal.mission(world), goal.mission(world)
            expect(
                isinstance(first, str) and bool(re.fullmatch(r"[A-Za-z][A-Za-z ,]*", first)),
                f"the mission is {first!r}",
                "use letters, spaces and commas only, and begin with a letter; write numbers as words",
            )
            expect(first == second, f"the mission is {first!r} and then {second!r}", "let it depend on the world only")

    def test_it_explains_itself(self) -> None:
        """The goal's explanation says when the goal is reached."""
        expect_explained(self.resolve().explained, "`explains`")

    def test_its_markers_are_floor_inside_the_maze(self) -> None:
        """`markers` yields markers of the two kinds; each may belong to an entity of the task."""
        for task in self.tasks():
            with calling(f"markers of {task.goal!r}"):
                markers = self.resolve().markers(task)
            ids = {spec.id for _, specs in task.mechanisms.groups() for spec in specs}
            for marker in markers:
                expect(isinstance(marker, Marker), f"{task.goal!r} has the marker {marker!r}", MAKE_A_MARKER)
                expect(
                    marker.position not in task.maze.wall_cells() and task.maze.contains(marker.position),
                    f"{task.goal!r} has the marker {marker!r}",
                    "mark a lattice cell inside the maze that is not a wall",
                )
                expect(
                    marker.kind in ("goal", "target") and (marker.thing is None or marker.thing in ids),
                    f"{task.goal!r} has the marker {marker!r}, neither a goal nor a target, or of nothing in the task",
                    MAKE_A_MARKER,
                )

    def test_what_it_calls_visited_it_has_marked(self) -> None:
        """`visited` returns marked lattice cells, the same for equal memories."""
        visited = self.resolve().visited
        for world in self.worlds() if visited else ():
            marked = {marker.position for marker in self.resolve().markers(world.task)}
            for state in self.states(world):
                with calling(f"visited for the memory {state.memory!r}"):
                    first, second = (list(visited(world, state.memory)) for _ in "ab")
                expect(
                    first == second and set(first) <= marked,
                    f"for the memory {state.memory!r}, `visited` returns {first}, of which one is not marked",
                    "let `visited` depend on its arguments only and return positions of `markers`",
                )

    # --- When it is reached --------------------------------------------------------------------------------------

    def test_its_predicate_is_pure(self) -> None:
        """`reached` returns True or False, and always the same for equal states."""
        goal = self.resolve()
        for world in self.worlds():
            states = self.states(world)
            first, second = goal.reached(world), goal.reached(world)
            with calling(f"reached on {world.topology.name}"):
                answers = [first(state) for state in states]
                again = [second(State(*state)) for state in reversed(states)][::-1]
            wrong = [answer for answer in answers if not isinstance(answer, bool)]
            expect(not wrong, f"`reached` returns {wrong[:1]}", "return True or False: use bool(...)")
            expect(
                answers == again,
                f"on {world.topology.name}, `reached` returns something else when it is called in another order",
                "let it depend on the state only, and keep nothing between calls",
            )

    def test_it_does_not_depend_on_the_steps_unless_it_is_timed(self) -> None:
        """Unless the goal is timed, it ignores the step count: the solver treats such states as equal."""
        goal = self.resolve()
        for world in self.worlds():
            reached = goal.reached(world)
            for state in self.states(world):
                later = state._replace(steps=state.steps + 1 if not goal.timed else state.steps, discovered=-1)
                expect(
                    reached(state) == reached(later),
                    f"on {world.topology.name}, `reached` depends on the steps or on what has been discovered",
                    "set timed=True if it has to depend on the steps; never let it depend on `discovered`",
                )

    def test_it_ignores_what_was_dropped_if_it_says_so(self) -> None:
        """With `ignores_dropped`, it makes no difference where dropped entities lie."""
        goal = self.resolve()
        for world in self.worlds() if goal.ignores_dropped else ():
            reached = goal.reached(world)
            for state in self.states(world):
                expect(
                    all(reached(here) == reached(there) for here, there in dropped_here_and_there(world, state)),
                    f"on {world.topology.name}, `reached` depends on where a dropped thing lies",
                    "set ignores_dropped=False; otherwise the solver treats different states as equal",
                )

    def test_it_matters_on_its_agent_cells_only_where_the_agent_is(self) -> None:
        """On bare floor outside `agent_cells`, `reached` and the memory update do not depend on the agent's pose."""
        goal = self.resolve()
        for world in self.worlds() if goal.agent_cells else ():
            cells = self._agent_cells(world)
            reached = goal.reached(world)
            for state in self._states_but_for_the_pose(world):
                answers = {reached(pose) for pose in bare_poses(world, state, cells)}
                expect(
                    len(answers) < 2,
                    f"on {world.topology.name}, `reached` depends on where the agent is on cells that are not among "
                    "its `agent_cells`",
                    MINDS_AGENT,
                )
            self._expect_the_same_steps_everywhere(world, cells)

    def _states_but_for_the_pose(self, world: World) -> list[State]:
        """Return one state of each group that differs only in the pose and, unless it is timed, the steps."""
        timed = self.resolve().timed
        found = {
            (state.carried, state.values, state.places, state.memory, state.status, timed and state.steps): state
            for state in self.states(world)
        }
        return list(found.values())

    def _agent_cells(self, world: World) -> set[int]:
        agent_cells = self.resolve().agent_cells
        assert agent_cells is not None
        with calling(f"agent_cells on {world.topology.name}"):
            cells = set(agent_cells(world))
        wrong = [cell for cell in cells if cell not in range(world.topology.cell_count)]
        expect(
            not wrong,
            f"on {world.topology.name}, `agent_cells` has {wrong[:1]}, which is no cell",
            "return indices of cells, such as `world.topology.patches[position]` has",
        )
        return cells

    def _expect_the_same_steps_everywhere(self, world: World, cells: set[int]) -> None:
        endless = attrs.evolve(world, max_steps=MANY_STEPS)
        if not all(entity.type.local for entity in world.entities) or self.resolve().timed:
            return
        for state in self._states_but_for_the_pose(world)[:MOST_TRIED]:
            if not state.status:
                difference = next(differences_on_bare_floor(endless, state, cells), "")
                expect(not difference, f"on {world.topology.name}, {difference}", MINDS_AGENT)

    def test_its_thing_cells_are_where_things_have_to_be(self) -> None:
        """Whenever the goal is reached, each entity listed by `thing_cells` is on one of its cells."""
        goal = self.resolve()
        for world in self.worlds() if goal.thing_cells else ():
            wanted = self._thing_cells(world)
            for state in self._successes(world):
                wrong = [
                    world.entities[thing].id for thing, cells in wanted.items() if state.places[thing] not in cells
                ]
                expect(
                    not wrong,
                    f"on {world.topology.name}, it is reached in {state}, where '{''.join(wrong[:1])}' is on none of "
                    "the cells that `thing_cells` gives it",
                    ASKS_TOO_MUCH,
                )

    def _thing_cells(self, world: World) -> dict[int, set[int]]:
        thing_cells = self.resolve().thing_cells
        assert thing_cells is not None
        with calling(f"thing_cells on {world.topology.name}"):
            wanted = {thing: set(cells) for thing, cells in thing_cells(world).items()}
        for thing, cells in wanted.items():
            expect(
                thing in range(len(world.start.places)),
                f"on {world.topology.name}, `thing_cells` names {thing!r}, which is not the index of a movable thing",
                "name things by `Entity.index`, and only those that can be carried or pushed",
            )
            floor = set(range(world.topology.cell_count)) - world.walls
            expect(
                bool(cells) and cells <= floor,
                f"on {world.topology.name}, `thing_cells` gives '{world.entities[thing].id}' the cells "
                f"{sorted(cells)}, which are not all floor, or none",
                "give the cells on which the thing may be, such as `world.topology.anchor(position)`",
            )
        return wanted

    def _successes(self, world: World) -> Iterator[State]:
        """Yield states in which the goal is reached: in walks, after a plan, and (without memory) rearranged."""
        reached = self.resolve().reached(world)
        yield from (state for state in self.states(world) if reached(state))
        plan = solver.solve(world, MAX_STATES).plan
        if plan is None:
            return
        last = solver.replay(world, plan)[-1]
        yield last
        if self.resolve().remember is None:
            yield from (state for state in _rearranged(world, last) if reached(state))

    def test_order_and_names_in_the_file_change_nothing(self) -> None:
        """States, memories, events and texts of a run depend neither on the order of the file nor on ids."""
        for task in self.tasks():
            expect_that_order_and_names_change_nothing(task, every_topology(*task.maze.dimensions))

    # --- What it remembers ---------------------------------------------------------------------------------------

    def test_its_memory_is_hashable_and_goes_through_json(self) -> None:
        """A memory holds tuples, strings, integers, True, False and None; JSON only turns its tuples into lists."""
        for world in self.worlds():
            for state in self.states(world):
                with calling(f"hash({state.memory!r})", PLAIN_MEMORY):
                    hash(state.memory)
                with calling(f"writing the memory {state.memory!r} as JSON", PLAIN_MEMORY):
                    again = _tupled(json.loads(json.dumps(state.memory, allow_nan=False)))
                expect(
                    again == state.memory,
                    f"on {world.topology.name}, the memory {state.memory!r} is {again!r} after a trip through JSON",
                    PLAIN_MEMORY,
                )

    def test_its_memory_is_updated_purely(self) -> None:
        """`remember` depends on the state and the events only, not on the step count or on discoveries."""
        goal = self.resolve()
        for world in self.worlds() if goal.remember else ():
            updates = [update for seed in SEEDS for update in _updates(world, walk(world, seed, LENGTH))]
            remember, another = goal.remember(world), goal.remember(world)
            first = [remember(state, events) for state, events in updates]
            again = [another(State(*state), events) for state, events in reversed(updates)][::-1]
            where = f"on {world.topology.name}, `remember`"
            expect(
                first == again and goal.initial_memory(world) == goal.initial_memory(world) == world.start.memory,
                f"{where} returns something else when it is called in another order",
                "let it depend on the state and the events only, and keep everything in the memory",
            )
            later = [
                remember(state._replace(steps=state.steps + 1, discovered=-1), events) for state, events in updates
            ]
            expect(
                first == later,
                f"{where} depends on the number of steps or on what has been discovered",
                "count events instead, or set timed=True and let `reached` depend on the number of steps",
            )

    def test_its_memory_stays_small(self) -> None:
        """The memory stays small however long an episode lasts, whichever action is repeated."""
        for world in self.worlds() if self.resolve().remember else ():
            endless = attrs.evolve(world, max_steps=MANY_STEPS, reached=lambda state: False)
            for action in Action:
                self._expect_few_memories(endless, action)
            for _, _, state, _ in walk(endless, SEEDS[0], LONG):
                size = len(json.dumps(state.memory))
                expect(
                    size <= LARGEST_MEMORY,
                    f"on {world.topology.name}, after {state.steps} steps the memory takes {size} characters as JSON",
                    KEEP_SMALL,
                )

    def _expect_few_memories(self, world: World, action: Action) -> None:
        state, memories = world.start, {world.start.memory}
        for _ in range(MANY_STEPS - 1):
            if world.is_over(state):
                return
            state, _ = transition(world, state, action)
            memories.add(state.memory)
            expect(
                len(memories) <= MOST_MEMORIES,
                f"on {world.topology.name}, {action.name.lower()} alone led to {len(memories)} different memories",
                KEEP_SMALL,
            )

    def test_it_remembers_no_more_of_what_was_dropped_than_it_says(self) -> None:
        """With `ignores_dropped`, `remember` ignores where dropped entities lie and bumping into them."""
        goal = self.resolve()
        for world in self.worlds() if goal.remember and goal.ignores_dropped else ():
            remember = goal.remember(world)
            for state, events in _updates(world, walk(world, SEEDS[0], LENGTH)):
                for here, there in dropped_here_and_there(world, state):
                    expect(
                        remember(here, events) == remember(there, events),
                        f"on {world.topology.name}, `remember` depends on where a dropped thing lies",
                        MINDS_DROPPED,
                    )
                for obstructed in _obstructions(world):
                    expect(
                        remember(state, obstructed) == remember(state, (Waited(),)),
                        f"on {world.topology.name}, `remember` distinguishes {obstructed!r}, caused by a thing that "
                        "lies in the way, from waiting",
                        MINDS_DROPPED,
                    )

    def test_it_is_only_reached_at_the_last_step_if_it_says_so(self) -> None:
        """With `only_at_last_step`, no shorter plan can win."""
        goal = self.resolve()
        for world in self.worlds() if goal.only_at_last_step else ():
            reached = goal.reached(world)
            early = [state for state in self.states(world) if reached(state) and state.steps < world.max_steps]
            expect(
                not early,
                f"on {world.topology.name}, it is already reached after {early[0].steps if early else 0} steps",
                "set only_at_last_step=False: otherwise the solver misses shorter plans",
            )

    # --- What it pays --------------------------------------------------------------------------------------------

    def test_its_reward_is_between_0_and_1_and_never_grows_with_the_steps(self) -> None:
        """A faster success never pays less."""
        goal = self.resolve()
        for budget in BUDGETS:
            steps = sorted({1, *range(1, budget, max(1, budget // 50)), budget})
            with calling(f"reward(step_count, {budget})"):
                rewards = [goal.reward(step, budget) for step in steps]
            for step, reward in zip(steps, rewards, strict=True):
                expect(
                    _is_number(reward) and 0 <= reward <= 1,
                    f"reward({step}, {budget}) is {reward!r}",
                    "return a number from 0 to 1, such as `gridworld.hookspecs.minigrid_reward` does",
                )
            expect(
                all(later <= earlier for earlier, later in pairwise(rewards)),
                f"with a budget of {budget} steps, the reward grows with the number of steps taken",
                "let it never grow with step_count; otherwise slow play is rewarded",
            )

    # --- Winning -------------------------------------------------------------------------------------------------

    def test_the_solver_wins_its_examples(self) -> None:
        """The solver wins the examples on squares; its plan succeeds only at the last action, as in `GridState`."""
        for task in self.tasks():
            world = compile_world(task, square_topology(*task.maze.dimensions))
            solution = solver.solve(world, MAX_STATES)
            plan = _plan(solution, task)
            episode = Episode(world)
            episode.reset()
            for action in plan:
                expect(not episode.terminated, f"{task.goal!r} is reached before the end of the plan", KEEP_IN_STATE)
                episode.step(action)
            state = full_grid_state(world, episode.snapshot)
            expect(
                state.goal_reached and state.terminated and 0 <= state.reward <= 1,
                f"the solver's plan for {task.goal!r} does not win when it is played: {state}",
                KEEP_IN_STATE,
            )


PLAIN_MEMORY = "build it from tuples, strings, integers, True, False and None"
KEEP_SMALL = "remember only what the goal needs: which of a few things have happened, not how often or where"
MINDS_DROPPED = "set ignores_dropped=False; otherwise the solver treats different states as equal"
MINDS_AGENT = (
    "let `agent_cells` return all cells on which it matters whether the agent stands, or leave it out; otherwise the "
    "solver takes walking about to be the same everywhere"
)
ASKS_TOO_MUCH = (
    "let `thing_cells` name only what is necessary for success, or leave it out; otherwise the solver misses plans"
)
MAKE_A_MARKER = (
    'make a `gridworld.hookspecs.Marker(position, "target", "id of what belongs there")`, or a "goal" where the '
    "agent has to go"
)
NOT_REACHED = "give examples that are not reached at the start, and let `reached` be False there"
KEEP_IN_STATE = "let `reached` depend on the state only, and compile everything else from the world"


def _rearranged(world: World, state: State) -> Iterator[State]:
    """Yield the state with each movable entity moved to every other bare floor cell, and removed."""
    free = [cell for cell in range(world.topology.cell_count) if is_floor(world, state, cell) and cell != state.cell]
    for thing in range(len(state.places)):
        yield from (state.with_place(thing, cell) for cell in (*free, GONE))


def _plan(solution: Solution, task: TaskSpecification) -> Sequence[int]:
    expect(
        solution.plan is not None and len(solution.plan) <= task.max_steps,
        f"the solver finds no way to win {task.goal!r} within {task.max_steps} steps ({solution.verdict.value})",
        "give examples that can be won on the stage, or override `task_with`",
    )
    assert solution.plan is not None
    return solution.plan


def _tupled(value: Any) -> Any:
    return tuple(_tupled(inner) for inner in value) if isinstance(value, list) else value


def _updates(world: World, steps: Iterable[WalkedStep]) -> Iterator[tuple[State, tuple[Event, ...]]]:
    """Yield arguments of `remember`: the state after each step with the memory before it, and the events."""
    for before, _, after, events in steps:
        status = Status.RUNNING if after.status == Status.SUCCEEDED else after.status
        happened = tuple(event for event in events if not isinstance(event, Succeeded))
        yield after.remembering(before.memory).ended(status), happened


def _obstructions(world: World) -> Iterator[tuple[Event, ...]]:
    """Yield the events of bumping into a dropped entity; in the solver's relaxed world, waiting causes them."""
    yield (NoEffect("there is no free floor in front"),)
    for entity in world.entities[: len(world.start.places)]:
        yield (Bumped(entity.id),)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _derived(goal: GoalType) -> Iterator[dict[str, Any]]:
    """Yield candidate contents of ``goal``, built from its common fields and its parameters."""
    common: dict[str, list[Any]] = {
        "target": [[6, 1]],
        "target_ids": [[name] for name in COMPANION_IDS],
        "target_positions": [[ONE_STEP_RIGHT], [[6, 1]]],
    }
    own = list(derive_entries(goal.parameters)) if goal.parameters else [{}]
    for values in product(*(common[field] for field in goal.fields)):
        for parameters in own:
            yield {**dict(zip(goal.fields, values, strict=True)), **parameters}


def _mangled(task: TaskSpecification, goal: GoalType) -> Iterator[TaskSpecification]:
    """Yield the task with goals that have dangling references of the right types."""
    wrong: Mapping[str, Sequence[Any]] = {
        "target": [Position(0, 0), Position(-1, 99)],
        "target_ids": [(), ("no-such-id",), ("no-such-id", "no-such-id")],
        "target_positions": [(), (Position(-1, 99),), (Position(0, 0), Position(0, 0))],
    }
    changes: list[Callable[[GoalSpec], GoalSpec]] = [
        lambda spec, field=field, value=value: attrs.evolve(spec, **{field: value})  # type: ignore[misc]
        for field in goal.fields
        for value in wrong[field]
    ]
    for change in changes:
        yield attrs.evolve(task, goal=change(task.goal))


def _expect_problem(problem: Any, goal: GoalType) -> None:
    expect(
        isinstance(problem, Problem) and isinstance(problem.path, str) and bool(problem.message),
        f"validate yields {problem!r}",
        'yield `gridworld.errors.Problem("field", "what is wrong with it")`',
    )
    own = [field.name for field in attrs.fields(goal.parameters)] if goal.parameters else []
    field = problem.path.split(".")[0].split("[")[0]
    expect(
        field in ("", "type", *goal.fields, *own),
        f"validate yields a problem with the path {problem.path!r}, but the goal has no field {field!r}",
        "give the path relative to the goal, such as `target_ids[0]`; the kernel adds the prefix",
    )
