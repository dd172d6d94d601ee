"""The API reference: which modules are documented, which names of theirs, and a page for each group of them."""

import ast
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from pkgutil import walk_packages

import attrs

__all__ = ["DISTRIBUTIONS", "DocumentedModule", "api_pages", "documented_modules"]

DISTRIBUTIONS = {
    "gridworld-core": "gridworld",
    "gridworld-minigrid": "gridworld_minigrid",
    "gridworld-multigrid": "gridworld_multigrid",
    "gridworld-generators": "gridworld_generators",
    "multinet-adapters": "multinet_adapters",
    "multinet-eval": "multinet_eval",
    "multinet-report": "multinet_report",
}
"""Distribution to the package that is imported."""

BESIDE = {"gridworld_multigrid": ("gridworld_polygons",)}
"""Further documented packages of a distribution, by its own package."""

DOCUMENTED_AS_PROGRAMS = "multinet_eval.cli"
"""Below this package are the commands, which have a page of their own."""


@attrs.frozen
class DocumentedModule:
    """A module with documented names, read without importing it: those of its ``__all__``.

    Without one they are those that it defines with a docstring and that do not begin with an underscore.
    """

    name: str
    own: tuple[str, ...]
    """The names that it exports and defines."""
    elsewhere: dict[str, str]
    """The other names that it exports, to where they are defined."""
    undocumented: tuple[str, ...]
    """Those of `own` that have no docstring; the module's own name if it has none itself."""


def documented_modules(package: str) -> list[DocumentedModule]:
    """The documented modules of a distribution, by its package: no part of their names begins with an underscore."""
    names: list[str] = []
    for each in (package, *BESIDE.get(package, ())):
        location = find_spec(each).submodule_search_locations
        names += [each, *(found.name for found in walk_packages(location, f"{each}."))]
    shown = [name for name in names if "._" not in name and not name.startswith(DOCUMENTED_AS_PROGRAMS)]
    return [module for module in map(_read, shown) if module is not None]


def _read(name: str) -> DocumentedModule | None:
    tree = ast.parse(Path(find_spec(name).origin).read_text(encoding="utf-8"))
    documented = dict(_definitions(tree))
    imported = dict(_imports(tree))
    exported = _exported(tree)
    if exported is None:
        exported = [each for each, is_documented in documented.items() if is_documented and not each.startswith("_")]
    exported = [each for each in exported if not each.startswith("__")]
    own = tuple(each for each in exported if each in documented)
    missing = [each for each in own if not documented[each]] + ([] if ast.get_docstring(tree) else [name])
    elsewhere = {each: imported[each] for each in exported if each not in documented}
    return DocumentedModule(name, own, elsewhere, tuple(missing)) if exported else None


def _exported(tree: ast.Module) -> list[str] | None:
    for node in tree.body:
        if isinstance(node, ast.Assign) and "__all__" in _targets(node):
            return list(ast.literal_eval(node.value))
    return None


def _definitions(tree: ast.Module) -> Iterator[tuple[str, bool]]:
    """What a module defines, and whether there is a docstring with it."""
    body = list(_statements(tree.body))
    for node, following in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name, ast.get_docstring(node) is not None
        targets = _targets(node)
        yield from ((target, _is_text(following) and len(targets) == 1) for target in targets)


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a module, those under an ``if`` included."""
    for node in body:
        yield node
        if isinstance(node, ast.If):
            yield from _statements([*node.body, *node.orelse])


def _targets(node: ast.stmt) -> list[str]:
    """The names that a statement assigns to, tuples of them included."""
    if not isinstance(node, ast.Assign | ast.AnnAssign):
        return []
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return [part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)]


def _is_text(node: ast.stmt | None) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _imports(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield from ((alias.asname or alias.name, f"{node.module}.{alias.name}") for alias in node.names)


def api_pages() -> dict[str, dict[str, str]]:
    """Distribution to its pages, and each of these by its module's name to its Markdown."""
    return {
        distribution: {name: _page(modules) for name, modules in _groups(package).items()}
        for distribution, package in DISTRIBUTIONS.items()
    }


def _groups(package: str) -> dict[str, list[DocumentedModule]]:
    """The modules by the first two parts of their names."""
    groups: dict[str, list[DocumentedModule]] = {}
    for module in documented_modules(package):
        groups.setdefault(".".join(module.name.split(".")[:2]), []).append(module)
    return groups


def _page(modules: list[DocumentedModule]) -> str:
    title = ".".join(modules[0].name.split(".")[:2])
    titled = modules[0].name == title
    sections = [_section(module, 1 if module.name == title else 2) for module in modules]
    return "\n\n".join([*([] if titled else [f"# {title}"]), *sections]) + "\n"


def _section(module: DocumentedModule, level: int) -> str:
    options = [f"      members: [{', '.join(module.own)}]", f"      heading_level: {level}"]
    directive = [f"::: {module.name}", "    options:", *options]
    links = [f"- [`{name}`][{target}]" for name, target in sorted(module.elsewhere.items())]
    listed = ["**Found here, too:**\n\n" + "\n".join(links)] if links else []
    return "\n\n".join(["\n".join(directive), *listed])
