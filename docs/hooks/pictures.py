"""The pictures of the documentation, drawn by the toolkit itself."""

from collections.abc import Iterator
from functools import cache
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

import attrs
from mistakes_example import decisive_moment
from PIL import Image
from tiling_diagrams import patches_diagram, seams_diagram

from gridworld.backends.base import AbstractGridBackend
from gridworld.plugins import get_registry
from gridworld.solver.plans import winning_plan
from gridworld.suites import load_benchmark
from gridworld.support.import_strings import load_object
from gridworld.task_spec import OBSERVABILITY_MODES, TaskSpecification
from gridworld.world import compile_world
from gridworld_minigrid import MiniGridBackend
from gridworld_multigrid import MultiGridBackend
from multinet_eval.datasets.pictures import draw_run, draw_start, save_animation, save_still
from multinet_eval.support.output import markdown_text

__all__ = ["all_pictures", "made_diagrams"]

STEPS_BEFORE_LOOKING = 10
SIDE = 235
"""Of a picture of a tiling, in pixels."""


@cache
def all_pictures() -> dict[str, bytes]:
    """Path below ``docs/`` to the contents of the file; the page of the gallery is one of them."""
    with TemporaryDirectory() as folder:
        _write_all(Path(folder))
        files = sorted(path for path in Path(folder).rglob("*") if path.is_file())
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def _write_all(folder: Path) -> None:
    pictures = folder / "pictures"
    pictures.mkdir()
    _write_gallery(folder / "reference" / "gallery")
    task = _task("validation_10", "v04_single_key")
    save_animation(draw_run(MiniGridBackend(), task), pictures / "first-run.gif", 250)
    for tiling in get_registry().tilings.names():
        save_still(draw_start(MultiGridBackend(tiling, image_size=SIDE), task), pictures / f"tiling-{tiling}.png")
    for name, backend in _views():
        save_still(Image.fromarray(backend.render()), pictures / f"seen-{name}.png")
    save_still(decisive_moment(SIDE), pictures / "mistakes-example.png")
    for name, diagram in made_diagrams():
        (pictures / f"{name}.svg").write_text(diagram, encoding="utf-8")


def _write_gallery(folder: Path) -> None:
    """The first task of each tier, on each tiling."""
    folder.mkdir(parents=True)
    in_order = sorted(load_benchmark(get_registry().benchmarks.get("tiers")), key=_tier_and_id)
    first = [next(tasks) for _, tasks in groupby(in_order, key=lambda task: task.difficulty_tier)]
    sections = ["# Gallery", f"This page shows {len(first)} of {len(in_order)} tasks, the first of each tier."]
    for task in first:
        name, pictures = markdown_text(task.task_id), []
        for tiling in get_registry().tilings.names():
            backend, file = MultiGridBackend(tiling), f"{task.task_id}-{tiling}.png"
            save_still(draw_start(backend, task), folder / file)
            pictures.append(f"![{name} on {tiling}]({file})")
        mission = f"Mission: *{markdown_text(backend.get_mission_text())}*."
        heading = f"## Tier {task.difficulty_tier}: {name}"
        sections += [heading, markdown_text(task.description), mission, "\n".join(pictures)]
    (folder / "index.md").write_text("\n\n".join(sections) + "\n", encoding="utf-8")


def _tier_and_id(task: TaskSpecification) -> tuple[int, str]:
    return task.difficulty_tier, task.task_id


def _task(suite: str, task_id: str) -> TaskSpecification:
    tasks = load_benchmark(get_registry().benchmarks.get(suite))
    return next(task for task in tasks if task.task_id == task_id)


def _views() -> Iterator[tuple[str, AbstractGridBackend]]:
    """One moment of one walk under each kind of observability, on squares and on hexagons."""
    task = _task("tiers", "t2_04_dark_house")
    for mode in OBSERVABILITY_MODES:
        shown = attrs.evolve(task, rules=attrs.evolve(task.rules, observability=mode))
        for tiling in ("square", "hex"):
            backend = MultiGridBackend(tiling, image_size=SIDE)
            draw_start(backend, shown)
            for action in winning_plan(backend.world)[:STEPS_BEFORE_LOOKING]:
                backend.step(action)
            yield f"{mode}-{tiling}", backend


def made_diagrams() -> Iterator[tuple[str, str]]:
    """Name of each diagram of a tiling, and its SVG."""
    for provided in get_registry().tilings:
        make_topology = load_object(provided.item.target)
        yield f"patches-{provided.item.name}", patches_diagram(make_topology(3, 3))
        task = _two_walls()
        world = compile_world(task, make_topology(*task.maze.dimensions))
        yield f"seams-{provided.item.name}", seams_diagram(world)


def _two_walls() -> TaskSpecification:
    """A room with two walls that touch in a corner alone."""
    return TaskSpecification.from_dict(
        {
            "task_id": "two_walls",
            "seed": 0,
            "difficulty_tier": 1,
            "maze": {"dimensions": [6, 6], "start": [1, 1], "goal": [4, 4], "walls": [[3, 2], [2, 3]]},
            "goal": {"type": "reach_position"},
            "max_steps": 50,
        }
    )
