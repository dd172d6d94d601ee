"""Reading of task files: JSON to a `TaskSpecification`.

Reading is strict: every missing, unknown or wrongly typed field is reported with its path. Older formats are translated
first (`gridworld.task.older_files`). Ignored parts (obsolete fields of older files, notes that begin with ``_`` or
``x-``) are reported too: `read_task` and `read_task_file` return them with the task; `TaskSpecification.from_dict` and
`from_json` issue one `TaskFileWarning` per file.
"""

import json
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from copy import deepcopy
from functools import lru_cache
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypeVar, cast, get_args, get_origin

import attrs
import cattrs
from cattrs.errors import BaseValidationError, ClassValidationError, IterableValidationError

from gridworld.errors import (
    AmbiguousNameError,
    Problem,
    TaskFileWarning,
    TaskFormatError,
    UnknownNameError,
    describe_error,
    join_path,
)
from gridworld.support.files import FileError, JSONError, parse_json, read_given
from gridworld.support.wording import nearest_hint
from gridworld.task.catalogs import Catalogs
from gridworld.task.meanings import parse_direction
from gridworld.task.older_files import OLDEST_VERSION, Change, Draft, Steps, is_leftover, path_of, reading, unwrap_task
from gridworld.task.validation import MAX_SIDE, MIN_SIDE
from gridworld.task_spec import GoalSpec, MechanismSet, Position, TaskSpecification, mechanism_set_of

T = TypeVar("T")

LARGEST_FILE = 64 * 2**20
"""Maximum size of a file in bytes, ten times that of the largest maze full of walls."""
LONGEST_WARNING = 5
"""Maximum number of field paths listed in one warning."""


@attrs.frozen
class ReadTask:
    """A task, with everything that reading translated or ignored."""

    task: TaskSpecification
    changes: tuple[Change, ...] = ()

    @property
    def warnings(self) -> tuple[Change, ...]:
        """Ignored parts; empty for a file in the current format."""
        return tuple(change for change in self.changes if change.warns)

    @property
    def warning(self) -> str | None:
        """All warnings in one sentence, or None."""
        if not self.warnings:
            return None
        named = [str(each) for each in self.warnings[:LONGEST_WARNING]]
        more = len(self.warnings) - len(named)
        listed = "; ".join([*named, f"and {more} more"] if more else named)
        return f"in an older form, which 'multinet tasks upgrade' rewrites: {listed}"


def task_from_json(path: str | PathLike[str], catalogs: Catalogs) -> TaskSpecification:
    """Read a task file as `read_task_file` does, and issue its warning if any."""
    return _warned(read_task_file(path, catalogs), f"{path}: ")


def task_from_dict(data: Any, catalogs: Catalogs) -> TaskSpecification:
    """Read the contents of a task file as `read_task` does, and issue its warning if any."""
    return _warned(read_task(data, catalogs), "")


def _warned(read: ReadTask, source: str) -> TaskSpecification:
    if read.warning is not None:
        warnings.warn(f"{source}{read.warning}", TaskFileWarning, stacklevel=4)
    return read.task


def read_task_file(path: str | PathLike[str], catalogs: Catalogs) -> ReadTask:
    """Read a task file; raises as `load_json` and `read_task` do."""
    return read_task(load_json(path), catalogs, str(path))


def load_json(path: str | PathLike[str]) -> Any:
    """Load any JSON file, which may or may not be a task (`is_task`).

    Raises:
        OSError: the file cannot be read.
        TaskFormatError: the file is not regular, is too large, or is not JSON (with line and column).
    """
    source = str(path)
    try:
        return parse_json(read_given(Path(path), LARGEST_FILE), _Object.from_pairs)
    except FileError as error:
        if isinstance(error.__cause__, OSError):
            raise error.__cause__ from None
        raise TaskFormatError([Problem("", error.problem)], source) from error
    except JSONError as error:
        raise TaskFormatError([Problem(error.place, f"broken JSON: {error.problem}")], source) from error


