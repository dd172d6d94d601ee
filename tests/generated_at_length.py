"""Tasks of every family, and what their certificates say, proved anew by a search that shares no code with the solver.

Run as a program it goes on for as many seeds as it is told, each family in its turn, and prints what has become of
them. With a log it goes on where it was:
``python tests/generated_at_length.py --seeds 10000 --tilings square --seconds 3600 --log squares.jsonl``.
"""

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from gridworld.actions import Action
from gridworld.generation.certificate import Bounds, Certificate, read_certificate
from gridworld.generation.making import Found, Job, Made, Missed, make, without_duplicates
from gridworld.generation.recipe import Recipe, variations
from gridworld.generation.recipe_texts import recipe_from_texts
from gridworld.plugins.tilings import compile_on
from gridworld.task.validation import LABEL_DISTRACTOR
from gridworld.task_spec import TaskSpecification
from gridworld.world import Status, World
from gridworld.world.rules import transition
from plain_claims import can_come_first, can_do_without, can_lose_by_touching, quickest_touch
from plain_search import Explored, explore_plainly, explore_to_success

__all__ = ["FAMILIES", "Outcome", "examine", "found_for", "jobs"]

SWITCHES = "toggle+one_shot+hold"
MAZES: Sequence[Mapping[str, str]] = (
    {"size": "8-11", "depth": "0-2", "decoys": "0-2"},
    {"size": "9-13", "depth": "2-4", "decoys": "0-2", "decoy_kinds": "dead_end+idle_switch", "steps": SWITCHES},
    {"size": "8-10", "depth": "1-2", "tier": "3", "length": "12-40"},
    {"size": "8-9", "depth": "1", "hidden": "0-1", "observability": "view_cone,fog_of_war", "view_size": "3,5"},
    {"size": "8-9", "depth": "0-1", "goal": "collect_all", "length": "8-60"},
    {"size": "12-15", "depth": "3-6", "steps": SWITCHES},
)
"""What is asked of families of mazes: parameters with which every state can be looked at, of most tasks."""
FAMILIES: Mapping[str, Sequence[Mapping[str, str]]] = {
    **dict.fromkeys(("braided_maze", "cave", "open_rooms", "perfect_maze", "rooms_and_corridors", "spiral"), MAZES),
    "hazard_field": (
        {"size": "6-15", "density": "20-50"},
        {"size": "8-12", "hazard": "mixed,spike", "length": "10-40"},
        {"size": "7-9", "observability": "view_cone,fog_of_war"},
    ),
    "islet": (
        {"size": "7-9", "ground": "3-9", "duration": "3-12"},
        {"size": "7", "tier": "5", "observability": "fog_of_war"},
    ),
    "lava_rivers": (
        {"size": "8-16", "rivers": "1-5"},
        {"size": "9-13", "hazard": "mixed,pit", "length": "12-50"},
        {"size": "8-10", "observability": "view_cone,fog_of_war"},
    ),
    "teleporter_house": (
        {"size": "7-13", "depth": "1-4", "decoys": "0-3", "traps": "0-1"},
        {"size": "8-11", "depth": "2-3", "one_way": "0,100", "length": "8-40"},
    ),
    "warehouse": ({"size": "6-8", "blocks": "1", "lines": "2-8"}, {"size": "6-7", "blocks": "2", "lines": "3-6"}),
    "weights": ({"size": "9-12"}, {"size": "10", "lines": "1-5", "length": "15-70"}, {"size": "13", "depth": "4"}),
}
"""Every family to what is asked of it, each in its turn."""

FACTS: Mapping[str, Callable[[TaskSpecification], object]] = {
    "size": lambda task: max(task.maze.dimensions),
    "depth": lambda task: len(task.dependency_chain.sequence) if task.dependency_chain else 0,
    "decoys": lambda task: sum(each.type not in ("distractor_door", "distractor_gate") for each in task.distractors),
    "observability": lambda task: task.rules.observability,
    "view_size": lambda task: task.rules.view_size,
    "hidden": lambda task: len(task.rules.hidden_mechanisms),
    "goal": lambda task: task.goal.type,
    "tier": lambda task: task.difficulty_tier,
    "blocks": lambda task: len(task.mechanisms.blocks),
    "duration": lambda task: task.max_steps,
}
"""Parameters to what has to be equal to them in a task; where a parameter is None, nothing was asked."""

