"""Budgets count what a provider bills: reasoning beside the reply, and parts of prompts from its cache."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from multinet_adapters.testing.model_servers import MODEL, Body, serve
from support.commands import run_eval
from support.run_folders import shown
from support.task_files import write_corridors

PRICES = {"input": 2.0, "output": 10.0, "cached_input": 0.5}


class Provider:
    """A server that reports its reasoning tokens in one of three ways, and adds up what it bills."""

    def __init__(self, way: str) -> None:
        self.way = way
        self.requests = self.prompt = self.output = self.cached = 0
        self.dearest = 0

    def answer(self, request: Any) -> Body:
        dice = random.Random(self.requests)
        prompt, cached, said, reasoned = 900, dice.randrange(500), 30, dice.randrange(100, 900)
        reasoned = 0 if self.way == "none" else reasoned
        self.requests, self.prompt, self.cached = self.requests + 1, self.prompt + prompt, self.cached + cached
        self.output += said + reasoned
        self.dearest = max(self.dearest, prompt + said + reasoned)
        usage = {
            "prompt_tokens": prompt,
            "completion_tokens": said + reasoned if self.way == "inside" else said,
            "total_tokens": prompt + said + reasoned,
            "prompt_tokens_details": {"cached_tokens": cached},
        }
        message = {"finish_reason": "stop", "message": {"content": "Action: 0"}}
        return Body(json.dumps({"choices": [message], "usage": usage}).encode())

    @property
    def cost(self) -> float:
        fresh = (self.prompt - self.cached) * PRICES["input"] + self.cached * PRICES["cached_input"]
        return (fresh + self.output * PRICES["output"]) / 1e6


@pytest.fixture
def prices(tmp_path: Path) -> Path:
    path = tmp_path / "prices.toml"
    path.write_text(f'["openai/{MODEL}"]\n' + "".join(f"{name} = {price}\n" for name, price in PRICES.items()))
    return path


def play(provider: Provider, folder: Path, prices: Path, steps: int, *options: object) -> dict[str, Any]:
    """What a run has spent, as it reports itself."""
    tasks = write_corridors(folder / "tasks", 3, 4, max_steps=steps)
    with serve(provider.answer) as server:
        model = ("--model", f"openai:{MODEL}", "--base-url", server.openai_url, "--observation", "text")
        finished = run_eval(
            *model, "--task-dir", tasks, "--run-dir", folder / "run", "--prices", prices, "-q", *options
        )
    assert finished.exit_code in (0, 1), finished.stderr
    return dict(shown(folder / "run")["spent"])


@pytest.mark.parametrize("way", ["inside", "outside", "none"])
@pytest.mark.parametrize("limit", [("--max-tokens", 9000), ("--max-cost", 0.05)], ids=lambda limit: limit[0])
def test_a_budget_holds_within_one_request(way: str, limit: tuple[str, float], tmp_path: Path, prices: Path) -> None:
    provider = Provider(way)
    spent = play(provider, tmp_path, prices, 60, *limit)
    used = provider.prompt + provider.output if limit[0] == "--max-tokens" else provider.cost
    most = provider.dearest if limit[0] == "--max-tokens" else provider.dearest * PRICES["output"] / 1e6
    assert limit[1] - most <= used <= limit[1] + most
    assert spent["cost"] == pytest.approx(provider.cost)


@pytest.mark.parametrize("steps", [20, pytest.param(250, marks=pytest.mark.more)])
def test_totals_are_those_of_the_servers_own_log(steps: int, tmp_path: Path, prices: Path) -> None:
    provider = Provider("outside")
    spent = play(provider, tmp_path, prices, steps)
    assert provider.requests == spent["requests"] == 2 * steps
    assert (spent["prompt_tokens"], spent["completion_tokens"]) == (provider.prompt, provider.output)
    assert spent["cache_read_tokens"] == provider.cached
    assert spent["cost"] == pytest.approx(provider.cost)
