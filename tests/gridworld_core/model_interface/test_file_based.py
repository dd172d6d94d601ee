"""What the file protocol writes, and how it waits; answers come from a thread that knows nothing but the folder."""

import json
import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from threading import Event, Thread
from typing import Any

import numpy as np
import pytest
from PIL import Image

from gridworld.actions import ACTION_SPACE
from gridworld.explaining.explanation import Explanation, LabelledPicture
from gridworld.model_interface import (
    AnswerFault,
    AnswerOutcome,
    EpisodeInfo,
    FileBasedModelInterface,
    ModelInput,
    ModelOutput,
    ReplyForm,
)

LONG = 60.0
Reply = Callable[[Any], dict[str, Any]]


def pixels(shade: int) -> np.ndarray:
    return np.full((4, 6, 3), shade, dtype=np.uint8)


def asked(step: int = 0, **fields: Any) -> ModelInput:
    given = {"image": pixels(9), "text_prompt": "reach the goal", "action_space": dict(ACTION_SPACE), "max_steps": 50}
    return ModelInput(step_number=step, **{**given, **fields})


def episode(task_id: str = "task", seed: int = 1) -> EpisodeInfo:
    return EpisodeInfo(task_id=task_id, seed=seed, mission="reach the goal", max_steps=50)


def waiting(folder: Path, timeout: float = LONG) -> FileBasedModelInterface:
    return FileBasedModelInterface(folder, timeout=timeout, poll_interval=0.002)


def requests(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("request_*.json"))


def put(request: Path, reply: dict[str, Any], **changes: Any) -> Path:
    """Answer one request by the rules, but for some changes; the answer's file."""
    data = json.loads(request.read_text())
    answer = request.with_name(data["answer_file"])
    temporary = answer.with_name(".mine.tmp")
    temporary.write_text(json.dumps({"schema_version": 1, "request_id": data["request_id"], **reply, **changes}))
    temporary.replace(answer)
    return answer


@contextmanager
def answering(folder: Path, reply: Reply) -> Iterator[list[Any]]:
    """Answer every request in the folder with what `reply` makes of it; the requests, in order."""
    stop, seen, known = Event(), [], set()

    def work() -> None:
        while not stop.wait(0.002):
            for path in requests(folder):
                if path not in known:
                    known.add(path)
                    seen.append(json.loads(path.read_text()))
                    put(path, reply(seen[-1]))

    thread = Thread(target=work)
    thread.start()
    try:
        yield seen
    finally:
        stop.set()
        thread.join()


def test_the_answer_is_that_of_the_file(tmp_path: Path) -> None:
    model = waiting(tmp_path / "made" / "when needed")
    model.begin_episode(episode())
    with answering(tmp_path, lambda request: {"action": "pickup", "reasoning": "a key", "confidence": 0.5}):
        output = model.predict(asked())
    assert isinstance(output, ModelOutput)
    assert (output.action, output.reasoning, output.confidence) == (3, "a key", 0.5)
    assert output.usage is not None
    assert output.usage.seconds is not None


