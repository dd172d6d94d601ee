"""`EvaluationHarness`: plays a model through tasks and measures it."""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Self

import attrs

from gridworld.actions import Action
from gridworld.backends.base import AbstractGridBackend
from gridworld.backends.kernel import DEFAULT_MISSION, KernelBackend, MissionMode
from gridworld.errors import ArgumentError, PluginFault, Problem
from gridworld.explaining.explainer import Explainer, explainer_of_everything
from gridworld.explaining.explanation import Explanation
from gridworld.model_interface import (
    AdjustingModel,
    Adjustment,
    AnswerFault,
    AnswerOutcome,
    ModelInput,
    ModelInterface,
    OracleInterface,
    PromptedModel,
    ReplyForm,
)
from gridworld.model_interface.inspection import CheckedModel
from gridworld.plugins import get_registry
from gridworld.plugins.faults import backend_name, blaming
from gridworld.runner.playable import check_playable
from gridworld.runner.presentation import Presentation
from gridworld.runner.record import Decision, EndReason, EpisodeEnd, EpisodeHeader, Recording, Request, Step
from gridworld.runner.rollout import Question, Rollout, check_observable, kernel_of, request_pictures
from gridworld.runner.worked_examples import WorkedExamples
from gridworld.solver import DEFAULT_MAX_STATES, Solution, Verdict
from gridworld.solver.plans import optimal_solution, winning_plan
from gridworld.suites import SuiteError, load_folder, of_tiers, read_folder
from gridworld.support.import_strings import load_object
from gridworld.task_spec import TaskSpecification
from multinet_eval.asking.answer_cache import AnswerCache, EpisodeCache
from multinet_eval.asking.asking import Ask, Asking
from multinet_eval.asking.backoff import Backoff
from multinet_eval.asking.briefing import Briefing, examples_for
from multinet_eval.asking.model_caller import ModelCaller
from multinet_eval.asking.moments import Answer, Moment, Past, Resumed, replayed_steps
from multinet_eval.asking.pace import Pace
from multinet_eval.asking.policies import AnswerPolicies
from multinet_eval.asking.protocol import Protocol
from multinet_eval.asking.protocols import StepByStep
from multinet_eval.defaults import DEFAULT_BACKEND
from multinet_eval.resizing import resized
from multinet_eval.scores.suite_metrics import SuiteMetrics
from multinet_eval.scores.task_result import TaskResult
from multinet_eval.swapping import swapped_tasks
from multinet_eval.task_hashes import suite_hash, task_hash

__all__ = ["EvaluationHarness"]


