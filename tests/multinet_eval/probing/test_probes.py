"""Probes: what is asked can be answered, right answers get full marks, and others what they deserve."""

import json
import random
from collections import Counter
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

import attrs
import pytest
from hypothesis import given

from gridworld.task.colors import ANY_COLORS
from gridworld.task_spec import Rules, TaskSpecification
from multinet_eval.probing.probes.boards import TranscriptionProbe
from multinet_eval.probing.questions import Asked, ProbeSettings
from multinet_eval.probing.report import ProbeReport, report_on
from multinet_eval.probing.running import load_probes, make_questions
from multinet_eval.settings.run_settings import RunSettings
from multinet_eval.statistics.intervals import mean_interval
from support.runs import PROBES, AskedModel, answered
from support.thoroughness import bounded
from support.worlds import block, describe, door, draw, draw_everything, gate, hazard, key, switch, tasks

TILINGS = ("square", "hex", *(pytest.param(each, marks=pytest.mark.more) for each in ("triangle", "488", "3464")))


def questions_about(
    tasks: Iterable[TaskSpecification], *probes: str, tiling: str | None = None, states: int = 2, seed: int = 0
) -> list[Asked]:
    """Questions of some probes, by default of all."""
    settings = RunSettings(model="asked", tilings=(tiling,))
    return list(make_questions(settings, ProbeSettings(probes or PROBES, states, seed), tasks, AskedModel()))


def reports_on(asked: list[Asked], say: Callable[[Asked], Any]) -> dict[str, ProbeReport]:
    """What comes of answers, by probe."""
    answers = [answered(each, say(each)) for each in asked]
    return {each.probe: each for each in report_on(answers, load_probes(PROBES), {})}


def scores_of(report: ProbeReport) -> dict[str, float | None]:
    return {measure.name: measure.score for measure in report.measures}


def rooms() -> list[TaskSpecification]:
    """Two tasks of a few cells, with other things in other places."""
    one = describe("#######\n#@.k.G#\n#..D..#\n#######", k=key("red"), D=door("red"))
    other = describe("#######\n#@...k#\n#.GD..#\n#######", k=key("blue"), D=door("blue"))
    return [TaskSpecification.from_dict({**each, "task_id": name}) for name, each in (("one", one), ("other", other))]


@pytest.mark.parametrize("tiling", TILINGS)
def test_a_model_that_sees_everything_scores_1_everywhere_on_every_tiling(tiling: str) -> None:
    things = {"s": switch("g"), "g": gate(), "b": block(), "h": hazard()}
    suite = [*rooms(), draw("#######\n#@sgb.#\n#..h.G#\n#######", **things)]
    reports = reports_on(questions_about(suite, tiling=tiling), lambda asked: asked.question.right)
    assert set(reports) == set(PROBES)
    for each in reports.values():
        assert not each.unreadable
        assert all(measure.score == measure.with_unreadable == 1 for measure in each.measures)
        assert all(group.right == group.asked for group in each.groups)


def test_a_score_is_the_mean_over_mazes_and_so_is_its_interval() -> None:
    """Of ten mazes one is always seen and one half of the time."""
    suite = [attrs.evolve(rooms()[0], task_id=f"room-{number}") for number in range(10)]
    asked = questions_about(suite, "front", states=6)
    turns = Counter[str]()

    def say(each: Asked) -> Any:
        turns[each.place.task] += 1
        seen = each.place.task == "room-0" or (each.place.task == "room-1" and turns["room-1"] % 2)
        return (
            each.question.right if seen else {"answer": next(a for a in "AB" if {"answer": a} != each.question.right)}
        )

    (found,) = (each.measures[0] for each in reports_on(asked, say).values())
    half = (turns["room-1"] + 1) // 2 / turns["room-1"]
    assert found.mazes == 10
    assert found.score == pytest.approx((1 + half) / 10)
    assert found.interval == pytest.approx(mean_interval([1.0, half, *[0.0] * 8]))


