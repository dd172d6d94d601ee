"""Reports on unusable answers, and on episodes ended by an error."""

import json
from pathlib import Path
from typing import Any

import pytest

from multinet_adapters.testing.model_servers import MODEL, ChatRequest, serve
from support.commands import run
from support.programs import Finished, output_of, words
from support.runs import outcomes

NEVER = "the model never named an action in the required format"


@pytest.fixture
def talk(tasks: Path, third_party: Path) -> Any:
    """Run the model ``talker`` with a script, by default on the tasks of `tasks` that a forward walk wins."""

    def run_talker(script: str, *options: str | Path, repeat: int = 1, tier: str = "1,3") -> Finished:
        told = ("-M", f"script={script}", "-M", f"repeat={repeat}")
        arguments = ("-m", "talker", *told, "--task-dir", tasks, "--tier", tier, *options)
        return run("multinet-run-eval", *arguments, path=[third_party])

    return run_talker


def results_of(finished: Finished, exit_code: int = 0) -> Any:
    assert finished.returncode == exit_code, finished.stderr
    return json.loads(finished.stdout)


@pytest.mark.parametrize(
    ("script", "repeat", "told"),
    [
        (
            "unparsable,walk,refused",
            1,
            [
                "answers: 6 ok, 2 unparsable, 2 refused; 2 steps lost",
                "2 of 2 tasks solved: 100% (95 % interval 0% to 100%)",
            ],
        ),
        ("unparsable,walk,refused,unparsable", 1, ["most frequent problem: this is unparsable"]),
        (
            "infrastructure,walk,infrastructure,walk",
            1,
            ["answers: 6 ok", "spent: 10 requests, 4 of them failed, 600 tokens of prompts, 0 of replies"],
        ),
        ("unparsable", 200, ["answers: 108 unparsable; 36 steps lost", f"all 108 answers were unparsable: {NEVER}"]),
        (
            "unparsable,empty",
            200,
            ["all 108 answers were unparsable or empty: the model never named an action that could be taken"],
        ),
        ("illegal", 200, ["all 36 answers were illegal: the model never named an action of the action space"]),
        ("refused", 200, ["all 36 answers were refused: the model or its server always declined to answer"]),
    ],
)
def test_the_summary_counts_the_answers_by_kind(talk: Any, script: str, repeat: int, told: list[str]) -> None:
    printed = output_of(talk(script, repeat=repeat))
    assert set(told) <= set(printed.splitlines()), printed


def test_a_reply_of_too_many_actions_is_told_so(tasks: Path) -> None:
    def answer(request: ChatRequest) -> str:
        return json.dumps({"subgoal": "there", "actions": ["turn_left"] * 5})

    with serve(answer) as server:
        told = ("-M", f"base_url={server.openai_url}", "-M", f"model={MODEL}", "--protocol", "subgoal:2")
        finished = run("multinet-run-eval", "-m", "openai", *told, "--task-dir", tasks, "--tier", "2")
    assert "problem: expected at most 2 actions, got 5" in finished.stdout


def test_without_a_scored_task_there_are_no_rates(talk: Any) -> None:
    finished = talk("infrastructure", "--on-infrastructure", "fail", "--patience", "0", repeat=200)
    assert finished.returncode == 1
    assert "no episode was scored" in finished.stdout.splitlines()
    assert "%" not in finished.stdout


def test_the_results_hold_outcomes_lost_steps_and_costs(talk: Any) -> None:
    results = results_of(talk("unparsable,walk,refused", "--json"))

    assert (results["outcomes"], results["lost_steps"]) == (outcomes(ok=6, refused=2, unparsable=2), 2)
    assert results["usage"] == {
        "prompt_tokens": 600,
        "completion_tokens": None,
        "seconds": 3.0,
        "server_seconds": None,
        "cache_read_tokens": None,
        "cache_write_tokens": None,
    }
    first = results["task_results"][0]
    assert first["outcomes"] == outcomes(ok=2, refused=1, unparsable=1)
    assert (first["steps_taken"], first["lost_steps"], first["optimality_ratio"]) == (3, 1, 2 / 3)
    assert first["usage"]["prompt_tokens"] == 200


