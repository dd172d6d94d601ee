"""What the tests of the kits share: a kit is run on something broken, and one check has to say so."""

from typing import Any

from gridworld.testing.conformance import CheckResult, Conformance, run_checks

__all__ = ["assert_caught", "assert_conforms", "assert_passes", "failures"]


def failures(kit: type[Conformance], **attributes: Any) -> dict[str, CheckResult]:
    """The checks of a kit that something does not pass, by name; the attributes are those of a subclass."""
    results = run_checks(type("Kit", (kit,), attributes))
    assert results
    return {result.check: result for result in results if result.verdict != "passed"}


def assert_conforms(kit: type[Conformance], **attributes: Any) -> None:
    """All checks pass, so that what is broken in a likeness is what the kit objects to."""
    assert failures(kit, **attributes) == {}


def assert_passes(kit: type[Conformance], check: str, **attributes: Any) -> None:
    """One check passes, whatever the others say."""
    (result,) = run_checks(type("Kit", (kit,), attributes), [f"test_{check}"])
    assert result.verdict == "passed", result


def assert_caught(kit: type[Conformance], check: str, wrong: str, remedy: str, **attributes: Any) -> None:
    """A check fails, and says what is wrong and what to do."""
    (result,) = run_checks(type("Kit", (kit,), attributes), [f"test_{check}"])
    assert result.verdict == "failed", result
    assert wrong in result.wrong, result.wrong
    assert remedy in result.remedy, result.remedy
