"""Whatever way a run is played, its results are the same."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from gridworld.model_interface import AnswerFault, BatchModel, EpisodeInfo, ModelInput, ModelOutput
from gridworld.runner.presentation import Presentation
from gridworld.runner.record import Step
from multinet_adapters.testing.model_servers import MODEL, serve
from support.runs import action_for, answer_by_text, make_run, play_run, results_of, write_corridor
from support.thoroughness import in_turn
from support.worlds import door, key

WAYS: list[dict[str, Any]] = [
    {"workers": 8},
    {"batch_size": 8},
    {"executor": "processes", "workers": 2},
]


class HashingModel(BatchModel):
    """Chooses by its input, and notes the sizes of batches."""

    def __init__(self) -> None:
        self.batches: list[int] = []

    @property
    def model_name(self) -> str:
        return "hashing"

    def resume_episode(self, episode: EpisodeInfo, steps: Sequence[Step]) -> bool:
        return True

    def predict(self, input: ModelInput) -> ModelOutput:
        self.batches.append(1)
        return self.choose(input)

    def predict_batch(self, inputs: Sequence[ModelInput]) -> Sequence[ModelOutput | AnswerFault]:
        self.batches.append(len(inputs))
        return [self.choose(each) for each in inputs]

    def choose(self, input: ModelInput) -> ModelOutput:
        return ModelOutput(action_for(f"{input.text_prompt}{input.step_number}{input.max_steps}"))


@pytest.fixture(scope="session")
def six_tasks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Corridors of several lengths, and one with a door: they are won and lost in different numbers of steps."""
    folder = tmp_path_factory.mktemp("suites") / "six"
    for number, row in enumerate(("@.G", "@....G", "@..G", "@.....G", "@...G")):
        write_corridor(folder, f"corridor_{number}", row, max_steps=5 + 3 * number)
    write_corridor(folder, "door", "@kD.G", tier=2, max_steps=30, k=key(), D=door("red"))
    return folder


def played(directory: Path, tasks: Path, model: Any, arguments: tuple[str, ...], way: dict[str, Any]) -> str:
    outcome = play_run(make_run(tasks, directory, model, arguments, epochs=2), **way)
    assert outcome.stopped is None
    return results_of(directory)


@in_turn("model, way", ["optimal", "greedy", "random"], WAYS)
def test_baselines_play_the_same_in_every_way(six_tasks: Path, tmp_path: Path, model: str, way: dict[str, Any]) -> None:
    one_by_one = played(tmp_path / "one", six_tasks, model, (), {})
    assert played(tmp_path / "other", six_tasks, model, (), way) == one_by_one


@pytest.mark.more
def test_a_model_behind_a_server_plays_the_same_in_every_way(six_tasks: Path, tmp_path: Path) -> None:
    with serve(answer_by_text) as server:
        arguments = (f"base_url={server.ollama_url}", f"model={MODEL}")
        picture = {"backend_arguments": ("tile_size=8",)}

        def play(name: str, way: dict[str, Any]) -> tuple[str, int]:
            before = len(server.chats)
            run = make_run(
                six_tasks, tmp_path / name, "ollama", arguments, presentation=Presentation(history_images=1), **picture
            )
            assert play_run(run, **way).stopped is None
            return results_of(tmp_path / name), len(server.chats) - before

        one_by_one = play("one", {})
        for number, way in enumerate(WAYS):
            assert play(str(number), way) == one_by_one, way


def test_a_batch_model_plays_the_same_in_lockstep(six_tasks: Path, tmp_path: Path) -> None:
    one_by_one = played(tmp_path / "one", six_tasks, HashingModel(), (), {})
    for size in (5, 100):
        assert played(tmp_path / str(size), six_tasks, HashingModel(), (), {"batch_size": size}) == one_by_one
