"""`Rollout`: one episode, driven step by step by its caller.

    rollout = Rollout(backend, task)
    while (question := rollout.question) is not None:
        step = rollout.take(decide(question))

It has no callbacks and writes nothing: the caller decides on actions and records the returned steps. Backends are
stepped only here, and their exceptions attributed to plugins only here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum
from functools import cached_property, partial
from operator import index
from typing import Any

import attrs

from gridworld.actions import ACTION_SPACE
from gridworld.backends.base import AbstractGridBackend, GridState
from gridworld.backends.kernel import KernelBackend
from gridworld.backends.pictures import PictureSettings
from gridworld.errors import (
    ArgumentError,
    EpisodeOver,
    InvalidAction,
    InvalidTaskError,
    Owner,
    PluginFault,
    Problem,
    describe_value,
)
from gridworld.explaining.explainer import Explainer
from gridworld.explaining.explanation import Explanation
from gridworld.model_interface.answers import AnswerOutcome
from gridworld.model_interface.base import ONE_ACTION, EpisodeInfo, ModelInput, ReplyForm
from gridworld.plugins.registry import owner_of
from gridworld.runner.history import History
from gridworld.runner.presentation import Presentation, check_installed, write_texts
from gridworld.runner.record import (
    Decision,
    DecisionKind,
    EndReason,
    EpisodeEnd,
    EpisodeHeader,
    Request,
    Step,
)
from gridworld.support.faults import calling, telling
from gridworld.support.png import is_rgb
from gridworld.support.wording import shorten
from gridworld.task_spec import TaskSpecification
from gridworld.text import describe_events
from gridworld.world.events import Event
from gridworld.world.knowledge import Snapshot
from gridworld.world.rules import RULES_VERSION


class Stop(Enum):
    """A policy's answer when it has no action; the episode is left unfinished."""

    STOP = "stop"


PolicyAnswer = int | Stop | tuple[int, dict[str, Any]]
"""An action, an action with a dictionary to store in the trajectory, or `Stop.STOP`."""

PolicyFunction = Callable[[Any, GridState, str], PolicyAnswer]
"""``policy_fn(observation, state, mission)``; `state` is restricted to what the agent has seen."""


def read_answer(answer: PolicyAnswer) -> tuple[Decision, dict[str, Any]]:
    """Split a policy's answer into a decision and a dictionary, empty by default."""
    action, policy_info = answer if isinstance(answer, tuple) else (answer, {})
    return Decision.stop() if isinstance(action, Stop) else Decision.act(action), policy_info


class UnplayableTasksError(InvalidTaskError):
    """A backend cannot play some tasks; each problem begins with the task's id, `source` is the backend."""

    headline = "cannot play all of these tasks"


def check_playable(backend: AbstractGridBackend, tasks: Iterable[TaskSpecification]) -> None:
    """Check that a backend can play tasks; leaves it configured with the last one.

    Only refusals count; other failures surface when the task's episode is played.

    Raises:
        UnplayableTasksError: some tasks are refused; the error lists every problem.
    """
    owner = owner_of("backend", backend, backend.name)
    problems = [problem for task in tasks for problem in _problems_of(backend, owner, task)]
    if problems:
        raise UnplayableTasksError(problems, str(owner))


def _problems_of(backend: AbstractGridBackend, owner: Owner, task: TaskSpecification) -> list[Problem]:
    try:
        with calling(owner, "configure"):
            backend.configure(task)
    except InvalidTaskError as error:
        return [Problem(task.task_id, str(each)) for each in error.problems or ("refused without a reason",)]
    except PluginFault:
        return []
    return []


Resize = Callable[[int, Any], Any]
"""Resizes a picture: ``(longest side in pixels, picture) -> picture``, both of shape (height, width, 3), uint8."""
Taken = tuple[Any, float, bool, bool, GridState, dict[str, Any]]
"""Result of `AbstractGridBackend.step`."""


@attrs.frozen(eq=False)
class Question:
    """A step that waits for a decision: the observation and the model input."""

    observation: Any
    """Observation of the backend."""
    input: ModelInput
    """Model input, with mission and history."""
    snapshot: Snapshot | None
    """Full state, for oracles; None on a backend that is not built on the kernel."""


