"""What the examples say of themselves reaches models, and tells nothing of what a task hides."""

import pytest

from gridworld.explaining.explainer import Explainer
from gridworld.explaining.suite_vocabulary import SuiteVocabulary
from gridworld.plugins import Registry
from gridworld.task_spec import TaskSpecification
from gridworld_multigrid import MultiGridBackend
from support.worlds import corridor, describe

TOUR = {"type": "tour", "waypoints": [[2, 1]]}
ENTRIES = {
    "belts": {"direction": 0},
    "ice": {},
    "one_way": {"direction": "right"},
    "timers": {"period": 2},
}
WORDS = {
    "belts": "conveyor belt: After each action it carries",
    "ice": "sheet of ice: Whoever steps onto it slides on",
    "one_way": "one-way floor: It can be entered",
    "timers": "timer: It goes on and off by itself",
}


def explained(registry: Registry, *suite: TaskSpecification, tiling: str = "square") -> tuple[str, int]:
    """All that is told of a suite, and how many pictures are shown."""
    backend = MultiGridBackend(tiling)
    backend.configure(corridor("@...G"))
    made = Explainer(SuiteVocabulary.of(suite, registry)).explain(backend, "full", has_pictures=True)
    assert made is not None
    return f"{made.legend}\n{made.rules}", len(made.pictures)


def task_with(name: str, **rules: object) -> TaskSpecification:
    data = describe("#######\n#@...G#\n#.....#\n#######", rules=rules)
    data["mechanisms"] = {name: [{"id": "x", "position": [3, 2], **ENTRIES[name]}]}
    return TaskSpecification.from_dict(data)


@pytest.mark.parametrize("name", ENTRIES)
def test_a_mechanism_says_what_it_does_and_shows_how_it_looks(name: str, example_registry: Registry) -> None:
    told, pictures = explained(example_registry, task_with(name))
    plain, fewer = explained(example_registry, corridor("@...G"))
    assert WORDS[name] in told
    assert WORDS[name] not in plain
    assert pictures == fewer + 1


@pytest.mark.parametrize("name", ["belts"])
def test_which_task_hides_one_is_not_told(name: str, example_registry: Registry) -> None:
    hidden, shown = task_with(name, hidden_mechanisms=["x"]), task_with(name)
    told, _ = explained(example_registry, hidden, shown)
    assert told == explained(example_registry, hidden)[0]
    assert "Things can be hidden" in told


def test_a_goal_says_when_it_is_reached_and_a_tiling_what_turning_means_there(example_registry: Registry) -> None:
    told, _ = explained(example_registry, corridor("@...G", goal=TOUR))
    assert "as soon as the agent has been on every place that it names" in told
    told, _ = explained(example_registry, corridor("@...G"), tiling="rhombille")
    assert "The cells of the maze are rhombi" in told
    assert "to the next direction in which its cell has an edge: by 60 or 120 degrees" in told
