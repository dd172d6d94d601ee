"""Episodes written as pictures and records: what is in the folder, and when nothing is written at all."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
from PIL import Image

from gridworld.actions import ACTION_SPACE, Action
from gridworld.backends.grid_state import GridState
from gridworld.backends.kernel import KernelBackend
from gridworld.errors import GridworldError, InvalidTaskError
from gridworld.runner.grid_runner import GridRunner
from gridworld.runner.observation_dataset import DatasetError
from gridworld.solver import solve
from gridworld.solver.plans import NoPlanError
from gridworld.support.files import safe_file_name
from gridworld.task_spec import TaskSpecification
from gridworld.world import Topology, square_topology
from gridworld_minigrid import MiniGridBackend
from support.worlds import LETTERS, compiled, corridor, door, draw, gate, hazard, key, switch

FIELDS = [
    "task_id",
    "step",
    "image",
    "mission",
    "action",
    "action_name",
    "reward",
    "terminated",
    "truncated",
    "state",
]
KEY_AND_DOOR = draw("########\n#@k.D.G#\n########", k=key("red"), D=door("red"))
UNWINNABLE = corridor("@.H.G", H=hazard())
SPOTTED = {"observability": "view_cone", "view_size": 3}


class ObservesWhatItIsTold(KernelBackend):
    """Its observation is always the same thing."""

    name = "odd"
    tiling = "square"

    def __init__(self, observation: Any) -> None:
        self._observation = observation

    def make_topology(self, task: TaskSpecification) -> Topology:
        return square_topology(*task.maze.dimensions)

    def observe(self) -> Any:
        return self._observation

    def render(self) -> None: ...


@pytest.fixture
def runner() -> GridRunner:
    return small_runner()


def small_runner(**options: Any) -> GridRunner:
    return GridRunner(MiniGridBackend(tile_size=8), **options)


def renamed(task: TaskSpecification, task_id: str) -> TaskSpecification:
    return attrs.evolve(task, task_id=task_id)


def policy_of(letters: str) -> Callable[[Any, GridState, str], int]:
    """Plays the letters of `worlds.play`, then waits."""
    actions = [LETTERS[letter] for letter in letters]
    return lambda observation, state, mission: [*actions, Action.DONE][min(state.step_count, len(actions))]


def column(records: list[dict[str, Any]], name: str) -> list[Any]:
    return [record[name] for record in records]


def pixels_of(path: Path) -> np.ndarray:
    return np.asarray(Image.open(path))


def files_in(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_the_file_holds_the_returned_records_one_a_line(runner: GridRunner, tmp_path: Path) -> None:
    records = runner.generate_observation_dataset([corridor("@.G"), KEY_AND_DOOR], tmp_path)

    lines = (tmp_path / "records.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == records
    assert [list(record) for record in records] == [FIELDS] * len(records)


def test_by_default_each_task_is_won_by_a_shortest_plan(runner: GridRunner, tmp_path: Path) -> None:
    plan = solve(compiled(KEY_AND_DOOR)).plan
    assert plan is not None
    records = runner.generate_observation_dataset([KEY_AND_DOOR], tmp_path)

    assert column(records, "action") == [*plan, None]
    assert column(records, "step") == list(range(len(plan) + 1))
    assert sum(column(records, "reward")) == pytest.approx(1 - 0.9 * len(plan) / KEY_AND_DOOR.max_steps)


def test_progress_counts_pictures(runner: GridRunner, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    tasks = [renamed(corridor("@.G"), "one"), renamed(corridor("@..G", max_steps=9), "other")]
    runner.generate_observation_dataset(tasks, tmp_path / "planned", progress=lambda *each: told.append(each))
    assert told == [(number, 3 + 4) for number in range(1, 8)]
    told.clear()
    runner.generate_observation_dataset(
        tasks[1:], tmp_path / "chosen", policy_of("FFF"), progress=lambda *each: told.append(each)
    )
    assert told == [(number, 9 + 1) for number in range(1, 5)]


@pytest.mark.parametrize(
    ("task", "letters", "names", "reward", "terminated", "truncated"),
    [
        (corridor("@.G", max_steps=10), None, ["move_forward", "move_forward"], 0.82, True, False),
        (corridor("@.G", max_steps=2), "LR", ["turn_left", "turn_right"], 0, False, True),
        (UNWINNABLE, "LRFF", ["turn_left", "turn_right", "move_forward", "move_forward"], 0, True, False),
    ],
    ids=["goal", "budget", "death"],
)
def test_records_have_actions_results_and_the_end(
    runner: GridRunner,
    tmp_path: Path,
    task: TaskSpecification,
    letters: str | None,
    names: list[str],
    reward: float,
    terminated: bool,
    truncated: bool,
) -> None:
    policy = None if letters is None else policy_of(letters)
    records = runner.generate_observation_dataset([task], tmp_path, policy)
    before = [False] * (len(names) - 1)
    assert column(records, "action_name") == [*names, None]
    assert column(records[:-1], "action_name") == [ACTION_SPACE[action] for action in column(records[:-1], "action")]
    assert records[-1]["action"] is None
    assert column(records, "reward") == [*([0] * len(before)), pytest.approx(reward), 0]
    assert column(records, "terminated") == [*before, terminated, terminated]
    assert column(records, "truncated") == [*before, truncated, truncated]


def json_lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "records.jsonl").read_text(encoding="utf-8").splitlines()]


def test_pictures_and_records_are_all_there_is(runner: GridRunner, tmp_path: Path) -> None:
    records = runner.generate_observation_dataset([renamed(corridor("@.G"), "one")], tmp_path / "new" / "folder")

    assert column(records, "image") == ["one/step_0000.png", "one/step_0001.png", "one/step_0002.png"]
    assert files_in(tmp_path / "new" / "folder") == {*column(records, "image"), "records.jsonl"}


def test_pictures_are_the_policys_observations(tmp_path: Path) -> None:
    shown: list[np.ndarray] = []
    backend = MiniGridBackend(tile_size=8)

    def policy(observation: np.ndarray, state: GridState, mission: str) -> int:
        shown.append(observation)
        return Action.MOVE_FORWARD

    records = GridRunner(backend).generate_observation_dataset([corridor("@..G")], tmp_path, policy)

    shown.append(backend.render())
    for record, picture in zip(records, shown, strict=True):
        assert np.array_equal(pixels_of(tmp_path / record["image"]), picture)


def test_state_and_mission_are_those_given_to_the_policy(runner: GridRunner, tmp_path: Path) -> None:
    states: list[dict[str, Any]] = []
    missions: list[str] = []

    def policy(observation: Any, state: GridState, mission: str) -> int:
        states.append(state.to_dict())
        missions.append(mission)
        state.collected_keys.add("forged")
        return Action.MOVE_FORWARD

    records = runner.generate_observation_dataset([corridor("@..G")], tmp_path, policy)
    assert column(records[:-1], "state") == states
    assert column(records, "mission") == [*missions, "reach the goal"]


def test_only_known_state_is_recorded(tmp_path: Path) -> None:
    """Two worlds that differ only behind the agent's back give the same files until it looks there."""
    files = []
    for name, state in (("on", "on"), ("off", "off")):
        task = draw("#######\n#s.@.G#\n#g....#\n#######", s=switch("g", initial_state=state), g=gate(), rules=SPOTTED)
        small_runner().generate_observation_dataset([task], tmp_path / name)
        files.append({file: (tmp_path / name / file).read_bytes() for file in files_in(tmp_path / name)})
    assert files[0] == files[1]


