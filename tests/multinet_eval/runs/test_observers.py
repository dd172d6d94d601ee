"""Observers are told what happens, and change nothing of it."""

from pathlib import Path
from typing import Any

import pytest

from evaluating import AnsweringModel
from multinet_eval.play.observers import Observers, RunObserver
from multinet_eval.play.run import RunOptions, RunOutcome
from unplayed_runs import UNSTEADY, make_run

METHODS = [
    "run_started", "episode_started", "request_made", "step_taken", "episode_finished", "run_finished",
]  # fmt: skip


class Noting(RunObserver):
    """Notes the names of the calls; raises in one of them."""

    def __init__(self, raises_in: str = "") -> None:
        self.calls: list[str] = []
        self._raises_in = raises_in

    def __getattribute__(self, name: str) -> Any:
        if name not in METHODS:
            return super().__getattribute__(name)

        def note(*arguments: Any) -> None:
            self.calls.append(name)
            if name == self._raises_in:
                raise LookupError("no such tracker")

        return note


def play(folder: Path, *observers: RunObserver) -> tuple[RunOutcome, list[str]]:
    """Play a run for observers; what was reported of them, too."""
    reported: list[str] = []
    run = make_run(folder, AnsweringModel(*UNSTEADY))
    return run.play(RunOptions(), Observers(observers, reported.append)), reported


def test_an_observer_is_told_everything_in_order(tmp_path: Path) -> None:
    noting = Noting()
    outcome, reported = play(tmp_path, noting)
    assert reported == []
    assert (noting.calls[0], noting.calls[-1]) == ("run_started", "run_finished")
    results = outcome.results.in_order
    assert noting.calls.count("episode_started") == noting.calls.count("episode_finished") == 3
    assert noting.calls.count("step_taken") == sum(result.steps_taken for result in results)
    assert noting.calls.count("request_made") == outcome.spent.requests


@pytest.mark.parametrize("method", METHODS)
def test_one_that_raises_is_reported_once_and_dropped_and_the_run_is_the_same(method: str, tmp_path: Path) -> None:
    undisturbed, _ = play(tmp_path / "undisturbed")
    before, raising, after = Noting(), Noting(method), Noting()
    outcome, reported = play(tmp_path / "disturbed", before, raising, after)

    assert outcome.results.in_order == undisturbed.results.in_order
    assert raising.calls.index(method) == len(raising.calls) - 1
    assert before.calls == after.calls
    assert before.calls[-1] == "run_finished"
    (message,) = reported
    assert f"Noting failed in {method}: LookupError: no such tracker (test_observers.py, line " in message
    assert message.endswith(", in note); it is told nothing more")
