"""Episodes in lockstep: a batch model is asked for the next step of all of them at once."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from evaluating import write_corridor
from gridworld.model_interface import AnswerFault, AnswerOutcome, ModelInput, ModelOutput, Trouble
from multinet_eval.play import outages
from multinet_eval.play.backoff import Backoff
from multinet_eval.play.session import StopReason
from multinet_eval.settings.spending import BudgetLimits
from playing_runs import HashingModel, make_run, play_on, play_run, results_of


class Walking(HashingModel):
    """Always moves forward."""

    def choose(self, input: ModelInput) -> ModelOutput:
        return ModelOutput(2)


@pytest.fixture
def alike(tmp_path: Path) -> Path:
    """Six corridors, each won in four steps."""
    folder = tmp_path / "alike"
    for number in range(6):
        write_corridor(folder, f"corridor_{number}", "@...G")
    return folder


def test_all_episodes_are_asked_for_at_once(alike: Path) -> None:
    model = Walking()
    play_run(make_run(alike, None, model), batch_size=3)
    assert model.batches == [3] * 8


def test_an_episode_that_ends_makes_room_for_the_next(six_tasks: Path) -> None:
    model = Walking()
    outcome = play_run(make_run(six_tasks, None, model, epochs=3), batch_size=4)
    steps = sum(result.steps_taken for result in outcome.results.in_order)
    assert sum(model.batches) == steps
    full = model.batches.index(next(size for size in model.batches if size < 4))
    assert sum(model.batches[:full]) > steps / 2
    assert model.batches == sorted(model.batches, reverse=True)


def test_a_model_that_is_asked_for_one_step_at_a_time_gets_no_batches(alike: Path) -> None:
    model = Walking()
    play_run(make_run(alike, None, model))
    assert model.batches == [1] * 24


class Shared(Walking):
    """May be used by several threads at once."""

    @property
    def shareable(self) -> bool:
        return True


def test_workers_share_no_batch(alike: Path) -> None:
    model = Shared()
    play_run(make_run(alike, None, model), batch_size=3, workers=2)
    assert sum(model.batches) == 24
    assert max(model.batches) <= 3


@pytest.mark.parametrize("size", [1, 3, 5])
def test_a_budget_of_requests_is_kept_to_and_the_rest_is_played_later(
    six_tasks: Path, tmp_path: Path, size: int
) -> None:
    play_run(make_run(six_tasks, tmp_path / "whole", "random", epochs=2))
    outcome = play_run(
        make_run(six_tasks, tmp_path / "parts", "random", epochs=2),
        batch_size=size,
        limits=BudgetLimits(requests=20),
    )
    assert outcome.stopped is not None
    assert outcome.stopped.reason is StopReason.BUDGET
    assert outcome.spent.requests == 20
    assert play_on(tmp_path / "parts", batch_size=7 - size).spent.requests == play_on(tmp_path / "whole").spent.requests
    assert results_of(tmp_path / "parts") == results_of(tmp_path / "whole")


class Crowded(Walking):
    """Takes two questions at once, and no more."""

    def predict_batch(self, inputs: Sequence[ModelInput]) -> Sequence[ModelOutput | AnswerFault]:
        answers = super().predict_batch(inputs)
        too_much = AnswerFault(AnswerOutcome.INFRASTRUCTURE, "no memory", trouble=Trouble.OVERLOADED)
        return [*answers[:2], *[too_much] * len(answers[2:])]


def test_a_model_that_is_asked_too_much_at_once_is_asked_less(
    alike: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outages, "PROBE", Backoff(first=0.01, factor=1.0))
    play_run(make_run(alike, tmp_path / "walking", Walking(), epochs=4))
    model = Crowded()
    outcome = play_run(make_run(alike, tmp_path / "crowded", model, epochs=4), batch_size=6)
    assert outcome.stopped is None
    assert results_of(tmp_path / "crowded") == results_of(tmp_path / "walking")
    assert model.batches[0] == 6
    later = model.batches[len(model.batches) // 2 :]
    assert sum(later) / len(later) < 4


class Failing(Walking):
    """Fails in one way or another as soon as it is asked for several steps at once."""

    def __init__(self, way: str) -> None:
        super().__init__()
        self._way = way

    def predict_batch(self, inputs: Sequence[ModelInput]) -> Sequence[ModelOutput | AnswerFault]:
        if self._way == "raises":
            raise LookupError("out of words")
        if self._way == "too few":
            return [self.choose(inputs[0])]
        if self._way == "refuses":
            raise AnswerFault(AnswerOutcome.REFUSED, "no")
        return ["forward" for _ in inputs]  # type: ignore[list-item]  # as no model should


@pytest.mark.parametrize(
    ("way", "said"),
    [
        ("raises", "model 'hashing' failed in a batch of 6: LookupError: out of words"),
        ("too few", "predict_batch returned 1 answers to 6 questions"),
        ("nonsense", "predict_batch returned 'forward', expected a ModelOutput"),
    ],
)
def test_a_batch_model_that_fails_ends_the_episodes_it_was_asked_for(alike: Path, way: str, said: str) -> None:
    results = play_run(make_run(alike, None, Failing(way)), batch_size=6).results.in_order
    assert len(results) == 6
    for result in results:
        assert result.error is not None
        assert said in result.error


def test_a_refusal_of_a_whole_batch_is_one_of_each_question(alike: Path) -> None:
    results = play_run(make_run(alike, None, Failing("refuses")), batch_size=6).results.in_order
    assert all(result.error is None for result in results)
    assert all(result.outcomes["refused"] == result.max_steps for result in results)