TOO_DEEP = "nested too deeply"


def is_task(data: Any) -> bool:
    """Whether the contents of a JSON file are meant as a task, that is, an object with a maze; it may be invalid."""
    if not isinstance(data, Mapping):
        return False
    draft = Draft(dict(data))  # a shallow copy: the contents may be large
    unwrap_task(draft)
    return "maze" in draft.data


def read_task(data: Any, catalogs: Catalogs, source: str = "") -> ReadTask:
    """Read the contents of a task file.

    Args:
        data: the contents.
        catalogs: the known mechanism and goal types.
        source: the file's name in messages.

    Raises:
        TaskFormatError: the contents are not a task; the error lists every problem with its path.
    """
    with refusing_depth(source):
        refuse_misshapen(data, source)
        draft = Draft.of(data, reading(catalogs))
        task = structure_draft(draft, catalogs, is_leftover, source)
    return ReadTask(task, tuple(draft.changes))


@contextmanager
def refusing_depth(source: str) -> Iterator[None]:
    """Raise TaskFormatError for contents nested too deeply for Python."""
    try:
        yield
    except RecursionError as error:
        raise TaskFormatError([Problem("", TOO_DEEP)], source) from error


def refuse_misshapen(data: Any, source: str) -> None:
    """Reject anything but an object, and duplicate keys."""
    if not isinstance(data, Mapping):
        raise TaskFormatError([Problem("", f"expected an object, got {_named(data)}")], source)
    repeated = list(_repeated_keys(data, ""))
    if repeated:
        raise TaskFormatError(repeated, source)


def structure_draft(
    draft: Draft, catalogs: Catalogs, may_be_put_aside: Callable[[Steps], bool], source: str
) -> TaskSpecification:
    """Convert a draft to a task, after removing unknown fields that can be ignored.

    Args:
        draft: the translated contents; modified.
        catalogs: the known mechanism and goal types.
        may_be_put_aside: whether the unknown field at a path can be ignored.
        source: the file's name in messages.

    Raises:
        TaskFormatError: the contents are not a task; the error lists every problem with its path.
    """
    crowded = list(_crowded_lists(draft))
    if crowded:
        raise TaskFormatError(crowded, source)
    reader = _reader(catalogs)
    while True:
        task, spare, wrong = reader.attempt(draft.data, may_be_put_aside)
        problems = [*draft.problems, *wrong]
        if problems:
            if draft.data.get("version") == OLDEST_VERSION:
                advice = f"files of version {OLDEST_VERSION} are rewritten by 'multinet tasks upgrade'"
                problems.insert(0, Problem("version", advice))
            raise TaskFormatError(problems, source)
        if task is not None:
            return task
        for steps in spare:
            draft.put_aside(steps, "the format has no such field")


def _crowded_lists(draft: Draft) -> Iterator[Problem]:
    """Report lists that have more entries than the maze has cells, before processing them."""
    maze = draft.part("maze")
    dimensions = maze.get("dimensions")
    if not isinstance(dimensions, list) or [type(side) for side in dimensions] != [int, int]:
        return
    width, height = dimensions
    columns, rows = (min(max(side, MIN_SIDE), MAX_SIDE) for side in dimensions)  # others are refused later
    most = columns * rows
    listed = {f"maze.{name}": maze.get(name) for name in ("walls", "floor")}
    listed["goal.target_positions"] = draft.part("goal").get("target_positions")
    listed.update((f"mechanisms.{name}", entries) for name, entries in draft.part("mechanisms").items())
    for path, entries in listed.items():
        if isinstance(entries, list) and len(entries) > most:
            yield Problem(
                path, f"has {len(entries)} entries, expected at most {most} in a maze of {width} x {height} cells"
            )


