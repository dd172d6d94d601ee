"""Diagnosis: what is planted is found, and the intervals of its shares cover the rates at which it was planted."""

import json
import random
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from gridworld.actions import ACTION_SPACE, Action
from gridworld.model_interface import AnswerFault
from gridworld.observations.shown_cells import describe_heading
from gridworld.runner.rollout import kernel_of
from gridworld.suites import read_installed
from gridworld.task_spec import TaskSpecification
from gridworld.world.looks import name_thing, show_thing
from gridworld.world.state import NOTHING
from multinet_eval.probing.board import draw_board
from multinet_eval.probing.diagnosis import Cause, Diagnosed, DiagnosedReply, Diagnostician, FirstActions, read_reply
from multinet_eval.probing.diagnosis_report import report_on_diagnosis
from multinet_eval.probing.probe import Scene
from multinet_eval.probing.questions import ProbeSettings
from multinet_eval.probing.running import make_scenes
from multinet_eval.probing.transcription import imagine, read_transcription
from multinet_eval.settings.plugin_objects import make_backend
from multinet_eval.settings.run_settings import RunSettings
from multinet_eval.statistics.intervals import mean_interval
from support.commands import multinet
from support.model_servers import ChatServer, model_arguments, said
from support.runs import PROBES

PLANTED = {Cause.ACTING: 0.15, Cause.SEEING: 0.3, Cause.PLANNING: 0.2}
"""The share of actions that are wrong for each reason; the others are right."""


@lru_cache(maxsize=8)
def scenes_of(suite: str, states: int, tiling: str | None = None) -> tuple[Scene, ...]:
    """Scenes of the fully observable tasks of an installed suite."""
    tasks = [task for task in read_installed(suite).tasks if task.rules.observability == "full"]
    settings = RunSettings(model="asked", tilings=(tiling,))
    return tuple(make_scenes(settings, ProbeSettings(PROBES, states, 0), tasks))


@lru_cache(maxsize=128)
def diagnostician_of(scene_task: TaskSpecification, tiling: str | None = None) -> Diagnostician:
    """The diagnostician of a task."""
    backend = kernel_of(make_backend(None, [], tiling))
    assert backend is not None
    backend.configure(scene_task)
    return Diagnostician(backend.world, backend.make_topology, 200_000)


def perfect_reply(scene: Scene) -> dict[str, Any]:
    """A correct transcription of a scene."""
    state = scene.state
    held = None if state.carried == NOTHING else name_thing(scene.world, show_thing(scene.world, state, state.carried))
    return {**draw_board(scene), "facing": describe_heading(scene.topology, state.heading), "carrying": held}


def best(scene: Scene) -> frozenset[Action]:
    return FirstActions(scene.world, 200_000).of(scene.state)


def reply(said: dict[str, Any], intended: int, action: int) -> DiagnosedReply:
    """What is read of a reply as a model would write it."""
    words = {"plan": [ACTION_SPACE[intended]], "action": ACTION_SPACE[action]}
    return read_reply(f"```json\n{json.dumps({**said, **words})}\n```")


def turned(scene: Scene) -> dict[str, Any]:
    """A transcription on which the agent is turned around: a misreading that is a function of the frame."""
    directions = ["right", "down", "left", "up"]
    said = perfect_reply(scene)
    return {**said, "facing": directions[(directions.index(said["facing"]) + 2) % 4]}


def as_seen(scene: Scene, said: dict[str, Any]) -> frozenset[Action]:
    """What is best where it is as was transcribed."""
    world, state = imagine(scene.world, scene.state, read_transcription(said), lambda task: scene.topology)
    return FirstActions(world, 200_000).of(state)


