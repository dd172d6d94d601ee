"""What a policy is given of earlier steps: pictures, and a rolling text made from events."""

from __future__ import annotations

from collections import deque
from typing import Any

from gridworld.actions import ACTION_SPACE
from gridworld.runner.record import Step
from gridworld.support.wording import shorten

__all__ = ["History"]


class History:
    """The recent past of one episode.

    Args:
        images: how many earlier observations are kept, at least 0.
        text_window: how many steps the text describes, at least 0; 0 for no text.
    """

    def __init__(self, images: int = 0, text_window: int = 0) -> None:
        self._images: deque[Any] = deque(maxlen=images)
        self._lines: deque[str] = deque(maxlen=text_window)

    def record(self, image: Any, step: Step, told: str) -> None:
        """Add a step.

        Args:
            image: what was seen before it; None where there was no picture.
            step: the step.
            told: what its action did, in words; empty if that is unknown.
        """
        if image is not None:
            self._images.append(image)
        self._lines.append(f"Step {step.number}: {_sentence(step, told)}.")

    @property
    def tells(self) -> bool:
        """Whether a text is kept."""
        return bool(self._lines.maxlen)

    @property
    def prior_images(self) -> list[Any] | None:
        """Earlier observations, oldest first; None when none are kept."""
        return list(self._images) if self._images.maxlen else None

    @property
    def text(self) -> str | None:
        """One line for each recent step, oldest first; None when no text is kept."""
        return "\n".join(self._lines) if self.tells else None


def _sentence(step: Step, told: str) -> str:
    if step.action is None:
        reason = shorten(step.last.message).rstrip(".") if step.last else "none was chosen"
        return f"no action: {reason}"
    return f"{ACTION_SPACE[step.action]}: {told}" if told else ACTION_SPACE[step.action]
