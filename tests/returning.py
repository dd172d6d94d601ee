"""Returning to earlier moments of an episode, for the tests of every backend of ours."""

import random
from typing import Any

from gridworld.backends.kernel import KernelBackend
from gridworld.task_spec import TaskSpecification
from gridworld.testing.walks import roaming_action
from gridworld.text import text_view
from gridworld.world.knowledge import Snapshot

__all__ = ["assert_walks_repeat"]

Moment = tuple[Any, ...]


def moment(backend: KernelBackend) -> Moment:
    """Everything that can be seen of the present moment."""
    known, state = backend.get_known_state(), backend.get_state()
    return known, state, str(text_view(backend.episode)), backend.digest(), backend.render().tobytes()


def walk(backend: KernelBackend, seed: int, length: int) -> list[Moment]:
    """The moments of a random walk from where the backend is."""
    rng, moments = random.Random(seed), [moment(backend)]
    while len(moments) <= length and not backend.world.is_over(backend.episode.state):
        backend.step(int(roaming_action(backend.world, backend.episode.state, rng)))
        moments.append(moment(backend))
    return moments


def assert_walks_repeat(backend: KernelBackend, task: TaskSpecification, seed: int) -> None:
    """Walks from restored snapshots show what they showed the first time, and what another backend object shows."""
    rng = random.Random(seed)
    backend.configure(task)
    backend.reset()
    walked: list[tuple[Snapshot, int, list[Moment]]] = []
    for number in range(4):
        start = backend.snapshot()
        walked.append((start, number, walk(backend, number, 12)))
        backend.restore(rng.choice(walked)[0])
    for start, number, moments in rng.sample(walked, len(walked)):
        backend.restore(start)
        assert walk(backend, number, 12) == moments