@pytest.mark.parametrize("task_id", ["../../x", "a/b", "/tmp/x", "CON", "größe", "x" * 300, "\ud800", "a\u2028b"])
def test_any_task_id_stays_inside_the_output_folder(runner: GridRunner, tmp_path: Path, task_id: str) -> None:
    folder = tmp_path / "here"
    records = runner.generate_observation_dataset([renamed(corridor("@.G"), task_id)], folder)

    assert column(json_lines(folder), "task_id") == [task_id] * 3
    assert {Path(image).parent.as_posix() for image in column(records, "image")} == {safe_file_name(task_id)}
    assert files_in(tmp_path) == {f"here/{name}" for name in [*column(records, "image"), "records.jsonl"]}


@pytest.mark.parametrize("ids", [("a/b", "a b"), ("x", "X"), ("x", "x"), ("x-2", "x", "x")])
def test_task_ids_that_look_alike_do_not_share_a_folder(
    runner: GridRunner, tmp_path: Path, ids: tuple[str, ...]
) -> None:
    records = runner.generate_observation_dataset([renamed(corridor("@.G"), name) for name in ids], tmp_path)
    folders = {str(Path(image).parent).lower() for image in column(records, "image")}
    assert len(folders) == len(ids)
    assert column(records[::3], "task_id") == list(ids)


