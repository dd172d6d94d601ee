"""Masked actions win from wherever they lead, if any actions do."""

from functools import lru_cache

import pytest

from gridworld.suites import find_tasks, read_named_task
from gridworld.task_spec import TaskSpecification
from masks_at_length import GENERATED, VIEWS, Case, Outcome, bundled_tasks, examine, generated_tasks
from support.tilings import on_all_tilings
from support.worlds import corridor, door

HIDING = (
    ("tiers/t5_04_guarded_gaps", "square", "full"),
    ("tiers/t5_01_secret_alcove", "hex", "view_cone"),
    ("tiers/t5_08_phantom_portal", "square", "view_cone"),
    ("worked_examples/e08_lever_behind", "488", "fog_of_war"),
    ("worked_examples/e10_between_pits", "triangle", "view_cone"),
)
"""Tasks, most of which hide something, on a tiling and in a view."""
BUNDLED, AT_ONCE = 170, 10
"""How many tasks are bundled, and how many a thorough run tries in one test; `masks_at_length` looks at more states."""


@lru_cache(maxsize=1)
def all_tasks() -> list[TaskSpecification]:
    return [*bundled_tasks(), *generated_tasks()]


@pytest.mark.parametrize(("reference", "tiling", "view"), HIDING)
def test_masked_actions_win_where_any_do(reference: str, tiling: str, view: str) -> None:
    outcome = examine(Case(read_named_task(reference), tiling, view), most_states=2_000)
    assert outcome.spoilt == 0
    assert outcome.moments > 50


@pytest.mark.parametrize("view", VIEWS)
@on_all_tilings
def test_they_do_where_a_door_looks_like_wall(name: str, view: str) -> None:
    task = corridor("@CG", C=door("red", "closed"), rules={"hidden_mechanisms": ["C"]})
    outcome = examine(Case(task, name, view))
    assert outcome.exhaustive
    assert outcome.spoilt == 0


def test_they_do_where_a_generated_door_looks_like_wall() -> None:
    (task,) = find_tasks("generated:perfect_maze?hidden=1&depth=1&steps=key&size=6&count=1")
    assert examine(Case(task, "square", "full")) == Outcome(exhaustive=True, moments=220, spoilt=0)


@pytest.mark.thorough
@on_all_tilings
@pytest.mark.parametrize("first", range(0, BUNDLED + GENERATED, AT_ONCE))
def test_they_do_in_all_tasks(first: int, name: str) -> None:
    tasks = all_tasks()
    assert len(tasks) == BUNDLED + GENERATED
    cases = [Case(task, name, view) for task in tasks[first : first + AT_ONCE] for view in VIEWS]
    assert [case.name for case in cases if examine(case, most_states=5_000).spoilt] == []
