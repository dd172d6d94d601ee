"""Parsing of ``key=value`` texts into arguments of models and backends."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, Optional

import attrs
import pytest

from gridworld.errors import ArgumentError
from gridworld.plugins.arguments import bind_arguments


def function(  # type: ignore[no-untyped-def]
    count: int = 0,
    rate: float = 0.5,
    label: str = "none",
    loud: bool = False,
    mode: Literal["fast", "slow", 3] = "fast",
    where: Path | None = None,
    limit: int | None = None,
    number_or_text: str | int = 0,
    old_style: Optional[float] = None,  # noqa: UP045  (plugins may still be written so)
    anything: Any = None,
    bare="",
) -> None: ...


def bound(*texts: str, to: Callable[..., Any] = function) -> dict[str, Any]:
    return bind_arguments(to, texts, "model 'm'")


def refusal(*texts: str, to: Callable[..., Any] = function) -> str:
    with pytest.raises(ArgumentError) as caught:
        bound(*texts, to=to)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("count=3", "count", 3),
        ("count=-3", "count", -3),
        ("rate=0.25", "rate", 0.25),
        ("rate=1e-3", "rate", 0.001),
        ("rate=2", "rate", 2.0),
        ("label=hello world", "label", "hello world"),
        ("label=a=b=c", "label", "a=b=c"),
        ("label=", "label", ""),
        ("label=3", "label", "3"),
        ("label=none", "label", "none"),
        ("loud=true", "loud", True),
        ("loud=YES", "loud", True),
        ("loud=on", "loud", True),
        ("loud=1", "loud", True),
        ("loud=False", "loud", False),
        ("loud=no", "loud", False),
        ("loud=off", "loud", False),
        ("loud=0", "loud", False),
        ("mode=slow", "mode", "slow"),
        ("mode=3", "mode", 3),
        ("where=some/file.txt", "where", Path("some/file.txt")),
        ("where=~/file.txt", "where", Path("~/file.txt").expanduser()),
        ("where=~nobody-here", "where", Path("~nobody-here")),
        ("where=none", "where", None),
        ("limit=5", "limit", 5),
        ("limit=None", "limit", None),
        ("limit=null", "limit", None),
        ("number_or_text=7", "number_or_text", 7),
        ("number_or_text=seven", "number_or_text", "seven"),
        ("old_style=1.5", "old_style", 1.5),
        ("old_style=none", "old_style", None),
        ("anything=7", "anything", "7"),
        ("bare=7", "bare", "7"),
    ],
)
def test_a_value_is_parsed_by_the_signature(text: str, name: str, value: Any) -> None:
    arguments = bound(text)
    assert arguments == {name: value}
    assert type(arguments[name]) is type(value)


def test_omitted_arguments_are_left_to_the_defaults() -> None:
    assert bound() == {}
    assert bound("count=1", "loud=yes") == {"count": 1, "loud": True}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("count", "model 'm': expected key=value, got 'count'"),
        ("count=three", "model 'm': argument 'count': expected int, got 'three'"),
        ("count=1.5", "model 'm': argument 'count': expected int, got '1.5'"),
        ("count=", "model 'm': argument 'count': expected int, got ''"),
        ("rate=fast", "model 'm': argument 'rate': expected float, got 'fast'"),
        ("loud=perhaps", "model 'm': argument 'loud': expected bool, got 'perhaps'"),
        ("mode=medium", "model 'm': argument 'mode': expected one of fast, slow, 3, got 'medium'"),
        ("limit=many", "model 'm': argument 'limit': expected int or none, got 'many'"),
    ],
)
def test_a_value_of_a_wrong_type_is_refused(text: str, message: str) -> None:
    assert refusal(text) == message


def test_an_unknown_argument_is_refused_with_the_nearest_and_all_known() -> None:
    message = refusal("cuont=3", to=lambda count=1, rate=2: None)
    assert message == "model 'm' has no argument 'cuont' (did you mean 'count'?); it takes: count, rate"


def test_an_argument_given_twice_is_refused() -> None:
    assert refusal("count=1", "count=1") == "model 'm': argument 'count' is given twice"


def test_arguments_that_are_required_are_asked_for_together() -> None:
    def connect(url: str, *, key: str, retries: int = 3) -> None: ...

    assert refusal("url=x", to=connect) == "model 'm' needs the argument key"
    assert refusal(to=connect) == "model 'm' needs the arguments url, key"
    assert bound("key=k", "url=u", to=connect) == {"url": "u", "key": "k"}


def test_only_named_parameters_are_arguments() -> None:
    def odd(first: int = 0, /, *rest: int, named: int = 0, **options: int) -> None: ...

    assert bound("named=1", to=odd) == {"named": 1}
    for text in ("first=1", "rest=1", "options=1", "other=1"):
        assert "it takes: named" in refusal(text, to=odd)


def test_a_type_without_text_form_is_refused_only_when_given() -> None:
    def with_list(names: list[str] | None = None) -> None: ...

    assert bound(to=with_list) == {}
    assert bound("names=none", to=with_list) == {"names": None}
    assert "argument 'names': expected list" in refusal("names=a,b", to=with_list)


def test_classes_take_the_arguments_of_their_constructor() -> None:
    class Plain:
        def __init__(self, seed: int = 0) -> None: ...

    class Inherited(Plain):
        pass

    @attrs.define
    class Attrs:
        seed: int = 0

    assert [bound("seed=3", to=kind) for kind in (Plain, Inherited, Attrs)] == [{"seed": 3}] * 3


def test_a_class_without_a_constructor_of_its_own_takes_nothing() -> None:
    class Empty:
        pass

    assert bound(to=Empty) == {}
    assert refusal("seed=3", to=Empty) == "model 'm' has no argument 'seed'; it takes: none"


def test_annotations_that_are_written_as_text_are_understood() -> None:
    def quoted(seed: "int" = 0, where: "Path | None" = None) -> None: ...

    assert bound("seed=3", "where=x", to=quoted) == {"seed": 3, "where": Path("x")}


def test_an_annotation_for_type_checkers_does_not_affect_other_arguments() -> None:
    """A plugin may import numpy under ``if TYPE_CHECKING:`` alone."""

    def checked(image: "numpy.ndarray | None" = None, seed: int = 0) -> None: ...  # type: ignore[name-defined]  # noqa: F821

    assert bound("seed=3", to=checked) == {"seed": 3}
