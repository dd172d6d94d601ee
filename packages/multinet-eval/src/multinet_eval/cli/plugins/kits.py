"""Conformance kits for the kinds of plugins that runs and probings use."""

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

from gridworld.errors import Owner, describe_value
from gridworld.plugins.arguments import list_arguments
from gridworld.testing.conformance import Conformance, TargetConformance, calling, expect, fail
from gridworld.testing.stage import stage_task
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

SETTINGS = RunSettings(model="random", backend_arguments=("tile_size=8",))
"""A cheap run for trying plugins: a free model and small pictures."""
STEPS = 20
"""Maximum number of steps of an episode."""


@contextmanager
def _recorded(*observers: RunObserver, report: Callable[[str], object] = warnings.warn) -> Iterator[RunDirectory]:
    """Record a run of two episodes for the duration of a check; `report` receives faults of observers."""
    short = attrs.evolve(stage_task(), max_steps=STEPS)
    tasks = (short, attrs.evolve(short, task_id="stage-again", seed=2))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "run"
        run = new_run(SETTINGS, Suite("stage", tasks), make_model("random", []), path)
        outcome = run.play(RunOptions(), *observers, report=report)
        if outcome.stopped is not None:
            fail(f"the run stops: {outcome.stopped.error or outcome.stopped.message}")
        yield RunDirectory(path)


class ObserverConformance(TargetConformance):
    """Checks of an observer."""

    kind: ClassVar[str] = "observer"
    base: ClassVar[type] = RunObserver
    outside: ClassVar[bool] = True

    def test_it_follows_a_run(self) -> None:
        """The observer receives all events of a run without raising."""
        faults: list[str] = []
        with calling("observing a run"), _recorded(self.make(), report=faults.append):
            pass
        expect(not faults, "; ".join(faults))


class ProtocolConformance(TargetConformance):
    """Checks of a protocol."""

    kind: ClassVar[str] = "protocol"
    base: ClassVar[type] = Protocol

    def make(self) -> Any:
        """Make the protocol, with a small number if it needs a value."""
        needed = list_arguments(self.target())
        if needed and needed[0].default is None and not self.arguments:
            with calling("making it with the value 2"):
                return self.target()(2)
        return super().make()

    def test_it_says_what_a_reply_holds_and_when_to_ask_again(self) -> None:
        """`reply` is a `ReplyForm`, `max_replies` a number or None, and `goes_on` returns True or False."""
        protocol = self.make()
        with calling("its reply"):
            check_protocol(protocol, Owner("it"))
        with _recorded() as run:
            found = [run.latest(files) for files in run.all_attempts().values()]
        for step in [step for lines in found if lines is not None for step in lines.steps]:
            for came_into_view in (False, True):
                with calling(f"goes_on after {step.action}"):
                    answer = protocol.goes_on(step, came_into_view)
                expect(isinstance(answer, bool), f"goes_on returns {describe_value(answer)}")


class ProbeConformance(TargetConformance):
    """Checks of a probe."""

    kind: ClassVar[str] = "probe"
    base: ClassVar[type] = Probe

    def test_its_own_answers_are_right(self) -> None:
        """`questions` yields `ProbeQuestion`s, the same with the same dice; its right answers get the best grade.

        All random choices are drawn from `dice`, and sets are sorted before a choice.
        """
        probe, name = self.make(), self.resolve().name
        scenes = make_scenes(SETTINGS, ProbeSettings((name,)), [stage_task()])
        questions = [question for scene in scenes for question in self._asked(probe, scene)]
        expect(questions, "it asks nothing at any moment of the tasks of the kit")
        for question in questions:
            with calling("reading and grading its right answer"):
                json.dumps([question.right, question.facts])
                truth = probe.read(question, question.right)
                hash(truth)
                grade = probe.grade(question, truth, truth)
            sound = isinstance(grade, Grade) and bool(grade.scores)
            expect(sound, f"grade returns {describe_value(grade)}, no `Grade` with a score")
            own = next(iter(grade.scores.values()))
            expect(own.f1 == 1, f"its right answer {question.right} is graded {own.f1}")

    def _asked(self, probe: Any, scene: Any) -> list[ProbeQuestion]:
        with calling(f"questions at {scene.name}"):
            asked, again = (list(probe.questions(scene, random.Random(1))) for _ in "ab")
        for question in asked:
            expect(isinstance(question, ProbeQuestion), f"it asks {describe_value(question)}")
        expect(asked == again, "it asks other things when it is asked again with the same dice")
        return asked


class MetricConformance(Conformance):
    """Checks of a metric."""

    kind: ClassVar[str] = "metric"

    def test_its_target_is_of_its_kind(self) -> None:
        """A metric is a function with the decorator `multinet_eval.metric`; its docstring is its documentation."""
        found = self.target()
        expect(isinstance(found, Metric | WeightedMetric), f"its target is {describe_value(found)}, no metric")
        expect((found.__doc__ or "").strip(), "it has no docstring")

    def test_it_measures_a_run(self) -> None:
        """The value for a recorded episode is None or of the type that the metric's aggregation takes."""
        name = self.resolve().name
        with calling("measuring a run"), _recorded() as run:
            faults = measure_run(run, [name]).faults()
        expect(not faults, "; ".join(message for message, _ in faults.values()))


FURTHER_KITS: Mapping[str, type[Conformance]] = {
    kit.kind: kit for kit in (ObserverConformance, ProtocolConformance, ProbeConformance, MetricConformance)
}
"""Conformance kit of each further kind of object."""