MAX_STATES = 60_000
"""Of each search, the solver's and the plain one."""
MAX_TABLE_STATES = 2_000
PROVED, UNTOUCHED, TOO_LARGE = "proved", "touches not proved", "too large"
"""What a plain search can find out of a certificate: all; all but what comes of touching decoys; or nothing."""


@attrs.frozen
class Outcome:
    """What has become of a seed."""

    family: str
    form: str | None
    """The canonical form of its task; None if there is none."""
    refused: Mapping[str, int]
    """Why drawings were thrown away."""
    tilings: Mapping[str, str]
    """Tiling to whether the certificate was proved anew, or was too large for that."""
    wrong: Sequence[str]
    """What the certificate says and is not so."""


def jobs(
    count: int,
    tilings: tuple[str, ...] = ("square",),
    families: Sequence[str] = tuple(FAMILIES),
    first: int = 0,
    max_attempts: int = 200,
) -> Iterator[Job]:
    """Some of a list without end, from the first on, in which families take turns, and the recipes of each family."""
    for number in range(first, first + count):
        turn, place = divmod(number, len(families))
        asked = FAMILIES[families[place]]
        own, which = divmod(turn, len(asked))
        fields = {"family": families[place], "count": str(own + 1), "seed": "14", "max_attempts": str(max_attempts)}
        yield Job(recipe_from_texts({**fields, "tilings": ",".join(tilings), **asked[which]}, families[place]), own)


def found_for(
    asked: Iterable[Job], there: Mapping[str, Outcome] | None = None, max_states: int = MAX_STATES
) -> Iterator[Found]:
    """What is found for each job, no two alike; for those whose outcome is there, no more than that."""
    bounds = Bounds(max_states, MAX_TABLE_STATES)
    known = there or {}
    found = (_again(job, known[name_of(job)]) if name_of(job) in known else make(job, bounds) for job in asked)
    return without_duplicates(found, bounds)


def _again(job: Job, outcome: Outcome) -> Found:
    if outcome.form is None:
        return Missed(job, outcome.refused, None)
    return Made(job, (), outcome.form, outcome.refused)


def name_of(job: Job) -> str:
    """What tells a job apart from all others."""
    return f"{job.recipe.digest}:{job.number}"


def examine(found: Found, max_states: int = MAX_STATES) -> Outcome:
    """Hold what was found against what was asked for, and against what a plain search finds."""
    recipe = found.job.recipe
    if isinstance(found, Missed):
        return Outcome(recipe.family, None, found.refused, {}, [])
    (task,) = found.tasks
    certificate = read_certificate(task)
    wrong, verdicts = [*_not_as_asked(recipe, task, certificate)], {}
    for tiling in recipe.tilings:
        verdicts[tiling], problems = _examine_on(tiling, task, certificate, max_states)
        wrong += [f"{tiling}: {each}" for each in problems]
    return Outcome(recipe.family, found.form, found.refused, verdicts, [f"{task.task_id}: {each}" for each in wrong])


def _examine_on(
    tiling: str, task: TaskSpecification, certificate: Certificate, max_states: int
) -> tuple[str, list[str]]:
    """What could be proved of a certificate on a tiling, and what is wrong with it there."""
    world, said = compile_on(tiling, task), claims_of(certificate, tiling)
    wrong = [*_wrong_plan(world, said)]
    if said.needs_all_states:
        plain = explore_plainly(world, max_states)
        if plain is not None:
            wrong += [*_wrong_optimum(world, plain, said), *_wrong_touches(world, plain, said)]
            return PROVED, wrong
    plain = explore_to_success(world, max_states)
    if plain is None:
        return TOO_LARGE, wrong
    return UNTOUCHED if said.needs_all_states else PROVED, [*wrong, *_wrong_optimum(world, plain, said)]


