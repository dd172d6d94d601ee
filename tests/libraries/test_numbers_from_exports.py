"""All numbers of runs, computed again from the files of ``runs export`` alone, by pandas and SciPy.

The suite has variants, tiers and mechanisms, and is played three times on two tilings by two models behind a server
that fails now and then, so that episodes are missing in both. One more run is stopped by its budget.
"""

import json
import math
import random
from collections.abc import Callable
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pandas as pd
import pytest
from scipy import stats

from multinet_eval import (
    AnswerPolicies,
    BudgetLimits,
    Prices,
    RunObserver,
    RunOptions,
    RunSettings,
    Suite,
    make_model,
    new_run,
)
from multinet_eval.settings.run_settings import Presentation
from support.commands import Finished, multinet
from support.model_servers import ChatServer, Raw, failed, said
from support.pages import ReportPage
from support.worlds import door, draw, hazard, key

EPOCHS = 3
TASKS = {
    "short": ("#####\n#@.G#\n#####", 6, 1, {}),
    "long": ("########\n#@....G#\n########", 8, 1, {}),
    "corner": ("#####\n#@..#\n###.#\n###G#\n#####", 10, 1, {}),
    "lava": ("######\n#@..G#\n##h###\n######", 6, 2, {"h": hazard()}),
    "pit": ("#######\n#@...G#\n#.h...#\n#######", 7, 2, {"h": hazard("pit")}),
    "door": ("######\n#@D.G#\n######", 12, 2, {"D": door(initial_state="closed")}),
    "locked": ("#######\n#@kD.G#\n#######", 14, 3, {"k": key("red"), "D": door("red")}),
    "walled": ("#######\n#@..#G#\n#######", 4, 3, {}),
}
"""Picture, step budget, tier and mechanisms of each base maze; ``walled`` has no plan."""
VARIANTS = {"long": (8, 12, 16), "pit": (7, 20)}
"""Base mazes with variants, which differ in their step budget."""
WEIGHTS = {"strong": (70, 12, 4, 4, 6, 4), "weak": (45, 10, 14, 14, 12, 5)}
"""How often a model goes forward, toggles, turns left, turns right, picks up, and gives no usable answer."""
ACTIONS = ("move_forward", "toggle", "turn_left", "turn_right", "pickup", None)
PRICES = {"strong": Prices(3.0, 15.0), "weak": Prices(0.5, 2.0)}
FAULT = 0.12
"""Share of requests that the server fails; an episode ends by the second failure in a row."""


def answer(body: dict[str, Any], number: int) -> Raw:
    drawn = random.Random(f"{body['model']}/{number}")
    if drawn.random() < FAULT:
        return failed(503, "busy", Retry_After="0")
    (action,) = drawn.choices(ACTIONS, WEIGHTS[body["model"]])
    usage = {"prompt_tokens": drawn.randrange(100, 200), "completion_tokens": drawn.randrange(1, 30)}
    return said(text="no idea", usage=usage) if action is None else said(action, usage=usage)


def suite() -> Suite:
    tasks = []
    for base, (picture, budget, tier, things) in TASKS.items():
        for number, max_steps in enumerate(VARIANTS.get(base, (budget,))):
            drawn, metadata = draw(picture, max_steps=max_steps, **things), {"base_id": base}
            if base in VARIANTS:
                metadata["variant"] = f"{max_steps} steps"
            named = {"task_id": f"{base}-{number}", "difficulty_tier": tier, "metadata": metadata}
            tasks.append(attrs.evolve(drawn, **named))
    return Suite("mazes", tuple(tasks))


def done(finished: Finished) -> Finished:
    assert finished.exit_code == 0, finished.stderr
    return finished