@lru_cache(maxsize=1)
def slips() -> list[tuple[str, dict[Cause, Diagnosed]]]:
    """The task of each moment in which each error can be made, and what is found where it is made."""
    found = []
    for scene in scenes_of("validation_10", 3):
        right = best(scene)
        seen = as_seen(scene, turned(scene))
        wrong, misled = sorted(set(Action) - right), sorted(seen - right)
        if not right or not misled or seen == right:
            continue
        diagnostician = diagnostician_of(scene.world.task)
        said, (first, *_) = perfect_reply(scene), sorted(right)
        made = {
            Cause.RIGHT: reply(said, first, first),
            Cause.ACTING: reply(said, first, wrong[0]),
            Cause.SEEING: reply(turned(scene), misled[0], misled[0]),
            Cause.PLANNING: reply(said, wrong[0], wrong[0]),
        }
        found.append((scene.task_id, {cause: diagnostician.diagnose(scene.state, made[cause]) for cause in made}))
    return found


def test_each_planted_error_is_found_for_what_it_is() -> None:
    assert len(slips()) > 10
    for _, by_cause in slips():
        assert {cause: diagnosed.cause for cause, diagnosed in by_cause.items()} == {cause: cause for cause in by_cause}


def test_a_wrong_action_takes_at_least_one_action_more_and_a_right_one_none() -> None:
    for _, by_cause in slips():
        assert by_cause[Cause.RIGHT].penalized_regret == 0
        assert all(by_cause[cause].penalized_regret >= 1 for cause in PLANTED)


@pytest.mark.parametrize("tiling", ["square", pytest.param("hex", marks=pytest.mark.more)])
def test_where_all_is_transcribed_as_it_is_the_same_actions_are_best(tiling: str) -> None:
    for scene in scenes_of("validation_10", 2, tiling):
        assert as_seen(scene, perfect_reply(scene)) == best(scene), scene.name


def test_a_board_that_is_none_leaves_open_what_the_error_was() -> None:
    scene = next(each for each in scenes_of("validation_10", 3) if best(each))
    wrong = min(set(Action) - best(scene))
    diagnostician: Diagnostician = diagnostician_of(scene.world.task)
    perfect = perfect_reply(scene)
    for broken in (
        {},
        {**perfect, "facing": "north"},
        {**perfect, "rows": perfect["rows"][1:]},
        {**perfect, "rows": [row.replace("G", ".") for row in perfect["rows"]]},
        {**perfect, "rows": [row.replace(".", "#") for row in perfect["rows"]]},
        {**perfect, "carrying": "purple dragon"},
    ):
        assert diagnostician.diagnose(scene.state, reply(broken, wrong, wrong)).cause is Cause.UNDETERMINED


@pytest.mark.parametrize("text", ["", "go on", '{"plan": []}', '{"action": "fly"}', '{"action": 9}'])
def test_a_reply_without_an_action_is_no_reply(text: str) -> None:
    with pytest.raises(AnswerFault):
        read_reply(text)


def test_each_heading_stands_once_in_the_prompt(tmp_path: Path) -> None:
    played = ("validation_10/v01_empty_room", "--observation", "text", "--examples", "1", "--examples-from", "tiers")
    with ChatServer(lambda body, number: said("move_forward")) as server:
        options = (*model_arguments(server.url), "--max-requests", "1", "--run-dir", tmp_path / "diagnosis")
        assert multinet("diagnose", *played, *options).exit_code == 1
        (body,) = server.bodies
    system = body["messages"][0]["content"]
    told = system if isinstance(system, str) else "".join(part["text"] for part in system)
    headings = ("The rules", "What can appear in a maze", "Other mazes")
    starts = [next((each for each in headings if line.startswith(each)), None) for line in told.splitlines()]
    assert [each for each in starts if each] == list(headings)


def test_what_is_undetermined_widens_the_bounds() -> None:
    errors = [Diagnosed(Cause.ACTING, 1.0), Diagnosed(Cause.SEEING, 2.0), Diagnosed(Cause.UNDETERMINED, 1.0)]
    report = report_on_diagnosis({"one": errors, "other": [*errors, Diagnosed(Cause.RIGHT)]})
    shares = {share.cause: (share.low, share.high) for share in report.of_errors}
    assert shares[Cause.ACTING] == pytest.approx((1 / 3, 2 / 3))
    assert shares[Cause.PLANNING] == pytest.approx((0, 1 / 3))
    assert {share.cause: (share.low, share.high) for share in report.of_penalized_regret}[Cause.SEEING] == (0.5, 0.75)


