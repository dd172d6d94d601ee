"""A question about one moment as a prompt: what is explained, what is shown, and what is asked."""

from __future__ import annotations

from gridworld.model_interface import ModelInput, PromptImage, PromptText

__all__ = ["prompt_about"]

HEADS = {"rules": "The rules:", "legend": "What there can be:", "examples": "How such puzzles are solved:"}
"""What is put above each of the texts that explain."""


def prompt_about(system: str, shown: ModelInput, question: str) -> list[PromptText | PromptImage]:
    """The whole prompt.

    Args:
        system: how the question is to be taken.
        shown: the moment, with what is explained of it.
        question: what is asked.
    """
    explained = shown.explanation
    told = {} if explained is None else explained.texts()
    headed = [f"{HEADS[name]}\n{text}" for name, text in told.items()]
    pictures = [] if explained is None else [PromptImage(each.label, each.image) for each in explained.pictures]
    if shown.image is not None:
        pictures.append(PromptImage("The board", shown.image))
    words = [] if shown.text_observation is None else [f"The board in words:\n{shown.text_observation}"]
    return [
        PromptText("system", "\n\n".join([system, *headed])),
        *pictures,
        PromptText("user", "\n\n".join([*words, question])),
    ]
