"""Models, which receive an observation and a mission and choose an action.

`base` holds the interface and its inputs and outputs, `answers` the kinds of answers and faults, `capabilities` the
optional interfaces. The other modules hold models that need no other distribution.
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
        AdjustingModel,
        Adjustment,
        AttendedModel,
        CacheableModel,
        CheckedModel,
        OpenAnswer,
        OpenModel,
        PreflightCheck,
        PromptedModel,
        PromptImage,
        PromptText,
    )
    from gridworld.model_interface.file_based import FileBasedModelInterface

__all__ = [
    "AdjustingModel",
    "Adjustment",
    "AnswerFault",
    "AnswerOutcome",
    "AttendedModel",
    "BatchModel",
    "CacheableModel",
    "CheckedModel",
    "EpisodeInfo",
    "FileBasedModelInterface",
    "ModelInput",
    "ModelInterface",
    "ModelOutput",
    "OpenAnswer",
    "OpenModel",
    "OracleInterface",
    "PreflightCheck",
    "PromptImage",
    "PromptText",
    "PromptedModel",
    "RandomModelInterface",
    "ReplyForm",
    "Trouble",
    "Turn",
    "Usage",
]

MODULES = {
    "AdjustingModel": "capabilities",
    "Adjustment": "capabilities",
    "AnswerFault": "answers",
    "AnswerOutcome": "answers",
    "AttendedModel": "capabilities",
    "BatchModel": "base",
    "CacheableModel": "capabilities",
    "CheckedModel": "capabilities",
    "EpisodeInfo": "base",
    "FileBasedModelInterface": "file_based",
    "ModelInput": "base",
    "ModelInterface": "base",
    "ModelOutput": "base",
    "OpenAnswer": "capabilities",
    "OpenModel": "capabilities",
    "OracleInterface": "base",
    "PromptImage": "capabilities",
    "PromptText": "capabilities",
    "PromptedModel": "capabilities",
    "RandomModelInterface": "baselines",
    "ReplyForm": "base",
    "Trouble": "answers",
    "Turn": "base",
    "Usage": "answers",
    "PreflightCheck": "capabilities",
}

__getattr__ = names_from(__name__, MODULES)