def test_a_maze_that_is_asked_about_more_often_counts_no_more_than_another() -> None:
    asked = [*questions_about(rooms()[:1], "pose", states=6), *questions_about(rooms()[1:], "pose", states=1)]
    (found,) = reports_on(asked, lambda each: each.question.right if each.place.task == "one" else "no").values()
    assert found.measures[0].with_unreadable == 0.5


@given(tasks(max_side=6))
@bounded(5)
def test_right_answers_read_as_entirely_right_in_any_task(task: TaskSpecification) -> None:
    probes = load_probes(PROBES)
    for asked in questions_about([task]):
        probe, question = probes[asked.place.probe], asked.question
        truth = probe.read(question, json.loads(json.dumps(dict(question.right))))
        assert all(counts.f1 == 1 for counts in probe.grade(question, truth, truth).scores.values())


def test_the_same_seed_asks_the_same_and_another_one_does_not() -> None:
    def texts(seed: int) -> list[str]:
        return [asked.question.text for asked in questions_about(rooms(), seed=seed)]

    assert texts(1) == texts(1)
    assert texts(1) != texts(2)


def test_what_is_asked_of_a_task_does_not_depend_on_the_tasks_beside_it() -> None:
    """But for what is explained, which follows the suite."""
    alone = {asked.place: asked.question for asked in questions_about(rooms()[1:])}
    together = {asked.place: asked.question for asked in questions_about(rooms()) if asked.place.task == "other"}
    assert alone == together


def test_absent_things_are_asked_for_and_options_are_in_any_order() -> None:
    asked = questions_about(rooms(), "find", "cell", states=4)
    assert any(each.question.right == {"cell": None} for each in asked)
    letters = {each.question.right["answer"] for each in asked if each.place.probe == "cell"}
    assert len(letters) > 2


def test_unparsable_answers_are_counted_apart_and_given_both_ways() -> None:
    asked = questions_about(rooms(), "pose", states=4)
    reports = reports_on(asked, lambda each: "right there" if each.place.task == "one" else each.question.right)
    silent = sum(each.place.task == "one" for each in asked)
    assert reports["pose"].unreadable == {"unparsable": silent}
    both = reports["pose"].measures[0]
    assert both.score == 1
    assert both.with_unreadable == pytest.approx(1 - silent / len(asked))


@pytest.mark.parametrize(
    "text", ['{"cell": [1, 1], "cell": [2, 2]}', '{"cell": "there"}', "[1, 1]", '{"cell": [1.5, 1]}']
)
def test_an_answer_that_is_nearly_in_the_form_is_not_read(text: str) -> None:
    reports = reports_on(questions_about(rooms(), "pose"), lambda each: text)
    assert scores_of(reports["pose"])["both"] is None


def test_a_board_that_is_shifted_as_a_whole_is_told_from_one_that_is_not_seen() -> None:
    def shifted(asked: Asked) -> Any:
        rows = asked.question.right["rows"]
        return {**asked.question.right, "rows": [row[-1] + row[:-1] for row in rows]}

    scores = scores_of(reports_on(questions_about(rooms(), "board"), shifted)["board"])
    assert scores["things"] == 0
    assert scores["shifted"] == 1
    assert scores["exact"] == 0


def test_walls_do_not_count_as_things() -> None:
    def only_walls(asked: Asked) -> Any:
        return {"rows": ["".join("#" if each == "#" else "." for each in row) for row in asked.question.right["rows"]]}

    scores = scores_of(reports_on(questions_about(rooms(), "board"), only_walls)["board"])
    assert scores["things"] == 0
    assert scores["walls"] == 1


def test_a_wrong_colour_and_a_wrong_state_are_wrong_and_told_by_thing() -> None:
    def recolored(asked: Asked) -> Any:
        return json.loads(json.dumps(dict(asked.question.right)).replace("red key", "green key"))

    report = reports_on(questions_about(rooms()[:1], "listing", states=6), recolored)["listing"]
    right = {group.value: group.right / group.asked for group in report.groups if group.by == "thing"}
    assert right == {"door": 1, "goal": 1, "key": 0}


