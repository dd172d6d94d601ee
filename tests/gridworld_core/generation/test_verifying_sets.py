"""Tasks that were drawn together are proved together: none is missing, and what is held and varied is so."""

import json
from typing import Any

import pytest

from gridworld.generation.making import Made, make_all
from gridworld.generation.recipe import Recipe
from gridworld.generation.verifying import set_of, verify_together
from gridworld.task_spec import TaskSpecification

pytestmark = pytest.mark.usefixtures("generators")


@pytest.fixture
def pair() -> list[dict[str, Any]]:
    """Both tasks of a set, as in their files."""
    (found,) = make_all([Recipe(family="twins", count=1, tilings=("square", "hex"))])
    assert isinstance(found, Made)
    contents: list[dict[str, Any]] = json.loads(json.dumps([task.to_dict() for task in found.tasks]))
    return contents


def problems(files: list[dict[str, Any]]) -> list[list[str]]:
    verified = verify_together([TaskSpecification.from_dict(data) for data in files])
    return [[str(problem) for problem in each.problems] for each in verified]


def test_a_good_set_is_good(pair: list[dict[str, Any]]) -> None:
    assert problems(pair) == [[], []]


def test_members_of_a_set_are_known_by_their_certificates(pair: list[dict[str, Any]]) -> None:
    belonging = {set_of(TaskSpecification.from_dict(data)) for data in pair}
    assert len(belonging) == 1
    assert None not in belonging


def test_a_missing_member_is_told(pair: list[dict[str, Any]]) -> None:
    ((problem,),) = problems(pair[:1])
    assert "2 tasks belong together, of which 1 are here" in problem


@pytest.mark.parametrize("part", ["held", "varied"])
def test_a_claim_that_is_not_so_is_told_by_its_place(pair: list[dict[str, Any]], part: str) -> None:
    said = pair[1]["metadata"]["certificate"][part]["hex"]
    name = sorted(said)[0]
    said[name] = "something else"
    first, (problem,) = problems(pair)
    assert first == []
    assert problem.startswith(f"metadata.certificate.{part}.hex: says ")


def test_what_the_certificates_compare_is_told_for_each_tiling(pair: list[dict[str, Any]]) -> None:
    for data in pair:
        certificate = data["metadata"]["certificate"]
        assert set(certificate["held"]) == set(certificate["varied"]) == {"square", "hex"}
        for tiling in ("square", "hex"):
            assert certificate["held"][tiling].keys().isdisjoint(certificate["varied"][tiling])
