"""`EpisodeFactory`: opens episodes of one model on one backend, and previews their prompts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Self

import attrs

from gridworld.actions import Action
from gridworld.backends.base import AbstractGridBackend
from gridworld.backends.kernel import DEFAULT_MISSION, KernelBackend, MissionMode
from gridworld.errors import ArgumentError, Owner, PluginFault
from gridworld.explaining.explainer import Explainer, explainer_of_everything
from gridworld.explaining.explanation import Explanation
from gridworld.model_interface import (
    AnswerOutcome,
    EpisodeInfo,
    ModelInput,
    ModelInterface,
    OracleInterface,
    ReplyForm,
)
from gridworld.model_interface.chat_model import ChatModel
from gridworld.plugins import get_registry
from gridworld.plugins.registry import owner_of
from gridworld.runner.presentation import Presentation
from gridworld.runner.record import Decision, EndReason, EpisodeEnd, EpisodeHeader, Request
from gridworld.runner.rollout import Question, Rollout, check_observable, check_playable, kernel_of, request_pictures
from gridworld.runner.worked_examples import WorkedExamples
from gridworld.solver import DEFAULT_MAX_STATES
from gridworld.support.checks import check_instance, check_int
from gridworld.support.faults import calling
from gridworld.task_spec import TaskSpecification
from multinet_eval.play.answer_cache import AnswerCache, EpisodeCache
from multinet_eval.play.episode import EpisodeJob, EpisodeState
from multinet_eval.play.optimum import Optima
from multinet_eval.play.recorder import Recorder
from multinet_eval.record.events import EpisodeBegun, EpisodeEnded, Event
from multinet_eval.settings.asking import AnswerPolicies, Protocol, StepByStep, check_protocol
from multinet_eval.settings.plugin_objects import class_name, stated_name
from multinet_eval.settings.run_settings import Briefing, examples_for

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@attrs.frozen(eq=False)
class OpenedEpisode:
    """An episode played up to its first request."""

    state: EpisodeState | None
    """State of the episode; None if it could not begin."""
    events: list[Event]
    cache: EpisodeCache | None = None


class EpisodeFactory:
    """Opens episodes of one model on one backend, one at a time.

    Args:
        model: the model.
        backend: the backend.
        seed: the seed of every episode; by default each task's own.
        mission: the goal's sentence, the task's own description, or both; by default the setting of the backend.
        presentation: what the model is given at each step; by default a picture.
        protocol: number of actions per reply, and how many of them are played; by default one.
        briefing: information about the suite, as far as `presentation` requests it; by default about the tasks of
            `with_briefing`, or about all installed types for a task that is played alone.
        swapped_backend: a second backend like the first, for the task whose observations are shown instead if
            `presentation` swaps them.
        max_states: limit of the solver that finds shortest plans.
        policies: policies for unusable answers.
        cache: cache of answers; by default none.

    Raises:
        TypeError: `model`, `backend`, `presentation`, `protocol` or `policies` has the wrong type.
        ArgumentError: the backend is not built on the kernel, as required by oracles, text observations and missions
            other than the goal's sentence; the model cannot reply as the protocol requires; or `swapped_backend` is
            missing.
        ValueError: an unknown mission, or a seed that is not a whole number.
        PluginFault: the model does not state its name or possible replies, or the protocol its reply.
    """

    def __init__(
        self,
        model: ModelInterface,
        backend: AbstractGridBackend,
        *,
        seed: int | None = None,
        mission: MissionMode | None = None,
        presentation: Presentation | None = None,
        protocol: Protocol | None = None,
        briefing: Briefing | None = None,
        swapped_backend: AbstractGridBackend | None = None,
        max_states: int = DEFAULT_MAX_STATES,
        policies: AnswerPolicies | None = None,
        cache: AnswerCache | None = None,
    ) -> None:
        _refuse_names(model, backend, presentation, protocol, policies)
        stated_name(model, owner_of("model", model, class_name(model)))
        self.model = model
        self.backend = backend
        self.presentation = presentation or Presentation()
        self.seed = None if seed is None else check_int("seed", seed, None)
        """Seed of every episode; None for each task's own."""
        self._protocol = protocol or StepByStep()
        self._briefing = None if briefing is None else _ReadyBriefing.of_suite(briefing)
        self._swapped_backend = swapped_backend
        if self.presentation.swaps_observations and swapped_backend is None:
            raise ArgumentError(
                "swapped observations are drawn by a second backend like the first: give swapped_backend"
            )
        self._optima = Optima(max_states)
        self._policies = policies or AnswerPolicies()
        self._cache = cache
        self._mission = mission
        check_protocol(self._protocol, owner_of("protocol", self._protocol, class_name(self._protocol)))
        self._check_fit()
        request_pictures(backend, self.presentation.pictures, resized)
        self._choose_mission()

    @property
    def _owner(self) -> Owner:
        return owner_of("model", self.model, self.model.model_name)

    @property
    def _ground(self) -> Owner:
        return owner_of("backend", self.backend, self.backend.name)

    @property
    def backends(self) -> tuple[AbstractGridBackend, ...]:
        """All backends, with the swapped one last."""
        return (self.backend,) if self._swapped_backend is None else (self.backend, self._swapped_backend)

    def check_tasks(self, specs: Iterable[TaskSpecification]) -> None:
        """Check that the backend can play tasks, and the worked examples of the briefing.

        Raises:
            UnplayableTasksError: the backend refuses some of the tasks; the message lists all of them.
            ArgumentError: an example cannot be solved on the backend.
        """
        check_playable(self.backend, specs)
        if self._briefing is not None:
            self._examples(self._briefing)

    def open(self, job: EpisodeJob, make_recorder: Callable[[], Recorder]) -> OpenedEpisode:
        """Begin an episode, or continue a recorded one; the previous one must be over.

        The recorded steps are repeated without querying the model. If the model cannot continue, the episode starts
        over with a second header.

        Args:
            job: the episode.
            make_recorder: makes the recorder of its events; called once or, if the episode starts over, twice.

        Raises:
            InvalidTaskError: the task is invalid.
            ArgumentError: the model and the backend are incompatible.
            DivergedError: the recorded episode plays differently.
        """
        epoch, record = job.planned.epoch, job.record
        try:
            rollout = self._begin(job)
            state = self._state(rollout, make_recorder())
            if record is not None:
                state.replay(record)
                with calling(self._owner, "resume_episode"):
                    can_continue = self.model.resume_episode(rollout.episode, record.asked)
                if can_continue:
                    return OpenedEpisode(state, state.resume(record), self._cache_of(rollout.episode, epoch))
                rollout = self._begin(job)
                state = self._state(rollout, make_recorder())
            events = state.start(attrs.evolve(rollout.header, model=self.model.model_name, epoch=epoch))
        except PluginFault as fault:
            task = job.task
            header = EpisodeHeader(task.task_id, task.difficulty_tier, job.planned.seed, task.max_steps)
            named = attrs.evolve(header, model=self.model.model_name, epoch=epoch)
            end = EpisodeEnd(EndReason.PLUGIN, error=str(fault))
            return OpenedEpisode(None, [EpisodeBegun(named, job.number), EpisodeEnded(end)])
        return OpenedEpisode(state, events, self._cache_of(rollout.episode, epoch))

    def _state(self, rollout: Rollout, recorder: Recorder) -> EpisodeState:
        finish = partial(self._optima.into, backend=self.backend)
        return EpisodeState(rollout, self._protocol, self._policies, recorder, finish)

    def _cache_of(self, episode: EpisodeInfo, epoch: int) -> EpisodeCache | None:
        return None if self._cache is None else self._cache.of_episode(self.model, episode, epoch)

    def input_at(self, spec: TaskSpecification, step: int = 0, swapped: TaskSpecification | None = None) -> ModelInput:
        """Make the model's input at a step of a shortest plan, without querying the model.

        Args:
            spec: the task.
            step: number of actions of the plan taken before, at least 0.
            swapped: the task whose observations are shown instead, if observations are swapped.

        Raises:
            InvalidTaskError: the task is invalid.
            NoPlanError: no plan has been found.
            ArgumentError: the episode is over by then, or the model and the backend are incompatible.
            PluginFault: a plugin failed.
        """
        rollout = self._rollout(spec, shown=self._shown(swapped, looked_at=True))
        plan = self._optima.plan_on(self.backend) if step else ()
        state = EpisodeState(rollout, self._protocol, self._policies, Recorder(self.backend, 0))
        for taken in range(min(step, len(plan))):
            state.take(state.next_planned() or _planned(plan[taken:], self._protocol.reply))
        question = rollout.question
        if question is None or step > len(plan):
            raise ArgumentError(
                f"step {step}: the shortest plan of '{spec.task_id}' ends the episode after {len(plan)} steps"
            )
        self._check_picture(question)
        return question.input

    def questions_along(self, spec: TaskSpecification, actions: Iterable[int]) -> Iterator[Question]:
        """Yield the questions before each of some actions and after the last, without querying the model.

        The questions end with the episode. Raises as `input_at` does.

        Args:
            spec: the task.
            actions: the actions.
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
        """Return the length of a shortest plan; None without a solver, or if there is no plan within the budget.

        Raises:
            InvalidTaskError: the task is invalid.
            PluginFault: a plugin failed.
        """
        self._rollout(spec)
        kernel = kernel_of(self.backend)
        length = None if kernel is None else self._optima.of(kernel)[0]
        return length if length is not None and length <= spec.max_steps else None

    @contextmanager
    def with_briefing(self, specs: Collection[TaskSpecification]) -> Iterator[None]:
        """Set a briefing about these tasks, unless one is already set."""
        settled = self._briefing
        self._briefing = settled or _ReadyBriefing.of_suite(Briefing.of(specs, self.presentation))
        try:
            yield
        finally:
            self._briefing = settled

    def _begin(self, job: EpisodeJob) -> Rollout:
        """Begin an episode and announce it to the model."""
        with calling(self._owner, "looks_at_pictures"):
            looked_at = self.model.looks_at_pictures
        shown = self._shown(job.swapped, looked_at)
        rollout = self._rollout(job.task, job.planned.seed, shown, looked_at=looked_at)
        with calling(self._owner, "begin_episode", "before the first step"):
            self.model.begin_episode(rollout.episode)
        if isinstance(self.model, OracleInterface):
            with calling(self._owner, "look_into", "before the first step"):
                self.model.look_into(self._kernel_for_oracle().world)
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
        self._choose_mission()
        seed = self.seed if seed is None else seed
        briefing = self._briefing or _ReadyBriefing.of_one(spec, self.presentation)
        return Rollout(
            self.backend,
            spec,
            seed,
            self.presentation,
            self._protocol.reply,
            resized,
            explainer=briefing.explainer,
            examples=self._examples(briefing),
            shown=shown,
            looked_at=looked_at,
        )

    def _choose_mission(self) -> None:
        """Set the mission; repeated for each episode, since others may use the backend too."""
        if self._mission is None:
            return
        kernel = kernel_of(self.backend)
        if kernel is not None:
            kernel.mission = self._mission
        elif self._mission != DEFAULT_MISSION:
            raise ArgumentError(f"{self._ground} has only its own mission: it is not built on the kernel")

    def _check_fit(self) -> None:
        """Check that the model can reply as the protocol requires, and that the backend can make its observations."""
        with calling(self._owner, "can_reply"):
            can_reply = self.model.can_reply(self.presentation.form_of(self._protocol.reply))
        if not can_reply:
            raise ArgumentError(
                f"{self._owner.name} replies with a single action and nothing else: play it with the protocol "
                "'step' and without notes, which all models can"
            )
        check_observable(self.backend, self.presentation)
        if isinstance(self.model, OracleInterface):
            self._kernel_for_oracle()

    def _kernel_for_oracle(self) -> KernelBackend:
        kernel = kernel_of(self.backend)
        if kernel is None:
            raise ArgumentError(
                f"{self._owner.name} reads the compiled task, which only backends built on the kernel have; "
                f"{self._ground} is not"
            )
        return kernel

    def _examples(self, briefing: _ReadyBriefing) -> Explanation | None:
        return briefing.examples.shown_on(self.backend, self.presentation, resized)

    def _shown(self, swapped: TaskSpecification | None, looked_at: bool) -> Rollout | None:
        """Begin the episode whose observations are shown instead; None if observations are not swapped."""
        if self._swapped_backend is None or not self.presentation.swaps_observations:
            return None
        if swapped is None:
            raise ArgumentError("swapped observations come from another task of a suite: name that task, too")
        asked = self.presentation
        return Rollout(self._swapped_backend, swapped, presentation=asked, resize=resized, looked_at=looked_at)

    def _check_picture(self, question: Question) -> None:
        """Check that a question has a picture if the model has a prompt; baselines do not need pictures."""
        is_missing = self.presentation.format.image and question.input.image is None
        if is_missing and isinstance(self.model, ChatModel):
            raise ArgumentError(
                f"{self._ground} observes nothing (is its render_mode 'none'?), expected an RGB "
                "picture: play on another backend, or with the observation 'text'"
            )


@attrs.frozen
class _ReadyBriefing:
    """A briefing with its explainer and examples loaded."""

    explainer: Explainer
    examples: WorkedExamples

    @classmethod
    def of_suite(cls, briefing: Briefing) -> Self:
        return cls(Explainer(briefing.vocabulary), WorkedExamples(briefing.examples))

    @classmethod
    def of_one(cls, task: TaskSpecification, presentation: Presentation) -> Self:
        """Return the briefing of a single task, played outside a suite."""
        return cls(explainer_of_everything(get_registry()), WorkedExamples(examples_for([task], presentation)))


def _refuse_names(model: object, backend: object, presentation: object, protocol: object, policies: object) -> None:
    """Reject names given in place of objects, with advice."""
    makers = "multinet_eval.settings.plugin_objects"
    check_instance("model", model, ModelInterface, f"make_model of {makers} makes one")
    check_instance("backend", backend, AbstractGridBackend, f"make_backend of {makers} makes one")
    if protocol is not None:
        check_instance("protocol", protocol, Protocol, f"make_protocol of {makers} makes one")
    if presentation is not None:
        check_instance("presentation", presentation, Presentation, "gridworld.runner has it")
    if policies is not None:
        check_instance("policies", policies, AnswerPolicies, "multinet_eval has them")


def _planned(plan: tuple[Action, ...], form: ReplyForm) -> Decision:
    """Build a decision with as much of a plan as the reply form allows."""
    actions = None if form.holds_one_action else plan[: form.max_actions]
    return Decision.act(plan[0], (Request(AnswerOutcome.OK, action=plan[0], actions=actions),))


def resized(longest: int, picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Scale a picture by Lanczos resampling, for backends that cannot draw it in the requested size.

    Args:
        longest: pixels of the longest side of the result, at least 1.
        picture: shape (height, width, 3); its proportions are kept up to rounding.
    """
    import numpy as np
    from PIL import Image

    height, width, _ = picture.shape
    scale = longest / max(height, width)
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    return np.asarray(Image.fromarray(picture).resize(size, Image.Resampling.LANCZOS))
