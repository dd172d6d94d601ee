"""``multinet tasks show``: what a task is, in words."""

import json
from pathlib import Path

import pytest

from gridworld.ascii import draw_task
from gridworld.plugins import get_registry
from gridworld.task_spec import TaskSpecification
from gridworld.text import text_view
from support.commands import runner
from support.programs import json_of, output_of
from support.runs import write_corridor, write_task
from support.worlds import begin, describe, door, gate, key, switch

show = runner("multinet", "tasks", "show")


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A task of which there is something to tell in every line."""
    data = describe(
        "########\n#@kD.s.#\n#....#.#\n#.l.#gG#\n########",
        k=key("red"),
        l=key("blue"),
        D=door("red"),
        s=switch("g"),
        g=gate(),
        rules={"observability": "view_cone", "view_size": 3, "hidden_mechanisms": ["s"]},
        max_steps=60,
    )
    data["task_id"], data["description"] = "house [bold]", "A house [1] with größe ✓."
    data["dependency_chain"] = {
        "depth": 1,
        "sequence": [{"step": 1, "type": "key-door", "element": "k", "unlocks": "D"}],
        "notation": "k -> D -> goal",
    }
    data["distractors"] = [{"type": "distractor_key", "element_id": "l"}]
    return write_task(tmp_path_factory.mktemp("show"), data, "house.json")


def test_the_facts_as_json(house: Path) -> None:
    facts = json_of(show(house, "--json"))
    mechanisms = facts.pop("mechanisms").split(", ")
    assert sorted(each.split(" (")[0] for each in mechanisms) == ["D", "g", "k", "l", "s"]
    assert "red" in next(each for each in mechanisms if each.startswith("D "))
    view = facts.pop("view")
    assert facts == {
        "task": "house [bold]",
        "description": "A house [1] with größe ✓.",
        "mission": "reach the goal",
        "tier": 1,
        "size": "8 x 5",
        "budget": 60,
        "goal": "reach_position",
        "observability": "view_cone",
        "hidden": "s",
        "dependency chain": "k -> D -> goal",
        "distractors": "l",
        "shortest plan": "10 actions",
    }
    assert view == str(text_view(begin(TaskSpecification.from_json(house))))


def test_the_facts_are_a_table_with_the_agents_view_below_it(house: Path) -> None:
    printed = output_of(show(house))
    for text in ("house [bold]", "A house [1] with größe ✓.", "reach the goal", "8 x 5", "60", "k -> D -> goal"):
        assert text in printed
    assert printed.rstrip().endswith(str(text_view(begin(TaskSpecification.from_json(house)))).rstrip())


def test_what_there_is_not_has_no_line(tmp_path: Path) -> None:
    finished = show(write_corridor(tmp_path, "plain"))
    assert finished.returncode == 0
    for heading in ("description", "mechanisms", "hidden", "dependency chain", "distractors"):
        assert heading not in finished.stdout
    assert "#>.G#" in finished.stdout


def test_a_drawing_is_printed_alone_or_as_json(tmp_path: Path) -> None:
    file = write_corridor(tmp_path, "plain")
    drawing = output_of(show(file, "--drawing"))
    assert drawing == draw_task(TaskSpecification.from_json(file), get_registry())
    assert json_of(show(file, "--drawing", "--json")) == {"task": "plain", "drawing": drawing}


def test_unsolvable_and_given_up_tasks_differ(house: Path, tmp_path: Path) -> None:
    walled = show(write_corridor(tmp_path, "walled", "@.#G"), "--json")
    given_up = show(house, "--max-states", "5", "--json")
    assert json.loads(walled.stdout)["shortest plan"] == "unsolvable"
    assert json.loads(given_up.stdout)["shortest plan"] == "gave up after 5 states; raise --max-states"
