"""What a model did in a recorded episode is drawn by taking its actions once more."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gridworld.actions import Action
from gridworld.errors import ArgumentError, GridworldError
from gridworld.model_interface import AnswerOutcome
from gridworld.runner.presentation import Presentation
from gridworld.task_spec import TaskSpecification
from gridworld_minigrid import MiniGridBackend
from multinet_eval.datasets.pictures import draw_episode
from multinet_eval.record.record_folders import RunError
from multinet_eval.record.run_directory import RunDirectory
from support.runs import AnsweringModel, ScriptedModel, record_run
from support.worlds import LETTERS, corridor, door, key

TASK = corridor("@kD.G", max_steps=9, k=key("red"), D=door("red"))


def shown(task: TaskSpecification, letters: str, size: int = 8) -> list[np.ndarray]:
    """What the backend shows at the start and after each action; a blank is a step without one."""
    backend = MiniGridBackend(tile_size=size)
    backend.configure(task)
    backend.reset(seed=task.seed)
    frames = [backend.render()]
    for letter in letters:
        if letter != " ":
            backend.step(LETTERS[letter])
        frames.append(backend.render())
    return frames


def drawn(directory: RunDirectory, number: int = 0, *arguments: str) -> list[np.ndarray]:
    return [np.asarray(picture) for picture in draw_episode(directory, number, arguments)]


def same(frames: list[np.ndarray], expected: list[np.ndarray]) -> bool:
    return len(frames) == len(expected) and all(map(np.array_equal, frames, expected))


@pytest.mark.parametrize("letters", ["PFTFFF", "LFRPFTFFF", "WWWWWWWWW"])
def test_the_pictures_are_those_of_the_actions_that_were_taken(letters: str, tmp_path: Path) -> None:
    directory = record_run(tmp_path / "run", [TASK], letters)
    assert same(drawn(directory), shown(TASK, letters))


def test_they_are_drawn_as_the_model_was_shown_them(tmp_path: Path) -> None:
    presentation = Presentation("image+map", image_size=90, image_coordinates=True, image_style="letters")
    model = ScriptedModel("PFTFFF")
    directory = record_run(tmp_path / "run", [TASK], model, presentation=presentation)
    frames = drawn(directory)
    assert same(frames[:-1], [np.asarray(given.image) for given in model.inputs])
    assert {max(frame.shape[:2]) for frame in frames} == {90}


def test_a_lost_step_has_a_picture_and_an_episode_that_was_left_ends_where_it_was_left(tmp_path: Path) -> None:
    model = AnsweringModel("P", AnswerOutcome.REFUSED, "T", "F")
    directory = record_run(tmp_path / "run", [TASK], model, requests=4)
    assert same(drawn(directory), shown(TASK, "P TF"))


@pytest.mark.parametrize("tiling", ["hex", "triangle"])
def test_each_tiling_is_drawn_on_the_backend_that_it_was_played_on(tiling: str, tmp_path: Path) -> None:
    settings: dict[str, Any] = {"tilings": ("square", tiling), "compares_tilings": True, "backend_arguments": ()}
    directory = record_run(tmp_path / "run", [TASK], "FFFFFFFFFFFFFFFFFF", **settings)
    square, other = drawn(directory, 0), drawn(directory, 1)
    assert len(square) == len(other) == TASK.max_steps + 1
    assert not same(square, other)


def change(path: Path, kind: str, place: int, **fields: Any) -> None:
    """Change fields of one of the lines of a kind."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    [line for line in lines if kind in line][place][kind].update(fields)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


@pytest.mark.parametrize(
    ("kind", "place", "fields", "told"),
    [
        ("header", 0, {"digest": "0" * 16}, "does not start as it was recorded"),
        ("step", 2, {"digest": "0" * 16}, "from step 3"),
        ("step", 1, {"action": int(Action.DONE)}, "from step 2"),
        ("step", 3, {"reward": 5.0}, "from step 4"),
    ],
)
def test_an_episode_that_is_another_one_when_it_is_played_again_is_refused(
    kind: str, place: int, fields: dict[str, Any], told: str, tmp_path: Path
) -> None:
    directory = record_run(tmp_path / "run", [TASK], "PFTFFF")
    change(directory.path / "episodes" / "0.jsonl", kind, place, **fields)
    with pytest.raises(GridworldError, match=told):
        list(draw_episode(directory, 0))


def test_an_episode_that_has_not_begun_or_is_not_in_the_plan_is_refused(tmp_path: Path) -> None:
    directory = record_run(tmp_path / "run", [TASK, TASK], "F", requests=1)
    with pytest.raises(RunError, match=r"episode 1 .* has not begun"):
        list(draw_episode(directory, 1))
    for number in (2, -1):
        with pytest.raises(ArgumentError, match=f"no episode {number}: expected a number from 0 to 1"):
            list(draw_episode(directory, number))


def test_a_task_that_was_changed_is_refused(tmp_path: Path) -> None:
    directory = record_run(tmp_path / "run", [TASK], "F")
    (file,) = (directory.path / "tasks").iterdir()
    file.write_text(file.read_text(encoding="utf-8").replace('"max_steps": 9', '"max_steps": 8'), encoding="utf-8")
    with pytest.raises(RunError, match="its file has been changed"):
        list(draw_episode(directory, 0))