@attrs.frozen
class Claims:
    """What a certificate says of one tiling."""

    length: int
    plan: tuple[Action, ...]
    necessary: tuple[str, ...]
    safe: tuple[str, ...]
    lost_share: float | None
    """Of all states, those that are lost; None if they were not counted."""

    @property
    def needs_all_states(self) -> bool:
        """Whether something is said that states on the way to success do not tell."""
        return bool(self.safe) or self.lost_share is not None


def claims_of(certificate: Certificate, tiling: str) -> Claims:
    """What a certificate says of a tiling."""
    return Claims(
        certificate.optimal_length[tiling],
        certificate.plan[tiling],
        certificate.necessary[tiling],
        certificate.safe[tiling],
        certificate.difficulty[tiling].irreversibility,
    )


def _not_as_asked(recipe: Recipe, task: TaskSpecification, certificate: Certificate) -> Iterator[str]:
    """Where a task is outside of what was asked for, by its certificate and by what is in it."""
    origin = certificate.generator
    assert origin is not None
    if {*certificate.optimal_length} != {*recipe.tilings}:
        yield f"certified on {sorted(certificate.optimal_length)}"
    for tiling, length in certificate.optimal_length.items():
        if recipe.length is not None and length not in recipe.length:
            yield f"{length} actions on {tiling}, outside of {recipe.length}"
        if length > task.max_steps:
            yield f"{length} actions on {tiling}, beyond the budget of {task.max_steps}"
    if origin.parameters not in [each.parameters for each in variations(recipe)]:
        yield f"drawn with {origin.parameters}, which were not asked for"
    for name, fact in FACTS.items():
        stated = origin.parameters.get(name)
        if stated is not None and fact(task) != stated:
            yield f"{name} is {fact(task)}, and says {stated}"


def _wrong_plan(world: World, said: Claims) -> Iterator[str]:
    """Play the plan: it has to win with its last action."""
    state = world.start
    for action in said.plan:
        if state.status != Status.RUNNING:
            yield "the plan goes on after its end"
            return
        state, _ = transition(world, state, action)
    if state.status != Status.SUCCEEDED:
        yield "the plan does not win"
    if len(said.plan) != said.length:
        yield f"the plan has {len(said.plan)} actions, and says {said.length}"


def _wrong_optimum(world: World, plain: Explored, said: Claims) -> Iterator[str]:
    """What is said of shortest plans, and of what they need, and is not so."""
    if plain.length == said.length:
        yield from _wrong_chain(world, plain, said.necessary)
        yield from _wrong_distractors(world, plain, said.safe)
    else:
        yield f"won by {plain.length} actions, and says {said.length}"


def _wrong_chain(world: World, plain: Explored, necessary: Sequence[str]) -> Iterator[str]:
    chain = world.task.dependency_chain
    steps = chain.sequence if chain else ()
    opened_by = {step.unlocks: step.element for step in reversed(steps) if step.unlocks in world.by_id}
    if {*necessary} != {*opened_by, *(step.element for step in steps)}:
        yield f"{necessary} are not all of the chain"
    for name in necessary:
        if can_do_without(world, plain, world.by_id[name].index):
            yield f"'{name}' is not necessary"
    for barrier, opener in opened_by.items():
        if can_come_first(world, plain, world.by_id[barrier].index, world.by_id[opener].index):
            yield f"'{barrier}' need not wait for '{opener}'"


def _wrong_distractors(world: World, plain: Explored, safe: Sequence[str]) -> Iterator[str]:
    if {*safe} != {each.element_id for each in world.task.distractors if each.type != LABEL_DISTRACTOR}:
        yield f"{safe} are not all of the distractors"
    for name in safe:
        if not can_do_without(world, plain, world.by_id[name].index):
            yield f"'{name}' is no distractor"


