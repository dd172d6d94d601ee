"""Certificates are proved anew, and whatever in them is not so is told by its place."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from gridworld.generation.making import Made, make_all
from gridworld.generation.recipe import Recipe
from gridworld.generation.verifying import verify
from gridworld.task_spec import TaskSpecification

pytestmark = pytest.mark.usefixtures("generators")

Change = Callable[[dict[str, Any]], object]


@pytest.fixture
def data() -> dict[str, Any]:
    """A certified task, as in its file."""
    (found,) = make_all([Recipe(family="corridors", count=1, parameters={"depth": "1"}, tilings=("square", "hex"))])
    assert isinstance(found, Made)
    contents: dict[str, Any] = json.loads(json.dumps(found.tasks[0].to_dict()))
    return contents


def problems(data: dict[str, Any]) -> list[str]:
    return [str(problem) for problem in verify(TaskSpecification.from_dict(data)).problems]


def test_a_good_one_is_good(data: dict[str, Any]) -> None:
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
            "plan is of square, hex, 488, optimal_length",
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
def test_what_was_changed_is_told(data: dict[str, Any], change: Change, place: str) -> None:
    change(data)
    told = problems(data)
    assert told
    assert any(place in each for each in told)


def test_a_tiling_that_is_not_installed_is_a_problem_of_its_task(data: dict[str, Any]) -> None:
    for part in ("optimal_length", "plan", "necessary", "safe", "difficulty", "budget"):
        certificate(data)[part]["rhombus"] = certificate(data)[part].pop("hex")
    assert any("unknown tiling 'rhombus'" in each for each in problems(data))


def test_a_generator_that_fails_is_a_problem_of_its_task(data: dict[str, Any]) -> None:
    certificate(data)["generator"]["seed"] = 1
    certificate(data)["generator"]["parameters"] |= {"depth": 0, "flaw": "crash"}
    assert any("cannot be drawn: generator 'corridors' failed" in each for each in problems(data))


def test_who_has_proved_it_is_noted(data: dict[str, Any]) -> None:
    certificate(data)["solver"] = "gridworld-core 0.0.9"
    (note,) = verify(TaskSpecification.from_dict(data)).notes
    assert note.startswith("its plans were found by gridworld-core 0.0.9, and are proved by gridworld-core")


def test_what_cannot_be_drawn_again_is_noted(data: dict[str, Any]) -> None:
    certificate(data)["generator"]["name"] = "caverns"
    verified = verify(TaskSpecification.from_dict(data))
    assert verified.ok
    assert verified.notes == ("generator 'caverns' is not installed, so it was not drawn again",)
