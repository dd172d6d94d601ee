"""Exceptions are attributed to the plugin whose hook raised them: distribution, entry point, hook and place."""

import pickle
from collections.abc import Callable
from typing import Any

import pytest

from gridworld.backends.kernel import KernelBackend
from gridworld.errors import InvalidAction, InvalidTaskError, Owner, PluginFault, Problem
from gridworld.plugins import load_registry, set_registry
from gridworld.plugins.registry import owner_of
from gridworld.plugins.tilings import compile_on
from gridworld.runner.grid_runner import GridRunner
from gridworld.runner.presentation import Presentation
from gridworld.runner.rollout import Rollout
from gridworld.solver.difficulty import known_difficulty
from gridworld.solver.plans import winning_plan
from gridworld.solver.search import TaskSearches
from gridworld.support.faults import calling, fault_of, telling
from gridworld.task_spec import TaskSpecification
from gridworld.world import Topology, World, square_topology
from gridworld_minigrid import MiniGridBackend
from support.plugins import Install, record_of
from support.worlds import describe

TRAPS = """
from functools import partial
import attrs
from gridworld.drawing.glyphs import Glyph
from gridworld.hookspecs import GoalType, MechanismType, hookimpl
from gridworld.task_spec import Position, to_position
from gridworld.world.mechanism_type import Trait

@attrs.frozen
class Trap:
    id: str
    position: Position = attrs.field(converter=to_position)

def helper(state):
    return [][state.steps]

def spring(world, state, trap):
    return helper(state)

def shared(world, state, trap):
    raise LookupError("lost")

def counted(limit, world, state, trap):
    raise LookupError(f"more than {limit}")

def meddling(world, state, trap):
    return world.by_id["t"].type.on_enter(world, state, trap)

def lazily(trap, task):
    yield from [1 / 0]

def trap(name, **hooks):
    hooks = {"traits": lambda trap, value: Trait.NONE, "glyph": lambda trap, value: Glyph(()), **hooks}
    return MechanismType(name=name, noun="trap", summary="A trap.", spec=Trap, **hooks)

def reached(world):
    return lambda state: 1 / (3 - state.steps) < 0

@hookimpl
def gridworld_mechanisms():
    return [
        trap("sprung", on_enter=spring),
        trap("timed", tick=lambda world, state, trap: (len(trap), ())),
        trap("second", on_enter=shared),
        trap("idle"),
        trap("meddling", sense=meddling),
        trap("lazy", validate=lazily),
        trap("absent", completed=lambda trap, rules: None),
        trap("unspeakable", adjective=lambda trap, value: 7),
        trap("shapeless", traits=lambda trap, value: "solid"),
        trap("counting", on_enter=partial(counted, 3)),
        trap("exiting", tick=lambda world, state, trap: exit(3)),
    ]

@hookimpl
def gridworld_goals():
    functions = {"mission": lambda world: "go", "validate": lambda task, entries: ()}
    return [
        GoalType(name="brittle", summary="A goal.", reached=reached, **functions),
        GoalType(name="exiting", summary="A goal.", reached=lambda world: lambda state: exit(3), **functions),
    ]
"""


class PlainBackend(KernelBackend):
    """Shows nothing, unless it is broken."""

    name = "plain"
    tiling = "square"
    broken = False

    def make_topology(self, task: TaskSpecification) -> Topology:
        return square_topology(*task.maze.dimensions)

    def observe(self) -> None:
        if self.broken:
            raise MemoryError("no picture")

    def render(self) -> None: ...


@pytest.fixture(autouse=True)
def _third_party(install: Install) -> None:
    install("trap-makers", {"traps": "trap_makers"}, {"trap_makers.py": TRAPS})
    set_registry(load_registry())


def walk(mechanism: str | None = None, backend: KernelBackend | None = None, **options: Any) -> None:
    """Walk over two cells, the first of which may have something on it."""
    task = task_with(mechanism, **options)
    GridRunner(backend or PlainBackend()).run_episode(task, lambda observation, state, mission: 2)


def task_with(mechanism: str | None, **options: Any) -> TaskSpecification:
    data = describe("#####\n#@tG#\n#####", **options)
    if mechanism is not None:
        data["mechanisms"] = {mechanism: [{"id": "t", "position": [2, 1]}]}
    return TaskSpecification.from_dict(data)