def test_rates_and_shares_are_means_over_mazes_like_their_intervals() -> None:
    """A maze with one error in four actions, and one with three in three, of which one costs most."""
    few = [Diagnosed(Cause.ACTING, 1.0), *[Diagnosed(Cause.RIGHT)] * 3]
    many = [Diagnosed(Cause.SEEING, 6.0), Diagnosed(Cause.ACTING, 1.0), Diagnosed(Cause.PLANNING, 1.0)]
    report = report_on_diagnosis({"few": few, "many": many, "none": [Diagnosed(Cause.LOST)]})
    acting, by_regret = report.of_errors[0], report.of_penalized_regret[0]
    assert (report.error_rate, report.error_rate_interval, report.mazes) == (5 / 8, mean_interval([1 / 4, 1]), 2)
    assert (acting.low, acting.low_interval) == (pytest.approx(2 / 3), mean_interval([1, 1 / 3]))
    assert (by_regret.high, by_regret.high_interval) == (9 / 16, mean_interval([1, 1 / 8]))


def test_of_no_errors_there_are_no_shares_and_of_errors_without_regret_none_of_it() -> None:
    none = report_on_diagnosis({"one": [Diagnosed(Cause.RIGHT), Diagnosed(Cause.LOST)]})
    assert {(share.low, share.high) for share in (*none.of_errors, *none.of_penalized_regret)} == {(None, None)}
    free = report_on_diagnosis({"one": [Diagnosed(Cause.ACTING, 0.0)]})
    assert {share.cause: share.low for share in free.of_errors}[Cause.ACTING] == 1
    assert {share.low for share in free.of_penalized_regret} == {None}


@pytest.mark.more
def test_the_intervals_of_shares_cover_the_rates_of_planted_errors() -> None:
    covered = coverage(100)
    assert all(count >= 90 for count in covered.values()), covered


def coverage(repetitions: int) -> dict[str, int]:
    """In how many repetitions each interval covers what was planted: the rate of errors, and each cause's share."""
    total = sum(PLANTED.values())
    covered = dict.fromkeys(["errors", *(cause.value for cause in PLANTED)], 0)
    for repetition in range(repetitions):
        dice = random.Random(repetition)
        report = report_on_diagnosis(_play(dice))
        low, high = report.error_rate_interval
        covered["errors"] += low <= total <= high
        for share in report.of_errors:
            low, high = share.low_interval
            covered[share.cause.value] += low <= PLANTED[share.cause] / total <= high
    return covered


@pytest.mark.more
def test_the_intervals_of_shares_of_penalized_regret_cover_where_few_errors_weigh_most() -> None:
    """One error in twenty costs thirty actions, in ten tasks with eight errors each: seeing is half of the regret."""
    covered, repetitions = 0, 150
    for repetition in range(repetitions):
        dice = random.Random(repetition)
        causes, costs = (Cause.ACTING, Cause.SEEING), (1.0, 2.0, 30.0)
        suite = {
            str(task): [Diagnosed(dice.choice(causes), dice.choices(costs, (0.55, 0.4, 0.05))[0]) for _ in range(8)]
            for task in range(10)
        }
        share = next(each for each in report_on_diagnosis(suite).of_penalized_regret if each.cause is Cause.SEEING)
        covered += share.low_interval[0] <= 0.5 <= share.low_interval[1]
    assert covered / repetitions >= 0.93


TASKS = 30


def _play(dice: random.Random) -> dict[str, list[Diagnosed]]:
    """Thirty tasks of ten moments each, with errors planted in them."""
    causes, rates = [*PLANTED, Cause.RIGHT], [*PLANTED.values(), 1 - sum(PLANTED.values())]
    return {
        str(task): [dice.choice(slips())[1][dice.choices(causes, rates)[0]] for _ in range(10)] for task in range(TASKS)
    }
