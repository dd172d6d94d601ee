"""A scene and what steps change in it are all that is needed to draw an episode."""

import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.backends.scenes import Look, Scene, glyph_data
from gridworld.drawing.glyphs import Circle, Glyph, Polygon, Tint
from gridworld.task_spec import TaskSpecification
from gridworld.world import Episode, compile_world
from gridworld.world.knowledge import shown_look
from gridworld.world.looks import look_at
from support.thoroughness import bounded
from support.tilings import TILINGS, make_topology
from support.worlds import begin, compiled, corridor, key, task_dicts

LENGTH = 30


def begun(data: dict[str, object], observability: str, tiling: str, seed: int) -> tuple[Scene, Episode, random.Random]:
    """A scene, an episode at its start, and what chooses the actions in it."""
    rules = data["rules"] if isinstance(data.get("rules"), dict) else {}
    task = TaskSpecification.from_dict({**data, "rules": {**rules, "observability": observability}})
    world = compile_world(task, make_topology(tiling, task.maze.dimensions))
    episode = Episode(world)
    episode.reset()
    return Scene(world), episode, random.Random(seed)


@bounded(8)
@given(
    st.sampled_from(("full", "view_cone", "fog_of_war")),
    task_dicts(),
    st.sampled_from(TILINGS),
    st.integers(0, 2**32 - 1),
)
def test_changes_give_the_looks_of_every_moment(
    observability: str, data: dict[str, object], tiling: str, seed: int
) -> None:
    scene, episode, rng = begun(data, observability, tiling, seed)
    world = episode.world
    start = scene.to_dict()
    true, shown = list(start["looks"]), None if start["shown"] is None else list(start["shown"])
    for _ in range(LENGTH):
        if episode.terminated or episode.truncated:
            break
        before = episode.snapshot
        episode.step(rng.randrange(7))
        now = episode.snapshot
        changes = json.loads(f"{{{scene.changes_to_json(before, now)}}}")
        assert changes["agent"] == scene.agent(now)
        for cell, look in changes.get("looks", {}).items():
            true[int(cell)] = look
        for cell, look in changes.get("shown", {}).items():
            assert shown is not None
            shown[int(cell)] = look
        cells = range(world.topology.cell_count)
        assert true == [scene.look_data(look_at(world, now.state, cell, now.knowledge.met)) for cell in cells]
        if shown is not None:
            assert shown == [scene.look_data(shown_look(world, now, cell)) for cell in cells]


@pytest.mark.parametrize("name", ["k", "ü", '"', "\\"])
def test_carried_ids_are_told_and_escaped(name: str) -> None:
    episode = begin(corridor(f"@{name}.G", **{name: key("red")}))
    before, scene = episode.snapshot, Scene(episode.world)
    episode.step(3)
    assert scene.agent(episode.snapshot)[2] == name
    assert json.loads(f"{{{scene.changes_to_json(before, episode.snapshot)}}}")["agent"][2] == name


@bounded(6)
@given(task_dicts(), st.sampled_from(TILINGS))
def test_shared_looks_give_the_same_json(data: dict[str, object], tiling: str) -> None:
    task = TaskSpecification.from_dict(data)
    one, other = (compile_world(task, make_topology(tiling, task.maze.dimensions)) for _ in range(2))
    scene = Scene(one)
    assert scene.to_json() == json.dumps(scene.to_dict(), separators=(",", ":"))
    assert scene.to_json() == Scene(other, scene.looks).to_json() == Scene(other).to_json()


def test_scene_has_polygons_seams_glyphs_and_agent() -> None:
    world = compiled(corridor("@k.G", k=key("red")))
    scene = Scene(world)
    data = json.loads(json.dumps(scene.to_dict()))
    assert data["tiling"] == "square"
    assert len(data["cells"]) == len(data["looks"]) == len(data["lattice"]) == world.topology.cell_count
    assert data["agent"] == [world.start.cell, world.start.heading, None]
    assert data["shown"] is None  # all is shown as it is
    place = data["lattice"].index([2, 1])
    wall, mark, things = data["looks"][place]
    assert (wall, mark, len(things)) == (False, None, 1)
    assert all(shape["kind"] in ("rectangle", "circle", "line", "polygon") for shape in data["glyphs"][things[0]])


def test_colours_are_numbers_or_name_and_brightness() -> None:
    shapes = (Circle(0.5, 0.5, 0.2, (1, 2, 3)), Polygon(((0, 0), (1, 0), (1, 1)), Tint("red", 0.5)))
    circle, polygon = glyph_data(Glyph(shapes))
    assert (circle["kind"], circle["color"], circle["radius"]) == ("circle", [1, 2, 3], 0.2)
    assert (polygon["kind"], polygon["color"]) == ("polygon", ["red", 0.5])


@bounded(4)
@given(
    st.sampled_from(("full", "view_cone", "fog_of_war")),
    task_dicts(),
    st.sampled_from(TILINGS),
    st.integers(0, 2**32 - 1),
)
def test_shown_scene_has_only_shown_looks(observability: str, data: dict[str, object], tiling: str, seed: int) -> None:
    scene, episode, rng = begun(data, observability, tiling, seed)
    world = episode.world
    for _ in range(LENGTH // 3):
        if episode.terminated or episode.truncated:
            break
        episode.step(rng.randrange(7))
        shown, snapshot, whole = scene.as_shown(episode.snapshot), episode.snapshot, scene.looks.glyphs
        cells = [scene.look_data(shown_look(world, snapshot, cell)) for cell in range(world.topology.cell_count)]
        drawn = [_drawn(look, [glyph_data(each) for each in whole]) for look in cells]
        assert [_drawn(look, shown["glyphs"]) for look in shown["looks"]] == drawn
        met = {glyph for look in shown["looks"] if look for glyph in (look[1], *look[2])} | {shown["carried"]}
        assert met - {None} == set(range(len(shown["glyphs"])))
        assert all(shown["looks"][a] and shown["looks"][b] for a, b in shown["seams"])
        assert json.loads(json.dumps(shown))["agent"] == [snapshot.state.cell, snapshot.state.heading]


def _drawn(look: Look, glyphs: list[Any]) -> Any:
    """A look with glyphs in place of their numbers."""
    if look is None:
        return None
    wall, mark, things = look
    return [wall, None if mark is None else glyphs[mark], [glyphs[thing] for thing in things]]
