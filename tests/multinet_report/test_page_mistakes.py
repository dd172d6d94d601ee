"""Mistakes in the data of a page: how each episode ended, and the table to whose rows episodes refer."""

from pathlib import Path
from typing import Any

import pytest

from gridworld.model_interface import AnswerFault, AnswerOutcome
from multinet_eval import read
from multinet_report.report import make_report
from support.pages import blocks_of
from support.runs import AnsweringModel, record_run
from support.worlds import door, draw, key

LOCKED = draw("#######\n#@kD.G#\n#######", k=key("red"), D=door("red"), max_steps=12)
OPEN = draw("#####\n#@.G#\n#####", max_steps=12)
BUMPING = "PFFFFFFFFFFF"
"""Takes the key and walks into the door; in the second episode the model waits."""


def shown(run: Path, **options: Any) -> dict[str, Any]:
    """The blocks of the page of a run, and the data of the run as `run`."""
    blocks = blocks_of(make_report([run], **options).text)
    return {"run": blocks["index"]["runs"][0], **blocks}


@pytest.fixture(scope="module")
def blocks(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The page of a run of two episodes, of which one fails at a door and the other waits."""
    return shown(record_run(tmp_path_factory.mktemp("runs") / "run", [LOCKED, OPEN], BUMPING).path)


def test_sentence_and_rows_are_those_of_the_run(tmp_path: Path) -> None:
    run = record_run(tmp_path / "run", [LOCKED, OPEN], BUMPING).path
    told, table = shown(run)["run"]["mistakes"], read(run).mistake_table
    assert (told["sentence"], told["rows"]) == (table.sentence, table.to_list())
    assert (told["wasted_steps"], told["failed"], told["unknown"]) == (table.wasted_steps, 2, 0)


def test_an_episode_names_its_ending_and_what_was_needed_at_the_decisive_step(blocks: dict[str, Any]) -> None:
    at_door, waiting = blocks["run"]["episodes"]
    names = ("ending", "decisive_step", "needed", "wasted")
    assert [at_door[name] for name in names] == ["stuck", 3, "toggle D", 10]
    assert [waiting[name] for name in names] == ["stuck", 1, "go on towards the goal", 12]


def test_an_episode_refers_to_the_rows_of_its_mistakes(blocks: dict[str, Any]) -> None:
    rows = blocks["run"]["mistakes"]["rows"]
    for episode, did in zip(blocks["run"]["episodes"], ("walked into a door", "waited"), strict=True):
        assert rows[episode["decisive"]]["did"] == did
        assert [rows[place]["did"] for place in episode["mistakes"]] == [did]


def test_the_mistakes_of_an_episode_are_listed_by_step(blocks: dict[str, Any]) -> None:
    first, *more = blocks[blocks["run"]["episodes"][0]["block"]]["mistakes"]
    expected = {"needed": "toggle D", "did": "walked into a door", "wasted": 1, "exploring": False}
    assert first == {"step": 3, **expected}
    assert [each["step"] for each in more] == list(range(4, 13))


def test_of_steps_towards_the_unseen_only_those_that_explore_are_no_mistakes(tmp_path: Path) -> None:
    behind = draw("######\n#G.@.#\n######", max_steps=2, rules={"observability": "view_cone", "view_size": 5})
    found = shown(record_run(tmp_path / "run", [behind], "FW").path)
    steps = found[found["run"]["episodes"][0]["block"]]["mistakes"]
    assert [(each["did"], each["exploring"]) for each in steps] == [("explored", True), ("waited", False)]


def test_without_distances_mistakes_are_unknown(tmp_path: Path) -> None:
    run = shown(record_run(tmp_path / "run", [LOCKED], BUMPING).path, max_states=1)["run"]
    assert run["mistakes"]["wasted_steps"] is None
    assert run["mistakes"]["sentence"] == "The mistakes are unknown."
    assert (run["episodes"][0]["ending"], run["episodes"][0]["mistakes"]) == ("unknown", [])


@pytest.mark.parametrize(("letters", "equal"), [("FF", True), ("LRFF", False)])
def test_epochs_are_equal_if_all_steps_are(letters: str, equal: bool, tmp_path: Path) -> None:
    answers = [*letters, *"FFFF"] if equal else [*letters, *"FF"]
    run = shown(record_run(tmp_path / "run", [OPEN], AnsweringModel(*answers), epochs=2).path)["run"]
    assert run["epochs"] == {"number": 2, "equal": equal}
    assert ("Epoch" in {group["name"] for group in run["groups"]}) is not equal


def test_of_faults_the_commonest_is_named_with_its_latest_message(tmp_path: Path) -> None:
    refused = [AnswerFault(AnswerOutcome.REFUSED, message) for message in ("no", "never")]
    model = AnsweringModel(*refused, AnswerOutcome.EMPTY, "F", "F")
    run = shown(record_run(tmp_path / "run", [OPEN], model).path)["run"]
    assert run["fault"] == {"kind": "refused", "count": 2, "message": "never", "all": 3, "of": 5}
