"""`MechanismType`: the rules, looks and words of a mechanism, and its task file format."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import IntFlag
from typing import TYPE_CHECKING, Any, NamedTuple

import attrs

from gridworld.drawing.glyphs import Glyph
from gridworld.errors import ArgumentError, Owner, PluginFault, Problem, describe_value
from gridworld.support.checks import named_fields
from gridworld.support.faults import definition_of
from gridworld.task.meanings import Meaning, meaning_of
from gridworld.task_spec import RESERVED_NAMES
from gridworld.world.owned_hooks import HookForm, check_parameters, own_hooks, pickled_constant, plain

if TYPE_CHECKING:
    from gridworld.task_spec import Position, Rules, TaskSpecification
    from gridworld.world.events import Event
    from gridworld.world.state import State
    from gridworld.world.world import Entity, World


class Trait(IntFlag):
    """Flags of a mechanism in one of its states."""

    NONE = 0
    SOLID = 1
    """The agent cannot step into the mechanism's cell."""
    OPAQUE = 2
    """The mechanism blocks sight."""
    DEADLY = 4
    """The mechanism ends the episode of an agent that stands on it."""
    PORTABLE = 8
    """The mechanism can be picked up."""
    PUSHABLE = 16
    """The mechanism can be pushed by walking into it."""
    TAKES_BLOCKS = 32
    """A block can be pushed onto the mechanism."""
    TOGGLED_UNDERFOOT = 64
    """The mechanism can be toggled by an agent that stands on it."""
    ACTIVE = 128
    """The mechanism switches on the mechanisms that it controls."""
    MOVABLE = PORTABLE | PUSHABLE
    """The mechanism's position is part of the state."""


def _to_sentences(sentences: str | Iterable[str]) -> tuple[str, ...]:
    return (sentences,) if isinstance(sentences, str) else tuple(sentences)


@named_fields
@attrs.frozen
class Explained:
    """Description of one kind of mechanism or goal for models, in plain words on one line.

    Models read it before they see a task, for all tasks of a suite: it must hold for all mechanisms of the kind, and
    must not reveal where any of them is.
    """

    does: tuple[str, ...] = attrs.field(default=(), converter=_to_sentences)
    """Effects and uses, in whole sentences; a single sentence may be given as a string."""
    looks: str = ""
    """How it looks in all states: words that follow the name and a colon, without a full stop.

    A colour that differs between mechanisms of the kind is written ``its colour``.
    """
    states: tuple[str, ...] | None = None
    """Names of the reachable states, among the type's `values`; None for all."""


MECHANISM_HOOKS = ("admits", "on_enter", "on_toggle", "on_pickup", "sense", "derive", "carries", "tick")
"""The hooks of a `MechanismType`, each a function of ``(world, state, entity)`` or None."""


Hook = Callable[["World", "State", "Entity"], "tuple[State, tuple[Event, ...]] | None"]
"""Effect of a mechanism: returns the new state and the events, or None for no effect."""


class Entered(NamedTuple):
    """Result of an `on_enter` that sets the agent's heading; other `on_enter` hooks return a state and events."""

    state: State
    events: tuple[Event, ...] = ()
    turned: bool = False
    """Whether `state` sets the agent's heading, even if it has not changed."""


EnterHook = Callable[["World", "State", "Entity"], "tuple[State, tuple[Event, ...]] | Entered | None"]
"""Effect of being entered: returns `Entered`, or the new state and the events, or None for no effect."""

NextValue = Callable[["World", "State", "Entity"], "tuple[int, tuple[Event, ...]] | None"]
"""Next value of one entity: returns its index and the events, or None for no change.

The step count in the given state is always 0, so that the result cannot depend on time.
"""

CarryHook = Callable[["World", "State", "Entity"], "int | None"]
"""Direction of carrying on the lattice: 0 right, 1 down, 2 left, 3 up, or None; the step count given is always 0."""


@named_fields
@attrs.frozen
class GridStateField:
    """The field of `GridState` in which a mechanism appears.

    `entry` returns what to record for one entity: for a set-valued field, whether its id is in the set; for a
    dict-valued field, the value under its id, or None to omit it.
    """

    name: str
    entry: Callable[[World, State, Entity], Any]


