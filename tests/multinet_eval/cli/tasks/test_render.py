"""``multinet tasks render``: a task's start as a still picture, its optimal run as an animation."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageSequence

from gridworld.solver import solve
from gridworld.task_spec import TaskSpecification
from gridworld_minigrid import MiniGridBackend
from support.commands import runner
from support.runs import write_corridor
from support.worlds import compiled, door, key

render = runner("multinet", "tasks", "render")


def drawn(*arguments: str | Path, **options: Any) -> list[Image.Image]:
    """The frames of a picture that is made without a word."""
    finished = render(*arguments, **options)
    assert (finished.returncode, finished.stdout, finished.stderr) == (0, "", "")
    with Image.open(arguments[arguments.index("-o") + 1]) as picture:
        return [frame.convert("RGB") for frame in ImageSequence.Iterator(picture)]


def expected_frames(file: Path, **options: Any) -> list[np.ndarray]:
    """The backend's frames of the optimal run, the start first."""
    task = TaskSpecification.from_json(file)
    backend = MiniGridBackend(**options)
    backend.configure(task)
    backend.reset(seed=task.seed)
    frames = [backend.render()]
    for action in solve(compiled(task)).plan or ():
        backend.step(action)
        frames.append(backend.render())
    assert backend.get_state().goal_reached
    return frames


def difference(frame: Image.Image, expected: np.ndarray) -> float:
    """The mean difference of two pictures, 0 to 255; a GIF has no more than 256 colours."""
    assert np.asarray(frame).shape == expected.shape
    return float(np.abs(np.asarray(frame).astype(int) - expected.astype(int)).mean())


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corridor(tmp_path_factory.mktemp("drawn"), "locked", "@kD.G", max_steps=20, k=key(), D=door("red"))


def test_a_still_picture_is_the_backends_first_frame(locked: Path, tmp_path: Path) -> None:
    (frame,) = drawn(locked, "-o", tmp_path / "start.png")
    assert np.array_equal(np.asarray(frame), expected_frames(locked)[0])
    assert [each.name for each in tmp_path.iterdir()] == ["start.png"]


def test_arguments_are_given_to_the_backend(locked: Path, tmp_path: Path) -> None:
    (frame,) = drawn(locked, "-o", tmp_path / "start.PNG", "-B", "tile_size=10", "-B", "highlight=true")
    assert np.array_equal(np.asarray(frame), expected_frames(locked, tile_size=10, highlight=True)[0])


@pytest.mark.parametrize(("suffix", "tolerance"), [(".webp", 0.0), (".gif", 4.0)])
def test_an_animation_is_the_optimal_run_from_the_start_to_the_goal(
    locked: Path, tmp_path: Path, suffix: str, tolerance: float
) -> None:
    frames = drawn(locked, "-o", tmp_path / f"run{suffix}")
    expected = expected_frames(locked)
    assert len(frames) == len(expected) == 7
    for frame, each in zip(frames, expected, strict=True):
        assert difference(frame, each) <= tolerance
    assert difference(frames[-1], expected[-1]) < difference(frames[-1], expected[-2])


def durations(output: Path) -> list[int]:
    """How long each frame of an animation is shown, in milliseconds."""
    shown = []
    with Image.open(output) as picture:
        for number in range(picture.n_frames):
            picture.seek(number)
            picture.load()
            shown.append(picture.info["duration"])
    return shown


@pytest.mark.parametrize(("suffix", "shown"), [(".gif", (6 + 1) * 400), (".webp", 0)])
def test_steps_without_visible_change_take_time_in_an_animation(tmp_path: Path, suffix: str, shown: int) -> None:
    """To survive, the agent waits; equal pictures may be stored as one that is shown longer, in WebP as a still."""
    task = write_corridor(tmp_path, "survive", "@.G", goal={"type": "survive_steps"}, max_steps=6)
    output = tmp_path / f"run{suffix}"
    assert render(task, "-o", output, "--milliseconds", "400").returncode == 0
    assert sum(durations(output)) == shown


def test_a_picture_that_is_there_is_replaced(locked: Path, tmp_path: Path) -> None:
    output = tmp_path / "start.png"
    output.write_text("what was there before")
    assert len(drawn(locked, "-o", output)) == 1


def test_an_id_that_would_climb_out_of_a_folder_names_no_file(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    task = write_corridor(inner, "../../x", file="task.json")
    before = set(tmp_path.rglob("*"))
    drawn(task, "-o", inner / "run.gif", cwd=inner)
    assert set(tmp_path.rglob("*")) - before == {inner / "run.gif"}
