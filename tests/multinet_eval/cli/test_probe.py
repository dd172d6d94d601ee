"""``multinet probe`` and ``multinet diagnose`` as whole programs, with a model behind a server."""

import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from gridworld.actions import ACTION_SPACE
from gridworld.runner.presentation import Presentation
from gridworld.solver.plans import winning_plan
from gridworld.task_spec import TaskSpecification
from multinet_adapters.testing.model_servers import MODEL, ChatRequest, ModelServer, Status, serve
from multinet_eval.probing.questions import ProbeSettings
from multinet_eval.probing.running import make_questions
from multinet_eval.settings.run_settings import RunSettings
from support.commands import invoke
from support.runs import PROBES, AskedModel, write_task
from support.worlds import compiled, describe, door, key

ROOM = {**describe("######\n#@kDG#\n######", max_steps=30, k=key("red"), D=door("red")), "task_id": "room"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "tasks"
    path.mkdir()
    write_task(path, ROOM, "room.json")
    return path


class Answers:
    """Answers every question about the room as is right, and plays it by a shortest plan."""

    def __init__(self) -> None:
        settings = RunSettings(model="openai", presentation=Presentation(observation="text"))
        task = TaskSpecification.from_dict(ROOM)
        asked = make_questions(settings, ProbeSettings(PROBES, 2), [task], AskedModel())
        self._right = {each.prompt.messages[-1].text: json.dumps(dict(each.question.right)) for each in asked}
        self._plan = [ACTION_SPACE[action] for action in winning_plan(compiled(task))]

    def __call__(self, request: ChatRequest) -> str:
        return self.to(request.text)

    def to(self, question: str) -> str:
        text = next((right for asked, right in self._right.items() if asked in question), None)
        if text is not None:
            return text
        step = re.search(r"This is step (\d+) of", question)
        if step is None:
            return '{"rows": ["#"], "facing": "right", "carrying": null}'
        actions = self._plan[int(step[1]) - 1 :]
        if '"plan"' in question:
            return json.dumps({"rows": ["#"], "facing": "right", "plan": actions, "action": actions[0]})
        return json.dumps({"actions": actions} if "list" in question else {"action": actions[0]})


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with serve(Answers()) as running:
        yield running


def model(server: ModelServer) -> list[str]:
    return ["--model", "openai", "-M", f"base_url={server.openai_url}", "-M", f"model={MODEL}"]


def test_a_probing_is_recorded_and_told_and_asks_nothing_twice(
    folder: Path, server: ModelServer, tmp_path: Path
) -> None:
    record = tmp_path / "record"
    shown = ["--observation", "text", "--states", "2", "--run-dir", record]
    first = invoke(["probe", folder, *model(server), *shown, "--json"])
    assert first.exit_code == 0, first.output
    found = json.loads(first.stdout)
    assert found["kind"] == "probe"
    assert found["complete"]
    assert {each["probe"] for each in found["probes"]} == set(PROBES)
    assert all(measure["score"] == 1 for each in found["probes"] for measure in each["measures"])
    lines = (record / "answers.jsonl").read_text().splitlines()
    assert len(lines) == found["answered"] == len(server.chats)
    again = invoke(["probe", "--resume", record, "--json"])
    assert json.loads(again.stdout) == found
    assert len(server.chats) == len(lines)


def test_a_probing_that_was_left_goes_on(folder: Path, server: ModelServer, tmp_path: Path) -> None:
    record = tmp_path / "record"
    shown = ["--observation", "text", "--states", "2", "--run-dir", record, "--workers", "3"]
    left = invoke(["probe", folder, *model(server), *shown, "--max-requests", "5"])
    assert left.exit_code == 1
    assert "the limit of 5 requests is reached" in left.stderr
    assert f"multinet probe --resume {record}" in left.stderr
    done = invoke(["probe", "--resume", record, "--json"])
    assert done.exit_code == 0, done.output
    assert all(each["measures"][0]["score"] == 1 for each in json.loads(done.stdout)["probes"])
    assert len(server.chats) == len((record / "answers.jsonl").read_text().splitlines())


@pytest.mark.parametrize("workers", ["1", "3"])
def test_a_probing_of_a_dead_server_ends_and_can_be_resumed(workers: str, folder: Path, tmp_path: Path) -> None:
    answers, back = Answers(), threading.Event()

    def answer(request: ChatRequest) -> str | Status:
        return answers(request) if back.is_set() or len(server.chats) <= 4 else Status(503)

    record = tmp_path / "record"
    with serve(answer) as server:
        shown = ["--observation", "text", "--states", "2", "--run-dir", record, "--workers", workers]
        left = invoke(["probe", folder, *model(server), *shown, "--patience", "0.3"])
        assert left.exit_code == 1
        assert "the server has answered nothing for 0.3 seconds" in left.stderr
        kept = (record / "answers.jsonl").read_text().splitlines()
        assert 0 < len(kept) <= 4
        back.set()
        done = invoke(["probe", "--resume", record, "--json"])
    assert done.exit_code == 0, done.output
    assert (record / "answers.jsonl").read_text().splitlines()[: len(kept)] == kept


@pytest.mark.parametrize(
    ("command", "counted"), [("probe", "40 unparsable"), ("diagnose", "30 steps lost")], ids=["probe", "diagnose"]
)
@pytest.mark.parametrize("told", [[], ["--json"], ["--quiet"]], ids=["tables", "json", "quiet"])
def test_a_model_of_which_nothing_could_be_read_is_told_by_one_of_its_answers(
    command: str, counted: str, told: list[str], folder: Path, tmp_path: Path
) -> None:
    with serve(lambda request: "I see a maze,\nand a door.") as server:
        options = ["--observation", "text", "--run-dir", tmp_path / "record", *told]
        finished = invoke([command, folder, *model(server), *options])
    assert finished.exit_code == 1
    said = f"error: no answer could be read ({counted}); the first was: I see a maze, and a door."
    assert said in finished.stderr.splitlines()
    assert "Score" not in finished.stdout
    assert "Cause" not in finished.stdout


@pytest.mark.parametrize("command", ["probe", "diagnose"])
def test_a_server_that_answered_nothing_leaves_no_empty_tables(command: str, folder: Path, tmp_path: Path) -> None:
    with serve(lambda request: Status(503)) as server:
        options = ["--observation", "text", "--run-dir", tmp_path / "record", "--patience", "0.3"]
        finished = invoke([command, folder, *model(server), *options])
    assert finished.exit_code == 1
    assert "the server has answered nothing for 0.3 seconds: the server says (HTTP 503)" in finished.stderr
    assert finished.stdout in ("", f"recorded in {tmp_path / 'record'}\n")


def test_a_dry_run_counts_and_asks_nothing(folder: Path, server: ModelServer) -> None:
    result = invoke(["probe", folder, *model(server), "--probe", "pose", "--probe", "front", "--dry-run", "--json"])
    assert json.loads(result.stdout) == {"questions": 8, "by_probe": {"pose": 4, "front": 4}}
    assert not server.chats


def test_a_diagnosis_plays_every_way_and_is_not_played_twice(folder: Path, server: ModelServer, tmp_path: Path) -> None:
    record = tmp_path / "record"
    first = invoke(["diagnose", folder, *model(server), "--contrasts", "--run-dir", record, "--json"])
    assert first.exit_code == 0, first.output
    found = json.loads(first.stdout)
    ways = {"diagnosis", "ordinary", "text", "transcription", "plan"}
    assert {way: each["score"] for way, each in found["success"].items()} == dict.fromkeys(ways, 1.0)
    assert found["report"]["errors"] == 0
    assert found["report"]["actions"]["right"] == 5
    assert [each["name"] for each in found["contrasts"]] == [
        "asking for more",
        "reading",
        "seeing again",
        "carrying out",
    ]
    asked = len(server.chats)
    assert json.loads(invoke(["diagnose", "--resume", record, "--json"]).stdout) == found
    assert len(server.chats) == asked


def test_a_diagnosis_counts_lost_steps_and_judges_those_after_them(folder: Path, tmp_path: Path) -> None:
    answers, record = Answers(), tmp_path / "record"

    def answer(request: ChatRequest) -> str:
        """As is right, but for the first step of a diagnosis, which puts off all others."""
        step = re.search(r"This is step (\d+) of", request.text)
        if step is None or '"plan"' not in request.text:
            return answers(request)
        if step[1] == "1":
            return "I cannot tell."
        return answers.to(request.text.replace(step[0], f"This is step {int(step[1]) - 1} of"))

    with serve(answer) as server:
        finished = invoke(["diagnose", folder, *model(server), "--run-dir", record, "--json"])
    report = json.loads(finished.stdout)["report"]
    assert {cause: count for cause, count in report["actions"].items() if count} == {"lost": 1, "right": 5}
    assert report["errors"] == 0


def test_a_diagnosis_of_steps_that_lead_elsewhere_is_refused(folder: Path, server: ModelServer, tmp_path: Path) -> None:
    record = tmp_path / "record"
    assert invoke(["diagnose", folder, *model(server), "--run-dir", record]).exit_code == 0
    (episode,) = (record / "diagnosis" / "episodes").iterdir()
    lines = [json.loads(line) for line in episode.read_text().splitlines()]
    changed = next(line for line in lines if "step" in line)
    changed["step"]["digest"] = "0" * len(changed["step"]["digest"])
    episode.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    again = invoke(["diagnose", "--resume", record])
    assert again.exit_code == 1
    assert "'room', played again, is another episode than was recorded from step 1" in again.stderr


PRICES = f'["openai/{MODEL}"]\ninput = 1000\noutput = 1000\n'


def test_a_diagnosis_has_prices_and_limits_of_cost(folder: Path, server: ModelServer, tmp_path: Path) -> None:
    prices, record = tmp_path / "prices.toml", tmp_path / "record"
    prices.write_text(PRICES)
    options = ["--prices", prices, "--json"]
    forecast = json.loads(invoke(["diagnose", folder, *model(server), *options, "--dry-run"]).stdout)
    assert list(forecast) == ["diagnosis", "ordinary"]
    assert all(each["cost"]["most"] > each["cost"]["least"] > 0 for each in forecast.values())
    assert not server.chats
    left = invoke(["diagnose", folder, *model(server), *options, "--run-dir", record, "--max-cost", "0.001"])
    assert left.exit_code == 1
    assert "the limit of a cost of 0.001 is reached" in left.stderr
    assert json.loads(left.stdout)["cost"]["diagnosis"] > 0.001
    done = invoke(["diagnose", "--resume", record, "--json"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    spent = {way: each["prompt_tokens"] + each["completion_tokens"] for way, each in found["spent"].items()}
    assert found["cost"] == {way: pytest.approx(tokens / 1000) for way, tokens in spent.items()}
