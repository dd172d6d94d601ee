"""`Worker`: plays jobs for a scheduler, in a thread, process or machine chosen by a pool.

A worker writes no record and makes no decisions about the run. It holds what cannot be sent elsewhere: the model, the
backends, and the episodes in progress. Jobs, calls and updates can be pickled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Self

import attrs

from gridworld.errors import PluginFault
from gridworld.model_interface import ModelInterface
from gridworld.plugins.registry import owner_of
from gridworld.runner.record import Request
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
from multinet_eval.play.model_caller import Answer, ModelCaller
from multinet_eval.play.recorder import FullRecorder, KeptArtifacts, Recorder
from multinet_eval.record.events import Event, ModelAdjusted, RequestMade
from multinet_eval.record.fingerprint import answering_fingerprint
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
    known: Request | None = None
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
            playing, events = _Playing(factories, QuestionState(job.parts, job.requests)), list[Event]()
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
        return FullRecorder(self.model, factory.backend, job.number, job.planned.task, self._kept)

    def _update(self, number: int, playing: _Playing, events: list[Event]) -> Update:
        """Make the update of a job with its next request, checking whether it is cached."""
        pending = playing.state.pending
        if playing.cache is not None and isinstance(pending, PendingRequest) and pending.retry is None:
            try:
                playing.known = playing.cache.find(pending.input)
            except PluginFault as fault:
                events += playing.state.apply(fault)
                pending = None
        if pending is None:
            del self._playing[number]
            self._free.append(playing.factories)
            return Update(events)
        return Update(events, NextRequest(pending.step, pending.retry, playing.known is not None))

    def _ask(self, numbers: Sequence[int]) -> list[Update]:
        """Make the requests that are not cached, and whose prompt can be rendered."""
        unknown, pending, updates = list[_Playing](), list[PendingRequest | PendingQuestion](), list[Update]()
        for number in numbers:
            playing = self._playing[number]
            playing.answer, asked = playing.known, playing.state.pending
            assert asked is not None
            if playing.recorder is not None and isinstance(asked, PendingRequest):
                try:
                    playing.recorder.show(asked.input)
                except PluginFault as fault:
                    playing.answer = fault
            if playing.answer is None:
                unknown.append(playing)
                pending.append(asked)
        for playing, answer in zip(unknown, self._caller.call(pending), strict=True):
            playing.answer = answer
        for number in numbers:
            updates.append(self._made(self._playing[number]))
        return updates

    def _made(self, playing: _Playing) -> Update:
        """Make the update for a request; empty if a plugin failed, which ends the episode next."""
        events: list[Event] = []
        if playing.factory is not None and playing.factory.adjusts and isinstance(playing.answer, Request):
            try:
                events += map(ModelAdjusted, playing.factory.new_adjustments())
            except PluginFault as fault:
                playing.answer = fault
        if isinstance(playing.answer, Request):
            assert playing.state.pending is not None
            step, recorder = playing.state.pending.step, playing.recorder
            made = RequestMade(playing.answer, step) if recorder is None else recorder.request(playing.answer, step)
            events.append(made)
        return Update(events)

    def _apply(self, numbers: Sequence[int]) -> list[Update]:
        updates = []
        for number in numbers:
            playing = self._playing[number]
            answer, known = playing.answer, playing.known
            assert answer is not None
            if playing.cache is not None and known is None and isinstance(answer, Request):
                answer = self._keep(playing, playing.cache, answer)
            playing.answer = playing.known = None
            updates.append(self._update(number, playing, playing.state.apply(answer)))
        return updates

    def _keep(self, playing: _Playing, cache: EpisodeCache, answer: Request) -> Answer:
        """Cache an answer; return the fault if a plugin fails in the process."""
        try:
            if isinstance(playing.state.pending, PendingRequest):
                cache.keep(playing.state.pending.input, answer)
        except PluginFault as fault:
            return fault
        return answer


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
