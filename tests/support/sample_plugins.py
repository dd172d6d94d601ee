"""Mechanisms, goals and a generator that only tests have, and checks of conformance kits against broken ones."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Literal

import attrs

from gridworld.drawing.glyphs import Circle, Glyph
from gridworld.generation import Drawing, Generator, NothingDrawn
from gridworld.hookspecs import GeneratorInfo
from gridworld.plugins import Provided, Registry, get_registry, using_registry
from gridworld.task_spec import Position, TaskSpecification, to_ids, to_position
from gridworld.testing.conformance import (
    CheckResult,
    Conformance,
    TargetConformance,
    checks_of,
    run_checks,
    with_item,
)
from gridworld.world import Entity, State, World
from gridworld.world.events import Changed, Event, Moved, PickedUp, Turned
from gridworld.world.goal_type import GoalType
from gridworld.world.mechanism_type import MechanismType, Trait
from support.worlds import Thing, cells_of, describe, door, draw, key

ARROWS = ">v<^"
"""Character of a belt, by direction."""


@attrs.frozen
class BeltSpec:
    """A belt; a governed one runs only while a controller is on."""

    id: str
    position: Position = attrs.field(converter=to_position)
    direction: int = attrs.field(validator=attrs.validators.in_(range(4)))
    governed: bool = False


@attrs.frozen
class PlainSpec:
    """A mechanism without further fields."""

    id: str
    position: Position = attrs.field(converter=to_position)


@attrs.frozen
class ClockSpec:
    """A clock, on in every other step."""

    id: str
    position: Position = attrs.field(converter=to_position)
    controls: tuple[str, ...] = attrs.field(default=(), converter=to_ids)


def _carries(world: World, state: State, belt: Entity) -> int | None:
    stopped = belt.spec.governed and not any(world.traits_of(state, each) & Trait.ACTIVE for each in belt.controllers)
    return None if stopped else belt.spec.direction


def _from_the_left(world: World, state: State, ledge: Entity) -> bool:
    (x, y), cell = ledge.spec.position, world.topology.lattice[state.cell]
    return cell in ((x, y), (x - 1, y))


def _slide(world: World, state: State, ice: Entity) -> tuple[State, tuple[Event, ...]] | None:
    beyond = world.ahead(state)
    return (state.at(beyond), (Moved(state.cell, beyond),)) if world.is_free(state, beyond) else None


def _tick(world: World, state: State, clock: Entity) -> tuple[int, tuple[Event, ...]]:
    value = 1 - state.values[clock.index]
    return value, (Changed(clock.id, clock.cells, CLOCKS.values[value]),)


def plain_mechanism(**fields: Any) -> MechanismType:
    """A mechanism type that keeps all promises to the solver, with other fields."""
    return MechanismType(
        **{
            "summary": "For tests.",
            "spec": PlainSpec,
            "traits": lambda spec, value: Trait.NONE,
            "glyph": lambda spec, value: Glyph((Circle(0.5, 0.5, 0.3, "grey"),)),
            "local": True,
            "ignores_dropped": True,
            **fields,
        }
    )


BELTS = plain_mechanism(
    name="belts",
    noun="belt",
    spec=BeltSpec,
    traits=lambda belt, value: Trait.TAKES_BLOCKS,
    adjective=lambda belt, value: f"number-{belt.direction}",
    carries=_carries,
    controllable=True,
)
LEDGES = plain_mechanism(name="ledges", noun="ledge", admits=_from_the_left)
ICE = plain_mechanism(name="ice", noun="ice", on_enter=_slide, ignores_dropped=False)
CLOCKS = plain_mechanism(
    name="clocks",
    noun="clock",
    spec=ClockSpec,
    values=("off", "on"),
    traits=lambda clock, value: Trait.ACTIVE if value == "on" else Trait.NONE,
    adjective=lambda clock, value: value,
    controls=lambda clock: clock.controls,
    tick=_tick,
)
CARRIERS = (BELTS, LEDGES, ICE, CLOCKS)


@contextmanager
def with_carriers() -> Iterator[None]:
    """Add all carriers to the registry."""
    registry = get_registry()
    for mechanism in CARRIERS:
        registry = with_item(registry, "mechanism", mechanism)
    with using_registry(registry):
        yield


def draw_carrying(picture: str, governed: bool = False, **options: Any) -> TaskSpecification:
    """The task of a picture with ``>v<^`` for belts, ``)`` for ledges and ``*`` for ice; options as for `draw`.

    A belt at (2, 1) has the id ``2,1``.
    """
    data = describe(picture, **options)
    for character, cells in cells_of(picture).items():
        for x, y in cells:
            entry = {"id": f"{x},{y}", "position": [x, y]}
            if character in ARROWS:
                belt = {**entry, "direction": ARROWS.index(character), "governed": governed}
                data["mechanisms"].setdefault("belts", []).append(belt)
            elif character in ")*":
                data["mechanisms"].setdefault("ledges" if character == ")" else "ice", []).append(entry)
    return TaskSpecification.from_dict(data)


def clock(*controls: str) -> Thing:
    """A clock, for pictures."""
    return Thing("clocks", {"controls": list(controls)})


def _goal_cells(world: World) -> frozenset[int]:
    return frozenset(world.topology.patches[world.task.maze.goal])


def _home_cells(world: World) -> frozenset[int]:
    return frozenset(world.topology.patches[world.task.maze.start])


def _on_the_goal(world: World) -> Callable[[State], bool]:
    goal = _goal_cells(world)
    return lambda state: state.cell in goal


def _right_turns_only(world: World) -> Callable[[State], bool]:
    there = _on_the_goal(world)
    return lambda state: there(state) and state.memory == ()


def _left_turns(world: World) -> Callable[[State, tuple[Event, ...]], Any]:
    def remember(state: State, events: tuple[Event, ...]) -> Any:
        turned = any(isinstance(event, Turned) and not event.right for event in events)
        return ("turned left",) if turned else state.memory

    return remember


def _been_there(world: World) -> Callable[[State, tuple[Event, ...]], Any]:
    def remember(state: State, events: tuple[Event, ...]) -> Any:
        goal = _goal_cells(world)
        return state.memory or any(isinstance(event, Moved) and event.target in goal for event in events)

    return remember


def _is_back(world: World) -> Callable[[State], bool]:
    home = _home_cells(world)
    return lambda state: bool(state.memory) and state.cell in home


def _fetched(world: World) -> Callable[[State, tuple[Event, ...]], Any]:
    def remember(state: State, events: tuple[Event, ...]) -> Any:
        return tuple(sorted({*state.memory, *(event.entity for event in events if isinstance(event, PickedUp))}))

    return remember


def remembering(**changes: Any) -> GoalType:
    """A goal type with a memory, with other fields."""
    plain = {
        "summary": "For tests.",
        "validate": lambda task, entries: (),
        "mission": lambda world: "go",
        "ignores_dropped": True,
    }
    return GoalType(**{**plain, **changes})


NEVER_LEFT = remembering(name="never_left", reached=_right_turns_only, remember=_left_turns, agent_cells=_goal_cells)
"""Reach the goal without turning left."""

THERE_AND_BACK = remembering(
    name="there_and_back",
    reached=_is_back,
    initial_memory=lambda world: False,
    remember=_been_there,
    agent_cells=lambda world: _goal_cells(world) | _home_cells(world),
)
"""Go to the goal and return to the start."""

FETCH_ALL = remembering(
    name="fetch_all",
    reached=lambda world: lambda state: len(state.memory) == len(world.task.mechanisms.keys),
    remember=_fetched,
    agent_cells=lambda world: (),
)
"""Pick up every key once."""

NAMED = {goal.name: goal for goal in (NEVER_LEFT, THERE_AND_BACK, FETCH_ALL)}


@contextmanager
def with_remembering(*others: GoalType) -> Iterator[None]:
    """Add the goals with memory, and others, to the registry."""
    registry = get_registry()
    for goal in (*NAMED.values(), *others):
        registry = with_item(registry, "goal", goal)
    with using_registry(registry):
        yield


@attrs.frozen(kw_only=True)
class Corridors(Generator):
    """Corridors with a door.

    Args:
        size: length, border included.
        depth: number of doors, 0 or 1.
        flaw: defect of every other corridor.
    """

    size: int = attrs.field(default=9, validator=attrs.validators.ge(7))
    depth: int = attrs.field(default=0, validator=attrs.validators.in_((0, 1)))
    flaw: Literal["none", "nothing", "invalid", "unsolvable", "needless", "crash"] = "none"

    def __attrs_post_init__(self) -> None:
        if self.depth and self.flaw == "unsolvable":
            raise ValueError("a corridor with a door can always be solved")

    def draw(self, seed: int) -> Drawing:
        """Draw a corridor; the seed decides the distance of its goal."""
        if seed % 2 and self.flaw != "none":
            return self._flawed(seed)
        return Drawing((self._corridor(seed),))

    def _corridor(self, seed: int, reachable: bool = True) -> TaskSpecification:
        inside = self.size - 2
        goal = 3 + seed // 2 % (inside - 3)
        row = ["@", *"." * (inside - 1)]
        row[goal] = "G"
        if not reachable:
            row[goal - 1] = "#"
        if self.depth:
            row[1:3] = "kD"
        picture = "\n".join(("#" * self.size, f"#{''.join(row)}#", "#" * self.size))
        if not self.depth:
            return draw(picture)
        task = draw(picture, k=key("red"), D=door("red"))
        chain = {"depth": 1, "sequence": [{"step": 1, "type": "key-door", "element": "k", "unlocks": "D"}]}
        return TaskSpecification.from_dict({**task.to_dict(), "dependency_chain": chain})

    def _flawed(self, seed: int) -> Drawing:
        if self.flaw == "nothing":
            raise NothingDrawn("the seed is odd")
        if self.flaw == "crash":
            raise RuntimeError("the dice fell off the table")
        if self.flaw == "unsolvable":
            return Drawing((self._corridor(seed, reachable=False),))
        if self.flaw == "invalid":
            task = self._corridor(seed)
            return Drawing((attrs.evolve(task, maze=attrs.evolve(task.maze, start=(0, 0))),))
        needless = {"depth": 1, "sequence": [{"step": 1, "type": "key-door", "element": "k", "unlocks": "D"}]}
        task = draw(
            f"{'#' * self.size}\n#@{'.' * (self.size - 5)}GD#\n#k{'.' * (self.size - 3)}#\n{'#' * self.size}",
            k=key("red"),
            D=door("red"),
        )
        return Drawing((TaskSpecification.from_dict({**task.to_dict(), "dependency_chain": needless}),))


@attrs.frozen(kw_only=True)
class Twins(Generator):
    """Two corridors of one length.

    Args:
        claim: claim about their lengths.
    """

    claim: Literal["held", "varied"] = "held"

    def draw(self, seed: int) -> Drawing:
        """Draw a corridor, and the same corridor in fog."""
        (one,) = Corridors(size=40).draw(seed).tasks
        fog = attrs.evolve(one, rules=attrs.evolve(one.rules, observability="fog_of_war"))
        tasks = [attrs.evolve(task, metadata={"variant": name}) for name, task in (("clear", one), ("fog", fog))]
        length = ("length",)
        if self.claim == "held":
            return Drawing(tuple(tasks), held=length, varied=("observability",))
        return Drawing(tuple(tasks), varied=length)


@contextmanager
def installed() -> Iterator[Registry]:
    """A registry that has `Corridors` as ``corridors`` and `Twins` as ``twins``, in use inside a ``with`` block."""
    kinds = {"corridors": Corridors, "twins": Twins}
    provided = [
        Provided(GeneratorInfo(name, "For tests.", f"{__name__}:{kind.__name__}"), "gridworld-core", "corridors")
        for name, kind in kinds.items()
    ]
    registry = get_registry()
    with using_registry(registry.with_provided("generator", [*registry.generators, *provided])) as used:
        yield used


def failures(kit: type[Conformance], **attributes: Any) -> dict[str, CheckResult]:
    """The checks of a kit that do not pass, by name; `attributes` are those of a subclass."""
    results = run_checks(type("Kit", (kit,), attributes))
    assert results
    return {result.check: result for result in results if result.verdict != "passed"}


def assert_conforms(kit: type[Conformance], **attributes: Any) -> None:
    """Check that all checks of a kit pass."""
    assert failures(kit, **attributes) == {}


def assert_caught(kit: type[Conformance], check: str, **attributes: Any) -> None:
    """Check that one check fails."""
    (result,) = run_checks(type("Kit", (kit,), attributes), [f"test_{check}"])
    assert result.verdict == "failed", result


def assert_has_broken_ones(kit: type[Conformance], checks: Iterable[str]) -> None:
    """Check that each check of a kit, but for those of `TargetConformance`, is among the given ones."""
    inherited = checks_of(TargetConformance) if issubclass(kit, TargetConformance) else []
    assert {f"test_{check}" for check in checks} == set(checks_of(kit)).difference(inherited)