@lru_cache(maxsize=8)
def _reader(catalogs: Catalogs) -> "_Reader":
    """Return the reader for catalogs; cached, since making a converter is slower than reading a task."""
    return _Reader(catalogs)


class _Object(dict[str, Any]):
    """A JSON object that records its duplicate keys."""

    repeated: tuple[str, ...] = ()

    @classmethod
    def from_pairs(cls, pairs: list[tuple[str, Any]]) -> "_Object":
        """Make an object that records its duplicate keys, for `parse_json`."""
        result = cls(pairs)
        names = [name for name, _ in pairs]
        result.repeated = tuple(sorted({name for name in names if names.count(name) > 1}))
        return result


def _repeated_keys(value: Any, path: str) -> Iterable[Problem]:
    if isinstance(value, _Object):
        yield from (Problem(join_path(path, name), "appears twice in one object") for name in value.repeated)
        for name, inner in value.items():
            yield from _repeated_keys(inner, join_path(path, name))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _repeated_keys(inner, f"{path}[{index}]")


def _named(value: Any) -> str:
    return f"{json.dumps(value, default=repr)[:60]} ({type(value).__name__})"


class _Reader:
    """Converts task files using the types in catalogs."""

    def __init__(self, catalogs: Catalogs) -> None:
        self._catalogs = catalogs
        self._mechanism_types = tuple(catalogs.mechanisms.names())
        self._converter = self._make_converter()

    def attempt(
        self, data: Mapping[str, Any], may_be_put_aside: Callable[[Steps], bool]
    ) -> tuple[TaskSpecification | None, list[Steps], list[Problem]]:
        """Return the task; otherwise the unknown fields to remove before the next attempt, or the problems."""
        try:
            return self._converter.structure({"mechanisms": {}, **data}, TaskSpecification), [], []
        except BaseValidationError as error:
            leaves = list(_leaves(error, ()))
        spare = [steps for steps, leaf in leaves if isinstance(leaf, _UnknownField) and may_be_put_aside(steps)]
        kept = set(spare)
        return None, spare, [Problem(path_of(steps), _message(leaf)) for steps, leaf in leaves if steps not in kept]

    def _make_converter(self) -> cattrs.Converter:
        converter = cattrs.Converter(detailed_validation=True)
        converter.register_structure_hook(int, _strict(int, "an integer"))
        converter.register_structure_hook(str, _structure_text)
        converter.register_structure_hook(bool, _strict(bool, "true or false"))
        converter.register_structure_hook(float, _structure_float)
        converter.register_structure_hook(Position, _structure_position)
        converter.register_structure_hook_func(
            lambda kind: cast("Any", get_origin(kind)) is Literal, _structure_literal
        )
        converter.register_structure_hook(MechanismSet, self._structure_mechanisms)
        converter.register_structure_hook_func(attrs.has, self._structure_attrs)
        converter.register_structure_hook_func(lambda kind: kind is GoalSpec, self._structure_goal)
        converter.register_structure_hook_func(
            lambda kind: cast("Any", get_origin(kind)) is tuple, self._structure_list
        )
        converter.register_structure_hook_func(lambda kind: kind == tuple[int, int], _structure_dimensions)
        converter.register_structure_hook_func(
            lambda kind: kind == Mapping[str, Any], lambda value, kind: deepcopy(dict(_expect_object(value)))
        )
        return converter

    def _structure_attrs(self, value: Any, kind: Any) -> Any:
        """Convert an object to an attrs class, collecting the problems of all fields."""
        value = _expect_object(value)
        fields = {field.name: field for field in attrs.fields(attrs.resolve_types(kind))}
        structured, errors = self._structure_fields(value, fields)
        errors.extend(_unknown_fields(value, list(fields)))
        if errors:
            raise ClassValidationError(kind.__name__, errors, kind)
        return kind(**structured)

    def _structure_fields(
        self, value: Mapping[str, Any], fields: Mapping[str, "attrs.Attribute[Any]"]
    ) -> tuple[dict[str, Any], list[Exception]]:
        structured, errors = {}, []
        for name, field in fields.items():
            if name not in value:
                if field.default is attrs.NOTHING:
                    errors.append(_at(name, _MissingField("this field is required")))
                continue
            try:
                converter: Any = field.converter
                kind = Any if converter is parse_direction else field.type  # a direction may be a word
                structured[name] = self._converter.structure(value[name], cast("Any", kind))
                _check_alone(field, structured[name])
            except Exception as error:
                errors.append(_at(name, error))
        return structured, errors

    def _structure_mechanisms(self, value: Any, _: type[MechanismSet]) -> MechanismSet:
        catalog, groups, errors = self._catalogs.mechanisms, {}, []
        for name, entries in _expect_object(value).items():
            if is_leftover((name,)):
                errors.extend(_unknown_fields({name: entries}, catalog.names()))
                continue
            try:
                groups[name] = self._structure_list(entries, tuple[catalog.get(str(name)).spec, ...])  # type: ignore[misc]
            except (UnknownNameError, AmbiguousNameError, TypeError, BaseValidationError) as error:
                errors.append(_at(str(name), error))
        if errors:
            raise ClassValidationError("mechanisms", errors, MechanismSet)
        return mechanism_set_of(groups, self._mechanism_types)

    def _structure_goal(self, value: Any, _: type[GoalSpec]) -> GoalSpec:
        """Convert a goal, including the fields that its type defines."""
        value = _expect_object(value)
        common = {field.name: field for field in attrs.fields(GoalSpec) if field.name != "parameters"}
        goal, errors = self._structure_fields(value, common)
        further = {name: entry for name, entry in value.items() if name not in common}
        parameters: dict[str, Any] = {}
        try:
            kind = self._catalogs.goals.get(goal["type"]).parameters if "type" in goal else None
        except (UnknownNameError, AmbiguousNameError) as error:
            # Without further fields, validation reports the type.
            errors.extend([_at("type", error)] if further else [])
        else:
            parameters, wrong = self._structure_parameters(kind, further, list(common))
            errors.extend(wrong)
        if errors:
            raise ClassValidationError("goal", errors, GoalSpec)
        return GoalSpec(**goal, parameters=parameters)

    def _structure_parameters(
        self, kind: Any, further: Mapping[str, Any], common: list[str]
    ) -> tuple[dict[str, Any], list[Exception]]:
        """Convert a goal's further fields to its type's attrs class `kind`, which may be None."""
        own = [] if kind is None else [field.name for field in attrs.fields(kind)]
        errors = _unknown_fields(further, [*common, *own])
        if kind is None:
            return {}, errors
        try:
            structured = self._structure_attrs({name: further[name] for name in own if name in further}, kind)
        except BaseValidationError as error:
            return {}, [*error.exceptions, *errors]
        except Exception as error:
            return {}, [error, *errors]
        return attrs.asdict(structured, recurse=False), errors

    def _structure_list(self, value: Any, kind: Any) -> tuple[Any, ...]:
        """Convert a list to a tuple type, either of any length or with a type per position."""
        if not isinstance(value, (list, tuple)):
            raise TypeError(f"expected a list, got {_named(value)}")
        types = get_args(kind)
        if len(types) == 2 and types[1] is Ellipsis:
            types = (types[0],) * len(value)
        if len(types) != len(value):
            raise TypeError(f"expected a list of {len(types)}, got {_named(value)}")
        items, errors = [], []
        for index, (item, item_type) in enumerate(zip(value, types, strict=True)):
            try:
                items.append(self._converter.structure(item, item_type))
            except Exception as error:
                error.__notes__ = [cattrs.IterableValidationNote(f"at {index}", index, item_type)]
                errors.append(error)
        if errors:
            raise IterableValidationError("list", errors, kind)
        return tuple(items)