def test_a_fault_says_which_hook_of_whom_failed_and_where() -> None:
    with pytest.raises(PluginFault) as caught:
        walk("sprung")
    fault = caught.value
    assert (fault.distribution, fault.entry_point, fault.hook) == ("trap-makers", "traps", "on_enter")
    assert (fault.place, fault.when) == ("trap_makers.py, line 15, in helper", "at step 1")
    assert isinstance(fault.__cause__, IndexError)
    same = pickle.loads(pickle.dumps(fault))
    assert (str(same), same.owner, same.hook) == (str(fault), fault.owner, fault.hook)


@pytest.mark.parametrize(
    ("mechanism", "hook", "said"),
    [
        ("sprung", "on_enter", "IndexError: list index out of range (trap_makers.py, line 15, in helper)"),
        ("timed", "tick", "TypeError: object of type 'Entity' has no len() (trap_makers.py, line 43, in <lambda>)"),
        ("second", "on_enter", "LookupError: lost (trap_makers.py, line 21, in shared)"),
        ("counting", "on_enter", "LookupError: more than 3 (trap_makers.py, line 24, in counted)"),
    ],
)
def test_a_mechanism_that_raises_in_a_step_is_named(mechanism: str, hook: str, said: str) -> None:
    with pytest.raises(PluginFault) as caught:
        walk(mechanism)
    assert str(caught.value) == f"mechanism '{mechanism}' (trap-makers/traps) failed in {hook} at step 1: {said}"


def test_a_hook_that_another_plugin_calls_is_still_its_own() -> None:
    data = describe("#####\n#@tu#\n#..G#\n#####")
    data["mechanisms"] = {
        "sprung": [{"id": "t", "position": [2, 1]}],
        "meddling": [{"id": "u", "position": [3, 1]}],
    }
    with pytest.raises(PluginFault, match=r"^mechanism 'sprung' \(trap-makers/traps\) failed in on_enter .*laid out"):
        compile_on("square", TaskSpecification.from_dict(data))


@pytest.mark.parametrize(
    ("mechanism", "hook", "problem"),
    [
        ("absent", "positions", "AttributeError: 'NoneType' object has no attribute 'position'"),
        ("shapeless", "traits", "returned 'solid', expected int"),
        ("lazy", "validate", "ZeroDivisionError: division by zero"),
    ],
)
def test_a_mechanism_that_fails_while_its_task_is_compiled_is_named(mechanism: str, hook: str, problem: str) -> None:
    expected = rf"^mechanism '{mechanism}' \(trap-makers/traps\) failed in {hook} when the task '\w+' was "
    with pytest.raises(PluginFault, match=expected) as caught:
        compile_on("square", task_with(mechanism))
    assert caught.value.problem == problem


def test_a_mechanism_with_a_wrong_word_is_named_when_a_text_needs_it() -> None:
    rollout = Rollout(PlainBackend(), task_with("unspeakable"), presentation=Presentation("text"))
    with pytest.raises(PluginFault) as caught:
        rollout.question  # noqa: B018  # to ask for it is what fails
    said = "failed in adjective before step 1: returned 7, expected str (trap_makers.py, line 49, in <lambda>)"
    assert str(caught.value) == f"mechanism 'unspeakable' (trap-makers/traps) {said}"


@pytest.mark.parametrize(
    ("hook", "function", "parameters"),
    [
        ("on_enter", "lambda world, state: None", "world, state, entity"),
        ("traits", "lambda spec: Trait.NONE", "spec, value"),
        ("tick", "object().__str__", "world, state, entity"),
    ],
)
def test_a_hook_with_other_parameters_is_refused_when_the_plugin_is_loaded(
    install: Install, hook: str, function: str, parameters: str
) -> None:
    source = TRAPS[: TRAPS.index("def reached")]
    source += f"@hookimpl\ndef gridworld_mechanisms():\n    return [trap('bad', {hook}={function})]\n"
    install("odd-makers", {"odd": "odd_makers"}, {"odd_makers.py": source})
    failure = record_of(load_registry(), "odd-makers").failure
    assert failure is not None
    assert failure.phase == "gridworld_mechanisms"
    assert f"mechanism 'bad': its {hook} takes (" in failure.error
    assert f"expected ({parameters})" in failure.error


