"""Results of recorded runs: rescoring, and reports."""

import json
from pathlib import Path

import pytest

from gridworld.model_interface import AnswerFault, AnswerOutcome, ModelInput, ModelOutput, Trouble, Usage
from multinet_eval.play.run import open_run
from multinet_eval.record.manifest import RunOptions
from multinet_eval.record.record_folders import RunError
from multinet_eval.record.results import rescore_run
from multinet_eval.record.summary import inspect_run
from multinet_eval.settings.asking import AnswerPolicies
from support.runs import AnsweringModel, add_line, being_played, record_run
from support.worlds import corridor

TASKS = [corridor("@.G", max_steps=4), corridor("@..G", max_steps=5)]


@pytest.mark.parametrize(
    "settings", [{}, {"tilings": ("hex", "square"), "compares_tilings": True, "backend_arguments": ()}, {"epochs": 3}]
)
def test_rescoring_a_fresh_run_changes_no_byte(settings: dict, tmp_path: Path) -> None:
    path = record_run(tmp_path / "run", TASKS, "FF", **settings).path
    before = (path / "results.json").read_bytes()
    assert rescore_run(path).changed == ()
    assert (path / "results.json").read_bytes() == before


def test_changed_parts_are_named_and_corrected(tmp_path: Path) -> None:
    path = record_run(tmp_path / "run", TASKS, "FF").path
    good = (path / "results.json").read_text(encoding="utf-8")
    data = json.loads(good)
    del data["usage"]
    (path / "results.json").write_text(json.dumps({**data, "spl": 1.0, "note": "mine"}), encoding="utf-8")
    assert rescore_run(path).changed == ("note", "spl", "usage")
    assert (path / "results.json").read_text(encoding="utf-8") == good


@pytest.mark.parametrize("content", [None, "", "{", "[]", "\u2028{}"])
def test_a_missing_or_damaged_results_file_is_rewritten(content: str | None, tmp_path: Path) -> None:
    path = record_run(tmp_path / "run", TASKS).path
    good = (path / "results.json").read_bytes()
    (path / "results.json").unlink()
    if content is not None:
        (path / "results.json").write_text(content, encoding="utf-8")
    rescored = rescore_run(path)
    assert set(rescored.changed) == set(json.loads(good))
    assert (path / "results.json").read_bytes() == good


def test_an_unfinished_run_is_refused_and_keeps_its_results(tmp_path: Path) -> None:
    directory = record_run(tmp_path / "run", TASKS)
    before = (directory.path / "results.json").read_bytes()
    directory.update(directory.manifest.extended(TASKS, 2))
    with pytest.raises(RunError, match="unfinished: 2 of 4 episodes left to play, and"):
        rescore_run(directory.path)
    assert (directory.path / "results.json").read_bytes() == before


def test_an_episode_that_a_permanent_error_ended_is_left_to_play(tmp_path: Path) -> None:
    refused = AnswerFault(AnswerOutcome.INFRASTRUCTURE, "wrong credential", permanent=True)
    path = record_run(tmp_path / "run", TASKS[:1], AnsweringModel("F", refused)).path
    message = r"1 of 1 episode left to play, 1 of them again after an error .* \(.*wrong credential"
    with pytest.raises(RunError, match=message):
        rescore_run(path)


def test_a_run_that_is_being_played_is_refused(tmp_path: Path) -> None:
    path = record_run(tmp_path / "run", TASKS).path
    with being_played(path), pytest.raises(RunError, match="is being played by process"):
        rescore_run(path)


class Paid(AnsweringModel):
    """Says what each answer costs."""

    def predict(self, input: ModelInput) -> ModelOutput:
        return ModelOutput(super().predict(input).action, usage=Usage(100, 7, 0.5))


def test_a_report_has_all_planned_episodes_and_the_results(tmp_path: Path) -> None:
    path = record_run(tmp_path / "run", TASKS, "FFF", requests=3, epochs=2).path
    report = inspect_run(path)
    assert [(each.state, each.attempts, each.steps, each.requests) for each in report.episodes] == [
        ("finished", 1, 2, 2),
        ("unfinished", 1, 1, 1),
        ("not begun", 0, 0, 0),
        ("not begun", 0, 0, 0),
    ]
    assert [result.success for result in report.results.in_order] == [True]
    assert report.episodes[0].result == report.results.in_order[0]


def test_spending_covers_all_attempts(tmp_path: Path) -> None:
    path = record_run(tmp_path / "run", TASKS[:1], Paid("F", "F")).path
    first, second = (path / "episodes" / name for name in ("0.jsonl", "0.2.jsonl"))
    second.write_text("".join(first.read_text(encoding="utf-8").splitlines(keepends=True)[:3]), encoding="utf-8")
    report = inspect_run(path)
    assert (
        report.requests.spent.requests,
        report.requests.spent.prompt_tokens,
        report.requests.spent.completion_tokens,
    ) == (3, 300, 21)
    assert report.requests.usage.seconds == 1.5
    assert [(each.attempts, each.steps, each.requests) for each in report.episodes] == [(2, 1, 3)]


def test_repeated_requests_are_counted_by_fault(tmp_path: Path) -> None:
    class Overloaded(AnsweringModel):
        def predict(self, input: ModelInput) -> ModelOutput:
            if len(self.inputs) == 1:
                self.inputs.append(input)
                raise AnswerFault(AnswerOutcome.INFRASTRUCTURE, "busy", trouble=Trouble.OVERLOADED, retry_after=0.01)
            return super().predict(input)

    report = inspect_run(record_run(tmp_path / "run", TASKS[:1], Overloaded("F", "F")).path)
    assert report.requests.faults == {"overloaded": 1}
    assert [(each.steps, each.requests, each.faults) for each in report.episodes] == [(2, 3, 1)]
    assert (report.requests.spent.requests, report.requests.spent.failed) == (3, 1)


def test_the_reason_of_a_fault_is_that_of_the_last_request_that_counts(tmp_path: Path) -> None:
    busy = AnswerFault(AnswerOutcome.INFRASTRUCTURE, "busy", trouble=Trouble.OVERLOADED, retry_after=0.01)
    gone = AnswerFault(AnswerOutcome.INFRASTRUCTURE, "gone", trouble=Trouble.OVERLOADED)
    policies = AnswerPolicies(on_infrastructure="fail")
    path = record_run(tmp_path / "run", TASKS[:1], AnsweringModel(busy), requests=1, policies=policies).path
    run, _ = open_run(path)
    run.model = AnsweringModel(gone)
    run.play(RunOptions(patience=0))
    report = inspect_run(path)
    assert (report.requests.faults, report.requests.unusable) == ({"overloaded": 2}, {})
    assert report.requests.reasons == {"overloaded": "gone"}


def test_a_line_of_garbage_is_named(tmp_path: Path) -> None:
    path = record_run(tmp_path / "run", TASKS, requests=1).path
    add_line(path / "episodes" / "0.jsonl", "garbage")
    with pytest.raises(RunError, match=r"0\.jsonl, line 4: it is not JSON"):
        inspect_run(path)
