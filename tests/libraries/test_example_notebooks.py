"""The example notebooks run from top to bottom; no Jupyter is needed for that."""

import ast
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from gridworld.solver import Verdict

FOLDER = Path(__file__).parents[2] / "examples" / "notebooks"


def displayed(name: str) -> Iterator[Any]:
    """What is shown below each cell that ends with an expression, when they are run one after another."""
    names: dict[str, Any] = {"__name__": "notebook"}
    content = json.loads((FOLDER / name).read_text(encoding="utf-8"))
    code = [cell for cell in content["cells"] if cell["cell_type"] == "code"]
    assert all((cell["outputs"], cell["execution_count"]) == ([], None) for cell in code)
    for number, cell in enumerate(code):
        place, module = f"cell {number}", ast.parse("".join(cell["source"]))
        last = module.body.pop() if isinstance(module.body[-1], ast.Expr) else None
        exec(compile(module, place, "exec"), names)
        if isinstance(last, ast.Expr):
            yield eval(compile(ast.Expression(last.value), place, "eval"), names)


def test_analysing_runs_gives_its_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without pandas, so that tables are lists of dictionaries."""
    monkeypatch.setitem(sys.modules, "pandas", None)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    episodes, metrics, by_episode, models, sight = displayed("analysing_runs.ipynb")
    assert len(episodes) == len(by_episode) == 12
    assert [(row["metric"], row["category"]) for row in metrics] == [
        ("success", None),
        ("spl", None),
        ("regret_total", None),
        ("regret_total", "share of budget"),
        ("loss", None),
        ("revisits", None),
        ("revisits", "share of budget"),
    ]
    assert [(row["first"], row["second"]) for row in models] == [
        ("greedy", "explorer"),
        ("greedy", "optimal"),
        ("explorer", "optimal"),
    ]
    effects = {(row["first"], row["second"]): row for row in sight}
    assert all(row["mazes"] == 4 for row in sight)
    assert all(row["interval_low"] <= row["difference"] <= row["interval_high"] for row in sight)
    assert effects["cone", "full"]["difference"] < 0


def test_the_first_hour_gives_what_it_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    task, (observation, _), solution, distances, mazes, rewards, picture = displayed("first_hour.ipynb")
    assert task[0] == "v04_single_key"
    assert set(observation) == {"cells", "agent", "direction", "mission"}
    verdict, length, plan = solution
    assert (verdict, length) == (Verdict.SOLVED, len(plan))
    assert distances[0] == length
    assert len(mazes) == len({name for name, _ in mazes}) == 10
    assert len(rewards) == 100
    with Image.open(tmp_path / picture) as animation:
        assert (animation.format, animation.is_animated) == ("GIF", True)