@pytest.mark.parametrize(
    "work", [winning_plan, lambda world: known_difficulty(TaskSearches(world))], ids=["solved", "measured"]
)
def test_a_defect_of_the_core_is_raised_unchanged(
    work: Callable[[World], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(world: World) -> tuple[int, ...]:
        raise LookupError("lost")

    monkeypatch.setattr("gridworld.solver.search.forgettable_entities", fail)
    for mechanism in (None, "idle"):
        with pytest.raises(LookupError):
            work(compile_on("square", task_with(mechanism)))


def test_a_goal_that_raises_is_named_even_in_a_function_that_it_has_made() -> None:
    task = TaskSpecification.from_dict(describe("######\n#@..G#\n######", goal={"type": "brittle"}))
    with pytest.raises(PluginFault, match=r"^goal 'brittle' \(trap-makers/traps\) failed in reached at step 3: Zero"):
        GridRunner(PlainBackend()).run_episode(task, lambda observation, state, mission: 6)


@pytest.mark.parametrize(
    ("owner", "hook", "task"),
    [
        ("mechanism 'exiting'", "tick", {"mechanisms": {"exiting": [{"id": "t", "position": [2, 1]}]}}),
        ("goal 'exiting'", "reached", {"goal": {"type": "exiting"}}),
    ],
)
def test_a_plugin_that_exits_does_not_end_the_program(owner: str, hook: str, task: dict[str, Any]) -> None:
    changed = TaskSpecification.from_dict({**describe("######\n#@..G#\n######"), **task})
    with pytest.raises(PluginFault, match=rf"^{owner} \(trap-makers/traps\) failed in {hook} .*: SystemExit: 3 "):
        GridRunner(PlainBackend()).run_episode(changed, lambda observation, state, mission: 6)


def test_a_backend_that_raises_is_named_with_its_distribution_if_it_has_one() -> None:
    backend = PlainBackend()
    backend.broken = True
    with pytest.raises(PluginFault, match=r"^backend 'plain' failed in reset before the first step: MemoryError: no p"):
        walk(backend=backend)
    installed = owner_of("backend", MiniGridBackend(), "minigrid")
    assert str(installed) == "backend 'minigrid' (gridworld-minigrid)"


def test_what_a_policy_raises_is_its_own() -> None:
    def policy(observation: Any, state: Any, mission: str) -> int:
        raise KeyError("policy")

    with pytest.raises(KeyError, match="policy"):
        GridRunner(PlainBackend()).run_episode(TaskSpecification.from_dict(describe("####\n#@G#\n####")), policy)


SOMEBODY = Owner("somebody", "their-distribution", "theirs")


@pytest.mark.parametrize(
    "error", [InvalidAction("no"), InvalidTaskError([Problem("maze", "too small")]), KeyboardInterrupt()]
)
def test_errors_of_the_caller_pass_as_they_are(error: BaseException) -> None:
    with pytest.raises(type(error)) as caught, calling(SOMEBODY, "hook"):
        raise error
    assert caught.value is error


@pytest.mark.parametrize("error", [ValueError("bad"), SystemExit(3), RecursionError()])
def test_every_other_exception_becomes_a_fault(error: BaseException) -> None:
    expected = r"^somebody \(their-distribution/theirs\) failed in hook at once: .* \(test_faults\.py, line "
    with pytest.raises(PluginFault, match=expected) as caught, calling(SOMEBODY, "hook", "at once"):
        raise error
    assert caught.value.__cause__ is error


def test_a_fault_keeps_its_owner_and_its_moment() -> None:
    inner = Owner("another")
    with (
        pytest.raises(PluginFault) as caught,
        calling(SOMEBODY, "outer", "later"),
        telling("at once"),
        calling(inner, "inner"),
    ):
        raise ValueError("bad")
    assert str(caught.value).startswith("another failed in inner at once: ValueError: bad (")


def test_a_fault_without_an_owner_is_that_of_the_hook_that_is_called() -> None:
    with pytest.raises(PluginFault) as caught, calling(SOMEBODY, "hook"):
        raise PluginFault("returned 7, expected a word")
    assert str(caught.value) == "somebody (their-distribution/theirs) failed in hook: returned 7, expected a word"


def test_an_error_that_was_never_raised_has_no_place() -> None:
    assert str(fault_of(ValueError("bad"), Owner("somebody"), "hook")) == "somebody failed in hook: ValueError: bad"
