"""`MechanismType`: what a mechanism is to the kernel, to pictures and texts, and to task files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import IntFlag
from typing import TYPE_CHECKING, Any, NamedTuple

import attrs

from gridworld.drawing.glyphs import Glyph
from gridworld.errors import ArgumentError, PluginFault, Problem, describe_value
from gridworld.support.import_strings import pickled_constant
from gridworld.task.meanings import Meaning, meaning_of
from gridworld.task_spec import RESERVED_NAMES

if TYPE_CHECKING:
    from gridworld.task_spec import Position, Rules, TaskSpecification
    from gridworld.world.events import Event
    from gridworld.world.state import State
    from gridworld.world.world import Entity, World


class Trait(IntFlag):
    """Flags of a thing in one of its states."""

    NONE = 0
    SOLID = 1
    """The agent cannot step in."""
    OPAQUE = 2
    """Blocks sight."""
    DEADLY = 4
    """Ends the episode of an agent that stands on it."""
    PORTABLE = 8
    """Can be picked up."""
    PUSHABLE = 16
    """Can be pushed by walking into it."""
    TAKES_BLOCKS = 32
    """A block can be pushed onto it."""
    TOGGLED_UNDERFOOT = 64
    """Answers to a toggle by the agent that stands on it."""
    ACTIVE = 128
    """What it controls is switched on."""
    MOVABLE = PORTABLE | PUSHABLE
    """Its place is part of the state."""


def _to_sentences(sentences: str | Iterable[str]) -> tuple[str, ...]:
    return (sentences,) if isinstance(sentences, str) else tuple(sentences)


@attrs.frozen
class Explained:
    """What is told of one kind of thing, in plain words on one line.

    It is told before anything of a task has been seen, to whoever plays any task of a suite: so it has to hold for all
    of its things, and to say nothing of where any of them is.
    """

    does: tuple[str, ...] = attrs.field(default=(), converter=_to_sentences)
    """What it does and what can be done with it: whole sentences; one sentence may be given as a text."""
    looks: str = ""
    """How it looks in all of its states: words that follow its name and a colon, without a full stop. Colours that
    differ from one of these to another are ``its colour``."""
    states: tuple[str, ...] | None = None
    """The names, among the type's `values`, of the states that one can come to be in; None for all."""


MECHANISM_HOOKS = ("admits", "on_enter", "on_toggle", "on_pickup", "sense", "derive", "carries", "tick")
"""The fields of a `MechanismType` that say what one does; each is a function of ``(world, state, entity)``, or None."""


Hook = Callable[["World", "State", "Entity"], "tuple[State, tuple[Event, ...]] | None"]
"""What a mechanism does: the new state and what happened, or None for nothing."""


class Entered(NamedTuple):
    """Result of an `on_enter` that sets the agent's heading; one that does not returns a pair of state and events."""

    state: State
    events: tuple[Event, ...] = ()
    turned: bool = False
    """Whether the heading of `state` is where the agent looks from now on, even if it looked there before."""


EnterHook = Callable[["World", "State", "Entity"], "tuple[State, tuple[Event, ...]] | Entered | None"]
"""Effect of being entered: `Entered`, or the new state and the events, or None for nothing."""

NextValue = Callable[["World", "State", "Entity"], "tuple[int, tuple[Event, ...]] | None"]
"""What becomes of one entity: the index of its next value and what happened, or None for no change.

The state that it is given has the step count 0, whatever the time: nothing may depend on it.
"""

CarryHook = Callable[["World", "State", "Entity"], "int | None"]
"""Whereto something carries: 0 right, 1 down, 2 left, 3 up on the lattice, or None; the step count it sees is 0."""


@attrs.frozen
class GridStateField:
    """How a mechanism appears in `GridState`.

    `entry` gives, for one entity, what to record: for a set-valued field whether its id is in the set;
    for a dict-valued field the value under its id, or None to leave it out.
    """

    name: str
    entry: Callable[[World, State, Entity], Any]


@attrs.frozen
class Collected:
    """A mechanism as a target of the goal ``collect_all``: its words in missions, and the states that count."""

    verb: str = attrs.field(validator=attrs.validators.matches_re(r"[A-Za-z][A-Za-z ]*"))
    """The command before its name in a mission, such as ``pick up``: letters and spaces."""
    values: tuple[str, ...]
    """The names, among the type's `values`, of the states in which it is collected."""