@named_fields
@attrs.frozen
class Collected:
    """How mechanisms of a type serve as targets of the goal ``collect_all``."""

    verb: str = attrs.field(validator=attrs.validators.matches_re(r"[A-Za-z][A-Za-z ]*"))
    """Verb before the mechanism's name in a mission, such as ``pick up``: letters and spaces."""
    values: tuple[str, ...]
    """Names of the states, among the type's `values`, that count as collected."""


class TypedSpec(NamedTuple):
    """A task file entry, completed by the task's rules, with its mechanism type."""

    type: MechanismType
    spec: Any


TOLD_TRAITS = {
    Trait.SOLID: "The agent cannot step onto it.",
    Trait.DEADLY: "Stepping onto it ends the episode without success.",
    Trait.PORTABLE: "It can be picked up and dropped.",
    Trait.PUSHABLE: "It can be pushed by moving forward into it.",
}
"""Sentences for traits that a mechanism has in all of its states; used if its type has no `explains`."""


@attrs.frozen
class Always:
    """A function that accepts any arguments and always returns the same value."""

    value: Any

    def __call__(self, *arguments: Any) -> Any:
        """Return the value."""
        return self.value


EMPTY, NO_WORD = Always(()), Always("")


def constant(field: str, value: Any, kind: type) -> Callable[..., Any]:
    """Make a function that always returns a constant; raises ArgumentError if the constant has the wrong type."""
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


CONTROLS = "controls"
"""Field of a spec with the ids that the mechanism controls by default."""


def own_controls(spec: Any) -> tuple[str, ...]:
    """Return the ids in the spec's field `CONTROLS` if it holds ids."""
    field = attrs.fields_dict(type(spec)).get(CONTROLS)
    if field is None or meaning_of(field) is not Meaning.REFERENCE:
        return ()
    return tuple(spec.controls)


def _as_it_is(spec: Any, rules: Rules) -> Any:
    return spec


_REACTS = HookForm("world, state, entity")  # the kernel checks the results (`gridworld.world.hook_results`)

HOOK_FORMS = {
    "traits": HookForm("spec, value", int),
    "glyph": HookForm("spec, value", Glyph),
    "initial": HookForm("spec, rules"),
    "completed": HookForm("spec, rules"),
    "validate": HookForm("spec, task", Problem, tuple),
    "positions": HookForm("spec", tuple, dict),
    **dict.fromkeys(MECHANISM_HOOKS, _REACTS),
    "controls": HookForm("spec", str, tuple),
    "glyph_at": HookForm("spec, value, field", Glyph),
    "color": HookForm("spec", str | None),
    "adjective": HookForm("spec, value", str),
    "kind": HookForm("spec", str),
    "part": HookForm("spec, field", str),
    "explains": HookForm("spec, rules", Explained),
}
"""Forms of the functions of a `MechanismType`."""


