"""The page's boards beside the pictures that models are shown: the same colours at the centres of all cells."""

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from gridworld.backends.kernel import KernelBackend
from gridworld.suites import read_installed
from gridworld.world.topology import Topology
from gridworld_multigrid.rendering.layout import fit
from multinet_eval.record.run_directory import RunDirectory
from multinet_eval.settings.plugin_objects import make_kernel_backend, make_model
from multinet_report.report import write_report
from support.boards import Opened, Opener
from support.pages import TILINGS
from support.runs import record_run

TASKS = {
    "v04_single_key": "validation_10",
    "t3_02_dead_weight": "tiers",
    "t3_07_light_the_lamps": "tiers",
    "t5_03_portal_house": "tiers",
    "t4_04_crossed_crates": "tiers",
}
"""Keys, doors, gates, switches, blocks and their targets, teleporters, on bundled tasks."""
SIZE = 800
CLOSE = 24
"""How far colours may be apart, in each channel of 255."""
EDGE = 2
"""By how many pixels an edge may be elsewhere: in pictures, glyphs are placed on whole ones."""

Pixels = NDArray[np.uint8]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The optimal runs of these tasks on all tilings; the page is beside it."""
    tasks = [
        next(task for task in read_installed(suite).tasks if task.task_id == name) for name, suite in TASKS.items()
    ]
    folder = tmp_path_factory.mktemp("same-pictures") / "run"
    arguments = {"tilings": TILINGS, "backend_arguments": (), "model_arguments": ()}
    run = record_run(folder, tasks, make_model("optimal", []), named="optimal", **arguments).path
    write_report([run], run.with_suffix(".html"), max_states=0)
    return run


def pictures(run: Path, number: int, moments: tuple[float, ...]) -> Iterator[tuple[int, Topology, Pixels]]:
    """The pictures at some moments of an episode, given as parts of its length: the step and the picture."""
    directory = RunDirectory(run)
    planned = directory.manifest.episode(number)
    lines = directory.latest(directory.attempts(number))
    assert lines is not None
    steps = {round(part * (len(lines.steps) - 1)) for part in moments}
    backend: KernelBackend = make_kernel_backend(None, [f"image_size={SIZE}"], planned.tiling)
    backend.configure(directory.task(planned.task))
    backend.reset()
    for played, step in enumerate(lines.steps):
        if played in steps:
            yield played, backend.world.topology, backend.render()
        assert step.action is not None
        backend.step(step.action)


def drawn(page: Opened, spacing: float) -> Pixels:
    """The board as the page draws it, as many pixels large as the picture; what lies over it is taken away."""
    page.page.evaluate(
        """(spacing) => {
            const svg = document.querySelector(".player .board");
            document.querySelectorAll(".board .trace polyline").forEach((each) => each.remove());
            const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
            svg.style.cssText = `position: fixed; left: 0; top: 0; z-index: 9; max-height: none; background: #fff;
                width: ${width * spacing}px; height: ${height * spacing}px`;
        }""",
        spacing,
    )
    with Image.open(BytesIO(page.page.screenshot())) as picture:
        return np.asarray(picture.convert("RGB"))


def at(picture: Pixels, x: float, y: float, reach: int = 0) -> NDArray[np.int64]:
    """The colours of the pixels up to so many pixels around a place; shape (pixels, 3)."""
    row, column = round(y), round(x)
    part = picture[row - reach : row + reach + 1, column - reach : column + reach + 1]
    return part.reshape(-1, 3).astype(np.int64)


def is_among(color: NDArray[np.int64], others: NDArray[np.int64]) -> bool:
    """Whether a colour lies between some others, as those of pixels do through which an edge goes."""
    return bool((others.min(axis=0) - CLOSE <= color).all() and (color <= others.max(axis=0) + CLOSE).all())


@pytest.mark.parametrize("number", range(len(TASKS) * len(TILINGS)))
def test_cells_have_the_colours_of_the_picture_at_their_centres(played: Path, opened: Opener, number: int) -> None:
    size = {"width": SIZE + 100, "height": SIZE + 100}
    with opened(played, f"#episode={number}", viewport=size) as page:
        left, top = (float(each) for each in page.page.get_attribute(".player .board", "viewBox").split()[:2])
        for step, topology, picture in pictures(played, number, (0, 0.3, 0.6, 1)):
            place = fit(topology, (SIZE, SIZE))
            page.scrub(step)
            board = drawn(page, place.spacing)
            differing = []
            for cell, (x, y) in enumerate(topology.centres):
                there = (place.origin[0] + x * place.spacing, place.origin[1] + y * place.spacing)
                (ours,) = at(board, (x - left) * place.spacing, (y - top) * place.spacing)
                if not is_among(ours, at(picture, *there, reach=EDGE)):
                    differing.append((cell, ours.tolist(), at(picture, *there).tolist()))
            assert differing == [], step
