"""Worked examples have the mechanisms of a suite and none of its tasks."""

import random

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.errors import ArgumentError
from gridworld.generation.canonical import canonical_form
from gridworld.suites import find_suite
from gridworld.suites.choosing_examples import choose_examples
from gridworld.task_spec import TaskSpecification
from support.worlds import corridor, door, gate, hazard, key, mirrored, moved, switch, turned

CANDIDATES = find_suite("worked_examples")
PLAIN = corridor("@.........G")
KEYED = corridor("@.k.D.....G", k=key("red"), D=door("red"))
GATED = corridor("@.s.g.....G", s=switch("g"), g=gate())
BOTH = corridor("@.k.D.s.g.G", k=key("red"), D=door("red"), s=switch("g"), g=gate())
LAVA = corridor("@....G....h", h=hazard())


def chosen(count: int, *suite: TaskSpecification) -> tuple[TaskSpecification, ...]:
    return choose_examples(count, CANDIDATES, suite, "here")


def mechanisms(*tasks: TaskSpecification) -> set[str]:
    return {name for task in tasks for name, specs in task.mechanisms.groups() if specs}


@given(st.lists(st.sampled_from([PLAIN, KEYED, GATED, BOTH, LAVA]), min_size=1), st.integers(1, 3), st.randoms())
def test_examples_have_only_mechanisms_and_goals_of_the_suite(
    suite: list[TaskSpecification], count: int, rng: random.Random
) -> None:
    examples = chosen(count, *suite)
    assert len({task.task_id for task in examples}) == count
    assert mechanisms(*examples) <= mechanisms(*suite)
    assert {task.goal.type for task in examples} <= {task.goal.type for task in suite}
    rng.shuffle(suite)
    assert chosen(count, *suite) == examples


@pytest.mark.parametrize("suite", [(KEYED,), (BOTH,), (KEYED, GATED), (KEYED, GATED, LAVA)])
def test_examples_cover_the_mechanisms_of_the_suite(suite: tuple[TaskSpecification, ...]) -> None:
    assert mechanisms(*chosen(2, *suite)) == mechanisms(*suite)


def test_examples_are_not_equivalent_to_tasks_of_the_suite() -> None:
    key_in_a_corner = next(task for task in CANDIDATES if task.task_id == "e03_locked_door")
    suite = [KEYED, moved(moved(key_in_a_corner, turned, swaps=True), mirrored, swaps=False)]
    recolored = suite[1].to_dict()
    for thing in (*recolored["mechanisms"]["keys"], *recolored["mechanisms"]["doors"]):
        thing.update({name: "purple" for name in ("color", "requires_key") if name in thing})
    for alike in (suite[1], TaskSpecification.from_dict(recolored)):
        everything = choose_examples(6, CANDIDATES, [KEYED, alike], "here")
        assert canonical_form(key_in_a_corner) == canonical_form(alike)
        assert key_in_a_corner not in everything
    assert key_in_a_corner in choose_examples(6, CANDIDATES, [KEYED], "here")


def test_a_missing_mechanism_is_named() -> None:
    others = [attrs.evolve(task, task_id="other") for task in CANDIDATES if mechanisms(task) <= {"switches", "gates"}]
    with pytest.raises(ArgumentError, match="'here' has no example with doors or keys that fits"):
        choose_examples(1, others, [KEYED, GATED], "here")


def test_too_few_candidates_are_refused() -> None:
    with pytest.raises(ArgumentError, match="examples: 3 requested, but 'here' has only 1 that fit"):
        choose_examples(3, [KEYED, GATED], [corridor("@D.k.......G", k=key("red"), D=door("red"))], "here")
