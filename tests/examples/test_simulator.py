"""The warehouse: a simulator that is not this toolkit's, played by all that plays backends."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageSequence

from gridworld.backends.base import AbstractGridBackend
from gridworld.backends.kernel import KernelBackend
from gridworld.errors import ArgumentError, InvalidTaskError
from gridworld.model_interface import AnswerOutcome
from gridworld.plugins import get_registry
from gridworld.runner.grid_runner import GridRunner
from gridworld.runner.observation_dataset import DatasetError
from gridworld.runner.record import Recording
from gridworld.runner.rollout import UnplayableTasksError
from gridworld.solver.optimal_model import OptimalModel
from gridworld.support.import_strings import load_object
from multinet_eval.evaluation_harness import EvaluationHarness
from support.commands import Finished, multinet, run_eval
from support.programs import words
from support.runs import AnsweringModel, ScriptedModel, write_corridor
from support.worlds import Thing, corridor, door, gate, key

LOCKED = corridor("@k.D.G", max_steps=12, k=key("red"), D=door("red"))
PLAN = [3, 2, 2, 5, 2, 2, 2]
"""Pick up, drive to the door, open it, drive to the goal."""


def warehouse() -> AbstractGridBackend:
    backend: AbstractGridBackend = load_object(get_registry().backends.get("warehouse").target)()
    return backend


def started(task: Any) -> AbstractGridBackend:
    backend = warehouse()
    backend.configure(task)
    backend.reset()
    return backend


# --- Its own rules -----------------------------------------------------------------------------------------------


def test_it_is_not_built_on_the_kernel_and_goes_by_the_name_of_its_class() -> None:
    backend = warehouse()
    assert not isinstance(backend, KernelBackend)
    assert (backend.name, backend.tiling) == ("WarehouseBackend", None)


@pytest.mark.parametrize(
    ("task", "place"),
    [
        (corridor("@g.G", g=gate("open")), "mechanisms.gates[0]: WarehouseBackend has only keys and doors"),
        (
            corridor("@k.G", k=key("red"), goal={"type": "collect_all", "target_ids": ["k"]}),
            "goal.type: WarehouseBackend has only reach_position",
        ),
        (corridor("@.G", rules={"observability": "view_cone"}), "rules.observability: WarehouseBackend has only full"),
        (
            corridor("@DG", D=Thing("doors", {"initial_state": "closed"}), rules={"hidden_mechanisms": ["D"]}),
            "rules.hidden_mechanisms: WarehouseBackend hides nothing",
        ),
        (corridor("@DG", D=door("red")), "mechanisms.doors[0].requires_key: no key is red"),
    ],
    ids=["gate", "goal", "view", "hidden", "invalid"],
)
def test_what_there_is_not_in_a_warehouse_is_refused_by_its_place(task: Any, place: str) -> None:
    with pytest.raises(InvalidTaskError) as refused:
        warehouse().configure(task)
    assert place in str(refused.value)


# --- The runner --------------------------------------------------------------------------------------------------


def test_an_episode_is_run_on_it() -> None:
    result = GridRunner(warehouse()).run_episode(LOCKED, lambda picture, state, mission: PLAN[state.step_count])
    assert (result.success, result.steps_taken, result.total_reward) == (True, 7, 1.0)
    assert result.mission == "drive to the green dock"
    assert [step.action for step in result.trajectory] == PLAN
    assert {step.events for step in result.trajectory} == {()}
    assert result.final_state.open_doors == {"D"}


def test_demonstrations_are_collected_on_it() -> None:
    result = GridRunner(warehouse()).collect_demonstrations(LOCKED, PLAN[:4])
    assert (result.steps_taken, result.success, result.terminated, result.truncated) == (4, False, False, False)
    assert result.final_state.open_doors == {"D"}


def test_it_has_no_plans_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="'WarehouseBackend' has no solver to plan with: pass a policy_fn"):
        GridRunner(warehouse()).generate_observation_dataset([LOCKED], tmp_path / "data")
    assert not (tmp_path / "data").exists()


def test_a_dataset_of_a_policy_is_generated_on_it(tmp_path: Path) -> None:
    records = GridRunner(warehouse()).generate_observation_dataset(
        [LOCKED], tmp_path, lambda picture, state, mission: PLAN[state.step_count]
    )
    assert [record["action"] for record in records] == [*PLAN, None]
    with Image.open(tmp_path / records[0]["image"]) as picture:
        assert np.array_equal(np.asarray(picture), started(LOCKED).render())


# --- The harness -------------------------------------------------------------------------------------------------


def test_a_recording_of_it_has_digests_and_nothing_that_needs_the_kernel() -> None:
    harness = EvaluationHarness(ScriptedModel("PFFTFFF"), warehouse())
    result = harness.evaluate_task(LOCKED)
    assert (result.success, result.steps_taken) == (True, 7)
    assert (result.optimal_steps, result.optimality_ratio, result.ineffective_steps) == (None, None, None)
    assert result.recording is not None
    header, steps = result.recording.header, result.recording.steps
    assert (header.backend, header.tiling) == ("WarehouseBackend", None)
    assert result.final_state is not None
    assert steps[-1].digest == result.final_state.digest()
    assert len({header.digest, *(step.digest for step in steps)}) == 8
    assert Recording.from_dict(json.loads(json.dumps(result.recording.to_dict()))) == result.recording


def test_what_its_steps_did_is_unknown_even_where_every_one_of_them_was_lost() -> None:
    model = AnsweringModel(*[AnswerOutcome.REFUSED] * 3)
    result = EvaluationHarness(model, warehouse()).evaluate_task(corridor("@.G", max_steps=3))
    assert (result.lost_steps, result.ineffective_steps) == (3, None)
    assert result.recording is not None
    assert result.recording.header.to_dict()["reports_events"] is False


def test_a_refused_task_of_any_tier_keeps_every_tier_from_being_played(tmp_path: Path) -> None:
    write_corridor(tmp_path, "near", "@G", tier=1)
    write_corridor(tmp_path, "gated", "@gG", tier=2, g=gate("open"))
    model = ScriptedModel("FF")
    with pytest.raises(UnplayableTasksError, match="gated: mechanisms"):
        EvaluationHarness(model, warehouse()).evaluate_all(tmp_path)
    assert model.episodes == []


def test_oracles_are_refused_before_play() -> None:
    with pytest.raises(ArgumentError, match="model 'optimal' reads the compiled task"):
        EvaluationHarness(OptimalModel(), warehouse())


def test_a_history_tells_the_actions_and_not_what_they_did() -> None:
    model = ScriptedModel("FF")
    EvaluationHarness(model, warehouse(), history_text=True, history_images=1).evaluate_task(
        corridor("@..G", max_steps=3)
    )
    assert [given.additional_context for given in model.inputs] == [
        "",
        "Step 1: move_forward.",
        "Step 1: move_forward.\nStep 2: move_forward.",
    ]
    assert [len(given.prior_images or ()) for given in model.inputs] == [0, 1, 1]


# --- The command line --------------------------------------------------------------------------------------------

ABSENT = "WarehouseBackend is not built on the kernel: no optimum, no SPL, no description of steps"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_corridor(tmp_path / "tasks", "near", "@G")
    write_corridor(tmp_path / "tasks", "locked", "@kD.G", max_steps=9, k=key("red"), D=door("red"))
    return tmp_path / "tasks"


def evaluate(folder: Path, *arguments: str | Path) -> Finished:
    return run_eval("--backend", "warehouse", "--task-dir", folder, *arguments)


def assert_refused(finished: Finished, *fragments: str, exit_code: int = 2) -> None:
    assert (finished.exit_code, finished.stdout) == (exit_code, "")
    message = words(finished.stderr)
    assert "Traceback" not in message
    assert [fragment for fragment in fragments if fragment not in message] == []


def test_the_results_say_plainly_what_is_absent(folder: Path, tmp_path: Path) -> None:
    output = tmp_path / "results.json"
    finished = evaluate(folder, "-m", "random", "-M", "seed=3", "-o", output)
    assert finished.exit_code == 0
    assert finished.stderr.count(ABSENT) == 1
    assert "random on WarehouseBackend" in finished.stdout
    assert "SPL" not in finished.stdout
    results = json.loads(output.read_text(encoding="utf-8"))
    assert (results["backend"], results["tiling"], results["spl"]) == ("WarehouseBackend", None, None)
    for result in results["task_results"]:
        assert [result[name] for name in ("optimal_steps", "optimality_ratio", "ineffective_steps")] == [None] * 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-m", "random", "--observation", "text"), "so it has no text view: expected the observation 'image'"),
        (("-m", "optimal"), "model 'optimal' reads the compiled task, which only backends built on the kernel have"),
        (("-m", "greedy"), "backend 'WarehouseBackend' (gridworld-example-simulator) is not"),
        (("-m", "random", "--tiling", "hex"), "(gridworld-example-simulator) does not lay out tilings; choose"),
    ],
    ids=["text", "optimal", "greedy", "tiling"],
)
def test_what_needs_the_kernel_is_refused_before_play(folder: Path, arguments: tuple[str, ...], message: str) -> None:
    assert_refused(evaluate(folder, *arguments), message)


def test_tasks_that_it_refuses_are_all_named_before_any_is_played(folder: Path, tmp_path: Path) -> None:
    write_corridor(folder, "gated", "@g.G", g=gate("open"))
    write_corridor(folder, "unlit", "@.G", rules={"observability": "view_cone"})
    output = tmp_path / "results.json"
    finished = evaluate(folder, "-m", "random", "-o", output)
    assert_refused(
        finished,
        "error: backend 'WarehouseBackend' (gridworld-example-simulator) cannot play all of these tasks:",
        "gated: mechanisms.gates[0]: WarehouseBackend has only keys and doors",
        "unlit: rules.observability: WarehouseBackend has only full",
    )
    assert "step" not in finished.stderr.replace("what steps did", "")
    assert not output.exists()


def test_its_start_is_drawn_and_an_optimal_run_is_not(folder: Path, tmp_path: Path) -> None:
    def render(name: str) -> Finished:
        options = ("--backend", "warehouse", "-o", tmp_path / name)
        return multinet("tasks", "render", folder / "near.json", *options)

    finished = render("start.png")
    assert (finished.exit_code, finished.stdout, finished.stderr) == (0, "", "")
    with Image.open(tmp_path / "start.png") as picture:
        assert picture.size == (4 * 6, 3 * 6)
    assert_refused(
        render("run.gif"),
        "backend 'warehouse' (gridworld-example-simulator) is not built on the kernel, so no plan can be found on it",
        "choose another backend, such as minigrid",
    )
    assert not (tmp_path / "run.gif").exists()


def test_what_a_model_did_is_drawn_from_the_pictures_that_it_was_shown(folder: Path, tmp_path: Path) -> None:
    recorded, output = tmp_path / "recorded", tmp_path / "run.gif"
    evaluate(folder, "-m", "random", "-M", "seed=3", "--run-dir", recorded)
    (file,) = (path for path in (recorded / "episodes").iterdir() if path.name == "0.jsonl")
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    shown = [line["request"]["frame"] for line in lines if "request" in line]
    rendered = ("runs", "render", recorded, "0", "-o", output, "--milliseconds", "100")
    finished = multinet(*rendered)  # neither the simulator nor its plugin is needed
    assert (finished.exit_code, finished.stdout, finished.stderr) == (0, "", "")
    with Image.open(output) as picture:
        assert sum(frame.info["duration"] for frame in ImageSequence.Iterator(picture)) == 100 * len(shown)
    (recorded / "frames" / f"{shown[-1]}.png").unlink()
    assert_refused(multinet(*rendered), f"{shown[-1]}.png: there is no such file", exit_code=1)


@pytest.mark.parametrize(
    ("command", "reason"), [("gallery", "No such option: --backend"), ("demos", "not built on the kernel")]
)
def test_commands_that_plan_refuse_it(folder: Path, tmp_path: Path, command: str, reason: str) -> None:
    options = ("--backend", "warehouse", "-o", tmp_path / "out")
    finished = multinet("tasks", command, folder, *options)
    assert_refused(finished, reason)
    assert not (tmp_path / "out").exists()


@pytest.mark.more
def test_it_passes_the_kit() -> None:
    for name in ("warehouse", "text"):
        finished = multinet("plugins", "check", name, "--json")
        (entry,) = (each for each in json.loads(finished.stdout) if each["kind"] == "backend")
        assert (finished.exit_code, entry["kit"], entry["verdict"]) == (0, "BackendConformance", "passed")
