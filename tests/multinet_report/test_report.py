"""Pages of recorded runs: what is in their data, and what becomes of runs that are not whole."""

import json
import shutil
from pathlib import Path
from typing import Any

import attrs
import pytest

from gridworld.errors import GridworldError
from gridworld.model_interface import AnswerOutcome, ModelOutput, Usage
from gridworld.plugins import get_registry, using_registry
from gridworld.plugins.tilings import compile_on
from gridworld.solver.plans import optimal_solution
from gridworld.support.files import write_text
from gridworld.task_spec import TaskSpecification
from gridworld.world import Episode
from multinet_eval.play.recorder import texts_of
from multinet_eval.record.results import recorded_results
from multinet_eval.record.run_directory import RunDirectory
from multinet_eval.settings.spending import Prices
from multinet_report.report import make_report, write_report
from support.commands import invoke
from support.pages import HOSTILE, blocks_of, record_hostile, record_keyed
from support.runs import AnsweringModel, SteeredModel, being_played, record_run
from support.worlds import block, draw


def pushing_task() -> TaskSpecification:
    """A task of seven actions, which is lost once its block has been pushed against a wall."""
    picture = """
        ########
        #......#
        #@.b..G#
        #..t...#
        ########
    """
    goal = {"type": "push_block_to", "target_ids": ["b"], "target_positions": ["t"]}
    return draw(picture, goal=goal, max_steps=12, b=block())


@pytest.fixture(scope="module")
def keyed(tmp_path_factory: pytest.TempPathFactory) -> RunDirectory:
    """A run on all tilings."""
    return record_keyed(tmp_path_factory.mktemp("runs") / "keyed")


@pytest.fixture(scope="module")
def data(keyed: RunDirectory) -> dict[str, Any]:
    """The blocks of its page."""
    text = make_report([keyed.path]).text
    return blocks_of(text)


def test_the_figures_are_those_of_the_run(keyed: RunDirectory, data: dict[str, Any]) -> None:
    (run,) = data["index"]["runs"]
    results = recorded_results(keyed)
    assert run["whole"]["solved"] == sum(each.num_success for each in results.metrics)
    for row, metrics in zip(_group(run, "Tiling"), results.metrics, strict=True):
        assert (row["group"], row["rate"]) == (metrics.tiling, metrics.success_rate)
        assert row["interval"] == list(metrics.success_interval)
    assert [row["group"] for row in _group(run, "Mechanism")] == ["doors + gates + hazards + keys + switches"]


def _group(run: dict[str, Any], name: str) -> list[dict[str, Any]]:
    return next(group["rows"] for group in run["groups"] if group["name"] == name)


def test_distances_are_those_of_the_solver_and_plans_win_from_every_step(
    keyed: RunDirectory, data: dict[str, Any]
) -> None:
    task = attrs.evolve(keyed.task(keyed.manifest.plan[0].task), max_steps=200)  # a plan may take more than is left
    for row in data["index"]["runs"][0]["episodes"]:
        world = compile_on(row["tiling"], task)
        ways = data[row["block"]]["ways"]
        assert ways["distances"][0] == optimal_solution(world).length
        lines = keyed.latest(keyed.attempts(row["number"]))
        assert lines is not None
        for played in range(0, len(ways["distances"]), 7):
            episode = Episode(world)
            episode.reset()
            for step in lines.steps[:played]:
                episode.step(step.action)
            plan, cells = _plan(ways, played)
            assert len(plan) == ways["distances"][played]
            for action, cell in zip(plan, cells, strict=True):
                assert episode.state.cell == cell
                episode.step(action)
            assert episode.succeeded


def _plan(ways: dict[str, Any], moment: int) -> tuple[list[int], list[int]]:
    actions, cells, place = [], [], ways["plans"][moment]
    while ways["nodes"][place][2] is not None:
        cell, _, action, place = ways["nodes"][place]
        actions.append(action)
        cells.append(cell)
    return actions, cells


