"""The mission is the goal's sentence, the task's own description, or both, wherever it is told."""

from typing import Any

import attrs
import pytest

from gridworld.backends.kernel import MissionMode
from gridworld_minigrid import MiniGridBackend
from multinet_eval.evaluation_harness import EvaluationHarness
from support.runs import ScriptedModel
from support.worlds import corridor

TASK = attrs.evolve(corridor("@.G"), description="Walk to the flag.")


@pytest.fixture
def goal() -> str:
    backend = MiniGridBackend()
    backend.configure(TASK)
    return backend.get_mission_text()


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
