"""A run stops at its budget, over it by no more than the requests in flight, and resumes with a higher one."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from support.commands import Finished, multinet, run_eval
from support.model_servers import MODEL, ChatServer, Raw, model_arguments, said
from support.run_folders import results_of, shown
from support.task_files import write_corridors
from support.thoroughness import first_by_default

STEPS = 6
LARGEST = 100
"""Maximum tokens of a prompt or a reply."""
PRICES = (2.0, 5.0)
"""Prices of a million prompt tokens and a million completion tokens."""


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corridors(tmp_path_factory.mktemp("suite") / "tasks", 3, 4, 5, max_steps=STEPS)


@pytest.fixture(scope="module")
def prices(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("prices") / "prices.toml"
    path.write_text(f'["openai/{MODEL}"]\ninput = {PRICES[0]}\noutput = {PRICES[1]}\n')
    return path


def turning(body: dict[str, Any], number: int) -> Raw:
    """A turn; its tokens depend on the question."""
    rng = random.Random(json.dumps(body["messages"]) + str(body["seed"]))
    usage = {"prompt_tokens": rng.randint(1, LARGEST), "completion_tokens": rng.randint(1, LARGEST)}
    return said(rng.choice(("turn_left", "turn_right")), usage)


def alike(body: dict[str, Any], number: int) -> Raw:
    """A turn for a hundred tokens."""
    return said("turn_left", {"prompt_tokens": 60, "completion_tokens": 40})


def play(tasks: Path, run: Path, server: ChatServer, *options: object) -> Finished:
    model = model_arguments(server.url, "seed=1")
    quick = ("--observation", "text", "-B", "render_mode=none", "-q")
    return run_eval(*model, "--task-dir", tasks, "--run-dir", run, *quick, *options)


def resume(run: Path, *options: object) -> Finished:
    return multinet("runs", "resume", run, "-q", *options)


def spent(run: Path) -> dict[str, float]:
    """Spending of all sessions, by limit."""
    told = shown(run)["spent"]
    cost = (told["prompt_tokens"] * PRICES[0] + told["completion_tokens"] * PRICES[1]) / 1e6
    return {"requests": told["requests"], "tokens": told["prompt_tokens"] + told["completion_tokens"], "cost": cost}


OVER = {"requests": 0.0, "tokens": 2 * LARGEST, "cost": LARGEST * sum(PRICES) / 1e6}
"""Amount by which a request in flight may exceed each limit."""


@first_by_default(("name", "workers"), [("tokens", 4), ("tokens", 1), ("cost", 4), ("requests", 1)])
def test_a_run_in_steps_of_its_budget_spends_what_a_whole_one_does(
    tasks: Path, prices: Path, tmp_path: Path, name: str, workers: int
) -> None:
    whole, run = tmp_path / "whole", tmp_path / "run"
    ways = ("--workers", workers, "--prices", prices)
    with ChatServer(turning) as server:
        assert play(tasks, whole, server, "--prices", prices).exit_code == 0
        step = max(1, spent(whole)[name] // 3) if name != "cost" else spent(whole)[name] / 3
        finished = play(tasks, run, server, f"--max-{name}", step, *ways)
        level = 1
        while finished.exit_code == 1:
            limit, used = step * level, spent(run)
            assert limit <= used[name] <= limit + workers * OVER[name], finished.stderr
            made = len(server.bodies)
            again = resume(run)
            assert (again.exit_code, len(server.bodies)) == (1, made), "the limit counts all sessions"
            level += 1
            finished = resume(run, f"--max-{name}", step * level)
        assert (finished.exit_code, level >= 3) == (0, True), finished.stderr
        assert len(server.bodies) == 2 * spent(whole)["requests"]
    assert spent(run) == spent(whole)
    assert results_of(run) == results_of(whole)


@first_by_default(("limit", "workers"), [(250, 8), (250, 1), (1, 8)])
def test_requests_of_equal_size_are_never_over_by_a_whole_one(
    tasks: Path, tmp_path: Path, limit: int, workers: int
) -> None:
    with ChatServer(alike) as server:
        finished = play(tasks, tmp_path / "run", server, "--max-tokens", limit, "--workers", workers, "--epochs", 3)
    assert (finished.exit_code, len(server.bodies)) == (1, -(-limit // 100))


@first_by_default("name", ["tokens", "cost"])
def test_a_limit_of_nothing_lets_nothing_through(tasks: Path, prices: Path, tmp_path: Path, name: str) -> None:
    with ChatServer(alike) as server:
        finished = play(tasks, tmp_path / "run", server, f"--max-{name}", 0, "--prices", prices)
    assert (finished.exit_code, server.bodies) == (1, [])


def test_prices_that_come_later_are_recorded_and_change_nothing_but_the_cost(
    tasks: Path, prices: Path, tmp_path: Path
) -> None:
    run, whole = tmp_path / "run", tmp_path / "whole"
    with ChatServer(turning) as server:
        assert play(tasks, whole, server).exit_code == 0
        assert play(tasks, run, server, "--max-requests", 7).exit_code == 1
        done = resume(run, "--max-requests", "none", "--max-cost", 1, "--prices", prices)
        assert (done.exit_code, done.stderr) == (0, "")
        costs = results_of(run)
        assert resume(run).exit_code == 0
    assert results_of(run) == costs
    assert costs["cost"] == pytest.approx(spent(run)["cost"])
    assert results_of(whole)["cost"] is None
    assert (spent(run), costs["task_results"]) == (spent(whole), results_of(whole)["task_results"])