class TypedSpec(NamedTuple):
    """An entry of a task file, completed by the task's rules, with its mechanism type."""

    type: MechanismType
    spec: Any


TOLD_TRAITS = {
    Trait.SOLID: "The agent cannot step onto it.",
    Trait.DEADLY: "Stepping onto it ends the episode without success.",
    Trait.PORTABLE: "It can be picked up and dropped.",
    Trait.PUSHABLE: "It can be pushed by moving forward into it.",
}
"""What is told of traits that something has in all of its states, where its type explains nothing."""


@attrs.frozen
class Always:
    """A function of anything that returns one value."""

    value: Any

    def __call__(self, *arguments: Any) -> Any:
        """The value."""
        return self.value


def constant(field: str, value: Any, kind: type) -> Callable[..., Any]:
    """A function of anything that returns the constant of a field; raises ArgumentError unless it is of a type."""
    if not isinstance(value, kind):
        raise ArgumentError(f"{field}: expected {kind.__name__} or a function, got {describe_value(value)}")
    return Always(value)


def _to_traits(value: Trait | Callable[[Any, str], Trait]) -> Callable[[Any, str], Trait]:
    return value if callable(value) else constant("traits", value, Trait)


def _to_glyph(value: Glyph | Callable[[Any, str], Glyph]) -> Callable[[Any, str], Glyph]:
    return value if callable(value) else constant("glyph", value, Glyph)


def _to_initial(value: str | Callable[[Any, Rules], str] | None) -> Callable[[Any, Rules], str] | None:
    return value if callable(value) or value is None else constant("initial", value, str)


def _to_color(value: str | Callable[[Any], str | None] | None) -> Callable[[Any], str | None]:
    return value if callable(value) else Always(None) if value is None else constant("color", value, str)


def _to_adjective(value: str | Callable[[Any, str], str]) -> Callable[[Any, str], str]:
    return value if callable(value) else constant("adjective", value, str)


def _to_kind(value: str | Callable[[Any], str]) -> Callable[[Any], str]:
    return value if callable(value) else constant("kind", value, str)


def _to_explained(
    value: Explained | Callable[[Any, Rules], Explained] | None,
) -> Callable[[Any, Rules], Explained] | None:
    return value if callable(value) or value is None else constant("explains", value, Explained)


def _own_position(spec: Any) -> dict[str, Position]:
    return {"position": spec.position}


def _plain(spec: Any, value: str) -> str:
    return value


def _own_controls(spec: Any) -> tuple[str, ...]:
    field = attrs.fields_dict(type(spec)).get("controls")
    if field is None or meaning_of(field) is not Meaning.REFERENCE:
        return ()
    return tuple(spec.controls)


def _no_part(spec: Any, field: str) -> str:
    return ""


def _as_it_is(spec: Any, rules: Rules) -> Any:
    return spec


def _no_problems(spec: Any, task: TaskSpecification) -> Iterable[Problem]:
    return ()


