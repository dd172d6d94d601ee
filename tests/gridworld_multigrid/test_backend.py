"""`MultiGridBackend` keeps the contract of every backend, on every tiling."""

from typing import Any

import pytest

from gridworld.errors import UnknownNameError
from gridworld.task_spec import TaskSpecification
from gridworld_multigrid import MultiGridBackend
from support.programs import run_python
from support.tilings import TILINGS, start_on
from support.worlds import corridor, look

SMALL = 96


def ready(task: TaskSpecification, **options: Any) -> MultiGridBackend:
    """A backend at the start of an episode."""
    backend = MultiGridBackend(**{"image_size": SMALL, **options})
    backend.configure(task)
    backend.reset()
    return backend


# --- What it is --------------------------------------------------------------------------------------------------


def test_an_unknown_tiling_is_refused_at_once_with_the_nearest_one() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown tiling 'triangel' .did you mean 'triangle'"):
        MultiGridBackend(tiling="triangel")


@pytest.mark.parametrize(
    "arguments",
    [
        {"render_mode": "human"},
        {"image_size": 63},
        {"image_size": (640, 10)},
        {"image_size": (1, 2, 3)},
        {"image_size": 99.5},
        {"image_size": "large"},
    ],
    ids=str,
)
def test_arguments_out_of_range_are_refused(arguments: dict[str, Any]) -> None:
    (name,) = arguments
    with pytest.raises(ValueError, match=name):
        MultiGridBackend(**arguments)


def test_importing_the_plugin_and_the_tilings_imports_neither_numpy_nor_gymnasium() -> None:
    done = run_python(
        "import sys, gridworld_multigrid_plugin, gridworld_polygons.uniform\n"
        "print(sorted({'numpy', 'gymnasium', 'PIL'} & set(sys.modules)))",
        [],
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")


# --- Pictures ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [64, (200, 80), 640])
def test_a_picture_fits_into_the_asked_width_and_height(size: Any) -> None:
    width, height = (size, size) if isinstance(size, int) else size
    frame = ready(corridor("@.G"), image_size=size).render()
    assert frame.shape[1] <= width
    assert frame.shape[0] <= height
    assert frame.shape[1] >= 0.8 * width or frame.shape[0] >= 0.8 * height


def test_a_picture_is_640_wide_or_high_unless_said_otherwise() -> None:
    backend = MultiGridBackend("square")
    backend.configure(corridor("@.G"))
    assert 600 <= max(backend.reset()[0].shape) <= 640


def test_a_picture_is_no_larger_than_its_largest_side() -> None:
    task = corridor("@" + "." * 197 + "G")
    assert 1200 <= max(ready(task, image_size=4000).render().shape) <= 1536
    assert max(ready(task, image_size=4000, max_side=300).render().shape) <= 300
    with pytest.raises(ValueError, match="max_side"):
        MultiGridBackend(max_side=63)


# --- Tilings of others -------------------------------------------------------------------------------------------


def test_the_state_is_told_in_lattice_cells() -> None:
    for name in TILINGS:
        state = ready(corridor("@..G"), tiling=name).get_state()
        assert state.agent_position == (1, 1)
        assert state == look(start_on(name, corridor("@..G")))
