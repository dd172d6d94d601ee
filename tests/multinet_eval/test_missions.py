"""The mission is the goal's sentence, the task's own description, or both, wherever it is told."""

import json
from pathlib import Path
from typing import Any

import attrs
import pytest

from gridworld.backends.kernel import KernelBackend, MissionMode
from gridworld_minigrid import MiniGridBackend
from gridworld_multigrid import MultiGridBackend
from multinet_eval.evaluation_harness import EvaluationHarness
from support.programs import assert_refused, run
from support.runs import ScriptedModel, write_task
from support.worlds import corridor, describe

TASK = attrs.evolve(corridor("@.G"), description="Walk to the flag.")
GOAL = "get to the green goal square"


def mission_of(backend: KernelBackend, mode: MissionMode) -> str:
    backend.mission = mode
    backend.configure(TASK)
    return backend.get_mission_text()


@pytest.fixture
def goal() -> str:
    backend = MiniGridBackend()
    backend.configure(TASK)
    return backend.get_mission_text()


@pytest.mark.parametrize("make", [MiniGridBackend, MultiGridBackend])
def test_a_backend_tells_what_it_is_to_tell(make: type[KernelBackend], goal: str) -> None:
    assert mission_of(make(), "goal") == goal
    assert mission_of(make(), "description") == "Walk to the flag."
    assert mission_of(make(), "both") == f"{goal}. Walk to the flag."


@pytest.mark.parametrize("mode", ["goal", "description", "both"])
def test_a_task_without_a_description_has_the_goals_sentence(mode: MissionMode, goal: str) -> None:
    backend = MiniGridBackend()
    backend.mission = mode
    backend.configure(attrs.evolve(TASK, description=" "))
    assert backend.get_mission_text() == goal


def test_harnesses_on_one_backend_have_a_mission_each(goal: str) -> None:
    backend, first, second = MiniGridBackend(), ScriptedModel("FFFF"), ScriptedModel("FF")
    one = EvaluationHarness(first, backend, mission="goal")
    other = EvaluationHarness(second, backend, mission="description")
    for harness in (one, other, one):
        assert harness.evaluate_task(TASK).success
    assert {question.text_prompt for question in first.inputs} == {goal}
    assert {question.text_prompt for question in second.inputs} == {"Walk to the flag."}


def test_an_unknown_mission_is_refused() -> None:
    word: Any = "gaol"
    with pytest.raises(ValueError, match="mission must be one of"):
        MiniGridBackend().mission = word
    with pytest.raises(ValueError, match="mission must be one of"):
        EvaluationHarness(ScriptedModel(), MiniGridBackend(), mission=word)


@pytest.mark.parametrize(
    ("mode", "expected"),
    [(None, "{goal}"), ("goal", "{goal}"), ("description", "Walk to the flag."), ("both", "{goal}. Walk to the flag.")],
)
def test_the_harness_tells_the_model_and_the_record(mode: MissionMode | None, expected: str, goal: str) -> None:
    model = ScriptedModel("FF")
    result = EvaluationHarness(model, MiniGridBackend(), mission=mode).evaluate_task(TASK)
    mission = expected.format(goal=goal)
    assert {asked.text_prompt for asked in model.inputs} == {mission}
    assert model.episodes[0].mission == mission
    assert result.recording is not None
    assert result.recording.header.mission == mission


def test_by_default_the_mission_is_the_backends() -> None:
    backend, model = MiniGridBackend(), ScriptedModel("FF")
    backend.mission = "description"
    EvaluationHarness(model, backend).evaluate_task(TASK)
    assert model.inputs[0].text_prompt == "Walk to the flag."


def test_the_mission_is_an_option(tmp_path: Path) -> None:
    file = write_task(tmp_path, describe("#####\n#@.G#\n#####") | {"description": "Walk to the flag."}, "x.json")
    shown = run(
        "multinet", "prompts", "show", file, "-m", "ollama", "-M", "model=m", "--mission", "description", "--json"
    )
    assert any("Walk to the flag." in part.get("text", "") for part in json.loads(shown.stdout)["parts"])
    plain = run("multinet", "prompts", "show", file, "-m", "ollama", "-M", "model=m")
    assert "Walk to the flag." not in plain.stdout
    assert_refused(run("multinet-run-eval", "-m", "random", "--mission", "gaol"), "Invalid value for '--mission'")
