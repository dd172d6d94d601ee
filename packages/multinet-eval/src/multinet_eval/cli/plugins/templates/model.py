from gridworld.hookspecs import Action, ModelInfo
from gridworld.model_interface import ModelInput, ModelInterface, ModelOutput


class Straight(ModelInterface):
    """Goes straight on, and turns right every so many steps."""

    def __init__(self, every: int = 4) -> None:
        self.every = every

    @property
    def model_name(self) -> str:
        return "straight"

    def predict(self, input: ModelInput) -> ModelOutput:
        turns = input.step_number % self.every == self.every - 1
        return ModelOutput(Action.TURN_RIGHT if turns else Action.MOVE_FORWARD)


STRAIGHT = ModelInfo("straight", "Goes straight on.", f"{__name__}:Straight")