def test_confusions_say_what_was_taken_for_what() -> None:
    def keys_for_doors(asked: Asked) -> Any:
        return json.loads(json.dumps(dict(asked.question.right)).replace("locked red door", "red key"))

    report = reports_on(questions_about(rooms()[:1], "listing", states=6), keys_for_doors)["listing"]
    assert report.confusions["door"]["key"] > 0


def test_the_chance_levels_are_those_of_one_answer_for_all_and_of_answers_for_another_task() -> None:
    asked = questions_about(rooms(), "listing", states=1)
    measures = {each.name: each for each in reports_on(asked, lambda each: each.question.right)["listing"].measures}
    assert measures["exact"].best_constant == 0.5
    assert measures["exact"].other_task == 0


def test_nothing_unseen_is_asked_for_or_right() -> None:
    hidden = attrs.evolve(draw_everything(), rules=Rules(observability="view_cone", view_size=3))
    asked = questions_about([hidden], states=2)
    assert {each.place.probe for each in asked} <= set(PROBES) - {"distance", "effects"}
    boards = [each.question.right["rows"] for each in asked if each.place.probe == "board"]
    listed = [each.question.right["things"] for each in asked if each.place.probe == "listing"]
    for rows, things in zip(boards, listed, strict=True):
        assert "?" in "".join(rows)
        assert all(rows[y][x] != "?" for x, y in (thing["cell"] for thing in things))


@pytest.mark.more
def test_the_interval_of_a_score_covers_the_rate_of_planted_misreadings() -> None:
    """Misreadings are a function of the frame: whoever misreads one answers all questions about it wrong."""
    assert coverage(20) >= 17


RATE = 0.3


def coverage(repetitions: int) -> int:
    """In how many repetitions the interval covers the planted rate of right answers."""
    asked = corridors()
    frames = sorted({str(attrs.evolve(each.place, probe="", number=0)) for each in asked})
    covered = 0
    for repetition in range(repetitions):
        dice = random.Random(repetition)
        misread = {frame for frame in frames if dice.random() < RATE}

        def say(each: Asked, misread: set[str] = misread) -> Any:
            if str(attrs.evolve(each.place, probe="", number=0)) not in misread:
                return each.question.right
            options = sorted(each.question.facts["options"])
            return {"answer": next(letter for letter in options if letter != each.question.right["answer"])}

        low, high = reports_on(asked, say)["front"].measures[0].interval
        covered += low <= 1 - RATE <= high
    return covered


@lru_cache(maxsize=1)
def corridors() -> list[Asked]:
    """What is in front of the agent at four moments of each of thirty tasks."""
    things = {"k": key(), "D": door(None, "closed"), "b": block(), "g": gate("open"), "h": hazard()}
    suite = []
    for letter, thing in things.items():
        for left in range(6):
            row = "#@" + "." * left + letter + "." * (5 - left) + "G#"
            data = describe(f"##########\n{row}\n#........#\n##########", **{letter: thing})
            suite.append(TaskSpecification.from_dict({**data, "task_id": f"{letter} {left}"}))
    return questions_about(suite, "front", states=4)


def test_a_board_may_show_more_kinds_of_things_than_there_are_letters_and_digits() -> None:
    """Each block has a colour of its own."""
    names = sorted(ANY_COLORS)[:90]
    cells = [[1 + number % 18, 2 + number // 18] for number in range(len(names))]
    blocks = [
        {"id": f"b{number}", "position": cell, "color": name}
        for number, (cell, name) in enumerate(zip(cells, names, strict=True))
    ]
    task = TaskSpecification.from_dict(
        {
            "task_id": "colourful",
            "seed": 1,
            "difficulty_tier": 1,
            "max_steps": 40,
            "maze": {"dimensions": [20, 9], "walls": [], "start": [1, 1], "goal": [18, 1]},
            "mechanisms": {"blocks": blocks},
            "goal": {"type": "reach_position", "target": [18, 1]},
        }
    )
    (asked,) = questions_about([task], "board", states=1)
    board = TranscriptionProbe().read(asked.question, asked.question.right)
    assert len({thing.name for thing in board.things}) == len(names) + 1