def told(*arguments: object) -> Any:
    return json.loads(done(multinet(*arguments, "--json")).stdout)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The runs ``strong``, ``weak`` and ``part``, of which the last is not finished."""
    folder = tmp_path_factory.mktemp("runs")
    for name, requests in {"strong": None, "weak": None, "part": 250}.items():
        play(folder, name, requests)
    return folder


def play(folder: Path, name: str, requests: int | None) -> None:
    """Record a run of a model, the strong one for the run ``part``, until a number of requests was made."""
    model = name if name in WEIGHTS else "strong"
    with ChatServer(answer, models=Raw(200, json.dumps({"data": [{"id": model}]}).encode())) as server:
        arguments = [f"model={model}", f"base_url={server.url}"]
        settings = RunSettings(
            model="openai",
            model_arguments=tuple(arguments),
            backend="multigrid",
            tilings=("square", "hex"),
            compares_tilings=True,
            epochs=EPOCHS,
            presentation=Presentation(observation="text"),
            policies=AnswerPolicies(on_infrastructure="retry:1,fail"),
            prices=PRICES[model],
        )
        run = new_run(settings, suite(), make_model("openai", arguments), folder / name)
        run.play(RunOptions(limits=BudgetLimits(requests=requests), patience=0), RunObserver())


# --- what is computed again ------------------------------------------------------------------------------------------


@cache
def exported(run: Path, rows: str = "episodes") -> Any:
    """The table of a run, with the columns that numbers are computed of."""
    file = run.with_name(f"{run.name}-{rows}.csv")
    done(multinet("runs", "export", run, "--format", "csv", "--rows", rows, "-o", file))
    table = pd.read_csv(file)
    if rows == "episodes":
        table["scored"] = table.steps_taken.notna() & table.error.isna()
        table["success"] = (table.success == True).astype(float).where(table.scored)  # noqa: E712
        table["spl"] = (table.optimality_ratio.fillna(0.0) * table.success).where(table.optimal_steps.notna())
        table["budget"] = (table.steps_taken / table.max_steps).clip(upper=1)
        table["actions"] = table.steps_taken - table.lost_steps
        table["tokens"] = table.prompt_tokens + table.completion_tokens
        table["mechanisms"] = table.mechanisms.fillna("").str.split()
    return table


def maze_means(table: Any, column: str) -> Any:
    """The mean of each maze over tasks and tilings of means over epochs; missing values are left out."""
    cells = table.groupby(["base", "task_id", "tiling"])[column].mean().dropna()
    return cells.groupby("base").mean()


def scored(table: Any) -> Any:
    return table[table.scored]


def interval(means: Any, low: float = 0.0, high: float = 1.0) -> list[float]:
    """Student's t interval after adding a value at each bound, within the bounds."""
    values = [*means, low, high]
    ends = stats.t.interval(0.95, len(values) - 1, np.mean(values), stats.sem(values))
    return [max(low, float(ends[0])), min(high, float(ends[1]))]


def estimated(table: Any, column: str = "success") -> tuple[float, list[float]]:
    means = maze_means(scored(table), column)
    return float(means.mean()), interval(means)


def bounds(table: Any, column: str = "success") -> list[float]:
    """The score if all missing episodes were lost, and if they were won; those with an undefined score are left out."""
    filled = (table[column].where(table.scored, end) for end in (0.0, 1.0))
    return [float(maze_means(table.assign(all=each), "all").mean()) for each in filled]


def pass_rates(table: Any) -> list[dict[str, Any]]:
    cells = scored(table).groupby(["base", "task_id", "tiling"]).success.agg(["size", "sum"])
    rows = []
    most = cells["size"].max()
    for k in range(1, most + 1) if most > 1 else ():
        enough = cells[cells["size"] >= k]
        none = stats.hypergeom.pmf(0, enough["size"], enough["sum"].astype(int), k)
        every = stats.hypergeom.pmf(k, enough["size"], enough["sum"].astype(int), k)
        row: dict[str, Any] = {"k": k, "mazes": enough.index.unique("base").size}
        for name, chances in {"pass_at_k": 1 - none, "pass_hat_k": every}.items():
            means = pd.Series(chances, enough.index).groupby("base").mean()
            row |= {name: means.mean(), f"{name}_interval": interval(means)}
        rows.append(row)
    return rows


def variances(table: Any) -> tuple[float | None, float | None]:
    """Between mazes, of those of which each cell was scored twice, and between plays."""
    cells = scored(table).groupby(["base", "task_id", "tiling"]).success.agg(["size", "mean", "var"])
    whole = cells[cells["size"].groupby("base").transform("min") > 1]
    noise = (whole["var"] / whole["size"]).groupby("base").sum() / whole.groupby("base").size() ** 2
    means, within = whole["mean"].groupby("base").mean(), cells["var"].dropna().groupby("base").mean()
    return (means.var() - noise.mean() if len(means) > 1 else None), (within.mean() if len(within) else None)