@pytest.mark.parametrize(
    ("script", "policy", "lost", "requests"),
    [
        ("unparsable,empty", ["--on-unparsable", "retry:1"], 1, 4),
        ("truncated,truncated", ["--on-truncated", "retry:1"], 1, 4),
        ("refused,refused", ["--on-refused", "retry:2"], 0, 4),
        ("illegal,illegal", ["--on-illegal", "retry:1"], 1, 4),
    ],
)
def test_policies_are_options(talk: Any, script: str, policy: list[str], lost: int, requests: int) -> None:
    (result,) = results_of(talk(script, *policy, "--json", tier="1"))["task_results"]
    assert result["success"]
    assert (result["lost_steps"], sum(result["outcomes"].values())) == (lost, requests)


# Errors


BROKEN = {
    "infrastructure": "infrastructure: this is infrastructure (asked 2 times)",
    "crash": "model 'walker' (third-party/models) failed in predict at step 1: LookupError: out of words",
    "exit": "model 'walker' (third-party/models) failed in predict at step 1: SystemExit: 9",
}

ONE_RETRY = ("--on-infrastructure", "retry:1")


@pytest.mark.parametrize("fault", BROKEN)
def test_an_episode_that_ends_by_an_error_does_not_end_the_run(talk: Any, fault: str) -> None:
    finished = talk(fault, "-M", "episodes=a_short", *ONE_RETRY, repeat=9)

    assert finished.returncode == 1
    assert finished.stderr.startswith(f"a_short is not scored: {BROKEN[fault]}")
    assert "a_short 1 error 0 6" in words(finished.stdout)
    assert "1 of 1 task solved: 100%" in finished.stdout
    assert "1 of 2 episodes ended by an error, not by the model, and is not scored" in finished.stdout


def test_a_recorded_run_with_errors_names_the_command_to_retry(talk: Any, tmp_path: Path, third_party: Path) -> None:
    recorded = tmp_path / "runs" / "recorded"
    finished = talk("infrastructure", "-M", "episodes=a_short", *ONE_RETRY, "--run-dir", recorded, repeat=9)
    again = ("runs", "resume", str(recorded), "--retry-faults")
    told = f"1 episode not scored; play again with: multinet {' '.join(again)}\n"
    assert (finished.returncode, told in finished.stderr) == (1, True)
    played = run("multinet", *again, path=[third_party])
    assert (played.returncode, told in played.stderr) == (1, True)
    listed = run("multinet", "runs", "list", "--runs", recorded.parent)
    assert "finished 2 of 2, 1 unscored 1" in words(listed.stdout)
    assert "play again" not in talk("walk", "--run-dir", tmp_path / "scored").stderr


def test_errors_on_several_tilings_are_counted_for_each(talk: Any) -> None:
    finished = talk("crash", "-M", "episodes=a_short", "--tiling", "all")
    assert finished.returncode == 1
    for tiling in ("square", "hex", "triangle"):
        assert f"{tiling}: 1 of 2 episodes ended by an error" in finished.stdout


def test_a_model_that_is_not_ready_is_asked_for_nothing(tasks: Path, third_party: Path, tmp_path: Path) -> None:
    output = tmp_path / "results.json"
    finished = run("multinet-run-eval", "-m", "unready", "--task-dir", tasks, "-o", output, path=[third_party])
    assert (finished.returncode, finished.stdout) == (1, "")
    assert finished.stderr == "closed\nerror: model 'walker' is not ready: nobody listens; start the server\n"
    assert not output.exists()


def test_a_model_that_cannot_be_closed_costs_no_results(tasks: Path, third_party: Path) -> None:
    finished = run("multinet-run-eval", "-m", "clinging", "--task-dir", tasks, "--json", path=[third_party])
    assert finished.stderr.startswith(
        "error: model 'walker' (third-party/models) failed in close: OSError: still in use ("
    )
    assert results_of(finished, exit_code=1)["num_success"] == 2
