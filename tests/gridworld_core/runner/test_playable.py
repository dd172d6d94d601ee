"""Tasks that a backend refuses are all named before any is played."""

import attrs
import pytest

from gridworld.backends.kernel import UnseenBackend
from gridworld.errors import InvalidTaskError, Problem
from gridworld.runner.rollout import UnplayableTasksError, check_playable
from gridworld.task_spec import TaskSpecification
from gridworld.world import square_topology
from support.worlds import corridor


class Choosy(UnseenBackend):
    """Refuses the tasks that it is told to, in the way that it is told to."""

    def __init__(self, **refused: Exception) -> None:
        super().__init__(square_topology(6, 3))
        self.refused = refused

    def configure(self, task_spec: TaskSpecification) -> None:
        if task_spec.task_id in self.refused:
            raise self.refused[task_spec.task_id]
        super().configure(task_spec)


def tasks(*ids: str) -> list[TaskSpecification]:
    return [attrs.evolve(corridor("@..G"), task_id=each) for each in ids]


@pytest.mark.parametrize("refused", [{}, {"one": RuntimeError("out of order")}], ids=["none", "other failures"])
def test_only_refusals_count(refused: dict[str, Exception]) -> None:
    check_playable(Choosy(**refused), tasks("one", "two"))


def test_all_refused_tasks_are_named_with_every_problem() -> None:
    walls = InvalidTaskError([Problem("maze.walls", "too thick"), Problem("maze.floor", "too thin")])
    backend = Choosy(one=walls, three=InvalidTaskError([Problem("", "too dark")]), four=InvalidTaskError([]))
    with pytest.raises(UnplayableTasksError) as refused:
        check_playable(backend, tasks("one", "two", "three", "four"))
    assert str(refused.value) == (
        "backend 'unseen' cannot play all of these tasks:\n"
        "  one: maze.walls: too thick\n"
        "  one: maze.floor: too thin\n"
        "  three: too dark\n"
        "  four: refused without a reason"
    )


def test_kernel_backends_refuse_invalid_tasks() -> None:
    endless = attrs.evolve(corridor("@..G"), max_steps=0)
    with pytest.raises(UnplayableTasksError, match=r"\n  drawn: max_steps: "):
        check_playable(Choosy(), [endless])
