"""What would not fit into memory is refused before it is made, in one unit."""

import pytest

from gridworld.errors import ArgumentError
from gridworld.support.checks import MOST_BYTES, gigabytes, refuse_too_large


@pytest.mark.parametrize(
    ("count", "told"),
    [(0, "0 GB"), (1, "0.1 GB"), (4_000_000_000, "4 GB"), (4_000_000_001, "4.1 GB"), (12_288_000_000_000, "12,288 GB")],
)
def test_bytes_are_told_in_decimal_gigabytes_rounded_up(count: int, told: str) -> None:
    assert gigabytes(count) == told


def test_as_much_as_documented_may_be_taken_and_no_more() -> None:
    refuse_too_large("the arrays", 4_000_000_000, "ask for fewer")
    with pytest.raises(ArgumentError, match=r"^the arrays take 4\.1 GB, more than 4 GB; ask for fewer$"):
        refuse_too_large("the arrays", MOST_BYTES + 1, "ask for fewer")