def test_a_step_after_which_there_is_no_way_has_no_distance_and_no_plan(tmp_path: Path) -> None:
    run = record_run(tmp_path / "run", [pushing_task()], "FFFFW")
    text = make_report([run.path]).text
    ways = blocks_of(text)["episode-0-0"]["ways"]
    assert ways["distances"][0] == 7
    assert [distance is None for distance in ways["distances"]] == [False] * 4 + [True] * 9
    assert [plan is None for plan in ways["plans"]] == [False] * 4 + [True] * 9


def test_prompts_are_exactly_what_was_asked(tmp_path: Path) -> None:
    model = SteeredModel(*"LRF")
    run = record_run(tmp_path / "run", [draw("#####\n#@.G#\n#####")], model)
    text = make_report([run.path]).text
    episode = blocks_of(text)["episode-0-0"]
    prompt = episode["steps"][0]["requests"][0]["prompt"]
    asked = [(name, "\n".join(episode["lines"][number] for number in numbers)) for _, name, numbers in prompt]
    assert [each for each in asked if each != ("wording", "\n\n")] == texts_of(model.inputs[0])
    assert {step["requests"][0]["prompt"] is None for step in episode["steps"][1:]} == {True}  # the same again


def test_hostile_texts_are_nowhere_in_the_file_as_they_are(tmp_path: Path) -> None:
    run = record_hostile(tmp_path / "run")
    text = make_report([run.path]).text
    for hostile in HOSTILE:
        assert hostile not in text
    assert "window.owned = 3" not in text
    said = [step["requests"][0].get("raw_output") for step in blocks_of(text)["episode-0-0"]["steps"]]
    assert said[: len(HOSTILE)] == [each.replace("\ud800", "\ufffd") for each in HOSTILE]
    assert len(said[len(HOSTILE)]) == 1_000_000


def test_a_run_in_progress_is_shown_as_far_as_it_has_come(tmp_path: Path) -> None:
    run = record_run(tmp_path / "run", [draw("#####\n#@.G#\n#####")], "LL", requests=1)
    with being_played(run.path):
        (shown,) = blocks_of(make_report([run.path]).text)["index"]["runs"]
    assert shown["status"].startswith("being played")
    assert (shown["planned"], shown["finished"]) == (1, 0)


def test_what_was_spent_in_an_unfinished_episode_is_counted_as_by_runs_show(tmp_path: Path) -> None:
    spoken = ModelOutput(0, usage=Usage(prompt_tokens=10, completion_tokens=3))
    model = AnsweringModel(spoken, spoken, AnswerOutcome.TRUNCATED, spoken, spoken)
    tasks = [draw("#####\n#@.G#\n#####", max_steps=2)] * 3
    run = record_run(tmp_path / "run", tasks, model, requests=4, prices=Prices(1e6, 0)).path
    (shown,) = blocks_of(make_report([run], max_states=0).text)["index"]["runs"]
    told = json.loads(invoke(["runs", "show", run, "--json"]).stdout)
    assert (shown["finished"], shown["unfinished"], shown["whole"]["answered"]) == (1, 1, 2)
    assert shown["whole"]["requests"] == told["spent"]["requests"] == 4
    for name in ("prompt_tokens", "completion_tokens"):
        assert shown["whole"][name] == told["spent"][name]
    assert shown["whole"]["cost"] == 30
    assert shown["answers"] == {"ok": 3, **told["unusable"]}


def test_a_run_stopped_in_its_first_episode_says_that_no_answer_was_usable(tmp_path: Path) -> None:
    model = AnsweringModel(*[AnswerOutcome.TRUNCATED] * 4)
    run = record_run(tmp_path / "run", [draw("#####\n#@.G#\n#####")], model, requests=3).path
    (shown,) = blocks_of(make_report([run], max_states=0).text)["index"]["runs"]
    assert (shown["finished"], shown["whole"]["rate"]) == (0, None)
    assert shown["useless"].startswith("all 3 answers were truncated")
    whole = shown["whole"]
    assert whole["lost_steps"] == shown["actions"]["none (lost step)"] == 1  # two answers, and one for the next step
    assert (whole["requests"], whole["prompt_tokens"], whole["completion_tokens"]) == (3, None, 3)


