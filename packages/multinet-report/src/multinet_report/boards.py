"""`Boards`: what the solver knows of the tasks that are shown on a page."""

from __future__ import annotations

from gridworld.plugins.tilings import compile_on
from multinet_eval.analysis.metrics.known_tasks import KnownTask
from multinet_eval.record.plan import PlannedEpisode
from multinet_eval.record.run_directory import RunDirectory
from multinet_eval.settings.defaults import MAX_STATES_OF_METRICS

__all__ = ["Boards"]


class Boards:
    """What the solver knows of tasks, each on its tiling, as it is played.

    It is kept for the next runs, which mostly play the same tasks: those that were asked for last, as long as their
    tables are not too large together.

    Args:
        max_states: the most states of a task for which distances to success are computed; 0 for none at all.
        kept_states: how many states the tables may have together that are kept for the next episodes.
    """

    def __init__(self, max_states: int, kept_states: int = MAX_STATES_OF_METRICS) -> None:
        self._max_states = max_states
        self._kept_states = kept_states
        self._kept: dict[tuple[str, str, int | None], KnownTask] = {}
        """Those that were asked for last come last."""

    def known(self, directory: RunDirectory, planned: PlannedEpisode) -> KnownTask | None:
        """What is known of an episode's task; None where it is not played by the kernel, or not asked for.

        Raises:
            GridworldError: it cannot be compiled, as where a plugin is missing.
        """
        ground = directory.manifest.ground(planned.tiling)
        if not ground.on_kernel or ground.tiling is None or self._max_states == 0:
            return None
        board = ground.tiling, planned.task, planned.max_steps
        found = self._kept.pop(board, None)
        if found is None:
            self._make_room()
            task = planned.bound(directory.task(planned.task))
            found = KnownTask(compile_on(ground.tiling, task), self._max_states)
        self._kept[board] = found
        return found

    def _make_room(self) -> None:
        sizes = {board: 0 if each.table is None else len(each.table) for board, each in self._kept.items()}
        states = sum(sizes.values())
        for board, size in sizes.items():
            if states > self._kept_states:
                del self._kept[board]
                states -= size
