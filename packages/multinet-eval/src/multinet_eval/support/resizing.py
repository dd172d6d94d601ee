"""Pictures of an exact size, where a backend cannot draw them so."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["resized"]


def resized(longest: int, picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A picture whose longest side has so many pixels, in the same proportions up to rounding; Lanczos resampling.

    Args:
        longest: the longest side in pixels, at least 1.
        picture: shape (height, width, 3).
    """
    import numpy as np
    from PIL import Image

    height, width, _ = picture.shape
    scale = longest / max(height, width)
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    return np.asarray(Image.fromarray(picture).resize(size, Image.Resampling.LANCZOS))
