"""The questions of a probing, in order: each probe for each scene of each task on each tiling."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import attrs

from gridworld.actions import ACTION_SPACE, Action
from gridworld.errors import ArgumentError
from gridworld.model_interface import Prompt
from gridworld.plugins.registry import owner_of
from gridworld.runner.presentation import Presentation
from gridworld.runner.rollout import kernel_of
from gridworld.solver import DEFAULT_MAX_STATES
from gridworld.solver.plans import NoPlanError, winning_plan
from gridworld.support.faults import calling
from gridworld.task_spec import TaskSpecification
from gridworld.world.rules import transition
from gridworld.world.world import World
from multinet_eval.play.episode_factory import EpisodeFactory
from multinet_eval.probing.eliciting import prompt_about
from multinet_eval.probing.probe import Probe, ProbeQuestion, Scene

OPTIMAL = "optimal"
"""The walk along a shortest plan."""
RANDOM = "random"
"""The walk of random actions."""
WALKED = 30
"""Maximum length of a random walk."""


def sample_scenes(
    runner: EpisodeFactory,
    task: TaskSpecification,
    tiling: str | None,
    count: int,
    seed: int,
    max_states: int = DEFAULT_MAX_STATES,
) -> list[Scene]:
    """Sample moments of a task with distinct states, in order.

    Half of the moments, rounded up, lie along a shortest plan if the task has one, the others along a walk of random
    effective actions.

    Args:
        runner: shows the task.
        task: the task.
        tiling: the requested tiling.
        count: number of moments, at least 1; fewer are returned if the walks are short.
        seed: seed of the sample, combined with the task's id and the tiling.
        max_states: state limit of the solver.

    Raises:
        ArgumentError: the backend is not built on the kernel.
    """
    kernel = kernel_of(runner.backend)
    if kernel is None:
        owner = owner_of("backend", runner.backend, runner.backend.name)
        raise ArgumentError(
            f"{owner} is not built on the kernel, so it is not known what it shows: choose another --backend"
        )
    kernel.configure(task)
    world = kernel.world
    try:
        plan: Sequence[Action] = winning_plan(world, max_states)
    except NoPlanError:
        plan = ()
    scenes: list[Scene] = []
    for walk in (OPTIMAL, RANDOM):
        dice = random.Random(f"{seed}/{task.task_id}/{tiling}/{walk}")
        actions = _random_walk(world, dice) if walk == RANDOM else plan
        wanted = count - len(scenes) if walk == RANDOM else (count + 1) // 2
        met = {scene.state.key for scene in scenes}
        passed = []
        for step, question in enumerate(runner.questions_along(task, actions)):
            assert question.snapshot is not None
            if question.snapshot.state.key not in met:
                met.add(question.snapshot.state.key)
                passed.append(Scene(kernel.world, question.snapshot, question.input, tiling, walk, step))
        scenes += sorted(dice.sample(passed, min(wanted, len(passed))), key=lambda scene: scene.step)
    return scenes


def _random_walk(world: World, dice: random.Random) -> list[Action]:
    """Return random effective actions, until the episode ends."""
    state, actions = world.start, list[Action]()
    while len(actions) < WALKED and not world.is_over(state):
        outcomes = [(Action(action), *transition(world, state, action)) for action in ACTION_SPACE]
        action, state, _ = dice.choice([each for each in outcomes if each[2] and each[2][0].effective])
        actions.append(action)
    return actions


SYSTEM = """You are shown one moment of a grid puzzle, and asked about exactly what is shown.
A cell is called [column, row], both counted from 0: [0, 0] is the one at the top left, in the wall around the board.
Answer with the JSON object that is asked for and nothing else, or with a code block at the end that holds it alone."""
LAID_OUT = """The board is laid out on the tiling '{name}', each cell of the puzzle as one or more of its tiles.
Columns and rows are those of the puzzle. Directions are degrees clockwise from right."""
"""Text added to the system prompt on tilings other than squares."""


@attrs.frozen
class ProbeSettings:
    """Settings for the questions about each task."""

    probes: tuple[str, ...]
    """Names of installed probes, in the order in which they ask."""
    states: int = attrs.field(default=4, validator=attrs.validators.ge(1))
    """Number of moments of each task on each tiling."""
    seed: int = 0
    """Seed for choosing moments and ordering the options."""


@attrs.frozen
class QuestionKey:
    """Unique key of a question within a probing."""

    task: str
    tiling: str
    walk: str
    step: int
    probe: str
    number: int
    """Index among the questions of one probe about one scene."""


@attrs.frozen(eq=False)
class Asked:
    """A question and its prompt."""

    place: QuestionKey
    question: ProbeQuestion
    prompt: Prompt


ALONE = (
    "history_images",
    "history_text_window",
    "feedback",
    "context",
    "note_length",
    "observation_control",
    "examples",
)
"""Presentation settings that probes do not support."""


def require_standing_alone(presentation: Presentation) -> None:
    """Check that the presentation shows only the current moment, since questions are independent.

    Raises:
        ArgumentError: the presentation shows more.
    """
    usual = Presentation()
    for name in ALONE:
        given = attrs.asdict(presentation)[name]
        if given != attrs.asdict(usual)[name]:
            raise ArgumentError(
                f"{name}: each question of a probe stands alone, expected the default setting, got {given}"
            )


def questions_of(
    settings: ProbeSettings,
    probes: Mapping[str, Probe],
    tasks: Iterable[TaskSpecification],
    tilings: Iterable[str | None],
    runner_of: Callable[[str | None], EpisodeFactory],
    max_states: int,
) -> Iterator[Asked]:
    """Yield all questions lazily, task by task.

    Args:
        settings: settings of the questions.
        probes: the probes of the settings, by name.
        tasks: the tasks.
        tilings: the tilings, in order.
        runner_of: returns the runner that shows tasks on a tiling.
        max_states: state limit of the solver.

    Raises:
        PluginFault: a probe or the backend failed.
        ArgumentError: the backend is not built on the kernel.
    """
    for scene in scenes_of(settings, tasks, tilings, runner_of, max_states):
        for name in settings.probes:
            yield from _questions_about(scene, name, probes[name], settings.seed)


def scenes_of(
    settings: ProbeSettings,
    tasks: Iterable[TaskSpecification],
    tilings: Iterable[str | None],
    runner_of: Callable[[str | None], EpisodeFactory],
    max_states: int,
) -> Iterator[Scene]:
    """Yield the moments of the questions, in order; arguments and errors are as for `questions_of`."""
    tasks = tuple(tasks)
    for tiling in tilings:
        for task in tasks:
            yield from sample_scenes(runner_of(tiling), task, tiling, settings.states, settings.seed, max_states)


def _questions_about(scene: Scene, name: str, probe: Probe, seed: int) -> Iterator[Asked]:
    if probe.needs_everything and not scene.shows_all:
        return
    dice = random.Random(f"{seed}/{scene.name}/{name}")
    with calling(owner_of("probe", probe, name), "questions", f"at {scene.name}"):
        questions = list(probe.questions(scene, dice))
    tiling = scene.topology.name
    system = SYSTEM if scene.topology.heading_count == 4 else f"{SYSTEM}\n{LAID_OUT.format(name=tiling)}"
    for number, question in enumerate(questions):
        place = QuestionKey(scene.task_id, tiling, scene.walk, scene.step, name, number)
        yield Asked(place, question, prompt_about(system, scene.input, question.text))
