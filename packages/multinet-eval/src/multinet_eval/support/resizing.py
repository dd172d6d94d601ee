"""Pictures of an exact size that a backend cannot draw."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def resized(longest: int, picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Scale a picture by Lanczos resampling, in its proportions up to rounding.

    Args:
        longest: pixels of the longest side of the result, at least 1.
        picture: shape (height, width, 3).
    """
    import numpy as np
    from PIL import Image

    height, width, _ = picture.shape
    scale = longest / max(height, width)
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    return np.asarray(Image.fromarray(picture).resize(size, Image.Resampling.LANCZOS))
