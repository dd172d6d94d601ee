"""`Window`: shows pictures to people; needs the optional dependency ``gridworld-multigrid[human]``."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from gymnasium.error import DependencyNotInstalled

from gridworld.support.installing import how_to_install
from gridworld_multigrid.rendering.sums import Picture

__all__ = ["Window"]


class Window:
    """A window that opens with its first picture.

    Args:
        pictures_per_second: how many pictures are shown in a second at most.

    Raises:
        DependencyNotInstalled: pygame is not installed.
    """

    def __init__(self, pictures_per_second: int) -> None:
        try:
            self._pygame: Any = import_module("pygame")
        except ImportError as error:
            raise DependencyNotInstalled(
                f"a window needs an optional dependency ({error}): {how_to_install('gridworld-multigrid', 'human')}"
            ) from error
        self._rate = pictures_per_second
        self._clock = self._pygame.time.Clock()
        self._screen: Any = None

    def show(self, picture: Picture, caption: str) -> None:
        """Show a picture of shape (height, width, 3), uint8, with a caption in the title bar."""
        pygame = self._pygame
        height, width = picture.shape[:2]
        if self._screen is None or self._screen.get_size() != (width, height):
            pygame.display.init()
            self._screen = pygame.display.set_mode((width, height))
        pygame.display.set_caption(caption)
        self._screen.blit(pygame.surfarray.make_surface(picture.swapaxes(0, 1)), (0, 0))
        pygame.event.pump()
        pygame.display.flip()
        self._clock.tick(self._rate)

    def close(self) -> None:
        """Close the window; another picture would open it again."""
        if self._screen is not None:
            self._pygame.display.quit()
        self._screen = None
