"""Commands given what they cannot use: message, exit code, and no file left behind."""

from pathlib import Path

import attrs
import pytest

from support.plugins import write_distribution
from support.programs import run, words
from support.runs import record_run, write_corridor
from support.worlds import corridor

LEAVE_A_TRACE = "from pathlib import Path\nPath('imported').touch()\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an unfinished run, one that replays differently, foreign tasks, and a plugin for another core."""
    folder = tmp_path_factory.mktemp("refusals")
    tasks = [attrs.evolve(corridor("@..G"), task_id=name) for name in ("one", "two")]
    record_run(folder / "unfinished", tasks, "FFF", requests=4)
    record_run(folder / "changed", tasks, "FFF")
    file = folder / "changed" / "episodes" / "1.jsonl"
    text = file.read_text(encoding="utf-8")
    first, second, *_ = (line.split('"digest":"')[1][:16] for line in text.splitlines() if line.startswith('{"step"'))
    file.write_text(text.replace(second, first), encoding="utf-8")
    write_corridor(folder / "others", "own")
    files = {"another_plugin.py": LEAVE_A_TRACE}
    write_distribution(folder / "site", "another", "1.0", {"entry": "another_plugin"}, files, ["gridworld-core==9.*"])
    return folder


@pytest.mark.parametrize(
    ("command", "exit_code", "told", "unwritten"),
    [
        ("runs rescore unfinished", 1, "; 'multinet runs resume unfinished' resumes it", "unfinished/results.json"),
        ("runs render changed 1 -o episode.gif", 1, "is another episode than was recorded from step 2", "episode.gif"),
        ("tasks generate perfect_maze -o others", 2, "this task does not belong to the recipe", "others/report.json"),
        ("plugins list", 0, "it needs gridworld-core==9.*", "imported"),
    ],
)
def test_the_message_says_why_and_no_file_is_left(
    folder: Path, command: str, exit_code: int, told: str, unwritten: str
) -> None:
    finished = run("multinet", *command.split(), path=[folder / "site"], cwd=folder)
    assert finished.returncode == exit_code, finished.stderr
    assert told in words(finished.stdout + finished.stderr)
    assert "Traceback" not in finished.stderr
    assert not (folder / unwritten).exists()
