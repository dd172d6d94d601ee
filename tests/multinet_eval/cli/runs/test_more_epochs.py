"""``multinet runs resume --epochs``: so many repetitions of each task in all."""

from pathlib import Path

from support.commands import invoke
from support.run_folders import RECORDED
from support.runs import write_corridor


def test_extending_to_fewer_epochs_is_noted(tmp_path: Path) -> None:
    write_corridor(tmp_path / "suite", "corridor")
    options = ["-m", "optimal", "--task-dir", tmp_path / "suite", "-B", "tile_size=8", "--epochs", "2", "-q"]
    run = tmp_path / "run"
    assert invoke(["eval", *options, "--run-dir", run], **RECORDED).exit_code == 0
    same = invoke(["runs", "resume", run, "--epochs", "1", "-q"])
    told = "note: each task is already planned 2 times; --epochs 1 adds none\n"
    assert (same.exit_code, same.stderr) == (0, told)
    more = invoke(["runs", "resume", run, "--epochs", "3", "-q"])
    assert (more.exit_code, more.stderr) == (0, "")
    assert len(list((run / "episodes").iterdir())) == 3
