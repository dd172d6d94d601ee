"""Episodes in lockstep: a batch model is asked for the next step of all of them at once."""

from collections.abc import Callable
from pathlib import Path

import pytest

from support.commands import Finished, multinet, run_eval
from support.plugins import install_models
from support.run_folders import results_of
from support.scenarios import exported
from support.task_files import write_corridors
from support.thoroughness import first_by_default

MODELS = """
from pathlib import Path
from zlib import crc32

from gridworld.model_interface import AnswerFault, AnswerOutcome, BatchModel, ModelOutput, Trouble


class Walking(BatchModel):
    '''Moves forward, and writes down the sizes of batches.'''

    model_name = "walking"

    def __init__(self, notes: Path):
        self.notes = notes

    def resume_episode(self, episode, steps):
        return True

    def predict(self, input):
        (answer,) = self.answers([input])
        return answer

    def predict_batch(self, inputs):
        return self.answers(inputs)

    def answers(self, inputs):
        with self.notes.open("a") as notes:
            notes.write(f"{len(inputs)}" + chr(10))
        return [self.choose(each) for each in inputs]

    def choose(self, input):
        return ModelOutput(2)


class Hashing(Walking):
    '''Acts by a hash of the prompt and the step.'''

    def choose(self, input):
        text = f"{input.text_prompt}{input.step_number}{input.max_steps}"
        return ModelOutput((2, 2, 2, 2, 0, 1, 5, 6)[crc32(text.encode()) % 8])


class Crowded(Walking):
    '''Takes at most two questions at once.'''

    def predict_batch(self, inputs):
        answers = self.answers(inputs)
        too_much = AnswerFault(AnswerOutcome.INFRASTRUCTURE, "no memory", trouble=Trouble.OVERLOADED)
        return [*answers[:2], *[too_much] * len(answers[2:])]


class Raising(Walking):
    def predict_batch(self, inputs):
        raise LookupError("out of words")


class Sparing(Walking):
    def predict_batch(self, inputs):
        return [self.choose(inputs[0])]


class Refusing(Walking):
    def predict_batch(self, inputs):
        raise AnswerFault(AnswerOutcome.REFUSED, "no")


"""
NAMES = ("Walking", "Hashing", "Crowded", "Raising", "Sparing", "Refusing")
STEPS = 4
Play = Callable[..., Finished]


@pytest.fixture
def alike(tmp_path: Path) -> Path:
    """Six corridors, each won in four steps."""
    return write_corridors(tmp_path / "alike", *[STEPS] * 6)


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    """Corridors of several lengths."""
    return write_corridors(tmp_path / "mixed", 2, 5, 3, 7, 4, 6)


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Play:
    """Plays with a model of `MODELS`, and records in the folder of that name."""
    install_models(monkeypatch, tmp_path / "lockstep", MODELS, {name.lower(): name for name in NAMES})

    def play(model: str, tasks: Path, name: str, *options: object) -> Finished:
        given = ("-m", model, "-M", f"notes={tmp_path / 'batches'}", "-B", "render_mode=none", "-q")
        return run_eval(*given, "--task-dir", tasks, "--run-dir", tmp_path / name, *options)

    return play


def batches(folder: Path) -> list[int]:
    """Sizes of the batches since the last call."""
    path = folder / "batches"
    sizes = [int(line) for line in path.read_text().splitlines()]
    path.unlink()
    return sizes


def test_all_episodes_are_asked_for_at_once(play: Play, alike: Path, tmp_path: Path) -> None:
    assert play("walking", alike, "run", "--batch-size", 3).exit_code == 0
    assert batches(tmp_path) == [3] * 2 * STEPS


def test_an_episode_that_ends_makes_room_for_the_next(play: Play, mixed: Path, tmp_path: Path) -> None:
    assert play("hashing", mixed, "run", "--batch-size", 4, "--epochs", 3).exit_code == 0
    sizes, steps = batches(tmp_path), len(exported(tmp_path / "run", "steps"))
    assert sum(sizes) == steps
    assert sizes == sorted(sizes, reverse=True)
    assert 4 * sizes.count(4) > steps / 2


@first_by_default("size", [3, 1, 5])
def test_a_budget_of_requests_is_kept_to_and_the_rest_is_played_in_batches_of_another_size(
    play: Play, mixed: Path, tmp_path: Path, size: int
) -> None:
    assert play("hashing", mixed, "whole").exit_code == 0
    asked = len(batches(tmp_path))
    assert play("hashing", mixed, "parts", "--batch-size", size, "--max-requests", 20).exit_code == 1
    assert sum(batches(tmp_path)) == 20
    resumed = multinet("runs", "resume", tmp_path / "parts", "--batch-size", 7 - size, "--max-requests", "none")
    assert resumed.exit_code == 0, resumed.stderr
    assert sum(batches(tmp_path)) == asked - 20
    assert results_of(tmp_path / "parts") == results_of(tmp_path / "whole")


def test_a_model_that_is_asked_too_much_at_once_is_asked_less(play: Play, alike: Path, tmp_path: Path) -> None:
    assert play("crowded", alike, "run", "--batch-size", 6, "--epochs", 3).exit_code == 0
    sizes = batches(tmp_path)
    assert sizes[0] == 6
    later = sizes[len(sizes) // 2 :]
    assert sum(later) / len(later) < 4
    results = results_of(tmp_path / "run")
    assert (results["num_success"], results["num_episodes"]) == (18, 18)
    assert {each["error"] for each in results["task_results"]} == {None}
    assert {each["steps_taken"] for each in results["task_results"]} == {STEPS}


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("raising", "failed in predict_batch in a batch of 6: LookupError: out of words"),
        ("sparing", "failed in predict_batch in a batch of 6: returned 1 answers to 6 questions"),
    ],
)
def test_a_batch_model_that_fails_ends_the_episodes_it_was_asked_for(
    play: Play, alike: Path, tmp_path: Path, model: str, said: str
) -> None:
    assert play(model, alike, "run", "--batch-size", 6).exit_code == 1
    results = results_of(tmp_path / "run")["task_results"]
    assert [said in each["error"] for each in results] == [True] * 6


def test_a_refusal_of_a_whole_batch_is_one_of_each_question(play: Play, alike: Path, tmp_path: Path) -> None:
    assert play("refusing", alike, "run", "--batch-size", 6).exit_code == 0
    rows = exported(tmp_path / "run", "episodes")
    assert [(row["finished"], row["answers_refused"], row["lost_steps"]) for row in rows] == [
        (True, 2 * STEPS, 2 * STEPS)
    ] * 6