def curve(table: Any, column: str) -> list[list[float]] | None:
    costs = table[table.success == 1][column]
    shares = costs.value_counts().sort_index().cumsum() / table.scored.sum()
    return None if costs.isna().any() else [[cost, share] for cost, share in shares.items()]


def total(column: Any) -> float | None:
    """The sum; None if nothing is known."""
    return None if column.isna().all() else column.sum()


def summary(table: Any) -> dict[str, Any]:
    """The numbers of a results file of a finished run that can be undefined in no part of the suite."""
    ended, played = table[table.steps_taken.notna()], scored(table)
    rated = played[played.spl.notna()]
    cost = total(ended.cost)
    found = {
        "num_mazes": played.base.nunique(),
        "num_tasks": ended.task_id.nunique(),
        "num_episodes": len(ended),
        "num_unscored": int((~ended.scored).sum()),
        "num_success": int(played.success.sum()),
        "success_rate": estimated(table)[0],
        "success_interval": estimated(table)[1],
        "success_bounds": None if table.scored.all() else bounds(table),
        "success_variance_between_mazes": variances(table)[0],
        "success_variance_between_plays": variances(table)[1],
        "pass_rates": pass_rates(table),
        "num_rated": len(rated),
        "num_unsolvable": int((played.unsolvable == True).sum()),  # noqa: E712
        "num_over_budget": int((rated.optimal_steps > rated.max_steps).sum()),
        "mean_steps": estimated(table, "steps_taken")[0],
        "budget_share": estimated(table, "budget")[0],
        "budget_share_interval": estimated(table, "budget")[1],
        "mean_reward": estimated(table, "total_reward")[0],
        "mean_answered": estimated(table, "answered")[0],
        "lost_steps": ended.lost_steps.sum(),
        "outcomes": {
            name.removeprefix("answers_"): ended[name].sum() for name in table.columns if name.startswith("answers_")
        },
        "usage": {name: total(ended[name]) for name in ("prompt_tokens", "completion_tokens")},
        "cost": cost,
        "cost_per_success": cost / played.success.sum() if cost is not None and played.success.sum() else None,
        "success_curves": {
            name: curve(played, column)
            for name, column in {
                "actions": "actions",
                "answered": "answered",
                "completion_tokens": "completion_tokens",
            }.items()
        },
    }
    if len(rated):
        found |= {"spl": estimated(rated, "spl")[0], "spl_interval": estimated(rated, "spl")[1]}
    return found


def sign_flip(differences: Any) -> float:
    """The exact two-sided p-value of the sign-flip test."""
    values = np.array(differences)
    if not values.any():
        return 1.0
    options = {"permutation_type": "samples", "n_resamples": math.inf, "vectorized": False}
    return float(stats.permutation_test((values,), np.mean, **options).pvalue)


def flip_interval(differences: Any) -> list[float]:
    """Order statistics of the means of all subsets, after adding 1 and -1; it agrees with the test about 0."""
    given = np.array(differences)
    if not given.any():
        limit = stats.binomtest(0, len(given)).proportion_ci(method="exact").high
        return [-limit, limit]
    values, p_value = np.array([*differences, 1.0, -1.0]), sign_flip(differences)
    chosen = np.array(list(product((0, 1), repeat=len(values)))[1:])
    means = np.sort(chosen @ values / chosen.sum(axis=1))
    rank = math.floor((1 + len(means)) * 0.025)
    low, high = (float(means[rank - 1]), float(means[-rank])) if rank else (-1.0, 1.0)
    if p_value > 0.05:
        return [min(low, 0.0), max(high, 0.0)]
    return [max(low, 0.0), high] if given.mean() > 0 else [low, min(high, 0.0)]


def paired(first: Any, second: Any, column: str = "success") -> Any:
    """Differences of mazes over the tasks and tilings in both."""
    one, two = (
        scored(table).groupby(["base", "task_id", "tiling"])[column].mean().dropna() for table in (first, second)
    )
    return (one - two).dropna().groupby("base").mean()


def holm(p_values: list[float]) -> list[float]:
    order = np.argsort(p_values, kind="stable")
    steps = np.maximum.accumulate(np.array(p_values)[order] * np.arange(len(p_values), 0, -1))
    return list(np.minimum(steps, 1)[np.argsort(order)])