def test_request_holds_the_whole_input(tmp_path: Path) -> None:
    model = waiting(tmp_path)
    model.begin_episode(episode("a/ß", 7))
    given = asked(
        3,
        prior_images=[pixels(1), pixels(2)],
        additional_context="Step 3: done: waited.",
        text_observation="#@G#",
        explanation=Explanation("- key", "- key: opens", (LabelledPicture("Legend: key", pixels(3)),)),
        correction="Not that.",
        feedback="move_forward: bumped into a wall.",
        note="east is shut",
        reply=ReplyForm(4, subgoal=True, note_length=9),
        action_space={0: "turn_left", 10: "jump"},
    )
    with answering(tmp_path, lambda request: {"action": "jump"}) as seen:
        assert model.predict(given).action == 10

    (path,) = requests(tmp_path)
    folder = path.parent
    assert seen == [
        {
            "schema_version": 1,
            "request_id": f"{folder.parent.name}/{folder.name}/0000",
            "answer_file": "answer_0000.json",
            "answer_within_seconds": LONG,
            "task_id": "a/ß",
            "seed": 7,
            "mission": "reach the goal",
            "action_space": {"0": "turn_left", "10": "jump"},
            "step": 3,
            "max_steps": 50,
            "image": "request_0000.png",
            "prior_images": ["request_0000.prior_0.png", "request_0000.prior_1.png"],
            "text_observation": "#@G#",
            "legend": "- key",
            "legend_images": [{"file": "legend_00.png", "label": "Legend: key"}],
            "rules": "- key: opens",
            "examples": None,
            "history": "Step 3: done: waited.",
            "correction": "Not that.",
            "feedback": "move_forward: bumped into a wall.",
            "note": "east is shut",
            "reply": {"max_actions": 4, "subgoal": True, "note_length": 9},
        }
    ]
    pictures = {"request_0000.png": 9, "request_0000.prior_0.png": 1, "request_0000.prior_1.png": 2, "legend_00.png": 3}
    for name, shade in pictures.items():
        assert np.array_equal(np.asarray(Image.open(folder / name)), pixels(shade))


def test_what_a_model_is_not_given_is_null(tmp_path: Path) -> None:
    model = waiting(tmp_path, timeout=LONG)
    with answering(tmp_path, lambda request: {"action": 6}) as seen:
        model.predict(asked(image=None))
    absent = ("image", "prior_images", "text_observation", "legend", "legend_images", "rules", "history", "correction")
    assert [seen[0][field] for field in absent] == [None] * 8
    assert not list(tmp_path.rglob("*.png"))


def test_requests_appear_after_their_pictures(tmp_path: Path) -> None:
    model, missing = waiting(tmp_path), []

    def look(request: Any) -> dict[str, Any]:
        folder = requests(tmp_path)[0].parent
        missing.extend(name for name in [request["image"], *request["prior_images"]] if not (folder / name).exists())
        return {"action": 0}

    with answering(tmp_path, look) as seen:
        for step in range(20):
            model.predict(asked(step, image=np.zeros((256, 256, 3), np.uint8), prior_images=[pixels(0)] * step))
    assert len(seen) == 20
    assert missing == []
    assert not [path for path in tmp_path.rglob("*") if path.name.startswith(".")]


def test_asking_for_a_step_again_is_a_new_request(tmp_path: Path) -> None:
    model = waiting(tmp_path)
    numbers = count()
    with answering(tmp_path, lambda request: {"action": next(numbers)}) as seen:
        actions = [model.predict(asked(5)).action, model.predict(asked(5, correction="Again.")).action]
    assert actions == [0, 1]
    assert [request["step"] for request in seen] == [5, 5]
    assert len({request["request_id"] for request in seen}) == 2


def test_an_answer_left_over_is_waited_past(tmp_path: Path) -> None:
    """The folder of an earlier run, with all its answers, becomes that of the present one."""
    early, late = waiting(tmp_path), waiting(tmp_path, timeout=0.05)
    with answering(tmp_path, lambda request: {"action": 1}):
        early.predict(asked())
    (old,) = requests(tmp_path)
    with pytest.raises(AnswerFault):
        late.predict(asked())
    (new,) = set(requests(tmp_path)) - {old}
    stale = old.with_name("answer_0000.json").read_text()
    new.with_name("answer_0001.json").write_text(stale)

    with pytest.raises(AnswerFault, match=f"it answers another request, '{old.parents[1].name}/") as caught:
        late.predict(asked())

    assert caught.value.outcome is AnswerOutcome.INFRASTRUCTURE


def test_missing_answer_names_file_time_and_program(tmp_path: Path) -> None:
    model = waiting(tmp_path, timeout=0.02)
    model.begin_episode(episode())
    with pytest.raises(AnswerFault) as caught:
        model.predict(asked())
    (request,) = requests(tmp_path)
    assert caught.value.outcome is AnswerOutcome.INFRASTRUCTURE
    answer = request.with_name("answer_0000.json")
    assert caught.value.message == (
        f"no answer after 0.02 s in {answer} (there is no such file); "
        f"is 'python examples/answer_files.py {tmp_path}' running?"
    )


