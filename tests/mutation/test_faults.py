"""The faults that ``nox -s mutation`` plants can still be planted."""

from pathlib import Path

import pytest

from mutation.faults import FAULTS, Fault

REPOSITORY = Path(__file__).parents[2]

every_fault = pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)


def test_there_are_thirty_or_more_of_different_names() -> None:
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) >= 30


@every_fault
def test_what_is_right_stands_once_in_the_module(fault: Fault) -> None:
    text = (REPOSITORY / "packages" / fault.module).read_text(encoding="utf-8")
    assert text.count(fault.right) == 1


@every_fault
def test_a_module_with_the_fault_is_python(fault: Fault) -> None:
    text = (REPOSITORY / "packages" / fault.module).read_text(encoding="utf-8")
    compile(text.replace(fault.right, fault.wrong), fault.module, "exec")


@every_fault
def test_the_tests_that_may_notice_it_exist(fault: Fault) -> None:
    assert fault.tests
    assert all((REPOSITORY / "tests" / path).exists() for path in fault.tests)