def test_no_tasks_give_an_empty_file_in_a_folder_given_as_text(runner: GridRunner, tmp_path: Path) -> None:
    assert runner.generate_observation_dataset([], str(tmp_path)) == []
    assert (tmp_path / "records.jsonl").read_bytes() == b""


def test_nonempty_folders_are_refused(runner: GridRunner, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(DatasetError, match="is not empty") as caught:
        runner.generate_observation_dataset([corridor("@.G")], tmp_path)
    assert str(tmp_path) in str(caught.value)
    assert files_in(tmp_path) == {"mine.txt"}


@pytest.mark.parametrize("place", ["file", "file/below"])
def test_a_path_that_cannot_be_written_is_named(runner: GridRunner, tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(DatasetError) as caught:
        runner.generate_observation_dataset([corridor("@.G")], tmp_path / place)
    assert str(tmp_path / place) in str(caught.value)


def test_a_picture_that_cannot_be_written_is_named(runner: GridRunner, tmp_path: Path) -> None:
    """A folder that appears where a picture should go, as when a disk fails in the middle of a run."""
    folder = tmp_path / "out"

    def policy(observation: Any, state: GridState, mission: str) -> int:
        (folder / "drawn" / "step_0001.png").mkdir()
        return Action.MOVE_FORWARD

    with pytest.raises(DatasetError, match=r"step_0001\.png"):
        runner.generate_observation_dataset([corridor("@..G")], folder, policy)
    assert not (folder / "records.jsonl").exists()


@pytest.mark.parametrize(
    ("task", "reason"),
    [
        (UNWINNABLE, "it cannot be won"),
        (corridor("@...G", max_steps=3), "the shortest takes 4 steps, max_steps is 3"),
    ],
)
def test_task_without_plan_is_named_before_writing(
    runner: GridRunner, tmp_path: Path, task: TaskSpecification, reason: str
) -> None:
    with pytest.raises(NoPlanError, match=f"'hopeless': {reason}") as caught:
        runner.generate_observation_dataset([corridor("@.G"), renamed(task, "hopeless")], tmp_path / "out")
    assert isinstance(caught.value, GridworldError)
    assert not (tmp_path / "out").exists()


def test_a_task_without_a_plan_can_be_left_out(runner: GridRunner, tmp_path: Path) -> None:
    left_out = list[NoPlanError]()
    tasks = [renamed(UNWINNABLE, "hopeless"), renamed(corridor("@.G"), "fine")]
    records = runner.generate_observation_dataset(tasks, tmp_path / "out", without_plan=left_out.append)
    assert {record["task_id"] for record in records} == {"fine"}
    assert [(error.task_id, error.reason()) for error in left_out] == [("hopeless", "it cannot be won")]
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"fine", "records.jsonl"}


def test_invalid_task_is_refused_before_writing(runner: GridRunner, tmp_path: Path) -> None:
    invalid = attrs.evolve(corridor("@.G"), max_steps=0)
    with pytest.raises(InvalidTaskError):
        runner.generate_observation_dataset([corridor("@.G"), invalid], tmp_path / "out", policy_of("FF"))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("backend", "message"),
    [
        (ObservesWhatItIsTold("a text"), "the backend 'odd' .* got str"),
        (ObservesWhatItIsTold(np.zeros((7, 7), np.uint8)), r"got an array of shape \(7, 7\), uint8"),
        (ObservesWhatItIsTold(np.zeros((7, 7, 3), np.float32)), r"got an array of shape \(7, 7, 3\), float32"),
        (ObservesWhatItIsTold(None), "got None"),
        (MiniGridBackend(render_mode=None), "render_mode"),
    ],
    ids=["text", "flat", "float", "none", "no render mode"],
)
def test_backends_without_rgb_pictures_are_refused(tmp_path: Path, backend: KernelBackend, message: str) -> None:
    with pytest.raises(DatasetError, match=message):
        GridRunner(backend).generate_observation_dataset([corridor("@.G")], tmp_path / "out")
    assert not (tmp_path / "out").exists()
