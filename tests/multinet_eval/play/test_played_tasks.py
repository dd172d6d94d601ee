"""Step budgets, and swapped observations."""

from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest

from gridworld.errors import ArgumentError
from gridworld.generation.certificate import DEFAULT_BOUNDS, Certificate, prove
from gridworld.model_interface import ModelInput, ModelInterface, RandomModelInterface
from gridworld.plugins.tilings import compile_on
from gridworld.runner.presentation import Presentation
from gridworld.task_spec import TaskSpecification
from gridworld_minigrid import MiniGridBackend
from multinet_adapters.testing.model_servers import MODEL, ChatRequest, serve
from multinet_eval import EvaluationHarness
from multinet_eval.play.played_tasks import swapped_tasks
from multinet_eval.play.run import RunOutcome, open_run
from multinet_eval.record.plan import task_hash
from multinet_eval.record.results import recorded_results
from multinet_eval.record.run_directory import RunDirectory
from multinet_eval.settings.run_settings import check_factor
from multinet_eval.settings.spending import BudgetLimits
from support.commands import invoke
from support.run_folders import request_answer
from support.runs import ScriptedModel, go_on, make_run, play_run, record_run, results_of, write_corridor
from support.worlds import door, draw, hazard, key

OWN = draw("######\n#@.kG#\n######", k=key(), max_steps=9)
OTHER = draw("######\n#@D..#\n#...G#\n######", D=door("red", "open"), max_steps=9)
DEADLY = draw("#####\n#@.H#\n#..G#\n#####", H=hazard(), max_steps=9)
BOTH = Presentation("image+text", history_images=1)
SWAPPED = attrs.evolve(BOTH, observation_control="swapped")


def play_on(directory: Path, **options: Any) -> RunOutcome:
    """Resume a recorded run."""
    return play_run(open_run(directory)[0], **options)


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


def test_the_other_task_is_shown_under_the_same_actions() -> None:
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
def test_tasks_are_not_drawn_for_models_without_pictures(model: ModelInterface) -> None:
    own, other = MiniGridBackend(tile_size=8), MiniGridBackend(tile_size=8)
    EvaluationHarness(model, own, presentation=SWAPPED, swapped_backend=other).evaluate_task(OWN, OTHER)
    assert own.unseen == other.unseen == (not model.looks_at_pictures)


def test_the_last_observation_stays_once_the_other_task_is_over() -> None:
    shown = inputs_of(OWN, "FFLLLL", DEADLY)
    assert pixels(shown[2]) != pixels(shown[1])
    assert all(np.array_equal(given.image, shown[2].image) for given in shown[3:])


# --- Which task it is --------------------------------------------------------------------------------------------


def test_the_next_task_with_other_walls_is_shown() -> None:
    twin = named(draw("######\n#@k.G#\n######", k=key(), max_steps=9), "twin")
    tasks = [named(OWN, "own"), twin, named(OTHER, "other"), named(DEADLY, "deadly")]
    shown = swapped_tasks(tasks)
    assert [shown[task_hash(task)].task_id for task in tasks] == ["other", "other", "deadly", "own"]


def test_with_equal_walls_the_next_task_is_shown() -> None:
    twin = named(draw("######\n#@k.G#\n######", k=key(), max_steps=9), "twin")
    assert [each.task_id for each in swapped_tasks([named(OWN, "own"), twin]).values()] == ["twin", "own"]


def test_a_suite_of_one_task_and_its_copies_is_refused() -> None:
    mirrored = draw("######\n#Gk.@#\n######", k=key(), max_steps=12)
    message = "'own': swapped observations must come from a different task, and the suite has none"
    with pytest.raises(ArgumentError, match=message):
        swapped_tasks([named(OWN, "own"), named(mirrored, "copy")])


def test_a_single_swapped_task_needs_another_task_and_backend() -> None:
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


@pytest.mark.more
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


CORNER = "#######\n#@....#\n#.###.#\n#....G#\n#######"


def corner(**fields: Any) -> TaskSpecification:
    return attrs.evolve(draw(CORNER, max_steps=77), task_id="corner", **fields)


def allowed(directory: RunDirectory) -> dict[str | None, int]:
    """Tiling to the steps that its episode has, by its header."""
    results = recorded_results(directory)
    return {results.manifest.episode(number).tiling: each.max_steps for number, each in results.results.items()}


def best(directory: RunDirectory) -> dict[str | None, int]:
    results = recorded_results(directory)
    found = {results.manifest.episode(number).tiling: each.optimal_steps for number, each in results.results.items()}
    return {tiling: steps for tiling, steps in found.items() if steps is not None}


TWO: dict[str, Any] = {"tilings": ("square", "hex"), "backend": "multigrid", "backend_arguments": ("render_mode=none",)}


def test_each_tiling_has_its_own(tmp_path: Path) -> None:
    directory = record_run(tmp_path / "run", [corner()], "F" * 300, **TWO, budget_factor="2")
    found = best(directory)
    assert set(found) == {"square", "hex"}
    assert allowed(directory) == {tiling: 2 * steps for tiling, steps in found.items()}
    assert directory.manifest.fingerprint["budget_factor"] == "2"


def test_a_task_may_ask_for_it_and_that_may_be_refused(tmp_path: Path) -> None:
    task = corner(metadata={"budget_factor": 1.5})
    asked = record_run(tmp_path / "asked", [task], "F" * 300, **TWO)
    assert all(steps < 77 for steps in allowed(asked).values())
    refused = record_run(tmp_path / "refused", [task], "F" * 300, **TWO, budget_factor="none")
    assert allowed(refused) == {"square": 77, "hex": 77}


def test_a_certified_optimum_is_used(tmp_path: Path) -> None:
    square = compile_on("square", corner())
    certificate = Certificate.of({"square": prove(square, DEFAULT_BOUNDS)}, budget={}, bounds=DEFAULT_BOUNDS).to_dict()
    certificate["optimal_length"]["square"] = 10  # which is not so, and shows where it comes from
    directory = record_run(
        tmp_path / "run", [corner(metadata={"certificate": certificate})], "F" * 300, **TWO, budget_factor="3"
    )
    assert allowed(directory)["square"] == 30
    assert allowed(directory)["hex"] != 30


def test_a_budget_that_is_part_of_the_goal_stays(tmp_path: Path) -> None:
    timed = attrs.evolve(draw(CORNER, max_steps=9, goal={"type": "survive_steps"}), task_id="timed")
    directory = record_run(tmp_path / "run", [timed], "F" * 300, budget_factor="2")
    assert allowed(directory) == {None: 9}


def test_a_run_that_was_left_goes_on_with_the_same_budgets(tmp_path: Path) -> None:
    settings = {**TWO, "budget_factor": "1.2"}
    whole = record_run(tmp_path / "whole", [corner()], "L" * 300, **settings)
    left = record_run(tmp_path / "left", [corner()], "L" * 300, requests=3, **settings)
    assert len(recorded_results(left).results) == 0
    assert left.manifest.plan == whole.manifest.plan
    resumed = go_on(tmp_path / "left", epochs=2)
    budgets = {(each.tiling, each.epoch): each.max_steps for each in resumed.manifest.plan}
    assert budgets["square", 0] == budgets["square", 1] != budgets["hex", 1] == budgets["hex", 0]
    assert allowed(resumed) == allowed(whole)


@pytest.mark.parametrize("wrong", ["0.5", "two", "nan", "inf", ""])
def test_other_factors_are_refused(wrong: str) -> None:
    with pytest.raises(ArgumentError, match="at least 1"):
        check_factor(wrong)
