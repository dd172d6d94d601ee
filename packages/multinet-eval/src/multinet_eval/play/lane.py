"""`Lane`: plays episodes on a worker, and deals with what the worker says."""

from __future__ import annotations

from collections import deque
from contextlib import closing, suppress

from gridworld.errors import GridworldError
from gridworld.runner.record import EpisodeEnd
from multinet_eval.play.lane_episode import EpisodesLeft, LaneEpisode
from multinet_eval.play.news import Faulted, Job, News, Reply, Waiting
from multinet_eval.play.pools.executors import Executor, Worker, WorkerLost
from multinet_eval.play.session import Session

__all__ = ["Lane"]

MAX_LOST = 5
"""How often in a row an episode is gone on with after its worker was lost."""


class Lane:
    """Plays episodes; one thread has it.

    Args:
        session: what it has in common with other lanes.
        executor: makes its worker.
        jobs: the episodes to play, from which all lanes take.
        size: how many it plays at once, at least 1.
    """

    def __init__(self, session: Session, executor: Executor, jobs: deque[Job], size: int) -> None:
        self._session = session
        self._executor = executor
        self._jobs = jobs
        self._size = size
        self._worker: Worker | None = None
        self._episodes: dict[int, LaneEpisode] = {}
        """Those that are being played, by their numbers."""
        self.left_at: list[str] = []
        """The tasks of the episodes that were left before their ends, last time."""

    def play(self) -> None:
        """Play episodes until there are no more, or the run stops; on another worker if one is lost.

        Raises:
            WorkerLost: several workers in a row were lost without a step.
            GridworldError: as `Worker.play` and `Executor.start_worker` do; or what happens cannot be written.
        """
        left: list[Job] = []
        lost = 0
        while jobs := self._fill(left):
            try:
                self._play(jobs)
                left = []
            except WorkerLost as error:
                self._worker = None
                left = [episode.left for episode in self._episodes.values()]
                lost = 0 if left != jobs else lost + 1
                if lost == MAX_LOST:
                    raise WorkerLost(f"{lost} workers in a row were lost without a step: {error}") from error
                self._tell(error)
            finally:
                self._leave()

    def _tell(self, loss: WorkerLost) -> None:
        """Say that a worker was lost, unless nothing goes on: a program that is left ends its processes."""
        with self._session.lock:
            if not self._session.stopping:
                self._session.observer.worker_lost(str(loss))

    def close(self) -> GridworldError | None:
        """Close the worker; returns what went wrong, if anything."""
        return None if self._worker is None else self._worker.close()

    @property
    def killable(self) -> bool:
        """Whether `kill` would end what it does."""
        return self._executor.killable

    def kill(self) -> None:
        """End the worker at once; called by another thread."""
        worker = self._worker
        if worker is not None:
            worker.kill()

    def _fill(self, left: list[Job]) -> list[Job]:
        """The episodes to go on with, those that have been left first; none if the run stops."""
        jobs = list(left)
        while len(jobs) < self._size and (job := self._next()) is not None:
            jobs.append(job)
        return [] if self._session.stopping else jobs

    def _next(self) -> Job | None:
        try:
            return None if self._session.stopping else self._jobs.popleft()
        except IndexError:
            return None

    def _play(self, jobs: list[Job]) -> None:
        if self._worker is None:
            self._worker = self._executor.start_worker()
            if self._session.cut.is_set():  # which came too early to end this worker
                return
        for job in jobs:
            self._episodes[job.planned.number] = LaneEpisode(self._session, job)
        reply = None
        # Closed whatever happens, so that the worker can be used again, or closed.
        with closing(self._worker.play(jobs)) as news, suppress(StopIteration, EpisodesLeft):
            while True:
                reply = self._receive(news.send(reply))

    def _receive(self, news: News) -> Reply | Job | None:
        """Do what a piece of news calls for; raises RunError if it cannot be written."""
        if self._session.abandoned:
            raise EpisodesLeft
        episode = self._episodes[news.episode]
        if isinstance(news.what, Waiting):
            return self._admit(episode, news.what)
        if isinstance(news.what, Faulted):
            return episode.weigh(news.what, news)
        episode.note(news)
        return self._replace(episode) if isinstance(news.what, EpisodeEnd) else None

    def _admit(self, episode: LaneEpisode, waiting: Waiting) -> Reply | None:
        """Let a request be made; later, if it had to wait while others of this lane wait for it."""
        if waiting.cached:
            if self._session.stopping:
                raise EpisodesLeft
            return None
        if not any(each.in_flight for each in self._episodes.values()):
            episode.admit(waiting)
            return None
        return None if episode.admit_now(waiting) else Reply.LATER

    def _replace(self, episode: LaneEpisode) -> Job | None:
        """The episode to play in place of one that has ended."""
        del self._episodes[episode.job.planned.number]
        episode.close()
        job = self._next()
        if job is not None:
            self._episodes[job.planned.number] = LaneEpisode(self._session, job)
        return job

    def _leave(self) -> None:
        """Leave all episodes as they are."""
        self.left_at = [episode.job.planned.task_id for episode in self._episodes.values()]
        while self._episodes:
            self._episodes.popitem()[1].close()
