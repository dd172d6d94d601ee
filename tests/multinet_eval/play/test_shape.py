"""Decisions that are made in one place each, as the source and a run show it."""

import ast
import functools
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import gridworld
import multinet_eval
from gridworld.model_interface import baselines
from gridworld.task_spec import TaskSpecification
from multinet_eval.play.run import new_run
from multinet_eval.record.manifest import RunOptions, Suite
from multinet_eval.settings.plugin_objects import make_model
from multinet_eval.settings.run_settings import RunSettings
from support.task_files import TASKS

EVAL, CORE = (Path(each.__file__ or "").parent for each in (multinet_eval, gridworld))
CALLER = "play/model_caller.py"
OTHERS = {
    ("probing/eliciting.py", "ask"): "a model that wraps another one, and is asked by the caller itself",
    ("probing/eliciting.py", "predict"): "a model that wraps another one, and is asked by the caller itself",
}
"""File and method to the reason for which it is called there, too."""
PIPES = {("play/pools/processes.py", "self._here"), ("play/pools/processes.py", "pipe")}
"""File and name of each thing with a method `send` that is no generator."""
LOCKS = {"Lock", "RLock", "Condition", "Semaphore", "BoundedSemaphore"}
CLOCKS = {"time", "datetime", "monotonic", "perf_counter", "sleep"}


@functools.cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def calls_in(root: Path) -> Iterator[tuple[str, str, str]]:
    """File, receiver and name of each call in a package; no receiver for a plain function."""
    for path in sorted(root.rglob("*.py")):
        file = path.relative_to(root).as_posix()
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                yield file, ast.unparse(node.func.value), node.func.attr
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                yield file, "", node.func.id


@pytest.mark.parametrize("method", ["predict", "predict_batch", "ask"])
def test_models_are_called_from_one_module(method: str) -> None:
    files = {file for file, owner, name in calls_in(EVAL) if name == method and owner.endswith("model")}
    allowed = {file for file, of in OTHERS if of == method}
    assert files == {CALLER, *allowed}


def test_backends_take_steps_in_the_rollout_alone() -> None:
    def stepping(root: Path) -> set[str]:
        return {file for file, owner, name in calls_in(root) if name == "step" and owner.endswith("backend")}

    assert {file for file in stepping(CORE) if not file.startswith("testing/")} == {"runner/rollout.py"}
    assert stepping(EVAL) == set()


def test_no_generator_is_driven_by_send() -> None:
    assert {(file, owner) for file, owner, name in calls_in(EVAL) if name == "send"} == PIPES


def test_only_pools_have_locks() -> None:
    files = {file for file, _, name in calls_in(EVAL) if name in LOCKS and file.startswith("play/")}
    assert {file for file in files if not file.startswith("play/pools/")} == set()


def test_the_scheduler_knows_the_time_from_its_clock_alone() -> None:
    module = tree_of(EVAL / "play" / "scheduler.py")
    (clock,) = [node for node in module.body if isinstance(node, ast.ClassDef) and node.name == "Clock"]
    inside = set(ast.walk(clock))
    named = [node for node in ast.walk(module) if isinstance(node, ast.Name) and node.id in CLOCKS]
    assert named
    assert [ast.unparse(node) for node in named if node not in inside] == []
    imported = [node.module for node in ast.walk(module) if isinstance(node, ast.ImportFrom)]
    assert not CLOCKS.intersection(imported)


def test_a_run_calls_its_model_from_one_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    callers = []
    predict = baselines.RandomModelInterface.predict

    def traced(self, given):  # type: ignore[no-untyped-def]  # takes what the method it stands for takes
        callers.append(sys._getframe(1).f_globals["__name__"])
        return predict(self, given)

    monkeypatch.setattr(baselines.RandomModelInterface, "predict", traced)
    settings = RunSettings(model="random", backend_arguments=("render_mode=none",))
    suite = Suite("small", tuple(TaskSpecification.from_dict(each) for each in TASKS))
    run = new_run(settings, suite, make_model("random", []), tmp_path / "run")
    outcome = run.play(RunOptions(workers=4))
    assert outcome.stopped is None
    assert len(callers) == sum(each.requests_answered for each in outcome.results.in_order) > 0
    assert set(callers) == {"multinet_eval.play.model_caller"}
