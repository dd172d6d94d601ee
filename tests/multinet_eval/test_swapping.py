"""Swapped observations: a model is shown another task of the suite, and acts in its own."""

from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest

from gridworld.errors import ArgumentError
from gridworld.model_interface import ModelInput, ModelInterface, RandomModelInterface
from gridworld.runner.presentation import Presentation
from gridworld.suites import find_suite
from gridworld.task_spec import TaskSpecification
from gridworld_minigrid import MiniGridBackend
from multinet_adapters.testing.model_servers import MODEL, ChatRequest, serve
from multinet_eval import EvaluationHarness
from multinet_eval.play.played_tasks import swapped_tasks
from multinet_eval.record.plan import task_hash
from multinet_eval.settings.spending import BudgetLimits
from support.commands import invoke
from support.run_folders import request_answer
from support.runs import ScriptedModel, make_run, play_on, play_run, results_of, write_corridor
from support.worlds import door, draw, hazard, key

OWN = draw("######\n#@.kG#\n######", k=key(), max_steps=9)
OTHER = draw("######\n#@D..#\n#...G#\n######", D=door("red", "open"), max_steps=9)
DEADLY = draw("#####\n#@.H#\n#..G#\n#####", H=hazard(), max_steps=9)
BOTH = Presentation("image+text", history_images=1)
SWAPPED = attrs.evolve(BOTH, observation_control="swapped")


def named(task: TaskSpecification, name: str) -> TaskSpecification:
    return attrs.evolve(task, task_id=name)


def harness(model: ScriptedModel, presentation: Presentation) -> EvaluationHarness:
    second = MiniGridBackend(tile_size=8) if presentation.swaps_observations else None
    return EvaluationHarness(model, MiniGridBackend(tile_size=8), presentation=presentation, swapped_backend=second)


def inputs_of(task: TaskSpecification, letters: str, swapped: TaskSpecification | None = None) -> list[ModelInput]:
    model = ScriptedModel(letters)
    harness(model, BOTH if swapped is None else SWAPPED).evaluate_task(task, swapped)
    return model.inputs


def pixels(given: ModelInput) -> list[Any]:
    return [picture.tolist() for picture in (given.image, *(given.prior_images or []))]


# --- What is shown -----------------------------------------------------------------------------------------------


def test_the_other_task_is_shown_as_if_it_were_played_with_the_same_actions() -> None:
    letters = "FRFLFFRL"
    shown, played = inputs_of(OWN, letters, OTHER), inputs_of(OTHER, letters)
    assert len(shown) > 5
    for ours, theirs in zip(shown, played, strict=False):
        assert pixels(ours) == pixels(theirs)
        assert ours.text_observation == theirs.text_observation


def test_the_mission_and_all_else_are_those_of_its_own_task() -> None:
    model = ScriptedModel("FPFF")
    result = harness(model, SWAPPED).evaluate_task(attrs.evolve(OWN, description="mine"), OTHER)
    assert result.success
    assert {given.text_prompt for given in model.inputs} == {result.mission}
    assert result.steps_taken == result.optimal_steps == 4


@pytest.mark.parametrize("model", [RandomModelInterface(), ScriptedModel("FFRF")], ids=["looks away", "looks"])
def test_neither_task_is_drawn_for_whoever_does_not_look(model: ModelInterface) -> None:
    own, other = MiniGridBackend(tile_size=8), MiniGridBackend(tile_size=8)
    EvaluationHarness(model, own, presentation=SWAPPED, swapped_backend=other).evaluate_task(OWN, OTHER)
    assert own.unseen == other.unseen == (not model.looks_at_pictures)


def test_nothing_of_its_own_task_is_in_what_is_shown() -> None:
    walled = draw("######\n#@#kG#\n#....#\n######", k=key(), max_steps=9)
    for one, another in zip(inputs_of(OWN, "FFRF", OTHER), inputs_of(walled, "FFRF", OTHER), strict=False):
        assert pixels(one) == pixels(another)
        assert one.text_observation == another.text_observation


def test_the_last_observation_stays_once_the_other_task_is_over() -> None:
    shown = inputs_of(OWN, "FFLLLL", DEADLY)
    assert pixels(shown[2]) != pixels(shown[1])
    assert all(np.array_equal(given.image, shown[2].image) for given in shown[3:])


# --- Which task it is --------------------------------------------------------------------------------------------