def with_mechanism(table: Any, *names: str) -> Any:
    return table[table.mechanisms.map(lambda found: set(names) <= set(found))]


def same(found: Any, expected: Any, place: str = "") -> None:
    """Whether all expected values are found, floats up to rounding."""
    if isinstance(expected, dict):
        for name, value in expected.items():
            same(found[name], value, f"{place}.{name}")
    elif isinstance(expected, list):
        assert len(found) == len(expected), place
        for number, value in enumerate(expected):
            same(found[number], value, f"{place}[{number}]")
    else:
        assert found == (expected if isinstance(expected, str | None) else pytest.approx(expected, abs=1e-9)), place


# --- results, terminal and page --------------------------------------------------------------------------------------


def test_the_suite_has_all_that_can_be_missing(folder: Path) -> None:
    for run, finished in {"strong": True, "weak": True, "part": False}.items():
        table = exported(folder / run)
        assert (table.finished.all(), table.steps_taken.notna().all()) == (finished, finished)
        assert table.error.notna().sum() > 1
        assert set(table.variant.dropna()) == {f"{steps} steps" for each in VARIANTS.values() for steps in each}
        assert 0 < table.success.mean() < 1


@pytest.mark.parametrize("run", ["strong", "weak", "part"])
def test_results_files_by_tiling_tier_and_mechanism(folder: Path, run: str) -> None:
    table, results = exported(folder / run), told("runs", "show", folder / run)["results"]
    for tiling, on_tiling in table.groupby("tiling"):
        found = results["tilings"][tiling]
        same(found, summary(on_tiling), tiling)
        for tier, part in found["tiers"].items():
            same(part, summary(on_tiling[on_tiling.difficulty_tier == int(tier)]), f"{tiling}, tier {tier}")
        for names, part in found["mechanisms"].items():
            same(part, summary(with_mechanism(on_tiling, *names.split(" + "))), f"{tiling}, {names}")


def percents(ends: list[float]) -> str:
    return f"{ends[0]:.0%} to {ends[1]:.0%}"


@pytest.mark.parametrize("run", ["strong", "weak", "part"])
def test_the_terminal(folder: Path, run: str) -> None:
    table, printed = exported(folder / run), words(multinet("runs", "show", folder / run))
    played, all_of_it = scored(table), summary(table)
    rate, ends = estimated(table)
    sizes = f"{played.base.nunique()} mazes, {played.task_id.nunique()} tasks, {len(played)} episodes"
    assert (
        f"success rate {rate:.0%} (95 % interval {percents(ends)}): {sizes}, {played.success.sum():.0f} of them solved"
        in printed
    )
    low, high = bounds(table)
    missing = (~table.scored).sum()
    assert f"{missing} of {len(table)} episodes are missing: the success rate would be {low:.0%}" in printed
    assert f"if all of them were lost, {high:.0%} if won" in printed
    spl, (low, high) = all_of_it["spl"], all_of_it["spl_interval"]
    share = f"{all_of_it['budget_share']:.0%} of the budget ({percents(all_of_it['budget_share_interval'])})"
    assert f"SPL {spl:.3f} ({low:.3f} to {high:.3f}), mean reward {all_of_it['mean_reward']:.3f}" in printed
    assert f"mean steps {all_of_it['mean_steps']:.1f}, {share}" in printed
    assert f"mean answers {all_of_it['mean_answered']:.1f}" in printed
    assert f"cost {all_of_it['cost_per_success']:.4g} for each solved episode" in printed
    variance = [all_of_it[f"success_variance_between_{name}"] for name in ("mazes", "plays")]
    between, within = ("-" if each is None else f"{each:.3f}" for each in variance)
    assert f"variance of success: {between} between mazes, {within} between plays of a task" in printed
    for row in all_of_it["pass_rates"]:
        either = [f"{row[name]:.0%} ({percents(row[f'{name}_interval'])})" for name in ("pass_at_k", "pass_hat_k")]
        assert f"{row['k']} {' '.join(either)} {row['mazes']}" in printed
    parts = {f"tier {tier:.0f}": part for tier, part in table.groupby("difficulty_tier")}
    parts["hazards"] = with_mechanism(table, "hazards")
    for name, part in parts.items():
        rate, ends = estimated(part)
        solved = f"{scored(part).success.sum():.0f} of {part.scored.sum()}"
        assert f"{name} {solved} {rate:.0%} {percents(ends)}" in printed