def _strict(kind: type[T], expected: str) -> Callable[[Any, type[T]], T]:
    def structure(value: Any, _: type[T]) -> T:
        if type(value) is not kind:
            raise TypeError(f"expected {expected}, got {_named(value)}")
        return value

    return structure


def _structure_text(value: Any, _: type[str]) -> str:
    if type(value) is not str:
        raise TypeError(f"expected a string, got {_named(value)}")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError(f"{_named(value)} is not valid Unicode text") from error
    return value


def _structure_float(value: Any, _: type[float]) -> float:
    if type(value) not in (int, float):
        raise TypeError(f"expected a number, got {_named(value)}")
    return float(value)


def _structure_literal(value: Any, kind: Any) -> Any:
    choices = get_args(kind)
    for choice in choices:
        if value == choice and type(value) is type(choice):
            return value
    words = [str(choice) for choice in choices]
    raise ValueError(f"{_named(value)} is unknown{nearest_hint(str(value), words)}; expected one of {', '.join(words)}")


def _structure_position(value: Any, _: type[Position]) -> Position:
    pair = value
    if isinstance(value, Mapping) and {"x", "y"} <= value.keys():
        unknown = _unknown_fields(value, ["x", "y"])
        if unknown:
            raise ClassValidationError("position", unknown, Position)
        pair = [value["x"], value["y"]]
    if not isinstance(pair, (list, tuple)) or len(pair) != 2 or any(type(each) is not int for each in pair):
        raise TypeError(f"expected a position [x, y] of two integers, got {_named(value)}")
    return Position(*pair)


