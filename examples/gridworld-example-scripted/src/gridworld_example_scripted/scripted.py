"""A model that plays a list of actions given as text, whatever it is shown."""

from gridworld.hookspecs import ACTION_SPACE, Action, ArgumentError, nearest_hint
from gridworld.model_interface import ModelInput, ModelInterface, ModelOutput

__all__ = ["ScriptedModel"]

IDS = {name: action for action, name in ACTION_SPACE.items()}


class ScriptedModel(ModelInterface):
    """Plays one list of actions in every episode, and waits when they run out.

    Args:
        actions: names of actions, separated by spaces: ``move_forward turn_left``.

    Raises:
        ArgumentError: a name is none of the seven.
    """

    def __init__(self, actions: str) -> None:
        for name in actions.split():
            if name not in IDS:
                raise ArgumentError(f"unknown action '{name}'{nearest_hint(name, IDS)}; known: {', '.join(IDS)}")
        self._script = [IDS[name] for name in actions.split()]

    @property
    def model_name(self) -> str:
        """``scripted``."""
        return "scripted"

    def predict(self, input: ModelInput) -> ModelOutput:
        """The action that is next in the list, or ``done`` after the last one."""
        ended = input.step_number >= len(self._script)
        return ModelOutput(action=int(Action.DONE) if ended else self._script[input.step_number])
