"""Certificates: facts proved about a task on each tiling, such as a shortest plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import attrs
import cattrs
from cattrs.gen import make_dict_unstructure_fn, override
from cattrs.v import format_exception

from gridworld._version import __version__
from gridworld.actions import Action
from gridworld.errors import GridworldError
from gridworld.solver import Difficulty, Verdict
from gridworld.solver.difficulty import measure_searched
from gridworld.solver.search import TaskSearches
from gridworld.solver.task_report import TaskReport, check_searched
from gridworld.task.routes import read_routes, with_only
from gridworld.task.validation import LABEL_DISTRACTOR
from gridworld.task_spec import TaskSpecification
from gridworld.world import World
from gridworld.world.compilation import compile_world

SOLVER = f"gridworld-core {__version__}"
"""Name and version of the solver."""
Measured = int | str
"""The value of a measure (`gridworld.generation.measures`)."""


@attrs.frozen
class Bounds:
    """Limits on the solver's work when it certifies a task."""

    max_states: int = 200_000
    """Maximum number of states per search."""
    max_table_states: int = 2_000
    """Largest state space tabulated for the difficulty numbers that need all states."""


DEFAULT_BOUNDS = Bounds()
"""Default limits, enough for most tasks of 12 x 12 cells."""


class NotCertified(GridworldError):
    """A task cannot be certified on a tiling; `reason` is one of a few phrases suitable for counting."""

    def __init__(self, reason: str, tiling: str, detail: str = "") -> None:
        self.reason, self.tiling = reason, tiling
        super().__init__(f"{reason} on {tiling}" + (f": {detail}" if detail else ""))


@attrs.frozen
class Proof:
    """Facts proved about a task on one tiling."""

    plan: tuple[Action, ...]
    """A shortest plan."""
    necessary: tuple[str, ...]
    """Ids that every shortest plan uses: all elements of the dependency chain, in order."""
    safe: tuple[str, ...]
    """Ids of distractors that do no harm.

    Some shortest plan avoids each of them, and the task can still be won after the quickest touch of it (after any
    first touch if the states were tabulated, that is, if `Difficulty.irreversibility` is a number).
    """
    difficulty: Difficulty
    routes: Mapping[str, int] = attrs.field(factory=dict)
    """Length of a shortest plan by the route (`gridworld.task.routes`) that it takes."""


@attrs.frozen
class Origin:
    """The generator, recipe and seed that a task came from."""

    name: str
    distribution: str
    version: str
    parameters: Mapping[str, Any]
    seed: int
    recipe: str
    """`gridworld.generation.recipe.Recipe.digest` of the recipe."""
    number: int
    """Number of the task, or group of tasks, in the recipe, from 0."""
    tasks: int
    """Number of tasks drawn together."""