class Rollout:
    """One episode of a task on a backend.

    Args:
        backend: the backend; it is configured and reset.
        task: the task.
        seed: the seed of the episode; by default the task's own.
        presentation: settings of model inputs; None for a policy that takes the backend's raw observation.
        reply: expected form of answers, without notes.
        resize: resizes pictures if the backend cannot draw the requested size; by default such a size is refused.
        explainer: writes explanations, if the presentation asks for them; used on kernel backends only.
        examples: worked examples (`WorkedExamples.shown_on`).
        shown: a new episode of another task whose observations replace this one's. It takes the same actions; after
            its end, its last observation stays.
        looked_at: whether pictures are used; if not, a kernel backend skips rendering.

    Raises:
        InvalidTaskError: the task is invalid.
        ArgumentError: the backend does not support the requested texts or pictures.
        UnknownNameError: no plugin provides a requested format.
        PluginFault: the backend, or a hook of a mechanism or goal type, raised another exception.
    """

    def __init__(
        self,
        backend: AbstractGridBackend,
        task: TaskSpecification,
        seed: int | None = None,
        presentation: Presentation | None = None,
        reply: ReplyForm = ONE_ACTION,
        resize: Resize | None = None,
        explainer: Explainer | None = None,
        examples: Explanation | None = None,
        shown: Rollout | None = None,
        looked_at: bool = True,
    ) -> None:
        self.backend = backend
        self.task = task
        self._kernel = kernel_of(backend)
        self._format = None if presentation is None else presentation.format
        self._resize: Callable[[Any], Any] | None = None
        self._history = History(presentation or Presentation())
        self._reply = reply if presentation is None else presentation.form_of(reply)
        self._presentation = presentation
        self._explainer = explainer
        self._examples = examples
        self._owner = owner_of("backend", backend, backend.name)
        self._shown = shown
        self._steps = 0
        self._reason: EndReason | None = None
        self._unanswered: tuple[Request, ...] | None = None
        """Requests that ended the episode without an answer."""
        self._question: Question | None = None
        if presentation is not None:
            check_observable(backend, presentation)
            self._resize = request_pictures(backend, presentation.pictures, resize)
        seed = task.seed if seed is None else seed
        begun = "before the first step"
        with calling(self._owner, "configure", begun):
            backend.configure(task)
            if self._kernel is not None and not looked_at:
                self._kernel.skip_rendering()
        with calling(self._owner, "reset", begun):
            self.observation, self.state, self.info = backend.reset(seed=seed)
            _check_state(self.state)
            reports_events = "events" in self.info
        with calling(self._owner, "get_mission_text", begun):
            mission = backend.get_mission_text()
        with calling(self._owner, "digest", begun):
            start = backend.digest()
        self.header = EpisodeHeader(
            task_id=task.task_id,
            difficulty_tier=task.difficulty_tier,
            seed=seed,
            max_steps=task.max_steps,
            mission=mission,
            backend=backend.name,
            tiling=backend.tiling,
            presentation=presentation,
            digest=start,
            reports_events=reports_events,
            rules=None if self._kernel is None else RULES_VERSION,
        )

    observation: Any
    """Current observation of the backend."""
    state: GridState
    """Current full state."""
    info: dict[str, Any]
    """`info` of the last reset or step."""

    @property
    def question(self) -> Question | None:
        """The step that waits for a decision; None after the end of the episode.

        Raises:
            ArgumentError: pictures are requested, but the backend observes something else.
            PluginFault: a text format failed.
        """
        if self._reason is not None:
            return None
        if self._question is None:
            self._question = self._ask()
        return self._question

    @property
    def episode(self) -> EpisodeInfo:
        """Facts about the episode that a model may know before its first step."""
        header = self.header
        return EpisodeInfo(header.task_id, header.seed, header.mission, header.max_steps)

    @property
    def over(self) -> bool:
        """Whether the episode has ended."""
        return self._reason is not None

    @property
    def _observed(self) -> Rollout:
        """The episode whose observations are shown."""
        return self if self._shown is None else self._shown

    def things_in_view(self) -> frozenset[str]:
        """Return the ids of the entities in view; empty on a backend that is not built on the kernel."""
        return frozenset() if self._kernel is None else self._kernel.episode.things_in_view()

    def known_state(self) -> GridState:
        """Return the current state restricted to what the agent has seen; raises `PluginFault` as `take` does."""
        with calling(self._owner, "get_known_state", f"before step {self._steps + 1}"):
            return self.backend.get_known_state()

    def take(self, decision: Decision) -> Step:
        """Execute a decision and return the step.

        Raises:
            EpisodeOver: the episode has ended.
            InvalidAction: the action is unknown; the state is unchanged.
            PluginFault: the backend, or a hook of a mechanism or goal type, raised another exception.
        """
        if self._reason is not None:
            raise EpisodeOver(f"the episode has ended: {self._reason}")
        image, number, told = self._observed._image(), self._steps + 1, ""
        asked = self.question if decision.requests and self._history.converses else None
        if decision.kind is DecisionKind.ACTION:
            action = _as_integer(decision.action)
            with calling(self._owner, "step", f"at step {number}"):
                step = self._read(decision.requests, action, self.backend.step(action))
            if self._shown is not None and not self._shown.over:
                self._shown.take(Decision.act(action))
            with calling(Owner("an event"), "sentence", f"at step {number}"):
                told = self._told(step.events)
        else:
            step = Step(number=number, kind=decision.kind, requests=decision.requests)
        self._question = None
        if step.kind is not DecisionKind.STOP:
            self._steps = step.number
        self._history.record(image, step, told, None if asked is None else asked.input)
        self._reason = self._reason_to_end(step)
        self._unanswered = step.requests if self._reason is EndReason.INFRASTRUCTURE else None
        return step

    def end(self) -> EpisodeEnd:
        """Return the end of the record, without the optimal length; an unfinished episode counts as stopped."""
        last = self._unanswered
        return EpisodeEnd(
            reason=self._reason or EndReason.STOPPED,
            error=None if last is None else _reason_for_none(last),
            permanent=last is not None and last[-1].permanent,
            final_state=self.state,
        )

    def _read(self, requests: tuple[Request, ...], action: int, taken: Taken) -> Step:
        """Build a step from the backend's result."""
        self.observation, reward, terminated, truncated, self.state, self.info = taken
        _check_state(self.state)
        events: tuple[Event, ...] = tuple(self.info.get("events", ()))
        if requests and events and not events[0].effective:
            requests = (*requests[:-1], attrs.evolve(requests[-1], outcome=AnswerOutcome.NO_EFFECT))
        return Step(
            number=self._steps + 1,
            kind=DecisionKind.ACTION,
            action=action,
            requests=requests,
            reward=float(reward),
            terminated=bool(terminated),
            truncated=bool(truncated),
            events=events,
            digest=self.backend.digest(),
        )

    def _told(self, events: tuple[Event, ...]) -> str:
        """Describe the perceptible effects of a step."""
        if self._kernel is None or not self._history.tells:
            return ""
        return describe_events(self._kernel.world, self._kernel.episode.witnessed(events))

    def _reason_to_end(self, step: Step) -> EndReason | None:
        if step.kind is DecisionKind.STOP:
            if step.last is None:
                return EndReason.STOPPED
            infrastructure = step.last.outcome is AnswerOutcome.INFRASTRUCTURE
            return EndReason.INFRASTRUCTURE if infrastructure else EndReason.ANSWER
        if step.kind is DecisionKind.ACTION and (step.terminated or step.truncated or self.state.goal_reached):
            if self.state.goal_reached:
                return EndReason.GOAL
            return EndReason.DEATH if step.terminated else EndReason.BUDGET  # both on the last step: death
        return EndReason.BUDGET if self._steps >= self.task.max_steps else None

    def _ask(self) -> Question:
        given = ModelInput(
            image=self._observed._image(),
            text_observation=self._observed._text(),
            text_prompt=self.header.mission,
            action_space=dict(ACTION_SPACE),
            step_number=self._steps,
            max_steps=self.task.max_steps,
            additional_context=self._history.text,
            prior_images=self._history.prior_images,
            reply=self._reply,
            feedback=self._history.feedback,
            note=self._history.note,
            turns=self._history.turns,
            explanation=self._explanation,
            episode=self.episode,
        )
        return Question(self.observation, given, None if self._kernel is None else self._kernel.snapshot())

    def _image(self) -> Any:
        """Return the picture for a model, or None if pictures are disabled or not drawn."""
        if self._format is None or not self._format.image or self.observation is None:
            return None
        if not is_rgb(self.observation):
            raise ArgumentError(
                f"{self._owner} observes a {type(self.observation).__name__}, expected an RGB picture: "
                "play on another backend, or with the observation 'text'"
            )
        return self.observation if self._resize is None else self._resize(self.observation)

    @cached_property
    def _explanation(self) -> Explanation | None:
        """The explanation for the model, identical at every step."""
        if self._presentation is None:
            return None
        made = self._explained(self._presentation)
        if self._examples is not None:
            made = self._examples if made is None else made.with_examples(self._examples)
        if made is None or self._presentation.context != "conversation":
            return made
        return attrs.evolve(made, apart=True)

    def _explained(self, presentation: Presentation) -> Explanation | None:
        if self._kernel is None or self._explainer is None:
            return None
        with telling("when things were explained"):
            return self._explainer.explain(self._kernel, presentation.explain, self._pictured(self._kernel))

    def _pictured(self, kernel: KernelBackend) -> bool:
        """Whether there are pictures, drawn or skipped, so that explanations do not depend on the model."""
        if kernel.unseen:
            return self._format is not None and self._format.image and kernel.pictured
        return self._image() is not None

    def _text(self) -> str | None:
        if self._kernel is None or self._format is None:
            return None
        return write_texts(self._format, self._kernel.episode, f"before step {self._steps + 1}")


