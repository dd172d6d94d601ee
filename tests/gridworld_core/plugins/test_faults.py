"""Exceptions are attributed to the plugin whose hook raised them."""

from collections.abc import Callable
from typing import Any

import pytest

from gridworld.backends.kernel import KernelBackend
from gridworld.errors import InvalidAction, InvalidTaskError, PluginFault, Problem
from gridworld.plugins import load_registry, set_registry
from gridworld.plugins.faults import backend_name, blaming, culprit_of, fault_of
from gridworld.plugins.tilings import compile_on
from gridworld.runner.grid_runner import GridRunner
from gridworld.runner.presentation import Presentation
from gridworld.runner.rollout import Rollout
from gridworld.solver.difficulty import known_difficulty
from gridworld.solver.plans import winning_plan
from gridworld.solver.search import TaskSearches
from gridworld.support.wording import listed
from gridworld.task_spec import TaskSpecification
from gridworld.world import Topology, World, square_topology
from support.plugins import Install
from support.worlds import describe

TRAPS = """
from functools import partial
import attrs
from gridworld.drawing.glyphs import Glyph
from gridworld.hookspecs import GoalType, MechanismType, hookimpl
from gridworld.support.wording import listed
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

class Spikes:
    def __call__(self, world, state, trap):
        raise LookupError("blunt")

    def retract(self, world, state, trap):
        raise LookupError("stuck")

def counted(limit, world, state, trap):
    raise LookupError(f"more than {limit}")

@attrs.frozen
class Box:
    size: int = attrs.field(converter=int)

def boxed(world, state, trap):
    return Box("large")

def borrowed(world, state, trap):
    return spring(world, state, trap)

def listing(world, state, trap):
    return listed([trap.id])

def trap(name, **hooks):
    hooks = {"traits": lambda trap, value: Trait.NONE, "glyph": lambda trap, value: Glyph(()), **hooks}
    return MechanismType(name=name, noun="trap", summary="A trap.", spec=Trap, **hooks)

def reached(world):
    return lambda state: 1 / (3 - state.steps) < 0

def never(state):
    raise LookupError("never")

@hookimpl
def gridworld_mechanisms():
    return [
        trap("sprung", on_enter=spring),
        trap("timed", tick=lambda world, state, trap: (len(trap), ())),
        trap("first", sense=shared),
        trap("second", sense=shared),
        trap("idle"),
        trap("boxed", on_enter=boxed),
        trap("borrowing", on_enter=borrowed),
        trap("listing", on_toggle=listing),
        trap("absent", completed=lambda trap, rules: None),
        trap("unspeakable", color=lambda trap: 7),
        trap("shapeless", traits=lambda trap, value: "solid"),
        trap("spiked", on_enter=Spikes()),
        trap("retracting", on_enter=Spikes().retract),
        trap("counting", on_enter=partial(counted, 3)),
    ]

@hookimpl
def gridworld_goals():
    functions = {"mission": lambda world: "go", "validate": lambda task, entries: ()}
    return [
        GoalType(name="brittle", summary="A goal.", reached=reached, **functions),
        GoalType(name="elsewhere", summary="A goal.", reached=lambda world: never, **functions),
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


@pytest.mark.parametrize(
    ("mechanism", "message"),
    [
        ("sprung", "mechanism 'sprung' (trap-makers) failed at step 1: IndexError: list index out of range"),
        ("timed", "mechanism 'timed' (trap-makers) failed at step 1: TypeError: "),
    ],
)
def test_a_mechanism_that_raises_in_a_step_is_named_with_its_distribution(mechanism: str, message: str) -> None:
    with pytest.raises(PluginFault) as caught:
        walk(mechanism)
    assert str(caught.value).startswith(message)
    assert type(caught.value.__cause__).__name__ in message


@pytest.mark.parametrize(
    ("mechanism", "said"),
    [
        ("sprung", "IndexError: list index out of range (trap_makers.py, line 16, in helper)"),
        ("borrowing", "IndexError: list index out of range (trap_makers.py, line 16, in helper)"),
        ("spiked", "LookupError: blunt (trap_makers.py, line 26, in __call__)"),
        ("retracting", "LookupError: stuck (trap_makers.py, line 29, in retract)"),
        ("counting", "LookupError: more than 3 (trap_makers.py, line 32, in counted)"),
        ("boxed", "ValueError: invalid literal for int() with base 10: 'large' (trap_makers.py, line 39, in boxed)"),
    ],
)
def test_the_place_is_told_whatever_kind_of_function_a_hook_is(mechanism: str, said: str) -> None:
    with pytest.raises(PluginFault) as caught:
        walk(mechanism)
    assert str(caught.value) == f"mechanism '{mechanism}' (trap-makers) failed at step 1: {said}"


def test_functions_of_the_core_do_not_belong_to_plugins_that_use_them() -> None:
    with pytest.raises(TypeError) as caught:
        listed(7)  # type: ignore[arg-type]  # it is to raise by itself
    assert culprit_of(caught.value) is None
    with pytest.raises(PluginFault, match=r"^mechanism 'absent' \(trap-makers\) failed when .*: AttributeError: "):
        compile_on("square", task_with("absent"))


SUSPECT = r"^mechanism 'shapeless' \(trap-makers\)"


def test_third_party_types_are_suspected_if_the_core_fails() -> None:
    with pytest.raises(PluginFault, match=rf"{SUSPECT} or backend 'plain' failed before the first step: TypeError"):
        walk("shapeless")
    with pytest.raises(PluginFault, match=rf"{SUSPECT} failed when the task '\w+' was laid out: TypeError"):
        compile_on("square", task_with("shapeless"))


def test_third_party_types_are_suspected_if_a_text_fails() -> None:
    task = task_with("unspeakable")
    rollout = Rollout(PlainBackend(), task, presentation=Presentation("text"))
    with pytest.raises(
        PluginFault,
        match=r"^mechanism 'unspeakable' \(trap-makers\) or observation 'text' \(gridworld-core\) failed before step 1",
    ):
        rollout.question  # noqa: B018  # to ask for it is what fails


@pytest.mark.parametrize(
    ("work", "done"),
    [(winning_plan, "solved"), (lambda world: known_difficulty(TaskSearches(world)), "measured")],
    ids=["solved", "measured"],
)
def test_a_defect_of_the_core_is_raised_unchanged_without_third_parties(
    work: Callable[[World], object], done: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(world: World) -> tuple[int, ...]:
        raise LookupError("lost")

    monkeypatch.setattr("gridworld.solver.search.forgettable_entities", fail)
    with pytest.raises(LookupError):
        work(compile_on("square", task_with(None)))
    with pytest.raises(
        PluginFault, match=rf"^mechanism 'idle' \(trap-makers\) failed when the task '\w+' was {done}: Look"
    ):
        work(compile_on("square", task_with("idle")))


def test_a_goal_whose_predicate_stands_beside_it_in_its_module_is_named() -> None:
    task = TaskSpecification.from_dict(describe("######\n#@..G#\n######", goal={"type": "elsewhere"}))
    with pytest.raises(PluginFault, match=r"^goal 'elsewhere' \(trap-makers\) failed .*: LookupError: never \(trap_m"):
        GridRunner(PlainBackend()).run_episode(task, lambda observation, state, mission: 6)


def test_a_function_that_serves_two_hooks_names_both_owners() -> None:
    """Nothing tells which of them it was called for."""
    with pytest.raises(PluginFault, match=r"^mechanism 'first' \(trap-makers\) or mechanism 'second' \(trap-"):
        walk("first")


def test_a_goal_that_raises_is_named_even_in_a_function_that_it_has_made() -> None:
    task = TaskSpecification.from_dict(describe("######\n#@..G#\n######", goal={"type": "brittle"}))
    with pytest.raises(PluginFault, match=r"^goal 'brittle' \(trap-makers\) failed at step 3: ZeroDivisionError"):
        GridRunner(PlainBackend()).run_episode(task, lambda observation, state, mission: 6)


def test_a_backend_that_raises_is_named_with_its_distribution_if_it_has_one() -> None:
    backend = PlainBackend()
    backend.broken = True
    with pytest.raises(PluginFault, match=r"^backend 'plain' failed before the first step: MemoryError: no picture \("):
        walk(backend=backend)
    assert backend_name("minigrid") == "backend 'minigrid' (gridworld-minigrid)"


def test_what_a_policy_raises_is_its_own() -> None:
    def policy(observation: Any, state: Any, mission: str) -> int:
        raise KeyError("policy")

    with pytest.raises(KeyError, match="policy"):
        GridRunner(PlainBackend()).run_episode(TaskSpecification.from_dict(describe("####\n#@G#\n####")), policy)


@pytest.mark.parametrize(
    "error",
    [InvalidAction("no"), InvalidTaskError([Problem("maze", "too small")]), PluginFault("known"), KeyboardInterrupt()],
)
def test_errors_of_the_caller_and_known_faults_pass_as_they_are(error: BaseException) -> None:
    with pytest.raises(type(error)) as caught, blaming("nobody", "at once"):
        raise error
    assert caught.value is error


@pytest.mark.parametrize("error", [ValueError("bad"), SystemExit(3), RecursionError()])
def test_every_other_exception_becomes_a_fault(error: BaseException) -> None:
    with pytest.raises(PluginFault, match=r"^somebody failed at once: ") as caught, blaming("somebody", "at once"):
        raise error
    assert caught.value.__cause__ is error


def test_an_error_that_was_never_raised_has_no_culprit() -> None:
    assert str(fault_of(ValueError("bad"), "somebody", "at once")) == "somebody failed at once: ValueError: bad"