@attrs.frozen(kw_only=True)
class MechanismType:
    """A kind of thing in the world, written once for every backend, tiling and the solver.

    All functions are pure. Hooks take ``(world, state, entity)`` and return the new state with the events of the
    change, or None when nothing happens. `traits`, `glyph`, `initial`, `color`, `adjective`, `kind` and `explains` may
    be given as constants, such as ``traits=Trait.NONE``; their attributes are functions all the same.

    Raises:
        ArgumentError: `name` is that of a method of `MechanismSet`; `spec` is no attrs class, or has no `id`.
    """

    # Every mechanism: what it is called, its entry in a task file, what it is like to the kernel, and how it looks.

    name: str = attrs.field()
    """The plural under which task files list it, such as ``keys``."""

    noun: str
    """The singular, such as ``key``."""

    summary: str

    spec: type = attrs.field()
    """The attrs class of one entry in a task file; it has at least `id`."""

    traits: Callable[[Any, str], Trait] = attrs.field(converter=_to_traits)
    """``(spec, value name) -> Trait``: what it is like in that state."""

    glyph: Callable[[Any, str], Glyph] = attrs.field(converter=_to_glyph)
    """``(spec, value name) -> Glyph``: how it looks in that state."""

    # Rules: its states, its places, and what happens to it and by it.

    values: tuple[str, ...] = ("",)
    """The names of the states one of these can be in; the kernel stores an index into this tuple."""

    initial: Callable[[Any, Rules], str] | None = attrs.field(default=None, converter=_to_initial)
    """``(spec, rules) -> value name`` at the start of an episode; by default the first of `values`."""

    completed: Callable[[Any, Rules], Any] = _as_it_is
    """``(spec, rules) -> spec`` with what the task's rules say where it says nothing: that is what `Entity.spec` is."""

    validate: Callable[[Any, TaskSpecification], Iterable[Problem]] = _no_problems
    """Problems of one entry, with paths relative to it."""

    positions: Callable[[Any], dict[str, Position]] = _own_position
    """Field of the spec to the lattice cell that it names, for all cells that it takes."""

    fills_patch: bool = True
    """Whether it fills all of a lattice cell's patch (a barrier) or sits on its anchor (a thing)."""

    admits: Callable[[World, State, Entity], bool] | None = None
    """Whether the agent, or a block that is pushed or carried, may come in; asked only while it is not solid.

    `state.cell` is the cell that it comes from (a teleport passes its entrance, which may be far away), and
    `state.heading` is its direction of travel, which is not where it looks while it walks backward."""

    on_enter: EnterHook | None = None
    """The agent has come to stand on it.

    `state.heading` is its direction of travel, which is not where it looks while it walks backward or is carried. A
    hook that sets where it looks returns `Entered` with `turned`. Once a hook has put the agent on another cell, what
    lies there acts, and nothing more in the cell it has left."""

    on_toggle: Hook | None = None
    """The agent toggles it; None means that it cannot be toggled at all."""

    on_pickup: Hook | None = None
    """It has just been picked up, which takes `Trait.PORTABLE`; it is in the agent's hand, and nowhere on the floor."""

    sense: NextValue | None = None
    """After the agent and all things have come to rest: what it feels of them (a pressure plate).

    `sense` and `derive` have to depend on the agent's cell, values and places alone: they are called when one of these
    has changed. All entities of a world sense one state, derive from one, and tick from one."""

    derive: NextValue | None = None
    """After all sensing: what follows from the others (a gate from its switches).

    It is repeated until nothing changes, all reading one state each time, for at most one round more than there are
    deriving entities. A set that has not settled by then is refused at the start of a task, and later a fault."""

    carries: CarryHook | None = None
    """Once in every step: where it carries the agent and the movable things in its patch to (a conveyor belt).

    They come to the anchor of the lattice neighbour, as `gridworld.world.carrying` says; what carries fills its patch.
    """

    tick: NextValue | None = None
    """At the end of every step: what passes with time (a cooldown)."""

    controls: Callable[[Any], tuple[str, ...]] = _own_controls
    """The ids of the mechanisms that it controls while it has `Trait.ACTIVE`; by default those in a field `controls` of
    the spec that is made by `references_field`. Each has to be of a type that is `controllable`."""

    controllable: bool = False
    """Whether others may control it: it derives its value from those among `Entity.controllers` that are active."""

    # Looks, beyond its glyph.

    glyph_at: Callable[[Any, str, str], Glyph] | None = None
    """``(spec, value name, field of `positions`) -> Glyph``, for what takes several lattice cells and does not look the
    same on all of them; by default `glyph` is for all."""

    numbered: bool = False
    """Whether pictures and texts give each of these a number of dots, in the order in which they are first seen: for
    what takes several lattice cells, so that one sees which belong together."""

    color: Callable[[Any], str | None] = attrs.field(default=None, converter=_to_color)
    """The name of its colour, if it has one: one of the six, or another of CSS."""

    # Words, beyond its noun and summary.

    adjective: Callable[[Any, str], str] = attrs.field(default=_plain, converter=_to_adjective)
    """``(spec, value name)`` to the word that tells people its visible state or kind; empty for none."""

    kind: Callable[[Any], str] = attrs.field(default=Always(""), converter=_to_kind)
    """The word for which kind it is of, if it looks like its kind in all states, such as ``hold``; empty for none."""

    part: Callable[[Any, str], str] = _no_part
    """``(spec, field of `positions`)`` to the word for what stands there, such as ``entrance``; empty for none."""

    explains: Callable[[Any, Rules], Explained] | None = attrs.field(default=None, converter=_to_explained)
    """``(spec, rules)`` to what models are told of what is like this one, under such rules; by default its `summary`
    and what follows from its traits. The spec is completed; its id and places mean nothing, and the rules hide nothing.
    Sentences about things of one kind that look alike in words are put together."""

    collected: Collected | None = attrs.field(default=None)
    """Makes it a possible target of the goal ``collect_all``; None if it is none."""

    # Search and records: what the solver, generated tasks and states of episodes may know of it.

    local: bool = False
    """Whether nothing that it does depends on where on bare floor the agent is or looks: `sense`, `derive`, `tick` and
    `carries` only on whether it stands on the cells that it takes itself, not on whether it faces them, and `on_toggle`
    and `on_pickup` not on the side from which it is handled, nor does it depend on that whether they move the agent.
    `admits` and `on_enter` are free. The solver may then take it that walking about on bare floor is the same
    everywhere."""

    ignores_dropped: bool = False
    """Whether nothing that it does depends on where things that were picked up lie, beyond the cells that it takes
    itself; the solver may then forget where they were dropped."""

    grid_state: GridStateField | None = None
    """Where it appears in `GridState`; None puts its value's name into `GridState.mechanism_states`."""

    version: str | None = None
    """The version of its rules, recorded in fingerprints of runs and certificates of tasks; None records nothing."""

    @name.validator
    def _check_name(self, attribute: attrs.Attribute[str], name: str) -> None:
        if isinstance(name, str) and (name.startswith("_") or name in RESERVED_NAMES):
            raise ArgumentError(f"mechanism '{name}': the name is reserved: `task.mechanisms.{name}` is something else")

    @collected.validator
    def _check_collected(self, attribute: attrs.Attribute[Collected | None], collected: Collected | None) -> None:
        unknown = () if collected is None else [value for value in collected.values if value not in self.values]
        if unknown:
            known = ", ".join(map(repr, self.values))
            raise ArgumentError(f"mechanism '{self.name}': collected as {unknown[0]!r}, expected one of {known}")

    @spec.validator
    def _check_spec(self, attribute: attrs.Attribute[type], spec: type) -> None:
        owner, name = f"mechanism '{self.name}'", describe_value(spec)
        if not attrs.has(spec):
            raise ArgumentError(f"{owner}: its spec {name} is not an attrs class: decorate it with @attrs.frozen")
        if "id" not in attrs.fields_dict(spec):
            raise ArgumentError(f"{owner}: its spec {name} has no field 'id': add 'id: str'")

    @property
    def is_inert(self) -> bool:
        """Whether it does nothing but be there, with its traits: it has none of the hooks."""
        acting = (self.admits, self.on_enter, self.on_toggle, self.on_pickup)
        return not any((*acting, self.sense, self.derive, self.carries, self.tick))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as the constant of its module, since its functions may be lambdas."""
        return pickled_constant(self)

    def typed(self, spec: Any, rules: Rules) -> TypedSpec:
        """An entry of a task file with this type, completed by the task's rules."""
        return TypedSpec(self, self.completed(spec, rules))

    def possible_traits(self, spec: Any) -> Trait:
        """All flags that one of these has in any of its states."""
        traits = Trait.NONE
        for value in self.values:
            traits |= self.traits(spec, value)
        return traits

    def initial_value(self, spec: Any, rules: Rules, owner: str = "") -> int:
        """The index of the state in which one of these starts.

        Args:
            spec: the one.
            rules: those of its task.
            owner: what messages call this type; by default by its name alone.

        Raises:
            PluginFault: `initial` names none of `values`.
        """
        value = self.initial(spec, rules) if self.initial else self.values[0]
        if value not in self.values:
            known = ", ".join(map(repr, self.values))
            called = owner or f"mechanism '{self.name}'"
            raise PluginFault(f"{called} starts as {describe_value(value)}, expected one of {known}")
        return self.values.index(value)

    def describe(self, spec: Any) -> str:
        """A short name for people, such as ``red key``."""
        return " ".join(filter(None, (self.color(spec), self.kind(spec), self.noun)))

    def explained(self, spec: Any, rules: Rules) -> Explained:
        """What models are told of what is like this one; raises whatever `explains` does."""
        if self.explains is not None:
            return self.explains(spec, rules)
        traits = [self.traits(spec, value) for value in self.values]
        return Explained(
            (self.summary, *(words for trait, words in TOLD_TRAITS.items() if all(trait in each for each in traits)))
        )

    def field_of(self, spec: Any, part: int) -> str:
        """The field of the spec that names the position of a part."""
        return tuple(self.positions(spec))[part]

    def look(self, spec: Any, value: str, part: int = 0) -> Glyph:
        """How a part of one looks in a state."""
        if self.glyph_at is None:
            return self.glyph(spec, value)
        return self.glyph_at(spec, value, self.field_of(spec, part))
