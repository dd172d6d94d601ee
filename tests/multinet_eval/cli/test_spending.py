"""Whole runs within a budget of requests, tokens, money or time, and with a cache, against a server that counts."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from multinet_adapters.testing.model_servers import MODEL, ChatRequest, ModelServer, Reply, Status, action_json, serve
from support.commands import run
from support.programs import Finished, assert_refused, words
from support.runs import write_corridor

SECRET = "sk-do-not-keep-me"
RECORDING = {"MULTINET_NO_RECORD": ""}
NAME = f"ollama/{MODEL}"
COST = (321 * 2.0 + 45 * 5.0) / 1e6
"""Of one request, at `PRICES`: what the server says of every reply."""
PRICES = f'["{NAME}"]\ninput = 2.0\noutput = 5.0\n'
STEPS = 12
"""Of both episodes together: the model turns and turns."""


def answer(request: ChatRequest) -> Reply | str:
    return action_json("turn_left")


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    folder = tmp_path / "turning"
    for name in ("one", "other"):
        write_corridor(folder, name, "@.G", max_steps=STEPS // 2)
    return folder


@pytest.fixture
def evaluate(tmp_path: Path, suite: Path) -> Callable[..., Finished]:
    def evaluate(server: ModelServer, *options: str | Path, **variables: str) -> Finished:
        model = ("-m", "ollama", "-M", f"model={MODEL}", "-M", f"base_url={server.ollama_url}")
        return run(
            "multinet-run-eval",
            *(*model, "-B", "tile_size=8", "--task-dir", suite, *options),
            cwd=tmp_path,
            variables={**RECORDING, **variables},
        )

    return evaluate


@pytest.fixture
def prices(tmp_path: Path) -> Path:
    path = tmp_path / "prices.toml"
    path.write_text(PRICES)
    return path


def resume(folder: Path, *options: str | Path) -> Finished:
    return run("multinet", "runs", "resume", folder, *options, variables=RECORDING)


Evaluate = Callable[..., Finished]


@pytest.mark.parametrize(
    ("limit", "higher", "told", "made"),
    [
        (("--max-requests", "3"), ("--max-requests", "5"), "the limit of 3 requests is reached", (3, 5)),
        (("--max-tokens", "1000"), ("--max-tokens", "1464"), "the limit of 1000 tokens is reached", (3, 4)),
        (("--max-cost", "0.002"), ("--max-cost", "0.004"), "the limit of a cost of 0.002 is reached", (3, 5)),
    ],
)
def test_a_run_stops_at_its_limit_and_goes_on_with_a_higher_one(
    tmp_path: Path,
    evaluate: Evaluate,
    prices: Path,
    limit: tuple[str, ...],
    higher: tuple[str, ...],
    told: str,
    made: tuple[int, int],
) -> None:
    folder = tmp_path / "run"
    with serve(answer) as server:
        stopped = evaluate(server, "--prices", prices, *limit, "--run-dir", folder)
        assert (stopped.returncode, len(server.chats)) == (1, made[0])
        assert stopped.stderr.splitlines()[:2] == [
            f"{told}, after 0 of 2 episodes",
            f"continue with: multinet runs resume {folder} {limit[0]} none",
        ]
        again = resume(folder)
        assert (again.returncode, len(server.chats)) == (1, made[0])
        assert told in again.stderr
        further = resume(folder, *higher)
        assert (further.returncode, len(server.chats)) == (1, made[1])
        done = resume(folder, limit[0], "none", "-o", tmp_path / "results.json")
        assert (done.returncode, done.stderr, len(server.chats)) == (0, "", STEPS)

    results = json.loads((tmp_path / "results.json").read_text())
    assert results["cost"] == pytest.approx(STEPS * COST)
    assert results["tiers"]["1"]["cost"] == results["cost"]
    assert json.loads((folder / "results.json").read_text()) == results
    cost = f"cost {STEPS * COST:.4g}"
    assert (
        f"spent: {STEPS} requests, {STEPS * 321:,} tokens of prompts, {STEPS * 45:,} of replies; {cost}" in done.stdout
    )
    assert cost in run("multinet", "runs", "show", folder).stdout


def test_time_ends_waiting_for_a_busy_server(tmp_path: Path, evaluate: Evaluate) -> None:
    with serve(lambda request: Status(503, "busy", {"Retry-After": "60"})) as server:
        stopped = evaluate(server, "--max-time", "0.5", "--workers", "2", "--run-dir", tmp_path / "run")
    assert stopped.returncode == 1
    assert "the limit of 0.5 seconds is reached, after 0 of 2 episodes" in stopped.stderr
    assert "continue with: multinet runs resume" in stopped.stderr


def test_a_limit_of_cost_without_a_price_is_a_wrong_call(evaluate: Evaluate, tmp_path: Path, prices: Path) -> None:
    with serve(answer) as server:
        none = evaluate(server, "--max-cost", "1", "--run-dir", tmp_path / "run")
        assert_refused(none, f"--max-cost needs the prices of '{NAME}'", f"--prices FILE.toml with a table ['{NAME}']")
        prices.write_text('["ollama/gridplayr:2b"]\ninput = 1\noutput = 1\n')
        other = evaluate(server, "--max-cost", "1", "--prices", prices, "--run-dir", tmp_path / "run")
        assert_refused(other, "--max-cost needs the prices of", "did you mean 'ollama/gridplayr:2b'?")
        prices.write_text("nothing of the kind")
        assert_refused(evaluate(server, "--prices", prices), f"{prices}: it is not TOML")
        stopped = evaluate(server, "--max-requests", "1", "--run-dir", tmp_path / "run")
        assert stopped.returncode == 1
        assert_refused(resume(tmp_path / "run", "--max-cost", "1"), f"--max-cost needs the prices of '{NAME}'")
        assert len(server.chats) == 1


@pytest.mark.parametrize("executor", ["local", pytest.param("processes", marks=pytest.mark.thorough)])
def test_a_second_run_with_the_cache_asks_nothing(tmp_path: Path, evaluate: Evaluate, executor: str) -> None:
    cache = ("--cache", tmp_path / "cache", "--executor", executor, "--workers", "2")
    secret = {"SECRET_OF_MINE": SECRET}
    with serve(answer, api_key=SECRET) as server:
        key = ("-M", "api_key_env=SECRET_OF_MINE")
        first = evaluate(server, *cache, *key, "--json", "--no-record", **secret)
        assert (first.returncode, len(server.chats)) == (0, STEPS)
        second = evaluate(server, *cache, *key, "--run-dir", tmp_path / "run", "--max-requests", "0", **secret)
        assert (second.returncode, len(server.chats)) == (0, STEPS)

    spent = f"spent: 0 requests, 0 tokens of prompts, 0 of replies; {STEPS} answers from the cache"
    assert spent in second.stdout.splitlines()
    results = [json.loads(first.stdout), json.loads((tmp_path / "run" / "results.json").read_text())]
    assert [each["cached_requests"] for each in results] == [0, STEPS]
    for part in ("success_rate", "outcomes", "mean_steps"):
        assert results[0][part] == results[1][part]
    kept = [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    assert len(kept) == STEPS
    assert all(path.suffix == ".json" for path in kept)
    assert not any(SECRET in path.read_text() for path in kept)


def test_a_limit_that_cannot_be_kept_is_explained(suite: Path, tmp_path: Path) -> None:
    arguments = ("--max-tokens", "100", "--run-dir", tmp_path / "run")
    finished = run("multinet-run-eval", "-m", "random", "--task-dir", suite, *arguments)
    assert finished.returncode == 1
    said = "the limit of tokens cannot be kept: replies do not state their number of tokens (a limit of requests can be"
    assert said in finished.stderr
    assert "raise or remove the limit to finish the run: --max-tokens N, or --max-tokens none" in finished.stderr
    assert "higher" not in finished.stderr


# --- what a run would take ---


def forecast(finished: Finished) -> Any:
    assert (finished.returncode, finished.stderr) == (0, "")
    return json.loads(finished.stdout)


def test_a_dry_run_asks_and_records_nothing(tmp_path: Path, evaluate: Evaluate, prices: Path) -> None:
    with serve(answer) as server:
        options = ("--prices", prices, "--epochs", "3", "--cache", tmp_path / "cache")
        told = evaluate(server, "--dry-run", *options, "--explain", "rules")
        explained = evaluate(server, "--dry-run", *options)
    assert server.received == []
    assert "pictures: 24 if every task is solved by a shortest plan, at most 72" in explained.stdout.splitlines()
    assert (told.returncode, told.stderr) == (0, "")
    lines = told.stdout.splitlines()
    assert lines[0] == f"turning: {NAME} would play 6 episodes; nothing was asked"
    assert lines[1] == "requests: 12 if every task is solved by a shortest plan, at most 36"
    assert lines[2] == "pictures: 12 if every task is solved by a shortest plan, at most 36"
    assert lines[4] == "reply tokens, estimated: 1,200 if every task is solved by a shortest plan, at most 3,600"
    assert lines[5].startswith("cost, estimated: ")
    assert "a token for 4 characters and for 784 pixels" in words(told.stdout)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["prices.toml", "turning"]


def test_a_dry_run_measures_the_prompt_that_the_run_sends(tmp_path: Path, evaluate: Evaluate, prices: Path) -> None:
    with serve(answer) as server:
        told = forecast(evaluate(server, "--dry-run", "--json", "--prices", prices))
        assert evaluate(server, "--no-record").returncode == 0
    characters = len(server.chats[0].text)
    expected = STEPS * (characters / 4 + 40 * 24 / 784)
    assert told["prompt_tokens"]["most"] == pytest.approx(expected, rel=0.02)
    assert told["requests"] == {"least": 4, "most": STEPS}
    assert told["cost"]["most"] == (told["prompt_tokens"]["most"] * 2.0 + told["reply_tokens"]["most"] * 5.0) / 1e6
    assert told["episodes"] == 2


ASKED = ["mission", "pictures", "step", "actions", "answer form"]
SEEN = ["wording", "observation: picture", *ASKED]


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ((), ["wording", "rules", "legend", "legend: picture", "observation: picture", *ASKED]),
        (("--explain", "none"), SEEN),
        (
            ("--observation", "text", "--explain", "rules"),
            ["wording", "rules", "mission", "observation", "step", "actions", "answer form"],
        ),
        (("--history-images", "2", "--explain", "none"), [*SEEN, "earlier pictures"]),
        (
            ("--context", "conversation", "--explain", "none"),
            [*SEEN, "earlier pictures", "earlier questions", "earlier answers"],
        ),
    ],
)
def test_a_dry_run_explains_the_parts_of_a_request_and_what_each_costs(
    evaluate: Evaluate, prices: Path, options: tuple[str, ...], names: list[str]
) -> None:
    with serve(answer) as server:
        told = forecast(evaluate(server, "--dry-run", "--json", "--prices", prices, *options))
        printed = evaluate(server, "--dry-run", "--prices", prices, *options).stdout
        assert evaluate(server, "--no-record", *options).returncode == 0
    *parts, whole, reply = told["parts"]
    assert [part["name"] for part in parts] == names
    assert (whole["name"], reply["name"]) == ("request, in all", "expected answer")
    assert sum(part["run_tokens"] for part in parts) == pytest.approx(told["prompt_tokens"]["most"], abs=len(parts))
    assert sum(part["cost"] for part in (*parts, reply)) == pytest.approx(told["cost"]["most"], rel=1e-3)
    assert whole["run_tokens"] == told["prompt_tokens"]["most"]
    assert sum(part["pictures"] for part in parts) == whole["pictures"]
    assert whole["pictures"] == max(len(chat.images) for chat in server.chats)
    assert all(name in printed for name in names)


def test_a_dry_run_of_a_model_without_a_prompt_knows_no_tokens(suite: Path) -> None:
    told = run("multinet-run-eval", "-m", "random", "--task-dir", suite, "--dry-run", "--observation", "text")
    assert told.stdout.splitlines()[2:] == [
        "pictures: none",
        "tokens: unknown, since the model has no prompt to measure",
    ]


def test_a_dry_run_says_where_no_optimum_is_known(suite: Path) -> None:
    write_corridor(suite, "walled", "@.#G", max_steps=7)
    told = run("multinet-run-eval", "-m", "random", "--task-dir", suite, "--dry-run")
    assert "requests: at most 19; no shortest plan is known for 1 of 3 episodes" in words(told.stdout)
