"""`Worker`: plays jobs for a scheduler, in the thread, process or machine where a pool has put it.

A worker writes nothing and decides nothing about the run. It holds what cannot travel: the model, the backends, and the
episodes that are under way. Jobs, calls and what they return can be pickled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Self

import attrs

from gridworld.errors import PluginFault
from gridworld.model_interface import BatchModel, ModelInterface
from gridworld.plugins.faults import backend_name, blaming
from gridworld.runner.record import Request
from multinet_eval.play.answer_cache import AnswerCache, EpisodeCache
from multinet_eval.play.episode import EpisodeJob, EpisodeState, PendingRequest, Retry
from multinet_eval.play.episode_factory import EpisodeFactory
from multinet_eval.play.model_caller import Answer, ModelCaller
from multinet_eval.play.question import PendingQuestion, QuestionJob, QuestionState
from multinet_eval.play.recorder import FullRecorder, KeptArtifacts, Recorder
from multinet_eval.record.events import Event, ModelAdjusted
from multinet_eval.record.fingerprint import answering_fingerprint
from multinet_eval.settings.plugin_objects import make_backend, make_player, make_protocol
from multinet_eval.settings.run_settings import RunSettings

Job = EpisodeJob | QuestionJob


class Open(NamedTuple):
    """Begin or continue jobs."""

    jobs: tuple[Job, ...]


class Ask(NamedTuple):
    """Make the pending requests of some jobs, together where the model takes several at once."""

    numbers: tuple[int, ...]


class Apply(NamedTuple):
    """Play on with the answers to the requests that were made last."""

    numbers: tuple[int, ...]


Call = Open | Ask | Apply
"""Work for a worker, which returns an `Update` for each job, in their order."""


class Waiting(NamedTuple):
    """A job waits for its next request to be made."""

    step: int
    """Number of the step that is asked for, from 1."""
    retry: Retry | None = None
    is_cached: bool = False
    """Whether the answer is in the cache, so that nobody is asked."""


class Update(NamedTuple):
    """Events of a job during a call."""

    events: list[Event]
    waiting: Waiting | None = None
    """The next request; None once the job is over, and after an `Ask`."""


class Host:
    """A model with a backend for each tiling, on which one episode at a time is played.

    Args:
        model: the model.
        make_factory: makes what opens episodes on a tiling.
    """

    def __init__(self, model: ModelInterface, make_factory: Callable[[str | None], EpisodeFactory]) -> None:
        self.model = model
        self.caller = ModelCaller(model)
        self._make_factory = make_factory
        self.factories: dict[str | None, EpisodeFactory] = {}

    def factory(self, tiling: str | None) -> EpisodeFactory:
        """The factory for a tiling, made when it is first asked for."""
        if tiling not in self.factories:
            self.factories[tiling] = self._make_factory(tiling)
        return self.factories[tiling]


@attrs.define(eq=False)
class _Playing:
    """A job that is under way."""

    host: Host
    state: EpisodeState | QuestionState
    factory: EpisodeFactory | None = None
    cache: EpisodeCache | None = None
    known: Request | None = None
    """The answer to the pending request, if the cache has it."""
    answer: Answer | None = None
    """The answer to the pending request, once it was made."""


class Worker:
    """Plays jobs, of a `BatchModel` several at once, each on backends of its own.

    Args:
        first: the first host.
        make_host: makes each further one, with the same model; None for a worker that plays one job at a time.
        owns_model: whether the model is closed with the worker.
    """

    def __init__(self, first: Host, make_host: Callable[[], Host] | None = None, owns_model: bool = False) -> None:
        self._hosts = [first]
        self._free = [first]
        self._make_host = make_host
        self._playing: dict[int, _Playing] = {}
        self._kept = KeptArtifacts()
        self._owns_model = owns_model
        self.model = first.model

    @classmethod
    def of_settings(cls, settings: RunSettings, model: ModelInterface | None = None) -> Self:
        """A worker of a run.

        Args:
            settings: what is asked of the run.
            model: the model, for workers that share one; by default the worker makes its own.

        Raises:
            GridworldError: the model cannot be made.
        """
        played = make_player(settings) if model is None else model

        def make_host() -> Host:
            return Host(played, lambda tiling: make_factory(settings, played, tiling))

        return cls(make_host(), make_host, owns_model=model is None)

    def factory(self, tiling: str | None) -> EpisodeFactory:
        """The factory of the first host for a tiling."""
        return self._hosts[0].factory(tiling)

    def do(self, call: Call) -> list[Update]:
        """Do what a call asks for.

        Returns:
            What happened in each of its jobs, in their order.

        Raises:
            ArgumentError, InvalidTaskError: model, backend and task do not fit together.
            DivergedError: a recorded episode, played again, is another one.
            CacheError: an answer cannot be kept.
            PluginFault: the model failed at an open question.
        """
        if isinstance(call, Ask):
            return self._ask(call.numbers)
        if isinstance(call, Apply):
            return self._apply(call.numbers)
        return [self._open(job) for job in call.jobs]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *raised: object) -> None:
        """Close it; raises the `PluginFault` of that, unless something else was raised before."""
        fault = self.close()
        if fault is not None and kind is None:
            raise fault

    def kill(self) -> None:
        """Do nothing: a thread cannot be ended."""

    def close(self) -> PluginFault | None:
        """Close the backends, and the models that it has made; one that fails keeps no other from it.

        Returns:
            The last failure, if any.
        """
        backends = [each for host in self._hosts for factory in host.factories.values() for each in factory.backends]
        closing = [(backend_name(each.name), each.close) for each in backends]
        if self._owns_model:
            closing.append((f"model '{self.model.model_name}'", self.model.close))
        fault = None
        for owner, close in closing:
            try:
                with blaming(owner, "when it was closed"):
                    close()
            except PluginFault as error:
                fault = error
        return fault

    def _open(self, job: Job) -> Update:
        if not self._free:
            assert self._make_host is not None
            self._free.append(self._make_host())
            self._hosts.append(self._free[-1])
        host = self._free[-1]
        if isinstance(job, QuestionJob):
            playing, events = _Playing(host, QuestionState(job.parts, job.requests)), list[Event]()
        else:
            factory = host.factory(job.planned.tiling)
            opened = factory.open(job, lambda: self._recorder(host, factory, job))
            events = opened.events
            if opened.state is None:
                return Update(events)
            playing = _Playing(host, opened.state, factory, opened.cache)
        self._free.pop()
        self._playing[job.number] = playing
        return self._update(job.number, playing, events)

    def _recorder(self, host: Host, factory: EpisodeFactory, job: EpisodeJob) -> Recorder:
        if not job.is_recorded:
            return Recorder(factory.backend, job.number)
        return FullRecorder(host.model, factory.backend, job.number, job.planned.task, self._kept)

    def _update(self, number: int, playing: _Playing, events: list[Event]) -> Update:
        """Update of a job, with its next request, whose answer the cache may know."""
        pending = playing.state.pending
        if playing.cache is not None and isinstance(pending, PendingRequest) and pending.retry is None:
            try:
                playing.known = playing.cache.find(pending.input)
            except PluginFault as fault:
                events += playing.state.apply(fault)
                pending = None
        if pending is None:
            del self._playing[number]
            self._free.append(playing.host)
            return Update(events)
        return Update(events, Waiting(pending.step, pending.retry, playing.known is not None))

    def _ask(self, numbers: Sequence[int]) -> list[Update]:
        """Make requests; several episodes are asked together where the model takes batches."""
        unknown, updates = list[tuple[_Playing, PendingRequest | PendingQuestion]](), list[Update]()
        for number in numbers:
            playing = self._playing[number]
            playing.answer, pending = playing.known, playing.state.pending
            assert pending is not None
            try:
                playing.state.show()
            except PluginFault as fault:
                playing.answer = fault
            if playing.answer is None:
                unknown.append((playing, pending))
        if len(unknown) > 1 and isinstance(self.model, BatchModel):
            answers = unknown[0][0].host.caller.call_together([pending for _, pending in unknown])
            for (playing, _), answer in zip(unknown, answers, strict=True):
                playing.answer = answer
        else:
            for playing, pending in unknown:
                playing.answer = playing.host.caller.call(pending)
        for number in numbers:
            updates.append(self._made(self._playing[number]))
        return updates

    def _made(self, playing: _Playing) -> Update:
        """The events of a request; none where a plugin failed, which ends the episode next."""
        events: list[Event] = []
        if playing.factory is not None and playing.factory.adjusts and isinstance(playing.answer, Request):
            try:
                events += map(ModelAdjusted, playing.factory.new_adjustments())
            except PluginFault as fault:
                playing.answer = fault
        if isinstance(playing.answer, Request):
            assert playing.state.pending is not None
            events.append(playing.state.recorder.request(playing.answer, playing.state.pending.step))
        return Update(events)

    def _apply(self, numbers: Sequence[int]) -> list[Update]:
        """Play on with the answers that have been made."""
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
        """Keep an answer in the cache; returns the fault of a plugin that fails meanwhile."""
        try:
            if isinstance(playing.state.pending, PendingRequest):
                cache.keep(playing.state.pending.input, answer)
        except PluginFault as fault:
            return fault
        return answer


def make_factory(settings: RunSettings, model: ModelInterface, tiling: str | None) -> EpisodeFactory:
    """Factory of a run's episodes on a tiling, with backends of its own.

    Raises:
        GridworldError: a backend or the protocol cannot be made, or they do not fit together.
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
