"""Making tasks: generators and importers, and what is proved about what they make."""

from typing import TYPE_CHECKING

from gridworld.support.lazy import names_from

if TYPE_CHECKING:
    from gridworld.generation.generator import Drawing, Generator, NothingDrawn
    from gridworld.generation.importer import Importer, Inexpressible, Unreadable

__all__ = ["Drawing", "Generator", "Importer", "Inexpressible", "NothingDrawn", "Unreadable"]

MODULES = {
    "Drawing": "generator",
    "Generator": "generator",
    "Importer": "importer",
    "Inexpressible": "importer",
    "Unreadable": "importer",
    "NothingDrawn": "generator",
}

__getattr__ = names_from(__name__, MODULES)
