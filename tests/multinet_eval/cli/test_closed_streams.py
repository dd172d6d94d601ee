"""Programs whose standard input, output or errors were closed before they began."""

import subprocess
from pathlib import Path

from support.programs import Finished, command, environment


def run_with_closed(streams: str, program: str, *arguments: str | Path) -> Finished:
    """Run a program from a shell that closes streams, such as ``<&- >&-``."""
    script = [*command(program), *map(str, arguments)]
    return subprocess.run(
        ["sh", "-c", f'exec "$0" "$@" {streams}', *script],
        env=environment(),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def test_an_evaluation_without_streams_is_recorded(tasks: Path, tmp_path: Path) -> None:
    played = ("--model", "greedy", "--task-dir", tasks, "--run-dir", tmp_path / "run")
    finished = run_with_closed("<&- >&- 2>&-", "multinet-run-eval", *played)
    assert finished.returncode == 0
    assert (tmp_path / "run" / "results.json").is_file()
