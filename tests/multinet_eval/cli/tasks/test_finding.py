"""Names of suites and tasks on the command line, and advice after searches that gave up."""

import pytest

from gridworld.errors import GridworldError
from gridworld.solver.plans import winning_plan
from multinet_eval.cli.tasks.finding import advising_without_plan, print_given_up
from support.worlds import compiled, corridor


def found(verdict: str | None, states_seen: int | None) -> dict[str, object]:
    return {"verdict": verdict, "states_seen": states_seen}


def test_a_larger_limit_is_advised_where_the_limit_ended_the_search(capsys: pytest.CaptureFixture[str]) -> None:
    print_given_up([found("gave up", 900), found("solved", 7), found("gave up", 900), found(None, None)], 900)
    assert capsys.readouterr().out == "2 searches gave up, after 900 states; raise --max-states\n"


def test_where_memory_ended_the_search_that_is_said_in_its_place(capsys: pytest.CaptureFixture[str]) -> None:
    print_given_up([found("gave up", 900), found("gave up", 1_000)], 1_000)
    assert capsys.readouterr().out.splitlines() == [
        "1 search gave up, after 900 states: its tables are too large",
        "1 search gave up, after 1000 states; raise --max-states",
    ]


def test_nothing_is_said_where_none_gave_up(capsys: pytest.CaptureFixture[str]) -> None:
    print_given_up([found("unsolvable", 4)], 4)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(("limit", "advice"), [("--max-states", "; raise --max-states"), (None, "")])
def test_only_an_option_that_a_command_has_is_advised(limit: str | None, advice: str) -> None:
    with pytest.raises(GridworldError) as caught, advising_without_plan(limit):
        winning_plan(compiled(corridor("@......G")), max_states=3)
    assert str(caught.value) == f"no plan for the task 'drawn': the solver gave up after 3 states{advice}"