def words(finished: Finished) -> str:
    return " ".join(done(finished).stdout.split())


@pytest.mark.parametrize("run", ["strong", "weak"])
def test_the_page(folder: Path, run: str) -> None:
    table, steps, file = exported(folder / run), exported(folder / run, "steps"), folder / f"{run}.html"
    done(multinet("report", folder / run, "-o", file))
    (page,) = ReportPage(file).runs
    same(page["whole"], of_page(table) | of_spending(table))
    groups = {group["name"]: {str(row["group"]): row for row in group["rows"]} for group in page["groups"]}
    for tier, part in table.groupby("difficulty_tier"):
        same(groups["Tier"][str(tier)], of_page(part), f"tier {tier}")
    for tiling, part in table.groupby("tiling"):
        same(groups["Tiling"][tiling], of_page(part), tiling)
    for epoch, part in table.groupby("epoch"):
        same(groups["Epoch"][str(epoch)], of_page(part), f"epoch {epoch}")
    for name in ("doors", "hazards", "keys"):
        same(groups["Mechanism"][name], of_page(with_mechanism(table, name)), name)
    assert page["ends"] == dict(table.end.value_counts())
    assert page["answers"] == {name: count for name, count in summary(table)["outcomes"].items() if count}
    taken = steps.action_name.value_counts()
    assert {name: count for name, count in page["actions"].items() if count and "none" not in name} == dict(taken)
    assert (page["planned"], page["finished"]) == (len(table), table.finished.sum())


def of_page(table: Any) -> dict[str, Any]:
    found = summary(table)
    renamed = {
        "episodes": "num_episodes",
        "scored": "num_scored",
        "solved": "num_success",
        "mazes": "num_mazes",
        "rate": "success_rate",
        "interval": "success_interval",
        "budget": "budget_share",
        "budget_interval": "budget_share_interval",
        "rated": "num_rated",
        "unsolvable": "num_unsolvable",
        "over_budget": "num_over_budget",
        "steps": "mean_steps",
        "reward": "mean_reward",
        "answered": "mean_answered",
    }
    found |= {"num_scored": table.scored.sum(), "tasks": scored(table).task_id.nunique()}
    same_names = ("tasks", "spl", "spl_interval")
    return {name: found[key] for name, key in {**renamed, **dict(zip(same_names, same_names, strict=True))}.items()}


def of_spending(table: Any) -> dict[str, Any]:
    found = summary(table)
    variance = {name: found[f"success_{name}"] for name in ("variance_between_mazes", "variance_between_plays")}
    alike = ("lost_steps", "cost", "cost_per_success", "pass_rates")
    requests = {name: table[name].sum() for name in ("requests", "failed_requests", "cached_requests")}
    return {**variance, **requests, **found["usage"], **{name: found[name] for name in alike}}


# --- mistakes, metrics, comparisons ----------------------------------------------------------------------------------


KIND = ["needed", "did"]


def known_mistakes(run: Path) -> tuple[Any, Any]:
    """The scored episodes of a run, and their mistakes."""
    table = scored(exported(run))
    return table, exported(run, "mistakes").merge(table[["episode", "scored"]], on="episode")


def same_mistakes(told_of: dict[str, Any], run: Path) -> None:
    table, mistakes = known_mistakes(run)
    assert told_of["endings"] == dict(table.ended.value_counts())
    shares = mistakes.pivot_table(index="base", columns=KIND, values="wasted_steps", aggfunc="sum", fill_value=0)
    shares = shares.div(shares.sum(axis=1), axis=0)
    kinds = mistakes.groupby(KIND)
    decisive = table.groupby(["decisive_needed", "decisive_did"]).size()
    assert len(told_of["mistakes"]) == len(kinds) > 3
    for row in told_of["mistakes"]:
        kind = (row["needed"], row["did"])
        of_kind = kinds.get_group(kind)
        expected = {
            "wasted_steps": of_kind.wasted_steps.sum(),
            "episodes": of_kind.episode.nunique(),
            "decisive": decisive.get(kind, 0),
            "share": shares[kind].mean(),
        }
        expected["interval_low"], expected["interval_high"] = interval(shares[kind])
        same(row, expected, str(kind))


