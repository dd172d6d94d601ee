"""Every command that prints a table shows each name whole, and folds at separators what is wider than the terminal."""

from collections.abc import Iterator

import pytest

from support.commands import invoke
from support.runs import write_corridor
from support.thoroughness import in_turn

WIDTHS = (60, 80, 100, 200)
LONG = "a_task_with_a_name_that_is_as_long_as_names_of_tasks_get_in_practice"
TASKS = ("short", LONG)
INDENT = 18
"""Columns that a list takes beside its values, at most."""


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The folder of the tasks, as commands are given it: relative, since it is a part of the names that they print."""
    parent = tmp_path_factory.mktemp("widths")
    for task_id in TASKS:
        write_corridor(parent / "suite", task_id)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(parent)
        for model in RECORDED:
            invoke(["eval", "-m", model, "--task-dir", "suite", *QUICK, "--run-dir", model], MULTINET_NO_RECORD="")
        yield "suite"


MODELS = [
    "anthropic",
    "file",
    "greedy",
    "lmstudio",
    "ollama",
    "openai",
    "optimal",
    "random",
    "replay",
    "transformers",
]
DISTRIBUTIONS = ["gridworld-core", "gridworld-minigrid", "gridworld-multigrid", "multinet-adapters", "multinet-eval"]
TILINGS = ["square", "hex", "triangle", "488", "3464"]
RECORDED = ["greedy", "random"]
"""The models of which there are recorded runs, in folders of these names."""
QUICK = ["-B", "tile_size=8", "-q"]

TABLES: list[tuple[list[str], list[str]]] = [
    (["tasks", "list", "suite", "--workers", "1"], [f"suite/{name}" for name in TASKS]),
    (["tasks", "show", f"suite/{LONG}.json"], [LONG]),
    (["models", "list"], [*MODELS, *DISTRIBUTIONS[:1]]),
    (["models", "check", "greedy"], ["greedy", "it answers a question", "passed"]),
    (["plugins", "list"], [*DISTRIBUTIONS, *MODELS, *TILINGS]),
    (["plugins", "show", "ollama"], ["ollama", "base_url", "max_reply_bytes"]),
    (["plugins", "show", "multinet-eval"], ["multinet-eval/eval", "validation_10", "regret_total"]),
    (["compare", *RECORDED], RECORDED),
    (["leaderboard", *RECORDED], RECORDED),
    (["plugins", "check", "greedy"], ["greedy", "gridworld-core", "passed"]),
    (["eval", "-m", "greedy", "--task-dir", "suite", "-B", "tile_size=8"], [*TASKS, "success"]),
    (["eval", "-m", "greedy", "--task-dir", "suite", "--tiling", "all"], TILINGS),
]


@in_turn("table, width", TABLES, WIDTHS, ids=lambda value: str(value) if isinstance(value, int) else " ".join(value[0]))
def test_names_are_whole_and_lines_fit(table: tuple[list[str], list[str]], width: int, suite: str) -> None:
    command, names = table
    result = invoke(command, COLUMNS=str(width))
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    for name in names:
        fits = len(name) + INDENT <= width
        shown = lines if fits else ["".join(line.strip() for line in lines)]
        assert any(name in line for line in shown), f"{name} is missing or broken in:\n{result.stdout}"
    words = max(len(word) for line in lines for word in line.split() if "─" not in word)
    described = result.stdout.find("\n\n")  # documentation of plugins and views of tasks are as wide as they are
    table = result.stdout[:described].splitlines() if command[1] == "show" else lines
    table = [line for line in table if not line.startswith("incomplete: ")]  # it ends with a command to be copied
    assert max(map(len, table)) <= max(width, words + 30), result.stdout
