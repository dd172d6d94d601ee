"""How models are called: one question at a time, or several of a batch model."""

from collections.abc import Sequence

from gridworld.errors import PluginFault
from gridworld.model_interface import BatchModel, ModelInput, ModelOutput, OracleInterface
from gridworld.runner.presentation import Presentation
from gridworld.runner.rollout import Rollout
from gridworld.world import State, World
from gridworld_minigrid import MiniGridBackend
from multinet_eval.play.model_caller import Asked, Made, ModelCaller
from support.worlds import corridor


class Seer(BatchModel, OracleInterface):
    """Notes what it is told, and answers as often as it is set to."""

    model_name = "seer"

    def __init__(self, answers: int | None = None) -> None:
        self.answers = answers
        self.told: list[str] = []

    def look_into(self, world: World) -> None:
        """Do nothing."""

    def observe(self, state: State) -> None:
        self.told.append("state")

    def predict(self, input: ModelInput) -> ModelOutput:
        self.told.append("one")
        return ModelOutput(2)

    def predict_batch(self, inputs: Sequence[ModelInput]) -> list[ModelOutput]:
        self.told.append(f"batch of {len(inputs)}")
        return [ModelOutput(2)] * (len(inputs) if self.answers is None else self.answers)


def asked() -> Asked:
    rollout = Rollout(MiniGridBackend(render_mode=None), corridor("@.G"), presentation=Presentation("none"))
    question = rollout.question
    assert question is not None
    assert question.snapshot is not None
    return Asked(question.input, state=question.snapshot.state)


def test_a_batch_model_observes_each_state_before_one_call() -> None:
    model = Seer()
    answers = ModelCaller(model).call([asked(), asked()])
    assert model.told == ["state", "state", "batch of 2"]
    assert [each.request.action for each in answers if isinstance(each, Made)] == [2, 2]


def test_a_single_question_is_no_batch() -> None:
    model = Seer()
    ModelCaller(model).call([asked()])
    assert model.told == ["state", "one"]


def test_too_few_answers_are_the_models_fault() -> None:
    answers = ModelCaller(Seer(answers=1)).call([asked(), asked()])
    assert all(isinstance(each, PluginFault) for each in answers)
    assert "failed in predict_batch in a batch of 2: returned 1 answers to 2 questions" in str(answers[0])