@named_fields
@attrs.frozen(kw_only=True)
class MechanismType:
    """A type of mechanism, defined once for all backends, tilings and the solver.

    All functions are pure. Hooks take ``(world, state, entity)`` and return the new state with the events of the
    change, or None when nothing happens. `traits`, `glyph`, `initial`, `color`, `adjective`, `kind` and `explains` may
    be given as constants, such as ``traits=Trait.NONE``; they are converted to functions.

    Raises:
        ArgumentError: `name` is the name of a method of `MechanismSet`; `spec` is not an attrs class, or has no `id`; a
            function does not take its parameters.
    """

    # Required: name, entry in a task file, traits and looks.

    name: str = attrs.field()
    """Plural name under which task files list mechanisms of this type, such as ``keys``."""

    noun: str
    """Singular name, such as ``key``."""

    summary: str

    spec: type = attrs.field()
    """Attrs class of one task file entry, with at least the field `id`."""

    traits: Callable[[Any, str], Trait] = attrs.field(converter=_to_traits)
    """Returns the mechanism's traits in a state, from ``(spec, value name)``."""

    glyph: Callable[[Any, str], Glyph] = attrs.field(converter=_to_glyph)
    """Returns the mechanism's glyph in a state, from ``(spec, value name)``."""

    # Rules: states, places and hooks.

    values: tuple[str, ...] = ("",)
    """Names of the possible states; the kernel stores indices into this tuple."""

    initial: Callable[[Any, Rules], str] | None = attrs.field(default=None, converter=_to_initial)
    """Returns the value name at the start of an episode, from ``(spec, rules)``; by default the first of `values`."""

    completed: Callable[[Any, Rules], Any] = _as_it_is
    """Returns the spec completed from the task's rules, from ``(spec, rules)``; the result becomes `Entity.spec`."""

    validate: Callable[[Any, TaskSpecification], Iterable[Problem]] = EMPTY
    """Returns the problems of one entry, from ``(spec, task)``, with paths relative to the entry."""

    positions: Callable[[Any], dict[str, Position]] = _own_position
    """Returns the mechanism's lattice cells, each under the name of the field that holds it."""

    fills_patch: bool = True
    """Whether the mechanism fills the whole patch of a lattice cell (a barrier) or only its first cell (an object)."""

    admits: Callable[[World, State, Entity], bool] | None = None
    """Whether the agent, or a pushed or carried block, may enter; called only while the mechanism is not solid.

    `state.cell` is the cell of origin (for a teleport its entrance, which may be far away), and `state.heading` is the
    direction of travel, which differs from the agent's heading while it walks backward.
    """

    on_enter: EnterHook | None = None
    """Effect of the agent entering the mechanism's cell; not called for things that are pushed or carried onto it.

    `state.heading` is the direction of travel, which differs from the agent's heading while it walks backward or is
    carried. A hook that sets the heading returns `Entered` with `turned`. Once a hook has moved the agent to another
    cell, the hooks of the entities there follow; the remaining hooks on the cell it has left do not run.
    """

    on_toggle: Hook | None = None
    """Effect when the agent toggles the mechanism; None if the mechanism cannot be toggled at all."""

    on_pickup: Hook | None = None
    """Effect after the mechanism, now in the agent's hand, has been picked up; requires `Trait.PORTABLE`."""

    sense: NextValue | None = None
    """Returns the next value from the positions of agent and entities after all movement (a pressure plate).

    `sense` and `derive` must depend only on the agent's cell, values and positions: they are called when one of these
    has changed. All entities of a world sense the same state; the same holds for `derive` and `tick`.
    """

    derive: NextValue | None = None
    """Next value from the values of other entities, after all sensing (a gate from its switches).

    Deriving is repeated until nothing changes, with all entities reading the same state, for at most one round more
    than there are deriving entities. If the values have not settled by then, the task is refused; in a later step that
    is a fault.
    """

    carries: CarryHook | None = None
    """Direction in which the agent and movable entities in its patch are carried, once in every step (a conveyor belt).

    Riders move to the first cell of the neighbouring lattice cell (`gridworld.world.carrying`). A carrier must fill its
    patch.
    """

    tick: NextValue | None = None
    """Next value with the passing of time, at the end of every step (a cooldown)."""

    controls: Callable[[Any], tuple[str, ...]] = own_controls
    """Returns the ids of the mechanisms that this one controls while it has `Trait.ACTIVE`.

    Each must be of a `controllable` type. By default the ids in the spec's field `controls`, if `references_field` made
    it.
    """

    controllable: bool = False
    """Whether other mechanisms may control this one, whose value derives from the active ones of `Entity.controllers`.
    """

    # Looks, beyond its glyph.

    glyph_at: Callable[[Any, str, str], Glyph] | None = None
    """Returns the glyph from ``(spec, value name, field of `positions`)``, if it differs between the lattice cells.

    By default `glyph` applies to all cells.
    """

    numbered: bool = False
    """Whether pictures and texts give each mechanism a number of dots, in the order in which they are first seen.

    Use it for mechanisms on several lattice cells, whose dots show which cells belong together.
    """

    color: Callable[[Any], str | None] = attrs.field(default=None, converter=_to_color)
    """Returns the name of the mechanism's colour, one of the six or another CSS colour; None without a colour."""

    # Words, beyond its noun and summary.

    adjective: Callable[[Any, str], str] = attrs.field(default=_plain, converter=_to_adjective)
    """Returns the word for the visible state or kind, from ``(spec, value name)``; empty if there is none."""

    kind: Callable[[Any], str] = attrs.field(default=NO_WORD, converter=_to_kind)
    """Returns the word for the kind, such as ``hold``, if it looks the same in all states; otherwise empty."""

    part: Callable[[Any, str], str] = NO_WORD
    """Returns the word for the part at a position, such as ``entrance``, from ``(spec, field)``; empty if there is
    none.
    """

    explains: Callable[[Any, Rules], Explained] | None = attrs.field(default=None, converter=_to_explained)
    """Returns the description of similar mechanisms for models, from ``(spec, rules)``.

    By default its `summary` and a sentence for each trait. The spec is completed; its id and positions have no meaning,
    and the rules hide nothing. Sentences about mechanisms of one kind that look the same in words are combined.
    """

    collected: Collected | None = attrs.field(default=None)
    """Verb and states for the goal ``collect_all``; None if the mechanism cannot be a target of that goal."""

    # Search and records: properties for the solver, generated tasks and `GridState`.

    local: bool = False
    """Whether effects do not depend on where on bare floor the agent stands or which way it faces.

    `sense`, `derive`, `tick` and `carries` may depend on whether the agent stands on the mechanism's own cells, but not
    on whether it faces them; `on_toggle` and `on_pickup`, and whether they move the agent, must not depend on the side
    from which the agent acts. `admits` and `on_enter` are unrestricted. The solver may then treat all positions on bare
    floor alike.
    """

    ignores_dropped: bool = False
    """Whether effects do not depend on where portable entities lie, except on the mechanism's own cells.

    The solver may then forget where they were dropped.
    """

    grid_state: GridStateField | None = None
    """The `GridState` field for the mechanism; None stores its value's name in `GridState.mechanism_states`."""

    version: str | None = None
    """Version of the rules, recorded in run fingerprints and task certificates; None records nothing."""

    owner: Owner = attrs.field(
        default=attrs.Factory(lambda self: Owner(f"mechanism '{self.name}'"), takes_self=True), eq=False, repr=False
    )
    """The plugin, for messages; set when the plugin is loaded."""

    def __attrs_post_init__(self) -> None:
        own_hooks(self, HOOK_FORMS)
        if isinstance(self.grid_state, GridStateField):
            check_parameters(self, "grid_state", self.grid_state.entry, _REACTS.parameters)

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
        """Whether the type has no hooks, only traits."""
        acting = (self.admits, self.on_enter, self.on_toggle, self.on_pickup)
        return not any((*acting, self.sense, self.derive, self.carries, self.tick))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as the constant of its module, since its functions may be lambdas."""
        return pickled_constant(self)

    def typed(self, spec: Any, rules: Rules) -> TypedSpec:
        """Pair a task file entry with this type, completed from the task's rules."""
        return TypedSpec(self, self.completed(spec, rules))

    def possible_traits(self, spec: Any) -> Trait:
        """Return the union of a mechanism's traits over all states."""
        traits = Trait.NONE
        for value in self.values:
            traits |= self.traits(spec, value)
        return traits

    def initial_value(self, spec: Any, rules: Rules) -> int:
        """Return the index of a mechanism's value at the start of an episode.

        Args:
            spec: the completed entry.
            rules: the rules of its task.

        Raises:
            PluginFault: `initial` names none of `values`.
        """
        value = self.initial(spec, rules) if self.initial else self.values[0]
        if value not in self.values:
            known = ", ".join(map(repr, self.values))
            problem = f"returned {describe_value(value)}, expected one of {known}"
            raise PluginFault(problem, self.owner, "initial", definition_of(plain(self.initial)))
        return self.values.index(value)

    def describe(self, spec: Any) -> str:
        """Return a short name for people, such as ``red key``."""
        return " ".join(filter(None, (self.color(spec), self.kind(spec), self.noun)))

    def explained(self, spec: Any, rules: Rules) -> Explained:
        """Return the description for models, from `explains` or the traits."""
        if self.explains is not None:
            return self.explains(spec, rules)
        traits = [self.traits(spec, value) for value in self.values]
        return Explained(
            (self.summary, *(words for trait, words in TOLD_TRAITS.items() if all(trait in each for each in traits)))
        )

    def field_of(self, spec: Any, part: int) -> str:
        """Return the spec's field that holds the position of a part."""
        return tuple(self.positions(spec))[part]

    def look(self, spec: Any, value: str, part: int = 0) -> Glyph:
        """Return the glyph of a part in a state."""
        if self.glyph_at is None:
            return self.glyph(spec, value)
        return self.glyph_at(spec, value, self.field_of(spec, part))
