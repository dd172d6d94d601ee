"""What pictures show of worlds that are not seen whole, and that the view is MiniGrid's own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import cycle
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gridworld.backends.pictures import PictureStyle
from gridworld.runner.grid_runner import GridRunner
from gridworld.task_spec import TaskSpecification
from gridworld_minigrid import MiniGridBackend
from gridworld_minigrid.grid_pictures import GridPicture
from gridworld_minigrid.tiles import draw_unseen_tile
from support.thoroughness import bounded
from support.twins import actions_of, as_it_looks, change_out_of_sight, seen_in, with_rules
from support.worlds import block, corridor, door, draw, gate, hazard, key, switch, tasks, teleporter

HAND = (0, 0)
"""Where what the agent holds is drawn."""
PARTIAL = ("view_cone", "fog_of_war")
TILE = 8
seeds = st.integers(0, 2**32 - 1)
lengths = st.integers(5, 60)


def ready(task: TaskSpecification, **options: Any) -> MiniGridBackend:
    """A backend at the start of an episode."""
    backend = MiniGridBackend(**{"tile_size": TILE, **options})
    backend.configure(task)
    backend.reset()
    return backend


def pictures(task: TaskSpecification, actions: list[int], **options: Any) -> Iterator[dict[str, bytes]]:
    """All pictures of the start of an episode and of what comes of some actions, by name; other styles take turns."""
    backend = MiniGridBackend(**{"tile_size": TILE, **options})
    backend.configure(task)
    frame, *_ = backend.reset()
    others = [GridPicture(backend.episode, TILE, style) for style in get_args(PictureStyle)[1:]]
    taking_turns = cycle(others)
    for other in others:
        yield {"other style": drawn(other)}
    yield {"frame": frame.tobytes(), "symbolic": backend.env.gen_obs()["image"].tobytes()}
    for action in actions:
        frame, *_ = backend.step(action)
        symbolic, other = backend.env.gen_obs()["image"].tobytes(), drawn(next(taking_turns))
        yield {"frame": frame.tobytes(), "symbolic": symbolic, "other style": other}
    yield {"own view": backend.env.get_pov_render(TILE).tobytes(), "again": backend.render().tobytes()}


def drawn(picture: GridPicture) -> bytes:
    """The picture of the present moment."""
    picture.draw()
    return picture.pixels.tobytes()


def tiles_of(frame: np.ndarray) -> dict[tuple[int, int], bytes]:
    """Lattice cell to the pixels of its tile."""
    height, width = frame.shape[0] // TILE, frame.shape[1] // TILE
    tiles = frame.reshape(height, TILE, width, TILE, 3).swapaxes(1, 2)
    return {(x, y): tiles[y, x].tobytes() for y in range(height) for x in range(width)}


UNSEEN = draw_unseen_tile(TILE).tobytes()


# --- Nothing leaks into a picture --------------------------------------------------------------------------------


def test_no_pixel_depends_on_what_was_never_in_view() -> None:
    steps = 0

    @bounded(12)
    @given(tasks(max_side=12), st.sampled_from(PARTIAL), seeds, lengths, st.booleans())
    def compare(task: TaskSpecification, mode: str, seed: int, length: int, highlight: bool) -> None:
        nonlocal steps
        task = with_rules(task, observability=mode)
        actions = actions_of(task, seed, length)
        twin = change_out_of_sight(task, seen_in(task, actions), seed)
        assume(twin != task)
        shown = (pictures(each, actions, highlight=highlight) for each in (task, twin))
        for one, other in zip(*shown, strict=True):
            assert one == other
            steps += 1

    compare()
    assert steps >= 80


def test_no_pixel_depends_on_a_hidden_mechanism() -> None:
    """The agent looks around, where random steps would touch it."""
    kinds: Counter[str] = Counter()

    @bounded(30)
    @given(tasks(), st.sampled_from(("full", *PARTIAL)))
    def compare(task: TaskSpecification, mode: str) -> None:
        kind_of = {spec.id: kind for kind, specs in task.mechanisms.groups() for spec in specs}
        assume(kind_of)
        name = min(kind_of, key=lambda each: (kinds[kind_of[each]], each))  # of the kind that was compared least
        task = with_rules(task, observability=mode, hidden_mechanisms=(name,))
        twin = as_it_looks(task, name)
        assume(twin is not None)
        assert twin is not None
        actions = [0, 0, 0, 0, 1][: task.max_steps]
        assume(len(actions) == 5)
        assert list(pictures(task, actions)) == list(pictures(twin, actions))
        kinds[kind_of[name]] += 1

    compare()
    assert kinds.total() >= 12
    assert len(kinds) == 7


@given(tasks(), seeds)
def test_pictures_do_not_depend_on_earlier_ones(task: TaskSpecification, seed: int) -> None:
    eager, lazy = ready(task), ready(task, render_mode=None)
    for action in actions_of(task, seed, 60):
        frame = eager.step(action)[0]
        lazy.step(action)
    assert eager.render().tobytes() == lazy.render().tobytes()
    if eager.get_state().step_count:
        assert frame.tobytes() == lazy.render().tobytes()


# --- What is remembered ------------------------------------------------------------------------------------------


def everything(mode: str) -> TaskSpecification:
    """A room with every kind of thing, in view from the start to somebody who sees far."""
    return draw(
        """
        #############
        #k.D.C.O..s.#
        #t..g.h.B.z.#
        #@..........#
        #a.b.l.p.q..#
        #m..x.....G.#
        #############
        """,
        k=key("red"),
        D=door("red"),
        C=door("green", "closed"),
        O=door("yellow", "open"),
        s=switch(color="purple"),
        t=switch(initial_state="on"),
        g=gate(),
        h=gate("open"),
        B=block(color="blue"),
        z=block(pushable=False),
        ab=teleporter(),
        l=hazard("lava"),
        p=hazard("pit"),
        q=hazard("spike"),
        m=block(color="red"),
        goal={"type": "push_block_to", "target_ids": ["m"], "target_positions": ["x"]},
        rules={"observability": mode, "view_size": 25},
    )


def test_remembered_cells_differ_from_seen_and_unseen_ones() -> None:
    backend = ready(everything("fog_of_war"))
    facing = tiles_of(backend.render())
    seen = backend.get_state().visible_cells
    backend.step(0), backend.step(0)
    away = tiles_of(backend.render())
    remembered = seen - backend.get_state().visible_cells
    assert len({facing[cell] for cell in remembered}) >= 15
    assert all(away[cell] not in (facing[cell], UNSEEN) for cell in remembered)
    assert not {away[cell] for cell in remembered} & {facing[cell] for cell in seen}


@given(tasks(max_side=10), seeds)
def test_what_is_in_view_is_drawn_as_if_everything_were(task: TaskSpecification, seed: int) -> None:
    assume(len(task.mechanisms.teleporters) < 2)  # their dots count them in the order in which they are first seen
    partly, whole = ready(with_rules(task, observability="fog_of_war")), ready(with_rules(task, observability="full"))
    for action in actions_of(task, seed, 50):
        frame, *_, state, _ = partly.step(action)
        shown, real = tiles_of(frame), tiles_of(whole.step(action)[0])
        assert all(shown[cell] == real[cell] for cell in state.visible_cells)


@given(tasks(max_side=10), seeds)
def test_cells_out_of_view_stay_drawn_the_same(task: TaskSpecification, seed: int) -> None:
    backend = ready(with_rules(task, observability="fog_of_war"))
    remembered: dict[tuple[int, int], bytes] = {}
    for action in actions_of(task, seed, 60):
        frame, *_, state, _ = backend.step(action)
        tiles, out_of_view = tiles_of(frame), state.explored_cells - state.visible_cells - {HAND}
        assert all(tiles[cell] == remembered[cell] for cell in out_of_view & remembered.keys())
        remembered = {cell: tiles[cell] for cell in out_of_view}


# --- What a policy is given --------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", PARTIAL)
def test_a_policy_is_given_the_known_state(mode: str) -> None:
    task = corridor("@.DB.G", D=door(initial_state="closed"), B=block(), rules={"observability": mode}, max_steps=4)
    blocks = []

    def policy(observation: Any, state: Any, mission: str) -> int:
        blocks.append(state.block_positions)
        return (2, 5, 6, 6)[state.step_count]

    GridRunner(MiniGridBackend(tile_size=TILE)).run_episode(task, policy)
    assert blocks == [{}, {}, {"B": (4, 1)}, {"B": (4, 1)}]