@pytest.mark.parametrize("run", ["strong", "weak", "part"])
def test_mistakes_and_endings(folder: Path, run: str) -> None:
    same_mistakes(told("runs", "show", folder / run), folder / run)


def test_metrics(folder: Path) -> None:
    table = exported(folder / "strong")
    names = ("success", "spl", "steps", "tokens", "answered", "ended", "tokens_per_success")
    rows = told("runs", "rescore", folder / "strong", *(word for name in names for word in ("--metric", name)))["runs"]
    found = {(row["metric"], row["category"]): row for row in rows}
    for name in ("success", "spl"):
        value, ends = estimated(table, name)
        same(found[name, None], {"value": value, "interval_low": ends[0], "interval_high": ends[1]}, name)
    same(found["steps", None], {"value": estimated(table, "steps_taken")[0]})
    share, ends = estimated(table, "budget")
    same(found["steps", "share of budget"], {"value": share, "interval_low": ends[0], "interval_high": ends[1]})
    for name, column in {"tokens": "tokens", "answered": "answered"}.items():
        means = maze_means(scored(table), column)
        middle = stats.quantile_test(means, q=float(means.median()), p=0.5).confidence_interval(0.95)
        expected = {"value": means.median(), "interval_low": middle.low, "interval_high": middle.high}
        same(found[name, "median"], expected, name)
        same(found[name, None], {"value": means.mean()}, name)
    played = scored(table)
    same(found["tokens_per_success", None], {"value": played.tokens.sum() / played.success.sum()})
    for word in table.ended.unique():
        means = maze_means(table.assign(share=(table.ended == word).astype(float)), "share")
        ends = interval(means)
        same(found["ended", word], {"value": means.mean(), "interval_low": ends[0], "interval_high": ends[1]}, word)


def compared(differences: Any) -> dict[str, Any]:
    low, high = flip_interval(differences)
    return {
        "mazes": len(differences),
        "difference": differences.mean(),
        "better": (differences > 0).sum(),
        "worse": (differences < 0).sum(),
        "p_value": sign_flip(differences),
        "interval_low": low,
        "interval_high": high,
    }


@pytest.mark.parametrize("other", ["weak", "part"])
@pytest.mark.parametrize("score", ["success", "spl"])
def test_a_comparison(folder: Path, other: str, score: str) -> None:
    tables = [exported(folder / name) for name in ("strong", other)]
    found = told("compare", folder / "strong", folder / other, "--score", score)
    for row, table in zip(found["runs"], tables, strict=True):
        value, ends = estimated(table, score)
        low, high = bounds(table, score)
        expected = {"score": value, "interval_low": ends[0], "interval_high": ends[1], "missing": missing(table)}
        expected |= {"bounds_low": low, "bounds_high": high}
        same(row, expected, row["run"])
    differences = paired(*tables, score)
    same(found["differences"][0], compared(differences) | {"adjusted_p_value": sign_flip(differences)})
    where = {(row["by"], row["group"]): row for row in found["where"]}
    parts = {
        **{("tier", str(tier)): [table[table.difficulty_tier == tier] for table in tables] for tier in (1, 2, 3)},
        **{("tiling", name): [table[table.tiling == name] for table in tables] for name in ("hex", "square")},
        **{
            ("mechanism", name): [with_mechanism(table, name) for table in tables]
            for name in ("doors", "hazards", "keys")
        },
    }
    expected = {part: compared(paired(*of_part, score)) for part, of_part in parts.items()}
    assert where.keys() == expected.keys()
    adjusted = holm([each["p_value"] for each in expected.values()])
    for (part, row), p_value in zip(expected.items(), adjusted, strict=True):
        same(where[part], row | {"adjusted_p_value": p_value}, str(part))


def missing(table: Any) -> int:
    return int((~table.scored).sum())