def test_spending_is_unknown_before_the_first_request(tmp_path: Path) -> None:
    run = record_run(tmp_path / "run", [draw("#####\n#@.G#\n#####")], requests=1).path
    for file in (run / "episodes").iterdir():
        file.unlink()
    (shown,) = blocks_of(make_report([run], max_states=0).text)["index"]["runs"]
    assert {
        shown["whole"][name] for name in ("lost_steps", "requests", "cached_requests", "prompt_tokens", "cost")
    } == {None}


def test_where_mechanisms_are_not_installed_boards_are_drawn_all_the_same(keyed: RunDirectory) -> None:
    whole = blocks_of(make_report([keyed.path], max_states=0).text)
    with using_registry(get_registry().with_provided("mechanism", ())):
        made = make_report([keyed.path])
    told: dict[bool, list[int]] = {True: [], False: []}
    for problem, numbers in made.runs[0].problems.items():
        if "unknown mechanism" in problem:
            told[problem.startswith("pictures were not drawn again: ")] += numbers
    assert (sorted(told[True]), sorted(told[False])) == ([0, 1, 2, 3, 4], [0, 1, 2, 3, 4])
    shown = blocks_of(made.text)
    assert {name for name in shown if name.startswith("scene")} == {name for name in whole if name.startswith("scene")}
    assert all(shown[row["block"]]["chain"] is None for row in shown["index"]["runs"][0]["episodes"])


def test_a_run_of_another_version_is_refused_and_nothing_is_written(keyed: RunDirectory, tmp_path: Path) -> None:
    path = Path(shutil.copytree(keyed.path, tmp_path / "run"))
    manifest = json.loads((path / "run.json").read_text(encoding="utf-8"))
    write_text(path / "run.json", json.dumps({**manifest, "version": 99}))
    result = invoke(["report", path, "-o", tmp_path / "report.html"])
    assert result.exit_code == 1
    assert "99" in result.stderr
    assert not (tmp_path / "report.html").exists()


def test_an_episode_that_is_damaged_is_told_and_the_others_are_shown(keyed: RunDirectory, tmp_path: Path) -> None:
    path = Path(shutil.copytree(keyed.path, tmp_path / "run"))
    file = path / "episodes" / "1.jsonl"
    file.write_text(file.read_text(encoding="utf-8").replace('"step":', '"stop":', 1), encoding="utf-8")
    written = write_report([path], tmp_path / "report.html")
    index = blocks_of((tmp_path / "report.html").read_text(encoding="utf-8"))["index"]
    states = [row["state"] for row in index["runs"][0]["episodes"]]
    assert states == ["finished", "unreadable", "finished", "finished", "finished"]
    assert len(written.problems) == 1
    assert "1.jsonl, line 2" in written.problems[0]


def test_an_episode_that_was_recorded_otherwise_has_no_distances(keyed: RunDirectory, tmp_path: Path) -> None:
    path = Path(shutil.copytree(keyed.path, tmp_path / "run"))
    file = path / "episodes" / "3.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    number = next(place for place, line in enumerate(lines) if line.startswith('{"step":'))
    step = json.loads(lines[number])
    step["step"]["events"] = [{"kind": "Waited"}]
    lines[number] = json.dumps(step) + "\n"
    file.write_text("".join(lines), encoding="utf-8")
    made = make_report([path])
    assert list(made.runs[0].problems.values()) == [[3]]
    assert blocks_of(made.text)["episode-0-3"]["ways"] is None
    assert blocks_of(made.text)["episode-0-3"]["scene"] is not None


