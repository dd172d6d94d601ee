"""`Worker`: plays jobs for a scheduler, in a thread, process or machine chosen by a pool.

A worker writes no record and makes no decisions about the run. It holds what cannot be sent elsewhere: the model, the
backends, and the episodes in progress. Jobs, calls and updates can be pickled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Self

import attrs

from gridworld.errors import PluginFault
from gridworld.model_interface import ModelInput, ModelInterface, Prompt
from gridworld.plugins.registry import owner_of
from gridworld.support.faults import calling
from multinet_eval.play.answer_cache import AnswerCache, EpisodeCache
from multinet_eval.play.episode import (
    EpisodeJob,
    EpisodeState,
    PendingQuestion,
    PendingRequest,
    QuestionJob,
    QuestionState,
    Retry,
)
from multinet_eval.play.episode_factory import EpisodeFactory
from multinet_eval.play.model_caller import Answer, Asked, Made, ModelCaller
from multinet_eval.play.recorder import FullRecorder, KeptArtifacts, Recorder
from multinet_eval.record.events import Event, ModelAdjusted, RequestMade
from multinet_eval.record.fingerprint import answering_fingerprint
from multinet_eval.record.sent_requests import SentWriter
from multinet_eval.settings.plugin_objects import make_backend, make_player, make_protocol
from multinet_eval.settings.run_settings import RunSettings

Job = EpisodeJob | QuestionJob


class Open(NamedTuple):
    """Call: start or resume jobs."""

    jobs: tuple[Job, ...]


class Ask(NamedTuple):
    """Call: make the pending requests of some jobs, in one batch if the model supports it."""

    numbers: tuple[int, ...]


class Apply(NamedTuple):
    """Call: continue jobs with the answers to their last requests."""

    numbers: tuple[int, ...]


Call = Open | Ask | Apply
"""An order to a worker, which returns an `Update` for each job, in order."""


class NextRequest(NamedTuple):
    """The next request of a job, as far as the scheduler needs to know it."""

    step: int
    """Number of the step to decide, from 1."""
    retry: Retry | None = None
    is_cached: bool = False
    """Whether the answer is in the cache, so that the model is not queried."""


class Update(NamedTuple):
    """Events of a job during a call."""

    events: list[Event]
    request: NextRequest | None = None
    """Next request of the job; None if the job has ended, and after an `Ask`."""


Factories = dict[str | None, EpisodeFactory]
"""Episode factory for each tiling; their backends play one episode at a time."""


@attrs.define(eq=False)
class _Playing:
    """A job in progress."""

    factories: Factories
    state: EpisodeState | QuestionState
    recorder: Recorder | None = None
    """Recorder of the episode; None for an open question."""
    factory: EpisodeFactory | None = None
    cache: EpisodeCache | None = None
    rendered: tuple[ModelInput, Prompt | None] | None = None
    """The input whose prompt was rendered last, and the prompt; it is not rendered again after a server's fault."""
    known: Made | None = None
    """Cached answer to the pending request."""
    answer: Answer | None = None
    """Answer to the pending request, once made."""