class EvaluationHarness:
    """Evaluates one model on one backend, a task at a time.

    Args:
        model: the model under evaluation.
        backend: where to play; by default the MiniGrid backend.
        seed: the seed of every episode; by default each task's own.
        mission: what the mission is: the goal's sentence, the task's own description, or both; by default what the
            backend has been told.
        observation: what the model is given of each moment, such as ``image+text`` (`ObservationFormat`).
        history_images: how many earlier observations the model is given, at least 0.
        history_text: whether the model is given a text of the last steps.
        history_text_window: how many steps that text tells of, at least 1.
        max_states: where the solver that finds `optimal_steps` gives up; it is then None.
        presentation: all that the model is given at each step, in place of `observation` and the history arguments.
        protocol: how many actions a reply holds, and how far they are played; by default one.
        briefing: what the model is told of a suite, as far as `presentation` asks for it; by default of the tasks that
            one call is given, and for a task that is played alone of all that the installed types can have.
        swapped_backend: a second backend like the first, where the other task is played whose observations are shown if
            `presentation` asks for them; by default a MiniGrid backend if `backend` is one by default, too.
        policies: what to do about answers that cannot be used.
        backoff: how to wait before a server is asked again.
        cache: where answers are kept, and found again; by default nowhere.

    Raises:
        UnknownNameError: no backend is given and the MiniGrid backend is not installed.
        ArgumentError: the model is an oracle, text is to be observed or the mission is not to be the goal's sentence,
            and the backend is not built on the kernel. The model cannot reply as the protocol asks.
            An unknown observation, or a history setting outside its range.
        ValueError: an unknown mission.
    """

    def __init__(
        self,
        model: ModelInterface,
        backend: AbstractGridBackend | None = None,
        *,
        seed: int | None = None,
        observation: str = "image",
        mission: MissionMode | None = None,
        history_images: int = 0,
        history_text: bool = False,
        history_text_window: int = 10,
        max_states: int = DEFAULT_MAX_STATES,
        presentation: Presentation | None = None,
        protocol: Protocol | None = None,
        briefing: Briefing | None = None,
        swapped_backend: AbstractGridBackend | None = None,
        policies: AnswerPolicies | None = None,
        backoff: Backoff | None = None,
        cache: AnswerCache | None = None,
    ) -> None:
        if history_text_window < 1:
            raise ArgumentError(f"history_text_window: expected at least 1, got {history_text_window}")
        self.model = model
        self.backend = backend or _default_backend()
        self._seed = seed
        self._presentation = presentation or Presentation(
            observation, history_images, history_text_window if history_text else 0
        )
        self._protocol = protocol or StepByStep()
        self._told = None if briefing is None else _Told.of_suite(briefing)
        self._swapped_backend = swapped_backend
        if self._presentation.swaps_observations and swapped_backend is None:
            self._swapped_backend = _default_swapped_backend(backend)
        self._max_states = max_states
        self._policies = policies or AnswerPolicies()
        self._backoff = backoff or Backoff()
        self._caller = ModelCaller(model)
        self._cache = cache
        self._known_adjustments = 0
        self._check_reply()
        check_observable(self.backend, self._presentation)
        request_pictures(self.backend, self._presentation.pictures, resized)
        if isinstance(model, OracleInterface):
            self._kernel_for_oracles()
        if mission is not None:
            self._choose_mission(mission)

    @property
    def backends(self) -> tuple[AbstractGridBackend, ...]:
        """All that it plays on."""
        return (self.backend,) if self._swapped_backend is None else (self.backend, self._swapped_backend)

    def check_ready(self) -> None:
        """Make sure that the model could be asked, as far as it can tell.

        Raises:
            PluginFault: it could not, or it failed to find out; the message says why.
        """
        if not isinstance(self.model, CheckedModel):
            return
        owner = f"model '{self.model.model_name}'"
        with blaming(owner, "when it was asked whether it is ready"):
            try:
                self.model.check_ready()
            except AnswerFault as fault:
                raise PluginFault(f"{owner} is not ready: {fault.message}") from fault

    def check_tasks(self, specs: Iterable[TaskSpecification]) -> None:
        """Make sure that the backend can play tasks, and the examples that are shown beforehand.

        Raises:
            UnplayableTasksError: it refuses some of them; all are named.
            ArgumentError: an example cannot be solved on it.
        """
        check_playable(self.backend, specs)
        if self._told is not None:
            self._examples(self._told)

    def evaluate_task(self, spec: TaskSpecification, swapped: TaskSpecification | None = None) -> TaskResult:
        """Play one episode of a task; the result holds its recording.

        An episode that a plugin's exception or an infrastructure fault puts an end to has a result too, with its
        `TaskResult.error`.

        Args:
            spec: the task.
            swapped: the task that is shown in its place, where observations are swapped.

        Raises:
            InvalidTaskError: the task is invalid.
            ArgumentError: the model and the backend do not fit together.
        """
        header = self._header(spec)
        steps: list[Step] = []
        moments = self.play(spec, swapped=swapped)
        moment = next(moments)
        while not isinstance(moment, EpisodeEnd):
            answer = None
            if isinstance(moment, Ask):
                self._wait(moment)
                answer = self._caller.call(moment)
            elif isinstance(moment, Step):
                steps.append(moment)
            elif isinstance(moment, EpisodeHeader):
                header = moment
            moment = moments.send(answer)
        end = moment
        recording = Recording(header, tuple(steps), end)
        return attrs.evolve(TaskResult.of(header, recording.steps, end), recording=recording)

    def play(
        self,
        spec: TaskSpecification,
        seed: int | None = None,
        past: Past | None = None,
        epoch: int = 0,
        swapped: TaskSpecification | None = None,
    ) -> Generator[Moment, Answer | None, None]:
        """Play one episode of a task, moment by moment; whoever holds the generator makes the requests.

        An episode that has a past is played again up to where it was left, without asking the model, and only what is
        new is yielded; where the model cannot go on from there, it starts over with a second header.

        Args:
            spec: the task.
            seed: the seed of the episode; by default that of the harness, or the task's own.
            past: what has been recorded of it.
            epoch: which repetition of the task it is, from 0.
            swapped: the task that is shown in its place, where observations are swapped.

        Yields:
            The header (`Resumed` for an episode that goes on; one without a digest where it could not begin), an `Ask`
            for each request, each `Step` that was decided, and at last the end. After an `Ask`, the generator is sent
            what came of it, as `request` returns it.

        Raises:
            InvalidTaskError: the task is invalid.
            ArgumentError: the model and the backend do not fit together.
            DivergedError: the past, played again, is another one.
            CacheError: an answer cannot be kept.
        """
        begun = False
        try:
            rollout, pace, resumed = self._start(spec, seed, past, swapped)
            begun = True
            cache = None if self._cache is None else self._cache.of_episode(self.model, rollout.episode, epoch)
            yield Resumed() if resumed else attrs.evolve(self._named(rollout.header), epoch=epoch)
            pending = past.pending if past is not None and resumed else ()
            while not rollout.over:
                decision = pace.decision
                if decision is None:
                    decision, pending = (yield from self._ask(rollout, pending, cache)), ()
                step = rollout.take(decision)
                pace.note(step)
                yield step
            end = self._with_optimum(rollout.end())
        except PluginFault as fault:
            if not begun:
                yield attrs.evolve(self._header(spec), epoch=epoch)
            end = EpisodeEnd(EndReason.PLUGIN, error=str(fault))
        yield end

    def request(self, asks: Sequence[Ask]) -> list[Answer]:
        """Make requests for different episodes: several at once of a `BatchModel`, of others one after another.

        Returns:
            What came of each, in their order.
        """
        return self._caller.call_together(asks)

    def new_adjustments(self) -> list[Adjustment]:
        """What the model has found out about its server since this was asked last; raises PluginFault."""
        found = self._adjustments()
        known, self._known_adjustments = self._known_adjustments, len(found)
        return list(found[known:])

    def _ask(
        self, rollout: Rollout, answered: tuple[Request, ...], cache: EpisodeCache | None
    ) -> Generator[Moment, Answer | None, Decision]:
        """Have the model asked for a decision; `answered` are requests for it that have been made before."""
        question = rollout.question
        assert question is not None
        asking = Asking(question, self._policies, answered)
        while (ask := asking.ask) is not None:
            asking.answer((yield from _put(ask, cache)))
        return asking.decision

    def _start(
        self, spec: TaskSpecification, seed: int | None, past: Past | None, swapped: TaskSpecification | None
    ) -> tuple[Rollout, Pace, bool]:
        """An episode at its start or where it was left, how it goes on, and whether it was left."""
        rollout = self._begin(spec, seed, swapped)
        pace = Pace(self._protocol, rollout)
        if past is None:
            return rollout, pace, False
        for step in replayed_steps(rollout, past):
            pace.note(step)
        with blaming(f"model '{self.model.model_name}'", "when an episode was resumed"):
            if self.model.resume_episode(rollout.episode, past.asked):
                return rollout, pace, True
        rollout = self._begin(spec, seed, swapped)
        return rollout, Pace(self._protocol, rollout), False

    def input_at(self, spec: TaskSpecification, step: int = 0, swapped: TaskSpecification | None = None) -> ModelInput:
        """What the model would be given at a step of a shortest plan; it is asked nothing.

        Args:
            spec: the task.
            step: how many actions of the plan are taken before, at least 0.
            swapped: the task that is shown in its place, where observations are swapped.

        Raises:
            InvalidTaskError: the task is invalid.
            NoPlanError: no plan has been found.
            ArgumentError: the episode is over by then, or the model and the backend do not fit together.
            PluginFault: a plugin failed.
        """
        rollout = self._rollout(spec, shown=self._shown(swapped, looked_at=True))
        plan = self._plan() if step else ()
        pace = Pace(self._protocol, rollout)
        for taken in range(min(step, len(plan))):
            decision = pace.decision or _planned(plan[taken:], self._protocol.reply)
            pace.note(rollout.take(decision))
        question = rollout.question
        if question is None or step > len(plan):
            raise ArgumentError(
                f"step {step}: the shortest plan of '{spec.task_id}' ends the episode after {len(plan)} steps"
            )
        self._check_picture(question)
        return question.input

    def questions_along(self, spec: TaskSpecification, actions: Iterable[int]) -> Iterator[Question]:
        """What the model would be asked before each of some actions, and after the last; it is asked nothing.

        They end with the episode, if it does.

        Args:
            spec: the task.
            actions: what is done.

        Raises:
            InvalidTaskError: the task is invalid.
            ArgumentError: the model and the backend do not fit together.
            PluginFault: a plugin failed.
        """
        rollout = self._rollout(spec)
        for action in (None, *actions):
            if action is not None:
                rollout.take(Decision.act(action))
            question = rollout.question
            if question is None:
                return
            self._check_picture(question)
            yield question

    def optimal_steps(self, spec: TaskSpecification) -> int | None:
        """The length of a shortest plan; None where the solver finds none within the budget, or there is no solver.

        Raises:
            InvalidTaskError: the task is invalid.
            PluginFault: a plugin failed.
        """
        self._rollout(spec)
        kernel = kernel_of(self.backend)
        length = None if kernel is None else self._solve(kernel).length
        return length if length is not None and length <= spec.max_steps else None

    def evaluate_tasks(self, specs: Iterable[TaskSpecification], benchmark_name: str) -> SuiteMetrics:
        """Play one episode of each task, in order, up to the first that ends by a permanent error.

        Raises:
            UnplayableTasksError: the backend refuses some of the tasks; nothing has been played.
            ArgumentError: the model and the backend do not fit together.
            PluginFault: the model says that it is not ready; nothing has been played.
        """
        specs = list(specs)
        self.check_tasks(specs)
        return self._evaluate(specs, benchmark_name, self._swapped(specs))

    def _swapped(self, specs: Sequence[TaskSpecification]) -> Mapping[str, TaskSpecification]:
        """Hash of a task to the one that is shown in its place; none where each is shown itself."""
        return swapped_tasks(specs) if self._presentation.swaps_observations else {}

    def _evaluate(
        self, specs: Sequence[TaskSpecification], benchmark_name: str, shown: Mapping[str, TaskSpecification]
    ) -> SuiteMetrics:
        self.check_ready()
        results: list[TaskResult] = []
        with self._telling(specs):
            for spec in specs:
                results.append(self.evaluate_task(spec, shown.get(task_hash(spec))).without_recording())
                if results[-1].permanent:
                    break
        complete = len(results) == len(specs) and not any(result.permanent for result in results)
        return attrs.evolve(self.metrics(benchmark_name, results, complete), suite_hash=suite_hash(specs))

    def evaluate_task_dir(self, task_dir: str | PathLike[str], *, skip_invalid: bool = False) -> SuiteMetrics:
        """Play all tasks of a folder and its subfolders.

        Args:
            task_dir: the folder.
            skip_invalid: whether files that hold no valid task are skipped and counted, instead of refused.

        Raises:
            SuiteError: the folder does not hold a usable suite.
            UnplayableTasksError: the backend refuses some of the tasks; nothing has been played.
            PluginFault: the model says that it is not ready; nothing has been played.
        """
        suite = read_folder(Path(task_dir), skip_invalid)
        metrics = self.evaluate_tasks(suite.tasks, Path(task_dir).resolve().name)
        return attrs.evolve(metrics, skipped=suite.skipped)

    def evaluate_tier(self, tier: int, task_dir: str | PathLike[str]) -> SuiteMetrics:
        """Play the tasks of one difficulty tier of a folder and its subfolders; raises as `evaluate_task_dir` does."""
        return self.evaluate_all(task_dir, [tier])[tier]

    def evaluate_all(
        self, task_dir: str | PathLike[str], tiers: Iterable[int] | None = None
    ) -> dict[int, SuiteMetrics]:
        """Tier to its metrics, for the given tiers or for all that the folder has.

        Raises:
            SuiteError: the folder does not hold a usable suite, or no task of one of the tiers.
            UnplayableTasksError: the backend refuses some of the tasks; nothing has been played.
            PluginFault: the model says that it is not ready.
        """
        tasks = load_folder(Path(task_dir))
        present = {task.difficulty_tier for task in tasks}
        wanted = sorted(present if tiers is None else set(tiers))
        missing = [Problem("", f"no task of tier {tier} in it") for tier in wanted if tier not in present]
        if missing:
            raise SuiteError(missing, str(task_dir))
        chosen = of_tiers(tasks, wanted)
        self.check_tasks(chosen)
        shown = self._swapped(chosen)
        with self._telling(chosen):
            return {tier: self._evaluate(of_tiers(tasks, [tier]), f"tier {tier}", shown) for tier in wanted}

    def metrics(self, benchmark_name: str, results: Iterable[TaskResult], complete: bool = True) -> SuiteMetrics:
        """Gather results of this harness; `complete` says whether they are those of the whole suite."""
        return SuiteMetrics(
            benchmark_name=benchmark_name,
            model_name=self.model.model_name,
            backend=self.backend.name,
            tiling=self.backend.tiling,
            seed=self._seed,
            task_results=tuple(results),
            complete=complete,
            adjustments=self._adjustments(),
        )

    def close(self) -> None:
        """Close the model and the backend."""
        try:
            self.model.close()
        finally:
            for backend in self.backends:
                backend.close()

    def _adjustments(self) -> tuple[Adjustment, ...]:
        if not isinstance(self.model, AdjustingModel):
            return ()
        with blaming(f"model '{self.model.model_name}'", "when it was asked for its adjustments"):
            return tuple(self.model.adjustments())

    def _wait(self, ask: Ask) -> None:
        """Wait before a request is repeated."""
        if ask.retry is not None and ask.known is None:
            self._backoff.wait(ask.retry.number - 1, ask.retry.retry_after)

    def _begin(self, spec: TaskSpecification, seed: int | None, swapped: TaskSpecification | None) -> Rollout:
        """An episode at its start, of which the model has been told."""
        looked_at = self.model.looks_at_pictures
        rollout = self._rollout(spec, seed, self._shown(swapped, looked_at), looked_at=looked_at)
        with blaming(f"model '{self.model.model_name}'", "before the first step"):
            self.model.begin_episode(rollout.episode)
            if isinstance(self.model, OracleInterface):
                self.model.look_into(self._kernel_for_oracles().world)
        if rollout.question is not None:
            self._check_picture(rollout.question)
        return rollout

    def _rollout(
        self,
        spec: TaskSpecification,
        seed: int | None = None,
        shown: Rollout | None = None,
        *,
        looked_at: bool = True,
    ) -> Rollout:
        seed = self._seed if seed is None else seed
        told = self._told or _Told.of_one(spec, self._presentation)
        return Rollout(
            self.backend,
            spec,
            seed,
            self._presentation,
            self._protocol.reply,
            resized,
            explainer=told.explainer,
            examples=self._examples(told),
            shown=shown,
            looked_at=looked_at,
        )

    def _examples(self, told: _Told) -> Explanation | None:
        return told.examples.shown_on(self.backend, self._presentation, resized)

    @contextmanager
    def _telling(self, specs: Collection[TaskSpecification]) -> Iterator[None]:
        """Tell the model of tasks as of a suite, unless it is settled already what it is told."""
        settled = self._told
        self._told = settled or _Told.of_suite(Briefing.of(specs, self._presentation))
        try:
            yield
        finally:
            self._told = settled

    def _shown(self, swapped: TaskSpecification | None, looked_at: bool) -> Rollout | None:
        """The episode whose observations are shown; None where a task is shown itself."""
        if self._swapped_backend is None or not self._presentation.swaps_observations:
            return None
        if swapped is None:
            raise ArgumentError("swapped observations are those of another task of a suite: name that task, too")
        asked = self._presentation
        return Rollout(self._swapped_backend, swapped, presentation=asked, resize=resized, looked_at=looked_at)

    def _header(self, spec: TaskSpecification) -> EpisodeHeader:
        """What is known of an episode before the backend has taken the task on."""
        seed = spec.seed if self._seed is None else self._seed
        return self._named(EpisodeHeader(spec.task_id, spec.difficulty_tier, seed, spec.max_steps))

    def _named(self, header: EpisodeHeader) -> EpisodeHeader:
        return attrs.evolve(header, model=self.model.model_name)

    def _choose_mission(self, mission: MissionMode) -> None:
        kernel = kernel_of(self.backend)
        if kernel is not None:
            kernel.mission = mission
        elif mission != DEFAULT_MISSION:
            raise ArgumentError(
                f"{backend_name(self.backend.name)} has only its own mission: it is not built on the kernel"
            )

    def _kernel_for_oracles(self) -> KernelBackend:
        kernel = kernel_of(self.backend)
        if kernel is None:
            raise ArgumentError(
                f"model '{self.model.model_name}' reads the compiled task, which only backends built on the kernel "
                f"have; {backend_name(self.backend.name)} is not"
            )
        return kernel

    def _check_reply(self) -> None:
        if not self.model.can_reply(self._presentation.form_of(self._protocol.reply)):
            raise ArgumentError(
                f"model '{self.model.model_name}' replies with a single action and nothing else: play it with the "
                "protocol 'step' and without notes, which all models can"
            )

    def _check_picture(self, question: Question) -> None:
        """Baselines and models of other kinds can do without a picture; those with a prompt cannot."""
        if not self._presentation.format.image or question.input.image is not None:
            return
        if isinstance(self.model, PromptedModel):
            raise ArgumentError(
                f"{backend_name(self.backend.name)} observes nothing (is its render_mode 'none'?), expected an RGB "
                "picture: play on another backend, or with the observation 'text'"
            )

    def _with_optimum(self, end: EpisodeEnd) -> EpisodeEnd:
        """The end with what a solver knows of the shortest plan, where the episode was played to it."""
        kernel = kernel_of(self.backend)
        if kernel is None or end.error is not None:
            return end
        try:
            found = self._solve(kernel)
            return attrs.evolve(end, optimal_steps=found.length, unsolvable=found.verdict is Verdict.UNSOLVABLE)
        except PluginFault as fault:
            return attrs.evolve(end, error=str(fault))

    def _solve(self, kernel: KernelBackend) -> Solution:
        with blaming(backend_name(kernel.name), "while the solver looked for a shortest plan"):
            return optimal_solution(kernel.world, self._max_states)

    def _plan(self) -> tuple[Action, ...]:
        kernel = kernel_of(self.backend)
        if kernel is None:
            raise ArgumentError(f"{backend_name(self.backend.name)} has no solver, so there is no plan to follow")
        self._solve(kernel)  # so that a plugin that fails in the search is named
        return winning_plan(kernel.world, self._max_states)


