"""Conformance kits for the kinds of plugins that runs, probings and pages use."""

from __future__ import annotations

import json
import random
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

import attrs

from gridworld.errors import describe_value
from gridworld.plugins.arguments import list_arguments
from gridworld.testing.conformance import Conformance, LeftOut, calling, expect, fail, loaded
from gridworld.testing.stage import stage_task
from gridworld.testing.targets import LIVE, TargetConformance
from multinet_eval.analysis.metrics.measuring import measure_run
from multinet_eval.analysis.metrics.metric_type import Metric, WeightedMetric
from multinet_eval.play.observers import RunObserver
from multinet_eval.play.run import new_run
from multinet_eval.probing.probe import Grade, Probe, ProbeQuestion
from multinet_eval.probing.questions import ProbeSettings
from multinet_eval.probing.running import make_scenes
from multinet_eval.record.manifest import RunOptions, Suite
from multinet_eval.record.run_directory import RunDirectory
from multinet_eval.settings.asking import Protocol, check_protocol
from multinet_eval.settings.plugin_objects import make_model
from multinet_eval.settings.run_settings import RunSettings

__all__ = ["FURTHER_KITS"]

REMEDY = "correct it, and see its documentation under docs/how-to/plugins"
SETTINGS = RunSettings(model="random", backend_arguments=("tile_size=8",))
"""A cheap run for trying plugins: a free model and small pictures."""
STEPS = 20
"""Maximum number of steps of an episode."""


def _require_live(live: bool, what: str) -> None:
    if not live:
        raise LeftOut(f"{what} may reach a server, a cluster or a display, so it is only made", f"to use it: {LIVE}")


@contextmanager
def _recorded(
    *observers: RunObserver, report: Callable[[str], object] = warnings.warn, **options: Any
) -> Iterator[RunDirectory]:
    """Record a run of two episodes for the duration of a check; `report` receives faults of observers."""
    short = attrs.evolve(stage_task(), max_steps=STEPS)
    tasks = (short, attrs.evolve(short, task_id="stage-again", seed=2))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "run"
        run = new_run(SETTINGS, Suite("stage", tasks), make_model("random", []), path)
        outcome = run.play(RunOptions(**options), *observers, report=report)
        if outcome.stopped is not None:
            fail(f"the run stops: {outcome.stopped.error or outcome.stopped.message}", REMEDY)
        yield RunDirectory(path)


class ObserverConformance(TargetConformance):
    """Checks of an observer."""

    kind: ClassVar[str] = "observer"
    base: ClassVar[type] = RunObserver

    def test_it_follows_a_run(self) -> None:
        """Check that the observer receives all events of a run without raising."""
        observer = self.make()
        _require_live(self.live, "an observer")
        faults: list[str] = []
        with calling("observing a run", REMEDY), _recorded(observer, report=faults.append):
            pass
        expect(not faults, "; ".join(faults), REMEDY)


class ProtocolConformance(TargetConformance):
    """Checks of a protocol."""

    kind: ClassVar[str] = "protocol"
    base: ClassVar[type] = Protocol

    def make(self) -> Any:
        """Make the protocol, with a small number if it needs a value."""
        needed = list_arguments(self.found())
        if needed and needed[0].default is None and not self.arguments:
            with calling("making it with the value 2", "let it be made with its defaults, or with a number"):
                return self.found()(2)
        return super().make()

    def test_it_says_what_a_reply_holds_and_when_to_ask_again(self) -> None:
        """Check that the protocol's answers after each step of a recorded run have the right types."""
        protocol = self.make()
        with calling("its reply", "return a `ReplyForm`, and a number or None for `max_replies`"):
            check_protocol(protocol, "it")
        with _recorded() as run:
            steps = [step for lines in _latest(run) for step in lines.steps]
        for step in steps:
            for came_into_view in (False, True):
                with calling(f"goes_on after {step.action}", REMEDY):
                    answer = protocol.goes_on(step, came_into_view)
                expect(isinstance(answer, bool), f"goes_on returns {describe_value(answer)}", "return True or False")


class ProbeConformance(TargetConformance):
    """Checks of a probe."""

    kind: ClassVar[str] = "probe"
    base: ClassVar[type] = Probe

    def test_its_own_answers_are_right(self) -> None:
        """Check that the probe asks questions, and that its own right answers can be read and get the best grade."""
        probe = self.make()
        name = self.resolve().name
        scenes = make_scenes(SETTINGS, ProbeSettings((name,)), [stage_task()])
        questions = [question for scene in scenes for question in self._asked(probe, scene)]
        expect(questions, "it asks nothing at any moment of the tasks of the kit", "yield questions about a scene")
        for question in questions:
            with calling("reading and grading its right answer", REMEDY):
                json.dumps([question.right, question.facts])
                truth = probe.read(question, question.right)
                hash(truth)
                grade = probe.grade(question, truth, truth)
            expect(
                isinstance(grade, Grade) and bool(grade.scores),
                f"grade returns {describe_value(grade)}",
                "return a `Grade` with at least one score",
            )
            own = next(iter(grade.scores.values()))
            expect(own.f1 == 1, f"its right answer {question.right} is graded {own.f1}", "grade it as entirely right")

    def _asked(self, probe: Any, scene: Any) -> list[ProbeQuestion]:
        with calling(f"questions at {scene.name}", REMEDY):
            asked, again = (list(probe.questions(scene, random.Random(1))) for _ in "ab")
        for question in asked:
            expect(isinstance(question, ProbeQuestion), f"it asks {describe_value(question)}", "yield `ProbeQuestion`s")
        expect(
            asked == again,
            "it asks other things when it is asked again with the same dice",
            "draw all random choices from `dice`, and sort sets before you choose",
        )
        return asked


class MetricConformance(Conformance):
    """Checks of a metric."""

    kind: ClassVar[str] = "metric"

    def test_its_target_is_of_its_kind(self) -> None:
        """Check that the metric is a decorated function with a docstring, which is its documentation."""
        found = loaded(self.resolve().target)
        expect(
            isinstance(found, Metric | WeightedMetric),
            f"its target is {describe_value(found)}, no metric",
            "put the decorator `multinet_eval.metric` above the function",
        )
        expect((found.__doc__ or "").strip(), "it has no docstring", "say what it measures, and its range")

    def test_it_measures_a_run(self) -> None:
        """Check that the metric's value for a recorded episode is None or of the type its aggregation takes."""
        name = self.resolve().name
        with calling("measuring a run", REMEDY), _recorded() as run:
            faults = measure_run(run, [name]).faults()
        expect(not faults, "; ".join(message for message, _ in faults.values()), REMEDY)


def _latest(run: RunDirectory) -> list[Any]:
    """List the latest recorded lines of each episode."""
    found = [run.latest(files) for files in run.all_attempts().values()]
    return [lines for lines in found if lines is not None]


FURTHER_KITS: Mapping[str, type[Conformance]] = {
    kit.kind: kit
    for kit in (
        ObserverConformance,
        ProtocolConformance,
        ProbeConformance,
        MetricConformance,
    )
}
"""Conformance kit of each further kind of object."""
