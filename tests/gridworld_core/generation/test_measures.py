"""Measures of generated tasks, in the words of the mechanism types."""

from typing import Any

from gridworld.generation.certificate import Proof
from gridworld.generation.measures import MEASURES
from gridworld.plugins.tilings import compile_on
from gridworld.solver import solve
from gridworld.task_spec import TaskSpecification
from support.worlds import block, door, draw, gate, key, switch


def measured(name: str, task: TaskSpecification) -> Any:
    plan = solve(compile_on("square", task)).plan
    assert plan is not None
    return MEASURES[name](task, Proof(plan, (), (), {}))


def of_switches(count: int, **rules: Any) -> TaskSpecification:
    things = dict(zip("st"[:count], [switch("g"), switch("g", switch_type="hold")], strict=False))
    row = "".join(things).ljust(2, ".")
    task = draw(
        f"########\n#@{row}kb.#\n#.g.D.G#\n########", g=gate(), k=key("red"), D=door("red"), b=block(), **things
    )
    sequence = [{"step": i, "type": "x", "element": name, "unlocks": "g"} for i, name in enumerate((*things, "k"))]
    return TaskSpecification.from_dict(
        {**task.to_dict(), "rules": rules, "dependency_chain": {"depth": 1, "sequence": sequence}}
    )


def test_contents_are_counted_in_singular_and_plural() -> None:
    assert measured("contents", of_switches(1)) == "1 block, 1 door, 1 gate, 1 key, 1 switch"
    assert measured("contents", of_switches(2)) == "1 block, 1 door, 1 gate, 1 key, 2 switches"


def test_the_chain_names_the_kind_of_each_switch() -> None:
    assert measured("chain", of_switches(2)) == "toggle switch, hold switch, key"
    assert measured("chain", of_switches(1, switch_type="one_shot")) == "one_shot switch, key"


def test_colours_are_listed_by_place() -> None:
    assert measured("colors", of_switches(1)) == "yellow, red, red, grey"
