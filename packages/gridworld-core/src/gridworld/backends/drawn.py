"""`DrawnBackend`: a backend on the kernel whose pictures have any size and style that is asked for."""

from __future__ import annotations

from typing import Literal

from gridworld.backends.kernel import KernelBackend
from gridworld.backends.pictures import OWN_PICTURES, PictureSettings

__all__ = ["DrawnBackend"]


class DrawnBackend(KernelBackend):
    """Keeps what is asked of its pictures.

    Args:
        max_side: the largest width and height of pictures, in pixels.
    """

    render_mode: Literal["rgb_array"] | None
    """None to observe nothing."""

    def __init__(self, max_side: int) -> None:
        self._max_side = max_side
        self._pictures = OWN_PICTURES

    def spare_drawing(self) -> None:
        """Be `unseen`."""
        self.unseen = True

    @property
    def pictured(self) -> bool:
        """Whether there is a `render_mode`."""
        return self.render_mode is not None

    @property
    def draws_any_size(self) -> bool:
        """True."""
        return True

    def set_pictures(self, settings: PictureSettings) -> None:
        """Draw in another way from the next `configure` on; a size takes the place of the backend's own argument.

        Raises:
            ArgumentError: the size is larger than `max_side`.
        """
        settings.check_size(self._max_side)
        if settings != self._pictures:
            self.close()
            self._pictures = settings
