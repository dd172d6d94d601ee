"""The model that plays the actions of a file."""

import json
from collections.abc import Callable
from itertools import count, takewhile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.actions import ACTION_SPACE
from gridworld.errors import ArgumentError
from gridworld.model_interface import AnswerFault, AnswerOutcome, EpisodeInfo, ModelInput
from gridworld.model_interface.replay_model import ReplayModel

Write = Callable[[str, Any], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(name: str, contents: Any) -> Path:
        path = tmp_path / name
        path.write_text(contents if isinstance(contents, str) else json.dumps(contents), encoding="utf-8")
        return path

    return written


def answer(model: ReplayModel, step: int) -> int:
    question = ModelInput(image=None, text_prompt="", action_space=dict(ACTION_SPACE), step_number=step, max_steps=100)
    return model.predict(question).action


def played(path: Path, task_id: str = "task") -> list[int]:
    """All actions for a task, up to the empty answer that ends them."""
    model = ReplayModel(path)
    model.begin_episode(EpisodeInfo(task_id, 1, "", 100))
    return list(takewhile(lambda action: action is not None, (answer_or_none(model, step) for step in count())))


def answer_or_none(model: ReplayModel, step: int) -> Any:
    try:
        return answer(model, step)
    except AnswerFault as fault:
        return None if fault.outcome is AnswerOutcome.EMPTY else fault


scripts = st.lists(st.integers(0, 6))
spelled = st.randoms(use_true_random=False)


@given(actions=scripts, rng=spelled)
def test_lists_of_ids_and_names_apply_to_every_task(write: Write, actions: list[int], rng: Any) -> None:
    mixed = [rng.choice([action, ACTION_SPACE[action]]) for action in actions]
    path = write("actions.json", mixed)
    assert played(path) == played(path, "another") == actions


@given(
    actions=scripts,
    rng=spelled,
    extra=st.lists(st.sampled_from(["", "  ", "# a remark", "\t# 99"])),
    end=st.sampled_from(["\n", "\r\n"]),
)
def test_lines_are_played_for_every_task(
    write: Write, actions: list[int], rng: Any, extra: list[str], end: str
) -> None:
    lines = [f" {rng.choice([action, ACTION_SPACE[action]])} " for action in actions]
    for each in extra:
        lines.insert(rng.randint(0, len(lines)), each)
    assert played(write("actions.txt", end.join(lines))) == actions


@given(by_task=st.dictionaries(st.text(), scripts))
def test_an_object_has_a_list_for_each_task(write: Write, by_task: dict[str, list[int]]) -> None:
    path = write("actions.json", by_task)
    for task_id, actions in by_task.items():
        assert played(path, task_id) == actions


def test_what_the_solver_prints_is_played_for_its_task(write: Write) -> None:
    path = write("plan.json", {"task_id": "t", "verdict": "solved", "length": 2, "plan": ["turn_left", "done"]})
    assert played(path, "t") == [0, 6]
    assert played(path, "u") == []


def test_actions_belong_to_steps_until_the_end_of_the_file(write: Write) -> None:
    model = ReplayModel(write("actions.txt", "1\n2\n3"))
    assert [answer(model, step) for step in (0, 1, 1, 0, 2)] == [1, 2, 2, 1, 3]
    with pytest.raises(AnswerFault, match=r"actions.txt has no action for step 4: it ends after 3"):
        answer(model, 3)


def test_missing_task_names_the_nearest_one(write: Write) -> None:
    model = ReplayModel(write("actions.json", {"t1_room": [2]}))
    model.begin_episode(EpisodeInfo("t1_rooms", 1, "", 100))
    with pytest.raises(AnswerFault, match=r"no actions for the task 't1_rooms' \(did you mean 't1_room'\?\)"):
        answer(model, 0)


@pytest.mark.parametrize(
    ("name", "contents", "messages"),
    [
        ("a.txt", "2\nfroward\n\n9", ["line 2: 'froward' is not an action", "line 4: 9 is not an action"]),
        ("a.txt", "-1", ["line 1: '-1' is not an action"]),
        ("a.txt", "9" * 5000, ["line 1: "]),
        ("a.txt", "move_foward", ["line 1: 'move_foward' is not an action (did you mean 'move_forward'?)"]),
        ("a.json", [2, "togle", True], ["[1]: 'togle' is not an action (did you mean 'toggle'?)", "[2]: expected the"]),
        ("a.json", {"t": [0, 7], "u": 3}, ["t[1]: 7 is not an action", "u: expected a list of actions, got 3"]),
        ("a.json", 3, ["expected a list of actions or an object of such lists, got 3"]),
        ("a.JSON", "[2,", ["it is not JSON: "]),
        ("a.json", {"task_id": "t", "plan": None}, ["plan: expected a list of actions, got None"]),
        ("a.json", {"task_id": "t", "plan": ["up"]}, ["plan[0]: 'up' is not an action"]),
    ],
)
def test_every_problem_has_its_place(write: Write, name: str, contents: Any, messages: list[str]) -> None:
    path = write(name, contents)
    with pytest.raises(ArgumentError) as caught:
        ReplayModel(path)
    headline, *problems = str(caught.value).splitlines()
    assert headline == f"{path} is not a valid file of actions:"
    assert len(problems) == len(messages)
    for problem, message in zip(problems, messages, strict=True):
        assert problem.startswith(f"  {message}")


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="there is no such file"):
        ReplayModel(tmp_path / "none.txt")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(ArgumentError, match="not UTF-8"):
        ReplayModel(tmp_path / "binary")
