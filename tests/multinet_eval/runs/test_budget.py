"""Budgets: a run stops when one is used up, over it by no more than was in flight, and goes on with a higher one."""

import random
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest
from multinet_eval.play.budget import Budget
from multinet_eval.play.session import StopReason

from gridworld.errors import ArgumentError
from gridworld.model_interface import AnswerFault, AnswerOutcome, ModelInput, ModelOutput, Usage
from gridworld.runner.record import Request
from multinet_eval.record.events import Spent
from multinet_eval.settings.prices import Prices
from multinet_eval.settings.spending import BudgetLimits
from spending import SpendingModel, begin, go_on, with_spender

PRICES = Prices(input=2.0, output=5.0)
SIMULATED = 1000


@pytest.fixture(autouse=True)
def spender() -> Iterator[None]:
    with with_spender():
        yield


def replied(prompt: int | None = None, completion: int | None = None) -> Request:
    return Request(AnswerOutcome.OK, action=0, usage=Usage(prompt, completion))


def cost_of(requests: list[Request]) -> float:
    spent = Spent().plus_all(requests)
    return PRICES.cost(spent.prompt_tokens, spent.completion_tokens)


def tokens_of(requests: list[Request]) -> int:
    return Spent().plus_all(requests).tokens


MEASURES = {"tokens": tokens_of, "cost": cost_of, "requests": len}
"""Name of a limit to what requests use up of it."""