@attrs.frozen(kw_only=True)
class Certificate:
    """Facts proved about a task, and its origin; stored under ``certificate`` in `TaskSpecification.metadata`.

    Mappings are keyed by tiling name, unless stated otherwise.
    """

    optimal_length: Mapping[str, int]
    plan: Mapping[str, tuple[Action, ...]]
    necessary: Mapping[str, tuple[str, ...]]
    safe: Mapping[str, tuple[str, ...]]
    difficulty: Mapping[str, Difficulty]
    budget: Mapping[str, int]
    """Step budgets; empty unless they follow from the optimum."""
    bounds: Bounds
    solver: str = SOLVER
    generator: Origin | None = None
    """Origin of a generated task; None for other tasks."""
    refused: Mapping[str, int] = attrs.field(factory=dict)
    """Number of attempts rejected before this one, by reason."""
    routes: Mapping[str, Mapping[str, int]] = attrs.field(factory=dict)
    """Lengths of shortest plans by route, for a task with routes."""
    held: Mapping[str, Mapping[str, Measured]] = attrs.field(factory=dict)
    """Values of the measures equal in all tasks of a set; empty for a single task."""
    varied: Mapping[str, Mapping[str, Measured]] = attrs.field(factory=dict)
    """Values, in this task, of the measures that differ within a set; empty for a single task."""
    types: Mapping[str, str] = attrs.field(factory=dict)
    """Declared version by mechanism or goal type, such as ``mechanism ice``; types without a version are omitted."""

    def __attrs_post_init__(self) -> None:
        """Raise ValueError unless all mappings name the same tilings, at least one."""
        tilings = self.optimal_length.keys()
        if not tilings:
            raise ValueError("optimal_length names no tiling")
        for name in ("plan", "necessary", "safe", "difficulty"):
            stated = attrs.asdict(self, recurse=False)[name].keys()
            if stated != tilings:
                raise ValueError(
                    f"{name} has {', '.join(stated) or '(none)'}, but optimal_length has {', '.join(tilings)}"
                )
        if self.budget and self.budget.keys() != tilings:
            raise ValueError(f"budget has {', '.join(self.budget)}, but optimal_length has {', '.join(tilings)}")

    @classmethod
    def of(cls, proofs: Mapping[str, Proof], **others: Any) -> Certificate:
        """Build a certificate from proofs by tiling, and the other fields."""
        return cls(
            optimal_length={tiling: len(proof.plan) for tiling, proof in proofs.items()},
            plan={tiling: proof.plan for tiling, proof in proofs.items()},
            necessary={tiling: proof.necessary for tiling, proof in proofs.items()},
            safe={tiling: proof.safe for tiling, proof in proofs.items()},
            difficulty={tiling: proof.difficulty for tiling, proof in proofs.items()},
            routes={tiling: proof.routes for tiling, proof in proofs.items() if proof.routes},
            **others,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the certificate as a JSON-ready dictionary."""
        plain: dict[str, Any] = _converter.unstructure(self)
        return plain


def read_certificate(task: TaskSpecification) -> Certificate:
    """Return the certificate in a task's metadata; raises GridworldError if it is missing or malformed."""
    held = task.metadata.get("certificate")
    if not isinstance(held, Mapping):
        raise GridworldError(f"{task.task_id}: metadata.certificate is {'missing' if held is None else 'no object'}")
    try:
        return _converter.structure(held, Certificate)
    except (cattrs.BaseValidationError, TypeError, ValueError, KeyError) as error:
        problems = "; ".join(cattrs.transform_error(error, path="metadata.certificate", format_exception=_format))
        raise GridworldError(f"{task.task_id}: {problems}") from error


def certified_optimum(task: TaskSpecification, tiling: str) -> int | None:
    """Return the certified length of a shortest plan on a tiling; None without such a certificate."""
    try:
        return read_certificate(task).optimal_length.get(tiling)
    except GridworldError:
        return None


def _format(error: BaseException, kind: type | None) -> str:
    """Describe an error with its message, which cattrs omits for ValueError."""
    return str(error) if type(error) in (ValueError, TypeError) else format_exception(error, kind)


def search(searches: TaskSearches) -> tuple[Action, ...]:
    """Return a shortest plan of a compiled task; raises NotCertified if none was found within the bounds."""
    solution = searches.solution
    if solution.plan is None:
        undecided = solution.verdict is Verdict.GAVE_UP
        raise NotCertified("undecided" if undecided else "unsolvable", searches.world.topology.name)
    return solution.plan


def prove(world: World, bounds: Bounds) -> Proof:
    """Prove the facts of a certificate about a compiled task; raises NotCertified if one is false or undecided."""
    return prove_searched(TaskSearches(world, bounds.max_states), bounds)


def prove_searched(searches: TaskSearches, bounds: Bounds) -> Proof:
    """Prove the facts like `prove`, reusing the given searches."""
    plan, world = search(searches), searches.world
    _refuse_faults(world, check_searched(searches, bounds.max_table_states))
    routes = {name: compile_world(with_only(world.task, name), world.topology) for name in read_routes(world.task)}
    return Proof(
        plan=plan,
        necessary=tuple(dict.fromkeys(_chain(world))),
        safe=tuple(each.element_id for each in world.task.distractors if each.type != LABEL_DISTRACTOR),
        difficulty=measure_searched(searches, bounds.max_table_states),
        routes={name: len(search(TaskSearches(each, bounds.max_states))) for name, each in routes.items()},
    )


def _refuse_faults(world: World, report: TaskReport) -> None:
    for finding in report.findings:
        if finding.severity != "note":
            reason = "undecided" if finding.severity == "undecided" else REASONS[finding.path.partition("[")[0]]
            raise NotCertified(reason, world.topology.name, f"{finding.path}: {finding.message}")


REASONS = {
    "goal": "unsolvable",
    "max_steps": "budget too small",
    "dependency_chain.sequence": "chain not necessary",
    "distractors": "decoy not harmless",
}
"""`NotCertified` reason by the part of the task that a finding is about."""


def _chain(world: World) -> Iterator[str]:
    chain = world.task.dependency_chain
    for step in chain.sequence if chain else ():
        yield step.element
        if step.unlocks in world.by_id:
            yield step.unlocks


def _read_measured(value: Any, _: object) -> Measured:
    if not isinstance(value, int | str):
        raise TypeError(f"expected a whole number or a string, got {value!r}")
    return value


def _whole_number(value: Any, _: type[int]) -> int:
    if type(value) is not int:
        raise TypeError(f"expected a whole number, got {value!r}")
    return value


def _make_converter() -> cattrs.Converter:
    converter = cattrs.Converter(forbid_extra_keys=True)
    converter.register_structure_hook(int, _whole_number)
    converter.register_unstructure_hook(Action, lambda action: action.name.lower())
    converter.register_structure_hook(Action, lambda name, _: Action[str(name).upper()])
    converter.register_structure_hook(Measured, _read_measured)
    written = make_dict_unstructure_fn(Certificate, converter, types=override(omit_if_default=True))
    converter.register_unstructure_hook(Certificate, written)
    return converter


_converter = _make_converter()