class Worker:
    """Plays jobs with one model, several at once if it is a `BatchModel`, each on its own backends.

    Args:
        model: the model.
        make_factory: makes the factory for a tiling; called again for each job that is played at the same time.
        owns_model: whether the model is closed with the worker.
    """

    def __init__(
        self, model: ModelInterface, make_factory: Callable[[str | None], EpisodeFactory], owns_model: bool = False
    ) -> None:
        self.model = model
        self._make_factory = make_factory
        self._owns_model = owns_model
        self._caller = ModelCaller(model)
        self._all: list[Factories] = [{}]
        self._free = list(self._all)
        self._playing: dict[int, _Playing] = {}
        self._kept = KeptArtifacts()

    @classmethod
    def of_settings(cls, settings: RunSettings, model: ModelInterface | None = None) -> Self:
        """Make a worker of a run.

        Args:
            settings: the settings of the run.
            model: the model, for workers that share one; by default the worker makes its own.

        Raises:
            GridworldError: the model cannot be made.
        """
        played = make_player(settings) if model is None else model
        return cls(played, lambda tiling: make_factory(settings, played, tiling), owns_model=model is None)

    def factory(self, tiling: str | None, factories: Factories | None = None) -> EpisodeFactory:
        """Return the factory for a tiling, made on first use; by default the first job's."""
        found = self._all[0] if factories is None else factories
        if tiling not in found:
            found[tiling] = self._make_factory(tiling)
        return found[tiling]

    def do(self, call: Call) -> list[Update]:
        """Execute a call.

        Returns:
            An update for each of its jobs, in order.

        Raises:
            ArgumentError, InvalidTaskError: model, backend and task are incompatible.
            DivergedError: a recorded episode plays differently.
            CacheError: an answer cannot be cached.
            PluginFault: the model failed on an open question.
        """
        if isinstance(call, Ask):
            return self._ask(call.numbers)
        if isinstance(call, Apply):
            return self._apply(call.numbers)
        return [self._open(job) for job in call.jobs]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *raised: object) -> None:
        """Close the worker; raises the `PluginFault` of closing unless another exception is active."""
        fault = self.close()
        if fault is not None and kind is None:
            raise fault

    def kill(self) -> None:
        """Do nothing: a thread cannot be terminated."""

    def close(self) -> PluginFault | None:
        """Close all backends, and the model if the worker owns it; return the last failure, if any."""
        backends = [each for found in self._all for factory in found.values() for each in factory.backends]
        closing = [(owner_of("backend", each, each.name), each.close) for each in backends]
        if self._owns_model:
            closing.append((owner_of("model", self.model, self.model.model_name), self.model.close))
        fault = None
        for owner, close in closing:
            try:
                with calling(owner, "close"):
                    close()
            except PluginFault as error:
                fault = error
        return fault

    def _open(self, job: Job) -> Update:
        if not self._free:
            self._free.append({})
            self._all.append(self._free[-1])
        factories = self._free[-1]
        if isinstance(job, QuestionJob):
            playing, events = _Playing(factories, QuestionState(job.prompt, job.requests)), list[Event]()
        else:
            factory = self.factory(job.planned.tiling, factories)
            opened = factory.open(job, lambda: self._recorder(factory, job))
            events = opened.events
            if opened.state is None:
                return Update(events)
            playing = _Playing(factories, opened.state, opened.state.recorder, factory, opened.cache)
        self._free.pop()
        self._playing[job.number] = playing
        return self._update(job.number, playing, events)

    def _recorder(self, factory: EpisodeFactory, job: EpisodeJob) -> Recorder:
        if not job.is_recorded:
            return Recorder(factory.backend, job.number)
        return FullRecorder(factory.backend, job.number, job.planned.task, self._kept)

    def _update(self, number: int, playing: _Playing, events: list[Event]) -> Update:
        """Make the update of a job with its next request, checking whether it is cached."""
        pending = playing.state.pending
        if playing.cache is not None and isinstance(pending, PendingRequest) and pending.retry is None:
            try:
                prompt = self._rendered(playing, pending.input)
                playing.known = None if prompt is None else playing.cache.find(pending.input, prompt)
            except PluginFault as fault:
                events += playing.state.apply(fault)
                pending = None
        if pending is None:
            del self._playing[number]
            self._free.append(playing.factories)
            return Update(events)
        return Update(events, NextRequest(pending.step, pending.retry, playing.known is not None))

    def _rendered(self, playing: _Playing, given: ModelInput) -> Prompt | None:
        """Render the prompt of an input once; raises PluginFault."""
        if playing.rendered is None or playing.rendered[0] is not given:
            playing.rendered = given, self._caller.render(given)
        return playing.rendered[1]

    def _ask(self, numbers: Sequence[int]) -> list[Update]:
        """Make the requests that are not cached, and whose prompt can be rendered."""
        unknown, asked = list[_Playing](), list[Asked]()
        for number in numbers:
            playing = self._playing[number]
            playing.answer = playing.known
            if playing.answer is None:
                try:
                    asked.append(self._asked(playing))
                    unknown.append(playing)
                except PluginFault as fault:
                    playing.answer = fault
        for playing, answer in zip(unknown, self._caller.call(asked), strict=True):
            playing.answer = answer
        return [self._made(self._playing[number]) for number in numbers]

    def _asked(self, playing: _Playing) -> Asked:
        """Return what to ask next; raises PluginFault if its prompt cannot be rendered."""
        pending = playing.state.pending
        assert pending is not None
        if isinstance(pending, PendingQuestion):
            return Asked(None, self._caller.adapt(pending.prompt))
        return Asked(pending.input, self._rendered(playing, pending.input), pending.state)

    def _made(self, playing: _Playing) -> Update:
        """Make the update for a request; empty if a plugin failed, which ends the episode next."""
        made, pending = playing.answer, playing.state.pending
        if not isinstance(made, Made):
            return Update([])
        assert pending is not None
        events: list[Event] = list(map(ModelAdjusted, made.adjustments))
        if playing.recorder is None or isinstance(pending, PendingQuestion):
            sent = ",".join(map(SentWriter().write, made.sent)) if isinstance(pending, PendingQuestion) else ""
            events.append(RequestMade(made.request, pending.step, f"[{sent}]"))
        else:
            events.append(playing.recorder.request(made, pending.input))
        return Update(events)

    def _apply(self, numbers: Sequence[int]) -> list[Update]:
        updates = []
        for number in numbers:
            playing = self._playing[number]
            answer, pending = playing.answer, playing.state.pending
            assert answer is not None
            if playing.cache is not None and playing.known is None and isinstance(answer, Made):
                answer = self._keep(pending, playing.cache, answer)
            playing.answer = playing.known = None
            taken = answer.request if isinstance(answer, Made) else answer
            updates.append(self._update(number, playing, playing.state.apply(taken)))
        return updates

    def _keep(self, pending: PendingRequest | PendingQuestion | None, cache: EpisodeCache, made: Made) -> Answer:
        """Cache an answer; return the fault if a plugin fails in the process."""
        try:
            if isinstance(pending, PendingRequest):
                cache.keep(pending.input, made)
        except PluginFault as fault:
            return fault
        return made


def make_factory(settings: RunSettings, model: ModelInterface, tiling: str | None) -> EpisodeFactory:
    """Make the factory of a run's episodes on a tiling, with its own backends.

    Raises:
        GridworldError: a backend or the protocol cannot be made, or the two are incompatible.
    """
    arguments = list(settings.backend_arguments)
    swaps = settings.presentation.swaps_observations
    return EpisodeFactory(
        model,
        make_backend(settings.backend, arguments, tiling),
        swapped_backend=make_backend(settings.backend, arguments, tiling) if swaps else None,
        seed=settings.seed,
        mission=settings.mission,
        presentation=settings.presentation,
        briefing=settings.briefing,
        protocol=make_protocol(settings.protocol),
        max_states=settings.max_states,
        policies=settings.policies,
        cache=None if settings.cache is None else AnswerCache(settings.cache, answering_fingerprint(settings)),
    )
