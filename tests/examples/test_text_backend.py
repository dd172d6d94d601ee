"""The text backend: the rules of every backend, shown as text."""

from pathlib import Path

import numpy as np

from gridworld.backends.kernel import KernelBackend
from gridworld.plugins import get_registry
from gridworld.runner.grid_runner import GridRunner
from gridworld.solver import solve
from gridworld.support.import_strings import load_object
from gridworld.text import text_view
from support.commands import run_eval
from support.plugins import on_every_tiling
from support.programs import words
from support.runs import write_corridor
from support.worlds import corridor, door, gate, key

LOCKED = corridor("@k.D.G", k=key("red"), D=door("red"))


def text_backend(tiling: str = "square") -> KernelBackend:
    backend: KernelBackend = load_object(get_registry().backends.get("text").target)(tiling)
    return backend


@on_every_tiling
def test_a_plan_is_played_on_it_and_every_observation_is_the_text_of_its_moment(tiling: str) -> None:
    backend = text_backend(tiling)
    backend.configure(LOCKED)
    plan = solve(backend.world).plan
    assert plan is not None
    assert (backend.name, backend.tiling) == ("text", tiling)
    result = GridRunner(backend).run_episode(LOCKED, lambda observation, state, mission: plan[state.step_count])
    assert result.success
    first, last = result.trajectory[0].observation, result.trajectory[-1].observation
    assert "A red key" in first
    assert "A red key" not in last
    assert str(text_view(backend.episode)) == backend.observe()


def test_its_picture_has_a_square_of_one_colour_for_each_lattice_cell() -> None:
    backend = text_backend()
    backend.configure(LOCKED)
    backend.reset()
    picture = backend.render()
    assert (picture.shape, picture.dtype) == ((3 * 8, 8 * 8, 3), np.uint8)
    squares = picture.reshape(3, 8, 8, 8, 3).transpose(0, 2, 1, 3, 4)
    assert (squares == squares[:, :, :1, :1]).all()
    wall, agent, thing, floor = (tuple(squares[1, x, 0, 0].tolist()) for x in (0, 1, 2, 3))
    assert len({wall, agent, thing, floor}) == 4


def test_neither_text_nor_picture_shows_what_is_out_of_sight() -> None:
    """Two worlds that differ behind a shut gate only."""
    rules = {"observability": "view_cone", "view_size": 7}
    shown = []
    for row in ("@.g.k.G", "@.gk..G"):
        backend = text_backend()
        backend.configure(corridor(row, rules=rules, g=gate(), k=key("red")))
        text, _, _ = backend.reset()
        shown.append((text, backend.render().tobytes()))
    assert shown[0] == shown[1]
    assert "?" in shown[0][0]


def test_models_can_be_given_its_world_in_words_and_no_pictures(tmp_path: Path) -> None:
    write_corridor(tmp_path, "short")
    arguments = ("-m", "optimal", "--task-dir", tmp_path, "--backend", "text", "--observation")
    played, refused = run_eval(*arguments, "text"), run_eval(*arguments, "image", "--json")
    assert (played.exit_code, played.stderr) == (0, "")
    assert "1 of 1 task solved" in played.stdout
    assert (refused.exit_code, refused.stdout) == (2, "")
    told = "error: backend 'text' (gridworld-example-text-backend) observes a str, expected an RGB picture"
    assert told in words(refused.stderr)
