"""What worked examples show is what an episode begins with, and what they say wins it in the fewest actions."""

import re

import attrs
import numpy as np
import pytest

from gridworld.actions import ACTION_SPACE
from gridworld.backends.kernel import KernelBackend
from gridworld.errors import ArgumentError
from gridworld.explaining.explanation import Explanation
from gridworld.runner.presentation import Presentation
from gridworld.runner.record import Decision
from gridworld.runner.rollout import Rollout
from gridworld.runner.worked_examples import WorkedExamples
from gridworld.solver import solve
from gridworld.suites import find_suite
from gridworld.task_spec import TaskSpecification
from gridworld_minigrid import MiniGridBackend
from gridworld_multigrid import MultiGridBackend
from multinet_eval.play.episode_factory import resized
from support.thoroughness import in_turn
from support.worlds import block, corridor, door, draw, key

TASKS = find_suite("worked_examples")
NUMBERS = {name: number for number, name in ACTION_SPACE.items()}
BACKENDS = {
    "minigrid": MiniGridBackend(tile_size=8),
    **{name: MultiGridBackend(name, image_size=64) for name in ("square", "hex", "3464")},
}
PLAYED = corridor("@.k.D.....G", k=key("red"), D=door("red"))


def shown(backend: KernelBackend, presentation: Presentation, *tasks: TaskSpecification) -> Explanation:
    made = WorkedExamples(tasks).shown_on(backend, presentation, resized)
    assert made is not None
    return made


def plans(examples: Explanation) -> list[list[int]]:
    told = re.findall(r"^Solved by (\d+) actions: (.*)\.$", examples.examples or "", re.MULTILINE)
    read = [[NUMBERS[name] for name in names.split(", ")] for _, names in told]
    assert [len(plan) for plan in read] == [int(count) for count, _ in told]
    return read


@in_turn("name, task", list(BACKENDS), TASKS, ids=lambda value: value if isinstance(value, str) else value.task_id)
def test_bundled_plans_win_and_are_shortest(name: str, task: TaskSpecification) -> None:
    backend = BACKENDS[name]
    (plan,) = plans(shown(backend, Presentation(observation="none"), task))
    rollout = Rollout(backend, task)
    for action in plan:
        rollout.take(Decision.act(action))
    assert rollout.state.goal_reached
    assert len(plan) == solve(backend.world).length


@in_turn(
    "name, presentation",
    list(BACKENDS),
    [
        Presentation(),
        Presentation("image+map", image_style="letters", image_coordinates=True),
        Presentation("sentences"),
        Presentation("image+coordinates", image_size=100, history_images=2, feedback="effect", note_length=9),
    ],
    ids=lambda value: value if isinstance(value, str) else value.observation,
)
def test_they_look_as_episodes_do_at_their_start(name: str, presentation: Presentation) -> None:
    backend = BACKENDS[name]
    examples = shown(backend, presentation, *TASKS[2:5])
    pictures = list(examples.pictures)
    for number, task in enumerate(TASKS[2:5]):
        question = Rollout(backend, task, presentation=presentation, resize=resized).question
        assert question is not None
        assert examples.examples is not None
        assert (question.input.text_observation or "") in examples.examples
        if question.input.image is not None:
            assert np.array_equal(pictures[number].image, question.input.image)
            assert f"see the picture '{pictures[number].label}'" in examples.examples
    assert len(pictures) == (3 if presentation.format.image else 0)


def test_examples_do_not_change_the_episode() -> None:
    backend = BACKENDS["hex"]
    examples = shown(backend, Presentation(), *TASKS[:2])
    with_them = Rollout(backend, PLAYED, presentation=Presentation(), examples=examples)
    assert with_them.question is not None
    first = with_them.question.input
    without = Rollout(backend, PLAYED, presentation=Presentation()).question
    assert without is not None
    assert np.array_equal(first.image, without.input.image)
    assert without.input.explanation is None
    assert first.explanation is examples
    with_them.take(Decision.act(2))
    assert with_them.question.input.explanation is examples


def test_they_are_made_once_for_what_is_observed() -> None:
    backend, examples = BACKENDS["square"], WorkedExamples(TASKS[:2])
    first = examples.shown_on(backend, Presentation())
    assert examples.shown_on(backend, Presentation(feedback="effect")) is first
    others = (examples.shown_on(backend, Presentation("map")), examples.shown_on(BACKENDS["hex"], Presentation()))
    assert first not in others
    assert WorkedExamples(()).shown_on(backend, Presentation()) is None


def test_one_that_cannot_be_won_on_a_tiling_is_refused() -> None:
    stuck = attrs.evolve(draw("#####\n#@b.#\n###G#\n#####", b=block()), task_id="stuck")
    with pytest.raises(ArgumentError, match=r"'stuck' cannot be won on multigrid \(square\): choose"):
        shown(BACKENDS["square"], Presentation(), stuck)