def check_observable(backend: AbstractGridBackend, presentation: Presentation) -> None:
    """Check that a backend supports the requested observation.

    Raises:
        ArgumentError: a text is requested from a backend that is not built on the kernel.
        UnknownNameError: no plugin provides a requested format.
    """
    check_installed(presentation.format)
    if presentation.format.texts and kernel_of(backend) is None:
        raise ArgumentError(
            f"{owner_of('backend', backend, backend.name)} is not built on the kernel, so it has no text view: "
            f"expected the observation 'image' or 'none', got '{presentation.observation}'"
        )


def request_pictures(
    backend: AbstractGridBackend, settings: PictureSettings, resize: Resize | None
) -> Callable[[Any], Any] | None:
    """Set the pictures of a backend for its next `configure`.

    Args:
        backend: the backend.
        settings: the requested pictures.
        resize: resizes pictures if the backend cannot draw the requested size.

    Returns:
        A function to apply to each picture; None if the backend's pictures are right already.

    Raises:
        ArgumentError: the backend does not support these pictures.
    """
    size = settings.size
    if size is None or resize is None or backend.draws_any_size:
        backend.set_pictures(settings)
        return None
    backend.set_pictures(attrs.evolve(settings, size=None))
    return partial(resize, size)


def kernel_of(backend: AbstractGridBackend) -> KernelBackend | None:
    """Return the backend if it is built on the kernel, otherwise None."""
    return backend if isinstance(backend, KernelBackend) else None


def _check_state(state: object) -> None:
    if not isinstance(state, GridState):
        raise PluginFault(f"returned the state {shorten(describe_value(state))}, expected a GridState")


def _as_integer(action: Any) -> int:
    try:
        return index(action)
    except TypeError:
        raise InvalidAction(f"action {action!r} is not in the action space {ACTION_SPACE}") from None


LONGEST_REASON = 400
"""Maximum number of characters of a fault's message in the reason why an episode ended, advice included."""


def _reason_for_none(requests: tuple[Request, ...]) -> str:
    """Describe why a non-empty list of requests led to no action."""
    times, last = len(requests), requests[-1]
    asked = f" (asked {times} times)" if times > 1 else ""
    hopeless = " (asking again cannot help)" if last.permanent else ""
    return f"{last.outcome}: {shorten(last.message, LONGEST_REASON)}{asked}{hopeless}"
