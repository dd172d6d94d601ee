"""Random choices."""

from hypothesis import given
from hypothesis import strategies as st

from gridworld_generators.tools.dice import Dice

seeds = st.integers(0, 2**63 - 1)


def test_a_seed_gives_the_recorded_choices() -> None:
    dice = Dice(7)
    assert [dice.below(100) for _ in range(6)] == [71, 87, 95, 29, 80, 46]
    assert dice.shuffled("abcdef") == list("ebadfc")


@given(seeds, st.integers(1, 50))
def test_numbers_are_below_their_end(seed: int, end: int) -> None:
    assert 0 <= Dice(seed).below(end) < end


@given(seeds, st.lists(st.integers()))
def test_shuffling_keeps_the_items(seed: int, items: list[int]) -> None:
    assert sorted(Dice(seed).shuffled(items)) == sorted(items)


@given(seeds, st.integers(0, 20))
def test_split_dice_are_independent_of_later_choices(seed: int, count: int) -> None:
    quiet, busy = Dice(seed).split(), (dice := Dice(seed)).split()
    for _ in range(count):
        dice.below(6)
    assert quiet.below(10**9) == busy.below(10**9)