def test_why_there_are_no_distances_is_told_once_for_all_tasks(keyed: RunDirectory, tmp_path: Path) -> None:
    assert make_report([keyed.path], max_states=5).runs[0].notes == {
        "no distances: more than 5 states; 'multinet report' has --max-states to allow more": [0, 1, 2, 3, 4]
    }
    walled = record_run(tmp_path / "walled", [draw("######\n#@.#G#\n######")], "FF")
    made = make_report([walled.path])
    assert made.runs[0].notes == {"no distances: it cannot be won": [0]}
    (row,) = blocks_of(made.text)["index"]["runs"][0]["episodes"]
    assert (row["optimal"], row["unsolvable"]) == (None, True)


def test_how_many_episodes_an_spl_is_the_mean_of_is_part_of_it(tmp_path: Path) -> None:
    tasks = [draw("######\n#@.#G#\n######"), draw("#####\n#@.G#\n#####"), draw("######\n#@..G#\n######", max_steps=2)]
    run = record_run(tmp_path / "run", tasks, "L" * 100 + "FF" + "FF")
    (told,) = blocks_of(make_report([run.path]).text)["index"]["runs"]
    names = ("scored", "spl", "rated", "unsolvable", "over_budget")
    assert [told["whole"][name] for name in names] == [3, 0.5, 2, 1, 1]


def test_runs_of_one_model_are_called_by_what_differs_and_by_paths_where_folders_have_one_name(tmp_path: Path) -> None:
    walled = draw("######\n#@.#G#\n######", max_steps=2)
    for tiling in ("hex", "square"):
        record_run(tmp_path / tiling / "run", [walled], tilings=(tiling,), backend_arguments=())
    folders = [tmp_path / tiling / "run" for tiling in ("hex", "square")]
    runs = blocks_of(make_report(folders).text)["index"]["runs"]
    assert [(run["name"], run["differs"]) for run in runs] == [(str(folders[0]), "hex"), (str(folders[1]), "square")]
    written = write_report(folders, tmp_path / "both.html")
    assert list(written.notes) == [f"{folder}: no distances: it cannot be won, in 1 episode: 0" for folder in folders]
    (alone,) = blocks_of(make_report(folders[:1]).text)["index"]["runs"]
    assert (alone["name"], alone["differs"]) == ("run", "")


def test_where_the_tiling_is_not_installed_boards_are_drawn_all_the_same(keyed: RunDirectory, tmp_path: Path) -> None:
    path = Path(shutil.copytree(keyed.path, tmp_path / "run"))
    manifest = json.loads((path / "run.json").read_text(encoding="utf-8"))
    for ground in manifest["grounds"]:
        ground["tiling"] = "penrose"
    write_text(path / "run.json", json.dumps(manifest))
    made = make_report([path])
    (problem,) = made.runs[0].problems
    assert "penrose" in problem
    assert all(row["scene"] for row in blocks_of(made.text)["index"]["runs"][0]["episodes"])


def test_a_page_is_the_same_whenever_it_is_written(keyed: RunDirectory) -> None:
    assert make_report([keyed.path]).text == make_report([keyed.path]).text


def test_two_runs_of_one_name_are_kept_apart(keyed: RunDirectory, tmp_path: Path) -> None:
    other = record_run(tmp_path / "keyed", [draw("#####\n#@.G#\n#####")], "FF")
    text = make_report([keyed.path, other.path]).text
    first, second = blocks_of(text)["index"]["runs"]
    assert blocks_of(text)[first["episodes"][0]["block"]]["header"]["task_id"] == "keyed"
    assert blocks_of(text)[second["episodes"][0]["block"]]["header"]["task_id"] == "drawn"


def test_a_file_that_cannot_be_written_is_told(keyed: RunDirectory, tmp_path: Path) -> None:
    with pytest.raises(GridworldError, match="cannot write"):
        write_report([keyed.path], tmp_path / "missing" / "report.html", max_states=0)


def test_the_command_writes_the_page_and_says_how_large_it_is(keyed: RunDirectory, tmp_path: Path) -> None:
    result = invoke(["report", keyed.path, "-o", tmp_path / "report.html", "--max-states", "0"])
    assert result.exit_code == 0
    assert "report.html: 5 episodes, " in result.stdout
    assert (tmp_path / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")