def test_a_comparison_by_kind_of_mistake(folder: Path) -> None:
    shares = []
    for name in ("strong", "weak"):
        table, mistakes = known_mistakes(folder / name)
        wasted = mistakes.pivot_table(index="episode", columns=KIND, values="wasted_steps", aggfunc="sum", fill_value=0)
        table = table[table.wasted_steps.notna()].set_index("episode")
        wasted = wasted.reindex(table.index, fill_value=0)
        steps = np.maximum(table.steps_taken, wasted.sum(axis=1))
        cells = [table[each].rename(each) for each in ("base", "task_id", "tiling")]
        shares.append(wasted.div(steps, axis=0).groupby(cells).mean())
    found = told("compare", folder / "strong", folder / "weak")["mistakes"]
    assert len(found) > 3
    for row in found:
        kind = (row["needed"], row["did"])
        one, two = (each.get(kind, pd.Series(0.0, each.index)) for each in shares)
        same(row, compared((one - two).dropna().groupby("base").mean()), str(kind))


def test_a_leaderboard(folder: Path) -> None:
    tables = {f"openai/{name}": exported(folder / name) for name in ("strong", "weak")}
    found = told("leaderboard", folder / "strong", folder / "weak")

    def part_of(row: dict[str, Any], table: Any) -> Any:
        by: dict[str, Callable[[], Any]] = {
            "all": lambda: table,
            "tier": lambda: table[table.difficulty_tier == int(row["part"])],
            "tiling": lambda: table[table.tiling == row["part"]],
            "mechanism": lambda: table[table.mechanisms.map(lambda names: row["part"] in (names or ["none"]))],
        }
        return by[row["axis"]]()

    assert {row["axis"] for row in found["table"]} == {"all", "tier", "tiling", "mechanism"}
    for row in found["table"]:
        part = part_of(row, tables[row["model"]])
        expected = {"episodes": len(part), "missing": missing(part), "mazes": scored(part).base.nunique()}
        for name in ("success", "spl"):
            if scored(part)[name].notna().any():
                value, ends = estimated(part, name)
                expected |= {name: value, f"{name}_interval_low": ends[0], f"{name}_interval_high": ends[1]}
        for name in ("success", "spl"):
            expected[f"{name}_bounds_low"], expected[f"{name}_bounds_high"] = bounds(part, name)
        same(row, expected, f"{row['part']}: {row['model']}")
    for row in found["pairs"]:
        differences = paired(*(part_of(row, tables[row[side]]) for side in ("first", "second")))
        expected = compared(differences) | {"mazes": len(differences)}
        same(row, {name: value for name, value in expected.items() if name in row}, row["part"])
    for entry, name in zip(found["entries"], ("strong", "weak"), strict=True):
        same_mistakes(entry, folder / name)


# --- an experiment ---------------------------------------------------------------------------------------------------


EXPERIMENT = """
[base]
suite = "tasks"
epochs = 2
backend_arguments.render_mode = "none"
[[condition]]
name = "short"
models = ["random", "greedy"]
[[condition]]
name = "long"
models = ["random", "greedy"]
budget_factor = 9
"""


def test_an_experiment(tmp_path: Path) -> None:
    (tmp_path / "tasks").mkdir()
    for task in suite().tasks:
        if not task.task_id.startswith("walled"):  # which has no budget of a multiple of the shortest plan
            (tmp_path / "tasks" / f"{task.task_id}.json").write_text(json.dumps(task.to_dict()), encoding="utf-8")
    (tmp_path / "grid.toml").write_text(EXPERIMENT, encoding="utf-8")
    played = told("experiment", "run", tmp_path / "grid.toml", "-o", tmp_path / "grid")
    tables = {}
    for row in played["runs"]:
        table = exported(next((tmp_path / "grid").rglob(f"{row['folder']}/run.json")).parent)
        same(row["results"], summary(table), row["folder"])
        same(row, {"requests": table.requests.sum(), "answered": table.answered.sum(), "actions": table.actions.sum()})
        tables[row["condition"], row["model_name"]] = table
    effects = told("compare", tmp_path / "grid")["effects"]
    by_model = [paired(tables[name, "random"], tables[name, "greedy"]) for name in ("short", "long")]
    by_budget = [paired(tables["short", name], tables["long", name]) for name in ("random", "greedy")]
    p_values = []
    for effect, differences in zip(effects, (by_model, by_budget), strict=True):
        expected = compared(pd.concat(differences).groupby("base").mean())
        p_values.append(expected["p_value"])
        same(effect, {name: value for name, value in expected.items() if name in effect}, effect["condition"])
    assert min(p_values) < 0.1
    assert [each["adjusted_p_value"] for each in effects] == pytest.approx(holm(p_values))
