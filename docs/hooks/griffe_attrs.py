"""What Griffe does not know of the code: the constructors that attrs writes, and that an example is code.

Griffe reads the code without running it; mkdocstrings makes the API reference of what it finds.
"""

import ast
import re
import textwrap
from typing import Any

import griffe

__all__ = ["AttrsExtension"]

DECORATORS = ("attrs.frozen", "attrs.define")
FIELD_CALLS = ("attrs.field", "option")
EXAMPLE = re.compile(r"^Example:\n((?:[ \t]+\S.*\n?|[ \t]*\n)+)", re.MULTILINE)


class AttrsExtension(griffe.Extension):
    """Gives attrs classes their ``__init__``, once all their base classes are known."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """Look through a package that has been read."""
        self._visit(pkg)

    def _visit(self, parent: griffe.Module | griffe.Class) -> None:
        for member in list(parent.members.values()):
            if member.is_alias:
                continue
            if member.docstring is not None:
                member.docstring.value = EXAMPLE.sub(_fenced, member.docstring.value)
            if member.is_class and _decorator(member) is not None:
                member.set_member("__init__", _constructor(member))
            if member.is_class or member.is_module:
                self._visit(member)


def _fenced(example: re.Match[str]) -> str:
    return f"\n```python\n{textwrap.dedent(example[1]).strip()}\n```\n"


def _decorator(kind: griffe.Class) -> str | None:
    written = (str(decorator.value) for decorator in kind.decorators)
    return next((text for text in written if text.startswith(DECORATORS)), None)


def _constructor(kind: griffe.Class) -> griffe.Function:
    bases = [base for base in reversed(kind.mro()) if _decorator(base) is not None]
    parameters = {field.name: _parameter(field) for base in [*bases, kind] for field in _fields(base)}
    only_by_name = "kw_only=True" in (_decorator(kind) or "")
    listed = [parameter for parameter in parameters.values() if _by_name(parameter, only_by_name)]
    ordered = [parameter for parameter in parameters.values() if parameter not in listed] + listed
    return griffe.Function("__init__", parameters=griffe.Parameters(*ordered), parent=kind)


def _by_name(parameter: griffe.Parameter, always: bool) -> bool:
    if always:
        parameter.kind = griffe.ParameterKind.keyword_only
    return parameter.kind is griffe.ParameterKind.keyword_only


def _fields(kind: griffe.Class) -> list[griffe.Attribute]:
    attributes = (member for member in kind.members.values() if not member.is_alias and member.is_attribute)
    return [each for each in attributes if each.annotation is not None and "instance-attribute" in each.labels]


def _parameter(field: griffe.Attribute) -> griffe.Parameter:
    kind, default = griffe.ParameterKind.positional_or_keyword, field.value
    name = field.name.lstrip("_")
    if isinstance(default, griffe.ExprCall) and str(default.function) in FIELD_CALLS:
        given = {each.name: each.value for each in default.arguments if isinstance(each, griffe.ExprKeyword)}
        positional = [each for each in default.arguments if not isinstance(each, griffe.ExprKeyword)]
        name = ast.literal_eval(str(given["alias"])) if "alias" in given else name
        if str(default.function) == "option" or "kw_only" in given:
            kind = griffe.ParameterKind.keyword_only
        default = given.get("default", "..." if "factory" in given else next(iter(positional), None))
    return griffe.Parameter(name, annotation=field.annotation, kind=kind, default=default)