def _structure_dimensions(value: Any, _: Any) -> tuple[int, int]:
    if not isinstance(value, (list, tuple)) or len(value) != 2 or any(type(each) is not int for each in value):
        raise TypeError(f"expected [width, height], two integers, got {_named(value)}")
    return (value[0], value[1])


class _MissingField(Exception):
    """A required field is missing."""


class _UnknownField(Exception):
    """The class has no such field."""


def _check_alone(field: "attrs.Attribute[Any]", value: Any) -> None:
    """Run a field's own converter and validator, so that errors are reported at the field.

    A validator that compares fields fails here for lack of an object; the constructor will run it again.
    """
    converter: Any = field.converter
    if converter is not None and not isinstance(converter, attrs.Converter):
        value = converter(value)
    if field.validator is not None:
        with suppress(AttributeError):
            field.validator(None, field, value)


def _unknown_fields(value: Mapping[str, Any], known: list[str]) -> list[Exception]:
    return [
        _at(
            str(name),
            _UnknownField(f"unknown field{nearest_hint(str(name), known)}; known: {', '.join(known) or 'none'}"),
        )
        for name in value
        if name not in known
    ]


def _expect_object(value: object) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise TypeError(f"expected an object, got {_named(value)}")
    return value


def _at(name: str, error: Exception) -> Exception:
    error.__notes__ = [cattrs.AttributeValidationNote(f"in {name}", name, MechanismSet)]
    return error


def _leaves(error: BaseException, steps: Steps) -> Iterator[tuple[Steps, BaseException]]:
    """Yield the leaves of a tree of cattrs errors, each with its path."""
    if isinstance(error, IterableValidationError):
        indexed, rest = error.group_exceptions()
        for inner, item in indexed:
            yield from _leaves(inner, (*steps, item.index))
    elif isinstance(error, ClassValidationError):
        named, rest = error.group_exceptions()
        for inner, attribute in named:
            yield from _leaves(inner, (*steps, attribute.name))
    else:
        yield steps, error
        return
    for inner in rest:
        yield from _leaves(inner, steps)


def _message(error: BaseException) -> str:
    """Return the text of an error; attrs validators put it into the first of several arguments."""
    if isinstance(error, KeyError):
        return describe_error(error)
    return str(error.args[0]) if error.args else describe_error(error)