@attrs.frozen
class _Told:
    """What a model is told before it plays, and keeps being told."""

    explainer: Explainer
    examples: WorkedExamples

    @classmethod
    def of_suite(cls, briefing: Briefing) -> Self:
        return cls(Explainer(briefing.vocabulary), WorkedExamples(briefing.examples))

    @classmethod
    def of_one(cls, task: TaskSpecification, presentation: Presentation) -> Self:
        """Of a task that is played without a suite."""
        return cls(explainer_of_everything(get_registry()), WorkedExamples(examples_for([task], presentation)))


def _put(ask: Ask, cache: EpisodeCache | None) -> Generator[Moment, Answer | None, Request]:
    """Yield a request to be made, with its answer where the cache has it; keep what comes of it there."""
    known = None if cache is None else cache.find(ask.input)
    request = _counted((yield attrs.evolve(ask, known=known)))
    if cache is not None and known is None:
        cache.keep(ask.input, request)
    return request


def _counted(answer: Answer | None) -> Request:
    """The request that was made; raises what the model failed with instead."""
    if isinstance(answer, PluginFault):
        raise answer
    if answer is None:
        raise TypeError("after an Ask, send what came of the request")
    return answer


def _planned(plan: tuple[Action, ...], form: ReplyForm) -> Decision:
    """What a model decides that replies with as much of a plan as it may, and says nothing else."""
    actions = None if form.holds_one_action else plan[: form.max_actions]
    return Decision.act(plan[0], (Request(AnswerOutcome.OK, action=plan[0], actions=actions),))


def _default_swapped_backend(first: AbstractGridBackend | None) -> AbstractGridBackend:
    if first is not None:
        raise ArgumentError("swapped observations are drawn by a second backend like the first: give swapped_backend")
    return _default_backend()


def _default_backend() -> AbstractGridBackend:
    backend: AbstractGridBackend = load_object(get_registry().backends.get(DEFAULT_BACKEND).target)()
    return backend
