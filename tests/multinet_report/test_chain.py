"""How far an episode came along its dependency chain."""

from pathlib import Path

from gridworld.suites import read_installed
from multinet_eval.record.run_directory import RunDirectory
from multinet_eval.settings.plugin_objects import make_model
from multinet_report.report import make_report
from support.pages import blocks_of
from support.runs import record_run

TASK = next(task for task in read_installed("validation_10").tasks if task.task_id == "v08_key_key_chain")


def uses_of(run: RunDirectory) -> dict[str, int]:
    """Each thing to the number of the first step in which it took part, by the record."""
    found: dict[str, int] = {}
    for number, step in enumerate(lines.steps if (lines := run.latest(run.attempts(0))) else (), start=1):
        for event in step.events:
            if event.involves is not None:
                found.setdefault(event.involves, number)
    return found


def test_each_element_is_shown_with_the_step_in_which_it_was_first_used(tmp_path: Path) -> None:
    run = record_run(tmp_path / "run", [TASK], make_model("optimal", []), named="optimal")
    chain = blocks_of(make_report([run.path], max_states=0).text)["episode-0-0"]["chain"]
    assert TASK.dependency_chain is not None
    assert [each["id"] for each in chain] == [step.element for step in TASK.dependency_chain.sequence]
    assert {each["id"]: each["used"] for each in chain}.items() <= uses_of(run).items()


def test_what_was_not_used_has_no_step(tmp_path: Path) -> None:
    run = record_run(tmp_path / "run", [TASK], "LL", requests=4)
    chain = blocks_of(make_report([run.path], max_states=0).text)["episode-0-0"]["chain"]
    assert {each["used"] for each in chain} == {None}
