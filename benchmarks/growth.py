"""How steps slow down with the size of a maze, with its mechanisms, and with the number of environments.

Random actions: transitions of the kernel, steps of the MiniGrid backend with a frame each, and steps of vector
environments with symbolic views. What does not fit into tables is learnt from the kernel as the copies go.
"""

from collections.abc import Iterable, Iterator, Mapping

from figures import Effort, Figure, Measure, on_one_core, rates
from gridworld.task_spec import TaskSpecification
from mazes import crowded_maze, empty_maze
from steps import backend, kernel
from vector import COPIES, ours


def _measure(tasks: Iterable[tuple[str, TaskSpecification]], effort: Effort) -> Iterator[Figure]:
    on_one_core()
    for name, task in tasks:
        yield from rates({f"kernel, {name}": kernel(effort.times(50_000), task)}, effort.rounds, "transitions/s")
        yield from rates(
            {f"with a frame, {name}": backend(effort.times(2_000), "rgb_array", task)}, effort.rounds, "frames/s"
        )
        yield from rates({f"{COPIES:,} copies, {name}": ours(effort.times(64), task)}, effort.rounds)


def measure_size(effort: Effort) -> Iterator[Figure]:
    """Empty rooms of more and more cells."""
    return _measure(((f"{side} x {side} cells", empty_maze(side)) for side in (8, 32, 128, 256)), effort)


def measure_mechanisms(effort: Effort) -> Iterator[Figure]:
    """A room of 32 x 32 cells with more and more keys, doors, switches and gates."""
    return _measure(((f"{count} mechanisms", crowded_maze(count)) for count in (0, 4, 16, 64)), effort)


def measure_environments(effort: Effort) -> Iterator[Figure]:
    """A door and its key in more and more environments."""
    on_one_core()
    for count in (1, 16, 256, 4096, 65_536):
        steps = effort.times(max(8, 1_000_000 // max(count, 1000)))
        yield from rates({f"{count:,} environments": ours(steps, copies=count)}, effort.rounds)


MEASURES: Mapping[str, Measure] = {
    "size": measure_size,
    "mechanisms": measure_mechanisms,
    "environments": measure_environments,
}