def test_it_is_the_next_one_with_other_walls_round_and_round() -> None:
    twin = named(draw("######\n#@k.G#\n######", k=key(), max_steps=9), "twin")
    tasks = [named(OWN, "own"), twin, named(OTHER, "other"), named(DEADLY, "deadly")]
    shown = swapped_tasks(tasks)
    assert [shown[task_hash(task)].task_id for task in tasks] == ["other", "other", "deadly", "own"]


def test_it_is_the_next_one_where_all_walls_are_the_same() -> None:
    twin = named(draw("######\n#@k.G#\n######", k=key(), max_steps=9), "twin")
    assert [each.task_id for each in swapped_tasks([named(OWN, "own"), twin]).values()] == ["twin", "own"]


@pytest.mark.parametrize("suite", ["validation_10", "tiers"])
def test_no_bundled_task_is_shown_as_itself(suite: str) -> None:
    tasks = find_suite(suite)
    shown = swapped_tasks(tasks)
    for task in tasks:
        other = shown[task_hash(task)]
        assert other in tasks
        assert other.maze != task.maze


def test_a_suite_of_one_task_and_its_copies_is_refused() -> None:
    mirrored = draw("######\n#Gk.@#\n######", k=key(), max_steps=12)
    message = "'own': swapped observations come from another task, and the suite has no other one"
    with pytest.raises(ArgumentError, match=message):
        swapped_tasks([named(OWN, "own"), named(mirrored, "copy")])


def test_a_task_that_is_played_alone_needs_another_one_and_another_backend() -> None:
    with pytest.raises(ArgumentError, match="name that task, too"):
        harness(ScriptedModel(), SWAPPED).evaluate_task(OWN)
    with pytest.raises(ArgumentError, match="give swapped_backend"):
        EvaluationHarness(ScriptedModel(), MiniGridBackend(), presentation=SWAPPED)


# --- From the command line ---------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "tasks"
    write_corridor(folder, "a", "@..G", max_steps=8)
    write_corridor(folder, "b", "@....G", max_steps=8)
    return folder


def test_a_run_that_was_left_goes_on_to_the_same_results(folder: Path, tmp_path: Path) -> None:
    pictures: list[bytes] = []

    def answer(request: ChatRequest) -> str:
        pictures.append(request.images[-1])
        return request_answer(request)

    with serve(answer) as server:
        arguments = [f"base_url={server.ollama_url}", f"model={MODEL}"]
        given = {"presentation": Presentation(observation_control="swapped"), "backend_arguments": ("tile_size=8",)}
        play_run(make_run(folder, tmp_path / "whole", "ollama", arguments, **given))
        left = make_run(folder, tmp_path / "left", "ollama", arguments, **given)
        play_run(left, limits=BudgetLimits(requests=5))
        play_on(tmp_path / "left")
        plain = {**given, "presentation": Presentation()}
        asked = len(pictures)
        play_run(make_run(folder, tmp_path / "plain", "ollama", arguments, **plain))
    assert results_of(tmp_path / "left") == results_of(tmp_path / "whole")
    assert pictures[0] != pictures[asked]


def test_it_is_an_option_that_the_record_has(folder: Path, tmp_path: Path) -> None:
    options = ["-m", "random", "--task-dir", folder, "--observation-control", "swapped", "-B", "tile_size=8", "-q"]
    assert invoke(["eval", *options, "--run-dir", tmp_path / "run"]).exit_code == 0
    assert '"observation_control": "swapped"' in (tmp_path / "run" / "run.json").read_text()


def test_a_suite_without_another_task_is_refused_before_anything_is_played(tmp_path: Path) -> None:
    write_corridor(tmp_path / "tasks", "only")
    options = ["-m", "random", "--task-dir", tmp_path / "tasks", "--observation-control", "swapped"]
    finished = invoke(["eval", *options, "--run-dir", tmp_path / "run"])
    assert finished.exit_code == 2
    assert "the suite has no other one" in finished.stderr
    assert not (tmp_path / "run").exists()


def test_a_prompt_is_shown_with_the_other_task() -> None:
    options = ["-m", "ollama", "-M", "model=x", "--observation", "text"]
    task = "validation_10/v01_empty_room"
    own, swapped = (
        invoke(["prompts", "show", task, *options, "--observation-control", control]).stdout
        for control in ("none", "swapped")
    )
    other = invoke(["prompts", "show", "validation_10/v02_winding_corridor", *options]).stdout
    rows = {line for line in other.splitlines() if line.startswith("#")} - set(own.splitlines())
    assert rows
    assert rows <= set(swapped.splitlines())
