"""Models, which receive an observation and a mission and choose an action.

`base` holds the interface and its inputs and outputs, `answers` the kinds of answers and faults, `prompts` requests and
replies as values, `chat_model` the interface of models that are asked with them, `capabilities` optional interfaces.
The other modules hold models that need no other distribution.
"""

from typing import TYPE_CHECKING

from gridworld.support.lazy import names_from

if TYPE_CHECKING:
    from gridworld.model_interface.answers import AnswerFault, AnswerOutcome, Trouble, Usage
    from gridworld.model_interface.base import (
        BatchModel,
        EpisodeInfo,
        ModelInput,
        ModelInterface,
        ModelOutput,
        OracleInterface,
        ReplyForm,
        Turn,
    )
    from gridworld.model_interface.baselines import RandomModelInterface
    from gridworld.model_interface.capabilities import (
        AttendedModel,
        CheckedModel,
        PreflightCheck,
    )
    from gridworld.model_interface.chat_model import BatchChatModel, ChatModel
    from gridworld.model_interface.file_based import FileBasedModelInterface
    from gridworld.model_interface.prompts import (
        Adjustment,
        Finish,
        Message,
        Opaque,
        Picture,
        Prompt,
        Reply,
        Sent,
        Text,
        reply_of,
    )

__all__ = [
    "Adjustment",
    "AnswerFault",
    "AnswerOutcome",
    "AttendedModel",
    "BatchChatModel",
    "BatchModel",
    "ChatModel",
    "CheckedModel",
    "EpisodeInfo",
    "FileBasedModelInterface",
    "Finish",
    "Message",
    "ModelInput",
    "ModelInterface",
    "ModelOutput",
    "Opaque",
    "OracleInterface",
    "Picture",
    "PreflightCheck",
    "Prompt",
    "RandomModelInterface",
    "Reply",
    "ReplyForm",
    "Sent",
    "Text",
    "Trouble",
    "Turn",
    "Usage",
    "reply_of",
]

MODULES = {
    "Adjustment": "prompts",
    "AnswerFault": "answers",
    "AnswerOutcome": "answers",
    "AttendedModel": "capabilities",
    "BatchChatModel": "chat_model",
    "BatchModel": "base",
    "ChatModel": "chat_model",
    "CheckedModel": "capabilities",
    "EpisodeInfo": "base",
    "FileBasedModelInterface": "file_based",
    "Finish": "prompts",
    "Message": "prompts",
    "ModelInput": "base",
    "ModelInterface": "base",
    "ModelOutput": "base",
    "Opaque": "prompts",
    "OracleInterface": "base",
    "Picture": "prompts",
    "PreflightCheck": "capabilities",
    "Prompt": "prompts",
    "RandomModelInterface": "baselines",
    "Reply": "prompts",
    "ReplyForm": "base",
    "Sent": "prompts",
    "Text": "prompts",
    "Trouble": "answers",
    "Turn": "base",
    "Usage": "answers",
    "reply_of": "prompts",
}

__getattr__ = names_from(__name__, MODULES)