def simulate(budget: Budget, workers: int, sizes: Iterator[tuple[int, int]]) -> list[Request]:
    """Requests of these sizes, made by several threads until the budget is used up, in the order of their ends."""
    made: list[Request] = []
    lock = threading.Lock()

    def work() -> None:
        while budget.reserve() is None:
            with lock:
                size = next(sizes, None)
            request = None if size is None else replied(*size)
            time.sleep(0)  # so that others come between
            with lock:
                budget.settle(request)
                if request is not None:
                    made.append(request)
            if request is None:
                return

    threads = [threading.Thread(target=work) for _ in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return made


def test_a_thousand_runs_are_never_over_by_more_than_what_was_in_flight() -> None:
    reached, at_once = 0, 0
    for number in range(SIMULATED):
        rng = random.Random(number)
        name, workers = rng.choice(sorted(MEASURES)), rng.randint(1, 8)
        largest, count = rng.choice((1, 10, 5000)), rng.randint(1, 30)
        sizes = [(rng.randint(0, largest), rng.randint(0, largest)) for _ in range(count)]
        measure = MEASURES[name]
        whole = measure([replied(*size) for size in sizes])
        limit = rng.randint(0, 40) if name == "requests" else round(rng.random() * 1.2 * whole, 6)
        budget = Budget(attrs.evolve(BudgetLimits(), **{name: limit}), prices=PRICES)

        made = simulate(budget, workers, iter(sizes))

        used = [measure(made[:end]) for end in range(len(made) + 1)]
        ended_before = next((end for end, amount in enumerate(used) if amount >= limit), None)
        if ended_before is None:
            assert len(made) == count, (number, "it stopped although the limit was not reached")
            continue
        reached += 1
        in_flight = len(made) - max(0, ended_before - 1)
        assert in_flight <= workers, (number, f"{in_flight} requests ended from the limit on, with {workers} workers")
        assert name != "requests" or len(made) <= limit, number
        at_once += in_flight > 1
    assert at_once > SIMULATED // 50, "requests are in flight together"
    assert SIMULATED // 4 < reached < SIMULATED, "the limits are of sizes that matter"


@pytest.mark.parametrize("workers", [1, 2, 8])
@pytest.mark.parametrize("limit", [1, 100, 250, 1000])
def test_requests_of_equal_size_are_never_over_by_a_whole_one(workers: int, limit: int) -> None:
    made = simulate(Budget(BudgetLimits(tokens=limit)), workers, iter([(60, 40)] * 100))
    assert len(made) == -(-limit // 100)


def test_a_limit_of_nothing_lets_nothing_through() -> None:
    for name in ("requests", "tokens", "cost", "seconds"):
        budget = Budget(attrs.evolve(BudgetLimits(), **{name: 0}), prices=PRICES)
        assert budget.reserve() is not None, name


def test_a_limit_of_cost_without_prices_is_refused() -> None:
    with pytest.raises(ArgumentError, match="a limit of cost needs the prices of the model"):
        Budget(BudgetLimits(cost=1.0))


@pytest.mark.parametrize("name", ["requests", "tokens", "cost", "seconds"])
@pytest.mark.parametrize("value", [-1, float("nan")])
def test_a_limit_that_is_none_is_refused(name: str, value: float) -> None:
    with pytest.raises(ArgumentError, match=f"the limit of {name} must be at least 0, got"):
        attrs.evolve(BudgetLimits(), **{name: value})


def test_answers_from_a_cache_cost_nothing_and_are_counted_apart() -> None:
    budget = Budget(BudgetLimits(requests=1), prices=PRICES)
    budget.add_cached(attrs.evolve(replied(10, 20), cached=True))
    assert budget.reserve() is None
    assert budget.spent == Spent(cached=1)


def test_a_limit_that_replies_do_not_let_anybody_keep_ends_the_run() -> None:
    budget = Budget(BudgetLimits(tokens=1000))
    assert budget.reserve() is None
    budget.settle(replied())
    told = budget.reserve()
    assert told is not None
    assert "the limit of tokens cannot be kept" in told.message
    assert Budget(BudgetLimits(requests=1000), budget.spent).reserve() is None


def test_a_fault_of_the_server_needs_no_tokens() -> None:
    fault = Request(AnswerOutcome.INFRASTRUCTURE, "no reply")
    assert Budget(BudgetLimits(tokens=1000), Spent().plus_all([fault])).reserve() is None


# --- whole runs ---


@pytest.mark.parametrize(
    "number", [*range(6), *(pytest.param(each, marks=pytest.mark.thorough) for each in range(6, 12))]
)
def test_real_runs_stop_at_their_limit_and_end_with_the_results_of_an_undisturbed_one(
    tmp_path: Path, number: int
) -> None:
    rng = random.Random(number)
    undisturbed = begin(tmp_path / "undisturbed", SpendingModel(), prices=PRICES)
    whole = undisturbed.spent
    name, workers = sorted(MEASURES)[number % 3], rng.choice((1, 2, 4))
    full = {"tokens": whole.tokens, "cost": undisturbed.cost, "requests": whole.requests}[name]
    step, folder, model = max(1, full // 4) if name != "cost" else full / 4, tmp_path / "limited", SpendingModel()
    largest = 1 if name == "requests" else 200 if name == "tokens" else PRICES.cost(100, 100)

    def limits(level: int) -> BudgetLimits:
        return attrs.evolve(BudgetLimits(), **{name: step * level})

    outcome = begin(folder, model, limits(1), workers=workers, prices=PRICES)
    level = 1
    while outcome.stopped is not None:
        assert outcome.stopped.reason is StopReason.BUDGET
        used = {"tokens": outcome.spent.tokens, "cost": outcome.cost, "requests": outcome.spent.requests}[name]
        assert step * level <= used <= step * level + (0 if name == "requests" else workers * largest)
        again = go_on(folder, limits(level), workers=workers)
        assert again.spent == outcome.spent, "what all sessions have spent counts"
        level += 1
        outcome = go_on(folder, limits(level), workers=workers)

    assert level >= 3
    assert outcome.spent == whole
    results = [(each / "results.json").read_bytes() for each in (folder, tmp_path / "undisturbed")]
    assert results[0] == results[1]
    assert outcome.results.to_dict()["cost"] == pytest.approx(undisturbed.cost)


def test_time_ends_a_run_and_lets_what_is_in_flight_come_back(tmp_path: Path) -> None:
    model = SpendingModel(seconds=0.3)
    outcome = begin(tmp_path / "run", model, BudgetLimits(seconds=0.1), workers=2)
    assert outcome.stopped is not None
    assert outcome.stopped.message == "the limit of 0.1 seconds is reached"
    assert outcome.spent.requests == len(model.asked) <= 2

    done = go_on(tmp_path / "run", BudgetLimits(seconds=3600))
    assert done.stopped is None
    assert done.spent.requests == 18


class Busy(SpendingModel):
    """Wants to be asked again in an hour."""

    def predict(self, input: ModelInput) -> ModelOutput:
        super().predict(input)
        raise AnswerFault(AnswerOutcome.INFRASTRUCTURE, "busy", retry_after=3600)


@pytest.mark.parametrize("workers", [1, 3])
def test_time_ends_waiting(tmp_path: Path, workers: int) -> None:
    model = Busy()
    outcome = begin(tmp_path / "run", model, BudgetLimits(seconds=0.5), workers=workers)
    assert outcome.stopped is not None
    assert outcome.stopped.reason is StopReason.BUDGET
    assert outcome.spent.requests == len(model.asked) <= workers
    assert outcome.results.results == {}


def test_prices_that_come_later_are_recorded_and_change_nothing_but_the_cost(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    stopped = begin(folder, SpendingModel(), BudgetLimits(requests=7))
    assert (stopped.cost, stopped.results.to_dict()["cost"]) == (None, None)
    with pytest.raises(ArgumentError, match="needs the prices"):
        go_on(folder, BudgetLimits(cost=1.0))
    done = go_on(folder, BudgetLimits(cost=1.0), prices=PRICES)
    assert done.cost == pytest.approx(PRICES.cost(done.spent.prompt_tokens, done.spent.completion_tokens))
    assert go_on(folder).cost == done.cost
