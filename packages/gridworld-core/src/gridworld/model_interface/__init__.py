"""What a model is: something that looks at a picture, reads a mission, and names an action, or fails to.

`base` holds the interface and what goes through it, `answers` the kinds of answers and faults, `inspection` what some
models can report about themselves, `open_questions` models that can be asked anything; the other modules hold models
that need no other distribution.
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
        Turn,
    )
    from gridworld.model_interface.file_based import FileBasedModelInterface
    from gridworld.model_interface.inspection import (
        AdjustingModel,
        Adjustment,
        AttendedModel,
        CacheableModel,
        CheckedModel,
        PreflightCheck,
        PromptedModel,
        PromptImage,
        PromptText,
    )
    from gridworld.model_interface.open_questions import OpenAnswer, OpenModel
    from gridworld.model_interface.random_model import RandomModelInterface
    from gridworld.model_interface.reply_form import ReplyForm

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
    "AdjustingModel": "inspection",
    "Adjustment": "inspection",
    "AnswerFault": "answers",
    "AnswerOutcome": "answers",
    "AttendedModel": "inspection",
    "BatchModel": "base",
    "CacheableModel": "inspection",
    "CheckedModel": "inspection",
    "EpisodeInfo": "base",
    "FileBasedModelInterface": "file_based",
    "ModelInput": "base",
    "ModelInterface": "base",
    "ModelOutput": "base",
    "OpenAnswer": "open_questions",
    "OpenModel": "open_questions",
    "OracleInterface": "base",
    "PromptImage": "inspection",
    "PromptText": "inspection",
    "PromptedModel": "inspection",
    "RandomModelInterface": "random_model",
    "ReplyForm": "reply_form",
    "Trouble": "answers",
    "Turn": "base",
    "Usage": "answers",
    "PreflightCheck": "inspection",
}

__getattr__ = names_from(__name__, MODULES)
