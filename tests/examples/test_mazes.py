"""The example of a family and an importer, as a user of both calls them."""

import json
from pathlib import Path

from support.programs import run


def test_castles_are_generated_and_certified_on_every_tiling(example_path: list[Path], tmp_path: Path) -> None:
    tilings = "square,hex,triangle,488,3464"
    call = ("generate", "moats", "--count", "2", "--depth", "1", "--tilings", tilings, "--workers", "1")
    finished = run("multinet", "tasks", *call, "-o", tmp_path / "castles", path=example_path)
    assert (finished.returncode, finished.stderr) == (0, "")
    verified = run("multinet", "tasks", "verify", tmp_path / "castles", "--workers", "1", path=example_path)
    assert verified.stdout.splitlines()[-1] == "2 of 2 tasks verified"


def test_bits_are_imported_and_what_is_none_is_told(example_path: list[Path], tmp_path: Path) -> None:
    (tmp_path / "mazes.txt").write_text("11111\n10001\n11101\n11111\n\n1x1\n")
    call = ("multinet", "tasks", "import", "bits", "mazes.txt", "-o", "imported", "--json")
    finished = run(*call, cwd=tmp_path, path=example_path)
    assert finished.returncode == 0, finished.stderr
    assert "its rows are not zeros and ones of one length" in finished.stdout
    (task,) = (tmp_path / "imported").glob("*.json")
    assert set(json.loads(task.read_text())["metadata"]["certificate"]["optimal_length"]) == {"square"}
