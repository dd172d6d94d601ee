"""The example of a family and an importer, as a user of both calls them."""

import json
from pathlib import Path

from support.commands import multinet


def test_castles_are_generated_and_certified_on_every_tiling(tmp_path: Path) -> None:
    tilings = "square,hex,triangle,488,3464"
    call = ("generate", "moats", "--count", "2", "--depth", "1", "--tilings", tilings, "--workers", "1")
    finished = multinet("tasks", *call, "-o", tmp_path / "castles")
    assert (finished.exit_code, finished.stderr) == (0, "")
    verified = multinet("tasks", "verify", tmp_path / "castles", "--workers", "1")
    assert verified.stdout.splitlines()[-1] == "2 of 2 tasks verified"


def test_bits_are_imported_and_what_is_none_is_told(tmp_path: Path) -> None:
    (tmp_path / "mazes.txt").write_text("11111\n10001\n11101\n11111\n\n1x1\n")
    finished = multinet(
        "tasks", "import", "bits", tmp_path / "mazes.txt", "-o", tmp_path / "imported", "--workers", "1", "--json"
    )
    assert finished.exit_code == 1
    assert "its rows are not zeros and ones of one length" in finished.stdout
    (task,) = (tmp_path / "imported").glob("*.json")
    assert set(json.loads(task.read_text())["metadata"]["certificate"]["optimal_length"]) == {"square"}
