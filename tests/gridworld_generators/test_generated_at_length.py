"""What generated tasks say of themselves, proved, or refuted, by a search that shares no code with the solver."""

from collections.abc import Callable
from typing import Any

import attrs
import pytest

from generated_at_length import FAMILIES, Outcome, examine, found_for, jobs, name_of
from gridworld.generation.certificate import Certificate, read_certificate
from gridworld.generation.making import Made
from gridworld.plugins import get_registry
from gridworld_generators.plugin import MAZES, PUZZLES

TILINGS = ("square", "hex", "triangle", "488", "3464")


def outcomes(
    count: int,
    first: int,
    tilings: tuple[str, ...] = ("square",),
    max_attempts: int = 200,
    max_states: int = 20_000,
) -> list[Outcome]:
    """What becomes of some seeds."""
    asked = jobs(count, tilings, first=first, max_attempts=max_attempts)
    return [examine(found, max_states) for found in found_for(asked, max_states=max_states)]


@pytest.fixture(scope="module")
def made() -> Made:
    """A task with a chain of two steps and a decoy, whose states are tabulated."""
    asked = jobs(200, families=["open_rooms"])
    found = found_for(job for job in asked if job.recipe.parameters.get("decoys") == "0-2")
    return next(each for each in found if isinstance(each, Made) and _is_rich(read_certificate(each.tasks[0])))


def _is_rich(certificate: Certificate) -> bool:
    has_table = certificate.difficulty["square"].irreversibility is not None
    return has_table and len(certificate.necessary["square"]) > 3 and len(certificate.safe["square"]) > 0


def test_every_family_has_its_turn() -> None:
    assert set(FAMILIES) == {name for name, _, _ in (*MAZES, *PUZZLES)}
    assert {job.recipe.family for job in jobs(len(FAMILIES))} == set(FAMILIES)
    assert set(FAMILIES) <= set(get_registry().generators.names())


@pytest.mark.parametrize("first", [0, 5, 10])
def test_a_certificate_is_proved_by_a_search_that_shares_no_code(first: int) -> None:
    (outcome,) = outcomes(1, first)
    assert (list(outcome.wrong), outcome.tilings) == ([], {"square": "proved"})


@pytest.mark.thorough
@pytest.mark.parametrize("first", range(0, 720, 60))
def test_so_are_those_of_many_seeds(first: int) -> None:
    found = outcomes(60, first, max_states=60_000)
    assert [each.wrong for each in found if each.wrong] == []
    assert sum(each.tilings.get("square") == "proved" for each in found) >= 55


@pytest.mark.thorough
@pytest.mark.parametrize("first", range(0, 36, 6))
def test_so_are_those_for_all_tilings_at_once(first: int) -> None:
    found = outcomes(6, first, TILINGS, max_attempts=10)
    assert [each.wrong for each in found if each.wrong] == []
    assert sum(verdict == "proved" for each in found for verdict in each.tilings.values()) >= 15


def test_what_is_known_is_not_made_again_and_changes_nothing() -> None:
    asked = list(jobs(4, families=["islet", "lava_rivers"]))
    whole = {name_of(each.job): examine(each) for each in found_for(asked)}
    known = {name: outcome for name, outcome in whole.items() if name != name_of(asked[2])}
    again = list(found_for(asked, known))
    assert [bool(each.tasks) for each in again if isinstance(each, Made)] == [False, False, True, False]
    assert examine(again[2]) == whole[name_of(asked[2])]


def forged(made: Made, **fields: Any) -> Made:
    """The same with another certificate."""
    (task,) = made.tasks
    certificate = attrs.evolve(read_certificate(task), **fields).to_dict()
    return attrs.evolve(made, tasks=(attrs.evolve(task, metadata={**task.metadata, "certificate": certificate}),))


FORGERIES: dict[str, tuple[Callable[[Certificate], dict[str, Any]], str]] = {
    "a longer plan": (
        lambda said: {
            "optimal_length": {"square": said.optimal_length["square"] + 2},
            "plan": {"square": (said.plan["square"][0],) * 4 + said.plan["square"]},
        },
        "won by",
    ),
    "a plan that does not win": (lambda said: {"plan": {"square": said.plan["square"][:-1]}}, "the plan does not win"),
    "a part of the chain": (
        lambda said: {"necessary": {"square": said.necessary["square"][:-1]}},
        "not all of the chain",
    ),
    "a decoy that is needed": (
        lambda said: {"safe": {"square": (said.necessary["square"][0],)}},
        "is no distractor",
    ),
    "a decoy in the chain": (lambda said: {"necessary": {"square": said.safe["square"]}}, "is not necessary"),
    "other dead ends": (
        lambda said: {"difficulty": {"square": attrs.evolve(said.difficulty["square"], irreversibility=0.5)}},
        "of all states",
    ),
    "another tiling": (
        lambda said: {
            name: {
                "hex": attrs.asdict(said, recurse=False)[name]["square"],
                "square": attrs.asdict(said, recurse=False)[name]["square"],
            }
            for name in ("optimal_length", "plan", "necessary", "safe", "difficulty", "budget")
        },
        "certified on",
    ),
    "other parameters": (
        lambda said: {
            "generator": attrs.evolve(said.generator, parameters={**said.generator.parameters, "size": 21})
            if said.generator
            else None
        },
        "which were not asked for",
    ),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_what_a_certificate_says_wrongly_is_found(name: str, made: Made) -> None:
    assert examine(made).wrong == []
    forge, told = FORGERIES[name]
    wrong = examine(forged(made, **forge(read_certificate(made.tasks[0])))).wrong
    assert any(told in each for each in wrong), wrong
