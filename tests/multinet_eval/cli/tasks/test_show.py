"""``multinet tasks show``: what a task is, in words."""

import json
from pathlib import Path

import pytest

from gridworld.task_spec import TaskSpecification
from gridworld.text import text_view
from support.programs import assert_refused, json_of, output_of, runner
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


def test_the_view_shows_no_more_than_the_agent_sees(house: Path) -> None:
    view = json.loads(show(house, "--json").stdout)["view"]
    assert "?" in view
    assert "gate" not in view


def test_unsolvable_and_given_up_tasks_differ(house: Path, tmp_path: Path) -> None:
    walled = show(write_corridor(tmp_path, "walled", "@.#G"), "--json")
    given_up = show(house, "--max-states", "5", "--json")
    assert json.loads(walled.stdout)["shortest plan"] == "unsolvable"
    assert json.loads(given_up.stdout)["shortest plan"] == "gave up after 5 states; raise --max-states"


def test_an_id_with_dots_and_slashes_is_only_text(tmp_path: Path) -> None:
    task = write_corridor(tmp_path / "a" / "b", "../../x", file="task.json")
    before = sorted(tmp_path.rglob("*"))
    finished = show(task, cwd=task.parent)
    assert finished.returncode == 0
    assert "../../x" in finished.stdout
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("name", ["validation_10", "validation_10/"])
def test_a_suite_in_place_of_a_task_is_said_to_be_one(name: str) -> None:
    assert_refused(show(name), "validation_10 is a suite; a task is validation_10/TASK_ID")
