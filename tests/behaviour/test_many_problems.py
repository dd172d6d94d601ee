"""Of thousands of problems, messages show the first; reports in JSON have all."""

import json
from pathlib import Path

import pytest

from support.commands import multinet
from support.runs import SteeredModel, record_run
from support.task_files import write_corridors
from support.worlds import corridor

MANY = 3_000
SHOWN = 20
COMMANDS: dict[str, tuple[object, ...]] = {
    "validate": ("tasks", "validate", "FILE"),
    "show": ("tasks", "show", "FILE"),
    "upgrade": ("tasks", "upgrade", "FILE"),
    "verify": ("tasks", "verify", "FILE"),
    "eval": ("eval", "-m", "random", "--task-dir", "FOLDER"),
}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A task file with many ids that are none."""
    (file,) = write_corridors(tmp_path_factory.mktemp("tasks") / "tasks", 3).glob("*.json")
    task = json.loads(file.read_text(encoding="utf-8"))
    task["rules"] = {"hidden_mechanisms": [0] * MANY}
    file.write_text(json.dumps(task), encoding="utf-8")
    return file


def said_by(*words: object) -> list[str]:
    finished = multinet(*words)
    assert finished.exit_code in (1, 2)
    return [
        line
        for line in (finished.stdout + finished.stderr).splitlines()
        if "hidden_mechanisms[" in line or "more" in line
    ]


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_the_first_problems_of_a_task_are_shown(words: tuple[object, ...], file: Path) -> None:
    lines = said_by(*({"FILE": file, "FOLDER": file.parent}.get(str(word), word) for word in words))
    assert len(lines) == SHOWN + 1
    assert lines[-1].strip() == f"and {MANY - SHOWN:,} more"


def test_a_report_in_json_has_all_problems(file: Path) -> None:
    (report,) = json.loads(multinet("tasks", "validate", file, "--json").stdout)
    assert len(report["findings"]) == MANY


def test_the_first_problems_of_a_run_are_shown(tmp_path: Path) -> None:
    run = record_run(tmp_path / "run", [corridor("@.G", max_steps=4)], SteeredModel("F" * 4), epochs=SHOWN + 5).path
    for path in (run / "episodes").iterdir():
        path.write_text(path.read_text(encoding="utf-8") + "{}\n", encoding="utf-8")
    finished = multinet("runs", "verify", run)
    assert "\n  and " in finished.stdout
    assert len(finished.stdout.splitlines()) < SHOWN + 10
