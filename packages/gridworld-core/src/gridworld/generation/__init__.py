"""Task generators and importers, recipes, and certificates."""

from typing import TYPE_CHECKING

from gridworld.support.lazy import names_from

if TYPE_CHECKING:
    from gridworld.generation.certificate import read_certificate
    from gridworld.generation.generator import Drawing, Generator, NothingDrawn
    from gridworld.generation.importer import Importer, Inexpressible, Level, Unreadable, read_levels_in_texts
    from gridworld.generation.making import Made, make_all
    from gridworld.generation.recipe import Recipe
    from gridworld.generation.verifying import verify

__all__ = [
    "Drawing",
    "Generator",
    "Importer",
    "Inexpressible",
    "Level",
    "Made",
    "NothingDrawn",
    "Recipe",
    "Unreadable",
    "make_all",
    "read_certificate",
    "read_levels_in_texts",
    "verify",
]

MODULES = {
    "Drawing": "generator",
    "Generator": "generator",
    "Importer": "importer",
    "Inexpressible": "importer",
    "Unreadable": "importer",
    "NothingDrawn": "generator",
    "read_certificate": "certificate",
    "Level": "importer",
    "Made": "making",
    "make_all": "making",
    "Recipe": "recipe",
    "read_levels_in_texts": "importer",
    "verify": "verifying",
}

__getattr__ = names_from(__name__, MODULES)
