"""Means over persons and mazes, of which each stands for others."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multinet_eval.statistics.intervals import crossed_mean, mean_interval

Cells = dict[tuple[str, str], float]


def table(rows: list[list[float]]) -> Cells:
    """A row for each person, a column for each maze."""
    return {(f"p{row}", f"m{column}"): score for row, scores in enumerate(rows) for column, score in enumerate(scores)}


def test_where_only_mazes_differ_it_is_the_interval_by_mazes() -> None:
    mazes = [0.0, 1.0, 1.0, 0.5, 1.0]
    found = crossed_mean(table([mazes] * 5))
    assert (found.persons, found.mazes, found.score) == (5, 5, 0.7)
    assert found.interval == pytest.approx(mean_interval(mazes))


def test_where_only_persons_differ_it_is_the_interval_by_persons() -> None:
    persons = [0.0, 1.0, 1.0, 0.5, 1.0]
    found = crossed_mean(table([[each] * 5 for each in persons]))
    assert found.interval == pytest.approx(mean_interval(persons))


def test_one_person_or_one_maze_tells_nothing_of_others() -> None:
    assert crossed_mean(table([[0.0, 1.0, 1.0]])).interval == (0.0, 1.0)
    assert crossed_mean(table([[0.0], [1.0], [1.0]])).interval == (0.0, 1.0)


def test_where_all_agree_the_smaller_sample_counts() -> None:
    assert crossed_mean(table([[1.0] * 9] * 3)).interval == pytest.approx(mean_interval([1.0] * 3))


@given(st.lists(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=4, max_size=4), min_size=2, max_size=5))
def test_whoever_is_first_it_is_a_mean_within_its_interval(rows: list[list[float]]) -> None:
    cells = table(rows)
    found, turned = crossed_mean(cells), crossed_mean({(maze, who): score for (who, maze), score in cells.items()})
    assert 0 <= found.interval[0] <= found.score <= found.interval[1] <= 1
    assert found.interval == pytest.approx(turned.interval)
    assert crossed_mean(dict(reversed(cells.items()))) == found


def test_the_true_mean_is_in_about_as_many_intervals_as_they_say() -> None:
    """Persons and mazes that differ a lot: an interval by mazes alone would miss the mean much more often."""
    rng, inside, by_mazes = random.Random(7), 0, 0
    rounds = 300
    for _ in range(rounds):
        skill, ease = ([rng.choice((-0.4, 0.4)) for _ in range(count)] for count in (8, 12))
        chances = [[min(max(0.5 + each + other, 0), 1) for other in ease] for each in skill]
        rows = [[float(rng.random() < chance) for chance in row] for row in chances]
        found = crossed_mean(table(rows))
        inside += found.interval[0] <= 0.5 <= found.interval[1]
        low, high = mean_interval([sum(column) / 8 for column in zip(*rows, strict=True)])
        by_mazes += low <= 0.5 <= high
    assert inside / rounds > 0.92
    assert by_mazes < inside
