"""Verifying certificates of single tasks and of sets."""

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from gridworld.generation.making import Made, make_all
from gridworld.generation.recipe import Recipe
from gridworld.generation.verifying import set_of, verify, verify_together
from gridworld.task_spec import TaskSpecification

pytestmark = pytest.mark.usefixtures("generators")

Change = Callable[[dict[str, Any]], object]


@cache
def made_as_text(family: str, depth: str | None) -> str:
    """The tasks of a set, as in their files."""
    parameters = {} if depth is None else {"depth": depth}
    (found,) = make_all([Recipe(family=family, count=1, parameters=parameters, tilings=("square", "hex"))])
    assert isinstance(found, Made)
    return json.dumps([task.to_dict() for task in found.tasks])


@pytest.fixture
def data() -> dict[str, Any]:
    """A certified task, as in its file."""
    contents: list[dict[str, Any]] = json.loads(made_as_text("corridors", "1"))
    return contents[0]


@pytest.fixture
def pair() -> list[dict[str, Any]]:
    """Both tasks of a set, as in their files."""
    contents: list[dict[str, Any]] = json.loads(made_as_text("twins", None))
    return contents


def problems(data: dict[str, Any]) -> list[str]:
    return [str(problem) for problem in verify(TaskSpecification.from_dict(data)).problems]


def test_a_valid_certificate_has_no_problems(data: dict[str, Any]) -> None:
    verified = verify(TaskSpecification.from_dict(data))
    assert (verified.ok, verified.notes) == (True, ())


def certificate(data: dict[str, Any]) -> dict[str, Any]:
    part: dict[str, Any] = data["metadata"]["certificate"]
    return part


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda data: data["metadata"].clear(), "metadata.certificate is missing"),
        (lambda data: certificate(data).pop("plan"), "metadata.certificate"),
        (lambda data: certificate(data)["plan"].update(hex=["fly"]), "metadata.certificate.plan"),
        (lambda data: certificate(data).update(colour="red"), "colour"),
        (lambda data: data["metadata"].update(certificate=[]), "metadata.certificate is no object"),
        (lambda data: [part.clear() for part in certificate(data).values() if isinstance(part, dict)], "certificate"),
        (
            lambda data: certificate(data)["plan"].update({"488": ["done"]}),
            "plan has square, hex, 488, but optimal_length has",
        ),
        (lambda data: certificate(data)["optimal_length"].update(hex=10.0), "expected a whole number, got 10.0"),
        (lambda data: certificate(data)["budget"].update(hex=1, square=2), "max_steps"),
        (lambda data: data.update(max_steps=data["max_steps"] + 1), "max_steps: "),
        (lambda data: certificate(data)["optimal_length"].update(hex=3), "metadata.certificate.optimal_length.hex"),
        (lambda data: certificate(data)["plan"]["hex"].insert(0, "done"), "metadata.certificate.plan.hex"),
        (lambda data: certificate(data)["plan"]["square"].reverse(), "metadata.certificate.plan.square"),
        (lambda data: certificate(data)["necessary"].update(hex=["k"]), "metadata.certificate.necessary.hex"),
        (lambda data: certificate(data)["safe"].update(square=["k"]), "metadata.certificate.safe.square"),
        (lambda data: certificate(data)["difficulty"]["hex"].update(backtracking=9), "certificate.difficulty.hex"),
        (lambda data: certificate(data)["generator"].update(seed=2), "metadata.certificate.generator"),
        (lambda data: certificate(data)["generator"]["parameters"].update(depth=7), "metadata.certificate.generator"),
        (lambda data: data.update(max_steps=3), "metadata.certificate"),
        (lambda data: data["maze"].update(goal=[3, 1]), "mechanisms.doors[0].position"),
        (lambda data: data["mechanisms"]["doors"][0].update(initial_state="open"), "metadata.certificate"),
        (lambda data: data.pop("dependency_chain"), "metadata.certificate.necessary"),
    ],
)
def test_changes_are_found(data: dict[str, Any], change: Change, place: str) -> None:
    change(data)
    told = problems(data)
    assert told
    assert any(place in each for each in told)


def test_an_unknown_tiling_is_a_problem(data: dict[str, Any]) -> None:
    for part in ("optimal_length", "plan", "necessary", "safe", "difficulty", "budget"):
        certificate(data)[part]["rhombus"] = certificate(data)[part].pop("hex")
    assert any("unknown tiling 'rhombus'" in each for each in problems(data))


def test_a_failing_generator_is_a_problem(data: dict[str, Any]) -> None:
    certificate(data)["generator"]["seed"] = 1
    certificate(data)["generator"]["parameters"] |= {"depth": 0, "flaw": "crash"}
    assert any(
        "cannot be drawn: generator 'corridors' (gridworld-core/corridors) failed in draw" in each
        for each in problems(data)
    )


def test_another_solver_is_noted(data: dict[str, Any]) -> None:
    certificate(data)["solver"] = "gridworld-core 0.0.9"
    (note,) = verify(TaskSpecification.from_dict(data)).notes
    assert note.startswith("its plans were found by gridworld-core 0.0.9 and verified by gridworld-core")


def test_a_missing_generator_is_noted(data: dict[str, Any]) -> None:
    certificate(data)["generator"]["name"] = "caverns"
    verified = verify(TaskSpecification.from_dict(data))
    assert verified.ok
    assert verified.notes == ("generator 'caverns' is not installed, so it was not drawn again",)


def problems_of_set(files: list[dict[str, Any]]) -> list[list[str]]:
    verified = verify_together([TaskSpecification.from_dict(data) for data in files])
    return [[str(problem) for problem in each.problems] for each in verified]


def test_a_valid_set_is_compared_on_each_tiling_and_has_no_problems(pair: list[dict[str, Any]]) -> None:
    assert problems_of_set(pair) == [[], []]
    (key,) = {set_of(TaskSpecification.from_dict(data)) for data in pair}
    assert key is not None
    for data in pair:
        held, varied = certificate(data)["held"], certificate(data)["varied"]
        assert set(held) == set(varied) == {"square", "hex"}
        assert all(held[tiling].keys().isdisjoint(varied[tiling]) for tiling in held)


def test_a_missing_task_of_a_set_is_found(pair: list[dict[str, Any]]) -> None:
    ((problem,),) = problems_of_set(pair[:1])
    assert "2 tasks belong together, of which 1 are here" in problem


@pytest.mark.parametrize("part", ["held", "varied"])
def test_false_comparisons_are_found_by_place(pair: list[dict[str, Any]], part: str) -> None:
    said = pair[1]["metadata"]["certificate"][part]["hex"]
    name = sorted(said)[0]
    said[name] = "something else"
    first, (problem,) = problems_of_set(pair)
    assert first == []
    assert problem.startswith(f"metadata.certificate.{part}.hex: says ")
