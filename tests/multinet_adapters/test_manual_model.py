"""A model in a web chat: what is written for whoever carries questions to it, and what is read of the replies."""

import io
import json
import signal
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from subprocess import PIPE
from typing import Any

import numpy as np
import pytest
from PIL import Image

from gridworld.model_interface import AnswerFault, AnswerOutcome, EpisodeInfo, ModelInput, PromptText, ReplyForm
from multinet_adapters.manual_model import ManualModel, write_packet
from support.programs import Finished, assert_refused, run, start
from support.runs import write_corridor

TIMEOUT = 60
INTERRUPTED = 130


@pytest.fixture
def paste(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Puts a text where the model reads."""
    return lambda text: monkeypatch.setattr("sys.stdin", io.StringIO(text))


def packets(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)).partition("/")[2] for path in folder.rglob("question_*"))


def fault_of(model: ManualModel, input: ModelInput) -> AnswerFault:
    with pytest.raises(AnswerFault) as caught:
        model.predict(input)
    return caught.value


# --- packets ---------------------------------------------------------------------------------------------------


def test_a_packet_is_a_text_to_paste_and_the_pictures_to_attach(tmp_path: Path, question: Any, paste: Any) -> None:
    paste("Action: 2\n.\n")
    before, now = (np.full((4, 6, 3), shade, dtype=np.uint8) for shade in (1, 2))
    model = ManualModel(tmp_path)
    model.begin_episode(EpisodeInfo("t1/a", 7, "reach the goal", 20))
    output = model.predict(question(image=now, prior_images=[before], additional_context="Step 1: turned."))
    assert (output.action, output.raw_output) == (2, "Action: 2\n")
    assert output.usage is not None
    (text,) = tmp_path.rglob("question_0000.txt")
    pictures = [text.with_name(f"question_0000.picture_{number}.png") for number in (1, 2)]
    assert [np.asarray(Image.open(path))[0, 0, 0] for path in pictures] == [1, 2]
    written = text.read_text(encoding="utf-8")
    told = ["You control the agent", "[Picture 1: Observation 1 step ago]", "[Picture 2: Current observation]"]
    told += ["Mission: reach the goal", "Step 1: turned.", "Action: <id or name>"]
    assert [written.count(each) for each in told] == [1] * len(told)
    assert sorted(told, key=written.index) == told


def test_each_question_has_a_packet_of_its_own_in_the_folder_of_its_episode(
    tmp_path: Path, question: Any, paste: Any
) -> None:
    paste("Action: 2\n.\n" * 3)
    model = ManualModel(tmp_path)
    for task, steps in (("a", 2), ("b", 1)):
        model.begin_episode(EpisodeInfo(task, 1, "reach the goal", 20))
        for step in range(steps):
            model.predict(question(image=None, step_number=step))
    assert packets(tmp_path) == ["a-seed1/question_0000.txt", "a-seed1/question_0001.txt", "b-seed1/question_0000.txt"]


def test_earlier_turns_of_a_conversation_are_told_as_what_the_model_has_said(tmp_path: Path) -> None:
    parts = [PromptText("user", "Step 1"), PromptText("assistant", "Action: 2"), PromptText("user", "Step \x1b2")]
    (path,) = write_packet(tmp_path / "question.txt", parts)
    assert path.read_text() == "Step 1\n\nYou answered:\n\nAction: 2\n\nStep \\x1b2\n"


def test_nothing_is_written_when_a_prompt_is_only_looked_at(tmp_path: Path, question: Any) -> None:
    ManualModel(tmp_path / "chat").rendered_prompt(question())
    assert not (tmp_path / "chat").exists()


# --- replies ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pasted", "outcome"),
    [
        ("I would go on.\n.\n", AnswerOutcome.UNPARSABLE),
        ("Action: jump\n.\n", AnswerOutcome.ILLEGAL),
        ("\n.\n", AnswerOutcome.EMPTY),
        ("", AnswerOutcome.INFRASTRUCTURE),
        ("Action: 2\n", AnswerOutcome.INFRASTRUCTURE),
    ],
)
def test_what_is_no_answer_is_told_by_its_kind(
    tmp_path: Path, question: Any, paste: Any, pasted: str, outcome: AnswerOutcome
) -> None:
    paste(pasted)
    fault = fault_of(ManualModel(tmp_path), question())
    assert (fault.outcome, fault.permanent) == (outcome, outcome is AnswerOutcome.INFRASTRUCTURE)


def test_a_reply_ends_with_a_full_stop_alone_whatever_it_holds_before(
    tmp_path: Path, question: Any, paste: Any
) -> None:
    paste('A wall...\n\n```json\n{"action": "toggle"}\n```\n.\nAction: 0\n.\n')
    model = ManualModel(tmp_path)
    assert [model.predict(question()).action for _ in range(2)] == [5, 0]


def test_a_question_says_what_was_wrong_with_the_last_answer(
    tmp_path: Path, question: Any, paste: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    paste("Action: 2\n.\n")
    ManualModel(tmp_path).predict(question(correction="'jump' is not an action"))
    (text,) = tmp_path.rglob("question_0000.txt")
    for told in (text.read_text(), capsys.readouterr().err):
        assert "'jump' is not an action" in told


def test_several_actions_may_be_asked_for(tmp_path: Path, question: Any, paste: Any) -> None:
    paste("Actions: 2, turn_left\n.\n")
    output = ManualModel(tmp_path).predict(question(reply=ReplyForm(max_actions=3)))
    assert output.actions == (2, 0)


def test_a_reply_may_be_saved_beside_its_question(tmp_path: Path, question: Any) -> None:
    def save() -> None:
        while not (found := list(tmp_path.rglob("question_0000.txt"))):
            time.sleep(0.01)
        found[0].with_name("answer_0000.txt").write_text("Action: 3")

    with ThreadPoolExecutor(1) as somebody:
        saved = somebody.submit(save)
        assert ManualModel(tmp_path, replies="file", poll_interval=0.01).predict(question()).action == 3
        saved.result()


def test_a_file_that_does_not_come_in_time_is_a_fault_of_the_infrastructure(tmp_path: Path, question: Any) -> None:
    fault = fault_of(ManualModel(tmp_path, replies="file", timeout=0.02, poll_interval=0.01), question())
    assert (fault.outcome, fault.permanent) == (AnswerOutcome.INFRASTRUCTURE, False)
    assert "answer_0000.txt (there is no such file)" in fault.message


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"timeout": 0}, "timeout must be above 0"),
        ({"poll_interval": 0}, "poll_interval must be above 0"),
        ({"prompt": "standart"}, "did you mean 'standard'"),
    ],
)
def test_a_setting_that_cannot_be_is_refused(tmp_path: Path, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ManualModel(tmp_path, **settings)


def test_a_folder_that_cannot_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a file").write_text("")
    with pytest.raises(ValueError, match="is not a folder"):
        ManualModel(tmp_path / "a file")
    with pytest.raises(AnswerFault, match="cannot write a question into") as caught:
        ManualModel(tmp_path / "a file" / "below").check_ready()
    assert caught.value.permanent


# --- whole programs --------------------------------------------------------------------------------------------


@pytest.fixture
def line(tmp_path: Path) -> list[str]:
    """The arguments of a run of one task, which three steps straight on solve."""
    write_corridor(tmp_path / "tasks", "corridor", "@..G")
    return ["--model", "manual", "-M", f"folder={tmp_path / 'chat'}", "--task-dir", str(tmp_path / "tasks"), "--json"]


def play(replies: str, program: str, *arguments: str) -> Finished:
    with start(program, *arguments, stdin=PIPE) as process:
        printed, told = process.communicate(replies, timeout=TIMEOUT)
    return Finished(arguments, process.wait(), printed, told)


def test_a_bad_reply_is_told_and_asked_for_again(tmp_path: Path, line: list[str]) -> None:
    replies = "Action: move_forward\n.\nI would go on.\n.\nAction: 2\n.\nAction: 2\n.\n"
    finished = play(replies, "multinet-run-eval", *line)
    assert finished.returncode == 0, finished.stderr
    (result,) = json.loads(finished.stdout)["task_results"]
    assert (result["success"], result["steps_taken"]) == (True, 3)
    assert "paste each reply here" in finished.stderr
    assert "corridor: step 2 of" in finished.stderr
    assert "asked again: no answer in the requested form" in finished.stderr
    assert len([name for name in packets(tmp_path / "chat") if name.endswith(".txt")]) == 4


def test_an_interrupted_run_goes_on_where_it_was_left(tmp_path: Path, line: list[str]) -> None:
    directory = str(tmp_path / "run")
    with start("multinet-run-eval", *line, "--run-dir", directory, stdin=PIPE) as process:
        process.stdin.write("Action: 2\n.\n")
        process.stdin.flush()
        told = ""
        while "step 2 of" not in told:
            told += process.stderr.readline()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=TIMEOUT)
    assert process.returncode == INTERRUPTED
    finished = play("Action: 2\n.\n" * 2, "multinet", "runs", "resume", directory, "--json")
    assert finished.returncode == 0, finished.stderr
    (result,) = json.loads(finished.stdout)["task_results"]
    assert (result["success"], result["steps_taken"]) == (True, 3)
    assert "step 1 of" not in finished.stderr


def test_a_folder_has_to_be_named() -> None:
    assert_refused(run("multinet-run-eval", "--model", "manual"), "model 'manual' needs the argument folder")
