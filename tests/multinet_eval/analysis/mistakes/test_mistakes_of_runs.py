"""The table of mistakes of a run: ranked rows, their shares, what is unknown, and what is kept."""

from pathlib import Path

import attrs
import pytest

from gridworld.model_interface import AnswerOutcome
from gridworld.plugins import load_registry, using_registry
from multinet_eval import read
from multinet_eval.analysis.mistakes.mistake_table import MistakeTable
from multinet_eval.analysis.mistakes.run_mistakes import mistakes_of_run
from multinet_eval.record.run_directory import RunDirectory
from multinet_eval.settings.asking import AnswerPolicies
from multinet_eval.support.parallel import Work
from support.plugins import install_example_backends
from support.runs import AnsweringModel, record_run
from support.worlds import corridor, door, draw, hazard, key

LIMIT = 8


def table_of(run: RunDirectory) -> MistakeTable:
    return read(run.path).mistake_table


def test_rows_that_decide_most_episodes_come_first_whatever_they_waste(tmp_path: Path) -> None:
    """Two episodes end in a hazard after one step; in the third, six waits are decisive."""
    deadly = [
        attrs.evolve(draw("#####\n#@hG#\n#...#\n#####", h=hazard()), task_id=f"deadly_{number}") for number in range(2)
    ]
    waiting = attrs.evolve(corridor("@..G", max_steps=LIMIT), task_id="waiting")
    table = table_of(record_run(tmp_path / "run", [*deadly, waiting], "F" + "F" + "F" + "W" * 5))
    rows = [(row.needed, row.did, row.decisive, row.episodes, row.wasted_steps) for row in table.rows]
    assert rows == [("turn", "entered a hazard", 2, 2, 2), ("go on", "waited", 1, 1, 7)]
    assert {str(ending): count for ending, count in table.endings.items()} == {"died": 2, "stuck": 1}
    assert table.sentence == (
        "Needed to turn towards the goal, but entered a hazard: decisive in 2 of 3 failed episodes."
    )


def test_shares_are_means_over_base_mazes_with_any_waste(tmp_path: Path) -> None:
    """All of the waste of one maze, a quarter of that of another, none of a third, which wastes nothing."""
    tasks = [attrs.evolve(corridor("@.G"), task_id=name) for name in ("first", "second", "third")]
    table = table_of(record_run(tmp_path / "run", tasks, "WFF" + "WPPPFF" + "FF"))
    assert [(row.did, row.share, row.episodes) for row in table.rows] == [
        ("waited", (1 + 1 / 4) / 2, 2),
        ("picked up nothing", 3 / 8, 1),
    ]
    assert table.rows[0].interval[0] < table.rows[0].share < table.rows[0].interval[1]
    assert table.sentence == "Needed to go on towards the goal, but waited: 2 of 5 wasted steps."


def test_things_that_plans_led_to_are_listed_by_waste(tmp_path: Path) -> None:
    tasks = [
        attrs.evolve(corridor("@.k.D.G", k=key("red"), D=door("red")), task_id="key"),
        attrs.evolve(corridor("@.G"), task_id="goal"),
    ]
    (row,) = table_of(record_run(tmp_path / "run", tasks, "WFPFFTFFF" + "WWWFF")).rows
    assert (row.towards, row.wasted_steps) == ("the goal, a key", 4)
    assert row.words == "Needed to go on, mostly towards the goal, but waited"


def test_what_is_not_scored_is_not_counted(tmp_path: Path) -> None:
    policies = AnswerPolicies(on_infrastructure="fail")
    model = AnsweringModel(AnswerOutcome.INFRASTRUCTURE)
    table = table_of(record_run(tmp_path / "run", [corridor("@.G")], model, policies=policies))
    assert (table.rows, table.endings, table.sentence) == ((), {}, "")


def test_episodes_without_distances_are_unknown_and_counted(tmp_path: Path) -> None:
    timed = corridor("@.G", max_steps=3, goal={"type": "survive_steps"})
    tasks = [attrs.evolve(timed, task_id="timed"), attrs.evolve(corridor("@.G", max_steps=3), task_id="known")]
    table = table_of(record_run(tmp_path / "run", tasks, "WWW" + "WFF"))
    assert table.sentence == "Needed to go on towards the goal, but waited: 1 of 1 wasted steps (1 unknown)."


def test_beside_failures_only_unknown_failures_are_told(tmp_path: Path) -> None:
    timed = corridor("@.G", max_steps=3, goal={"type": "survive_steps"})
    died = draw("#####\n#@hG#\n#...#\n#####", h=hazard(), goal={"type": "survive_steps"})
    tasks = {"survived": timed, "died": died, "known": corridor("@..G", max_steps=3)}
    named = [attrs.evolve(task, task_id=name) for name, task in tasks.items()]
    table = table_of(record_run(tmp_path / "run", named, "WWW" + "F" + "FWF"))
    assert (table.unknown, table.unknown_failures) == (2, 1)
    assert table.sentence.endswith("but waited: decisive in 1 of 2 failed episodes (1 unknown).")


def test_on_a_backend_without_the_kernel_all_mistakes_are_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install_example_backends(tmp_path / "site", monkeypatch)
    with using_registry(load_registry()):
        run = record_run(
            tmp_path / "run", [corridor("@.G", max_steps=3)], "WWW", backend="warehouse", backend_arguments=()
        )
        table = table_of(run)
    assert ({str(ending): count for ending, count in table.endings.items()}, table.unknown) == ({"unknown": 1}, 1)
    assert (table.rows, table.sentence) == ((), "The mistakes are unknown.")


def test_nothing_wasted_is_said(tmp_path: Path) -> None:
    table = table_of(record_run(tmp_path / "run", [corridor("@.G")], "FF"))
    assert (table.rows, table.sentence) == ((), "No step was wasted.")


@pytest.mark.more
def test_workers_and_kept_values_change_nothing(tmp_path: Path) -> None:
    tasks = [corridor("@.G"), corridor("@..G"), draw("#####\n#@hG#\n#...#\n#####", h=hazard())]
    run = record_run(
        tmp_path / "run", [attrs.evolve(task, task_id=f"t{n}") for n, task in enumerate(tasks)], "FWLF" * 99, epochs=25
    )
    fresh = mistakes_of_run(run)
    (kept,) = run.path.glob("derived.mistakes.*")
    content = kept.read_bytes()
    assert mistakes_of_run(run) == fresh
    kept.unlink()
    assert mistakes_of_run(run, work=Work(2)) == fresh
    assert kept.read_bytes() == content
