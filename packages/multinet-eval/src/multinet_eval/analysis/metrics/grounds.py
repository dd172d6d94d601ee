"""`Grounds`: where the tasks of a recorded run were played, and what is known of them there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gridworld.backends.kernel import KernelBackend
from gridworld.task_spec import TaskSpecification
from gridworld.world.rules import compile_world
from gridworld.world.world import World
from multinet_eval.analysis.metrics.known_suite import KnownSuite
from multinet_eval.analysis.metrics.known_task import KnownTask
from multinet_eval.record.manifest import Manifest, given_anew
from multinet_eval.settings.plugin_objects import make_kernel_backend

__all__ = ["Grounds"]


class Grounds:
    """The backends of a run, made when they are first needed, and its tasks on each of their tilings.

    Args:
        manifest: that of the run.
        tasks: the hashes of its tasks to them.
        max_table_states: of tasks with more states no distances are known.
        backend_arguments: ``key=value``, in place of those that were not recorded since they are credentials.
    """

    def __init__(
        self,
        manifest: Manifest,
        tasks: Mapping[str, TaskSpecification],
        max_table_states: int,
        backend_arguments: Iterable[str] = (),
    ) -> None:
        self._manifest = manifest
        self._tasks = tasks
        self._max_table_states = max_table_states
        self._given = tuple(backend_arguments)
        self._backends: dict[str | None, KernelBackend] = {}
        self._suites: dict[str | None, KnownSuite] = {}

    def known_task(self, task: TaskSpecification, tiling: str | None) -> KnownTask | None:
        """A task on a tiling; None on a backend that is not built on the kernel.

        Raises:
            ArgumentError: the backend needs credentials, which are not recorded.
            PluginFault: the backend, or what the task uses, failed.
        """
        if not self._manifest.ground(tiling).on_kernel:
            return None
        return KnownTask(self._compile(task, tiling), self._max_table_states)

    def known_suite(self, tiling: str | None) -> KnownSuite | None:
        """All tasks that are planned on a tiling, the same object each time; None as above."""
        if not self._manifest.ground(tiling).on_kernel:
            return None
        if tiling not in self._suites:
            planned = dict.fromkeys(each.task for each in self._manifest.plan if each.tiling == tiling)
            tasks = [self._tasks[digest] for digest in planned]
            self._suites[tiling] = KnownSuite(tasks, lambda task: self._compile(task, tiling), self._max_table_states)
        return self._suites[tiling]

    def _compile(self, task: TaskSpecification, tiling: str | None) -> World:
        return compile_world(task, self._backend(tiling).make_topology(task))

    def _backend(self, tiling: str | None) -> KernelBackend:
        if tiling not in self._backends:
            settings = self._manifest.settings
            arguments = given_anew(settings.backend_arguments, self._given, "-B")
            self._backends[tiling] = make_kernel_backend(settings.backend, list(arguments), tiling)
        return self._backends[tiling]
