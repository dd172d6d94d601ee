"""`Worker`: plays jobs for a scheduler, in the thread, process or machine where a pool has put it.

A worker writes nothing and decides nothing about the run. It holds what cannot travel: the model, the backends, and the
episodes that are under way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Self

import attrs

from gridworld.errors import PluginFault
from gridworld.model_interface import BatchModel, ModelInterface
from gridworld.plugins.faults import backend_name, blaming
from gridworld.runner.record import Request
from multinet_eval.play.answer_cache import AnswerCache, EpisodeCache
from multinet_eval.play.episode import EpisodeState, PendingRequest
from multinet_eval.play.episode_factory import EpisodeFactory
from multinet_eval.play.jobs import Apply, Ask, Call, EpisodeJob, Open, QuestionJob, Update, Waiting
from multinet_eval.play.model_caller import Answer, ModelCaller
from multinet_eval.play.question import PendingQuestion, QuestionState
from multinet_eval.play.recorder import FullRecorder, KeptArtifacts, Recorder
from multinet_eval.record.events import Event, ModelAdjusted
from multinet_eval.record.manifest import answering_fingerprint
from multinet_eval.settings.players import make_player
from multinet_eval.settings.plugin_objects import make_backend, make_protocol
from multinet_eval.settings.run_settings import RunSettings


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

    @property
    def pending(self) -> PendingRequest | PendingQuestion:
        """The request to be made; there is one."""
        pending = self.state.pending
        assert pending is not None
        return pending


class Worker:
    """Plays jobs, several at once, each on a host of its own.

    Args:
        first: the first host, whose model answers for all where it takes batches.
        make_host: makes each further one; None for a worker that plays one job at a time.
    """

    def __init__(self, first: Host, make_host: Callable[[], Host] | None = None) -> None:
        self._hosts = [first]
        self._free = [first]
        self._make_host = make_host
        self._playing: dict[int, _Playing] = {}
        self._kept = KeptArtifacts()
        self._own_models: list[ModelInterface] = []
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
        own: list[ModelInterface] = []

        def make_model() -> ModelInterface:
            own.append(make_player(settings))
            return own[-1]

        def make_host(model: ModelInterface) -> Host:
            return Host(model, lambda tiling: make_factory(settings, model, tiling))

        first = model or make_model()
        is_shared = isinstance(first, BatchModel) or first.shareable
        worker = cls(make_host(first), lambda: make_host(first if is_shared else make_model()))
        worker._own_models = own
        return worker

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
        match call:
            case Open(jobs=jobs):
                return [self._open(job) for job in jobs]
            case Ask(numbers=numbers):
                return self._ask([self._playing[number] for number in numbers])
            case Apply(numbers=numbers):
                return [self._apply(number) for number in numbers]

    def abandon(self) -> None:
        """Leave all jobs as they are."""
        self._playing.clear()
        self._free = list(self._hosts)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *raised: object) -> None:
        """Close it; raises the `PluginFault` of that, unless something else was raised before."""
        fault = self.close()
        if fault is not None and kind is None:
            raise fault

    def close(self) -> PluginFault | None:
        """Close the backends, and the models that it has made; one that fails keeps no other from it.

        Returns:
            The last failure, if any.
        """
        backends = [each for host in self._hosts for factory in host.factories.values() for each in factory.backends]
        closing = [(backend_name(each.name), each.close) for each in backends]
        closing += [(f"model '{each.model_name}'", each.close) for each in self._own_models]
        fault = None
        for owner, close in closing:
            try:
                with blaming(owner, "when it was closed"):
                    close()
            except PluginFault as error:
                fault = error
        return fault

    def _open(self, job: EpisodeJob | QuestionJob) -> Update:
        if not self._free:
            assert self._make_host is not None
            self._free.append(self._make_host())
            self._hosts.append(self._free[-1])
        host = self._free[-1]
        if isinstance(job, QuestionJob):
            playing, events = _Playing(host, QuestionState(job.parts, job.requests)), list[Event]()
        else:
            factory = host.factory(job.planned.tiling)
            opened = factory.open(
                job.task,
                lambda: self._recorder(host, factory, job),
                number=job.number,
                seed=job.planned.seed,
                epoch=job.planned.epoch,
                record=job.record,
                swapped=job.swapped,
            )
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
        """What happened up to the next request, which the cache may know the answer to."""
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

    def _ask(self, asked: Sequence[_Playing]) -> list[Update]:
        """Make requests; several episodes are asked together where the model takes batches."""
        unknown = []
        for each in asked:
            each.answer = each.known
            try:
                each.state.show()
            except PluginFault as fault:
                each.answer = fault
            if each.answer is None:
                unknown.append(each)
        if isinstance(self.model, BatchModel) and unknown:
            answers = unknown[0].host.caller.call_together([each.pending for each in unknown])
        else:
            answers = [each.host.caller.call(each.pending) for each in unknown]
        for each, answer in zip(unknown, answers, strict=True):
            each.answer = answer
        return [Update(self._events_of(each)) for each in asked]

    def _events_of(self, playing: _Playing) -> list[Event]:
        """The events of a request that was made; none where a plugin failed, which ends the episode next."""
        answer = playing.answer
        if answer is None or isinstance(answer, PluginFault):
            return []
        events: list[Event] = []
        if playing.factory is not None and playing.factory.adjusts:
            try:
                events += map(ModelAdjusted, playing.factory.new_adjustments())
            except PluginFault as fault:
                playing.answer = fault
                return []
        return [*events, playing.state.made(answer)]

    def _apply(self, number: int) -> Update:
        playing = self._playing[number]
        answer, known = playing.answer, playing.known
        assert answer is not None
        pending, playing.answer, playing.known = playing.pending, None, None
        if (
            playing.cache is not None
            and known is None
            and isinstance(answer, Request)
            and isinstance(pending, PendingRequest)
        ):
            try:
                playing.cache.keep(pending.input, answer)
            except PluginFault as fault:
                answer = fault
        return self._update(number, playing, playing.state.apply(answer))


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