def _wrong_touches(world: World, plain: Explored, said: Claims) -> Iterator[str]:
    """What is said of how the task is lost, and is not so."""
    lost_share = len(plain.lost) / len(plain.states)
    if said.lost_share is not None and not world.goal_type.timed and abs(said.lost_share - lost_share) > 1e-12:
        yield f"of all states {lost_share} are lost, and says {said.lost_share}"
    for name in said.safe:
        entity = world.by_id[name].index
        touch = quickest_touch(world, plain, entity)
        if said.lost_share is not None and can_lose_by_touching(world, plain, entity):
            yield f"'{name}' is not safe: touching it can lose the task"
        elif touch is not None and plain.distance[touch] is None:
            yield f"'{name}' is not safe: its quickest touch loses the task"


def _read(log: Path | None) -> dict[str, Outcome]:
    if log is None or not log.exists():
        return {}
    lines = (json.loads(line) for line in log.read_text(encoding="utf-8").splitlines())
    return {line.pop("job"): Outcome(**line) for line in lines}


def _append(log: Path | None, job: Job, outcome: Outcome) -> None:
    if log is not None:
        plain: dict[str, Any] = attrs.asdict(outcome, recurse=False)
        with log.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"job": name_of(job), **plain}) + "\n")


def summary(outcomes: Sequence[Outcome]) -> str:
    """What has become of seeds, by family."""
    lines = []
    for family in sorted({each.family for each in outcomes}):
        own = [each for each in outcomes if each.family == family]
        made = sum(each.form is not None for each in own)
        refused: Counter[str] = Counter()
        verdicts: Counter[str] = Counter()
        for each in own:
            refused.update(each.refused)
            verdicts.update(each.tilings.values())
        drawn = made + refused.total()
        lines.append(
            f"{family:20s} {len(own):6d} seeds {drawn:6d} drawn {made:6d} certified ({made / drawn:4.0%})"
            f" {verdicts[PROVED]:6d} proved {verdicts[UNTOUCHED]:4d} but for touches {verdicts[TOO_LARGE]:4d} too large"
            f" {sum(bool(each.wrong) for each in own):3d} wrong   {dict(refused.most_common())}\n"
        )
    forms = [each.form for each in outcomes if each.form is not None]
    return "".join(lines) + f"{len(outcomes)} seeds, {len(forms)} tasks, {len(forms) - len({*forms})} of them alike\n\n"


def main() -> None:
    """Examine seeds until there are enough, or time is over."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", type=int, default=0, help="of the seeds")
    parser.add_argument("--seeds", type=int, default=10_000)
    parser.add_argument("--families", default=",".join(FAMILIES))
    parser.add_argument("--tilings", default="square", help="each task is certified on all of them")
    parser.add_argument("--max-states", type=int, default=MAX_STATES)
    parser.add_argument("--max-attempts", type=int, default=200, help="drawings for each seed")
    parser.add_argument("--seconds", type=float, default=3600.0)
    parser.add_argument("--log", type=Path, help="where outcomes are kept, and found again")
    given = parser.parse_args()
    tilings, families = tuple(given.tilings.split(",")), given.families.split(",")
    asked = jobs(given.seeds, tilings, families, given.first, given.max_attempts)
    there = _read(given.log)
    outcomes: list[Outcome] = []
    end = time.monotonic() + given.seconds
    for found in found_for(asked, there, given.max_states):
        outcome = there.get(name_of(found.job))
        if outcome is None:
            outcome = examine(found, given.max_states)
            _append(given.log, found.job, outcome)
        outcomes.append(outcome)
        for each in outcome.wrong:
            sys.stdout.write(f"WRONG: {each}\n")
        if len(outcomes) % 600 == 0:
            sys.stdout.write(summary(outcomes))
            sys.stdout.flush()
        if time.monotonic() > end:
            break
    sys.stdout.write(summary(outcomes))
    raise SystemExit(any(each.wrong for each in outcomes))


if __name__ == "__main__":
    main()