def test_an_answer_in_pieces_is_read_when_it_is_whole(tmp_path: Path) -> None:
    model = waiting(tmp_path)
    written = Event()

    def write_slowly() -> None:
        while not (found := requests(tmp_path)):
            pass
        data = json.loads(found[0].read_text())
        text = json.dumps({"schema_version": 1, "request_id": data["request_id"], "action": "toggle"})
        with found[0].with_name(data["answer_file"]).open("w") as answer:
            for letter in text:
                answer.write(letter)
                answer.flush()
                written.wait(0.005)

    thread = Thread(target=write_slowly)
    thread.start()
    assert model.predict(asked()).action == 5
    thread.join()


def test_half_an_answer_is_unparsable_after_the_timeout(tmp_path: Path) -> None:
    model = waiting(tmp_path, timeout=0.05)
    with pytest.raises(AnswerFault):
        model.predict(asked())
    (request,) = requests(tmp_path)
    request.with_name("answer_0001.json").write_text('{"schema_version": 1, "act')
    with pytest.raises(AnswerFault, match="it is not JSON") as caught:
        model.predict(asked())
    assert caught.value.outcome is AnswerOutcome.UNPARSABLE


def test_unwritable_folder_is_a_permanent_fault(tmp_path: Path) -> None:
    waiting(tmp_path / "folder").check_ready()
    late, early = waiting(tmp_path / "file"), waiting(tmp_path / "file" / "folder")
    (tmp_path / "file").write_text("in the way")
    for use in (lambda: late.predict(asked()), early.check_ready):
        with pytest.raises(AnswerFault, match="cannot write a request into") as caught:
            use()
        assert (caught.value.outcome, caught.value.permanent) == (AnswerOutcome.INFRASTRUCTURE, True)


def test_every_episode_has_its_own_folder(tmp_path: Path) -> None:
    model = waiting(tmp_path)
    copy = pickle.loads(pickle.dumps(model))
    with answering(tmp_path, lambda request: {"action": 6}):
        for player, info in ((model, episode()), (copy, episode()), (model, episode()), (model, episode("../x", 2))):
            player.begin_episode(info)
            for step in range(2):
                player.predict(asked(step))
    (run,) = tmp_path.iterdir()
    names = sorted(folder.name for folder in run.iterdir())
    assert names[:3] == ["_.._x-" + names[0][6:], "task-seed1", "task-seed1-2"]
    assert names[3:] == ["task-seed1-3"]
    assert {len(requests(folder)) for folder in run.iterdir()} == {2}


def test_models_share_a_folder(tmp_path: Path) -> None:
    """Each of them expects the actions that belong to its own seed."""

    def play(seed: int) -> list[int]:
        model = waiting(tmp_path)
        model.begin_episode(episode(seed=seed))
        return [model.predict(asked(step)).action for step in range(15)]

    def reply(request: Any) -> dict[str, Any]:
        return {"action": (request["seed"] * 3 + request["step"]) % 7}

    with answering(tmp_path, reply), ThreadPoolExecutor(6) as pool:
        actions = list(pool.map(play, [1, 2, 3, 1, 2, 3]))
    assert actions == [[(seed * 3 + step) % 7 for step in range(15)] for seed in (1, 2, 3, 1, 2, 3)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"timeout": 0}, "timeout must be more than 0, got 0"),
        ({"timeout": float("nan")}, "timeout must be more than 0, got nan"),
        ({"poll_interval": -1}, "poll_interval must be more than 0, got -1"),
        ({"folder": Path(__file__)}, r"folder: .* is not a folder"),
    ],
)
def test_arguments_outside_their_range_are_refused(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        FileBasedModelInterface(**{"folder": tmp_path, **options})
