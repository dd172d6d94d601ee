"""Runs are told from each other by what decides their results and is not the same in all."""

from pathlib import Path
from typing import Any

import attrs
import pytest

from gridworld.runner.presentation import Presentation
from multinet_eval.analysis.shared_conditions import distinctions
from multinet_eval.record.manifest import Manifest
from support.runs import record_run
from support.worlds import corridor

TASKS = [corridor("@.G", max_steps=2)]


@pytest.fixture
def made(tmp_path: Path) -> Any:
    """Makes the manifest of a run of these settings."""
    return lambda name="run", **settings: record_run(tmp_path / name, TASKS, requests=0, **settings).manifest


def test_runs_that_are_alike_have_nothing_that_tells_them_apart(made: Any) -> None:
    run = made()
    assert distinctions([]) == []
    assert distinctions([run]) == [""]
    assert distinctions([run, attrs.evolve(run, created="later", circumstances={"python": "4"})]) == ["", ""]


def test_the_tiling_is_told_first_and_then_the_settings_by_their_names(made: Any) -> None:
    hexes = {"tilings": ("hex",), "backend_arguments": ()}
    plain = made("plain", **hexes)
    remembering = made("remembering", seed=3, presentation=Presentation(history_images=2), **hexes)
    square = made("square", tilings=("square",), backend_arguments=())
    assert distinctions([plain, remembering, square]) == [
        "hex, history_images=0, seed=none",
        "hex, history_images=2, seed=3",
        "square, history_images=0, seed=none",
    ]
    assert distinctions([plain, square], without=["tilings"]) == ["", ""]


def test_arguments_of_models_say_what_they_are(made: Any) -> None:
    first, second = made("first"), made("second", model_arguments=("seed=4",))
    assert distinctions([first, second]) == ["", "seed=4"]


def test_what_follows_from_others_is_not_told(made: Any) -> None:
    """Which distributions were needed, and digests; but the hash of a suite that has the name of another does."""
    minigrid, hexes = made("minigrid"), made("hexes", tilings=("hex",), backend_arguments=())
    assert distinctions([minigrid, hexes]) == ["square, tile_size=8, backend=minigrid", "hex, backend=multigrid"]
    changed: Manifest = attrs.evolve(minigrid, fingerprint={**minigrid.fingerprint, "suite": "f" * 32, "prompt": "abc"})
    assert distinctions([minigrid, changed]) == [f"suite={minigrid.suite_hash[:8]}", "suite=ffffffff"]
    assert distinctions([minigrid, attrs.evolve(changed, suite="other")]) == ["", ""]
