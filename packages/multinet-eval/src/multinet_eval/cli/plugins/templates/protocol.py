from gridworld.hookspecs import Moved, ProtocolInfo
from gridworld.model_interface import ReplyForm
from gridworld.runner import Step
from multinet_eval import Protocol


class Stride(Protocol):
    """Several actions per reply, played until the agent stops moving."""

    def __init__(self, size: int = 8) -> None:
        self._reply = ReplyForm(max_actions=size)

    @property
    def reply(self) -> ReplyForm:
        return self._reply

    def goes_on(self, after: Step, came_into_view: bool) -> bool:
        return any(isinstance(event, Moved) for event in after.events)


STRIDE = ProtocolInfo("stride", "Walks until a wall.", f"{__name__}:Stride")
