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

from gridworld.generation.certificate import Bounds, Certificate, read_certificate
from gridworld.generation.making import Found, Job, Made, Missed, make, without_duplicates
from gridworld.generation.recipe import Recipe, variations
from gridworld.generation.recipe_texts import recipe_from_texts
from gridworld.task_spec import TaskSpecification
from support.plain_search import PROVED, TOO_LARGE, UNTOUCHED, refuted

__all__ = ["FAMILIES", "Outcome", "examine", "found_for", "jobs", "name_of"]

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


@attrs.frozen
class Outcome:
    """What has become of a seed."""

    family: str
    form: str | None
    """The canonical form of its task; None if there is none."""
    refused: Mapping[str, int]
    """Why drawings were thrown away."""
    tilings: Mapping[str, str]
    """Tiling to how much of the certificate could be proved anew (`refuted_certificates`)."""
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
        verdicts[tiling], problems = refuted(tiling, task, certificate, max_states)
        wrong += [f"{tiling}: {each}" for each in problems]
    return Outcome(recipe.family, found.form, found.refused, verdicts, [f"{task.task_id}: {each}" for each in wrong])


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
