"""What Python source imports and which names it mentions, read without running it."""

import ast
from collections.abc import Iterator

__all__ = ["imported_names", "mentioned_names"]


def imported_names(source: str) -> Iterator[tuple[str, str]]:
    """(module, name) of everything that is imported anywhere in it; the name of a whole module is empty."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"a relative import of {node.module}"
            yield from ((str(node.module), alias.name) for alias in node.names)


def mentioned_names(source: str) -> set[str]:
    """All names and attributes that it mentions, imported ones included."""
    tree = list(ast.walk(ast.parse(source)))
    names = {node.id for node in tree if isinstance(node, ast.Name)}
    attributes = {node.attr for node in tree if isinstance(node, ast.Attribute)}
    return names | attributes | {name for _, name in imported_names(source)}
