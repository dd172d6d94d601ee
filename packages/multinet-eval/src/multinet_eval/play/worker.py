"""`EpisodeWorker`: plays planned episodes and says, moment by moment, what is to be recorded.

A worker writes nothing and decides nothing about the run: it waits, after each piece of `News`, for whoever drives it.
So it can live in a thread, in another process or on another machine.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from typing import Self

from gridworld.errors import PluginFault
from gridworld.model_interface import BatchModel, ModelInterface
from gridworld.plugins.faults import backend_name, blaming
from multinet_eval.play.asking import Ask
from multinet_eval.play.episode_runner import EpisodeRunner
from multinet_eval.play.moments import Answer
from multinet_eval.play.news import Job, News, Reply, Waiting
from multinet_eval.play.seat import Seat
from multinet_eval.record.recorder import Known
from multinet_eval.settings.players import make_player
from multinet_eval.settings.run_settings import RunSettings

__all__ = ["EpisodeWorker"]


class EpisodeWorker:
    """Plays episodes, several at once in lockstep, each on backends of its own.

    A `BatchModel` is asked for the next step of all of them at once. Other models are asked for one after another; of
    those that cannot be shared, there is one for each episode that is played at once.

    Args:
        settings: what is asked of the run.
        model: the model, for workers that share one; by default the worker makes its own.

    Raises:
        GridworldError: the model or a backend cannot be made.
    """

    def __init__(self, settings: RunSettings, model: ModelInterface | None = None) -> None:
        self._settings = settings
        self._own_models: list[ModelInterface] = []
        self._known = Known()
        self.model = model or self._make_model()
        self._seats = [Seat(settings, self.model, self._known)]

    def play(self, jobs: Iterable[Job]) -> Generator[News, Reply | Job | None, None]:
        """Play episodes; it goes on when it is asked for the next piece of news.

        A `Job` in reply to the end of an episode is played in its place.

        Args:
            jobs: the episodes to begin with, all at once.

        Raises:
            ArgumentError, InvalidTaskError: model, backend and task do not fit together.
            DivergedError: the past of an episode, played again, is another one.
        """
        running = [_Running(self._seat(number), job) for number, job in enumerate(jobs)]
        try:
            for each in running:
                yield from each.go_on()
            held: list[_Running] = []
            while running := [each for each in running if each.waiting is not None]:
                others = [each for each in running if each not in held]
                admitted, held = yield from _admit([*held, *others])
                for each, answer in zip(admitted, self._answers([each.ask() for each in admitted]), strict=True):
                    yield from each.go_on(answer)
        finally:
            for each in running:
                each.close()

    def runner(self, tiling: str | None) -> EpisodeRunner:
        """The runner for a tiling."""
        return self._seats[0].runner(tiling)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *raised: object) -> None:
        """Close it; raises the `PluginFault` of that, unless something else was raised before."""
        fault = self.close()
        if fault is not None and kind is None:
            raise fault

    def close(self) -> PluginFault | None:
        """Close the backends, and the models unless they are shared; one that fails keeps no other from it.

        Returns:
            The last failure, if any.
        """
        closing = [(backend_name(each.name), each.close) for seat in self._seats for each in seat.backends]
        closing += [(f"model '{each.model_name}'", each.close) for each in self._own_models]
        fault = None
        for owner, close in closing:
            try:
                with blaming(owner, "when it was closed"):
                    close()
            except PluginFault as error:
                fault = error
        return fault

    def _seat(self, number: int) -> Seat:
        """The seat of this number; the next one is made when it is first asked for."""
        if number == len(self._seats):
            shared = isinstance(self.model, BatchModel) or self.model.shareable
            self._seats.append(Seat(self._settings, self.model if shared else self._make_model(), self._known))
        return self._seats[number]

    def _make_model(self) -> ModelInterface:
        model = make_player(self._settings)
        self._own_models.append(model)
        return model

    def _answers(self, asked: Sequence[tuple[EpisodeRunner, Ask]]) -> list[Answer]:
        """What comes of requests of different episodes."""
        if isinstance(self.model, BatchModel) and asked:
            return asked[0][0].request([ask for _, ask in asked])
        return [answer for runner, ask in asked for answer in runner.request([ask])]


class _Running:
    """Episodes that are played one after another on a seat."""

    def __init__(self, seat: Seat, job: Job) -> None:
        self._seat = seat
        self._begin(job)

    waiting: News | None = None
    """That a request is about to be made; None once nothing is left to be played here."""

    def _begin(self, job: Job) -> None:
        self._job = job
        self._told = self._seat.play(job)

    def ask(self) -> tuple[EpisodeRunner, Ask]:
        """The request, which is to be made now."""
        ask = self._told.send(None)
        assert isinstance(ask, Ask)
        return self._seat.runner(self._job.planned.tiling), ask

    def go_on(self, answer: Answer | None = None) -> Generator[News, Reply | Job | None, None]:
        """Go on to the next request with the answer to the last one."""
        reply: Reply | Answer | None = answer
        self.waiting = None
        while (news := self._next(reply)) is not None:
            if isinstance(news.what, Waiting):
                self.waiting = news
                return
            said = yield news
            reply = said if isinstance(said, Reply) else None
            if isinstance(said, Job):
                self._begin(said)

    def close(self) -> None:
        """Leave the episode as it is."""
        self._told.close()

    def _next(self, reply: Reply | Answer | None) -> News | None:
        try:
            told = self._told.send(reply)
        except StopIteration:
            return None
        assert isinstance(told, News)
        return told


def _admit(running: Sequence[_Running]) -> Generator[News, Reply | Job | None, tuple[list[_Running], list[_Running]]]:
    """Announce requests; returns the episodes whose requests may be made now, and those that have to wait."""
    admitted: list[_Running] = []
    held: list[_Running] = []
    for each in running:
        assert each.waiting is not None
        later = (yield each.waiting) is Reply.LATER
        (held if later else admitted).append(each)
    return admitted, held
